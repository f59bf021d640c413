// The table V of Algorithm 2-IC-Sweep (Cordasco, Malewicz, Rosenberg 2010, section 3.2.1), as bits.
//
// Cell (i, j) says YES iff e1(i) + e2(j) is the best of its diagonal and a neighbour above or to the left says YES. A
// row is made from the one above in words of 64 cells: the best cells below a YES are seeds, and a YES spreads to the
// right along best cells, which is one addition, the carry running through the ones. Words that no YES can enter are
// neither looked at nor stored: a row keeps the words from its first YES to its last, so that the thin tables of real
// blocks are small however long the blocks. Diagonals that have a YES are 0 to `reach`, without a gap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/maxconv.hpp"

namespace eligo {

using Word = std::uint64_t;

struct SweepView {
    std::span<const std::int64_t> first;  // of each row: the number of its first word
    std::span<const std::int64_t> ptr;    // and where its words are
    std::span<const Word> words;

    bool yes(std::ptrdiff_t i, std::ptrdiff_t j) const {
        const std::ptrdiff_t word = j / 64 - first[i];
        return j >= 0 && word >= 0 && word < ptr[i + 1] - ptr[i] && (words[ptr[i] + word] >> (j % 64) & 1);
    }
};

struct SweepTable {
    std::vector<std::int64_t> first, ptr{0};
    std::vector<Word> words;
    std::int64_t reach = 0;

    SweepView view() const { return {first, ptr, words}; }
};

class SweepFill {
public:
    SweepFill(Values e1, Values e2, Values best) : e1_(e1), e2_(e2), best_(best) {}

    // Nothing where the table would take more than `most` words.
    std::optional<SweepTable> run(std::size_t most) {
        std::vector<Word> above{1};  // the corner is a seed
        std::int64_t first = 0;
        for (std::ptrdiff_t i = 0; i < std::ssize(e1_); ++i) {
            std::vector<Word> row = spread(i, first, above);
            first = trim(row, first);
            if (table_.words.size() + row.size() > most) return std::nullopt;
            append(i, first, row);
            above = std::move(row);
        }
        return std::move(table_);
    }

private:
    // The row below `above`, whose words start at number `first`.
    std::vector<Word> spread(std::ptrdiff_t i, std::int64_t first, std::span<const Word> above) const {
        std::vector<Word> row;
        Word carry = 0;
        for (std::ptrdiff_t k = 0; k < std::ssize(above) || carry; ++k) {
            if ((first + k) * 64 >= std::ssize(e2_)) break;
            const Word from = (k < std::ssize(above) ? above[k] : 0) | carry;
            Word yes = 0;
            if (from) {
                const Word open = best_cells(i, (first + k) * 64);
                const Word seed = from & open;
                yes = (((open + seed) ^ open) & open) | seed;
            }
            row.push_back(yes);
            carry = yes >> 63;
        }
        return row;
    }

    Word best_cells(std::ptrdiff_t i, std::ptrdiff_t j) const {
        const std::ptrdiff_t count = std::min<std::ptrdiff_t>(64, std::ssize(e2_) - j);
        const Value *right = e2_.data() + j, *best = best_.data() + i + j, left = e1_[i];
        Word cells = 0;
        for (std::ptrdiff_t b = 0; b < count; ++b) cells |= Word{left + right[b] == best[b]} << b;
        return cells;
    }

    static std::int64_t trim(std::vector<Word>& row, std::int64_t first) {
        while (!row.empty() && row.back() == 0) row.pop_back();
        const auto start = std::ranges::find_if(row, [](Word w) { return w != 0; });
        first += start - row.begin();
        row.erase(row.begin(), start);
        return row.empty() ? 0 : first;
    }

    void append(std::ptrdiff_t i, std::int64_t first, const std::vector<Word>& row) {
        table_.first.push_back(first);
        table_.words.insert(table_.words.end(), row.begin(), row.end());
        table_.ptr.push_back(std::ssize(table_.words));
        if (!row.empty()) {
            const std::int64_t last = (first + std::ssize(row)) * 64 - 1 - std::countl_zero(row.back());
            table_.reach = std::max(table_.reach, i + last);
        }
    }

    Values e1_, e2_, best_;
    SweepTable table_;
};

// The path of YES to cell (n1, n2) that executes the first dag as early as any: 0 and 1 tell which dag is next. Such
// a path exists: of two paths, taking at each diagonal the lower cell gives a path too. Read from its end, that is the
// path which goes to the left wherever it can.
inline std::vector<std::uint8_t> sweep_path(SweepView table, std::int64_t n1, std::int64_t n2) {
    std::vector<std::uint8_t> steps(n1 + n2);
    std::int64_t i = n1, j = n2;
    while (i + j > 0) {
        const bool second = table.yes(i, j - 1);
        steps[i + j - 1] = second;
        second ? --j : --i;
    }
    return steps;
}

}  // namespace eligo
