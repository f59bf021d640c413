// Does one node reach another?
#pragma once

#include <algorithm>
#include <vector>

#include "csr.hpp"
#include "order.hpp"

namespace eligo {

inline bool has_edge(CsrView succ, Node u, Node v) {
    const auto row = succ.row(u);
    return std::binary_search(row.begin(), row.end(), v);
}

inline std::vector<std::uint8_t> has_edges(CsrView succ, std::span<const Node> tails, std::span<const Node> heads) {
    std::vector<std::uint8_t> answer(tails.size());
    for (std::size_t i = 0; i < tails.size(); ++i) answer[i] = has_edge(succ, tails[i], heads[i]);
    return answer;
}

// answer[i] = 1 when a path of at least one arc leads from from[i] to to[i]: a search cut at the level of the target.
inline std::vector<std::uint8_t> reachable(CsrView succ, CsrView pred, std::span<const Node> from,
                                           std::span<const Node> to) {
    std::vector<std::uint8_t> answer(from.size(), 0);
    if (from.empty()) return answer;
    const std::vector<Node> level = levels(pred, topological_order(succ, pred));
    std::vector<std::size_t> stamp(succ.size(), 0);
    std::vector<Node> stack;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Node target = to[i];
        stack.assign(1, from[i]);
        while (!stack.empty() && !answer[i]) {
            const Node u = stack.back();
            stack.pop_back();
            for (Node w : succ.row(u)) {
                if (w == target) {
                    answer[i] = 1;
                    break;
                }
                if (level[w] >= level[target] || stamp[w] == i + 1) continue;
                stamp[w] = i + 1;
                stack.push_back(w);
            }
        }
    }
    return answer;
}

}  // namespace eligo
