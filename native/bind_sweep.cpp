#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "core/maxconv.hpp"
#include "core/sweep.hpp"

namespace eligo {

void bind_sweep(nb::module_& m) {
    using namespace nb::literals;

    m.def("max_convolution", [](In<Value> a, In<Value> b) {
        return give(unlocked([&] { return max_convolution(view(a), view(b)); }));
    }, "a"_a, "b"_a);

    m.def("max_convolution_concave", [](In<Value> a, In<Value> b) {
        return give(unlocked([&] { return max_convolution_concave(view(a), view(b)); }));
    }, "concave"_a, "b"_a);

    m.def("starts_below", [](In<Value> low, In<Value> high) {
        return unlocked([&] { return starts_below(view(low), view(high)); });
    }, "low"_a, "high"_a);

    m.def("least_ratio", [](In<Value> part, In<Value> whole) {
        return unlocked([&] { return least_ratio(view(part), view(whole)); });
    }, "part"_a, "whole"_a);

    m.def("sweep_table", [](In<Value> e1, In<Value> e2, In<Value> best, std::size_t most) {
        using Arrays = std::tuple<Out<std::int64_t>, Out<std::int64_t>, Out<Word>, std::int64_t>;
        auto table = unlocked([&] { return SweepFill(view(e1), view(e2), view(best)).run(most); });
        if (!table) return std::optional<Arrays>();
        return std::optional<Arrays>(std::make_tuple(give(std::move(table->first)), give(std::move(table->ptr)),
                                                     give(std::move(table->words)), table->reach));
    }, "e1"_a, "e2"_a, "best"_a, "most_words"_a);

    m.def("sweep_path", [](In<std::int64_t> first, In<std::int64_t> ptr, In<Word> words, std::int64_t n1,
                           std::int64_t n2) {
        return give(unlocked([&] { return sweep_path({view(first), view(ptr), view(words)}, n1, n2); }));
    }, "first"_a, "ptr"_a, "words"_a, "n1"_a, "n2"_a);
}

}  // namespace eligo
