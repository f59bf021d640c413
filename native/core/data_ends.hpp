// When is a datum that several jobs read free for certain?
//
// Its last reader frees it, but which reader is last depends on the execution, unless one of them is a descendant of all
// others: then that one is. Otherwise the datum is free at the latest when a job starts that is a descendant of all
// readers, a *follower*. Paths are looked for within a budget. Whatever is not found makes bounds looser, never wrong.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "reach.hpp"

namespace eligo {

struct DataEnds {
    std::vector<Node> last;                // by datum: the reader that follows all others, or -1
    std::vector<Node> followed, followers; // pairs of a datum without a last reader and a follower of its readers
    Csr latest;                            // by datum: the readers that no other reader is known to follow
};

// Data with one reader each need no search.
inline DataEnds ends_of_single_readers(CsrView readers) {
    DataEnds ends{std::vector<Node>(readers.size(), -1), {}, {}, {}};
    for (Node d = 0; d < readers.size(); ++d) {
        if (readers.degree(d) > 0) ends.last[d] = readers.row(d)[0];
    }
    ends.latest = {std::vector(readers.ptr.begin(), readers.ptr.end()), std::vector(readers.idx.begin(), readers.idx.end())};
    return ends;
}

class DataEndFinder {
public:
    DataEndFinder(CsrView succ, CsrView pred, CsrView readers)
        : readers_(readers), graph_(succ, pred), labels_(graph_), search_(graph_, labels_),
          left_(searches * (succ.size() + static_cast<Offset>(succ.idx.size() + readers.idx.size()))),
          seen_(succ.size(), -1) {}

    DataEnds find() {
        const Node k = readers_.size();
        ends_.last.assign(k, -1);
        ends_.latest.ptr.push_back(0);
        for (Node datum = 0; datum < k; ++datum) {
            // Nobody takes more than some shares, and what is not used remains for those who come later.
            const Offset share = budget_ = 4 * left_ / (k - datum) + 1;
            find_latest(datum);
            if (jobs_.size() == 1) {
                ends_.last[datum] = graph_.order[jobs_[0]];
            } else if (jobs_.size() > 1) {
                find_followers(datum);
            }
            left_ = std::max<Offset>(0, left_ - (share - budget_));
            for (Node job : jobs_) ends_.latest.idx.push_back(graph_.order[job]);
            ends_.latest.ptr.push_back(static_cast<Offset>(ends_.latest.idx.size()));
        }
        return std::move(ends_);
    }

private:
    static constexpr Offset searches = 256;      // looked-at arcs for each job, arc and reader, in all
    static constexpr Offset one_search = 2000;   // for one question
    static constexpr int most_looked_at = 4096, most_followers = 4096, most_compared = 32;

    CsrView readers_;
    Renumbered graph_;
    ReachLabels labels_;
    PathSearch search_;
    Offset left_, budget_ = 0;  // in all, and for the datum at hand
    std::vector<Node> seen_, jobs_;
    DataEnds ends_;

    bool leads(Node u, Node v) {
        if (budget_ <= 0 || !labels_.possible(u, v)) return false;
        --budget_;
        if (labels_.certain(u, v) || has_edge(graph_.succ.view(), u, v)) return true;
        Offset allowed = std::min(one_search, budget_);
        const Offset before = allowed;
        const bool found = search_.long_path(u, v, allowed) == Answer::yes;
        budget_ -= before - allowed;
        return found;
    }

    // Puts into jobs_ the readers that none of the later ones follows, latest first.
    void find_latest(Node datum) {
        const auto row = readers_.row(datum);
        std::vector<Node> all;
        for (Node job : row) all.push_back(graph_.number[job]);
        std::sort(all.begin(), all.end(), std::greater<>());
        jobs_.clear();
        for (Node job : all) {
            const auto compared = jobs_.begin() + std::min<std::ptrdiff_t>(jobs_.size(), most_compared);
            if (std::none_of(jobs_.begin(), compared, [&](Node later) { return leads(job, later); })) jobs_.push_back(job);
        }
    }

    // Children that all latest readers have in common follow them all: these are found without a search, all of them.
    void find_common_children(Node datum) {
        const CsrView succ = graph_.succ.view();
        const Node fewest = *std::min_element(jobs_.begin(), jobs_.end(), [&](Node a, Node b) {
            return succ.degree(a) < succ.degree(b);
        });
        for (Node child : succ.row(fewest)) {
            if (budget_ <= 0) return;
            if (std::all_of(jobs_.begin(), jobs_.end(), [&](Node reader) {
                    --budget_;
                    return has_edge(succ, reader, child);
                })) {
                seen_[child] = datum;
                ends_.followed.push_back(datum);
                ends_.followers.push_back(graph_.order[child]);
            }
        }
    }

    // Looks through the descendants of the latest reader, in order, for those that follow all other readers too.
    void find_followers(Node datum) {
        find_common_children(datum);
        std::priority_queue<Node, std::vector<Node>, std::greater<>> todo;
        auto look_at_children = [&](Node job) {
            for (Node child : graph_.succ.view().row(job)) {
                if (seen_[child] != datum) seen_[child] = datum, todo.push(child);
                --budget_;
            }
        };
        look_at_children(jobs_[0]);
        int followers = 0;
        for (int looked_at = 0; !todo.empty() && looked_at < most_looked_at && budget_ > 0; ++looked_at) {
            const Node job = todo.top();
            todo.pop();
            if (std::all_of(jobs_.begin() + 1, jobs_.end(), [&](Node reader) { return leads(reader, job); })) {
                ends_.followed.push_back(datum);
                ends_.followers.push_back(graph_.order[job]);
                if (++followers == most_followers) return;
            } else {
                look_at_children(job);
            }
        }
    }
};

inline DataEnds find_data_ends(CsrView succ, CsrView pred, CsrView readers) {
    for (Node d = 0; d < readers.size(); ++d) {
        if (readers.degree(d) > 1) return DataEndFinder(succ, pred, readers).find();
    }
    return ends_of_single_readers(readers);
}

}  // namespace eligo
