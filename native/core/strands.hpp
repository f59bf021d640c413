// The IC-optimal order of a sum of T-strands: 003's greedy by eligibility vectors, recomputed on what is left.
//
// Neighbouring sources of a strand share a sink, and each source is the right end of at most one shared sink. Write
// g(w) for the number of sinks whose rightmost parent is w. The vector of a source u that ends a shared sink, taken as
// increments, is g(u) - 1, g(u+1), ..., g(b): all sinks that end at u but the one it shares to the left, then what each
// further source completes; b is the last source of its strand, and zeros follow. Sources inside a shared sink never
// win. For the first source a of a strand nothing is shared to the left. Put G(a) = g(a) + 1 and G = g elsewhere, and
//
//     vectors compare as the suffixes of G(a..b) do, zeros following; the best source begins the largest suffix.
//
// Executing u leaves the strands a..u-1 and u+1..b. The sink shared with the left neighbour now ends there: G(u-1)
// grows by 1. So does G(u+1), by the rule for first sources. The letters that ever change are ends of strands.
//
// * Two suffixes, of one strand or two, are compared by `Repeats` on the letters that never change and by hand at the
//   ends. The last letter of a strand is at least 1, so when a suffix ends after agreeing, the longer one is larger.
// * The largest suffix of a strand is found from O(log s) aligned stretches of 2^k letters. Of each the candidates are
//   known: suffixes of the stretch that win for some continuation. Of two candidates the shorter is a prefix of the
//   longer; if it has at least half its length, the longer is x x y and the shorter x y, which loses to x x y or to y,
//   whatever follows. So lengths halve along the candidates, and there are O(log s) of them.
// * Strands wait in a heap by their largest suffix; equal ones by the number of the source.
//
// Cost: O(s log^2 s) comparisons of O(log s) at the very worst; on all strands tried a few dozen comparisons a source.
#pragma once

#include <algorithm>
#include <bit>
#include <queue>
#include <vector>

#include "block_repeats.hpp"
#include "block_sides.hpp"

namespace eligo {

class StrandGreedy {
public:
    // `row` and `start`: the sources of each strand from left to right, as `StrandFinder` gives them.
    StrandGreedy(const Sides& block, std::span<const Node> row, std::span<const Offset> start)
        : row_(row), start_(start), base_(letters(block, row)), now_(base_), repeats_(base_, longest()) {
        build_candidates();
    }

    std::vector<Node> run() {
        const auto later = [this](const Piece& one, const Piece& two) { return comes_later(one, two); };
        std::priority_queue<Piece, std::vector<Piece>, decltype(later)> waiting(later);
        for (std::size_t i = 0; i + 1 < start_.size(); ++i) {
            const Node first = static_cast<Node>(start_[i]), last = static_cast<Node>(start_[i + 1]) - 1;
            ++now_[first];
            waiting.push(piece(first, last));
        }
        std::vector<Node> order;
        order.reserve(row_.size());
        while (!waiting.empty()) {
            const auto [first, last, best] = waiting.top();
            waiting.pop();
            order.push_back(row_[best]);
            if (first < best) {
                ++now_[best - 1];
                waiting.push(piece(first, best - 1));
            }
            if (best < last) {
                ++now_[best + 1];
                waiting.push(piece(best + 1, last));
            }
        }
        return order;
    }

private:
    struct Piece {
        Node first, last, best;  // places in `row_`
    };

    std::span<const Node> row_;
    std::span<const Offset> start_;
    std::vector<Node> base_, now_;  // letters at the outset, and with the ends of what is left changed
    Repeats repeats_;
    std::vector<std::vector<Node>> found_;  // by level k: the candidates of the stretches of 2^k letters, in a row
    std::vector<std::vector<Offset>> found_at_;
    std::vector<Node> stack_, old_;

    static std::vector<Node> letters(const Sides& block, std::span<const Node> row) {
        const std::vector<Offset> gain = gains_of(block, row);
        return std::vector<Node>(gain.begin(), gain.end());
    }

    Node longest() const {
        Offset most = 0;
        for (std::size_t i = 0; i + 1 < start_.size(); ++i) most = std::max(most, start_[i + 1] - start_[i]);
        return static_cast<Node>(most);
    }

    // Above 0 where the suffix from u to u_last is larger than that from v to v_last; 0 where they are equal.
    Node compare(Node u, Node u_last, Node v, Node v_last) const {
        if (now_[u] != now_[v]) return now_[u] - now_[v];
        const Node left = u_last - u, right = v_last - v;
        if (left == 0 || right == 0) return left - right;
        const Node inner = std::min(left, right) - 1;
        const Node l = repeats_.common(u + 1, v + 1, inner) + 1;
        if (now_[u + l] != now_[v + l]) return now_[u + l] - now_[v + l];
        return left - right;
    }

    bool comes_later(const Piece& one, const Piece& two) const {
        const Node c = compare(one.best, one.last, two.best, two.last);
        return c != 0 ? c < 0 : row_[one.best] > row_[two.best];
    }

    // Adds the suffix at v to the candidates, as far as letters up to `end` tell; only the first may have changed.
    void add_candidate(Node v, Node end) {
        while (!stack_.empty()) {
            const Node u = stack_.back();
            if (now_[u] > now_[v]) return;
            if (now_[u] == now_[v]) {
                const Node open = end - v, l = repeats_.common(u + 1, v + 1, open);
                if (l == open) {
                    if (2 * (open + 1) >= end - u + 1) return;
                    break;
                }
                if (base_[u + 1 + l] > base_[v + 1 + l]) return;
            }
            stack_.pop_back();
        }
        stack_.push_back(v);
    }

    void build_candidates() {
        const Node n = static_cast<Node>(row_.size()), most = longest();
        for (int k = 0; (Node{1} << k) < most; ++k) {
            const Node size = Node{1} << k;
            std::vector<Node> found;
            std::vector<Offset> at{0};
            for (Node j = 0; (j + 1) * static_cast<Offset>(size) <= n; ++j) {
                stack_.clear();
                if (k == 0) {
                    stack_.push_back(j);
                } else {
                    const auto& below = found_[k - 1];
                    for (Offset i = found_at_[k - 1][2 * j]; i < found_at_[k - 1][2 * j + 2]; ++i)
                        add_candidate(below[i], (j + 1) * size - 1);
                }
                found.insert(found.end(), stack_.begin(), stack_.end());
                at.push_back(static_cast<Offset>(found.size()));
            }
            found_.push_back(std::move(found));
            found_at_.push_back(std::move(at));
        }
    }

    Piece piece(Node first, Node last) {
        if (first == last) return {first, last, first};
        stack_.assign(1, first);
        for (Node at = first + 1; at < last;) {
            const int k = std::min(std::countr_zero(static_cast<std::uint32_t>(at)),
                                   static_cast<int>(std::bit_width(static_cast<std::uint32_t>(last - at))) - 1);
            const Node end = at + (Node{1} << k) - 1;
            old_.assign(1, stack_.front());
            std::swap(old_, stack_);
            for (std::size_t i = 1; i < old_.size(); ++i) add_candidate(old_[i], end);
            const Node j = at >> k;
            for (Offset i = found_at_[k][j]; i < found_at_[k][j + 1]; ++i) add_candidate(found_[k][i], end);
            at = end + 1;
        }
        Node best = last;
        for (std::size_t i = stack_.size(); i-- > 0;)
            if (compare(stack_[i], last, best, last) > 0) best = stack_[i];
        return {first, last, best};
    }
};

}  // namespace eligo
