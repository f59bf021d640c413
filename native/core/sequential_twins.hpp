// Jobs that are alike run in the order of their numbers.
//
// Two nodes are twins if they have the same parents, the same children, the same costs, close the same data and open data
// of the same sizes with the same closers. Exchanging them changes nothing but names, so some order with the least peak
// runs each family of twins by ascending number, and edges may say so. This leaves little to search where many jobs read
// one datum and their costs, which depend on who is last, cannot be folded.
//
// O((n + m) log n) comparisons of rows.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"

namespace eligo {

// A number for each datum, the same for those that differ in their openers alone.
inline std::vector<Node> kinds_of_data(const CostDag& dag) {
    std::vector<Node> sorted(dag.data()), kind(dag.data(), 0);
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto less = [&](Node a, Node b) {
        if (dag.size[a] != dag.size[b]) return dag.size[a] < dag.size[b];
        const auto x = dag.closers.view().row(a), y = dag.closers.view().row(b);
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    };
    std::sort(sorted.begin(), sorted.end(), less);
    for (Node i = 1; i < dag.data(); ++i) kind[sorted[i]] = kind[sorted[i - 1]] + less(sorted[i - 1], sorted[i]);
    return kind;
}

// Puts twins in a chain. Data must have at most one opener each.
inline void chain_twins(CostDag& dag) {
    if (dag.data() == 0) return;
    Csr kinds = dag.opens;
    const std::vector<Node> kind = kinds_of_data(dag);
    for (Node& d : kinds.idx) d = kind[d];
    for (Node v = 0; v < dag.nodes(); ++v) std::sort(kinds.idx.begin() + kinds.ptr[v], kinds.idx.begin() + kinds.ptr[v + 1]);
    const auto compare = [&](Node a, Node b) {
        if (dag.hill[a] != dag.hill[b]) return dag.hill[a] < dag.hill[b] ? -1 : 1;
        if (dag.net[a] != dag.net[b]) return dag.net[a] < dag.net[b] ? -1 : 1;
        for (const Csr* rows : {&dag.pred, &dag.succ, &kinds, &dag.closes}) {
            const auto x = rows->view().row(a), y = rows->view().row(b);
            if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
            const auto [at, bt] = std::mismatch(x.begin(), x.end(), y.begin());
            if (at != x.end()) return *at < *bt ? -1 : 1;
        }
        return 0;
    };
    std::vector<Node> sorted, tails, heads;
    for (Node v = 0; v < dag.nodes(); ++v)
        if (dag.closes.view().degree(v) + dag.opens.view().degree(v) > 0) sorted.push_back(v);
    std::stable_sort(sorted.begin(), sorted.end(), [&](Node a, Node b) { return compare(a, b) < 0; });
    for (Node v = 0; v < dag.nodes(); ++v)
        for (Node w : dag.succ.view().row(v)) {
            tails.push_back(v);
            heads.push_back(w);
        }
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (compare(sorted[i - 1], sorted[i]) == 0) {
            tails.push_back(sorted[i - 1]);
            heads.push_back(sorted[i]);
        }
    auto rows = build_two_way(dag.nodes(), tails, heads);
    dag.succ = std::move(rows.succ);
    dag.pred = std::move(rows.pred);
}

}  // namespace eligo
