// Workers who wait for a job, by number: those who came together are one range.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

namespace eligo {

class WaitingWorkers {
public:
    void clear() { ranges_.clear(); }
    bool empty() const { return ranges_.empty(); }

    void push(std::int64_t first, std::int64_t count) {
        if (!ranges_.empty() && ranges_.back().second == first) {
            ranges_.back().second = first + count;
        } else {
            ranges_.push_back({first, first + count});
        }
    }

    std::int64_t pop() {
        const std::int64_t worker = ranges_.front().first++;
        if (ranges_.front().first == ranges_.front().second) ranges_.pop_front();
        return worker;
    }

private:
    std::deque<std::pair<std::int64_t, std::int64_t>> ranges_;
};

}  // namespace eligo
