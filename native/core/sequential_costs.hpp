// A dag whose nodes raise and lower the memory: what all searches for orders of small peak work on.
//
// A node has a hill (how far memory rises above where it was, while the node runs) and a net (by how much memory has
// grown when it has ended). Where a datum is closed by a node that is known beforehand, its size is part of both. The
// rest are data whose closer depends on the order: such a datum is opened by the first of its openers that starts, and
// closed when all its closers have ended. Turned round in time, openers and closers change places, and so do parents and
// children: an order of the dag turned round, read backwards, has the same peak.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "sequential_peak.hpp"

namespace eligo {

struct CostDag {
    Csr succ, pred;
    std::vector<Bytes> hill, net;
    std::vector<Bytes> size;     // of the data whose closer depends on the order
    Csr openers, closers;        // datum -> nodes
    Csr opens, closes;           // node -> data
    Bytes base = 0;              // what is there before the first node starts, such data included

    Node nodes() const { return static_cast<Node>(hill.size()); }
    Node data() const { return static_cast<Node>(size.size()); }

    void index_data() {
        opens = by_node(openers);
        closes = by_node(closers);
    }

    CostDag reversed() const {
        CostDag out{pred, succ, std::vector<Bytes>(hill.size()), std::vector<Bytes>(hill.size()),
                    size, closers, openers, closes, opens, base};
        for (Node v = 0; v < nodes(); ++v) {
            out.hill[v] = hill[v] - net[v];
            out.net[v] = -net[v];
            out.base += net[v];
        }
        for (Node d = 0; d < data(); ++d) {
            if (openers.view().degree(d) > 0) out.base += size[d];
            if (closers.view().degree(d) > 0) out.base -= size[d];
        }
        return out;
    }

private:
    Csr by_node(const Csr& rows) const {
        std::vector<Node> of, datum;
        for (Node d = 0; d < data(); ++d)
            for (Node v : rows.view().row(d)) {
                of.push_back(v);
                datum.push_back(d);
            }
        return group_by(nodes(), of, datum);
    }
};

// `closer` names for each datum the reader that follows all others, -1 where none does (or nobody reads it).
inline CostDag costs_of(CsrView succ, CsrView pred, const FootprintView& print, std::span<const Node> closer) {
    const Node n = print.jobs();
    std::vector<Bytes> up(n), down(n);
    for (Node v = 0; v < n; ++v) up[v] = down[v] = print.one_event ? 0 : print.running[v];
    CostDag out;
    out.succ = {{succ.ptr.begin(), succ.ptr.end()}, {succ.idx.begin(), succ.idx.end()}};
    out.pred = {{pred.ptr.begin(), pred.ptr.end()}, {pred.idx.begin(), pred.idx.end()}};
    out.base = base_of(print);
    out.openers.ptr = out.closers.ptr = {0};
    for (Node d = 0; d < print.data(); ++d) {
        const Node maker = print.producer[d];
        const auto readers = print.readers.row(d);
        if (!readers.empty() && closer[d] < 0) {
            out.size.push_back(print.size[d]);
            if (maker != from_outside) out.openers.idx.push_back(maker);
            out.closers.idx.insert(out.closers.idx.end(), readers.begin(), readers.end());
            out.openers.ptr.push_back(static_cast<Offset>(out.openers.idx.size()));
            out.closers.ptr.push_back(static_cast<Offset>(out.closers.idx.size()));
            continue;
        }
        if (maker != from_outside) up[maker] += print.size[d];
        if (!readers.empty()) down[closer[d]] += print.size[d];
    }
    out.hill.resize(n);
    out.net.resize(n);
    for (Node v = 0; v < n; ++v) {
        out.net[v] = up[v] - down[v];
        out.hill[v] = print.one_event ? std::max<Bytes>(0, out.net[v]) : up[v];
    }
    out.index_data();
    return out;
}

// The same dag if data are opened and closed as they are when its nodes run in this order: nothing depends on it more.
// Taken for every other order too, memory is never more than it really is: a datum is there at least from each of its
// openers on, and at least until each of its closers has ended.
inline CostDag settled(const CostDag& dag, std::span<const Node> order) {
    std::vector<Node> place(dag.nodes());
    for (Node i = 0; i < dag.nodes(); ++i) place[order[i]] = i;
    CostDag out{dag.succ, dag.pred, dag.hill, dag.net, {}, {{0}, {}}, {{0}, {}}, {}, {}, dag.base};
    for (Node d = 0; d < dag.data(); ++d) {
        const auto openers = dag.openers.view().row(d), closers = dag.closers.view().row(d);
        const auto earlier = [&](Node a, Node b) { return place[a] < place[b]; };
        if (!openers.empty()) {
            const Node first = *std::min_element(openers.begin(), openers.end(), earlier);
            out.hill[first] += dag.size[d];
            out.net[first] += dag.size[d];
        }
        if (!closers.empty()) out.net[*std::max_element(closers.begin(), closers.end(), earlier)] -= dag.size[d];
    }
    out.index_data();
    return out;
}

// What nodes cost in the course of an execution, one node after the other.
class Course {
public:
    explicit Course(const CostDag& dag)
        : dag_(dag), hill_(dag.hill), net_(dag.net), left_(dag.data()), opened_(dag.data(), false), now_(dag.base) {
        for (Node v = 0; v < dag.nodes(); ++v)
            for (Node d : dag.opens.view().row(v)) {
                hill_[v] += dag.size[d];
                net_[v] += dag.size[d];
            }
        for (Node d = 0; d < dag.data(); ++d) {
            left_[d] = static_cast<Node>(dag.closers.view().degree(d));
            if (left_[d] == 1) net_[dag.closers.view().row(d)[0]] -= dag.size[d];
        }
        ended_.assign(dag.nodes(), false);
    }

    Bytes now() const { return now_; }
    Bytes hill(Node v) const { return hill_[v]; }
    Bytes net(Node v) const { return net_[v]; }

    // Runs a node; `changed` hears of each other node that costs less from now on. Returns the height of its hill.
    template <class Changed>
    Bytes run(Node v, Changed changed) {
        const Bytes peak = now_ + hill_[v];
        now_ += net_[v];
        ended_[v] = true;
        for (Node d : dag_.opens.view().row(v)) {
            if (opened_[d]) continue;
            opened_[d] = true;
            for (Node w : dag_.openers.view().row(d))
                if (w != v && !ended_[w]) {
                    hill_[w] -= dag_.size[d];
                    net_[w] -= dag_.size[d];
                    changed(w);
                }
        }
        for (Node d : dag_.closes.view().row(v)) {
            if (--left_[d] != 1) continue;
            for (Node w : dag_.closers.view().row(d))
                if (!ended_[w]) {
                    net_[w] -= dag_.size[d];
                    changed(w);
                }
        }
        return peak;
    }

private:
    const CostDag& dag_;
    std::vector<Bytes> hill_, net_;
    std::vector<Node> left_;
    std::vector<bool> opened_, ended_;
    Bytes now_;
};

inline Bytes peak_along(const CostDag& dag, std::span<const Node> order) {
    Course course(dag);
    Bytes peak = dag.base;
    for (Node v : order) {
        peak = std::max(peak, course.run(v, [](Node) {}));
        peak = std::max(peak, course.now());
    }
    return peak;
}

}  // namespace eligo
