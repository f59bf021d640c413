// e_max(0..s) of a bipartite block without cycles: the most ELIGIBLE sinks for each number of executed sources.
//
// Root every tree at its lowest source. A row holds the best count for each number of executed sources of a subtree:
//   source   in (it is executed) and out (it is not);
//   sink     all (its sources below are all executed) and any; whether it counts is settled by the source above it:
//            max(all + 1, any) where that one is executed, else any.
// Rows meet by (max,+) convolution, whose lengths are numbers of sources; merging all rows of a forest costs O(s^2) in
// sum, since every pair of sources meets once. Sinks with one parent are counted beforehand, so that each costs O(1).
#pragma once

#include <algorithm>
#include <vector>

#include "block_sides.hpp"

namespace eligo {

class ForestBest {
public:
    explicit ForestBest(const Sides& block) : block_(block), s_(block.sources()) {}

    // Empty where the block has a cycle.
    std::vector<Offset> run() {
        if (!walk()) return {};
        rows_.resize(above_.size());
        std::vector<Node> total{0};
        for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
            Pair row = finished(*it);
            const Node up = above_[*it];
            if (up == root) {
                total = joined(total, larger(row.yes, row.no));
            } else {
                Pair& to = started(up);
                to.yes = joined(to.yes, *it < s_ ? row.yes : larger(plus_one(row.yes), row.no));
                to.no = joined(to.no, *it < s_ ? larger(row.yes, row.no) : row.no);
            }
        }
        return {total.begin(), total.end()};
    }

private:
    struct Pair {
        std::vector<Node> yes, no;  // of a source: in and out; of a sink: all and any
    };
    static constexpr Node root = -1, unseen = -2, never = -(Node{1} << 30);

    const Sides& block_;
    Node s_;  // nodes of both sides in one numbering: sources, then sinks of more than one parent
    std::vector<Node> above_, order_;
    std::vector<Pair> rows_;

    // Breadth first from the lowest source of each tree; false where a node is reached twice.
    bool walk() {
        above_.assign(s_ + block_.sinks(), unseen);
        for (Node u = 0; u < s_; ++u) {
            if (above_[u] != unseen) continue;
            above_[u] = root;
            order_.push_back(u);
            for (std::size_t i = order_.size() - 1; i < order_.size(); ++i)
                if (!reach_from(order_[i])) return false;
        }
        return true;
    }

    bool reach_from(Node v) {
        const bool source = v < s_;
        for (Node w : source ? block_.children.row(v) : block_.parents.row(v - s_)) {
            const Node to = source ? s_ + w : w;
            if (to == above_[v] || (source && block_.parents.degree(w) == 1)) continue;
            if (above_[to] != unseen) return false;
            above_[to] = v;
            order_.push_back(to);
        }
        return true;
    }

    Pair& started(Node v) {
        Pair& row = rows_[v];
        if (!row.no.empty()) return row;
        if (v >= s_) return row = {{0}, {0}};
        Node alone = 0;
        for (Node t : block_.children.row(v)) alone += block_.parents.degree(t) == 1;
        return row = {{never, alone}, {0, never}};
    }

    // Rows are given away when they are merged, so that all that live hold O(s) numbers.
    Pair finished(Node v) { return std::move(started(v)); }

    static std::vector<Node> larger(const std::vector<Node>& a, const std::vector<Node>& b) {
        std::vector<Node> out(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) out[i] = std::max(a[i], b[i]);
        return out;
    }

    static std::vector<Node> plus_one(std::vector<Node> row) {
        for (Node& value : row) value += value >= 0;
        return row;
    }

    static std::vector<Node> joined(const std::vector<Node>& a, const std::vector<Node>& b) {
        if (a.size() > b.size()) return joined(b, a);
        std::vector<Node> out(a.size() + b.size() - 1, never);
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] < 0) continue;
            const Node plus = a[i];
            Node* const to = out.data() + i;
            const Node* const from = b.data();
            for (std::size_t j = 0; j < b.size(); ++j) to[j] = std::max(to[j], plus + from[j]);
        }
        for (Node& value : out) value = value < 0 ? never : value;
        return out;
    }
};

}  // namespace eligo
