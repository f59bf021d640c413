// One schedule of least memory cost: the largest number of executed jobs with a child still to execute.
//
// The open jobs of an ideal do not depend on the way to it, so this is a path through the lattice of ideals whose
// largest ideal, by open jobs, is least: best-first search with maxima for sums. Two kinds:
// * any schedule: the nodes are all jobs. A job that closes a parent, or has no children, is executed at once. This
//   never hurts: moved forward to here in any continuation, it adds at most itself to the open jobs in between, and
//   closes at least as many. Only ideals without such jobs are stored.
// * IC-optimal schedules: the nodes are the non-sinks, since sinks come last; only optimal ideals are visited; a
//   parent of a sink stays open until all nodes are executed, and from then on the open jobs only become fewer.
#pragma once

#include <vector>

#include "exact_best_first.hpp"
#include "exact_model.hpp"

namespace eligo {

template <int W>
class MemorySearch {
public:
    // With `best` empty any schedule will do.
    MemorySearch(const ExactModel& model, CsrView succ, std::span<const Offset> best, Budget& budget)
        : model_(model), best_(best), moves_(model), store_(moves_.sets, budget) {
        std::vector<Node> number(succ.size(), -1);
        for (Node v = 0; v < model.size(); ++v) number[model.job[v]] = v;
        std::vector<Node> tails, heads;
        for (Node v = 0; v < model.size(); ++v) {
            pinned_.push_back(0);
            for (Node child : succ.row(model.job[v])) {
                if (number[child] < 0) {
                    pinned_[v] = 1;
                    continue;
                }
                tails.push_back(v);
                heads.push_back(number[child]);
            }
        }
        children_ = group_by(model.size(), tails, heads);
        parents_ = group_by(model.size(), heads, tails);
        now_ = first();
    }

    // An order of all nodes; empty if there is none.
    std::vector<Node> run() {
        settle(now_, nullptr);
        auto find = [&](std::uint32_t from, Node at, std::size_t cost) { return find_step(from, at, cost); };
        Origin step{0, -1};
        do {
            if (step.node >= 0) {
                load(step.from);
                execute(step.node, now_);
                settle(now_, nullptr);
                now_.peak = store_.cost();
            }
            if (!store_.visit(now_.ideal.data(), step)) continue;
            if (now_.size == model_.size()) return unfold();
            keep_and_offer();
        } while (store_.take(step, find));
        return {};
    }

private:
    struct Counts {
        Node size, open;
        std::size_t peak;  // of the way to the ideal
    };
    struct State : Counts {
        std::vector<Word> ideal, available;
    };

    const ExactModel& model_;
    std::span<const Offset> best_;
    ExactMoves<W> moves_;
    BestFirst<W> store_;
    std::vector<char> pinned_;  // has a child that is no node
    Csr children_, parents_;
    State now_;
    std::vector<Word> available_;  // in each state
    std::vector<Counts> counts_;   // of each state
    std::vector<std::size_t> costs_;

    State first() const { return {{0, 0, 0}, std::vector<Word>(moves_.sets.words(), 0), moves_.start()}; }

    void load(std::uint32_t state) {
        const std::size_t words = moves_.sets.words();
        static_cast<Counts&>(now_) = counts_[state];
        moves_.sets.copy(now_.ideal.data(), store_.ideal(state));
        moves_.sets.copy(now_.available.data(), available_.data() + state * words);
    }

    void keep_and_offer() {
        available_.insert(available_.end(), now_.available.begin(), now_.available.end());
        counts_.push_back(now_);
        costs_.clear();
        moves_.sets.each(now_.available.data(), [&](Node v) {
            if (best_.empty() || stays_optimal(v, now_)) costs_.push_back(cost_of(v));
        });
        store_.offer(costs_, static_cast<std::size_t>(-1));
    }

    std::size_t cost_of(Node v) const {
        return std::max(now_.peak, static_cast<std::size_t>(now_.open + has_children(v) - closes(v, now_)));
    }

    Node find_step(std::uint32_t state, Node from, std::size_t cost) {
        load(state);
        auto fits = [&](Node v) { return cost_of(v) == cost && (best_.empty() || stays_optimal(v, now_)); };
        Node v = moves_.sets.next(now_.available.data(), from);
        while (v >= 0 && !fits(v)) v = moves_.sets.next(now_.available.data(), v + 1);
        return v;
    }

    // The ideal so far is optimal, so what v adds tells whether the next one is.
    bool stays_optimal(Node v, State& state) const {
        moves_.sets.add(state.ideal.data(), v);
        const Offset gain = moves_.gain(v, state.ideal.data());
        moves_.sets.drop(state.ideal.data(), v);
        return gain == best_[state.size + 1] - best_[state.size];
    }

    // The parents of v that have no other child to execute.
    Node closes(Node v, const State& state) const {
        Node count = 0;
        for (Node p : parents_.view().row(v)) {
            if (pinned_[p]) continue;
            const auto others = children_.view().row(p);
            count += std::ranges::all_of(others, [&](Node w) { return w == v || moves_.sets.has(state.ideal.data(), w); });
        }
        return count;
    }

    bool has_children(Node v) const { return pinned_[v] || children_.view().degree(v) > 0; }

    void execute(Node v, State& state) const {
        state.open += has_children(v) - closes(v, state);
        moves_.sets.add(state.ideal.data(), v);
        moves_.advance(v, state.ideal.data(), state.available.data());
        ++state.size;
    }

    // Executes what never hurts; adds it to `order` where one is given.
    void settle(State& state, std::vector<Node>* order) const {
        if (!best_.empty()) return;
        for (Node v; (v = harmless(state)) >= 0;) {
            execute(v, state);
            if (order) order->push_back(v);
        }
    }

    Node harmless(const State& state) const {
        Node v = moves_.sets.next(state.available.data(), 0);
        while (v >= 0 && has_children(v) && closes(v, state) == 0) v = moves_.sets.next(state.available.data(), v + 1);
        return v;
    }

    // The nodes on the way to the newest state: the steps taken, with those between that never hurt.
    std::vector<Node> unfold() const {
        State state = first();
        std::vector<Node> order;
        settle(state, &order);
        for (Node v : store_.way()) {
            execute(v, state);
            order.push_back(v);
            settle(state, &order);
        }
        return order;
    }
};

inline std::vector<Node> least_memory(const ExactModel& model, CsrView succ, std::span<const Offset> best,
                                      Budget& budget) {
    return with_width(model.size(),
                      [&](auto width) { return MemorySearch<width>(model, succ, best, budget).run(); });
}

}  // namespace eligo
