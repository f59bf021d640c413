// E_max for every number of steps, and the number of ideals, without visiting the ideals one by one.
//
// Problem: A(x) = the largest rendered(I) over the ideals I of x non-sinks; E_max(x) = A(x) - x (executing a sink
// early renders nothing, so non-sinks suffice).
// Idea: decide the non-sinks one after the other, each after its parents. What the decisions so far mean for the
// rest is only which open groups are still *alive*, that is, have no parent that was left out. Ideals that agree on this
// are bundled into one state, which keeps for every size x the largest number of rendered jobs so far, and how many
// ideals it stands for. A state retires when none of the undecided nodes can be executed any more.
// Invariant: the states after i decisions partition the ideals among the first i nodes.
// Cost: states times sizes; the states are at most the ideals, and at most 2^w if never more than w groups are open
// (a tree of height h has w = h, a mesh of l levels w = l, both with few of the 2^w states).
#pragma once

#include <limits>
#include <vector>

#include "exact_model.hpp"
#include "exact_order.hpp"
#include "exact_sets.hpp"

namespace eligo {

struct ExactProfile {
    std::vector<Offset> rendered;  // A(0..N)
    std::vector<Word> ideals;      // how many there are
};

// What deciding one node does to the open groups, each of which has a bit while it is open.
struct FrontierStep {
    Node own = -1;  // the bit of the node's own group; -1 for a source
    std::vector<Node> opens, spoils, closes;
    std::vector<Node> hopes;                    // those of `opens` whose groups have members to decide later
    std::vector<std::pair<Node, int>> renders;  // the groups whose last parent this is: bit, weight
    int gain = 0;                               // sinks that have no other parent
    bool sources_left = false;                  // after this step
};

class FrontierPlan {
public:
    FrontierPlan(const ExactModel& model, Budget& budget)
        : model_(model), groups_(model), bit_(model.weight.size(), -1) {
        for (Node own : model.group) sources_left_ += own < 0;
        for (Node v : FrontierOrder(model, budget).run()) steps.push_back(decide(v));
    }

    std::vector<FrontierStep> steps;
    Node bits = 0;

private:
    const ExactModel& model_;
    OpenGroups groups_;
    std::vector<Node> bit_, free_;
    Node sources_left_ = 0;

    FrontierStep decide(Node v) {
        FrontierStep step;
        std::vector<Node> closed;
        for (Node g : model_.feeds.view().row(v)) {
            if (!groups_.ever_open(g)) {
                step.gain += model_.weight[g];
                continue;
            }
            if (bit_[g] < 0) open(g, step);
            step.spoils.push_back(bit_[g]);
            if (--groups_.parents_left[g] > 0) continue;
            step.renders.emplace_back(bit_[g], model_.weight[g]);
            if (groups_.closed(g)) closed.push_back(g);
        }
        if (const Node own = model_.group[v]; own >= 0) {
            step.own = bit_[own];
            --groups_.members_left[own];
            if (groups_.closed(own)) closed.push_back(own);
        } else {
            --sources_left_;
        }
        for (Node g : closed) close(g, step);
        step.sources_left = sources_left_ > 0;
        return step;
    }

    void open(Node g, FrontierStep& step) {
        if (free_.empty()) free_.push_back(bits++);
        bit_[g] = free_.back();
        free_.pop_back();
        step.opens.push_back(bit_[g]);
        if (groups_.members_left[g] > 0) step.hopes.push_back(bit_[g]);
    }

    void close(Node g, FrontierStep& step) {
        step.closes.push_back(bit_[g]);
        free_.push_back(bit_[g]);
    }
};

template <int W>
class ProfileSearch {
public:
    ProfileSearch(const ExactModel& model, const FrontierPlan& plan, Budget& budget)
        : model_(model), plan_(plan), budget_(budget), sets_(plan.bits), layer_(sets_), next_(sets_),
          opens_(sets_.words()), spoils_(sets_.words()), closes_(sets_.words()), hopeful_(sets_.words()),
          ideals_(model.size() / 64 + 1) {}

    ExactProfile run() {
        const Node n = model_.size();
        best_.assign(n + 1, kNone);
        ideals_.append();
        const std::vector<Word> nothing(sets_.words(), 0);
        layer_.insert(nothing.data());
        layer_.prepare({{0, 0}}, 1);
        layer_.value[0] = 0;
        *layer_.number[0] = 1;
        if (n == 0) pour(0, kRetired, 0, 0);
        for (const FrontierStep& step : plan_.steps) take(step);
        ExactProfile out{std::vector<Offset>(n + 1), ideals_.take()};
        for (Node x = 0; x <= n; ++x) out.rendered[x] = model_.base + best_[x];
        return out;
    }

private:
    static constexpr int kNone = std::numeric_limits<int>::min() / 2;  // stays negative whatever is gained
    static constexpr std::uint32_t kRetired = static_cast<std::uint32_t>(-1), kBarred = kRetired - 1;

    struct Range {
        Node low, high;
    };

    // States with, for each, a value for every size low..high and a number.
    struct Layer {
        SetTable<W> sets;
        std::vector<Range> range;
        std::vector<std::size_t> at;
        std::vector<int> value;
        Numbers number;

        explicit Layer(Sets<W> kind) : sets(kind) {}
        std::pair<std::uint32_t, bool> insert(const Word* set) { return sets.insert(set); }

        void prepare(std::vector<Range> ranges, int number_words) {
            range = std::move(ranges);
            at.resize(range.size());
            std::size_t total = 0;
            for (std::size_t s = 0; s < range.size(); ++s) {
                at[s] = total;
                total += range[s].high - range[s].low + 1;
            }
            value.assign(total, kNone);
            number = Numbers(number_words);
            for (std::size_t s = 0; s < range.size(); ++s) number.append();
        }
    };

    const ExactModel& model_;
    const FrontierPlan& plan_;
    Budget& budget_;
    Sets<W> sets_;
    Layer layer_, next_;
    std::vector<Word> opens_, spoils_, closes_;
    std::vector<Word> hopeful_;  // open groups with members to decide
    std::vector<int> best_;
    Numbers ideals_;

    struct Successors {
        std::uint32_t with, without;
        int gain;
    };
    std::vector<Successors> successors_;
    std::vector<Range> ranges_;

    void mark(std::vector<Word>& mask, const std::vector<Node>& bits) {
        std::fill(mask.begin(), mask.end(), 0);
        for (Node bit : bits) sets_.add(mask.data(), bit);
    }

    void take(const FrontierStep& step) {
        mark(opens_, step.opens);
        mark(spoils_, step.spoils);
        mark(closes_, step.closes);
        for (Node bit : step.closes) sets_.drop(hopeful_.data(), bit);
        for (Node bit : step.hopes) sets_.add(hopeful_.data(), bit);
        branch(step);
        next_.prepare(ranges_, layer_.number.words_for_sums(2 * Offset{layer_.sets.size()}));
        for (std::uint32_t s = 0; s < layer_.sets.size(); ++s) {
            if (successors_[s].with != kBarred) pour(s, successors_[s].with, 1, successors_[s].gain);
            pour(s, successors_[s].without, 0, 0);
        }
        std::swap(layer_, next_);
        next_.sets.clear();
    }

    // First pass: who follows whom, and which sizes occur.
    void branch(const FrontierStep& step) {
        successors_.resize(layer_.sets.size());
        ranges_.clear();
        std::vector<Word> set(sets_.words());
        for (std::uint32_t s = 0; s < layer_.sets.size(); ++s) {
            const Word* alive = layer_.sets[s];
            Successors& to = successors_[s];
            to.with = kBarred;
            if (step.own < 0 || sets_.has(alive, step.own)) {
                for (int i = 0; i < sets_.words(); ++i) set[i] = (alive[i] | opens_[i]);
                to.gain = step.gain;
                for (auto [bit, weight] : step.renders) to.gain += sets_.has(set.data(), bit) ? weight : 0;
                for (int i = 0; i < sets_.words(); ++i) set[i] &= ~closes_[i];
                to.with = enter(set.data(), step, {layer_.range[s].low + 1, layer_.range[s].high + 1});
            }
            for (int i = 0; i < sets_.words(); ++i) set[i] = alive[i] & ~spoils_[i] & ~closes_[i];
            to.without = enter(set.data(), step, layer_.range[s]);
        }
    }

    std::uint32_t enter(const Word* set, const FrontierStep& step, Range range) {
        if (!step.sources_left && !sets_.meet(set, hopeful_.data())) return kRetired;
        const auto [to, fresh] = next_.insert(set);
        if (fresh) {
            budget_.visit(sets_.bytes() + layer_.number.bytes() + 4 * (range.high - range.low) + 32);
            ranges_.push_back(range);
        } else {
            ranges_[to].low = std::min(ranges_[to].low, range.low);
            ranges_[to].high = std::max(ranges_[to].high, range.high);
        }
        return to;
    }

    // Second pass: the larger value of every size, the sum of the numbers.
    void pour(std::uint32_t from, std::uint32_t to, Node shift, int gain) {
        const Range range = layer_.range[from];
        const int* source = layer_.value.data() + layer_.at[from];
        int* target = best_.data() + range.low + shift;
        if (to != kRetired) target = next_.value.data() + next_.at[to] + (range.low + shift - next_.range[to].low);
        for (Node i = 0; i <= range.high - range.low; ++i) target[i] = std::max(target[i], source[i] + gain);
        if (to != kRetired) next_.number.add(to, layer_.number, from);
        else ideals_.add(0, layer_.number, from);
    }
};

inline ExactProfile exact_profile(const ExactModel& model, Budget& budget) {
    const FrontierPlan plan(model, budget);
    return with_width(plan.bits, [&](auto width) { return ProfileSearch<width>(model, plan, budget).run(); });
}

}  // namespace eligo
