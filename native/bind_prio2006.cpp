#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "core/prio2006.hpp"

namespace eligo {

void bind_prio2006(nb::module_& m) {
    using namespace nb::literals;

    m.def("parts2006", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p) {
        Parts2006 parts = unlocked([&] { return Decomposition2006(view(sp, s), view(pp, p)).run(); });
        return std::make_tuple(give(std::move(parts.of)), give(std::move(parts.into)), parts.count);
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a);

    m.def("prio2006", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, Value budget) {
        std::optional<std::vector<Node>> order = unlocked([&]() -> std::optional<std::vector<Node>> {
            try {
                return Prio2006(view(sp, s), view(pp, p)).run(budget);
            } catch (const OverWork&) {
                return std::nullopt;
            }
        });
        return order ? std::optional(give(std::move(*order))) : std::nullopt;
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "budget"_a);

    m.def("r_priority", [](In<Value> first, In<Value> second, Value most) {
        const auto profile = [](const In<Value>& e) { return Profile({view(e).begin(), view(e).end()}); };
        const Profile one = profile(first), two = profile(second);
        const Ratio ratio = RPriority(one, two, most).below({});
        return std::make_tuple(ratio.part, ratio.whole);
    }, "first"_a, "second"_a, "most"_a);
}

}  // namespace eligo
