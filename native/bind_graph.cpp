#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "arrays.hpp"
#include "core/order.hpp"
#include "core/reach.hpp"
#include "core/shortcuts.hpp"

namespace eligo {

void bind_graph(nb::module_& m) {
    using namespace nb::literals;

    m.def("build_two_way", [](Node n, In<Node> tails, In<Node> heads) {
        TwoWay g = unlocked([&] { return build_two_way(n, view(tails), view(heads)); });
        return std::make_tuple(give(std::move(g.succ.ptr)), give(std::move(g.succ.idx)),
                               give(std::move(g.pred.ptr)), give(std::move(g.pred.idx)));
    }, "n"_a, "tails"_a, "heads"_a);

    m.def("topological_order", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p) {
        return give(unlocked([&] { return topological_order(view(sp, s), view(pp, p)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a);

    m.def("short_cycle", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Offset budget) {
        return give(unlocked([&] { return CycleSearch(view(sp, s), view(pp, p), budget).run(); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "budget"_a);

    m.def("latest", [](In<Offset> ptr, In<Node> idx, In<Offset> place) {
        return give(unlocked([&] { return latest(view(ptr, idx), view(place)); }));
    }, "ptr"_a, "idx"_a, "place"_a);

    m.def("levels", [](In<Offset> pp, In<Node> p, In<Node> order) {
        return give(unlocked([&] { return levels(view(pp, p), view(order)); }));
    }, "pred_ptr"_a, "pred"_a, "order"_a);

    m.def("longest_paths", [](In<Offset> pp, In<Node> p, In<Node> order, In<double> weight) {
        return give(unlocked([&] { return longest_paths(view(pp, p), view(order), view(weight)); }));
    }, "pred_ptr"_a, "pred"_a, "order"_a, "weight"_a);

    m.def("components", [](In<Offset> sp, In<Node> s) {
        return give(unlocked([&] { return components(view(sp, s)); }));
    }, "succ_ptr"_a, "succ"_a);

    m.def("has_edge", [](In<Offset> sp, In<Node> s, In<Node> tails, In<Node> heads) {
        return give(unlocked([&] { return has_edges(view(sp, s), view(tails), view(heads)); }));
    }, "succ_ptr"_a, "succ"_a, "tails"_a, "heads"_a);

    m.def("reachable", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Node> from, In<Node> to) {
        return give(unlocked([&] { return reachable(view(sp, s), view(pp, p), view(from), view(to)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "from_nodes"_a, "to_nodes"_a);

    m.def("shortcuts", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Offset searches) {
        return give(unlocked([&] { return shortcuts(view(sp, s), view(pp, p), searches); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "searches"_a);
}

}  // namespace eligo
