// Many runs of one strategy on one grid, and what they come to on average.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "grid_run.hpp"

namespace eligo {

constexpr int kGridColumns = 8;

enum class PoolKind { lowest, oldest, newest, random };

template <class Use>
auto with_pool(PoolKind kind, Use&& use) {
    switch (kind) {
        case PoolKind::oldest: return use(std::in_place_type<OldestPool>);
        case PoolKind::newest: return use(std::in_place_type<NewestPool>);
        case PoolKind::random: return use(std::in_place_type<RandomPool>);
        default: return use(std::in_place_type<LowestPool>);
    }
}

// Rows of means over `group` runs each: time, stalling, utilization, idle time, peak, the largest peak, allocations, and the
// share of runs that ended.
inline std::vector<double> run_grid(const GridModel& model, PoolKind kind, Key key, std::int64_t first,
                                    std::int64_t count, std::int64_t group) {
    std::vector<double> rows(count / group * kGridColumns);
    with_pool(kind, [&]<class Pool>(std::in_place_type_t<Pool>) {
        GridRun<Pool> grid(model);
        const double jobs = model.succ.size();
        for (std::int64_t sample = 0; sample < count / group; ++sample) {
            double sum[kGridColumns] = {};
            for (std::int64_t i = 0; i < group; ++i) {
                const Measures run = grid.run(draw(key, first + sample * group + i));
                sum[0] += run.time;
                sum[1] += run.batches ? static_cast<double>(run.stalled) / static_cast<double>(run.batches) : 0;
                sum[2] += run.requests ? jobs / static_cast<double>(run.requests) : 0;
                sum[3] += run.idle_time;
                sum[4] += static_cast<double>(run.peak);
                sum[5] = std::max(sum[5], static_cast<double>(run.peak));
                sum[6] += static_cast<double>(run.allocations);
                sum[7] += run.ended;
            }
            for (int c = 0; c < kGridColumns; ++c)
                rows[sample * kGridColumns + c] = c == 5 ? sum[c] : sum[c] / static_cast<double>(group);
        }
    });
    return rows;
}

inline GridRecord record_grid(const GridModel& model, PoolKind kind, Key run) {
    GridRecord out;
    with_pool(kind, [&]<class Pool>(std::in_place_type_t<Pool>) { GridRun<Pool>(model).record(run, out); });
    return out;
}

}  // namespace eligo
