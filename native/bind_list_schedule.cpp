#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "core/list_schedule.hpp"

namespace eligo {

void bind_list_schedule(nb::module_& m) {
    using namespace nb::literals;

    m.def("list_schedule", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Node> rank, In<double> time,
                              Node processors) {
        ListRun run = unlocked([&] {
            return ListScheduler(view(sp, s), view(pp, p), view(rank), view(time), processors).run();
        });
        return std::make_tuple(give(std::move(run.start)), give(std::move(run.end)), give(std::move(run.worker)),
                               give(std::move(run.events)));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "rank"_a, "time"_a, "processors"_a);
}

}  // namespace eligo
