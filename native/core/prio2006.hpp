// The heuristic of Malewicz, Foster, Rosenberg and Wilde 2006, section 3.1, as printed, made valid.
//
// The dag comes without shortcuts (step 1). The other steps are the decomposition (prio2006_decompose.hpp), an order
// for every part (prio2006_parts.hpp), priorities (r_priority.hpp) and the greedy choice (superdag_queue.hpp). Only
// this is added: a part also waits for the parts that lost arcs come from, without which the order may be none of the
// dag's.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "prio2006_parts.hpp"
#include "superdag_queue.hpp"
#include "yield_classes.hpp"

namespace eligo {

class Prio2006 {
public:
    Prio2006(CsrView succ, CsrView pred)
        : succ_(succ), parts_(Decomposition2006(succ, pred).run()), plans_(Planner2006(succ, pred, parts_).run()) {}

    // The non-sinks in order, then the sinks, ascending. `budget` counts the values of profiles that are looked at; to
    // need more throws OverWork.
    std::vector<Node> run(Value budget) {
        const PartYields yields{plans_.order.ptr, plans_.gain, plans_.sources};
        const YieldClasses classes(yields);
        std::vector<Profile> profiles;
        for (Node part : classes.first) profiles.emplace_back(yields.eligible(part));
        std::vector<Node> before(parts_.count, 0);  // arcs from parts that are not executed yet
        for (Node part = 0; part < parts_.count; ++part)
            for_each_arc_out(part, [&](Node to) { ++before[to]; });
        SuperdagQueue ready(profiles, budget);
        for (Node part = 0; part < parts_.count; ++part)
            if (before[part] == 0) ready.add(part, classes.of[part]);
        std::vector<Node> order;
        order.reserve(succ_.size());
        while (!ready.empty()) {
            const Node part = ready.pop();
            std::ranges::copy(plans_.order.view().row(part), std::back_inserter(order));
            for_each_arc_out(part, [&](Node to) {
                if (--before[to] == 0) ready.add(to, classes.of[to]);
            });
        }
        for (Node v = 0; v < succ_.size(); ++v)
            if (succ_.degree(v) == 0) order.push_back(v);
        return order;
    }

private:
    CsrView succ_;
    Parts2006 parts_;
    Plans2006 plans_;

    // Arcs from a non-sink of one part to one of another, lost or not.
    template <class Visit>
    void for_each_arc_out(Node part, Visit visit) const {
        for (Node u : plans_.order.view().row(part))
            for (Node w : succ_.row(u))
                if (parts_.of[w] >= 0 && parts_.of[w] != part) visit(parts_.of[w]);
    }
};

}  // namespace eligo
