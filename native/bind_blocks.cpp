#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "core/block_best.hpp"
#include "core/block_forest.hpp"
#include "core/block_shapes.hpp"
#include "core/strands.hpp"

namespace eligo {

void bind_blocks(nb::module_& m) {
    using namespace nb::literals;

    m.def("strand_rows", [](In<Offset> ptr, In<Node> idx, Node sinks) {
        StrandRows rows = unlocked([&] {
            const Sides block(view(ptr, idx), sinks);
            return StrandFinder(block).run();
        });
        return std::make_tuple(give(std::move(rows.sources)), give(std::move(rows.start)),
                               give(std::move(rows.degrees)), give(std::move(rows.degree_start)));
    }, "ptr"_a, "idx"_a, "sinks"_a);

    m.def("strand_order", [](In<Offset> ptr, In<Node> idx, Node sinks, In<Node> row, In<Offset> start) {
        return give(unlocked([&] {
            const Sides block(view(ptr, idx), sinks);
            return StrandGreedy(block, view(row), view(start)).run();
        }));
    }, "ptr"_a, "idx"_a, "sinks"_a, "row"_a, "start"_a);

    m.def("cycle_row", [](In<Offset> ptr, In<Node> idx, Node sinks) {
        return give(unlocked([&] { return cycle_row(Sides(view(ptr, idx), sinks)); }));
    }, "ptr"_a, "idx"_a, "sinks"_a);

    m.def("block_rule", [](In<Offset> ptr, In<Node> idx, Node sinks, int rule, Offset packet_budget) {
        return give(unlocked([&] {
            const Sides block(view(ptr, idx), sinks);
            return rule_order(block, static_cast<Rule>(rule), packet_budget);
        }));
    }, "ptr"_a, "idx"_a, "sinks"_a, "rule"_a, "packet_budget"_a);

    m.def("best_block_rule", [](In<Offset> ptr, In<Node> idx, Node sinks, Offset packet_budget, Offset most_edges) {
        RuleChoice best = unlocked([&] {
            const Sides block(view(ptr, idx), sinks);
            return best_rule(block, packet_budget, most_edges);
        });
        return std::make_tuple(give(std::move(best.order)), give(std::move(best.gain)), static_cast<int>(best.rule));
    }, "ptr"_a, "idx"_a, "sinks"_a, "packet_budget"_a, "most_edges"_a);

    m.def("forest_best", [](In<Offset> ptr, In<Node> idx, Node sinks) {
        return give(unlocked([&] {
            const Sides block(view(ptr, idx), sinks);
            return ForestBest(block).run();
        }));
    }, "ptr"_a, "idx"_a, "sinks"_a);
}

}  // namespace eligo
