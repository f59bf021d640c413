// The priority of one dag over another, exactly: the largest r such that executing the first before the second keeps at
// least the fraction r of the possible number of jobs ELIGIBLE (Malewicz, Foster, Rosenberg, Wilde 2006, section 3.1).
//
// With E_1 and E_2 over the non-sinks of both, r is the least reached(i + j) / (E_1(i) + E_2(j)), where reached(k) is what
// is ELIGIBLE after k steps that go to the first dag as far as it goes. Of all the pairs (i, j) few are looked at. For
// stretches of i and of j the largest E_1, the largest E_2 and the least of `reached` bound what is to be found there
// from below; stretches are halved, the more promising half first, and left where the bound is no less than the least
// ratio known. Profiles change little from step to step, so whole squares of pairs fall away. Stretches of 2^l steps
// have their extremes worked out beforehand, once for each profile.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "maxconv.hpp"

namespace eligo {

// part / whole, whole > 0; both below 2^31, so that products fit.
struct Ratio {
    Value part = 1, whole = 1;

    friend bool operator<(const Ratio& a, const Ratio& b) { return a.part * b.whole < b.part * a.whole; }
};

// E(0), ..., E(s) of a dag with s non-sinks, all ELIGIBLE jobs counted.
class Profile {
public:
    explicit Profile(const std::vector<Value>& values) : steps_(std::ssize(values) - 1) {
        std::vector<Node> eligible(values.begin(), values.end());
        for (Offset x = 1; x <= steps_; ++x) {
            const Node gain = eligible[x] - eligible[x - 1];
            least_ = x == 1 ? gain : std::min(least_, gain);
            most_ = x == 1 ? gain : std::max(most_, gain);
        }
        low_.push_back(eligible);
        high_.push_back(std::move(eligible));
        while (low_.back().size() > 1) {
            low_.push_back(halved(low_.back(), [](Node a, Node b) { return std::min(a, b); }));
            high_.push_back(halved(high_.back(), [](Node a, Node b) { return std::max(a, b); }));
        }
    }

    Offset steps() const { return steps_; }
    Offset at(Offset x) const { return low_[0][x]; }
    Offset least_gain() const { return least_; }
    Offset most_gain() const { return most_; }
    int top() const { return static_cast<int>(low_.size()) - 1; }

    // The largest of E(i 2^level), ..., E((i + 1) 2^level - 1).
    Offset highest(int level, Offset i) const { return high_[level][i]; }
    bool has(int level, Offset i) const { return i < std::ssize(high_[level]); }

    // No more than E(x) for any x from `from` to `to`.
    Offset lowest(int level, Offset from, Offset to) const {
        level = std::min(level, top());
        const std::vector<Node>& row = low_[level];
        Node least = row[from >> level];
        for (Offset i = (from >> level) + 1; i <= to >> level; ++i) least = std::min(least, row[i]);
        return least;
    }

private:
    Offset steps_;
    Node least_ = 0, most_ = 0;
    std::vector<std::vector<Node>> low_, high_;  // by level: least and largest of stretches of 2^level steps

    template <class Choose>
    static std::vector<Node> halved(const std::vector<Node>& row, Choose choose) {
        std::vector<Node> out((row.size() + 1) / 2);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = 2 * i + 1 < row.size() ? choose(row[2 * i], row[2 * i + 1]) : row[2 * i];
        return out;
    }
};

class RPriority {
public:
    // `most` is how many stretches may be looked at.
    RPriority(const Profile& first, const Profile& second, Value most) : one_(first), two_(second), most_(most) {}

    // The priority if it is less than `least`, else `least`. Where there is more to look at than allowed, a lower bound.
    Ratio below(Ratio least) {
        if (one_.steps() == 0 || two_.steps() == 0 || one_.least_gain() >= two_.most_gain()) return least;
        cells_.clear();
        look_at({one_.top(), two_.top(), 0, 0, {}}, least);
        while (!cells_.empty() && work_ < most_) {
            const Cell cell = cells_.back();
            cells_.pop_back();
            ++work_;
            if (!(cell.bound < least)) continue;
            if (cell.level == 0 && cell.other_level == 0) least = cell.bound;
            else halve(cell, least);
        }
        for (const Cell& cell : cells_) least = std::min(least, cell.bound);
        return least;
    }

    // How many stretches were looked at.
    Value work() const { return work_; }

private:
    // E_1 over the stretch i of 2^level steps, E_2 over the stretch j of 2^other_level.
    struct Cell {
        int level, other_level;
        Offset i, j;
        Ratio bound;
    };

    const Profile &one_, &two_;
    Value most_, work_ = 0;
    std::vector<Cell> cells_;

    void halve(const Cell& cell, const Ratio& least) {
        Cell a = cell, b = cell;
        if (cell.level >= cell.other_level) {
            a.level = b.level = cell.level - 1;
            a.i = 2 * cell.i, b.i = 2 * cell.i + 1;
        } else {
            a.other_level = b.other_level = cell.other_level - 1;
            a.j = 2 * cell.j, b.j = 2 * cell.j + 1;
        }
        const std::size_t before = cells_.size();
        look_at(a, least);
        if (one_.has(b.level, b.i) && two_.has(b.other_level, b.j)) look_at(b, least);
        if (cells_.size() == before + 2 && cells_[before].bound < cells_[before + 1].bound)
            std::swap(cells_[before], cells_[before + 1]);
    }

    void look_at(Cell cell, const Ratio& least) {
        cell.bound.whole = one_.highest(cell.level, cell.i) + two_.highest(cell.other_level, cell.j);
        cell.bound.part = least_reached(cell);
        if (cell.bound < least) cells_.push_back(cell);
    }

    Offset least_reached(const Cell& cell) const {
        const Offset width = Offset{1} << cell.level, other_width = Offset{1} << cell.other_level, s = one_.steps();
        const Offset from = cell.i * width + cell.j * other_width;
        const Offset to = std::min((cell.i + 1) * width - 1, s) +
                          std::min((cell.j + 1) * other_width - 1, two_.steps());
        const int level = std::max(cell.level, cell.other_level);
        if (to <= s) return one_.lowest(level, from, to) + two_.at(0);
        const Offset later = one_.at(s) + two_.lowest(level, std::max(from - s, Offset{0}), to - s);
        return from > s ? later : std::min(later, one_.lowest(level, from, s) + two_.at(0));
    }
};

}  // namespace eligo
