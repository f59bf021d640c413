// A heap of the numbers 0..n-1 by keys that change: the largest key on top. Keys must differ, so that results never
// depend on how the heap was filled; rules put the number itself into the key as the last resort.
#pragma once

#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

template <class Key>
class IndexedHeap {
public:
    explicit IndexedHeap(Node n) : place_(n, absent), key_(n) { heap_.reserve(n); }

    bool empty() const { return heap_.empty(); }
    Node top() const { return heap_[0]; }
    bool has(Node v) const { return place_[v] != absent; }
    const Key& key(Node v) const { return key_[v]; }

    void set(Node v, const Key& key) {
        key_[v] = key;
        if (!has(v)) {
            place_[v] = static_cast<Node>(heap_.size());
            heap_.push_back(v);
        }
        if (!rise(place_[v])) sink(place_[v]);
    }

    void remove(Node v) {
        const Node at = place_[v], last = heap_.back();
        place_[v] = absent;
        heap_.pop_back();
        if (last == v) return;
        heap_[at] = last;
        place_[last] = at;
        if (!rise(at)) sink(at);
    }

private:
    static constexpr Node absent = -1;
    std::vector<Node> heap_, place_;
    std::vector<Key> key_;

    void put(Node at, Node v) {
        heap_[at] = v;
        place_[v] = at;
    }

    bool rise(Node at) {
        const Node v = heap_[at], from = at;
        for (; at > 0 && key_[heap_[(at - 1) / 2]] < key_[v]; at = (at - 1) / 2) put(at, heap_[(at - 1) / 2]);
        put(at, v);
        return at != from;
    }

    void sink(Node at) {
        const Node v = heap_[at], size = static_cast<Node>(heap_.size());
        while (true) {
            Node child = 2 * at + 1;
            if (child >= size) break;
            child += child + 1 < size && key_[heap_[child]] < key_[heap_[child + 1]];
            if (!(key_[v] < key_[heap_[child]])) break;
            put(at, heap_[child]);
            at = child;
        }
        put(at, v);
    }
};

}  // namespace eligo
