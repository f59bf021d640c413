// The grid as the kernel needs it: docs/simulation.md states the model to the letter.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "csr.hpp"
#include "exponential_floor.hpp"
#include "normal_table.hpp"
#include "random_draws.hpp"

namespace eligo {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Asked now and then by loops that may take long: throws if the user wants to stop.
using Patience = std::function<void()>;

// When batches come and how large they are: at random, or by a trace if there is one.
struct Arrivals {
    double gap, present, scale;
    std::span<const double> time;
    std::span<const std::int64_t> workers;
    double period;  // after which the trace begins again; 0 for never
};

struct Workers {
    double sd, spread;
    bool stay;
    std::int64_t processors;  // how many there are if they are the same all the time, else 0
    double fail, lost;
    double deadline;  // 0 for none
    int copies;
};

struct Throttling {
    Node max_jobs, max_idle;  // 0 for no limit
    std::span<const Node> category, category_max;

    bool any() const { return max_jobs > 0 || max_idle > 0 || !category_max.empty(); }
};

// What jobs occupy: see eligo/memory/_footprint.py. `made` are the sizes of all data of a job together, row v of `reads`
// are the data that it reads, of which datum d has `readers[d]` readers in all.
struct Occupied {
    std::span<const std::int64_t> running, made;
    CsrView reads;
    std::span<const std::int64_t> size, readers;
    std::int64_t base;
    bool one_event;

    bool any() const { return !running.empty(); }
};

struct GridModel {
    CsrView succ;
    std::span<const Node> place;   // the jobs in the order in which the kernel numbers them
    bool ordered;                  // whether this is also the order of the strategy
    std::span<const double> base;  // expected times
    Arrivals arrivals;
    Workers workers;
    Throttling throttling;
    Occupied occupied;
    Patience patience;
};

// One run's batches, one after the other.
class ArrivalStream {
public:
    ArrivalStream(const Arrivals& model, const Patience& patience)
        : model_(model), patience_(patience), more_(model.scale) {}

    void begin(Key key) {
        key_ = key;
        batch_ = lap_ = 0;
        if (!model_.time.empty()) {
            time_ = model_.time[0];
        } else {
            time_ = uniform(key_, 0) < model_.present ? 0.0 : gap();
        }
    }

    double time() const { return time_; }

    // Returns the size of the batch that comes at time(), and goes on to the next.
    std::int64_t next() { return model_.time.empty() ? next_drawn() : next_in_trace(); }

    struct Passed {
        std::int64_t batches = 0, workers = 0;
    };

    // Goes on to the first batch that does not come before `due`. Most batches of a sweep are passed here, so the sum of
    // the gaps is found as the logarithm of a product, of as many factors as do not underflow.
    Passed pass(double due) {
        Passed passed;
        if (!model_.time.empty()) {
            for (; time_ < due; ++passed.batches) {
                passed.workers += next_in_trace();
                if (passed.batches % kOften == 0) patience_();
            }
            return passed;
        }
        for (std::int64_t rounds = 1; time_ < due; ++rounds) {
            if (rounds % (kOften / 500) == 0) patience_();
            const double least = std::exp(-std::min((due - time_) / model_.gap, 500.0));
            double product = 1;
            do {
                ++passed.batches;
                passed.workers += size();
                ++batch_;
                product *= uniform(key_, 1 + 2 * batch_);
            } while (product > least);
            time_ -= model_.gap * std::log(product);
        }
        return passed;
    }

private:
    static constexpr std::int64_t kOften = 1 << 20;  // batches between two looks, some milliseconds

    double gap() const { return -model_.gap * std::log(uniform(key_, 1 + 2 * batch_)); }

    std::int64_t next_drawn() {
        const std::int64_t workers = size();
        ++batch_;
        time_ += gap();
        return workers;
    }

    std::int64_t size() const { return 1 + more_(uniform(key_, 2 + 2 * batch_)); }

    std::int64_t next_in_trace() {
        const std::int64_t size = model_.workers[batch_];
        if (++batch_ == model_.time.size()) {
            batch_ = 0;
            ++lap_;
        }
        const bool over = lap_ > 0 && model_.period == 0;
        time_ = over ? kNever : model_.time[batch_] + static_cast<double>(lap_) * model_.period;
        return size;
    }

    Arrivals model_;
    Patience patience_;
    ExponentialFloor more_;
    Key key_ = 0;
    std::uint64_t batch_ = 0, lap_ = 0;
    double time_ = 0;
};

// The factor by which the time of a job varies: normal, cut off at 0.
class TimeFactor {
public:
    explicit TimeFactor(double sd) : sd_(sd), below_(sd > 0 ? std::erfc(1 / (sd * std::sqrt(2.0))) / 2 : 0) {}

    [[gnu::always_inline]] double operator()(Key times, std::uint64_t number) const {
        if (sd_ == 0) return 1;
        const double u = below_ + (1 - below_) * uniform(times, number);
        return std::max(1 + sd_ * normal_(std::min(u, 1 - 0x1p-53)), 1e-9);
    }

private:
    const NormalTable& normal_ = NormalTable::instance();
    double sd_, below_;
};

}  // namespace eligo
