// Good orders for any bipartite block, each in near-linear time. The first two choose what to execute next, the third
// what to execute last.
//
// potential  The source with the largest sum over its children of 4^-(parents the child still lacks).
// yield      The source that makes the most sinks ELIGIBLE at once; of equals the one with the largest potential.
// backward   Put last the source with the fewest children that feed on nothing put last so far: the sinks that are lost
//            by executing it late. Of equals the one whose sinks have the most parents, since they all get cheaper.
// outdegree  The most children first; it is here to be compared with.
//
// Potentials are whole numbers: a child that lacks m parents is worth 4^(cap - m), nothing where m is above the cap.
// Then a sink changes the potentials of its parents at most cap times, and a rule costs O(cap * m * log s) for m edges.
// Where all potentials are 0 the sink that lacks the fewest parents says what is executed.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "block_heap.hpp"
#include "block_sides.hpp"

namespace eligo {

// What is executed of a block so far, and what each other source promises.
class Promise {
public:
    static constexpr Node cap = 16;

    static Offset value(Node lacks) { return lacks > cap ? 0 : Offset{1} << 2 * (cap - lacks); }

    explicit Promise(const Sides& block)
        : block_(block), lacks_(block.sinks()), worth_(block.sources(), 0), yield_(block.sources(), 0),
          done_(block.sources(), 0) {
        for (Node t = 0; t < block.sinks(); ++t) {
            lacks_[t] = static_cast<Node>(block.parents.degree(t));
            for (Node u : block.parents.row(t)) {
                worth_[u] += value(lacks_[t]);
                yield_[u] += lacks_[t] == 1;
            }
            if (lacks_[t] > cap) far_.emplace(lacks_[t], t);
        }
    }

    Offset worth(Node u) const { return worth_[u]; }
    Node yield(Node u) const { return yield_[u]; }
    Node lacks(Node t) const { return lacks_[t]; }
    bool done(Node u) const { return done_[u]; }

    // Executes u and calls changed(p) for every source that promises more than before, once for each reason.
    template <class Changed>
    void execute(Node u, Changed changed) {
        done_[u] = 1;
        for (Node t : block_.children.row(u)) {
            const Node lacks = --lacks_[t];
            if (lacks > cap) far_.emplace(lacks, t);
            if (lacks == 0 || lacks > cap) continue;
            const Offset more = value(lacks) - value(lacks + 1);
            for (Node p : block_.parents.row(t)) {
                if (done_[p]) continue;
                worth_[p] += more;
                yield_[p] += lacks == 1;
                changed(p);
            }
        }
    }

    // A parent that the sink with the fewest missing parents lacks; for when nothing promises anything.
    Node towards_nearest_sink() {
        while (lacks_[far_.top().second] != far_.top().first) far_.pop();
        for (Node u : block_.parents.row(far_.top().second))
            if (!done_[u]) return u;
        return -1;  // never: it lacks one
    }

private:
    using Far = std::pair<Node, Node>;
    const Sides& block_;
    std::vector<Node> lacks_;
    std::vector<Offset> worth_;
    std::vector<Node> yield_;
    std::vector<std::uint8_t> done_;
    std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;  // sinks above the cap; outdated entries stay
};

// Appends the sources that are not executed yet, best promise first.
inline void order_rest(const Sides& block, Promise& promise, bool yield_first, std::vector<Node>& order) {
    using Key = std::tuple<Node, Offset, Node>;
    IndexedHeap<Key> waiting(block.sources());
    const auto set = [&](Node u) { waiting.set(u, Key{yield_first ? promise.yield(u) : 0, promise.worth(u), -u}); };
    for (Node u = 0; u < block.sources(); ++u)
        if (!promise.done(u)) set(u);
    while (!waiting.empty()) {
        const Node u = promise.worth(waiting.top()) > 0 ? waiting.top() : promise.towards_nearest_sink();
        order.push_back(u);
        waiting.remove(u);
        promise.execute(u, set);
    }
}

inline std::vector<Node> forward_order(const Sides& block, bool yield_first) {
    Promise promise(block);
    std::vector<Node> order;
    order.reserve(block.sources());
    order_rest(block, promise, yield_first, order);
    return order;
}

inline std::vector<Node> backward_order(const Sides& block) {
    using Key = std::tuple<Offset, Offset, Node>;  // all to be large: what is not lost, what gets cheaper, the number
    IndexedHeap<Key> waiting(block.sources());
    for (Node u = 0; u < block.sources(); ++u) {
        Offset shared = 0;
        for (Node t : block.children.row(u)) shared += block.parents.degree(t);
        waiting.set(u, Key{-block.children.degree(u), shared, u});
    }
    std::vector<std::uint8_t> lost(block.sinks(), 0);
    std::vector<Node> order(block.sources());
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const Node u = *at = waiting.top();
        waiting.remove(u);
        for (Node t : block.children.row(u)) {
            if (std::exchange(lost[t], 1)) continue;
            for (Node p : block.parents.row(t)) {
                if (!waiting.has(p)) continue;
                const auto [kept, shared, number] = waiting.key(p);
                waiting.set(p, Key{kept + 1, shared - block.parents.degree(t), number});
            }
        }
    }
    return order;
}

inline std::vector<Node> outdegree_order(const Sides& block) {
    std::vector<Node> order(block.sources());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Node u, Node v) { return block.children.degree(u) > block.children.degree(v); });
    return order;
}

}  // namespace eligo
