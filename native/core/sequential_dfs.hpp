// A depth-first order: a parallel branch is completed before a new one is started.
//
// Jobs that have become ready wait on a stack, so what was started last goes on first; children of one job by ascending
// number. Sources do not wait there, or branches that meet in a join would be started in any turn. When the stack is
// empty, the branch has come to a join that waits for others: the next source is one that the join last reached waits
// for. So trees that grow together run in post-order, trees that branch out in pre-order.
//
// The ways from joins to sources are walked within a budget of O(n + m); beyond it the next source is the lowest.
#pragma once

#include <algorithm>
#include <vector>

#include "csr.hpp"

namespace eligo {

class DepthFirst {
public:
    DepthFirst(CsrView succ, CsrView pred)
        : succ_(succ), pred_(pred), missing_(succ.size()), at_(succ.size(), 0), done_(succ.size(), false),
          budget_(20 * (static_cast<Offset>(succ.size()) + static_cast<Offset>(succ.idx.size()))) {}

    std::vector<Node> order() {
        const Node n = succ_.size();
        for (Node v = 0; v < n; ++v) missing_[v] = static_cast<Node>(pred_.degree(v));
        std::vector<Node> order;
        order.reserve(n);
        while (static_cast<Node>(order.size()) < n) {
            if (ready_.empty()) ready_.push_back(next_source());
            const Node v = ready_.back();
            ready_.pop_back();
            order.push_back(v);
            done_[v] = true;
            const auto children = succ_.row(v);
            for (auto at = children.rbegin(); at != children.rend(); ++at)
                (--missing_[*at] == 0 ? ready_ : reached_).push_back(*at);
        }
        return order;
    }

private:
    CsrView succ_, pred_;
    std::vector<Node> missing_;
    std::vector<Offset> at_;  // parents before this have run
    std::vector<bool> done_;
    Offset budget_;
    std::vector<Node> ready_, reached_;
    Node lowest_ = 0;

    Node next_source() {
        while (!reached_.empty() && missing_[reached_.back()] == 0) reached_.pop_back();
        if (reached_.empty() || budget_ <= 0) {
            while (done_[lowest_] || pred_.degree(lowest_) > 0) ++lowest_;
            return lowest_;
        }
        Node v = reached_.back();
        while (missing_[v] > 0) {
            const auto parents = pred_.row(v);
            while (done_[parents[at_[v]]]) ++at_[v];
            v = parents[at_[v]];
            --budget_;
        }
        return v;  // ready but not on the stack, which is empty: a source
    }
};

inline std::vector<Node> depth_first(CsrView succ, CsrView pred) { return DepthFirst(succ, pred).order(); }

}  // namespace eligo
