// A better order from a good one: forget all parents of a node but the one that ran last, and solve the forest that is left.
//
// In an order every node waits for the last of its parents, and every datum is closed by one node. Keep only these: what
// is left is a forest with fixed costs, for which the best order is known (sequential_reduce.hpp). It may start nodes
// before their other parents; so it only ranks the nodes, and the ready node of the lowest rank runs first. Where the
// old order was right about who is last, the new one is no worse in practice; nothing is proved, and callers keep the
// better of both.
#pragma once

#include <span>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"
#include "sequential_greedy.hpp"
#include "sequential_reduce.hpp"

namespace eligo {

inline std::vector<Node> by_forest(const CostDag& dag, std::span<const Node> order) {
    const Node n = dag.nodes();
    std::vector<Node> place(n), tails, heads, rank(n);
    for (Node i = 0; i < n; ++i) place[order[i]] = i;
    for (Node v = 0; v < n; ++v) {
        Node last = -1;
        for (Node p : dag.pred.view().row(v))
            if (last < 0 || place[p] > place[last]) last = p;
        if (last < 0) continue;
        tails.push_back(last);
        heads.push_back(v);
    }
    CostDag forest = settled(dag, order);
    auto rows = build_two_way(n, tails, heads);
    forest.succ = std::move(rows.succ);
    forest.pred = std::move(rows.pred);
    const Folded folded = fold(forest);
    // A forest folds to one chain, whose nodes are numbered in its order.
    for (Node i = 0; i < n; ++i) rank[folded.jobs.idx[i]] = i;
    return by_rank(dag, rank);
}

}  // namespace eligo
