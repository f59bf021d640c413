// For every node the number of its ancestors: what must be executed before it. Bit by bit, some nodes at a time, so that
// memory stays O(n) and time O(n (n + m) / 64).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "csr.hpp"

namespace eligo {

// The nodes of `pred` are numbered in topological order, or in the reverse of one: rows are known before they are used
// if they are gone through in the direction given.
inline std::vector<Node> count_reached(CsrView pred, bool forwards) {
    constexpr Node width = 512;
    using Bits = std::array<std::uint64_t, width / 64>;
    const Node n = pred.size();
    std::vector<Node> count(n, 0);
    std::vector<Bits> reached(n);
    for (Node base = 0; base < n; base += width) {
        // Only nodes behind these can have them among their ancestors.
        const Node first = forwards ? base : 0, last = forwards ? n : std::min(n, base + width);
        for (Node i = first; i < last; ++i) {
            const Node v = forwards ? i : last - 1 - (i - first);
            Bits mine{};
            for (Node p : pred.row(v)) {
                const bool known = forwards ? p >= first : p < last;
                if (known)
                    for (std::size_t w = 0; w < mine.size(); ++w) mine[w] |= reached[p][w];
                if (p >= base && p < base + width) mine[(p - base) / 64] |= std::uint64_t{1} << (p - base) % 64;
            }
            for (std::uint64_t word : mine) count[v] += std::popcount(word);
            reached[v] = mine;
        }
    }
    return count;
}

}  // namespace eligo
