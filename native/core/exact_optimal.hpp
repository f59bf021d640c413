// All IC-optimal schedules at once: is there one, how many, and where do they die if there is none?
//
// At step N every IC-optimal schedule has executed exactly the N non-sinks: an ideal of size N that lacks one lacks the
// ELIGIBLE child of it, and E(N) = n - N is out of reach. So no sink is executed early, an IC-optimal schedule is an
// order of the non-sinks whose ideals all are optimal, rendered(I) = A(|I|), followed by the sinks in any order.
// The walk goes layer by layer over the optimal ideals that optimal steps reach, adding up the number of ways to each.
// Layers are dropped behind; one way back to the start is kept, 8 bytes an ideal.
// Cost: the optimal ideals times the jobs available in each; far below the number of ideals.
#pragma once

#include <vector>

#include "exact_model.hpp"
#include "exact_sets.hpp"

namespace eligo {

struct OptimalOrders {
    Node reached = 0;          // the last layer that is not empty; N where schedules exist
    std::vector<Node> order;   // of the nodes, where one exists
    std::vector<Word> number;  // of orders of the nodes, up to twins
};

// Where a state came from.
struct Origin {
    std::uint32_t from;
    Node node;
};

template <int W>
class OptimalWalk {
public:
    OptimalWalk(const ExactModel& model, std::span<const Offset> best, Budget& budget)
        : model_(model), best_(best), budget_(budget), moves_(model), layer_(moves_.sets), next_(moves_.sets),
          ideal_(moves_.sets.words()) {}

    OptimalOrders run() {
        std::fill(ideal_.begin(), ideal_.end(), 0);
        layer_.sets.insert(ideal_.data());
        layer_.available = moves_.start();
        layer_.ways.append();
        *layer_.ways[0] = 1;
        trail_.assign(1, {{0, -1}});
        OptimalOrders out;
        while (out.reached < model_.size() && step(out.reached)) ++out.reached;
        if (out.reached < model_.size()) return out;
        out.number = layer_.ways.take();
        out.order = way_back();
        return out;
    }

private:
    struct Layer {
        SetTable<W> sets;
        std::vector<Word> available;
        Numbers ways;

        explicit Layer(Sets<W> kind) : sets(kind) {}
    };

    const ExactModel& model_;
    std::span<const Offset> best_;
    Budget& budget_;
    ExactMoves<W> moves_;
    Layer layer_, next_;
    std::vector<Word> ideal_;
    std::vector<std::vector<Origin>> trail_;

    // Moves on by one layer unless that would be empty.
    bool step(Node done) {
        const Sets<W>& sets = moves_.sets;
        const Offset wanted = best_[done + 1] - best_[done];
        next_.ways = Numbers(layer_.ways.words_for_sums(done + 1));  // an ideal has at most as many before it
        trail_.emplace_back();
        for (std::uint32_t s = 0; s < layer_.sets.size(); ++s) {
            sets.copy(ideal_.data(), layer_.sets[s]);
            sets.each(layer_.available.data() + std::size_t{s} * sets.words(), [&](Node v) {
                sets.add(ideal_.data(), v);
                if (moves_.gain(v, ideal_.data()) == wanted) enter(s, v);
                sets.drop(ideal_.data(), v);
            });
        }
        if (next_.sets.size() == 0) return false;
        std::swap(layer_, next_);
        next_.sets.clear();
        next_.available.clear();
        return true;
    }

    void enter(std::uint32_t from, Node v) {
        const int words = moves_.sets.words();
        const auto [to, fresh] = next_.sets.insert(ideal_.data());
        if (fresh) {
            budget_.visit(2 * moves_.sets.bytes() + next_.ways.bytes() + 2 * sizeof(Origin));
            trail_.back().push_back({from, v});
            const Word* available = layer_.available.data() + std::size_t{from} * words;
            next_.available.insert(next_.available.end(), available, available + words);
            moves_.advance(v, ideal_.data(), next_.available.data() + std::size_t{to} * words);
            next_.ways.append();
        }
        next_.ways.add(to, layer_.ways, from);
    }

    std::vector<Node> way_back() const {
        std::vector<Node> order(model_.size());
        std::uint32_t state = 0;
        for (std::size_t layer = order.size(); layer > 0; --layer) {
            order[layer - 1] = trail_[layer][state].node;
            state = trail_[layer][state].from;
        }
        return order;
    }
};

inline OptimalOrders optimal_orders(const ExactModel& model, std::span<const Offset> best, Budget& budget) {
    return with_width(model.size(), [&](auto width) { return OptimalWalk<width>(model, best, budget).run(); });
}

}  // namespace eligo
