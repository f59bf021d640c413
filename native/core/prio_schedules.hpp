// An order for each structure of block: step 3 of Malewicz, Foster, Rosenberg and Wilde 2006, section 3.1, mended.
//
// Complete blocks, cycles and sums of strands have orders that are known to be optimal. Any other block is ordered in
// several ways, and the order of largest AREA is kept, of equals the first: by rules (block_best.hpp; greedy.hpp where
// it is not bipartite), by the numbers of its sources, and as its jobs stand in an order of the whole dag, if one is
// given for a guide. An order whose gains never grow, or never in the dual, is optimal however it was found.
//
// Rules cost 0.1 to 2 microseconds an arc, and there are nine. So all nine are tried while the blocks that got them
// have few arcs together, then three, then two: what a dag costs stays near-linear in its arcs.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "block_best.hpp"
#include "block_shapes.hpp"
#include "block_structures.hpp"
#include "greedy.hpp"
#include "order.hpp"
#include "strands.hpp"

namespace eligo {

struct StructureOrders {
    std::vector<Offset> ptr{0};
    std::vector<Node> order;           // of the non-sinks of a structure, numbered ascending among themselves
    std::vector<Offset> gain;          // what each makes ELIGIBLE
    std::vector<Node> sources;         // of each structure: how many of its non-sinks are ELIGIBLE at first
    std::vector<std::uint8_t> proved;  // whether no order is better at any step
};

class StructureScheduler {
public:
    // `guide`: an order of all nodes, or nothing.
    StructureScheduler(const BlockRows& blocks, const BlockNumbers& numbers, CsrView pred, std::span<const Node> guide)
        : blocks_(blocks), numbers_(numbers), pred_(pred), rank_(pred.size()), place_(pred.size()) {
        if (!guide.empty()) guided_ = by_block(guide);
    }

    // The structures are told by a block each.
    StructureOrders run(std::span<const Node> first) {
        for (Node block : first) {
            block_ = block;
            out_.sources.push_back(static_cast<Node>(blocks_.nonsinks.degree(block)));
            if (blocks_.complete(block)) put_complete();
            else if (blocks_.bipartite[block]) put_bipartite();
            else put_general();
            out_.ptr.push_back(static_cast<Offset>(out_.order.size()));
        }
        return std::move(out_);
    }

private:
    static constexpr Offset all_rules_arcs = 20'000, few_rules_arcs = 150'000, packet_budget = 1'000'000;
    static constexpr Outlook outlook{128, 8};
    static constexpr std::array few_rules{Rule::potential, Rule::backward, Rule::dual_potential};

    struct Choice {
        std::vector<Node> order;
        std::vector<Offset> gain;
        Offset area = -1;
    };

    const BlockRows& blocks_;
    const BlockNumbers& numbers_;
    CsrView pred_;
    std::vector<Node> rank_, place_;  // of the non-sinks of the block: among themselves, and in the order looked at
    Csr guided_;                      // the non-sinks of each block in the order of the guide
    StructureOrders out_;
    Offset ruled_ = 0;  // arcs of the blocks ordered by rules so far
    Node block_ = 0;

    Csr by_block(std::span<const Node> guide) const {
        const Node none = blocks_.count();  // sinks, in a row of their own
        std::vector<Node> of(guide.size(), none), key(guide.size());
        for (Node b = 0; b < none; ++b)
            for (Node v : blocks_.nonsinks.row(b)) of[v] = b;
        for (std::size_t i = 0; i < guide.size(); ++i) key[i] = of[guide[i]];
        return group_by(none + 1, key, guide);
    }

    void put(const std::vector<Node>& order, const std::vector<Offset>& gain, bool proved) {
        out_.order.insert(out_.order.end(), order.begin(), order.end());
        out_.gain.insert(out_.gain.end(), gain.begin(), gain.end());
        out_.proved.push_back(proved);
    }

    void put_complete() {
        const std::size_t begin = out_.order.size(), end = begin + out_.sources.back();
        out_.order.resize(end);
        std::iota(out_.order.begin() + static_cast<std::ptrdiff_t>(begin), out_.order.end(), 0);
        out_.gain.resize(end, 0);
        out_.gain.back() = blocks_.heads.degree(block_);
        out_.proved.push_back(true);
    }

    void put_bipartite() {
        const Csr arcs = numbers_.arcs_of(block_);
        const Sides block(arcs.view(), static_cast<Node>(blocks_.heads.degree(block_)));
        std::vector<Node> known = known_order(block);
        if (!known.empty()) return put(known, gains_of(block, known), true);
        ruled_ += static_cast<Offset>(arcs.idx.size());
        RuleChoice by_rule = best_rule(block, rules(), packet_budget);
        Choice best;
        take_better(best, std::move(by_rule.order), std::move(by_rule.gain));
        if (settles(best.gain)) return put(best.order, best.gain, true);
        add_plain_orders(best);
        put(best.order, best.gain, settles(best.gain));
    }

    static std::vector<Node> known_order(const Sides& block) {
        std::vector<Node> order = cycle_row(block);
        const auto arcs = static_cast<Offset>(block.children.idx.size());
        if (order.empty() && arcs < block.sources() + block.sinks()) {
            const StrandRows strands = StrandFinder(block).run();
            if (!strands.start.empty()) order = StrandGreedy(block, strands.sources, strands.start).run();
        }
        return order;
    }

    std::span<const Rule> rules() const {
        if (ruled_ <= all_rules_arcs) return all_rules;
        return std::span<const Rule>(few_rules).first(ruled_ <= few_rules_arcs ? 3 : 2);
    }

    void put_general() {
        const auto nonsinks = blocks_.nonsinks.row(block_);
        out_.sources.back() -= inner_jobs();
        ruled_ += blocks_.arcs(block_);
        Choice best;
        if (guided_.idx.empty() || ruled_ <= few_rules_arcs) {
            const Csr succ = numbers_.arcs_of(block_), pred = transpose(succ.view());
            const Renumbered dag =
                renumber(succ.view(), pred.view(), topological_order(succ.view(), pred.view()));
            std::vector<Node> order = GreedyOrder(dag, outlook, {}).run(), rank(dag.size());
            for (std::size_t i = 0; i < nonsinks.size(); ++i) rank[numbers_.tail(nonsinks[i])] = static_cast<Node>(i);
            for (Node& v : order) v = rank[dag.old[v]];
            std::vector<Offset> gain = gains(order);
            take_better(best, std::move(order), std::move(gain));
        }
        add_guided_order(best);
        put(best.order, best.gain, std::is_sorted(best.gain.rbegin(), best.gain.rend()));
    }

    // How many non-sinks of the block are heads of it.
    Node inner_jobs() const {
        const auto heads = blocks_.heads.row(block_);
        Node count = 0;
        auto at = heads.begin();
        for (Node v : blocks_.nonsinks.row(block_)) {
            at = std::lower_bound(at, heads.end(), v);
            count += at != heads.end() && *at == v;
        }
        return count;
    }

    void add_plain_orders(Choice& best) {
        std::vector<Node> ascending(blocks_.nonsinks.degree(block_));
        std::iota(ascending.begin(), ascending.end(), 0);
        std::vector<Offset> gain = gains(ascending);
        take_better(best, std::move(ascending), std::move(gain));
        add_guided_order(best);
    }

    void add_guided_order(Choice& best) {
        if (guided_.idx.empty()) return;
        const auto nonsinks = blocks_.nonsinks.row(block_), guided = guided_.view().row(block_);
        for (std::size_t i = 0; i < nonsinks.size(); ++i) rank_[nonsinks[i]] = static_cast<Node>(i);
        std::vector<Node> order(guided.begin(), guided.end());
        for (Node& v : order) v = rank_[v];
        std::vector<Offset> gain = gains(order);
        take_better(best, std::move(order), std::move(gain));
    }

    std::vector<Offset> gains(std::span<const Node> order) {
        const auto nonsinks = blocks_.nonsinks.row(block_);
        for (std::size_t i = 0; i < order.size(); ++i) place_[nonsinks[order[i]]] = static_cast<Node>(i);
        std::vector<Offset> gain(order.size(), 0);
        for (Node v : blocks_.heads.row(block_)) {
            Node last = 0;
            for (Node u : pred_.row(v)) last = std::max(last, place_[u]);
            ++gain[last];
        }
        return gain;
    }

    static void take_better(Choice& best, std::vector<Node> order, std::vector<Offset> gain) {
        Offset area = 0, e = 0;
        for (Offset more : gain) area += e += more;
        if (area > best.area) best = {std::move(order), std::move(gain), area};
    }
};

}  // namespace eligo
