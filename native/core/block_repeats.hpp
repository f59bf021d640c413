// How far a text agrees with itself: the number of equal letters from two places on, exactly, in O(log) looks.
//
// Karp, Miller and Rosenberg's naming: two places get the same name at level k when the 2^k letters from them on are
// the same. A name of level k + 1 is a pair of names of level k; pairs are numbered by two counting sorts. No hashing,
// no chance. Levels end where all names differ, or where twice the length exceeds the longest question. Cost: O(n) a
// level.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "csr.hpp"

namespace eligo {

class Repeats {
public:
    // `longest`: no question asks for more letters than this.
    Repeats(std::span<const Node> text, Node longest) : text_(text) {
        const Node n = static_cast<Node>(text.size());
        std::vector<Node> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](Node a, Node b) { return text[a] < text[b]; });
        names_.emplace_back(n);
        Node classes = 0;
        for (Node i = 0; i < n; ++i) {
            classes += i > 0 && text[order[i]] != text[order[i - 1]];
            names_[0][order[i]] = classes;
        }
        for (Node length = 1; 2 * length <= std::min(longest, n) && classes + 1 < n - length + 1; length *= 2)
            classes = double_names(length);
    }

    // The number of equal letters from i and from j on, at most `most`; both stretches lie inside the text.
    Node common(Node i, Node j, Node most) const {
        const Node near = std::min(most, direct);
        Node l = 0;
        while (l < near && text_[i + l] == text_[j + l]) ++l;
        if (l < near || l == most) return l;
        int k = 0;
        const int top = static_cast<int>(names_.size()) - 1;
        const auto agrees = [&](int level) {
            return l + (Node{1} << level) <= most && names_[level][i + l] == names_[level][j + l];
        };
        while (agrees(k)) {
            l += Node{1} << k;
            if (k < top) ++k;
        }
        while (k-- > 0)
            if (agrees(k)) l += Node{1} << k;
        return l;
    }

private:
    static constexpr Node direct = 16;  // most questions end within a few letters
    std::span<const Node> text_;
    std::vector<std::vector<Node>> names_;  // by level

    // Names stretches of 2 * length; returns the largest name.
    Node double_names(Node length) {
        const std::vector<Node>& old = names_.back();
        const Node count = static_cast<Node>(old.size()) - length;
        std::vector<Node> by_second(count), order(count), bucket(text_.size() + 1);
        sort_by(bucket, by_second, [&](Node i) { return i; }, [&](Node i) { return old[i + length]; });
        sort_by(bucket, order, [&](Node i) { return by_second[i]; }, [&](Node i) { return old[i]; });
        std::vector<Node> names(count);
        Node classes = 0;
        for (Node i = 0; i < count; ++i) {
            if (i > 0) {
                const Node a = order[i - 1], b = order[i];
                classes += old[a] != old[b] || old[a + length] != old[b + length];
            }
            names[order[i]] = classes;
        }
        names_.push_back(std::move(names));
        return classes;
    }

    template <class Item, class Key>
    static void sort_by(std::vector<Node>& bucket, std::vector<Node>& out, Item item, Key key) {
        const Node count = static_cast<Node>(out.size());
        std::fill(bucket.begin(), bucket.end(), 0);
        for (Node i = 0; i < count; ++i) ++bucket[key(item(i)) + 1];
        std::partial_sum(bucket.begin(), bucket.end(), bucket.begin());
        for (Node i = 0; i < count; ++i) out[bucket[key(item(i))]++] = item(i);
    }
};

}  // namespace eligo
