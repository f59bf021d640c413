// In which order the blocks of a dag are executed: steps 4 to 6 of Malewicz, Foster, Rosenberg and Wilde 2006, section
// 3.1, by the queue of superdag_queue.hpp, whose choices are weighed exactly.
//
// Weighing is work, and the work is bounded. When it is used up, the rest is ordered by a cheaper rule: the block whose
// start is the steepest goes first, that is, the one with the largest e(x) / x at any x, e(x) being what x of its
// non-sinks make ELIGIBLE. That is how the choice would fall between blocks whose gains never grow.
#pragma once

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "superdag_queue.hpp"
#include "yield_classes.hpp"

namespace eligo {

struct BlockSequence {
    std::vector<Node> blocks;  // as executed
    Ratio kept;                // the smallest priority of a block over the others it was preferred to
    Node weighed = 0;          // so many were chosen by priority, the rest by their start
    bool falls = true;         // whether each has priority 1 over the next
    Node classes = 0;
};

class PrioSequence {
public:
    // `of`: the block of which a node is a non-sink, or -1; `structure`: of each block.
    PrioSequence(std::span<const Node> of, CsrView heads, std::span<const Node> structure, const PartYields& yields)
        : of_(of), heads_(heads), classes_(yields), kind_(structure.size()), missing_(structure.size(), 0) {
        for (std::size_t b = 0; b < structure.size(); ++b) kind_[b] = classes_.of[structure[b]];
        for (Node b = 0; b < heads.size(); ++b)
            for_each_after(b, [&](Node next) { ++missing_[next]; });
        for (Node structure : classes_.first) {
            std::vector<Value> eligible = yields.eligible(structure);
            Ratio steepest{0, 1};
            for (Value x = 1; x < std::ssize(eligible); ++x)
                steepest = std::max(steepest, Ratio{eligible[x] - eligible[0] + x, x});
            profiles_.emplace_back(std::move(eligible));
            start_.push_back(steepest);
        }
        out_.classes = static_cast<Node>(profiles_.size());
        out_.blocks.reserve(structure.size());
    }

    // `budget` counts stretches of profiles that are looked at, in all; where one pair would take more than
    // `most_for_pair`, a lower bound on its priority must do.
    BlockSequence run(Value budget, Value most_for_pair) {
        try {
            by_priority(SuperdagQueue(profiles_, budget, most_for_pair));
        } catch (const OverWork&) {
            by_start();
        }
        return std::move(out_);
    }

private:
    std::span<const Node> of_;
    CsrView heads_;
    YieldClasses classes_;
    std::vector<Node> kind_, missing_;  // missing_: non-sinks that other blocks lead to
    std::vector<Profile> profiles_;
    std::vector<Ratio> start_;
    std::vector<Node> freed_;  // by the block taken last
    BlockSequence out_;

    template <class Visit>
    void for_each_after(Node block, Visit visit) const {
        for (Node v : heads_.row(block))
            if (of_[v] >= 0 && of_[v] != block) visit(of_[v]);
    }

    void by_priority(SuperdagQueue ready) {
        const auto add = [&](Node block) { ready.add(block, kind_[block]); };
        for (Node b = 0; b < heads_.size(); ++b)
            if (missing_[b] == 0) add(b);
        while (!ready.empty()) {
            const Node block = ready.pop();
            out_.kept = std::min(out_.kept, ready.kept());
            if (out_.falls && !out_.blocks.empty())
                out_.falls = !(ready.priority(kind_[out_.blocks.back()], kind_[block]) < Ratio{});
            ++out_.weighed;
            take(block);
            std::ranges::for_each(freed_, add);
        }
    }

    void take(Node block) {
        out_.blocks.push_back(block);
        missing_[block] = -1;
        freed_.clear();
        for_each_after(block, [&](Node next) {
            if (--missing_[next] == 0) freed_.push_back(next);
        });
    }

    void by_start() {
        using Key = std::tuple<Ratio, Node>;
        const auto later = [](const Key& a, const Key& b) {
            const auto& [steep, one] = a;
            const auto& [steeper, two] = b;
            return steep < steeper || (!(steeper < steep) && one > two);
        };
        std::priority_queue<Key, std::vector<Key>, decltype(later)> ready(later);
        const auto add = [&](Node block) { ready.emplace(start_[kind_[block]], block); };
        out_.falls = false;
        for (Node b = 0; b < heads_.size(); ++b)
            if (missing_[b] == 0) add(b);
        while (!ready.empty()) {
            const Node block = std::get<1>(ready.top());
            ready.pop();
            take(block);
            std::ranges::for_each(freed_, add);
        }
    }
};

// The jobs of blocks in turn, each block in the order of its structure, which numbers its non-sinks ascending.
inline std::vector<Node> jobs_of_sequence(std::span<const Node> sequence, CsrView nonsinks,
                                          std::span<const Node> structure, CsrView orders) {
    std::vector<Node> jobs;
    jobs.reserve(nonsinks.idx.size());
    for (Node block : sequence) {
        const auto mine = nonsinks.row(block);
        for (Node i : orders.row(structure[block])) jobs.push_back(mine[i]);
    }
    return jobs;
}

}  // namespace eligo
