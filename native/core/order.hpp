// Kahn's topological order, longest-path levels, weighted longest paths and the shortest cycle that can be shown.
//
// The order is first-in-first-out: sources by index, then nodes as their last parent is placed, children by
// index. It is the `fifo` of the guide and the numbering under which the other kernels run fastest.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "union_find.hpp"

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

// For each row the latest place of its entries, -1 where it has none.
inline std::vector<Offset> latest(CsrView rows, std::span<const Offset> place) {
    std::vector<Offset> last(rows.size(), -1);
    for (Node v = 0; v < rows.size(); ++v)
        for (Node w : rows.row(v)) last[v] = std::max(last[v], place[w]);
    return last;
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

// Looks for short cycles among the nodes that lie between cycles or on them.
//
// Any walk against the arcs among these nodes must repeat one: that is a first cycle. Breadth-first searches from
// every node then shorten it, in rounds whose depth doubles, so that the budget goes to short cycles first: a cycle of
// two is found wherever it lies, even beside a ring of a million.
class CycleSearch {
public:
    // `budget` counts looked-at arcs.
    CycleSearch(CsrView succ, CsrView pred, Offset budget)
        : succ_(succ), pred_(pred), budget_(budget), n_(succ.size()), left_(n_, 1), parent_(n_), stamp_(n_, -1) {
        for (Node v : topological_order(succ, pred)) left_[v] = 0;
        for (Node v : topological_order(pred, succ)) left_[v] = 0;
    }

    // Lowest node first: v0, v1, ..., with an arc from the last to v0. Empty if there is no cycle.
    std::vector<Node> run() {
        best_ = any_cycle();
        std::size_t searched = 0;  // there is no shorter cycle of at most so many nodes
        for (std::size_t depth = 1; best_.size() > searched + 1 && budget_ > 0; depth *= 2) {
            std::fill(stamp_.begin(), stamp_.end(), -1);
            for (Node v = 0; v < n_ && budget_ > 0; ++v)
                if (left_[v]) shorten(v, depth);
            searched = depth;
        }
        if (!best_.empty()) std::rotate(best_.begin(), std::min_element(best_.begin(), best_.end()), best_.end());
        return std::move(best_);
    }

private:
    CsrView succ_, pred_;
    Offset budget_;
    Node n_;
    std::vector<char> left_;  // neither before all cycles nor behind all of them
    std::vector<Node> parent_, stamp_, queue_, best_;

    std::vector<Node> any_cycle() const {
        Node v = static_cast<Node>(std::find(left_.begin(), left_.end(), 1) - left_.begin());
        if (v == n_) return {};
        std::vector<Node> seen(n_, -1), walk;
        while (seen[v] < 0) {
            seen[v] = static_cast<Node>(walk.size());
            walk.push_back(v);
            for (Node u : pred_.row(v))
                if (left_[u]) {
                    v = u;
                    break;
                }
        }
        std::vector<Node> cycle(walk.begin() + seen[v], walk.end());
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
    }

    // Replaces the best cycle by one through `start` of at most `most` nodes, if there is one that is shorter.
    void shorten(Node start, std::size_t most) {
        queue_.assign(1, start);
        stamp_[start] = start;
        std::size_t length = 1, level_end = 1;  // a cycle closed by an arc out of queue_[i] has so many nodes
        for (std::size_t i = 0; i < queue_.size() && length <= most && length < best_.size(); ++i) {
            const Node v = queue_[i];
            budget_ -= succ_.degree(v);
            for (Node w : succ_.row(v)) {
                if (w == start) return close(start, v);
                if (!left_[w] || stamp_[w] == start) continue;
                stamp_[w] = start;
                parent_[w] = v;
                queue_.push_back(w);
            }
            if (i + 1 == level_end) {
                ++length;
                level_end = queue_.size();
            }
        }
    }

    void close(Node start, Node last) {
        best_.clear();
        for (Node v = last; v != start; v = parent_[v]) best_.push_back(v);
        best_.push_back(start);
        std::reverse(best_.begin(), best_.end());
    }
};

// component[v] = number of v's weakly connected component; components are numbered by their lowest node.
inline std::vector<Node> components(CsrView succ) {
    const Node n = succ.size();
    UnionFind sets(n);
    for (Node v = 0; v < n; ++v)
        for (Node w : succ.row(v)) sets.join(v, w);
    std::vector<Node> number(n, -1);
    Node count = 0;
    for (Node v = 0; v < n; ++v) {
        const Node r = sets.find(v);
        if (number[r] < 0) number[r] = count++;
        number[v] = number[r];
    }
    return number;
}

}  // namespace eligo
