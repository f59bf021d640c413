#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "core/exact.hpp"

namespace eligo {

namespace {

// A number of any size for Python's int.from_bytes(..., "little").
nb::bytes number(const std::vector<Word>& words) { return nb::bytes(words.data(), words.size() * sizeof(Word)); }

}  // namespace

void bind_exact(nb::module_& m) {
    using namespace nb::literals;

    nb::exception<OverBudget>(m, "OverBudgetError");

    m.def("exact_search", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Offset budget, bool look, bool count) {
        ExactAnswer a = unlocked([&] { return ExactSearch(view(sp, s), view(pp, p), budget).answer(look, count); });
        return std::make_tuple(give(std::move(a.profile)), number(a.ideals), give(std::move(a.order)), a.reached,
                               number(a.number), give(std::move(a.twins)), a.visited);
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "budget"_a, "look"_a, "count"_a);

    m.def("exact_sequence", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Offset budget) {
        return give(unlocked([&] { return ExactSearch(view(sp, s), view(pp, p), budget).sequence(); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "budget"_a);

    m.def("exact_largest_area", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Offset budget) {
        return give(unlocked([&] { return ExactSearch(view(sp, s), view(pp, p), budget).largest_area(); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "budget"_a);

    m.def("exact_least_memory", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Offset budget, bool optimal) {
        return give(unlocked([&] {
            if (optimal) return ExactSearch(view(sp, s), view(pp, p), budget).least_memory_ic_optimal();
            return ExactSearch::least_memory_of_all(view(sp, s), view(pp, p), budget);
        }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "budget"_a, "ic_optimal"_a);

    m.def("exact_conflict", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Node> order, Offset budget) {
        const Conflict found =
            unlocked([&] { return ExactSearch(view(sp, s), view(pp, p), budget).conflict(view(order)); });
        return std::make_pair(found.early, found.late);
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "order"_a, "budget"_a);
}

}  // namespace eligo
