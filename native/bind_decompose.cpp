#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "core/decompose.hpp"

namespace eligo {

void bind_decompose(nb::module_& m) {
    using namespace nb::literals;
    m.def("decompose", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p) {
        return give(unlocked([&] { return decompose(view(sp, s), view(pp, p)); }));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a);
}

}  // namespace eligo
