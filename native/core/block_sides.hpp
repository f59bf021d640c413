// A bipartite block seen from both sides. Sources are numbered 0..s-1 and sinks 0..S-1, each on their own; the children
// of the sources come as rows, the parents of the sinks are turned out of them. Every source has a child, every sink a
// parent.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "csr.hpp"

namespace eligo {

struct Sides {
    CsrView children;
    Csr parents_;
    CsrView parents;

    Sides(CsrView rows, Node sinks) : children(rows), parents_(turned(rows, sinks)), parents(parents_.view()) {}
    Sides(const Sides&) = delete;
    Sides& operator=(const Sides&) = delete;

    Node sources() const { return children.size(); }
    Node sinks() const { return parents.size(); }

private:
    static Csr turned(CsrView rows, Node heads) {
        Csr out{std::vector<Offset>(heads + 1, 0), std::vector<Node>(rows.idx.size())};
        for (Node h : rows.idx) ++out.ptr[h + 1];
        std::partial_sum(out.ptr.begin(), out.ptr.end(), out.ptr.begin());
        std::vector<Offset> next(out.ptr.begin(), out.ptr.end() - 1);
        for (Node v = 0; v < rows.size(); ++v)
            for (Node h : rows.row(v)) out.idx[next[h]++] = v;
        return out;
    }
};

// How many sinks become ELIGIBLE with each source of an order: the increments of e.
inline std::vector<Offset> gains_of(const Sides& block, std::span<const Node> order) {
    std::vector<Node> place(block.sources());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Node>(i);
    std::vector<Offset> gain(order.size(), 0);
    for (Node t = 0; t < block.sinks(); ++t) {
        Node last = 0;
        for (Node u : block.parents.row(t)) last = std::max(last, place[u]);
        ++gain[last];
    }
    return gain;
}

}  // namespace eligo
