// Orders of small peak by a beam: of all sets of nodes that may have run, only the most promising of each size go on.
//
// Sets are looked at by size. Of those with equally many nodes a fixed number is kept: the lowest peaks, of equals those
// that occupy least now. What runs at once does (sequential_sets.hpp), so a step can lead to sets of any larger size. The
// budget counts nodes looked at and what is copied; when it is used up, there is no order.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"
#include "sequential_sets.hpp"

namespace eligo {

class Beam {
public:
    // No order has a peak below `floor`.
    Beam(const CostDag& dag, Bytes floor, Offset width, Offset budget)
        : dag_(dag), floor_(floor), width_(width), budget_(budget), hand_(dag), of_size_(dag.nodes() + 1) {}

    std::vector<Node> order() {
        keep(-1, hand_.begin(floor_, [](Node) {}));
        for (Node size = 0; size < dag_.nodes(); ++size) {
            for (const State& state : best(of_size_[size])) {
                if (hand_.work() + copied_ >= budget_) return {};
                expand(state);
            }
            of_size_[size] = {};
        }
        const auto all = best(of_size_[dag_.nodes()]);
        return hand_.replay(way_to(all.front().step), floor_);
    }

private:
    struct State {
        Bytes peak, now;
        Node step;  // the last of the steps that lead here
        std::vector<Node> ready;
        Words set;
    };
    struct Step {
        Node before, node;
    };

    const CostDag& dag_;
    const Bytes floor_;
    const Offset width_, budget_;
    Offset copied_ = 0;
    SetInHand hand_;
    std::vector<Step> steps_;
    std::vector<std::vector<State>> of_size_;

    static bool better(const State& a, const State& b) {
        return std::tie(a.peak, a.now, a.step) < std::tie(b.peak, b.now, b.step);
    }

    void keep(Node step, Progress progress) {
        copied_ += static_cast<Offset>(progress.ready.size() + hand_.words().size());
        auto& others = of_size_[hand_.count()];
        others.push_back({progress.peak, progress.now, step, std::move(progress.ready), hand_.words()});
        if (static_cast<Offset>(others.size()) >= 8 * width_) others = best(others);
    }

    // The most promising, each set once.
    std::vector<State> best(std::vector<State>& states) const {
        const auto width = static_cast<std::size_t>(width_);
        std::sort(states.begin(), states.end(), better);
        std::vector<State> chosen;
        for (State& state : states) {
            if (chosen.size() == width) break;
            const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const State& other) {
                return other.now == state.now && other.set == state.set;
            });
            if (!known) chosen.push_back(std::move(state));
        }
        return chosen;
    }

    void expand(const State& from) {
        for (Node v : from.ready) {
            hand_.take(from.set);
            Progress progress{from.now, from.peak, from.ready};
            hand_.run(v, progress, [](Node) {});
            steps_.push_back({from.step, v});
            keep(static_cast<Node>(steps_.size() - 1), std::move(progress));
        }
    }

    std::vector<Node> way_to(Node last) const {
        std::vector<Node> chosen;
        for (Node s = last; s >= 0; s = steps_[s].before) chosen.push_back(steps_[s].node);
        std::reverse(chosen.begin(), chosen.end());
        return chosen;
    }
};

}  // namespace eligo
