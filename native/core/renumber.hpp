// A dag whose nodes are numbered in a topological order. Kernels that go through all nodes in such an order, many times,
// run several times faster on it: neighbours in the order are neighbours in memory.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "csr.hpp"

namespace eligo {

struct Renumbered {
    std::vector<Node> old;  // the number a node had before
    Csr succ, pred;

    Node size() const { return static_cast<Node>(old.size()); }
};

// `order` names every node once, tails before heads. Rows keep the order of the old rows.
inline Renumbered renumber(CsrView succ, CsrView pred, std::span<const Node> order) {
    const Node n = succ.size();
    std::vector<Node> number(n);
    for (Node i = 0; i < n; ++i) number[order[i]] = i;
    const auto rows = [&](CsrView graph) {
        Csr out{std::vector<Offset>(n + 1, 0), std::vector<Node>(graph.idx.size())};
        Offset at = 0;
        for (Node i = 0; i < n; ++i) {
            for (Node w : graph.row(order[i])) out.idx[at++] = number[w];
            out.ptr[i + 1] = at;
        }
        return out;
    };
    return {std::vector<Node>(order.begin(), order.end()), rows(succ), rows(pred)};
}

// The numbers of nodes after which every execution has executed exactly those before: cuts, from 1 to n - 1. (Why this
// finds them: priority/_bounds.py.) O(n + m).
inline std::vector<Offset> series_cuts(const Renumbered& dag) {
    const Node n = dag.size();
    const CsrView succ = dag.succ.view(), pred = dag.pred.view();
    std::vector<Node> last_parent(n, -1), first_child(n, n);
    for (Node v = 0; v < n; ++v) {
        for (Node p : pred.row(v)) last_parent[v] = std::max(last_parent[v], p);
        for (Node c : succ.row(v)) first_child[v] = std::min(first_child[v], c);
    }
    std::vector<Offset> ends(n + 2, 0), starts(n + 2, 0), joined(n + 2, 0);
    const auto cover = [](std::vector<Offset>& count, Node after, Node upto) {  // after < b <= upto
        if (after >= upto) return;
        ++count[after + 1];
        --count[upto + 1];
    };
    for (Node v = 0; v < n; ++v) {
        cover(ends, v, first_child[v]);
        cover(starts, last_parent[v], v);
        for (Node c : succ.row(v)) cover(joined, last_parent[c], first_child[v]);
    }
    std::vector<Offset> cuts;
    Offset open_ends = 0, open_starts = 0, met = 0;
    for (Node b = 0; b < n; ++b) {
        open_ends += ends[b];
        open_starts += starts[b];
        met += joined[b];
        if (b > 0 && met == open_ends * open_starts) cuts.push_back(b);
    }
    return cuts;
}

}  // namespace eligo
