// Partial serialisation (004, Algorithm 2): add dependencies until no execution occupies more than a limit.
//
// Each step finds the heaviest closed set of events S and a pair that it contradicts: a job v that has started in S,
// and one u that has not ended (or a datum that is not free); from now on u ends (the datum is free) before v starts.
// No path may lead from v to u. The rules differ in which pair they take:
//   min levels       the one through which the shortest path leads;
//   max size         the one whose two ends have most of the occupied data, together;
//   max min size     the one of which even the lesser end has most;
//   respect order    of a sequential order within the limit: first unended job, last started one. It never fails.
//
// S is the smallest of the heaviest sets, and u is one outside the largest of them where there is any: such a pair breaks
// them all at once, which takes a third of the steps. With a batch of pairs a step, these share neither u nor v.
//
// The flow is kept from step to step. In the end, dependencies that carry nothing are not needed for the proof.
#pragma once

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "closure.hpp"
#include "event_network.hpp"
#include "growing_dag.hpp"

namespace eligo {

enum class Rule : int { min_levels, max_size, max_min_size, respect_order };
enum class Outcome : int { within, stuck, gave_up };

struct Added {
    Node job, datum;  // what comes first: the end of a job, or the freeing of a datum; the other is -1
    Node later;       // the job that starts after it
};

class Serializer {
public:
    // `place`: each job's place in the order to respect; unused by the other rules.
    Serializer(const FootprintView& print, CsrView succ, const DataEnds& ends, std::span<const double> work,
               Amount limit, Rule rule, std::span<const Node> place, int batch, Offset budget)
        : print_(print), ends_(ends), network_(print, ends), closure_(network_.up, network_.weight),
          jobs_(succ, print.pred, print.order, work), limit_(limit), rule_(rule), place_(place), batch_(batch),
          budget_(budget), outputs_(data_made(print)), freed_by_(group_freed()) {}

    Outcome run() {
        while (true) {
            closure_.solve(limit_);
            if (closure_.leftover() <= limit_) return Outcome::within;
            if (closure_.work() + jobs_.looked_at() + scanned_ > budget_) return Outcome::gave_up;
            ++steps_;
            scanned_ += 2 * static_cast<Offset>(network_.up.idx.size() + added_.size());
            closure_.smallest(smallest_);
            closure_.largest(largest_);
            const std::size_t likely = 4 + 4 * static_cast<std::size_t>(batch_);
            if (!add_pairs(largest_, likely) && !add_pairs(largest_, SIZE_MAX) && !add_pairs(smallest_, SIZE_MAX)) {
                return scanned_ > budget_ ? Outcome::gave_up : Outcome::stuck;
            }
        }
    }

    const std::vector<Added>& added() const { return added_; }
    Amount leftover() const { return closure_.leftover(); }
    Offset steps() const { return steps_; }
    Amount flow_of(std::size_t which) const { return closure_.flow_of_added(which); }

private:
    struct First {
        Node job, datum;
        double key;
        Node number() const { return std::max(job, datum); }
    };
    struct Later {
        Node job;
        double key;
        Node number() const { return job; }
    };

    FootprintView print_;
    const DataEnds& ends_;
    EventNetwork network_;
    Closure closure_;
    GrowingDag jobs_;
    Amount limit_;
    Rule rule_;
    std::span<const Node> place_;
    int batch_;
    Offset budget_, scanned_ = 0, steps_ = 0;
    Csr outputs_, freed_by_;
    std::vector<std::uint8_t> smallest_, largest_;  // S, and the largest set as heavy
    std::vector<Added> added_;
    std::vector<First> firsts_;
    std::vector<Later> laters_;

    Csr group_freed() const {
        std::vector<Node> key, value;
        for (Node d = 0; d < print_.readers.size(); ++d) {
            if (ends_.last[d] >= 0) key.push_back(ends_.last[d]), value.push_back(d);
        }
        return group_by(static_cast<Node>(print_.order.size()), key, value);
    }

    // Adds up to a batch of pairs whose first is not in `happened`, from the best so many of each list.
    bool add_pairs(const std::vector<std::uint8_t>& happened, std::size_t most) {
        collect(happened);
        keep_best(firsts_, most);
        keep_best(laters_, most);
        if (firsts_.empty() || laters_.empty()) return false;
        // Both lists ascend, and so does every row and column of pairs: the next row is entered when this one has been.
        using Entry = std::tuple<double, std::size_t, std::size_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> todo;
        std::vector<char> first_used(firsts_.size(), 0), later_used(laters_.size(), 0);
        todo.push({joined(firsts_[0], laters_[0]), 0, 0});
        int found = 0;
        while (!todo.empty() && found < batch_ && scanned_ <= budget_) {
            const auto [key, j, i] = todo.top();
            todo.pop();
            ++scanned_;
            if (i == 0 && j + 1 < laters_.size()) todo.push({joined(firsts_[0], laters_[j + 1]), j + 1, 0});
            if (later_used[j]) continue;
            if (!first_used[i] && allowed(firsts_[i], laters_[j].job)) {
                add(firsts_[i], laters_[j].job);
                later_used[j] = first_used[i] = 1;
                ++found;
            } else if (i + 1 < firsts_.size()) {
                todo.push({joined(firsts_[i + 1], laters_[j]), j, i + 1});
            }
        }
        return found > 0;
    }

    Node event_of(const First& first) const {
        return first.datum < 0 ? network_.end[first.job] : network_.freeing[first.datum];
    }

    // Sorts by key, and by number where keys are equal.
    template <class Entries>
    static void keep_best(Entries& entries, std::size_t most) {
        auto by_key = [](const auto& a, const auto& b) {
            return a.key < b.key || (a.key == b.key && a.number() < b.number());
        };
        if (entries.size() > most) {
            std::nth_element(entries.begin(), entries.begin() + most, entries.end(), by_key);
            entries.resize(most);
        }
        std::sort(entries.begin(), entries.end(), by_key);
    }

    double joined(const First& first, const Later& later) const {
        return rule_ == Rule::max_min_size ? std::max(first.key, later.key) : first.key + later.key;
    }

    // Keys are such that smaller is better.
    void collect(const std::vector<std::uint8_t>& happened) {
        const Node n = static_cast<Node>(print_.order.size()), k = print_.readers.size();
        firsts_.clear();
        laters_.clear();
        scanned_ += n + k;
        for (Node j = 0; j < n; ++j) {
            if (!happened[network_.end[j]]) firsts_.push_back({j, -1, key_of_first(j)});
            if (smallest_[network_.start[j]]) laters_.push_back({j, key_of_later(j)});
        }
        for (Node d = 0; d < k; ++d) {
            if (network_.freeing[d] >= 0 && !happened[network_.freeing[d]]) firsts_.push_back({-1, d, key_of_datum(d)});
        }
    }

    double key_of_first(Node job) const {
        if (rule_ == Rule::respect_order) return place_[job];
        if (rule_ == Rule::min_levels) return print_.one_event ? jobs_.before(job) : jobs_.through(job);
        Amount size = 0;
        if (!print_.one_event && smallest_[network_.start[job]]) size += print_.running[job];
        for (Node d : freed_by_.view().row(job)) size += is_made(d) ? print_.size[d] : 0;
        return -static_cast<double>(size);
    }

    double key_of_datum(Node datum) const {
        const auto readers = ends_.latest.view().row(datum);
        if (rule_ == Rule::respect_order) {
            Node last = 0;
            for (Node r : readers) last = std::max(last, place_[r]);
            return last + 0.5;  // free right after its last reader
        }
        if (rule_ == Rule::min_levels) {
            double last = 0;
            for (Node r : readers) last = std::max(last, jobs_.through(r));
            return last;
        }
        return is_made(datum) ? -static_cast<double>(print_.size[datum]) : 0;
    }

    double key_of_later(Node job) const {
        if (rule_ == Rule::respect_order) return -static_cast<double>(place_[job]);
        if (rule_ == Rule::min_levels) return jobs_.from(job);
        Amount size = 0;
        if (!print_.one_event && !smallest_[network_.end[job]]) size += print_.running[job];
        for (Node d : outputs_.view().row(job)) size += is_there(d) ? print_.size[d] : 0;
        return -static_cast<double>(size);
    }

    bool is_made(Node d) const { return print_.producer[d] < 0 || smallest_[network_.start[print_.producer[d]]]; }

    bool is_there(Node d) const {
        const Node freed = ends_.last[d] >= 0 ? network_.end[ends_.last[d]] : network_.freeing[d];
        return freed < 0 || !smallest_[freed];
    }

    bool allowed(const First& first, Node later) {
        if (rule_ == Rule::respect_order) return first.key < place_[later];
        if (first.datum < 0) return !jobs_.leads(later, first.job);
        for (Node r : ends_.latest.view().row(first.datum)) {
            if (jobs_.leads(later, r)) return false;
        }
        return true;
    }

    void add(const First& first, Node later) {
        closure_.add(network_.start[later], event_of(first));
        added_.push_back({first.job, first.datum, later});
        if (rule_ == Rule::respect_order) return;  // the order alone rules cycles out
        if (first.datum < 0) return jobs_.add(first.job, later);
        for (Node r : ends_.latest.view().row(first.datum)) jobs_.add(r, later);
    }
};

}  // namespace eligo
