// The store of a best-first search over ideals: the states visited, and which of them have steps to take at what cost.
//
// Costs are small natural numbers, so the queue is one stack a cost. An entry says that some steps from a state make a
// way of that cost, and which of them is to be tried next; the ideal that a step leads to is made, and looked up, only
// when its turn comes, which for most never does. The last entry of the cheapest comes first: among equals the search
// goes deep, lower nodes first, and reaches the end without visiting the others.
#pragma once

#include <algorithm>
#include <vector>

#include "exact_optimal.hpp"
#include "exact_sets.hpp"

namespace eligo {

template <int W>
class BestFirst {
public:
    BestFirst(Sets<W> sets, Budget& budget) : sets_(sets), budget_(budget), table_(sets) {}

    // A step has been taken to this ideal. False if it was visited before, more cheaply or equally so.
    bool visit(const Word* ideal, Origin step) {
        if (!table_.insert(ideal).second) return false;
        budget_.visit(2 * sets_.bytes() + 48);
        origin_.push_back(step);
        return true;
    }

    std::uint32_t newest() const { return table_.size() - 1; }
    const Word* ideal(std::uint32_t state) const { return table_[state]; }

    // The newest state has steps of these costs, of which those above `most` are of no interest.
    void offer(std::vector<std::size_t>& costs, std::size_t most) {
        std::sort(costs.begin(), costs.end());
        costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
        for (std::size_t cost : costs) {
            if (cost > most) return;
            if (stacks_.size() <= cost) stacks_.resize(cost + 1);
            stacks_[cost].push_back({newest(), 0});
        }
    }

    // Takes the next step of least cost. `find(state, from, cost)` names the state's lowest node that is at least
    // `from` and makes a step of that cost, or -1.
    template <class Find>
    bool take(Origin& step, Find find) {
        for (; now_ < stacks_.size(); ++now_)
            while (!stacks_[now_].empty()) {
                Origin& entry = stacks_[now_].back();
                step = {entry.from, find(entry.from, entry.node, now_)};
                entry.node = step.node + 1;
                if (step.node >= 0) return true;
                stacks_[now_].pop_back();
            }
        return false;
    }

    std::size_t cost() const { return now_; }

    // The nodes of the steps to the newest state. The first state has none.
    std::vector<Node> way() const {
        std::vector<Node> nodes;
        for (std::uint32_t s = newest(); origin_[s].node >= 0; s = origin_[s].from) nodes.push_back(origin_[s].node);
        std::reverse(nodes.begin(), nodes.end());
        return nodes;
    }

private:
    Sets<W> sets_;
    Budget& budget_;
    SetTable<W> table_;
    std::vector<Origin> origin_;
    std::vector<std::vector<Origin>> stacks_;
    std::size_t now_ = 0;
};

}  // namespace eligo
