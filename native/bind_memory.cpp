#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "core/closure.hpp"
#include "core/data_ends.hpp"
#include "core/event_network.hpp"
#include "core/hand_on.hpp"
#include "core/least_around.hpp"
#include "core/safe_schedule.hpp"
#include "core/serialize.hpp"

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
    std::vector<std::uint8_t> smallest, largest;
    closure.smallest(smallest);
    closure.largest(largest);
    for (Node x = 0; x < closure.size(); ++x) {
        found.smallest[network.identity[x]] = smallest[x];
        found.largest[network.identity[x]] = largest[x];
    }
    return found;
}

// A footprint as Python holds it, with when its data are free.
struct Print {
    In<Offset> succ_ptr;
    In<Node> succ_idx;
    In<Offset> pred_ptr;
    In<Node> pred;
    In<Node> order;
    In<Amount> running, size;
    In<Node> producer;
    In<Offset> reader_ptr;
    In<Node> readers;
    bool one_event;
    DataEnds ends;

    Print(In<Offset> succ_ptr, In<Node> succ_idx, In<Offset> pred_ptr, In<Node> pred, In<Node> order, In<Amount> running,
          In<Amount> size, In<Node> producer, In<Offset> reader_ptr, In<Node> readers, bool one_event, In<Node> last,
          In<Node> followed, In<Node> followers, In<Offset> latest_ptr, In<Node> latest)
        : succ_ptr(succ_ptr), succ_idx(succ_idx), pred_ptr(pred_ptr), pred(pred), order(order), running(running),
          size(size), producer(producer), reader_ptr(reader_ptr), readers(readers), one_event(one_event),
          ends{list(last), list(followed), list(followers), {list(latest_ptr), list(latest)}} {}

    template <class T>
    static std::vector<T> list(const In<T>& array) {
        return {array.data(), array.data() + array.size()};
    }

    CsrView succ() const { return eligo::view(succ_ptr, succ_idx); }

    FootprintView view() const {
        return {eligo::view(pred_ptr, pred), eligo::view(order), eligo::view(running),         eligo::view(size),
                eligo::view(producer),       eligo::view(reader_ptr, readers), one_event};
    }

    std::size_t identities() const { return one_event ? order.size() : 2 * order.size() + size.size(); }
};

}  // namespace

void bind_memory(nb::module_& m) {
    using namespace nb::literals;

    m.def("data_ends", [](In<Offset> sp, In<Node> s, In<Offset> pp, In<Node> p, In<Offset> reader_ptr, In<Node> readers) {
        auto ends = unlocked([&] {
            return find_data_ends(view(sp, s), view(pp, p), view(reader_ptr, readers));
        });
        return std::tuple(give(std::move(ends.last)), give(std::move(ends.followed)), give(std::move(ends.followers)),
                          give(std::move(ends.latest.ptr)), give(std::move(ends.latest.idx)));
    }, "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "reader_ptr"_a, "readers"_a);

    // The solver alone, for whoever has the closure graph already. Row x of `up` holds events of smaller number.
    m.def("heaviest_closure", [](In<Offset> up_ptr, In<Node> up, In<Amount> weight) {
        std::vector<std::uint8_t> smallest;
        const Amount leftover = unlocked([&] {
            Closure closure({Print::list(up_ptr), Print::list(up)}, Print::list(weight));
            closure.solve();
            closure.smallest(smallest);
            return closure.leftover();
        });
        return std::tuple(leftover, give(std::move(smallest)));
    }, "up_ptr"_a, "up"_a, "weight"_a);

    nb::class_<Print>(m, "MemoryPrint")
        .def(nb::init<In<Offset>, In<Node>, In<Offset>, In<Node>, In<Node>, In<Amount>, In<Amount>, In<Node>, In<Offset>,
                      In<Node>, bool, In<Node>, In<Node>, In<Node>, In<Offset>, In<Node>>(),
             "succ_ptr"_a, "succ"_a, "pred_ptr"_a, "pred"_a, "order"_a, "running"_a, "size"_a, "producer"_a,
             "reader_ptr"_a, "readers"_a, "one_event"_a, "last"_a, "followed"_a, "followers"_a, "latest_ptr"_a, "latest"_a)
        .def("worst_state", [](const Print& print) {
            auto found = unlocked([&] {
                const EventNetwork network(print.view(), print.ends);
                return worst_of(network, print.identities());
            });
            return std::tuple(found.leftover, give(std::move(found.senders)), give(std::move(found.receivers)),
                              give(std::move(found.amounts)), give(std::move(found.smallest)),
                              give(std::move(found.largest)));
        })
        .def("least_around", [](const Print& print, Node job) {
            auto found = unlocked([&] {
                const EventNetwork network(print.view(), print.ends);
                return LeastAroundFinder(network, print.one_event).find(job);
            });
            return std::tuple(found.value, give(std::move(found.senders)), give(std::move(found.receivers)),
                              give(std::move(found.amounts)));
        }, "job"_a)
        .def("serialize", [](const Print& print, In<double> work, Amount limit, int rule, In<Node> place, int batch,
                             Offset budget) {
            std::vector<Node> job, datum, later;
            std::vector<Amount> flow;
            Amount leftover = 0;
            Offset steps = 0;
            const Outcome outcome = unlocked([&] {
                Serializer serializer(print.view(), print.succ(), print.ends, view(work), limit,
                                      static_cast<Rule>(rule), view(place), batch, budget);
                const Outcome reached = serializer.run();
                for (std::size_t i = 0; i < serializer.added().size(); ++i) {
                    const Added& each = serializer.added()[i];
                    job.push_back(each.job);
                    datum.push_back(each.datum);
                    later.push_back(each.later);
                    flow.push_back(serializer.flow_of(i));
                }
                leftover = serializer.leftover();
                steps = serializer.steps();
                return reached;
            });
            return std::tuple(static_cast<int>(outcome), give(std::move(job)), give(std::move(datum)),
                              give(std::move(later)), give(std::move(flow)), leftover, steps);
        }, "work"_a, "limit"_a, "rule"_a, "place"_a, "batch"_a, "budget"_a)
        .def("safe_schedule", [](const Print& print, In<Node> order, In<double> work, In<double> urgency,
                                 In<double> release, Amount limit) {
            return give(unlocked([&] {
                return SafeSchedule(print.view(), print.succ(), view(order), view(work), view(urgency), view(release),
                                    limit).run();
            }));
        }, "order"_a, "work"_a, "urgency"_a, "release"_a, "limit"_a)
        .def("hand_on", [](const Print& print, In<Node> events, Amount limit) {
            auto found = unlocked([&] { return TokenPool(print.view(), print.ends, limit).hand_on(view(events)); });
            return std::tuple(found.enough, give(std::move(found.job)), give(std::move(found.datum)),
                              give(std::move(found.later)));
        }, "events"_a, "limit"_a);
}

}  // namespace eligo
