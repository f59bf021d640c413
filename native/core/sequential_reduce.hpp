// Whatever is series-parallel in a dag, folded into chains of segments; a dag that is so as a whole becomes one chain.
//
// Jobs become the edges of a network (Valdes, Tarjan and Lawler 1982): where some jobs all precede some others directly,
// the ends of the former and the starts of the latter are one vertex; other dependencies become edges without a job. Two
// edges with both vertices in common are parallel, two that meet in a vertex which has no other are in series; either way
// they become one edge, whose chain is made of theirs (sequential_segments.hpp). What a network folds to does not depend
// on the order of folding.
//
// The jobs of an edge have the same predecessors and successors outside, so an order of the whole with the least peak
// exists that keeps to their chain (Monma and Sidney's job module property). This holds whatever the rest looks like, so
// the folded dag has the same least peak as the dag. Jobs whose cost depends on the order are never folded.
//
// O((n + m) log n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"
#include "sequential_segments.hpp"
#include "union_find.hpp"

namespace eligo {

struct Folded {
    CostDag dag;
    Csr jobs;  // those of each node, in the order in which they run; none in nodes that only say who waits for whom

    std::vector<Node> unfold(std::span<const Node> order) const {
        std::vector<Node> out;
        out.reserve(jobs.idx.size());
        for (Node node : order)
            for (Node v : jobs.view().row(node)) out.push_back(v);
        return out;
    }
};

class Folding {
public:
    explicit Folding(const CostDag& dag) : dag_(dag), segments_(dag.nodes()) {
        build();
        for (Edge e = 0; e < static_cast<Edge>(edges_.size()); ++e) enter(e);
        for (Node x = 0; x < static_cast<Node>(in_.size()); ++x) consider(x);
        while (!todo_.empty()) {
            const Node x = todo_.back();
            todo_.pop_back();
            if (is_passage(x)) pass(x);
        }
    }

    // Whether the folded dag has no more nodes than the dag: what cannot be folded needs nodes that only say who waits.
    bool pays() const {
        std::vector<bool> gate(in_.size(), false);
        Offset nodes = 0;
        for (const auto& edge : edges_) {
            if (!edge.alive) continue;
            nodes += edge.chain.length;
            if (edge.chain.length == 0) gate[edge.tail] = gate[edge.head] = true;
        }
        return nodes + std::count(gate.begin(), gate.end(), true) <= dag_.nodes();
    }

    Folded result() {
        Folded out;
        out.jobs.ptr.push_back(0);
        std::vector<Node> tails, heads, gate(in_.size(), -1), node_of(dag_.nodes(), -1);
        const auto new_node = [&](Bytes hill, Bytes net) {
            out.dag.hill.push_back(hill);
            out.dag.net.push_back(net);
            return static_cast<Node>(out.dag.hill.size() - 1);
        };
        const auto gate_of = [&](Node x) {
            if (gate[x] < 0) {
                gate[x] = new_node(0, 0);
                out.jobs.ptr.push_back(out.jobs.ptr.back());
            }
            return gate[x];
        };
        const auto arc = [&](Node a, Node b) {
            tails.push_back(a);
            heads.push_back(b);
        };
        std::vector<std::vector<Node>> firsts(in_.size()), lasts(in_.size());
        for (auto& edge : edges_) {
            if (!edge.alive) continue;
            Node last = -1;
            while (edge.chain.length > 0) {
                const auto s = segments_.pop_front(edge.chain);
                const Node node = new_node(segments_.hill(s), segments_.net(s));
                segments_.each_node(s, [&](Node v) {
                    out.jobs.idx.push_back(v);
                    node_of[v] = node;
                });
                out.jobs.ptr.push_back(static_cast<Offset>(out.jobs.idx.size()));
                if (last < 0) firsts[edge.tail].push_back(node);
                else arc(last, node);
                last = node;
            }
            if (last >= 0) lasts[edge.head].push_back(last);
            else arc(gate_of(edge.tail), gate_of(edge.head));
        }
        for (Node x = 0; x < static_cast<Node>(in_.size()); ++x) {
            const std::size_t before = lasts[x].size(), after = firsts[x].size();
            if (gate[x] < 0 && before * after <= before + after) {
                for (Node a : lasts[x])
                    for (Node b : firsts[x]) arc(a, b);
                continue;
            }
            const Node through = gate_of(x);
            for (Node a : lasts[x]) arc(a, through);
            for (Node b : firsts[x]) arc(through, b);
        }
        auto rows = build_two_way(out.dag.nodes(), tails, heads);
        out.dag.succ = std::move(rows.succ);
        out.dag.pred = std::move(rows.pred);
        out.dag.base = dag_.base;
        out.dag.size = dag_.size;
        out.dag.openers = dag_.openers;
        out.dag.closers = dag_.closers;
        for (auto* rows_of : {&out.dag.openers, &out.dag.closers})
            for (Node& v : rows_of->idx) v = node_of[v];
        out.dag.index_data();
        return out;
    }

private:
    using Edge = std::int32_t;
    struct EdgeData {
        Node tail, head;
        Segments::Chain chain;
        bool fixed;  // what it costs does not depend on the order
        bool alive = true;
    };
    // How many edges end (or start) in a vertex, and the exclusive or of their numbers: if it is one, that one.
    struct Side {
        Node count = 0;
        Edge all = 0;
    };

    const CostDag& dag_;
    Segments segments_;
    std::vector<EdgeData> edges_;
    std::vector<Side> in_, out_;
    std::vector<Node> todo_;
    std::unordered_map<std::uint64_t, Edge> between_;

    // Ports 0..n-1 are the ends of jobs, n..2n-1 their starts; then the source and the sink of the network.
    void build() {
        const Node n = dag_.nodes();
        const CsrView succ = dag_.succ.view(), pred = dag_.pred.view();
        const std::vector<bool> complete = complete_blocks();
        UnionFind vertex(2 * n + 2);
        for (Node u = 0; u < n; ++u) {
            if (pred.degree(u) == 0) vertex.join(n + u, 2 * n);
            if (succ.degree(u) == 0) vertex.join(u, 2 * n + 1);
            for (Node v : succ.row(u))
                if (complete[u] || succ.degree(u) == 1 || pred.degree(v) == 1) vertex.join(u, n + v);
        }
        in_.resize(2 * n + 2);
        out_.resize(2 * n + 2);
        for (Node v = 0; v < n; ++v) {
            const bool fixed = dag_.opens.view().degree(v) == 0 && dag_.closes.view().degree(v) == 0;
            edges_.push_back({vertex.find(n + v), vertex.find(v), segments_.single(v, dag_.hill[v], dag_.net[v]), fixed});
        }
        for (Node u = 0; u < n; ++u) {
            if (complete[u]) continue;
            for (Node v : succ.row(u))
                if (vertex.find(u) != vertex.find(n + v)) edges_.push_back({vertex.find(u), vertex.find(n + v), {}, true});
        }
        between_.reserve(edges_.size());
    }

    // For each job whether the jobs that share a child with it, directly or by way of others, all have the same children.
    std::vector<bool> complete_blocks() const {
        const Node n = dag_.nodes();
        UnionFind block(2 * n);
        for (Node u = 0; u < n; ++u)
            for (Node v : dag_.succ.view().row(u)) block.join(u, n + v);
        std::vector<Offset> tails(2 * n, 0), heads(2 * n, 0), arcs(2 * n, 0);
        for (Node u = 0; u < n; ++u) {
            ++tails[block.find(u)];
            ++heads[block.find(n + u)];
            arcs[block.find(u)] += dag_.succ.view().degree(u);
        }
        std::vector<bool> complete(n);
        for (Node u = 0; u < n; ++u) {
            const Node b = block.find(u);
            complete[u] = arcs[b] == tails[b] * heads[b];
        }
        return complete;
    }

    static std::uint64_t key(Node tail, Node head) {
        return static_cast<std::uint64_t>(tail) << 32 | static_cast<std::uint32_t>(head);
    }

    void enter(Edge e) {
        count(out_[edges_[e].tail], e, 1);
        count(in_[edges_[e].head], e, 1);
        fold_parallel(e);
    }

    static void count(Side& side, Edge e, Node by) {
        side.count += by;
        side.all ^= e;
    }

    bool is_passage(Node x) const { return in_[x].count == 1 && out_[x].count == 1; }

    void consider(Node x) {
        if (is_passage(x)) todo_.push_back(x);
    }

    // Joins an edge with another between the same vertices, if there is one and their costs are fixed.
    void fold_parallel(Edge e) {
        const auto [at, is_new] = between_.try_emplace(key(edges_[e].tail, edges_[e].head), e);
        if (is_new || at->second == e) return;
        Edge other = at->second;
        auto &a = edges_[other], &b = edges_[e];
        const bool either_empty = a.chain.length == 0 || b.chain.length == 0;
        if (!either_empty && !(a.fixed && b.fixed)) {
            if (b.fixed) at->second = e;
            return;
        }
        a.fixed = a.fixed && b.fixed;
        a.chain = segments_.merge(a.chain, b.chain);
        b.alive = false;
        count(out_[b.tail], e, -1);
        count(in_[b.head], e, -1);
        consider(b.tail);
        consider(b.head);
    }

    // Joins the edge that leads to a vertex with the one that leads on.
    void pass(Node x) {
        const Edge e = in_[x].all, f = out_[x].all;
        auto &a = edges_[e], &b = edges_[f];
        const bool either_empty = a.chain.length == 0 || b.chain.length == 0;
        if (!either_empty && !(a.fixed && b.fixed)) return;
        a.fixed = a.fixed && b.fixed;
        a.chain = segments_.append(a.chain, b.chain);
        a.head = b.head;
        b.alive = false;
        in_[x] = out_[x] = {};
        count(in_[b.head], f, -1);
        count(in_[b.head], e, 1);
        fold_parallel(e);
        consider(a.tail);
        consider(a.head);
    }
};

// The folded dag; the dag as it is where nothing is won by folding.
inline Folded fold(const CostDag& dag) {
    Folding folding(dag);
    if (folding.pays()) return folding.result();
    Csr jobs{std::vector<Offset>(dag.nodes() + 1), std::vector<Node>(dag.nodes())};
    std::iota(jobs.ptr.begin(), jobs.ptr.end(), 0);
    std::iota(jobs.idx.begin(), jobs.idx.end(), 0);
    return {dag, std::move(jobs)};
}

}  // namespace eligo
