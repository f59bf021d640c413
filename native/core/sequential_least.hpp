// The least peak of any order, by search over the sets of nodes that may have run.
//
// The peak of a way to a set is the highest point on it. The set on the way of the lowest peak is looked at first, of
// equals the largest (Dijkstra's search with the maximum in the place of the sum). Sets whose peak is no lower than that
// of an order already known are dropped. If none is left, that order has the least peak; if the whole is reached, its
// way has. The budget counts nodes looked at and what is kept, so that results repeat on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"
#include "sequential_sets.hpp"

namespace eligo {

struct LeastPeak {
    std::vector<Node> order;  // empty where none below the known peak was found
    bool settled = false;     // whether the search came to its end: then none is better than this, or else the known one
    Offset states = 0;
};

class LeastSearch {
public:
    // No order has a peak below `floor`; only orders with one below `known` are looked for.
    LeastSearch(const CostDag& dag, Bytes floor, Bytes known, Offset budget)
        : dag_(dag), floor_(floor), known_(known), budget_(budget), hand_(dag), seen_(16, Hash{this}, Equal{this}) {}

    LeastPeak search() {
        if (std::max(floor_, dag_.base) >= known_ || dag_.nodes() == 0) return {{}, true, 0};
        keep(-1, -1, hand_.begin(floor_, [](Node) {}));
        while (!open_.empty() && hand_.work() + kept_ < budget_) {
            const auto [peak, left, number] = open_.top();
            open_.pop();
            if (peak != states_[number].peak) continue;  // a lower way was found since
            if (left == 0) return {way_to(number), true, static_cast<Offset>(states_.size())};
            expand(number);
        }
        return {{}, open_.empty(), static_cast<Offset>(states_.size())};
    }

private:
    using Number = Node;
    struct State {
        Number before;  // the state it came from, by running
        Node node;      // this node and all that may run at once after it
        Bytes now, peak;
        std::vector<Node> ready;
        Words set;
    };
    struct Hash {
        const LeastSearch* in;
        std::size_t operator()(Number s) const {
            std::uint64_t mixed = 0x9E3779B97F4A7C15u;
            for (std::uint64_t word : in->states_[s].set) {
                mixed = (mixed ^ word) * 0xFF51AFD7ED558CCDu;
                mixed ^= mixed >> 32;
            }
            return mixed;
        }
    };
    struct Equal {
        const LeastSearch* in;
        bool operator()(Number a, Number b) const { return in->states_[a].set == in->states_[b].set; }
    };
    using Entry = std::tuple<Bytes, Node, Number>;  // peak, nodes left, state

    const CostDag& dag_;
    const Bytes floor_, known_;
    const Offset budget_;
    Offset kept_ = 0;
    SetInHand hand_;
    std::vector<State> states_;
    std::unordered_set<Number, Hash, Equal> seen_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;

    // Enters the set in hand, or a lower way to it.
    void keep(Number before, Node node, Progress progress) {
        const auto number = static_cast<Number>(states_.size());
        states_.push_back({before, node, progress.now, progress.peak, std::move(progress.ready), hand_.words()});
        const auto [at, is_new] = seen_.insert(number);
        kept_ += static_cast<Offset>(hand_.words().size() + states_.back().ready.size());
        if (!is_new) {
            State again = std::move(states_.back());
            states_.pop_back();
            if (states_[*at].peak <= again.peak) return;
            states_[*at] = std::move(again);
        }
        open_.push({states_[*at].peak, dag_.nodes() - hand_.count(), *at});
    }

    void expand(Number number) {
        const State from = states_[number];
        for (Node v : from.ready) {
            hand_.take(from.set);
            if (from.now + hand_.costs(v).first >= known_) continue;
            Progress progress{from.now, from.peak, from.ready};
            hand_.run(v, progress, [](Node) {});
            keep(number, v, std::move(progress));
        }
    }

    std::vector<Node> way_to(Number last) {
        std::vector<Node> chosen;
        for (Number s = last; states_[s].before >= 0; s = states_[s].before) chosen.push_back(states_[s].node);
        std::reverse(chosen.begin(), chosen.end());
        return hand_.replay(chosen, floor_);
    }
};

}  // namespace eligo
