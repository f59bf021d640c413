// The events of all executions of a dag's jobs, what each allocates or frees, and which must come before which.
//
// One event a job: it allocates its outputs and frees its inputs (the simple model). Otherwise a job has a start, which
// allocates its outputs and what it holds while it runs, and an end, which frees the latter and the data of which it is
// the last reader. A datum without a last reader is freed by an event of its own, after the ends of its readers and
// before the starts of their followers (data_ends.hpp).
//
// Numbers inside are topological: jobs in a given order, each with its start, its end, and the data whose readers are
// all done by then. `identity` tells what an event is: job j is j, or j for its start and n + j for its end; the freeing
// of datum d is 2n + d.
#pragma once

#include <span>
#include <vector>

#include "closure.hpp"
#include "csr.hpp"
#include "data_ends.hpp"

namespace eligo {

struct FootprintView {
    CsrView pred;
    std::span<const Node> order;
    std::span<const Amount> running, size;
    std::span<const Node> producer;  // -1: from outside
    CsrView readers;
    bool one_event;
};

// The data that each job makes.
inline Csr data_made(const FootprintView& print) {
    std::vector<Node> key, value;
    for (Node d = 0; d < print.readers.size(); ++d) {
        if (print.producer[d] >= 0) key.push_back(print.producer[d]), value.push_back(d);
    }
    return group_by(static_cast<Node>(print.order.size()), key, value);
}

struct EventNetwork {
    Csr up;                         // what must come right before each event
    std::vector<Amount> weight;
    std::vector<Node> identity;     // by event
    std::vector<Node> start, end;   // by job
    std::vector<Node> freeing;      // by datum; -1 where it has no event of its own

    EventNetwork(const FootprintView& print, const DataEnds& ends) {
        const Node n = static_cast<Node>(print.order.size()), k = print.readers.size();
        number_events(print, ends, n, k);
        weigh(print, ends, n, k);
        join(print, ends, n);
    }

private:
    void number_events(const FootprintView& print, const DataEnds& ends, Node n, Node k) {
        start.resize(n);
        end.resize(n);
        freeing.assign(k, -1);
        std::vector<Node> place(n);
        for (Node i = 0; i < n; ++i) place[print.order[i]] = i;
        std::vector<Node> done(k, -1);
        Csr frees{std::vector<Offset>(n + 1, 0), {}};
        if (!print.one_event) {
            for (Node d = 0; d < k; ++d) {
                if (ends.last[d] >= 0) continue;
                for (Node job : ends.latest.view().row(d)) done[d] = std::max(done[d], place[job]);
            }
            std::vector<Node> key, value;
            for (Node d = 0; d < k; ++d) {
                if (done[d] >= 0) key.push_back(done[d]), value.push_back(d);
            }
            frees = group_by(n, key, value);
        }
        Node next = 0;
        auto number = [&](Node what) {
            identity.push_back(what);
            return next++;
        };
        for (Node i = 0; i < n; ++i) {
            const Node job = print.order[i];
            start[job] = number(job);
            end[job] = print.one_event ? start[job] : number(n + job);
            if (print.one_event) continue;
            for (Node d : frees.view().row(i)) freeing[d] = number(2 * n + d);
        }
    }

    void weigh(const FootprintView& print, const DataEnds& ends, Node n, Node k) {
        weight.assign(identity.size(), 0);
        for (Node j = 0; j < n && !print.one_event; ++j) {
            weight[start[j]] += print.running[j];
            weight[end[j]] -= print.running[j];
        }
        for (Node d = 0; d < k; ++d) {
            if (print.producer[d] >= 0) weight[start[print.producer[d]]] += print.size[d];
            const Node freed_at = ends.last[d] >= 0 ? end[ends.last[d]] : freeing[d];
            if (freed_at >= 0) weight[freed_at] -= print.size[d];
        }
    }

    void join(const FootprintView& print, const DataEnds& ends, Node n) {
        const Node events = static_cast<Node>(identity.size());
        std::vector<Node> followed(ends.followed.size());
        for (std::size_t i = 0; i < followed.size(); ++i) followed[i] = freeing[ends.followed[i]];
        const Csr waits = group_by(n, ends.followers, followed);
        up.ptr.push_back(0);
        up.idx.reserve(print.pred.idx.size() + events);
        for (Node x = 0; x < events; ++x) {
            const Node what = identity[x];
            if (what < n) {
                for (Node parent : print.pred.row(what)) up.idx.push_back(end[parent]);
                for (Node free : waits.view().row(what)) {
                    if (free >= 0) up.idx.push_back(free);
                }
            } else if (what < 2 * n) {
                up.idx.push_back(start[what - n]);
            } else {
                for (Node job : ends.latest.view().row(what - 2 * n)) up.idx.push_back(end[job]);
            }
            up.ptr.push_back(static_cast<Offset>(up.idx.size()));
        }
    }
};

}  // namespace eligo
