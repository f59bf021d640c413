// Two steps in conflict: no ideal that is optimal at the one lies in an ideal that is optimal at the other.
//
// Such a pair shows at a glance that no IC-optimal schedule exists, but there need not be one where none exists. All
// ideals are visited, in a tree that has each once: from an ideal go to those with one more node, of a higher number
// than all in it (numbers follow the arcs). Only the path to the present ideal is held, and the optimal ideals found.
#pragma once

#include <vector>

#include "exact_model.hpp"
#include "exact_sets.hpp"

namespace eligo {

struct Conflict {
    Node early = -1, late = -1;  // -1 where there is no such pair
};

template <int W>
class ConflictSearch {
public:
    // The nodes of the model must be in a topological order.
    ConflictSearch(const ExactModel& model, std::span<const Offset> best, Budget& budget)
        : model_(model), best_(best), budget_(budget), moves_(model), optimal_(model.size() + 1) {}

    // Looks for pairs whose later step is `from` or above, the closest pair first; of equally close ones the earliest.
    Conflict run(Node from) {
        find_optimal();
        const Node n = model_.size();
        for (Node gap = 1; gap <= n; ++gap)
            for (Node late = std::max(from, gap); late <= n; ++late)
                if (!nested(late - gap, late)) return {late - gap, late};
        return {};
    }

private:
    const ExactModel& model_;
    std::span<const Offset> best_;
    Budget& budget_;
    ExactMoves<W> moves_;
    std::vector<std::vector<Word>> optimal_;  // by size

    void find_optimal() {
        const Sets<W>& sets = moves_.sets;
        const std::size_t words = sets.words();
        std::vector<Word> ideal(words, 0), available((model_.size() + 1) * words), untried(available.size());
        std::vector<Offset> rendered(model_.size() + 1, best_[0]);
        std::vector<Node> last(model_.size() + 1, -1);
        sets.copy(available.data(), moves_.start().data());
        sets.copy(untried.data(), available.data());
        optimal_[0] = ideal;
        for (Node depth = 0;;) {
            Word* here = untried.data() + depth * words;
            const Node v = sets.next(here, 0);
            if (v < 0) {
                if (depth == 0) return;
                sets.drop(ideal.data(), last[depth--]);
                continue;
            }
            budget_.visit(0);
            sets.drop(here, v);
            sets.add(ideal.data(), v);
            Word* next = available.data() + (depth + 1) * words;
            sets.copy(next, available.data() + depth * words);
            moves_.advance(v, ideal.data(), next);
            rendered[depth + 1] = rendered[depth] + moves_.gain(v, ideal.data());
            last[++depth] = v;
            keep_above(v, next, untried.data() + depth * words);
            if (rendered[depth] == best_[depth]) remember(depth, ideal);
        }
    }

    void remember(Node size, const std::vector<Word>& ideal) {
        budget_.charge(moves_.sets.bytes());
        optimal_[size].insert(optimal_[size].end(), ideal.begin(), ideal.end());
    }

    void keep_above(Node v, const Word* from, Word* to) const {
        for (int i = 0; i < moves_.sets.words(); ++i) to[i] = i < v >> 6 ? 0 : from[i];
        to[v >> 6] &= ~Word{0} << (v & 63);
    }

    bool nested(Node early, Node late) {
        const std::size_t words = moves_.sets.words();
        const auto &parts = optimal_[early], &wholes = optimal_[late];
        for (std::size_t part = 0; part < parts.size(); part += words) {
            budget_.charge(static_cast<Offset>(wholes.size()));  // some time, no memory
            for (std::size_t whole = 0; whole < wholes.size(); whole += words)
                if (moves_.sets.within(parts.data() + part, wholes.data() + whole)) return true;
        }
        return false;
    }
};

inline Conflict find_conflict(const ExactModel& model, std::span<const Offset> best, Node from, Budget& budget) {
    return with_width(model.size(), [&](auto width) { return ConflictSearch<width>(model, best, budget).run(from); });
}

}  // namespace eligo
