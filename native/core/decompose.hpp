// Blocks of a dag: the finest partition of its non-sinks such that all parents of any one node lie in one block and the
// blocks depend on each other without circles.
//
// Arcs that share a tail or a head must stay together, so non-sinks with a common child are joined first (union-find).
// A class of arcs is bipartite unless one of its heads is one of its tails; classes may also lie on a circle: then they
// are joined as well (strongly connected classes, Tarjan). What remains is what paper 001 calls the super-DAG; with the
// repair of the errata it is also paper 002's decomposition: no arc is lost. O(m a(n)) time.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "union_find.hpp"

namespace eligo {

// Strongly connected components without recursion; part[v] numbers them in no particular order.
inline std::vector<Node> strong_components(CsrView succ) {
    const Node n = succ.size();
    constexpr Node unseen = -1;
    std::vector<Node> part(n, unseen), index(n, unseen), low(n), stack, path;
    std::vector<Offset> next(succ.ptr.begin(), succ.ptr.end() - 1);
    Node counter = 0, parts = 0;
    for (Node root = 0; root < n; ++root) {
        if (index[root] != unseen) continue;
        path.push_back(root);
        while (!path.empty()) {
            const Node v = path.back();
            if (index[v] == unseen) {
                index[v] = low[v] = counter++;
                stack.push_back(v);
            }
            if (next[v] < succ.ptr[v + 1]) {
                const Node w = succ.idx[next[v]++];
                if (index[w] == unseen) path.push_back(w);
                else if (part[w] == unseen) low[v] = std::min(low[v], index[w]);
                continue;
            }
            if (low[v] == index[v]) {
                Node w;
                do {
                    w = stack.back(), stack.pop_back();
                    part[w] = parts;
                } while (w != v);
                ++parts;
            }
            path.pop_back();
            if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
        }
    }
    return part;
}

// block[v] for every non-sink v, -1 for sinks; blocks are numbered by their lowest node.
inline std::vector<Node> decompose(CsrView succ, CsrView pred) {
    const Node n = succ.size();
    UnionFind sets(n);
    for (Node v = 0; v < n; ++v) {
        const auto parents = pred.row(v);
        for (std::size_t i = 1; i < parents.size(); ++i) sets.join(parents[0], parents[i]);
    }
    std::vector<Node> from, to;  // one class before another
    for (Node v = 0; v < n; ++v)
        if (succ.degree(v) > 0 && pred.degree(v) > 0) {
            from.push_back(sets.find(pred.row(v)[0]));
            to.push_back(sets.find(v));
        }
    const Csr classes = group_by(n, from, to);
    const std::vector<Node> part = strong_components(classes.view());
    std::vector<Node> number(n, -1), block(n, -1);
    Node count = 0;
    for (Node v = 0; v < n; ++v) {
        if (succ.degree(v) == 0) continue;
        Node& mine = number[part[sets.find(v)]];
        if (mine < 0) mine = count++;
        block[v] = mine;
    }
    return block;
}

}  // namespace eligo
