// Disjoint sets of nodes, each represented by its lowest number, so that results do not depend on the order of joins.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "csr.hpp"

namespace eligo {

class UnionFind {
public:
    explicit UnionFind(Node n) : up_(n) { std::iota(up_.begin(), up_.end(), 0); }

    Node find(Node v) {
        while (up_[v] != v) v = up_[v] = up_[up_[v]];
        return v;
    }

    void join(Node v, Node w) {
        v = find(v), w = find(w);
        if (v != w) up_[std::max(v, w)] = std::min(v, w);
    }

private:
    std::vector<Node> up_;
};

}  // namespace eligo
