#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "core/charging.hpp"
#include "core/greedy.hpp"
#include "core/load_bound.hpp"
#include "core/windows.hpp"

namespace eligo {

namespace {

// A dag numbered in topological order, for the kernels that go through it many times; speaks in the old numbers.
class Ordered {
public:
    Ordered(CsrView succ, CsrView pred, std::span<const Node> order)
        : dag_(renumber(succ, pred, order)), pred_ptr_(pred.ptr.begin(), pred.ptr.end()) {}

    Charging charge(Offset scale, int sweeps) const {
        const Charging inner = eligo::charge(dag_.pred.view(), scale, sweeps);
        Charging out{std::vector<Offset>(inner.flow.size()), by_old(inner.load)};
        for (Node i = 0; i < dag_.size(); ++i)
            std::copy(inner.flow.begin() + dag_.pred.ptr[i], inner.flow.begin() + dag_.pred.ptr[i + 1],
                      out.flow.begin() + pred_ptr_[dag_.old[i]]);
        return out;
    }

    std::vector<Node> greedy(Outlook outlook, std::span<const Offset> load, Offset percent) const {
        std::vector<Node> classes;
        if (!load.empty()) {
            const std::vector<Node> by_old_number = load_classes(load, percent);
            classes.resize(dag_.size());
            for (Node i = 0; i < dag_.size(); ++i) classes[i] = by_old_number[dag_.old[i]];
        }
        std::vector<Node> order = GreedyOrder(dag_, outlook, classes).run();
        for (Node& v : order) v = dag_.old[v];
        return order;
    }

    std::vector<Offset> cuts() const { return series_cuts(dag_); }

    std::pair<std::vector<Node>, std::vector<Node>> relatives() const {
        return {by_old(count_reached(dag_.pred.view(), true)), by_old(count_reached(dag_.succ.view(), false))};
    }

private:
    Renumbered dag_;
    std::vector<Offset> pred_ptr_;

    template <class T>
    std::vector<T> by_old(const std::vector<T>& values) const {
        std::vector<T> out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) out[dag_.old[i]] = values[i];
        return out;
    }
};

}  // namespace

void bind_area(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Ordered>(m, "Ordered")
        .def("__init__", [](Ordered* self, In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Node> order) {
            unlocked([&] { return new (self) Ordered(view(sp, s), view(pp, p), view(order)); });
        }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "order"_a)
        .def("charge", [](const Ordered& dag, Offset scale, int sweeps) {
            Charging out = unlocked([&] { return dag.charge(scale, sweeps); });
            return nb::make_tuple(give(std::move(out.flow)), give(std::move(out.load)));
        }, "scale"_a, "sweeps"_a)
        .def("greedy", [](const Ordered& dag, Offset depth, Offset base, In<Offset> load, Offset percent) {
            return give(unlocked([&] { return dag.greedy({depth, base}, view(load), percent); }));
        }, "depth"_a, "base"_a, "load"_a, "percent"_a)
        .def("cuts", [](const Ordered& dag) { return give(unlocked([&] { return dag.cuts(); })); })
        .def("relatives", [](const Ordered& dag) {
            auto out = unlocked([&] { return dag.relatives(); });
            return nb::make_tuple(give(std::move(out.first)), give(std::move(out.second)));
        });
    m.def("series_bound", [](In<Offset> load, Offset scale, In<std::uint8_t> source, In<Offset> end) {
        return give(unlocked([&] { return series_bound(view(load), scale, view(source), view(end)); }));
    }, "load"_a, "scale"_a, "source"_a, "end"_a);
    m.def("load_bound", [](In<Offset> load, Offset scale, Node sources, In<Node> before, In<Node> behind) {
        return give(unlocked([&] {
            return before.size() == 0 ? load_bound(view(load), scale, sources)
                                      : load_bound(view(load), scale, sources, view(before), view(behind));
        }));
    }, "load"_a, "scale"_a, "sources"_a, "before"_a, "behind"_a);
}

}  // namespace eligo
