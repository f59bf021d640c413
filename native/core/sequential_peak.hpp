// What jobs occupy when they run one after the other: the arrays of a Footprint, and the memory along an order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.hpp"

namespace eligo {

using Bytes = std::int64_t;

// Producer of data that come from outside.
inline constexpr Node from_outside = -1;

// The arrays of eligo.memory._footprint.Footprint.
struct FootprintView {
    std::span<const Bytes> running;
    std::span<const Bytes> size;
    std::span<const Node> producer;
    CsrView readers;  // of each datum
    bool one_event;   // the simple model: a job frees and allocates in one moment

    Node jobs() const { return static_cast<Node>(running.size()); }
    Node data() const { return static_cast<Node>(size.size()); }
};

inline Bytes base_of(const FootprintView& print) {
    Bytes base = 0;
    for (Node d = 0; d < print.data(); ++d)
        if (print.producer[d] == from_outside) base += print.size[d];
    return base;
}

// What each job allocates for its data when it starts.
inline std::vector<Bytes> outputs_of(const FootprintView& print) {
    std::vector<Bytes> total(print.jobs(), 0);
    for (Node d = 0; d < print.data(); ++d)
        if (print.producer[d] != from_outside) total[print.producer[d]] += print.size[d];
    return total;
}

// What the end of each job frees of data if jobs run in the given order (a permutation): a datum goes with the last of
// its readers. O(n + readers).
inline std::vector<Bytes> freed_along(const FootprintView& print, std::span<const Node> order) {
    std::vector<Node> place(print.jobs());
    for (Node i = 0; i < print.jobs(); ++i) place[order[i]] = i;
    std::vector<Bytes> freed(print.jobs(), 0);
    for (Node d = 0; d < print.data(); ++d) {
        Node last = -1;
        for (Node r : print.readers.row(d)) last = std::max(last, place[r]);
        if (last >= 0) freed[order[last]] += print.size[d];
    }
    return freed;
}

// Before the first job, then during and after each: 2n + 1 values.
inline std::vector<Bytes> memory_along(const FootprintView& print, std::span<const Node> order) {
    const std::vector<Bytes> made = outputs_of(print), freed = freed_along(print, order);
    std::vector<Bytes> memory{base_of(print)};
    memory.reserve(2 * order.size() + 1);
    for (Node v : order) {
        const Bytes before = memory.back(), after = before + made[v] - freed[v];
        memory.push_back(print.one_event ? after : before + made[v] + print.running[v]);
        memory.push_back(after);
    }
    return memory;
}

inline Bytes peak_along(const FootprintView& print, std::span<const Node> order) {
    const std::vector<Bytes> made = outputs_of(print), freed = freed_along(print, order);
    Bytes now = base_of(print), peak = now;
    for (Node v : order) {
        if (!print.one_event) peak = std::max(peak, now + made[v] + print.running[v]);
        now += made[v] - freed[v];
        peak = std::max(peak, now);
    }
    return peak;
}

}  // namespace eligo
