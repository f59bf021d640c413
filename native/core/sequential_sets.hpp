// Sets of nodes that have run, one of which is in hand: what may run next, what it costs, and what runs at once.
//
// A ready node that does not raise the memory and whose hill stays within the peak so far runs at once: what it costs later
// is no less to anybody, and memory is never lower without it. Costs only fall as others run, so what runs at once does
// not depend on the order of trying.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"

namespace eligo {

using Words = std::vector<std::uint64_t>;

// Where an execution has come to, besides the set of nodes that have run.
struct Progress {
    Bytes now, peak;
    std::vector<Node> ready;
};

class SetInHand {
public:
    explicit SetInHand(const CostDag& dag) : dag_(dag), words_((static_cast<std::size_t>(dag.nodes()) + 63) / 64, 0) {}

    const Words& words() const { return words_; }
    void take(const Words& words) { words_ = words; }
    bool has(Node v) const { return words_[v >> 6] >> (v & 63) & 1; }
    Offset work() const { return work_; }  // how often a node was looked at

    Node count() const {
        Node total = 0;
        for (std::uint64_t word : words_) total += std::popcount(word);
        return total;
    }

    // The beginning, with all that runs at once when `floor` is occupied at some time in any case.
    template <class Ran>
    Progress begin(Bytes floor, Ran ran) {
        std::fill(words_.begin(), words_.end(), 0);
        Progress progress{dag_.base, std::max(floor, dag_.base), {}};
        for (Node v = 0; v < dag_.nodes(); ++v)
            if (dag_.pred.view().degree(v) == 0) progress.ready.push_back(v);
        run_at_once(progress, ran);
        return progress;
    }

    // Hill and net of a node that runs now.
    std::pair<Bytes, Bytes> costs(Node v) {
        ++work_;
        Bytes hill = dag_.hill[v], net = dag_.net[v];
        for (Node d : dag_.opens.view().row(v)) {
            if (find(dag_.openers, d, [&](Node w) { return has(w); })) continue;
            hill += dag_.size[d];
            net += dag_.size[d];
        }
        for (Node d : dag_.closes.view().row(v)) {
            if (!find(dag_.closers, d, [&](Node w) { return w != v && !has(w); })) net -= dag_.size[d];
        }
        return {hill, net};
    }

    // Runs a node and all that then runs at once; `ran` hears of each.
    template <class Ran>
    void run(Node v, Progress& progress, Ran ran) {
        const auto [hill, net] = costs(v);
        step(v, hill, net, progress);
        ran(v);
        run_at_once(progress, ran);
    }

    // The order along a way, given by the nodes chosen; the rest of it is what runs at once.
    std::vector<Node> replay(const std::vector<Node>& chosen, Bytes floor) {
        std::vector<Node> order;
        const auto ran = [&](Node v) { order.push_back(v); };
        Progress progress = begin(floor, ran);
        for (Node v : chosen) run(v, progress, ran);
        return order;
    }

private:
    const CostDag& dag_;
    Words words_;
    Offset work_ = 0;

    template <class Is>
    bool find(const Csr& rows, Node d, Is is) {
        for (Node w : rows.view().row(d)) {
            ++work_;
            if (is(w)) return true;
        }
        return false;
    }

    void step(Node v, Bytes hill, Bytes net, Progress& progress) {
        progress.peak = std::max(progress.peak, progress.now + hill);
        progress.now += net;
        words_[v >> 6] |= std::uint64_t{1} << (v & 63);
        for (Node w : dag_.succ.view().row(v)) {
            const auto parents = dag_.pred.view().row(w);
            if (std::all_of(parents.begin(), parents.end(), [&](Node p) { return has(p); })) progress.ready.push_back(w);
        }
    }

    template <class Ran>
    void run_at_once(Progress& progress, Ran ran) {
        for (bool again = true; again;) {
            again = false;
            for (std::size_t i = 0; i < progress.ready.size(); ++i) {
                const Node v = progress.ready[i];
                if (has(v)) continue;
                const auto [hill, net] = costs(v);
                if (net > 0 || progress.now + hill > progress.peak) continue;
                step(v, hill, net, progress);
                ran(v);
                again = true;
            }
        }
        std::erase_if(progress.ready, [&](Node v) { return has(v); });
    }
};

}  // namespace eligo
