// Which blocks of a dag are the same, each in its own numbering: real workflows repeat a few blocks by the thousand,
// and what is found out about one holds for all.
//
// The nodes of a block are numbered ascending: sources and sinks each on their own where it is bipartite, all together
// where it is not. Two blocks are the same if their arcs are, in these numbers. A bipartite block with all arcs it can
// have is told by two numbers; the arcs of others are hashed, and blocks of equal hash compared arc by arc. O(n + m).
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "csr.hpp"

namespace eligo {

// The blocks of a dag as rows of its nodes; `bipartite`: no arc of the block leads to one of its non-sinks.
struct BlockRows {
    CsrView succ, nonsinks, heads;
    std::span<const std::uint8_t> bipartite;

    Node count() const { return nonsinks.size(); }

    Offset arcs(Node block) const {
        Offset sum = 0;
        for (Node v : nonsinks.row(block)) sum += succ.degree(v);
        return sum;
    }

    bool complete(Node block) const {
        return bipartite[block] && arcs(block) == nonsinks.degree(block) * heads.degree(block);
    }
};

class BlockNumbers {
public:
    explicit BlockNumbers(const BlockRows& blocks)
        : blocks_(blocks), tail_(blocks.succ.size()), head_(blocks.succ.size()) {
        for (Node b = 0; b < blocks.count(); ++b) {
            const auto tails = blocks.nonsinks.row(b), heads = blocks.heads.row(b);
            const bool apart = blocks.bipartite[b];
            Node i = 0, j = 0;
            const Node s = static_cast<Node>(tails.size()), t = static_cast<Node>(heads.size());
            for (Node both = 0; i < s || j < t; ++both) {
                const bool tail = i < s && (j == t || tails[i] <= heads[j]);
                const bool head = j < t && (i == s || heads[j] <= tails[i]);
                if (tail) tail_[tails[i]] = apart ? i : both;
                if (head) head_[heads[j]] = apart ? j : both;
                i += tail, j += head;
            }
        }
    }

    // The number of a non-sink in its block; of a head in the block of the arcs that lead to it.
    Node tail(Node v) const { return tail_[v]; }
    Node head(Node v) const { return head_[v]; }

    // The arcs of a block by tail, in its own numbers: a row for each source of a bipartite one, else for each node.
    Csr arcs_of(Node block) const {
        const auto tails = blocks_.nonsinks.row(block), heads = blocks_.heads.row(block);
        const Node last = blocks_.bipartite[block] ? tail_[tails.back()]
                                                   : std::max(tail_[tails.back()], head_[heads.back()]);
        Csr rows{std::vector<Offset>(last + 2, 0), {}};
        for (Node v : tails) rows.ptr[tail_[v] + 1] = blocks_.succ.degree(v);
        for (Node v = 0; v <= last; ++v) rows.ptr[v + 1] += rows.ptr[v];
        rows.idx.reserve(rows.ptr.back());
        for (Node v : tails)
            for (Node w : blocks_.succ.row(v)) rows.idx.push_back(head_[w]);
        return rows;
    }

private:
    const BlockRows& blocks_;
    std::vector<Node> tail_, head_;
};

struct BlockStructures {
    std::vector<Node> of;     // the structure of each block
    std::vector<Node> first;  // the first block of each structure
};

class StructureFinder {
public:
    StructureFinder(const BlockRows& blocks, const BlockNumbers& numbers) : blocks_(blocks), numbers_(numbers) {}

    BlockStructures run() {
        BlockStructures out;
        out.of.reserve(blocks_.count());
        std::unordered_map<std::uint64_t, Node> newest;  // structure of that hash
        std::vector<Node> older;                         // the one before, of the same hash
        for (Node b = 0; b < blocks_.count(); ++b) {
            const bool complete = blocks_.complete(b);
            const auto fresh = static_cast<Node>(out.first.size());
            const auto [at, is_new] = newest.try_emplace(hash(b, complete), fresh);
            Node found = at->second;
            if (!is_new)
                while (found >= 0 && !same(b, out.first[found], complete)) found = older[found];
            if (is_new || found < 0) {
                older.push_back(is_new ? -1 : at->second);
                at->second = found = fresh;
                out.first.push_back(b);
            }
            out.of.push_back(found);
        }
        return out;
    }

private:
    const BlockRows& blocks_;
    const BlockNumbers& numbers_;

    static void mix(std::uint64_t& sum, std::uint64_t word) {
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 29;
    }

    std::uint64_t hash(Node b, bool complete) const {
        std::uint64_t sum = complete ? 1 : blocks_.bipartite[b] ? 2 : 3;
        mix(sum, static_cast<std::uint64_t>(blocks_.nonsinks.degree(b)));
        mix(sum, static_cast<std::uint64_t>(blocks_.heads.degree(b)));
        if (complete) return sum;
        for (Node v : blocks_.nonsinks.row(b)) {
            mix(sum, static_cast<std::uint64_t>(numbers_.tail(v)));
            mix(sum, static_cast<std::uint64_t>(blocks_.succ.degree(v)));
            for (Node w : blocks_.succ.row(v)) mix(sum, static_cast<std::uint64_t>(numbers_.head(w)));
        }
        return sum;
    }

    bool same(Node b, Node c, bool complete) const {
        const auto one = blocks_.nonsinks.row(b), two = blocks_.nonsinks.row(c);
        if (one.size() != two.size() || blocks_.heads.degree(b) != blocks_.heads.degree(c)) return false;
        if (blocks_.bipartite[b] != blocks_.bipartite[c]) return false;
        if (complete) return blocks_.complete(c);
        return std::ranges::equal(one, two, [&](Node v, Node w) {
            return numbers_.tail(v) == numbers_.tail(w) &&
                   std::ranges::equal(blocks_.succ.row(v), blocks_.succ.row(w), [&](Node x, Node y) {
                       return numbers_.head(x) == numbers_.head(y);
                   });
        });
    }
};

}  // namespace eligo
