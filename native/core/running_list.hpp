// Jobs that run, in no order. Where batches of workers come about as seldom as jobs end, all that ended between two of them
// are found by looking at every one that runs, once or twice in its life: a few instructions each, without branches that
// cannot be foretold, where a heap needs dozens. Where batches come much more often than jobs end, a heap is better.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "event_heap.hpp"

namespace eligo {

class RunningList {
public:
    void clear() { events_.clear(); }
    bool empty() const { return events_.empty(); }
    void push(Event event) { events_.push_back(event); }

    double next_time() const {
        double next = std::numeric_limits<double>::infinity();
        for (const Event& event : events_) next = std::min(next, event.time);
        return next;
    }

    double last_time() const {
        double last = 0;
        for (const Event& event : events_) last = std::max(last, event.time);
        return last;
    }

    // Removes all events up to a time, and hands them on, in their order if this is wanted.
    template <class Use>
    void until(double time, bool in_order, Use&& use) {
        due_.resize(events_.size());
        Event *due = due_.data(), *kept = events_.data();
        for (const Event event : events_) {
            const bool later = event.time > time;
            *due = event;
            *kept = event;
            due += !later;
            kept += later;
        }
        events_.resize(kept - events_.data());
        if (in_order) sort(due_.data(), due);
        for (const Event* event = due_.data(); event < due; ++event) use(*event);
    }

private:
    // By time; equals stay in their order, which is that of their tags.
    void sort(Event* begin, Event* end) {
        if (end - begin <= kFew) {
            sort_few(begin, static_cast<int>(end - begin));
        } else {
            sort_many(begin, end);
        }
    }

    // Each goes where as many are before it: more comparisons than needed, but none of them is a branch.
    void sort_few(Event* events, int count) {
        double time[kFew];
        Event copy[kFew];
        for (int i = 0; i < count; ++i) {
            copy[i] = events[i];
            time[i] = events[i].time;
        }
        for (int i = 0; i < count; ++i) {
            int before = 0;
            for (int j = 0; j < i; ++j) before += time[j] <= time[i];
            for (int j = i + 1; j < count; ++j) before += time[j] < time[i];
            events[before] = copy[i];
        }
    }

    // All are thrown into boxes by time, about one into each: then there is next to nothing left to sort.
    void sort_many(Event* begin, Event* end) {
        const std::size_t count = end - begin;
        const auto [first, last] = std::minmax_element(begin, end, comes_before);
        const double from = first->time;
        const double boxes = static_cast<double>(count - 1) / std::max(last->time - from, 1e-300);
        const auto box = [&](const Event& event) {
            return std::min(static_cast<std::size_t>((event.time - from) * boxes), count - 1);
        };
        place_.assign(count + 1, 0);
        for (const Event* event = begin; event < end; ++event) ++place_[box(*event) + 1];
        for (std::size_t i = 0; i < count; ++i) place_[i + 1] += place_[i];
        boxed_.assign(begin, end);
        for (const Event& event : boxed_) begin[place_[box(event)]++] = event;
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; ++i) {  // a box now ends where its place is
            if (place_[i] - at > 1) std::sort(begin + at, begin + place_[i], comes_before);
            at = place_[i];
        }
    }

    static bool comes_before(const Event& a, const Event& b) {
        return a.time < b.time || (a.time == b.time && a.tag < b.tag);
    }

    static constexpr int kFew = 32;

    std::vector<Event> events_, due_, boxed_;
    std::vector<std::size_t> place_;
};

}  // namespace eligo
