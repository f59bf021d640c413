// Orders by plain rules: newest first, by rank, at random. Each executes one ELIGIBLE job after the other; sinks, which
// make nothing ELIGIBLE, come last, ascending, so only the non-sinks are played.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

// Executes the non-sinks. `add` takes a job that is ELIGIBLE, sources and then children ascending; `take` returns the
// next, one call for each non-sink.
template <class Add, class Take>
std::vector<Node> play(CsrView succ, CsrView pred, Add add, Take take) {
    const Node n = succ.size();
    std::vector<Node> missing(n), order, sinks;
    order.reserve(n);
    for (Node v = 0; v < n; ++v) {
        missing[v] = static_cast<Node>(pred.degree(v));
        if (succ.degree(v) == 0) sinks.push_back(v);
        else if (missing[v] == 0) add(v);
    }
    for (Node left = n - static_cast<Node>(sinks.size()); left > 0; --left) {
        order.push_back(take());
        for (Node w : succ.row(order.back()))
            if (--missing[w] == 0 && succ.degree(w) > 0) add(w);
    }
    order.insert(order.end(), sinks.begin(), sinks.end());
    return order;
}

// The job that became ELIGIBLE last goes first; of several at once the highest number.
inline std::vector<Node> newest_first(CsrView succ, CsrView pred) {
    std::vector<Node> stack;
    return play(succ, pred, [&](Node v) { stack.push_back(v); }, [&] {
        const Node v = stack.back();
        stack.pop_back();
        return v;
    });
}

// The ELIGIBLE job of the lowest rank goes first; ranks are a permutation.
inline std::vector<Node> lowest_rank_first(CsrView succ, CsrView pred, std::span<const Node> rank) {
    const Node n = succ.size();
    std::vector<Node> job(n);
    bool follows = true;  // each job ranks behind its parents: then nobody waits for them
    for (Node v = 0; v < n; ++v) {
        job[rank[v]] = v;
        for (Node w : succ.row(v)) follows &= rank[v] < rank[w];
    }
    if (follows) {
        const auto inner = [&](Node v) { return succ.degree(v) > 0; };
        const auto sinks = std::stable_partition(job.begin(), job.end(), inner);
        std::sort(sinks, job.end());
        return job;
    }
    std::priority_queue<Node, std::vector<Node>, std::greater<>> ranks;
    return play(succ, pred, [&](Node v) { ranks.push(rank[v]); }, [&] {
        const Node v = job[ranks.top()];
        ranks.pop();
        return v;
    });
}

// draw[i], in [0, 1), says which of the k ELIGIBLE non-sinks goes at step i: number floor(k draw[i]). The one taken
// leaves its place to the last.
inline std::vector<Node> drawn(CsrView succ, CsrView pred, std::span<const double> draw) {
    std::vector<Node> eligible;
    std::size_t step = 0;
    return play(succ, pred, [&](Node v) { eligible.push_back(v); }, [&] {
        // Rounding could make a product with a draw just below 1 reach k.
        const auto k = static_cast<double>(eligible.size());
        const auto at = std::min(static_cast<std::size_t>(k * draw[step++]), eligible.size() - 1);
        const Node v = std::exchange(eligible[at], eligible.back());
        eligible.pop_back();
        return v;
    });
}

}  // namespace eligo
