// What is due next: a heap of times in which each node has four children, so that it is half as deep as a binary one and the
// children share a line of cache. Equal times go by tag.
#pragma once

#include <cstdint>
#include <vector>

namespace eligo {

struct Event {
    double time;
    std::uint64_t tag;

    bool operator<(const Event& other) const { return time < other.time || (time == other.time && tag < other.tag); }
};

class EventHeap {
public:
    void clear() { events_.clear(); }
    bool empty() const { return events_.empty(); }
    const Event& top() const { return events_.front(); }
    const std::vector<Event>& all() const { return events_; }

    void push(Event event) {
        std::size_t at = events_.size();
        events_.push_back(event);
        while (at > 0) {
            const std::size_t up = (at - 1) / 4;
            if (!(event < events_[up])) break;
            events_[at] = events_[up];
            at = up;
        }
        events_[at] = event;
    }

    Event pop() {
        const Event first = events_.front(), last = events_.back();
        events_.pop_back();
        if (!events_.empty()) sink(last);
        return first;
    }

private:
    // Moves the hole at the top down to where `event` belongs.
    void sink(Event event) {
        const std::size_t size = events_.size();
        std::size_t at = 0;
        for (;;) {
            std::size_t child = 4 * at + 1;
            if (child >= size) break;
            const std::size_t end = child + 4 < size ? child + 4 : size;
            for (std::size_t other = child + 1; other < end; ++other)
                if (events_[other] < events_[child]) child = other;
            if (!(events_[child] < event)) break;
            events_[at] = events_[child];
            at = child;
        }
        events_[at] = event;
    }

    std::vector<Event> events_;
};

}  // namespace eligo
