// The packet rule for bipartite blocks: a packet is the set of parents that some sink lacks; execute the one that
// completes the most sinks for each source it takes, and so on. Of equal ratios the smaller packet, then that of larger
// potential, then that of the lower sink. Within a packet the sources that make the most sinks ELIGIBLE at once go
// first, then those of larger potential.
//
// A packet completes the sinks whose missing parents all lie in it. These counts are kept up to date: when u is
// executed, the packets with u get smaller and lose the sinks that u completes; each other child of u, lacking less
// now, adds to the potential of its parents and may fit into packets that never had u. Packets above a cap are not
// considered. The work is counted in looked-at edges and bounded: where it is used up, potentials order the rest.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "block_rules.hpp"

namespace eligo {

class PacketRule {
public:
    PacketRule(const Sides& block, Offset budget)
        : block_(block), budget_(budget), promise_(block), waiting_(block.sinks()), now_(block.sinks()),
          hits_(block.sinks(), 0), had_(block.sinks(), 0), changed_(block.sinks(), 0) {}

    std::vector<Node> run() {
        order_.reserve(block_.sources());
        for (Node t = 0; t < block_.sinks() && budget_ > 0; ++t) weigh(t);
        while (budget_ > 0 && !waiting_.empty()) execute_packet(waiting_.top());
        order_rest(block_, promise_, false, order_);
        return std::move(order_);
    }

private:
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
    std::vector<Key> now_;  // keys as they are; the heap learns of them when all that one step changes is known
    std::vector<Node> hits_, touched_, order_, to_set_;
    std::vector<std::uint8_t> had_, changed_;  // had_: is a child of the source just executed

    // Calls visit(other) for the sinks that share a parent with t that t lacks, as often as they do.
    template <class Visit>
    void visit_sharing(Node t, Visit visit) {
        for (Node u : block_.parents.row(t)) {
            if (promise_.done(u)) continue;
            budget_ -= block_.children.degree(u);
            for (Node other : block_.children.row(u)) visit(other);
        }
        for (Node other : touched_) hits_[other] = 0;
        touched_.clear();
    }

    // How often a sink came up while one other was looked at.
    Node hit(Node t) {
        if (hits_[t] == 0) touched_.push_back(t);
        return ++hits_[t];
    }

    void weigh(Node t) {
        const Node size = promise_.lacks(t);
        if (size == 0 || size > Promise::cap) return;
        Key key{0, size, 0, t};
        visit_sharing(t, [&](Node other) {
            if (promise_.lacks(other) <= size) key.completed += hit(other) == promise_.lacks(other);
        });
        for (Node u : block_.parents.row(t))
            if (!promise_.done(u)) key.worth += promise_.worth(u);
        now_[t] = key;
        waiting_.set(t, key);
    }

    void execute_packet(Node sink) {
        std::vector<Node> packet;
        for (Node u : block_.parents.row(sink))
            if (!promise_.done(u)) packet.push_back(u);
        while (!packet.empty()) {
            const auto next = std::max_element(packet.begin(), packet.end(), [&](Node u, Node v) {
                return std::tuple(promise_.yield(u), promise_.worth(u), -u) <
                       std::tuple(promise_.yield(v), promise_.worth(v), -v);
            });
            const Node u = *next, completed = promise_.yield(u);
            packet.erase(next);
            order_.push_back(u);
            promise_.execute(u, [](Node) {});
            shrink_packets_with(u, completed);
            for (Node t : block_.children.row(u)) tell_sharing(t);
            for (Node t : block_.children.row(u)) {
                had_[t] = 0;
                if (promise_.lacks(t) == Promise::cap) weigh(t);
            }
            for (Node t : to_set_) {
                changed_[t] = 0;
                waiting_.set(t, now_[t]);
            }
            to_set_.clear();
        }
    }

    void note_change(Node t) {
        if (changed_[t]) return;
        changed_[t] = 1;
        to_set_.push_back(t);
    }

    void shrink_packets_with(Node u, Node completed) {
        budget_ -= block_.children.degree(u);
        for (Node t : block_.children.row(u)) {
            had_[t] = 1;
            if (!waiting_.has(t)) continue;
            if (promise_.lacks(t) == 0) {
                waiting_.remove(t);
                continue;
            }
            now_[t].completed -= completed;
            now_[t].size = promise_.lacks(t);
            now_[t].worth -= promise_.worth(u);
            note_change(t);
        }
    }

    // A parent of t was executed: t raises the potentials of those it lacks, and may be completed by more packets.
    void tell_sharing(Node t) {
        const Node size = promise_.lacks(t);
        if (size == 0 || size > Promise::cap) return;
        const Offset more = Promise::value(size) - Promise::value(size + 1);
        visit_sharing(t, [&](Node other) {
            if (!waiting_.has(other)) return;
            now_[other].worth += more;
            now_[other].completed += !had_[other] && hit(other) == size;
            note_change(other);
        });
    }
};

}  // namespace eligo
