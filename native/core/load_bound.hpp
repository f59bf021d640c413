// What loads (charging.hpp) allow at every step: after t steps at most the sum of the t largest loads is rendered.
//
// Where it is known how many ancestors and descendants every node has, not every node can be among the t executed ones:
// one with t ancestors or more cannot, one with more than n - t - 1 descendants must. And a node can be ELIGIBLE only
// while its ancestors fit into the executed ones and it, with its descendants, into the others.
//
// The bound on the number of ELIGIBLE nodes at t is never more than one above that at t + 1, as executing one node
// costs one at most. O(n log n).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "csr.hpp"

namespace eligo {

// The sum of the k largest values of a set that changes: a Fenwick tree over the places of values sorted once.
class LargestOf {
public:
    explicit LargestOf(std::span<const Offset> values) : place_(values.size()), value_(values) {
        std::vector<Node> sorted(values.size());
        std::iota(sorted.begin(), sorted.end(), 0);
        std::stable_sort(sorted.begin(), sorted.end(), [&](Node u, Node v) { return values[u] > values[v]; });
        for (std::size_t i = 0; i < sorted.size(); ++i) place_[sorted[i]] = static_cast<Node>(i);
        count_.assign(values.size() + 1, 0);
        sum_.assign(values.size() + 1, 0);
    }

    void change(Node v, int sign) {
        for (std::size_t i = place_[v] + 1; i < count_.size(); i += i & -i) {
            count_[i] += sign;
            sum_[i] += sign * value_[v];
        }
    }

    Offset largest(Node k) const {
        Offset total = 0;
        std::size_t at = 0;
        for (std::size_t step = std::bit_floor(count_.size()); step > 0 && k > 0; step /= 2)
            if (at + step < count_.size() && count_[at + step] <= k) {
                at += step;
                k -= count_[at];
                total += sum_[at];
            }
        return total;
    }

private:
    std::vector<Node> place_, count_;
    std::vector<Offset> sum_;
    std::span<const Offset> value_;
};

// Never more than the last nor than one above what follows.
inline void tighten(std::vector<Offset>& profile) {
    for (std::size_t t = profile.size() - 1; t-- > 0;) profile[t] = std::min(profile[t], profile[t + 1] + 1);
}

inline std::vector<Offset> load_bound(std::span<const Offset> load, Offset scale, Node sources) {
    const Node n = static_cast<Node>(load.size());
    std::vector<Offset> sorted(load.begin(), load.end()), profile(n + 1);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    Offset sum = 0;
    for (Node t = 0; t <= n; ++t) {
        profile[t] = std::min<Offset>(sources + sum / scale, n) - t;
        if (t < n) sum += sorted[t];
    }
    tighten(profile);
    return profile;
}

// The same for parts that follow each other: `load` and `source` go through them one after the other; part i ends before
// place end[i]. At the end of a part all that follows is that the next one begins.
inline std::vector<Offset> series_bound(std::span<const Offset> load, Offset scale, std::span<const std::uint8_t> source,
                                        std::span<const Offset> end) {
    std::vector<Offset> profile;
    profile.reserve(load.size() + 1);
    Offset begin = 0;
    for (Offset stop : end) {
        const auto mine = source.subspan(begin, stop - begin);
        const auto sources = static_cast<Node>(std::count(mine.begin(), mine.end(), 1));
        const std::vector<Offset> part = load_bound(load.subspan(begin, stop - begin), scale, sources);
        profile.insert(profile.end(), part.begin(), part.end() - 1);
        begin = stop;
    }
    profile.push_back(0);
    return profile;
}

inline std::vector<Offset> load_bound(std::span<const Offset> load, Offset scale, Node sources,
                                      std::span<const Node> before, std::span<const Node> behind) {
    const Node n = static_cast<Node>(load.size());
    std::vector<Node> steps(n);
    std::iota(steps.begin(), steps.end(), 0);
    const auto by = [&](auto first_step) {
        std::vector<Node> moment(n);
        for (Node v = 0; v < n; ++v) moment[v] = first_step(v);
        return group_by(n + 2, moment, steps);
    };
    const Csr may = by([&](Node v) { return before[v] + 1; }), must = by([&](Node v) { return n - behind[v]; });
    const Csr opens = by([&](Node v) { return before[v]; });
    LargestOf open(load);
    std::vector<Offset> profile(n + 1);
    Offset forced_load = 0, window = 0;
    Node forced = 0;
    for (Node t = 0; t <= n; ++t) {
        for (Node v : may.view().row(t)) open.change(v, 1);
        for (Node v : must.view().row(t)) {
            open.change(v, -1);
            forced_load += load[v];
            ++forced;
        }
        window += opens.view().degree(t) - must.view().degree(t);
        const Offset rendered = (forced_load + open.largest(t - forced)) / scale;
        profile[t] = std::min({sources + rendered - t, Offset{n} - t, window});
    }
    tighten(profile);
    return profile;
}

}  // namespace eligo
