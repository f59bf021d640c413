// One schedule of largest AREA; and, as the same search cut short, one IC-optimal schedule without counting them.
//
// The AREA is a sum over the ideals that a schedule passes, and no sink need be executed early. The *loss* of an ideal
// is A(|I|) - rendered(I), never negative, and a schedule of least total loss has the largest AREA. Least sums of losses
// are shortest paths in the lattice of ideals: best-first search visits only ideals whose loss so far is at most the
// final one, which is 0 exactly for IC-optimal schedules and small for most dags.
#pragma once

#include <vector>

#include "exact_best_first.hpp"
#include "exact_model.hpp"

namespace eligo {

template <int W>
class AreaSearch {
public:
    AreaSearch(const ExactModel& model, std::span<const Offset> best, Budget& budget)
        : model_(model), best_(best), moves_(model), store_(moves_.sets, budget),
          ideal_(moves_.sets.words(), 0) {}

    // An order of all nodes of least loss, if that is at most `most`; `reached` is the size of the largest ideal visited.
    OptimalOrders run(std::size_t most) {
        OptimalOrders out;
        store_.visit(ideal_.data(), {0, -1});
        available_ = moves_.start();
        state_ = {{0, best_[0], 0}};
        auto find = [&](std::uint32_t from, Node at, std::size_t cost) { return find_step(from, at, cost); };
        offer_steps(most);
        for (Origin step; out.reached < model_.size() && store_.take(step, find);)
            if (visit(step)) {
                out.reached = std::max(out.reached, state_.back().size);
                offer_steps(most);
            }
        if (out.reached == model_.size()) out.order = store_.way();
        return out;
    }

private:
    struct State {
        Node size;
        Offset rendered;
        std::size_t loss;  // of the way to it
    };

    const ExactModel& model_;
    std::span<const Offset> best_;
    ExactMoves<W> moves_;
    BestFirst<W> store_;
    std::vector<Word> ideal_;      // the one looked at
    std::vector<Word> available_;  // in each state
    std::vector<State> state_;
    std::vector<std::size_t> costs_;

    const Word* available(std::uint32_t state) const {
        return available_.data() + std::size_t{state} * moves_.sets.words();
    }

    bool visit(Origin step) {
        const Sets<W>& sets = moves_.sets;
        sets.copy(ideal_.data(), store_.ideal(step.from));
        sets.add(ideal_.data(), step.node);
        if (!store_.visit(ideal_.data(), step)) return false;
        const State& from = state_[step.from];
        state_.push_back({from.size + 1, from.rendered + moves_.gain(step.node, ideal_.data()), store_.cost()});
        available_.resize(available_.size() + sets.words());
        Word* rest = available_.data() + available_.size() - sets.words();
        sets.copy(rest, available(step.from));
        moves_.advance(step.node, ideal_.data(), rest);
        return true;
    }

    // What the way costs with a step from `state`, whose ideal is at hand.
    std::size_t cost_of(const State& state, Node v) {
        moves_.sets.add(ideal_.data(), v);
        const Offset gain = moves_.gain(v, ideal_.data());
        moves_.sets.drop(ideal_.data(), v);
        return state.loss + static_cast<std::size_t>(best_[state.size + 1] - state.rendered - gain);
    }

    void offer_steps(std::size_t most) {
        costs_.clear();
        moves_.sets.each(available(store_.newest()), [&](Node v) { costs_.push_back(cost_of(state_.back(), v)); });
        store_.offer(costs_, most);
    }

    Node find_step(std::uint32_t state, Node from, std::size_t cost) {
        const Sets<W>& sets = moves_.sets;
        sets.copy(ideal_.data(), store_.ideal(state));
        Node v = sets.next(available(state), from);
        while (v >= 0 && cost_of(state_[state], v) != cost) v = sets.next(available(state), v + 1);
        return v;
    }
};

inline OptimalOrders least_loss(const ExactModel& model, std::span<const Offset> best, std::size_t most,
                                Budget& budget) {
    return with_width(model.size(), [&](auto width) { return AreaSearch<width>(model, best, budget).run(most); });
}

}  // namespace eligo
