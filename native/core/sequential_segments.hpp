// Chains of segments: how a part of a dag should run, whatever runs beside it.
//
// A segment is a piece of an order that never needs to be interrupted; like a node it has a hill and a net. Segments that
// do not wait for each other run best in this order (Abdel-Wahab and Kameda 1978, Monma and Sidney 1979): first those
// that lower the memory, by increasing hill; then those that raise it, by decreasing hill above what they leave (the same
// rule, looking back from the end). Exchanging neighbours that stand otherwise never raises the peak.
//
// A chain keeps segments in that order, strictly. Parts in parallel: the chains are merged; since the merged chain is
// sorted, this is the union of two sets. Parts in series: where the last segment of the first does not come before the
// first of the second, nothing is gained by running anything between them: they become one segment, and so on until the
// chain is in order again. A set is two heaps, one for either end, with elements that are gone in one of them left until
// they come up: O(log n) a step, amortised.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "sequential_peak.hpp"

namespace eligo {

class Segments {
public:
    using Id = std::int32_t;
    static constexpr Id none = -1;

    struct Chain {
        std::array<Id, 2> top{none, none};  // of the heap for the front, and of that for the back
        Node length = 0;
    };

    explicit Segments(Node nodes) : next_(nodes, -1) {
        for (auto* values : {&hill_, &net_}) values->reserve(2 * static_cast<std::size_t>(nodes));
    }

    Chain single(Node v, Bytes hill, Bytes net) { return chain_of(make(hill, net, v, v)); }

    // Parts in parallel.
    Chain merge(Chain a, Chain b) {
        return {{meld(0, a.top[0], b.top[0]), meld(1, a.top[1], b.top[1])}, a.length + b.length};
    }

    // Parts in series.
    Chain append(Chain a, Chain b) {
        if (a.length == 0 || b.length == 0) return merge(a, b);
        if (strictly_before(end(a, 1), end(b, 0))) return merge(a, b);
        Id middle = join(pop(a, 1), pop(b, 0));
        for (bool grew = true; grew;) {
            grew = false;
            while (a.length > 0 && !strictly_before(end(a, 1), middle)) middle = join(pop(a, 1), middle), grew = true;
            while (b.length > 0 && !strictly_before(middle, end(b, 0))) middle = join(middle, pop(b, 0)), grew = true;
        }
        return merge(merge(a, chain_of(middle)), b);
    }

    Id pop_front(Chain& chain) { return pop(chain, 0); }
    Bytes hill(Id s) const { return hill_[s]; }
    Bytes net(Id s) const { return net_[s]; }

    // The nodes of a segment, in their order.
    template <class Take>
    void each_node(Id s, Take take) const {
        for (Node v = first_[s]; v != -1; v = v == last_[s] ? -1 : next_[v]) take(v);
    }

private:
    std::vector<Bytes> hill_, net_;
    std::vector<Node> first_, last_, next_;
    std::vector<bool> gone_;
    std::array<std::vector<Id>, 2> child_, sibling_;  // pairing heaps
    std::vector<Id> pairs_;

    Id make(Bytes hill, Bytes net, Node first, Node last) {
        hill_.push_back(hill);
        net_.push_back(net);
        first_.push_back(first);
        last_.push_back(last);
        gone_.push_back(false);
        for (int side : {0, 1}) {
            child_[side].push_back(none);
            sibling_[side].push_back(none);
        }
        return static_cast<Id>(hill_.size() - 1);
    }

    static Chain chain_of(Id s) { return {{s, s}, 1}; }

    Id join(Id a, Id b) {
        next_[last_[a]] = first_[b];
        return make(std::max(hill_[a], net_[a] + hill_[b]), net_[a] + net_[b], first_[a], last_[b]);
    }

    std::pair<bool, Bytes> rank(Id s) const {
        return net_[s] < 0 ? std::pair{false, hill_[s]} : std::pair{true, net_[s] - hill_[s]};
    }

    bool strictly_before(Id a, Id b) const { return rank(a) < rank(b); }

    // Segments of equal rank stand in no chain together unless they are of parallel parts: the lower node goes first.
    bool above(int side, Id a, Id b) const {
        const auto x = rank(a), y = rank(b);
        const bool before = x < y || (x == y && first_[a] < first_[b]);
        return side == 0 ? before : !before;
    }

    Id meld(int side, Id a, Id b) {
        if (a == none) return b;
        if (b == none) return a;
        if (!above(side, a, b)) std::swap(a, b);
        sibling_[side][b] = child_[side][a];
        child_[side][a] = b;
        return a;
    }

    Id without_top(int side, Id top) {
        pairs_.clear();
        for (Id a = child_[side][top]; a != none;) {
            const Id b = sibling_[side][a];
            const Id following = b == none ? none : sibling_[side][b];
            sibling_[side][a] = none;
            if (b != none) sibling_[side][b] = none;
            pairs_.push_back(meld(side, a, b));
            a = following;
        }
        Id all = none;
        for (auto at = pairs_.rbegin(); at != pairs_.rend(); ++at) all = meld(side, *at, all);
        return all;
    }

    Id end(Chain& chain, int side) {
        while (gone_[chain.top[side]]) chain.top[side] = without_top(side, chain.top[side]);
        return chain.top[side];
    }

    Id pop(Chain& chain, int side) {
        const Id s = end(chain, side);
        chain.top[side] = without_top(side, s);
        gone_[s] = true;
        if (--chain.length == 0) chain.top = {none, none};
        return s;
    }
};

}  // namespace eligo
