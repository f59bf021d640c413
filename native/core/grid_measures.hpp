// What comes of a run on the grid.
#pragma once

#include <cstdint>

namespace eligo {

struct Measures {
    double time = 0, idle_time = 0, utilization = 0;
    double useful_time = 0;  // of allocations whose results counted
    std::int64_t batches = 0, stalled = 0, requests = 0, peak = 0;
    std::int64_t started = 0, allocations = 0;  // jobs that were given at all, and how often jobs were given
    bool ended = true;
};

}  // namespace eligo
