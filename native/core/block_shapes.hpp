// Recognising strands and cycles among bipartite blocks, in linear time.
//
// A block is a sum of T-strands when its underlying graph is a caterpillar forest. Nodes of degree 2 and more form the
// spine; all others are leaves on it (but for single arcs, where both ends are leaves). If every spine node has at most
// two spine neighbours, the spine falls into paths and rings, and without rings the graph is a caterpillar forest: a
// leaf hangs on one node and closes nothing. So it suffices to walk along the spine, from one end of each path to the
// other.
//
// Left to right along a path stand its spine sources and, at each spine sink, the leaf sources of that sink in
// ascending order. The end that has the lower-numbered source counts as the left one. Strands come in the order of
// their lowest source.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "block_sides.hpp"

namespace eligo {

struct StrandRows {
    std::vector<Node> sources;  // of all strands, each from left to right
    std::vector<Offset> start;  // where a strand begins in `sources`; empty where some component is no strand
    std::vector<Node> degrees;  // T[...] of each strand
    std::vector<Offset> degree_start;
};

class StrandFinder {
public:
    explicit StrandFinder(const Sides& block)
        : block_(block), s_(block.sources()), near_(s_ + block.sinks(), {-1, -1}), seen_(near_.size(), 0) {}

    StrandRows run() {
        if (!link_spine()) return {};
        out_.sources.reserve(s_);
        for (Node u = 0; u < s_; ++u) {
            if (seen_[u]) continue;
            out_.start.push_back(static_cast<Offset>(out_.sources.size()));
            out_.degree_start.push_back(static_cast<Offset>(out_.degrees.size()));
            if (!place_strand(u)) return {};
        }
        out_.start.push_back(static_cast<Offset>(out_.sources.size()));
        out_.degree_start.push_back(static_cast<Offset>(out_.degrees.size()));
        return std::move(out_);
    }

private:
    // Nodes of both sides in one numbering: sources, then sinks.
    const Sides& block_;
    Node s_;
    std::vector<std::array<Node, 2>> near_;  // spine neighbours of spine nodes
    std::vector<std::uint8_t> seen_;
    std::vector<Node> spine_;
    StrandRows out_;

    bool is_source(Node v) const { return v < s_; }
    Offset degree(Node v) const { return is_source(v) ? block_.children.degree(v) : block_.parents.degree(v - s_); }

    bool link_spine() {
        for (Node u = 0; u < s_; ++u) {
            if (degree(u) < 2) continue;
            for (Node t : block_.children.row(u))
                if (degree(s_ + t) > 1 && !(link(u, s_ + t) && link(s_ + t, u))) return false;
        }
        return true;
    }

    bool link(Node v, Node to) {
        auto& [one, two] = near_[v];
        if (two >= 0) return false;
        (one < 0 ? one : two) = to;
        return true;
    }

    bool place_strand(Node u) {
        const Node only = s_ + block_.children.row(u)[0];
        if (degree(u) == 1 && degree(only) == 1) {  // a single arc
            put(u);
            out_.degrees.push_back(1);
            return true;
        }
        if (!trace_spine(degree(u) > 1 ? u : only)) return false;
        if (lowest_source(spine_.back()) < lowest_source(spine_.front())) std::reverse(spine_.begin(), spine_.end());
        if (!is_source(spine_.front())) out_.degrees.push_back(1);
        for (Node v : spine_) {
            out_.degrees.push_back(static_cast<Node>(degree(v)));
            if (is_source(v)) {
                put(v);
            } else {
                for (Node leaf : block_.parents.row(v - s_))
                    if (degree(leaf) == 1) put(leaf);
            }
        }
        return true;
    }

    void put(Node u) {
        seen_[u] = 1;
        out_.sources.push_back(u);
    }

    // The path of the spine through v, or false for a ring.
    bool trace_spine(Node v) {
        const Node end = walk(v, near_[v][0], [](Node) {});
        if (end < 0) return false;
        spine_.assign(1, end);
        walk(end, near_[end][0], [this](Node next) { spine_.push_back(next); });
        return true;
    }

    template <class Visit>
    Node walk(Node from, Node to, Visit visit) const {
        const Node begin = from;
        while (to >= 0) {
            visit(to);
            const Node on = near_[to][0] == from ? near_[to][1] : near_[to][0];
            from = to;
            to = on;
            if (from == begin) return -1;
        }
        return from;
    }

    Node lowest_source(Node end) const {
        if (is_source(end)) return end;
        for (Node leaf : block_.parents.row(end - s_))
            if (degree(leaf) == 1) return leaf;
        return end;  // never: an end of the spine has a leaf
    }
};

// The sources of an s-Cycle, s > 2, in turn from source 0 towards its lower neighbour; empty for any other block.
inline std::vector<Node> cycle_row(const Sides& block) {
    const Node s = block.sources();
    std::vector<Node> row;
    if (s < 3 || block.sinks() != s) return row;
    for (Node v = 0; v < s; ++v)
        if (block.children.degree(v) != 2 || block.parents.degree(v) != 2) return row;
    const auto other_end = [&](Node u, Node t) { return block.parents.row(t)[block.parents.row(t)[0] == u]; };
    const auto ways = block.children.row(0);
    Node t = ways[other_end(0, ways[1]) < other_end(0, ways[0])], u = 0;
    row.reserve(s);
    do {
        row.push_back(u);
        u = other_end(u, t);
        t = block.children.row(u)[block.children.row(u)[0] == t];
    } while (u != 0);
    if (static_cast<Node>(row.size()) < s) row.clear();
    return row;
}

}  // namespace eligo
