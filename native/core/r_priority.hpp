// The priority of one dag over another, exactly: the largest r such that executing the first before the second keeps at
// least the fraction r of the possible number of jobs ELIGIBLE (Malewicz, Foster, Rosenberg, Wilde 2006, section 3.1).
//
// With E_1 and E_2 over the non-sinks of both, r is the least reached(i + j) / (E_1(i) + E_2(j)), where reached(k) is what
// is ELIGIBLE after k steps that go to the first dag as far as it goes. Of all the pairs (i, j) few are looked at. For
// stretches of i and of j the largest E_1, the largest E_2 and the least of `reached` bound what is to be found there
// from below; stretches are halved, the more promising half first, and left where the bound is no less than the least
// ratio known. Profiles change little from step to step, so whole squares of pairs fall away.
//
// They change least where steps make up for themselves, and E stays as it is, or yield nothing, and E falls by 1. Both
// are common, so there are two bounds, the second from the yields e(x) = E(x) - E(0) + x. With S = E_1(0) + E_2(0) a
// ratio is (S - k + a) / (S - k + b), where a and b are sums of yields; for a < b it falls as k grows.
//
// Stretches of 2^l steps have their extremes worked out beforehand, once for each profile.
#pragma once

#include <algorithm>
#include <limits>
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

// The least and the largest of all stretches of a function on 0..s that begin at a multiple of their length 2^level.
class Stretches {
public:
    Stretches() = default;

    explicit Stretches(std::vector<Node> values) {
        low_.push_back(values);
        high_.push_back(std::move(values));
        while (low_.back().size() > 1) {
            low_.push_back(halved(low_.back(), [](Node a, Node b) { return std::min(a, b); }));
            high_.push_back(halved(high_.back(), [](Node a, Node b) { return std::max(a, b); }));
        }
    }

    bool empty() const { return low_.empty(); }
    Value at(Offset x) const { return low_[0][x]; }
    int top() const { return static_cast<int>(low_.size()) - 1; }
    bool has(int level, Offset i) const { return i < std::ssize(high_[level]); }
    Value highest(int level, Offset i) const { return high_[level][i]; }

    // No more than any value between two places; about 2^level of them lie between.
    Value lowest(int level, Offset from, Offset to) const {
        level = std::min(level, top());
        const std::vector<Node>& row = low_[level];
        Node least = row[from >> level];
        for (Offset i = (from >> level) + 1; i <= to >> level; ++i) least = std::min(least, row[i]);
        return least;
    }

private:
    std::vector<std::vector<Node>> low_, high_;  // by level

    template <class Choose>
    static std::vector<Node> halved(const std::vector<Node>& row, Choose choose) {
        std::vector<Node> out((row.size() + 1) / 2);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = 2 * i + 1 < row.size() ? choose(row[2 * i], row[2 * i + 1]) : row[2 * i];
        return out;
    }
};

// E(0), ..., E(s) of a dag with s non-sinks, all ELIGIBLE jobs counted, and its yields.
class Profile {
public:
    explicit Profile(std::vector<Value> eligible) : values_(std::move(eligible)) {
        for (std::size_t x = 1; x < values_.size(); ++x) {
            least_ = std::min(least_, values_[x] - values_[x - 1]);
            most_ = std::max(most_, values_[x] - values_[x - 1]);
        }
    }

    Offset steps() const { return std::ssize(values_) - 1; }
    Value at(Offset x) const { return values_[x]; }
    Value least_gain() const { return least_; }
    Value most_gain() const { return most_; }

    const Stretches& eligible() const {
        if (eligible_.empty()) eligible_ = Stretches({values_.begin(), values_.end()});
        return eligible_;
    }

    const Stretches& yields() const {
        if (yields_.empty()) {
            std::vector<Node> e(values_.begin(), values_.end());
            for (std::size_t x = 0; x < e.size(); ++x) e[x] += static_cast<Node>(x) - static_cast<Node>(values_[0]);
            yields_ = Stretches(std::move(e));
        }
        return yields_;
    }

private:
    std::vector<Value> values_;
    Value least_ = std::numeric_limits<Value>::max(), most_ = std::numeric_limits<Value>::min();
    mutable Stretches eligible_, yields_;  // worked out when first asked for: many a long profile meets no other
};

class RPriority {
public:
    // `most` is how many stretches may be looked at.
    RPriority(const Profile& first, const Profile& second, Value most) : one_(first), two_(second), most_(most) {}

    // The priority if it is less than `least`, else `least`. Where there is more to look at than allowed, a lower bound.
    Ratio below(Ratio least) {
        if (one_.steps() == 0 || two_.steps() == 0 || one_.least_gain() >= two_.most_gain()) return least;
        const bool few = one_.steps() * two_.steps() <= few_pairs && one_.steps() + two_.steps() <= most_;
        if (few) return among_all_pairs(least);
        cells_.clear();
        look_at({one_.eligible().top(), two_.eligible().top(), 0, 0, {}}, least);
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

    static constexpr Offset few_pairs = 400;

    const Profile &one_, &two_;
    Value most_, work_ = 0;
    std::vector<Cell> cells_;

    // For short profiles, of which there may be thousands.
    Ratio among_all_pairs(Ratio least) {
        const Offset s = one_.steps(), t = two_.steps();
        for (Offset k = 0; k <= s + t; ++k) {
            Value best = 0;
            for (Offset j = std::max(k - s, Offset{0}); j <= std::min(k, t); ++j)
                best = std::max(best, one_.at(k - j) + two_.at(j));
            least = std::min(least, Ratio{k <= s ? one_.at(k) + two_.at(0) : one_.at(s) + two_.at(k - s), best});
        }
        work_ += s + t;
        return least;
    }

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
        if (one_.eligible().has(b.level, b.i) && two_.eligible().has(b.other_level, b.j)) look_at(b, least);
        if (cells_.size() == before + 2 && cells_[before].bound < cells_[before + 1].bound)
            std::swap(cells_[before], cells_[before + 1]);
    }

    void look_at(Cell cell, const Ratio& least) {
        const Offset width = Offset{1} << cell.level, other_width = Offset{1} << cell.other_level;
        const Offset from = cell.i * width + cell.j * other_width;
        const Offset to = std::min((cell.i + 1) * width - 1, one_.steps()) +
                          std::min((cell.j + 1) * other_width - 1, two_.steps());
        cell.bound = bound(cell, from, to, &Profile::eligible, 0);
        if (!(cell.bound < least)) return;
        const Ratio other = bound(cell, from, to, &Profile::yields, one_.at(0) + two_.at(0) - to);
        if (other.whole < other.part) return;
        cell.bound = std::max(cell.bound, other);
        if (cell.bound < least) cells_.push_back(cell);
    }

    Ratio bound(const Cell& cell, Offset from, Offset to, const Stretches& (Profile::*function)() const, Value lift) const {
        const Stretches &one = (one_.*function)(), &two = (two_.*function)();
        const int level = std::max(cell.level, cell.other_level);
        const Offset s = one_.steps();
        Value reached = std::numeric_limits<Value>::max();
        if (from <= s) reached = one.lowest(level, from, std::min(to, s)) + two.at(0);
        if (to > s) reached = std::min(reached, one.at(s) + two.lowest(level, std::max(from - s, Offset{0}), to - s));
        return {lift + reached, lift + one.highest(cell.level, cell.i) + two.highest(cell.other_level, cell.j)};
    }
};

}  // namespace eligo
