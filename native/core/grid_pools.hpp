// Pools: ELIGIBLE jobs that wait to be given to a worker. Each strategy has its own.
//
// All have: clear, push, empty, size, top (the job that goes next), take (remove what top returned), take_many (the next few
// at once) and erase (remove a job that was done while it waited, which only happens when jobs are given to several workers).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "csr.hpp"
#include "random_draws.hpp"

namespace eligo {

// The job with the lowest number first. A tree of bit sets: a bit of a word tells whether a word below has any, so each
// operation touches one word a level, and a million jobs need four levels.
class LowestPool {
public:
    explicit LowestPool(Node n) {
        std::size_t words = static_cast<std::size_t>(n);
        do {
            words = (words + 63) / 64;
            levels_.emplace_back(words, 0);
        } while (words > 1);
    }

    void clear(Key) {
        for (auto& level : levels_) level.assign(level.size(), 0);
        size_ = 0;
    }

    bool empty() const { return size_ == 0; }
    Node size() const { return size_; }

    void push(Node v) {
        ++size_;
        auto at = static_cast<std::uint32_t>(v);
        for (auto& level : levels_) {
            const std::uint64_t before = level[at >> 6];
            level[at >> 6] = before | std::uint64_t{1} << (at & 63);
            if (before != 0) return;
            at >>= 6;
        }
    }

    Node top() const {
        std::uint32_t at = 0;
        for (std::size_t i = levels_.size(); i-- > 0;) at = at << 6 | std::countr_zero(levels_[i][at]);
        return static_cast<Node>(at);
    }

    void take(Node v) { erase(v); }

    // Word by word, so that the tree is walked once for all jobs in a word.
    void take_many(Node count, Node* out) {
        size_ -= count;
        while (count > 0) {
            const auto at = static_cast<std::uint32_t>(top()) >> 6;
            std::uint64_t word = levels_[0][at];
            for (; word != 0 && count > 0; --count, word &= word - 1)
                *out++ = static_cast<Node>(at << 6 | std::countr_zero(word));
            levels_[0][at] = word;
            if (word == 0) empty_word(at);
        }
    }

    void erase(Node v) {
        --size_;
        const auto at = static_cast<std::uint32_t>(v);
        if ((levels_[0][at >> 6] &= ~(std::uint64_t{1} << (at & 63))) == 0) empty_word(at >> 6);
    }

private:
    // Tells the levels above that a word has become empty.
    void empty_word(std::uint32_t at) {
        for (std::size_t i = 1; i < levels_.size(); ++i) {
            if ((levels_[i][at >> 6] &= ~(std::uint64_t{1} << (at & 63))) != 0) return;
            at >>= 6;
        }
    }

    std::vector<std::vector<std::uint64_t>> levels_;
    Node size_ = 0;
};

// The job that came first, or the one that came last. Erased jobs are passed over when they are met; they never return.
template <bool newest>
class QueuePool {
public:
    explicit QueuePool(Node n) : erased_(n, 0) { items_.reserve(n); }

    void clear(Key) {
        if (any_erased_) erased_.assign(erased_.size(), 0);
        any_erased_ = false;
        items_.clear();
        head_ = 0;
        size_ = 0;
    }

    bool empty() const { return size_ == 0; }
    Node size() const { return size_; }

    void push(Node v) {
        ++size_;
        items_.push_back(v);
    }

    Node top() {
        if (any_erased_) {
            if constexpr (newest) {
                while (erased_[items_.back()]) items_.pop_back();
            } else {
                while (erased_[items_[head_]]) ++head_;
            }
        }
        return newest ? items_.back() : items_[head_];
    }

    void take(Node) {
        --size_;
        if constexpr (newest) {
            items_.pop_back();
        } else {
            ++head_;
        }
    }

    void take_many(Node count, Node* out) {
        for (; count > 0; --count) take(*out++ = top());
    }

    void erase(Node v) {
        --size_;
        erased_[v] = 1;
        any_erased_ = true;
    }

private:
    std::vector<Node> items_;
    std::vector<char> erased_;
    std::size_t head_ = 0;
    Node size_ = 0;
    bool any_erased_ = false;
};

using OldestPool = QueuePool<false>;
using NewestPool = QueuePool<true>;

// Any job with the same chance. What is removed leaves its place to the last.
class RandomPool {
public:
    explicit RandomPool(Node n) : place_(n) { items_.reserve(n); }

    void clear(Key picks) {
        items_.clear();
        picks_ = picks;
        choices_ = 0;
    }

    bool empty() const { return items_.empty(); }
    Node size() const { return static_cast<Node>(items_.size()); }

    void push(Node v) {
        place_[v] = size();
        items_.push_back(v);
    }

    Node top() { return items_[static_cast<std::size_t>(static_cast<double>(items_.size()) * uniform(picks_, choices_++))]; }

    void take(Node v) { erase(v); }

    void take_many(Node count, Node* out) {
        for (; count > 0; --count) take(*out++ = top());
    }

    void erase(Node v) {
        const Node last = items_.back();
        items_[place_[v]] = last;
        place_[last] = place_[v];
        items_.pop_back();
    }

private:
    std::vector<Node> items_, place_;
    Key picks_ = 0;
    std::uint64_t choices_ = 0;
};

}  // namespace eligo
