// Orders of small peak for any dag, one ready node after the other.
//
// A node that lowers the memory, or leaves it, runs as soon as it is ready, the lowest hill first: it costs no later node
// anything. Of those that raise it, a rule takes the most promising. What a node costs falls in the course of the
// execution: the last reader of a datum frees it. So do promises: a node that is the last parent missing of one that
// lowers the memory may count what that one frees. All are kept up to date in heaps: O((n + m + readers) log n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "sequential_costs.hpp"

namespace eligo {

// Which of the ready nodes that raise the memory runs next.
enum class Rising {
    least_net,     // the one that raises it least
    least_behind,  // ... counting what the children that it makes ready free at once
    least_share,   // ... counting its share in what children and data free that wait for several
    newest,        // the one that became ready last: what was begun is finished first
    steepest,      // the one with the highest hill above what it leaves: right among parts that never come down again
};
inline constexpr int rising_rules = 5;

class SmallPeakGreedy {
public:
    SmallPeakGreedy(const CostDag& dag, Rising rule)
        : dag_(dag), rule_(rule), course_(dag), missing_(dag.nodes()), parents_left_(dag.nodes(), 0),
          behind_(dag.nodes(), 0), promised_(dag.nodes(), 0), version_(dag.nodes(), 0), since_(dag.nodes(), 0) {}

    std::vector<Node> order() {
        const Node n = dag_.nodes();
        if (rule_ == Rising::least_share) share();
        for (Node v = 0; v < n; ++v) {
            missing_[v] = static_cast<Node>(dag_.pred.view().degree(v));
            for (Node p : dag_.pred.view().row(v)) parents_left_[v] ^= p;
        }
        for (Node v = 0; v < n; ++v)
            if (missing_[v] == 1) promise(v);
        for (Node v = n - 1; v >= 0; --v)
            if (missing_[v] == 0) offer(v);
        std::vector<Node> order;
        order.reserve(n);
        while (static_cast<Node>(order.size()) < n) {
            const Node v = take();
            order.push_back(v);
            run(v);
        }
        return order;
    }

private:
    struct Offer {
        Bytes first, second;
        Node node;
        std::uint32_t version;
        bool operator>(const Offer& other) const {
            return std::tie(first, second, node) > std::tie(other.first, other.second, other.node);
        }
    };
    using Heap = std::priority_queue<Offer, std::vector<Offer>, std::greater<>>;

    const CostDag& dag_;
    const Rising rule_;
    Course course_;
    std::vector<Node> missing_, parents_left_;  // how many parents have not run, and the exclusive or of these
    std::vector<Bytes> behind_;                 // what a node may count besides its own net
    std::vector<Bytes> promised_;               // what a node has told its last parent
    std::vector<std::uint32_t> version_;
    std::vector<Node> since_;
    Node clock_ = 0;
    Heap falling_, rising_;

    void run(Node v) {
        const auto children = dag_.succ.view().row(v);
        for (auto at = children.rbegin(); at != children.rend(); ++at) {
            parents_left_[*at] ^= v;
            --missing_[*at];
        }
        course_.run(v, [&](Node w) { review(w); });
        for (auto at = children.rbegin(); at != children.rend(); ++at) review(*at);
    }

    void review(Node v) {
        if (missing_[v] == 0) offer(v);
        else if (missing_[v] == 1) promise(v);
    }

    // Tells the last parent missing what its child will free.
    void promise(Node child) {
        if (rule_ != Rising::least_behind || course_.net(child) >= 0) return;
        const Node parent = parents_left_[child];
        behind_[parent] += course_.net(child) - std::exchange(promised_[child], course_.net(child));
        if (missing_[parent] == 0) offer(parent);
    }

    void share() {
        for (Node v = 0; v < dag_.nodes(); ++v) {
            if (course_.net(v) >= 0) continue;
            const auto parents = dag_.pred.view().row(v);
            for (Node p : parents) behind_[p] += course_.net(v) / static_cast<Bytes>(parents.size());
        }
        for (Node d = 0; d < dag_.data(); ++d) {
            const auto closers = dag_.closers.view().row(d);
            if (closers.size() > 1)
                for (Node v : closers) behind_[v] -= dag_.size[d] / static_cast<Bytes>(closers.size());
        }
    }

    void offer(Node v) {
        if (since_[v] == 0) since_[v] = ++clock_;
        const std::uint32_t version = ++version_[v];
        const Bytes hill = course_.hill(v), net = course_.net(v);
        if (net <= 0) {
            falling_.push({hill, net, v, version});
            return;
        }
        switch (rule_) {
            case Rising::least_net: rising_.push({net, hill, v, version}); break;
            case Rising::least_behind:
            case Rising::least_share: rising_.push({net + behind_[v], hill, v, version}); break;
            case Rising::newest: rising_.push({-since_[v], 0, v, version}); break;
            case Rising::steepest: rising_.push({net - hill, net, v, version}); break;
        }
    }

    Node take() {
        for (Heap* heap : {&falling_, &rising_})
            while (!heap->empty()) {
                const Offer best = heap->top();
                heap->pop();
                if (best.version == version_[best.node]) {
                    ++version_[best.node];
                    return best.node;
                }
            }
        return -1;  // never: a dag that has not run has a ready node
    }
};

inline std::vector<Node> greedy_order(const CostDag& dag, Rising rule) { return SmallPeakGreedy(dag, rule).order(); }

// The ready node of the lowest rank goes first.
inline std::vector<Node> by_rank(const CostDag& dag, std::span<const Node> rank) {
    const Node n = dag.nodes();
    std::vector<Node> missing(n), node(n), order;
    order.reserve(n);
    std::priority_queue<Node, std::vector<Node>, std::greater<>> ready;
    for (Node v = 0; v < n; ++v) {
        node[rank[v]] = v;
        missing[v] = static_cast<Node>(dag.pred.view().degree(v));
        if (missing[v] == 0) ready.push(rank[v]);
    }
    while (!ready.empty()) {
        order.push_back(node[ready.top()]);
        ready.pop();
        for (Node w : dag.succ.view().row(order.back()))
            if (--missing[w] == 0) ready.push(rank[w]);
    }
    return order;
}

}  // namespace eligo
