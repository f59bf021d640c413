// Shortcuts: arcs u -> v for which a longer path leads from u to v. Without them the order of the nodes is the same.
//
// An arc can only be a shortcut if it skips a level and a height, its tail has another child and its head another
// parent. The labels of reach.hpp and short searches settle most of what is left. The open arcs then meet, in turn:
//   landmarks    256 nodes at a time, drawn between tails and heads of open arcs. Two sweeps tell which landmarks
//                lie above and below each node; one that lies below u and above v proves the shortcut;
//   searches     longer ones, within a budget that is linear in n + m;
//   bit sweeps   a sweep carries one bit for each of 512 tails, and a head that receives the bit of a tail from two
//                of its parents closes a shortcut. This decides whatever is left, 512 tails in O(n + m) words.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "reach.hpp"

namespace eligo {

struct Arc {
    Node tail, head;
    Offset at;  // its place in the rows of children
};

template <int Bits>
struct BitRow {
    std::array<std::uint64_t, Bits / 64> word{};

    void set(Node bit) { word[bit / 64] |= std::uint64_t{1} << (bit % 64); }
    bool test(Node bit) const { return word[bit / 64] >> (bit % 64) & 1; }
    void add(const BitRow& other) {
        for (std::size_t i = 0; i < word.size(); ++i) word[i] |= other.word[i];
    }
    void add_common(const BitRow& a, const BitRow& b) {
        for (std::size_t i = 0; i < word.size(); ++i) word[i] |= a.word[i] & b.word[i];
    }
    bool meets(const BitRow& other) const {
        std::uint64_t common = 0;
        for (std::size_t i = 0; i < word.size(); ++i) common |= word[i] & other.word[i];
        return common != 0;
    }
};

class ShortcutFinder {
public:
    // `searches`: the budget for searches, in looked-at arcs for each node and arc of the graph.
    ShortcutFinder(const Renumbered& graph, Offset searches)
        : succ_(graph.succ.view()), pred_(graph.pred.view()), n_(succ_.size()),
          budget_(searches * (n_ + static_cast<Offset>(succ_.idx.size()))),
          found_(succ_.idx.size(), 0), slot_(n_, -1) {
        const ReachLabels labels(graph);
        PathSearch search(graph, labels);
        collect(labels);
        decide_by_search(search, short_search);
        decide_by_landmarks();
        decide_by_search(search, long_search);
        decide_by_bits();
    }

    const std::vector<std::uint8_t>& found() const { return found_; }

private:
    static constexpr Offset short_search = 6, long_search = 2048;
    static constexpr int landmark_bits = 256, tail_bits = 512;
    using LandmarkRow = BitRow<landmark_bits>;
    using TailRow = BitRow<tail_bits>;

    CsrView succ_, pred_;
    Node n_;
    Offset budget_;
    std::vector<std::uint8_t> found_;
    std::vector<Arc> open_;  // undecided, by tail
    std::vector<Node> slot_;  // the bit of a node in the current sweep, or -1

    void collect(const ReachLabels& labels) {
        for (Node u = 0; u < n_; ++u) {
            if (succ_.degree(u) < 2) continue;
            for (Offset at = succ_.ptr[u]; at < succ_.ptr[u + 1]; ++at) {
                const Node v = succ_.idx[at];
                if (pred_.degree(v) >= 2 && labels.level(v) >= labels.level(u) + 2 &&
                    labels.height(u) >= labels.height(v) + 2)
                    open_.push_back({u, v, at});
            }
        }
    }

    void decide_by_search(PathSearch& search, Offset each) {
        std::erase_if(open_, [&](const Arc& arc) {
            const Offset allowed = std::min(each, budget_);
            Offset left = allowed;
            const Answer answer = search.long_path(arc.tail, arc.head, left);
            budget_ -= allowed - left;
            found_[arc.at] = answer == Answer::yes;
            return answer != Answer::gave_up;
        });
    }

    // Rounds go on while each still settles a fair part of the open arcs.
    void decide_by_landmarks() {
        if (open_.size() <= 4 * tail_bits) return;
        std::vector<LandmarkRow> above(n_), below(n_);
        std::uint64_t random = 0x9e3779b97f4a7c15;
        for (std::size_t before = open_.size() * 2; open_.size() > 4 * tail_bits && open_.size() < before / 10 * 9;) {
            before = open_.size();
            place_landmarks(random);
            for (Node v = 0; v < n_; ++v) gather(above, pred_, v);
            for (Node v = n_ - 1; v >= 0; --v) gather(below, succ_, v);
            std::fill(slot_.begin(), slot_.end(), -1);
            std::erase_if(open_, [&](const Arc& arc) {
                return found_[arc.at] = below[arc.tail].meets(above[arc.head]);
            });
        }
    }

    void place_landmarks(std::uint64_t& random) {
        for (Node bit = 0; bit < landmark_bits; ++bit) {
            const Arc& arc = open_[open_.size() * bit / landmark_bits];
            random = random * 6364136223846793005u + 1442695040888963407u;
            slot_[arc.tail + 1 + (random >> 33) % (arc.head - arc.tail - 1)] = bit;
        }
    }

    // The landmarks strictly before v along `rows`.
    void gather(std::vector<LandmarkRow>& reached, CsrView rows, Node v) const {
        LandmarkRow row;
        for (Node u : rows.row(v)) {
            row.add(reached[u]);
            if (slot_[u] >= 0) row.set(slot_[u]);
        }
        reached[v] = row;
    }

    void decide_by_bits() {
        std::vector<TailRow> rows;
        for (std::size_t begin = 0, end = 0; begin < open_.size(); begin = end) {
            Node tails = 0;
            for (; end < open_.size(); ++end) {
                Node& slot = slot_[open_[end].tail];
                if (slot >= 0) continue;
                if (tails == tail_bits) break;
                slot = tails++;
            }
            const std::span<Arc> batch(open_.begin() + begin, open_.begin() + end);
            const Node low = batch.front().tail;
            std::sort(batch.begin(), batch.end(), [](const Arc& a, const Arc& b) { return a.head < b.head; });
            sweep(batch, low, rows);
            for (const Arc& arc : batch) slot_[arc.tail] = -1;
        }
    }

    void sweep(std::span<const Arc> by_head, Node low, std::vector<TailRow>& rows) {
        const Node high = by_head.back().head;
        rows.resize(high - low + 1);
        auto next = by_head.begin();
        for (Node v = low; v <= high; ++v) {
            TailRow once, twice;
            const bool asked = next != by_head.end() && next->head == v;
            for (Node u : pred_.row(v)) {
                if (u < low) continue;
                if (asked) twice.add_common(once, rows[u - low]);
                once.add(rows[u - low]);
            }
            for (; next != by_head.end() && next->head == v; ++next) found_[next->at] = twice.test(slot_[next->tail]);
            if (slot_[v] >= 0) once.set(slot_[v]);
            rows[v - low] = once;
        }
    }
};

// mask[e] = 1 where the e-th arc, in the order of the rows of children, is a shortcut.
inline std::vector<std::uint8_t> shortcuts(CsrView succ, CsrView pred, Offset searches) {
    const Renumbered graph(succ, pred);
    const ShortcutFinder finder(graph, searches);
    const CsrView rows = graph.succ.view();
    std::vector<std::uint8_t> mask(succ.idx.size(), 0);
    std::vector<Node> closed_by(succ.size(), -1);
    for (Node u = 0; u < succ.size(); ++u) {
        const Node i = graph.number[u];
        for (Offset at = rows.ptr[i]; at < rows.ptr[i + 1]; ++at)
            if (finder.found()[at]) closed_by[graph.order[rows.idx[at]]] = u;
        for (Offset at = succ.ptr[u]; at < succ.ptr[u + 1]; ++at) mask[at] = closed_by[succ.idx[at]] == u;
    }
    return mask;
}

}  // namespace eligo
