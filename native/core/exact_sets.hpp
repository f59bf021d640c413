// Sets of jobs as bits in 64-bit words, a table of distinct sets, and the budget all exact searches share.
//
// A search is compiled for sets of one, two and four words, whose loops the compiler unrolls, and once for any width
// (W = 0), so that long thin dags, which have few ideals, are not refused.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

using Word = std::uint64_t;

// Thrown when a search has done as much as it may; the text says how much that was, and at what.
class OverBudget : public std::exception {
public:
    OverBudget(Offset visited, const char* doing)
        : text_("after " + std::to_string(visited) + " states, " + doing) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// Counts states. What takes more memory than 64 bytes counts for as many states as would fit there, so that the budget
// bounds memory as well.
class Budget {
public:
    const char* doing = "";

    explicit Budget(Offset most) : left_(kBytes * std::min(most, std::numeric_limits<Offset>::max() / (2 * kBytes))) {}

    void visit(Offset bytes) {
        charge(std::max(bytes, kBytes));
        ++visited_;
    }
    void charge(Offset bytes) {
        if ((left_ -= bytes) < 0) throw OverBudget(visited_, doing);
    }
    Offset visited() const { return visited_; }

private:
    static constexpr Offset kBytes = 64;

    Offset left_, visited_ = 0;  // bytes; states
};

template <int W>
class Sets {
public:
    explicit Sets(Offset bits) : words_(W > 0 ? W : static_cast<int>((bits + 63) / 64)) {}

    int words() const {
        if constexpr (W > 0) return W;
        return words_;
    }
    Offset bytes() const { return 8 * words(); }

    void copy(Word* to, const Word* from) const {
        for (int i = 0; i < words(); ++i) to[i] = from[i];
    }
    bool equal(const Word* a, const Word* b) const {
        for (int i = 0; i < words(); ++i)
            if (a[i] != b[i]) return false;
        return true;
    }
    bool within(const Word* part, const Word* whole) const {
        for (int i = 0; i < words(); ++i)
            if (part[i] & ~whole[i]) return false;
        return true;
    }
    bool meet(const Word* a, const Word* b) const {
        for (int i = 0; i < words(); ++i)
            if (a[i] & b[i]) return true;
        return false;
    }
    static bool has(const Word* set, Node bit) { return set[bit >> 6] >> (bit & 63) & 1; }
    static void add(Word* set, Node bit) { set[bit >> 6] |= Word{1} << (bit & 63); }
    static void drop(Word* set, Node bit) { set[bit >> 6] &= ~(Word{1} << (bit & 63)); }

    Word hash(const Word* set) const {
        Word mixed = 0;
        for (int i = 0; i < words(); ++i) {
            mixed = (mixed ^ set[i]) * 0x9E3779B97F4A7C15u;
            mixed ^= mixed >> 32;
        }
        return mixed;
    }

    template <class Visit>
    void each(const Word* set, Visit visit) const {
        for (int i = 0; i < words(); ++i)
            for (Word rest = set[i]; rest; rest &= rest - 1) visit(static_cast<Node>(64 * i + std::countr_zero(rest)));
    }
    // The lowest element that is at least `from`, or -1.
    Node next(const Word* set, Node from) const {
        int i = from >> 6;
        if (i >= words()) return -1;
        Word rest = set[i] & ~Word{0} << (from & 63);
        while (!rest && ++i < words()) rest = set[i];
        return rest ? static_cast<Node>(64 * i + std::countr_zero(rest)) : -1;
    }

private:
    int words_;
};

// Distinct sets in the order of their insertion: open addressing over one pool.
template <int W>
class SetTable {
public:
    explicit SetTable(Sets<W> sets) : sets_(sets), slots_(64, 0) {}

    std::uint32_t size() const { return count_; }
    const Word* operator[](std::uint32_t i) const { return pool_.data() + std::size_t{i} * sets_.words(); }

    // The set's number, and whether it is new. `set` must not point into this table.
    std::pair<std::uint32_t, bool> insert(const Word* set) {
        if (2 * (std::size_t{count_} + 1) > slots_.size()) grow();
        std::size_t at = place(set);
        for (; slots_[at]; at = (at + 1) & (slots_.size() - 1))
            if (sets_.equal((*this)[slots_[at] - 1], set)) return {slots_[at] - 1, false};
        pool_.insert(pool_.end(), set, set + sets_.words());
        slots_[at] = ++count_;
        return {count_ - 1, true};
    }

    void clear() {
        // A table that was large once would make every later small layer pay for wiping it.
        if (std::size_t{16} * count_ < slots_.size()) std::vector<std::uint32_t>(64, 0).swap(slots_);
        else std::fill(slots_.begin(), slots_.end(), 0);
        pool_.clear();
        count_ = 0;
    }

private:
    Sets<W> sets_;
    std::uint32_t count_ = 0;
    std::vector<Word> pool_;
    std::vector<std::uint32_t> slots_;  // number + 1; 0 is free

    std::size_t place(const Word* set) const { return sets_.hash(set) >> 8 & (slots_.size() - 1); }

    void grow() {
        std::vector<std::uint32_t>(2 * slots_.size(), 0).swap(slots_);
        for (std::uint32_t i = 0; i < count_; ++i) {
            std::size_t at = place((*this)[i]);
            while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = i + 1;
        }
    }
};

// Calls `search` with the width that `bits` bits need, as a compile-time constant.
template <class Search>
auto with_width(Offset bits, Search search) {
    if (bits <= 64) return search(std::integral_constant<int, 1>{});
    if (bits <= 128) return search(std::integral_constant<int, 2>{});
    if (bits <= 256) return search(std::integral_constant<int, 4>{});
    return search(std::integral_constant<int, 0>{});
}

// Natural numbers of any size, least word first, all of one width: enough for counting, which only adds.
class Numbers {
public:
    explicit Numbers(int words = 1) : words_(words) {}

    void append() { pool_.resize(pool_.size() + words_, 0); }
    Word* operator[](std::size_t i) { return pool_.data() + i * words_; }
    Offset bytes() const { return 8 * words_; }
    std::vector<Word> take() { return std::move(pool_); }

    // Adds a number to the i-th. The sum must fit; where this width is the smaller one, the words it lacks are zero.
    void add(std::size_t i, Numbers& other, std::size_t j) {
        Word *to = (*this)[i], *from = other[j], carry = 0;
        for (int w = 0; w < words_; ++w) {
            const Word more = w < other.words_ ? from[w] : 0, sum = to[w] + more;
            to[w] = sum + carry;
            carry = (sum < more) | (to[w] < carry);
        }
    }

    // The words that any sum of so many of these numbers needs.
    int words_for_sums(Offset terms) {
        int bits = 0;
        for (Word* number = pool_.data(); number != pool_.data() + pool_.size(); number += words_)
            bits = std::max(bits, bit_length(number));
        return (bits + std::bit_width(static_cast<Word>(terms)) + 63) / 64;
    }

private:
    int words_;
    std::vector<Word> pool_;

    int bit_length(const Word* number) const {
        for (int w = words_; w-- > 0;)
            if (number[w]) return 64 * w + 64 - std::countl_zero(number[w]);
        return 0;
    }
};

}  // namespace eligo
