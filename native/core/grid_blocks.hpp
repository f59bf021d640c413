// Many runs of one strategy on one grid, and what they come to on average.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "grid_run.hpp"

namespace eligo {

constexpr int kGridColumns = 8;

enum class PoolKind { lowest, oldest, newest, random };

// Whether batches come so seldom, compared with how long jobs take, that looking at all that run is cheaper than a heap.
inline bool seldom(const GridModel& model) {
    const Workers& workers = model.workers;
    const bool plain = !workers.stay && workers.copies == 1 && workers.fail + workers.lost + workers.deadline == 0;
    const double total = std::accumulate(model.base.begin(), model.base.end(), 0.0);
    return plain && model.arrivals.time.empty() && 4 * model.arrivals.gap * static_cast<double>(model.base.size()) >= total;
}

template <class Pool>
using ByHeap = GridRun<Pool, EventHeap>;
template <class Pool>
using ByList = GridRun<Pool, RunningList>;

// Calls `use` with the simulator that suits the strategy and the grid.
template <class Use>
auto with_grid(const GridModel& model, PoolKind kind, Use&& use) {
    const auto with_pool = [&]<class Pool>(std::in_place_type_t<Pool>) {
        return seldom(model) ? use(ByList<Pool>(model)) : use(ByHeap<Pool>(model));
    };
    switch (kind) {
        case PoolKind::oldest: return with_pool(std::in_place_type<OldestPool>);
        case PoolKind::newest: return with_pool(std::in_place_type<NewestPool>);
        case PoolKind::random: return with_pool(std::in_place_type<RandomPool>);
        default: return with_pool(std::in_place_type<LowestPool>);
    }
}

// Rows of means over `group` runs each: time (of those that ended), stalling, utilization, idle time, peak, the largest peak,
// allocations, and the share of runs that ended.
inline std::vector<double> run_grid(const GridModel& model, PoolKind kind, Key key, std::int64_t first,
                                    std::int64_t count, std::int64_t group) {
    std::vector<double> rows(count / group * kGridColumns);
    with_grid(model, kind, [&](auto&& grid) {
        for (std::int64_t sample = 0; sample < count / group; ++sample) {
            double sum[kGridColumns] = {};
            for (std::int64_t i = 0; i < group; ++i) {
                if (i % 64 == 0) model.patience();
                const Measures run = grid.run(draw(key, first + sample * group + i));
                if (run.ended) sum[0] += run.time;
                sum[1] += run.batches ? static_cast<double>(run.stalled) / static_cast<double>(run.batches) : 0;
                sum[2] += run.utilization;
                sum[3] += run.idle_time;
                sum[4] += static_cast<double>(run.peak);
                sum[5] = std::max(sum[5], static_cast<double>(run.peak));
                sum[6] += static_cast<double>(run.allocations);
                sum[7] += run.ended;
            }
            double* row = rows.data() + sample * kGridColumns;
            for (int c = 0; c < kGridColumns; ++c) row[c] = c == 5 ? sum[c] : sum[c] / static_cast<double>(group);
            row[0] = sum[7] > 0 ? sum[0] / sum[7] : kNever;
        }
    });
    return rows;
}

inline GridRecord record_grid(const GridModel& model, PoolKind kind, Key run) {
    return with_grid(model, kind, [&](auto&& grid) { return grid.record(run); });
}

}  // namespace eligo
