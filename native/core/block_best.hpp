// The best of all rules for a bipartite block: each rule is also run on the dual block, and its order turned back by
// packets. An order of the dual executes sinks; a source is ready there once all its children are executed. The sources
// that get ready at the same step form a packet, and the block executes packets last to first. (Of an IC-optimal order
// this makes an IC-optimal one; of a good order a good one.)
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "block_packets.hpp"
#include "block_rules.hpp"

namespace eligo {

enum class Rule {
    potential,
    yield,
    packet,
    backward,
    dual_potential,
    dual_yield,
    dual_packet,
    dual_backward,
    outdegree
};

inline std::vector<Node> reversed_by_packets(const Sides& block, const std::vector<Node>& sinks) {
    std::vector<Node> place(sinks.size()), last(block.sources(), 0), order(block.sources());
    for (std::size_t i = 0; i < sinks.size(); ++i) place[sinks[i]] = static_cast<Node>(i);
    for (Node u = 0; u < block.sources(); ++u)
        for (Node t : block.children.row(u)) last[u] = std::max(last[u], place[t]);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Node u, Node v) { return last[u] > last[v]; });
    return order;
}

// `packet_budget`: how many edges the packet rule may look at.
inline std::vector<Node> rule_order(const Sides& block, Rule rule, Offset packet_budget) {
    switch (rule) {
        case Rule::potential: return forward_order(block, false);
        case Rule::yield: return forward_order(block, true);
        case Rule::packet: return PacketRule(block, packet_budget).run();
        case Rule::backward: return backward_order(block);
        case Rule::outdegree: return outdegree_order(block);
        default: break;
    }
    const Sides dual(block.parents, block.sources());
    const Rule inner = static_cast<Rule>(static_cast<int>(rule) - static_cast<int>(Rule::dual_potential));
    return reversed_by_packets(block, rule_order(dual, inner, packet_budget));
}

// Whether the increments of e alone prove an order optimal: by falling, or by falling in the dual. There a packet of
// sinks yields nothing until its last, so all must be single, and the sources between two of them must not get fewer.
inline bool settles(const std::vector<Offset>& gain) {
    if (std::is_sorted(gain.rbegin(), gain.rend())) return true;
    Offset wait = 0, least = 0;
    for (Offset y : gain) {
        ++wait;
        if (y == 0) continue;
        if (y > 1 || wait < least) return false;
        least = std::exchange(wait, 0);
    }
    return true;
}

struct RuleChoice {
    std::vector<Node> order;
    std::vector<Offset> gain;
    Rule rule;
};

inline constexpr std::array all_rules{Rule::potential, Rule::yield, Rule::packet, Rule::backward, Rule::dual_potential,
                                      Rule::dual_yield, Rule::dual_packet, Rule::dual_backward, Rule::outdegree};

// The order of largest AREA, of equals the first; the first that is proved optimal by its increments ends the search.
inline RuleChoice best_rule(const Sides& block, std::span<const Rule> rules, Offset packet_budget) {
    RuleChoice best{{}, {}, rules[0]};
    Offset most = -1;
    for (Rule rule : rules) {
        std::vector<Node> order = rule_order(block, rule, packet_budget);
        std::vector<Offset> gain = gains_of(block, order);
        Offset area = 0;
        for (std::size_t i = 0; i < gain.size(); ++i) area += gain[i] * static_cast<Offset>(gain.size() - i);
        if (area <= most) continue;
        most = area;
        best = {std::move(order), std::move(gain), rule};
        if (settles(best.gain)) break;
    }
    return best;
}

// Fewer rules for large blocks.
inline RuleChoice best_rule(const Sides& block, Offset packet_budget, Offset most_edges_for_all) {
    static constexpr std::array few{Rule::potential, Rule::packet, Rule::dual_potential, Rule::outdegree};
    const bool large = static_cast<Offset>(block.children.idx.size()) > most_edges_for_all;
    return best_rule(block, large ? std::span<const Rule>(few) : std::span<const Rule>(all_rules), packet_budget);
}

}  // namespace eligo
