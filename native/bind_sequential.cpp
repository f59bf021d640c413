#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <numeric>
#include <tuple>

#include "arrays.hpp"
#include "core/sequential_beam.hpp"
#include "core/sequential_costs.hpp"
#include "core/sequential_dfs.hpp"
#include "core/sequential_forest.hpp"
#include "core/sequential_greedy.hpp"
#include "core/sequential_least.hpp"
#include "core/sequential_peak.hpp"
#include "core/sequential_reduce.hpp"
#include "core/sequential_twins.hpp"

namespace eligo {

namespace {

FootprintView print_view(const In<Bytes>& running, const In<Bytes>& size, const In<Node>& producer,
                         const In<Offset>& reader_ptr, const In<Node>& readers, bool one_event) {
    return {view(running), view(size), view(producer), view(reader_ptr, readers), one_event};
}

std::vector<Node> backwards(std::vector<Node> order) {
    std::reverse(order.begin(), order.end());
    return order;
}

// A dag with costs, kept between calls. All orders that go in or out are orders of jobs; inside, those of the nodes they
// are folded into.
class Costs {
public:
    explicit Costs(CostDag dag) : dag_(std::move(dag)) {
        jobs_.ptr.resize(dag_.nodes() + 1);
        jobs_.idx.resize(dag_.nodes());
        std::iota(jobs_.ptr.begin(), jobs_.ptr.end(), 0);
        std::iota(jobs_.idx.begin(), jobs_.idx.end(), 0);
    }

    explicit Costs(Folded folded) : dag_(std::move(folded.dag)), jobs_(std::move(folded.jobs)) {}

    Node nodes() const { return dag_.nodes(); }
    bool fixed() const { return dag_.data() == 0; }

    // Whether there is only one order: whether never more than one node is ready.
    bool chain() const {
        std::vector<Node> missing(nodes());
        Node ready = -1, after = -1;
        for (Node v = 0; v < nodes(); ++v) {
            missing[v] = static_cast<Node>(dag_.pred.view().degree(v));
            if (missing[v] == 0 && std::exchange(ready, v) >= 0) return false;
        }
        for (Node v = ready; v >= 0; v = std::exchange(after, -1)) {
            for (Node w : dag_.succ.view().row(v))
                if (--missing[w] == 0 && std::exchange(after, w) >= 0) return false;
        }
        return true;
    }

    Bytes peak(std::span<const Node> order) const { return peak_along(dag_, to_nodes(order)); }

    Costs folded() const {
        Folded twice = fold(dag_);
        chain_twins(twice.dag);
        Csr jobs{{0}, {}};
        for (Node v = 0; v < twice.dag.nodes(); ++v) {
            for (Node inner : twice.jobs.view().row(v))
                for (Node job : jobs_.view().row(inner)) jobs.idx.push_back(job);
            jobs.ptr.push_back(static_cast<Offset>(jobs.idx.size()));
        }
        return Costs(Folded{std::move(twice.dag), std::move(jobs)});
    }

    // Costs as they are in one order: a lower bound on what they are in any.
    Costs settled(std::span<const Node> order) const { return Costs(Folded{eligo::settled(dag_, to_nodes(order)), jobs_}); }

    std::vector<Node> greedy(int rule, bool from_behind) const {
        const auto rising = static_cast<Rising>(rule);
        return to_jobs(from_behind ? backwards(greedy_order(dag_.reversed(), rising)) : greedy_order(dag_, rising));
    }

    std::vector<Node> by_forest(std::span<const Node> order, bool from_behind) const {
        const std::vector<Node> nodes = to_nodes(order);
        if (!from_behind) return to_jobs(eligo::by_forest(dag_, nodes));
        return to_jobs(backwards(eligo::by_forest(dag_.reversed(), backwards(nodes))));
    }

    std::vector<Node> beam(Bytes floor, Offset width, Offset budget, bool from_behind) const {
        if (!from_behind) return to_jobs(Beam(dag_, floor, width, budget).order());
        const CostDag reversed = dag_.reversed();
        return to_jobs(backwards(Beam(reversed, floor, width, budget).order()));
    }

    LeastPeak least(Bytes floor, Bytes known, Offset budget) const {
        LeastPeak found = LeastSearch(dag_, floor, known, budget).search();
        found.order = to_jobs(found.order);
        return found;
    }

private:
    CostDag dag_;
    Csr jobs_;

    std::vector<Node> to_jobs(std::span<const Node> nodes) const {
        std::vector<Node> order;
        order.reserve(jobs_.idx.size());
        for (Node v : nodes)
            for (Node job : jobs_.view().row(v)) order.push_back(job);
        return order;
    }

    // The nodes by the last of their jobs; those without jobs as soon as they may run. An order of the nodes in any case.
    std::vector<Node> to_nodes(std::span<const Node> order) const {
        std::vector<Node> node_of(jobs_.idx.size()), rank(nodes());
        for (Node v = 0; v < nodes(); ++v)
            for (Node job : jobs_.view().row(v)) node_of[job] = v;
        std::vector<Node> last(nodes(), -1), sequence(nodes());
        for (std::size_t i = 0; i < order.size(); ++i) last[node_of[order[i]]] = static_cast<Node>(i);
        std::iota(sequence.begin(), sequence.end(), 0);
        std::stable_sort(sequence.begin(), sequence.end(), [&](Node a, Node b) { return last[a] < last[b]; });
        for (Node i = 0; i < nodes(); ++i) rank[sequence[i]] = i;
        return by_rank(dag_, rank);
    }
};

}  // namespace

void bind_sequential(nb::module_& m) {
    using namespace nb::literals;

    m.def("memory_along", [](In<Bytes> running, In<Bytes> size, In<Node> producer, In<Offset> reader_ptr,
                             In<Node> readers, bool one_event, In<Node> order) {
        const auto print = print_view(running, size, producer, reader_ptr, readers, one_event);
        return give(unlocked([&] { return memory_along(print, view(order)); }));
    }, "running"_a, "size"_a, "producer"_a, "reader_ptr"_a, "readers"_a, "one_event"_a, "order"_a);

    m.def("peak_along", [](In<Bytes> running, In<Bytes> size, In<Node> producer, In<Offset> reader_ptr,
                           In<Node> readers, bool one_event, In<Node> order) {
        const auto print = print_view(running, size, producer, reader_ptr, readers, one_event);
        return unlocked([&] { return peak_along(print, view(order)); });
    }, "running"_a, "size"_a, "producer"_a, "reader_ptr"_a, "readers"_a, "one_event"_a, "order"_a);

    m.def("depth_first", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p) {
        return give(unlocked([&] { return depth_first(view(sp, s), view(pp, p)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a);

    nb::class_<Costs>(m, "Costs")
        .def("__init__", [](Costs* self, In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Bytes> running,
                            In<Bytes> size, In<Node> producer, In<Offset> reader_ptr, In<Node> readers, bool one_event,
                            In<Node> closer) {
            const auto print = print_view(running, size, producer, reader_ptr, readers, one_event);
            new (self) Costs(unlocked([&] { return costs_of(view(sp, s), view(pp, p), print, view(closer)); }));
        }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "running"_a, "size"_a, "producer"_a, "reader_ptr"_a,
           "readers"_a, "one_event"_a, "closer"_a)
        .def_prop_ro("nodes", &Costs::nodes)
        .def_prop_ro("fixed", &Costs::fixed)
        .def_prop_ro("chain", &Costs::chain)
        .def("peak", [](const Costs& self, In<Node> order) {
            return unlocked([&] { return self.peak(view(order)); });
        }, "order"_a)
        .def("folded", [](const Costs& self) { return unlocked([&] { return self.folded(); }); })
        .def("settled", [](const Costs& self, In<Node> order) {
            return unlocked([&] { return self.settled(view(order)); });
        }, "order"_a)
        .def("greedy", [](const Costs& self, int rule, bool from_behind) {
            return give(unlocked([&] { return self.greedy(rule, from_behind); }));
        }, "rule"_a, "from_behind"_a)
        .def("by_forest", [](const Costs& self, In<Node> order, bool from_behind) {
            return give(unlocked([&] { return self.by_forest(view(order), from_behind); }));
        }, "order"_a, "from_behind"_a)
        .def("beam", [](const Costs& self, Bytes floor, Offset width, Offset budget, bool from_behind) {
            return give(unlocked([&] { return self.beam(floor, width, budget, from_behind); }));
        }, "floor"_a, "width"_a, "budget"_a, "from_behind"_a)
        .def("least", [](const Costs& self, Bytes floor, Bytes known, Offset budget) {
            LeastPeak found = unlocked([&] { return self.least(floor, known, budget); });
            return std::make_tuple(give(std::move(found.order)), found.settled, found.states);
        }, "floor"_a, "known"_a, "budget"_a);
}

}  // namespace eligo
