// Kahn's topological order, longest-path levels, weighted longest paths and the shortest cycle that can be shown.
//
// The order is first-in-first-out: sources by index, then nodes as their last parent is placed, children by
// index. It is the `fifo` of the guide and the numbering under which the other kernels run fastest.
#pragma once

#include <algorithm>
#include <vector>

#include "csr.hpp"

namespace eligo {

// Nodes in topological order; shorter than n exactly when there is a cycle.
inline std::vector<Node> topological_order(CsrView succ, CsrView pred) {
    const Node n = succ.size();
    std::vector<Node> missing(n), order;
    order.reserve(n);
    for (Node v = 0; v < n; ++v) {
        missing[v] = static_cast<Node>(pred.degree(v));
        if (missing[v] == 0) order.push_back(v);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (Node w : succ.row(order[i]))
            if (--missing[w] == 0) order.push_back(w);
    return order;
}

// levels[v] = number of arcs on the longest path that ends in v. Called with the reverse graph and the
// reverse order it yields heights.
inline std::vector<Node> levels(CsrView pred, std::span<const Node> order) {
    std::vector<Node> level(pred.size(), 0);
    for (Node v : order)
        for (Node u : pred.row(v)) level[v] = std::max(level[v], level[u] + 1);
    return level;
}

// finish[v] = largest sum of weights over paths that end in v, v included.
inline std::vector<double> longest_paths(CsrView pred, std::span<const Node> order, std::span<const double> weight) {
    std::vector<double> finish(pred.size());
    for (Node v : order) {
        double start = 0;
        for (Node u : pred.row(v)) start = std::max(start, finish[u]);
        finish[v] = start + weight[v];
    }
    return finish;
}

// A cycle as short as a budget of arc visits allows, lowest node first: v0, v1, ..., with an arc from the last to v0.
// Any walk against the arcs among nodes that Kahn left over must repeat a node: that is a first cycle.
// Breadth-first searches from every leftover node, cut at the best length so far, then shorten it.
inline std::vector<Node> short_cycle(CsrView succ, CsrView pred, Offset budget) {
    const Node n = succ.size();
    std::vector<char> left(n, 1);
    for (Node v : topological_order(succ, pred)) left[v] = 0;

    std::vector<Node> seen(n, -1), walk;
    Node v = static_cast<Node>(std::find(left.begin(), left.end(), 1) - left.begin());
    if (v == n) return {};
    while (seen[v] < 0) {
        seen[v] = static_cast<Node>(walk.size());
        walk.push_back(v);
        for (Node u : pred.row(v))
            if (left[u]) {
                v = u;
                break;
            }
    }
    std::vector<Node> best(walk.begin() + seen[v], walk.end());
    std::reverse(best.begin(), best.end());

    std::vector<Node> parent(n), stamp(n, -1), queue;
    for (Node start = 0; start < n && budget > 0 && best.size() > 1; ++start) {
        if (!left[start]) continue;
        queue.assign(1, start);
        stamp[start] = start;
        std::size_t depth = 1, level_end = 1;
        bool closed = false;
        for (std::size_t i = 0; i < queue.size() && depth < best.size() && !closed; ++i) {
            for (Node w : succ.row(queue[i])) {
                --budget;
                if (w == start) {
                    best.clear();
                    for (Node x = queue[i]; x != start; x = parent[x]) best.push_back(x);
                    best.push_back(start);
                    std::reverse(best.begin(), best.end());
                    closed = true;
                    break;
                }
                if (!left[w] || stamp[w] == start) continue;
                stamp[w] = start;
                parent[w] = queue[i];
                queue.push_back(w);
            }
            if (i + 1 == level_end) {
                ++depth;
                level_end = queue.size();
            }
        }
    }
    std::rotate(best.begin(), std::min_element(best.begin(), best.end()), best.end());
    return best;
}

// component[v] = number of v's weakly connected component; components are numbered by their lowest node.
inline std::vector<Node> components(CsrView succ) {
    const Node n = succ.size();
    std::vector<Node> root(n);
    for (Node v = 0; v < n; ++v) root[v] = v;
    auto find = [&](Node v) {
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    for (Node v = 0; v < n; ++v)
        for (Node w : succ.row(v)) {
            const Node a = find(v), b = find(w);
            root[std::max(a, b)] = std::min(a, b);
        }
    std::vector<Node> number(n, -1);
    Node count = 0;
    for (Node v = 0; v < n; ++v) {
        const Node r = find(v);
        if (number[r] < 0) number[r] = count++;
        number[v] = number[r];
    }
    return number;
}

}  // namespace eligo
