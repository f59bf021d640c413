// From a schedule within a limit to dependencies that keep every execution within it.
//
// Think of the limit as so many tokens. Whatever is allocated takes tokens, whatever is freed gives them back, marked
// with the event that gave them: the end of a job, or the freeing of a datum. A job that takes tokens given back by an
// event depends on it from then on, unless it does already. Then no execution needs more tokens than there are: each
// allocation has its own, handed on by events that come before it. What is handed on is at the same time the flow that
// proves it (closure.hpp).
//
// All these dependencies lead from earlier to later events of the schedule. So the critical path grows to its length at
// most, and no cycle can arise. A job takes first what its own ancestors gave back, then tokens never used, then those
// given back first: they wait longest already. In the simple model a job gives back when it starts, while a dependency
// waits for its end: there, tokens of jobs that have ended go first, and the critical path may become longer.
//
// A pair of a freed datum and a job stands for one dependency for each of the datum's latest readers. Where that comes to
// too many, the first job to take from the datum takes part for all: later ones wait for its end instead of the readers'.
// If it has ended by then in the schedule, nothing is lost; otherwise they wait longer than they did there.
//
// Cost: O(n + m + data). Every step of taking either uses up what an event gave or satisfies a job.
#pragma once

#include <span>
#include <vector>

#include "event_network.hpp"

namespace eligo {

struct HandedOn {
    std::vector<Node> job, datum, later;  // as in serialize.hpp: what comes first, and who starts after it
    bool enough = true;                   // false: the schedule is not within the limit
};

class TokenPool {
public:
    TokenPool(const FootprintView& print, const DataEnds& ends, Amount limit)
        : print_(print), n_(static_cast<Node>(print.order.size())), k_(print.readers.size()), unused_(limit),
          given_(2 * static_cast<std::size_t>(n_) + k_, 0), out_(n_, 0), freed_(n_, 0), unended_(k_), has_ended_(n_, 0),
          readers_(k_), deputy_(k_, -1), edges_left_(4 * (n_ + static_cast<Offset>(print.pred.idx.size()) + k_)),
          waits_(group_by(n_, ends.followers, ends.followed)) {
        std::vector<Node> key, value;
        for (Node d = 0; d < k_; ++d) {
            if (print.producer[d] >= 0) out_[print.producer[d]] += print.size[d];
            if (ends.last[d] >= 0) freed_[ends.last[d]] += print.size[d];
            unended_[d] = readers_[d] = static_cast<Node>(ends.latest.view().degree(d));
            if (ends.last[d] >= 0) continue;
            for (Node r : ends.latest.view().row(d)) key.push_back(r), value.push_back(d);
        }
        frees_ = group_by(n_, key, value);
    }

    HandedOn hand_on(std::span<const Node> events) {
        for (Node event : events) {
            if (event < n_) {
                if (print_.one_event) give_back(event, freed_[event], early_);
                take(event, out_[event] + (print_.one_event ? 0 : print_.running[event]));
            } else if (print_.one_event) {
                queue_.push_back(event - n_);
            } else {
                has_ended_[event - n_] = 1;
                give_back(event, freed_[event - n_] + print_.running[event - n_], queue_);
                for (Node d : frees_.view().row(event - n_)) {
                    if (--unended_[d] == 0) give_back(2 * n_ + d, print_.size[d], queue_);
                }
            }
        }
        return std::move(found_);
    }

private:
    static constexpr std::size_t most_ancestors = 32, most_parents = 256;

    FootprintView print_;
    Node n_, k_;
    Amount unused_;
    std::vector<Amount> given_;  // by event: what it gave back and nobody took
    std::vector<Amount> out_, freed_;
    std::vector<Node> unended_;
    std::vector<char> has_ended_;
    std::vector<Node> readers_, deputy_;  // by datum: how many latest readers; the first job that took from it
    Offset edges_left_;
    Csr frees_, waits_;
    std::vector<Node> queue_, early_, near_;  // events in the order in which they gave; early: whose job may still run
    std::size_t head_ = 0, early_head_ = 0;
    HandedOn found_;

    Node end_of(Node job) const { return print_.one_event ? job : n_ + job; }

    void give_back(Node event, Amount amount, std::vector<Node>& into) {
        if (amount == 0) return;
        given_[event] += amount;
        into.push_back(event);
    }

    void take_from(Node event, Amount& need) {
        const Amount taken = std::min(need, given_[event]);
        given_[event] -= taken;
        need -= taken;
    }

    void take(Node job, Amount need) {
        if (print_.one_event) take_from(job, need);
        near_.assign(1, job);
        std::size_t looked_at = 0;
        for (std::size_t i = 0; i < near_.size() && need > 0; ++i) {
            for (Node d : waits_.view().row(near_[i])) take_from(2 * n_ + d, need);
            for (Node parent : print_.pred.row(near_[i])) {
                if (need == 0 || ++looked_at > most_parents) break;
                take_from(end_of(parent), need);
                if (near_.size() < most_ancestors) near_.push_back(parent);
            }
        }
        const Amount fresh = std::min(need, unused_);
        unused_ -= fresh;
        need -= fresh;
        take_in_turn(job, need, queue_, head_);
        take_in_turn(job, need, early_, early_head_);
        if (need > 0) found_.enough = false;
    }

    void take_in_turn(Node job, Amount& need, const std::vector<Node>& queue, std::size_t& head) {
        while (need > 0 && head < queue.size()) {
            const Node event = queue[head];
            if (given_[event] == 0) {
                ++head;
                continue;
            }
            take_from(event, need);
            if (event >= 2 * n_) {
                wait_for_datum(event - 2 * n_, job);
            } else {
                wait_for(print_.one_event ? event : event - n_, -1, job);
            }
        }
    }

    void wait_for_datum(Node datum, Node job) {
        Node& deputy = deputy_[datum];
        if (deputy >= 0 && (has_ended_[deputy] || edges_left_ < readers_[datum])) return wait_for(deputy, -1, job);
        if (deputy < 0) deputy = job;
        edges_left_ -= readers_[datum];
        wait_for(-1, datum, job);
    }

    void wait_for(Node first, Node datum, Node job) {
        found_.job.push_back(first);
        found_.datum.push_back(datum);
        found_.later.push_back(job);
    }
};

}  // namespace eligo
