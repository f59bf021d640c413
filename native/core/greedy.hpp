// An order of the non-sinks of any dag: at every step the ELIGIBLE one that promises most, looking deep.
//
// A node c is *worth* w(c) = 1 + depth * (what its children are worth to it); to a parent it is worth w(c) * s(m), where
// m is the number of parents that c lacks and s(m) = base^-(m - 1): executing the parent alone renders c ELIGIBLE if
// m = 1, and brings it nearer otherwise. The worth of nodes is fixed beforehand, bottom up, with all parents lacking; the
// promise of an ELIGIBLE node is the sum over its children with what they lack now. Nodes may have *classes*: a higher
// class always goes first. Of equals the lower old number.
//
// Everything is in whole numbers, so that results do not depend on the machine. A child that lacks more than `far`
// parents promises nothing: so each changes the promises of its parents at most `far` times.
//
// Cost: O(far * m log n), in practice a few heap operations an edge.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "renumber.hpp"

namespace eligo {

// How much what lies deeper counts: `depth` in 1/256, `base` as above.
struct Outlook {
    Offset depth, base;
};

class GreedyOrder {
public:
    static constexpr Node far = 16;
    static constexpr int worth_bits = 20, share_bits = 22;
    static constexpr Offset most_worth = Offset{1} << 40, most_promise = (Offset{1} << 47) - 1;

    // `classes` may be empty; otherwise one for each node, by its new number, from 0 to 2^15.
    GreedyOrder(const Renumbered& dag, Outlook outlook, std::span<const Node> classes)
        : succ_(dag.succ.view()), pred_(dag.pred.view()), old_(dag.old), classes_(classes), share_(far + 1, 0),
          worth_(dag.size()), lacks_(dag.size()), place_(dag.size(), absent) {
        Offset share = Offset{1} << share_bits;
        for (Node m = 1; m <= far; ++m, share /= outlook.base) share_[m] = share;
        for (Node v = 0; v < dag.size(); ++v) lacks_[v] = static_cast<Node>(pred_.degree(v));
        for (Node v = dag.size(); v-- > 0;) {
            const Offset deep = promise(v) / 256 * outlook.depth;
            worth_[v] = std::min(most_worth, (Offset{1} << worth_bits) + deep);
        }
    }

    // The non-sinks, by their new numbers.
    std::vector<Node> run() {
        std::vector<Node> order;
        for (Node v = 0; v < succ_.size(); ++v)
            if (lacks_[v] == 0 && succ_.degree(v) > 0) push(v, promise(v));
        while (!heap_.empty()) {
            const Node v = heap_[0].node;
            order.push_back(v);
            remove_top();
            for (Node c : succ_.row(v)) --lacks_[c];
            for (Node c : succ_.row(v)) {
                if (lacks_[c] == 0 || lacks_[c] > far) continue;
                const Offset more = value(c, lacks_[c]) - (lacks_[c] < far ? value(c, lacks_[c] + 1) : 0);
                if (more == 0) continue;
                for (Node p : pred_.row(c))
                    if (place_[p] != absent) raise(p, more);
            }
            for (Node c : succ_.row(v))  // last, for their promises already count what v changed
                if (lacks_[c] == 0 && succ_.degree(c) > 0) push(c, promise(c));
        }
        return order;
    }

private:
    static constexpr Node absent = -1;
    struct Entry {
        Offset key;
        Node old, node;

        bool before(const Entry& other) const { return key != other.key ? key > other.key : old < other.old; }
    };
    CsrView succ_, pred_;
    const std::vector<Node>& old_;
    std::span<const Node> classes_;
    std::vector<Offset> share_, worth_;
    std::vector<Node> lacks_, place_;
    std::vector<Entry> heap_;  // four children each: flatter, and what is compared lies together

    Offset value(Node c, Node lacks) const { return worth_[c] * share_[lacks] >> share_bits; }

    Offset promise(Node v) const {
        Offset sum = 0;
        for (Node c : succ_.row(v))
            if (lacks_[c] <= far) sum = std::min(most_promise, sum + value(c, lacks_[c]));
        return sum;
    }

    Offset key(Node v, Offset promise) const {
        const Offset klass = classes_.empty() ? 0 : classes_[v];
        return klass << 47 | std::min(promise, most_promise);
    }

    void push(Node v, Offset promise) {
        heap_.push_back({key(v, promise), old_[v], v});
        rise(static_cast<Node>(heap_.size()) - 1);
    }

    void raise(Node v, Offset more) {
        Entry& entry = heap_[place_[v]];
        const Offset promise = (entry.key & most_promise) + more;
        entry.key = key(v, promise);
        rise(place_[v]);
    }

    void put(Node at, const Entry& entry) {
        heap_[at] = entry;
        place_[entry.node] = at;
    }

    void rise(Node at) {
        const Entry entry = heap_[at];
        for (; at > 0 && entry.before(heap_[(at - 1) / 4]); at = (at - 1) / 4) put(at, heap_[(at - 1) / 4]);
        put(at, entry);
    }

    void remove_top() {
        place_[heap_[0].node] = absent;
        const Entry entry = heap_.back();
        heap_.pop_back();
        if (heap_.empty()) return;
        const Node size = static_cast<Node>(heap_.size());
        Node at = 0;
        while (true) {
            const Node first = 4 * at + 1, last = std::min(first + 4, size);
            if (first >= size) break;
            Node best = first;
            for (Node child = first + 1; child < last; ++child)
                if (heap_[child].before(heap_[best])) best = child;
            if (!heap_[best].before(entry)) break;
            put(at, heap_[best]);
            at = best;
        }
        put(at, entry);
    }
};

// Loads as classes for the greedy order: those within `percent` of the smallest of a class are equal.
inline std::vector<Node> load_classes(std::span<const Offset> load, Offset percent) {
    std::vector<Node> by_load(load.size()), out(load.size());
    std::iota(by_load.begin(), by_load.end(), 0);
    std::sort(by_load.begin(), by_load.end(), [&](Node u, Node v) { return load[u] < load[v]; });
    Node number = 0;
    Offset start = -1;
    for (Node v : by_load) {
        if (load[v] > start + start / 100 * percent + 1) {
            number = std::min(number + 1, 32767);
            start = load[v];
        }
        out[v] = number;
    }
    return out;
}

}  // namespace eligo
