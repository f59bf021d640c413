#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "core/closure.hpp"
#include "core/data_ends.hpp"
#include "core/event_network.hpp"

namespace eligo {

namespace {

// Events are told to Python by their identity: a job's start, its end, the freeing of a datum.
struct Worst {
    std::vector<Node> senders, receivers;
    std::vector<Amount> amounts;
    std::vector<std::uint8_t> smallest, largest;
    Amount leftover;
};

Worst worst_of(const EventNetwork& network, std::size_t identities) {
    Closure closure(network.up, network.weight);
    closure.solve();
    Worst found{{}, {}, {}, std::vector<std::uint8_t>(identities, 0), std::vector<std::uint8_t>(identities, 0),
                closure.leftover()};
    closure.each_flow([&](Node x, Node y, Amount amount) {
        found.senders.push_back(network.identity[x]);
        found.receivers.push_back(network.identity[y]);
        found.amounts.push_back(amount);
    });
    const auto smallest = closure.smallest(), largest = closure.largest();
    for (Node x = 0; x < closure.size(); ++x) {
        found.smallest[network.identity[x]] = smallest[x];
        found.largest[network.identity[x]] = largest[x];
    }
    return found;
}

}  // namespace

void bind_memory(nb::module_& m) {
    using namespace nb::literals;

    m.def("data_ends", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Offset> reader_ptr, In<Node> readers) {
        auto ends = unlocked([&] {
            return DataEndFinder(view(sp, s), view(pp, p), view(reader_ptr, readers)).find();
        });
        return std::tuple(give(std::move(ends.last)), give(std::move(ends.followed)), give(std::move(ends.followers)),
                          give(std::move(ends.latest.ptr)), give(std::move(ends.latest.idx)));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "reader_ptr"_a, "readers"_a);

    m.def("worst_state", [](In<Offset> pp, In<Node> p, In<Node> order, In<Amount> running, In<Amount> size,
                            In<Node> producer, In<Offset> reader_ptr, In<Node> readers, bool one_event, In<Node> last,
                            In<Node> followed, In<Node> followers, In<Offset> latest_ptr, In<Node> latest) {
        auto found = unlocked([&] {
            const FootprintView print{view(pp, p), view(order), view(running), view(size), view(producer),
                                      view(reader_ptr, readers), one_event};
            auto list = [](auto span) { return std::vector(span.begin(), span.end()); };
            const DataEnds ends{list(view(last)), list(view(followed)), list(view(followers)),
                                {list(view(latest_ptr)), list(view(latest))}};
            const EventNetwork network(print, ends);
            const std::size_t jobs = order.size();
            return worst_of(network, one_event ? jobs : 2 * jobs + size.size());
        });
        return std::tuple(found.leftover, give(std::move(found.senders)), give(std::move(found.receivers)),
                          give(std::move(found.amounts)), give(std::move(found.smallest)), give(std::move(found.largest)));
    }, "pred_ptr"_a, "pred"_a, "order"_a, "running"_a, "size"_a, "producer"_a, "reader_ptr"_a, "readers"_a, "one_event"_a,
       "last"_a, "followed"_a, "followers"_a, "latest_ptr"_a, "latest"_a);
}

}  // namespace eligo
