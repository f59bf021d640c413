// Compressed sparse rows of a directed graph: the one graph representation the kernels share.
//
// Row v lists the heads of v's arcs in ascending order, each once. Building costs O(n + m): a counting
// sort by head followed by one by tail leaves every row sorted, so duplicates are neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace eligo {

using Node = std::int32_t;
using Offset = std::int64_t;

struct CsrView {
    std::span<const Offset> ptr;
    std::span<const Node> idx;

    Node size() const { return static_cast<Node>(ptr.size() - 1); }
    Offset degree(Node v) const { return ptr[v + 1] - ptr[v]; }
    std::span<const Node> row(Node v) const { return idx.subspan(ptr[v], ptr[v + 1] - ptr[v]); }
};

struct Csr {
    std::vector<Offset> ptr;
    std::vector<Node> idx;

    CsrView view() const { return {ptr, idx}; }
};

// Arcs grouped by `key`, in input order within a group.
inline Csr group_by(Node n, std::span<const Node> key, std::span<const Node> value) {
    Csr out{std::vector<Offset>(n + 1, 0), std::vector<Node>(key.size())};
    for (Node k : key) ++out.ptr[k + 1];
    for (Node v = 0; v < n; ++v) out.ptr[v + 1] += out.ptr[v];
    std::vector<Offset> next(out.ptr.begin(), out.ptr.end() - 1);
    for (std::size_t e = 0; e < key.size(); ++e) out.idx[next[key[e]]++] = value[e];
    return out;
}

// Reverses every arc; the rows of the result are sorted whatever the order in the rows of `graph`.
inline Csr transpose(CsrView graph) {
    const Node n = graph.size();
    Csr out{std::vector<Offset>(n + 1, 0), std::vector<Node>(graph.idx.size())};
    for (Node h : graph.idx) ++out.ptr[h + 1];
    for (Node v = 0; v < n; ++v) out.ptr[v + 1] += out.ptr[v];
    std::vector<Offset> next(out.ptr.begin(), out.ptr.end() - 1);
    for (Node v = 0; v < n; ++v)
        for (Node h : graph.row(v)) out.idx[next[h]++] = v;
    return out;
}

// Removes repeated entries from rows that are already sorted.
inline void merge_duplicates(Csr& graph) {
    Offset write = 0, begin = 0;
    for (std::size_t v = 0; v + 1 < graph.ptr.size(); ++v) {
        const Offset end = graph.ptr[v + 1];
        for (Offset read = begin; read < end; ++read)
            if (read == begin || graph.idx[read] != graph.idx[read - 1]) graph.idx[write++] = graph.idx[read];
        begin = end;
        graph.ptr[v + 1] = write;
    }
    graph.idx.resize(write);
}

struct TwoWay {
    Csr succ, pred;
};

inline TwoWay build_two_way(Node n, std::span<const Node> tails, std::span<const Node> heads) {
    TwoWay out;
    out.succ = transpose(group_by(n, heads, tails).view());
    merge_duplicates(out.succ);
    out.pred = transpose(out.succ.view());
    return out;
}

}  // namespace eligo
