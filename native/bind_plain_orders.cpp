#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "core/plain_orders.hpp"

namespace eligo {

void bind_plain_orders(nb::module_& m) {
    using namespace nb::literals;

    m.def("newest_first", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p) {
        return give(unlocked([&] { return newest_first(view(sp, s), view(pp, p)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a);

    m.def("lowest_rank_first", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Node> rank) {
        return give(unlocked([&] { return lowest_rank_first(view(sp, s), view(pp, p), view(rank)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "rank"_a);

    m.def("drawn", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<double> draws) {
        return give(unlocked([&] { return drawn(view(sp, s), view(pp, p), view(draws)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "draws"_a);
}

}  // namespace eligo
