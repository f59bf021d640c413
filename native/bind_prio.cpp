#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "core/prio_schedules.hpp"
#include "core/prio_sequence.hpp"

namespace eligo {

void bind_prio(nb::module_& m) {
    using namespace nb::literals;
    using Flags = In<std::uint8_t>;

    m.def("block_structures", [](In<Offset> sp, In<Node> s, In<Offset> np, In<Node> n, In<Offset> hp, In<Node> h,
                                 Flags bipartite) {
        const BlockRows blocks{view(sp, s), view(np, n), view(hp, h), view(bipartite)};
        BlockStructures out = unlocked([&] { return StructureFinder(blocks, BlockNumbers(blocks)).run(); });
        return std::make_tuple(give(std::move(out.of)), give(std::move(out.first)));
    }, "succ_ptr"_a, "succ"_a, "nonsink_ptr"_a, "nonsinks"_a, "head_ptr"_a, "heads"_a, "bipartite"_a);

    m.def("structure_orders", [](In<Offset> sp, In<Node> s, In<Offset> np, In<Node> n, In<Offset> hp, In<Node> h,
                                 Flags bipartite, In<Offset> pp, In<Node> p, In<Node> first, In<Node> guide) {
        const BlockRows blocks{view(sp, s), view(np, n), view(hp, h), view(bipartite)};
        StructureOrders out = unlocked([&] {
            const BlockNumbers numbers(blocks);
            return StructureScheduler(blocks, numbers, view(pp, p), view(guide)).run(view(first));
        });
        return std::make_tuple(give(std::move(out.ptr)), give(std::move(out.order)), give(std::move(out.gain)),
                               give(std::move(out.sources)), give(std::move(out.proved)));
    }, "succ_ptr"_a, "succ"_a, "nonsink_ptr"_a, "nonsinks"_a, "head_ptr"_a, "heads"_a, "bipartite"_a, "pred_ptr"_a,
       "pred"_a, "first"_a, "guide"_a);

    m.def("block_sequence", [](In<Node> of, In<Offset> hp, In<Node> h, In<Node> structure, In<Offset> ptr,
                               In<Offset> gain, In<Node> sources, Value budget, Value most_for_pair) {
        BlockSequence out = unlocked([&] {
            const PartYields yields{view(ptr), view(gain), view(sources)};
            return PrioSequence(view(of), view(hp, h), view(structure), yields).run(budget, most_for_pair);
        });
        return std::make_tuple(give(std::move(out.blocks)), out.classes, out.weighed, out.kept.part, out.kept.whole,
                               out.falls);
    }, "of"_a, "head_ptr"_a, "heads"_a, "structure"_a, "ptr"_a, "gain"_a, "sources"_a, "budget"_a,
       "most_for_pair"_a);

    m.def("jobs_of_sequence", [](In<Node> sequence, In<Offset> np, In<Node> n, In<Node> structure, In<Offset> ptr,
                                 In<Node> order) {
        return give(unlocked([&] {
            return jobs_of_sequence(view(sequence), view(np, n), view(structure), view(ptr, order));
        }));
    }, "sequence"_a, "nonsink_ptr"_a, "nonsinks"_a, "structure"_a, "ptr"_a, "order"_a);
}

}  // namespace eligo
