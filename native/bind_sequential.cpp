#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "core/sequential_peak.hpp"

namespace eligo {

namespace {

FootprintView print_view(const In<Bytes>& running, const In<Bytes>& size, const In<Node>& producer,
                         const In<Offset>& reader_ptr, const In<Node>& readers, bool one_event) {
    return {view(running), view(size), view(producer), view(reader_ptr, readers), one_event};
}

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
}

}  // namespace eligo
