#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "core/grid_blocks.hpp"

namespace eligo {

namespace {

void look_at_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

using GraphIn = std::tuple<In<Offset>, In<Node>, In<Node>, In<double>>;                  // succ_ptr, succ, place, time
using ArrivalsIn = std::tuple<double, double, double, In<double>, In<Offset>, double>;   // see Arrivals
using WorkersIn = std::tuple<double, double, bool, std::int64_t, double, double, double, int>;  // see Workers
using ThrottlingIn = std::tuple<Node, Node, In<Node>, In<Node>>;                         // see Throttling
using OccupiedIn = std::tuple<In<Offset>, In<Offset>, In<Offset>, In<Node>, In<Offset>, In<Offset>, Offset, bool>;

GridModel model(const GraphIn& graph, PoolKind kind, const ArrivalsIn& a, const WorkersIn& w, const ThrottlingIn& t,
                const OccupiedIn& o) {
    const auto& [succ_ptr, succ, place, time] = graph;
    return {
        .succ = view(succ_ptr, succ),
        .place = view(place),
        .ordered = kind == PoolKind::lowest,
        .base = view(time),
        .arrivals = {std::get<0>(a), std::get<1>(a), std::get<2>(a), view(std::get<3>(a)), view(std::get<4>(a)),
                     std::get<5>(a)},
        .workers = std::make_from_tuple<Workers>(w),
        .throttling = {std::get<0>(t), std::get<1>(t), view(std::get<2>(t)), view(std::get<3>(t))},
        .occupied = {view(std::get<0>(o)), view(std::get<1>(o)), view(std::get<2>(o), std::get<3>(o)),
                     view(std::get<4>(o)), view(std::get<5>(o)), std::get<6>(o), std::get<7>(o)},
        .patience = look_at_signals,
    };
}

}  // namespace

void bind_grid(nb::module_& m) {
    using namespace nb::literals;

    m.def("run_grid", [](GraphIn graph, int kind, ArrivalsIn arrivals, WorkersIn workers, ThrottlingIn throttling,
                         OccupiedIn occupied, Key key, std::int64_t first, std::int64_t count, std::int64_t group) {
        const auto pool = static_cast<PoolKind>(kind);
        const GridModel grid = model(graph, pool, arrivals, workers, throttling, occupied);
        return give(unlocked([&] { return run_grid(grid, pool, key, first, count, group); }));
    }, "graph"_a, "kind"_a, "arrivals"_a, "workers"_a, "throttling"_a, "occupied"_a, "key"_a, "first"_a, "count"_a,
       "group"_a);

    m.def("record_grid", [](GraphIn graph, int kind, ArrivalsIn arrivals, WorkersIn workers, ThrottlingIn throttling,
                            OccupiedIn occupied, Key key, std::int64_t run) {
        const auto pool = static_cast<PoolKind>(kind);
        const GridModel grid = model(graph, pool, arrivals, workers, throttling, occupied);
        GridRecord out = unlocked([&] { return record_grid(grid, pool, draw(key, run)); });
        return std::make_tuple(give(std::move(out.start)), give(std::move(out.end)), give(std::move(out.worker)),
                               give(std::move(out.events)));
    }, "graph"_a, "kind"_a, "arrivals"_a, "workers"_a, "throttling"_a, "occupied"_a, "key"_a, "run"_a);

    m.def("normal_quantile", &normal_quantile, "p"_a);
}

}  // namespace eligo
