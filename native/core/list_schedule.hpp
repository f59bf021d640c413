// List scheduling: whenever a processor is free, the available job of the lowest rank starts on it.
//
// Time jumps from one end to the next. At each instant first all jobs end that are due, then jobs start while there are
// both a free processor and an available job. Jobs that take no time are due in the same instant again: they are a round
// of their own, in which they did run beside the others. The free processor of the lowest number is taken, so that no
// more processors are named than ever ran at once.
//
// Cost: O((n + m) log n), whatever the number of processors.
#pragma once

#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

struct ListRun {
    std::vector<double> start, end;
    std::vector<Node> worker;
    std::vector<Node> events;  // v for the start of v, ~v for its end
};

template <class T>
using LowestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

class ListScheduler {
public:
    ListScheduler(CsrView succ, CsrView pred, std::span<const Node> rank, std::span<const double> time, Node processors)
        : succ_(succ), rank_(rank), time_(time), processors_(processors), job_(succ.size()), missing_(succ.size()) {
        const Node n = succ.size();
        run_ = {std::vector<double>(n), std::vector<double>(n), std::vector<Node>(n), {}};
        run_.events.reserve(2 * static_cast<std::size_t>(n));
        for (Node v = 0; v < n; ++v) {
            job_[rank[v]] = v;
            missing_[v] = static_cast<Node>(pred.degree(v));
            if (missing_[v] == 0) available_.push(rank[v]);
        }
    }

    ListRun run() {
        double now = 0;
        for (;;) {
            while (!available_.empty() && (!idle_.empty() || used_ < processors_)) start(now);
            if (running_.empty()) return std::move(run_);
            now = running_.top().first;
            while (!running_.empty() && running_.top().first == now) end();
        }
    }

private:
    void start(double now) {
        const Node v = job_[available_.top()];
        available_.pop();
        if (idle_.empty()) {
            run_.worker[v] = used_++;
        } else {
            run_.worker[v] = idle_.top();
            idle_.pop();
        }
        run_.start[v] = now;
        run_.end[v] = now + time_[v];
        run_.events.push_back(v);
        running_.push({run_.end[v], v});
    }

    void end() {
        const Node v = running_.top().second;
        running_.pop();
        run_.events.push_back(~v);
        idle_.push(run_.worker[v]);
        for (Node w : succ_.row(v))
            if (--missing_[w] == 0) available_.push(rank_[w]);
    }

    CsrView succ_;
    std::span<const Node> rank_;
    std::span<const double> time_;
    Node processors_, used_ = 0;
    std::vector<Node> job_;      // by rank
    std::vector<Node> missing_;  // parents that have not ended
    LowestFirst<Node> available_, idle_;
    LowestFirst<std::pair<double, Node>> running_;
    ListRun run_;
};

}  // namespace eligo
