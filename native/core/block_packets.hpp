// The packet rule for bipartite blocks: a packet is the set of parents that some sink lacks; execute the one that completes the
// most sinks for each source it takes, and so on. Equal ratios: the smaller packet, then the one whose sources promise more, then the lower sink.
// Within a packet the sources that make the most sinks ELIGIBLE at once go first.
//
// A packet completes the sinks whose missing parents all lie in it. When sources are executed, this changes for the sinks that
// share a missing parent with a child of theirs; they are looked at again. Packets above a cap are not considered. The
// work is counted in looked-at edges and bounded: where it is used up, the rest is ordered by potentials.
#pragma once

#include <algorithm>
#include <vector>

#include "block_rules.hpp"

namespace eligo {

class PacketRule {
public:
    PacketRule(const Sides& block, Offset budget)
        : block_(block), budget_(budget), promise_(block), waiting_(block.sinks()), hits_(block.sinks(), 0),
          stale_(block.sinks(), 0) {}

    std::vector<Node> run() {
        order_.reserve(block_.sources());
        for (Node t = 0; t < block_.sinks() && budget_ > 0; ++t) weigh(t);
        while (budget_ > 0 && !waiting_.empty()) execute_packet(waiting_.top());
        order_rest(block_, promise_, false, order_);
        return std::move(order_);
    }

private:
    static constexpr Node cap = 12;

    struct Key {
        Node completed = 0, size = 1;
        Offset worth = 0;
        Node sink = 0;

        bool operator<(const Key& other) const {
            const Offset mine = Offset{completed} * other.size, theirs = Offset{other.completed} * size;
            if (mine != theirs) return mine < theirs;
            if (size != other.size) return size > other.size;
            return worth != other.worth ? worth < other.worth : sink > other.sink;
        }
    };

    const Sides& block_;
    Offset budget_;
    Promise promise_;
    IndexedHeap<Key> waiting_;
    std::vector<Node> hits_, order_, touched_, again_;
    std::vector<std::uint8_t> stale_;

    void weigh(Node t) {
        const Node size = promise_.lacks(t);
        if (size == 0 || size > cap) return;
        Key key{0, size, 0, t};
        touched_.clear();
        for (Node u : block_.parents.row(t)) {
            if (promise_.done(u)) continue;
            key.worth += promise_.worth(u);
            budget_ -= block_.children.degree(u);
            for (Node other : block_.children.row(u)) {
                const Node lacks = promise_.lacks(other);
                if (lacks > size) continue;
                if (hits_[other]++ == 0) touched_.push_back(other);
                key.completed += hits_[other] == lacks;
            }
        }
        for (Node other : touched_) hits_[other] = 0;
        waiting_.set(t, key);
    }

    void execute_packet(Node sink) {
        std::vector<Node> packet;
        for (Node u : block_.parents.row(sink))
            if (!promise_.done(u)) packet.push_back(u);
        again_.clear();
        while (!packet.empty()) {
            const auto next = std::max_element(packet.begin(), packet.end(), [&](Node u, Node v) {
                return std::tuple(promise_.yield(u), promise_.worth(u), -u) <
                       std::tuple(promise_.yield(v), promise_.worth(v), -v);
            });
            const Node u = *next;
            packet.erase(next);
            order_.push_back(u);
            promise_.execute(u, [](Node) {});
            mark_children(u);
        }
        for (Node t : again_) {
            stale_[t] = 0;
            weigh(t);
        }
    }

    // Sinks completed leave the heap; those that share a missing parent with a changed one are to be weighed again.
    void mark_children(Node u) {
        for (Node t : block_.children.row(u)) {
            if (promise_.lacks(t) == 0) {
                if (waiting_.has(t)) waiting_.remove(t);
                continue;
            }
            if (promise_.lacks(t) > cap) continue;
            for (Node p : block_.parents.row(t)) {
                if (promise_.done(p)) continue;
                budget_ -= block_.children.degree(p);
                for (Node other : block_.children.row(p)) {
                    if (stale_[other] || promise_.lacks(other) > cap) continue;
                    stale_[other] = 1;
                    again_.push_back(other);
                }
            }
        }
    }
};

}  // namespace eligo
