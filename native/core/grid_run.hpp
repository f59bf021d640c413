// One execution of a dag on the grid, batch by batch and result by result.
//
// Jobs are renumbered once, so that those which run together lie together; where the strategy is an order, a job's number is
// its rank. Draws go by the job's number in the file. A run costs O(log running + degree) a job, and O(1) a batch that
// finds nothing; nothing is allocated from the second run on but what failures need.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "event_heap.hpp"
#include "grid_measures.hpp"
#include "grid_memory.hpp"
#include "grid_model.hpp"
#include "grid_pools.hpp"
#include "grid_record.hpp"
#include "grid_throttle.hpp"
#include "grid_waiting.hpp"
#include "running_list.hpp"

namespace eligo {

template <class Pool, class Running>
class GridRun {
public:
    explicit GridRun(const GridModel& model)
        : model_(model), n_(model.succ.size()), renumbered_(n_), missing_at_first_(n_, 0), pool_(n_),
          arrivals_(model.arrivals, model.patience), factor_(model.workers.sd) {
        const Workers& workers = model.workers;
        can_return_ = workers.fail > 0 || workers.lost > 0 || workers.deadline > 0;
        once_ = !can_return_ && workers.copies == 1;
        in_order_ = !std::is_same_v<Pool, LowestPool> || model.throttling.any();
        known_ = workers.stay || !once_;
        if (model.throttling.any()) throttle_.emplace(model.throttling, model.place, ready_order());
        if (model.occupied.any()) memory_.emplace(model.occupied, model.place);
        renumber();
    }

    Measures run(Key key) {
        begin(key);
        if constexpr (std::is_same_v<Running, EventHeap>) {
            return once_ && !model_.workers.stay ? run_by_batches() : run_by_events();
        } else {
            return run_by_batches();
        }
    }

    GridRecord record(Key key) {
        in_order_ = true;
        recorder_.emplace(n_);
        run(key);
        return recorder_->written(model_.place);
    }

private:
    static constexpr std::uint64_t kDeadline = std::uint64_t{1} << 63;
    static constexpr std::int64_t kOften = 1 << 18;  // rounds between two looks whether to stop

    enum class Fate : char { runs, fails, lost, over };

    struct Allocation {
        std::int64_t worker;
        double start, end;
        Fate fate;
        bool expired;
    };

    // Where nobody stays and nothing can come back, jobs are given only when a batch comes. What ends between two batches
    // is looked at when the second one comes.
    Measures run_by_batches() {
        while (waiting_ > 0 && arrivals_.time() < kNever) {
            const double time = arrivals_.time();
            settle(time);
            if (pool_.empty()) {
                stall(events_.next_time());
            } else {
                now_ = time;
                arrive_and_leave(arrivals_.next());
            }
        }
        const double last = events_.last_time();
        if (recorder_) settle(last);
        return measures(waiting_ == 0 ? last : kNever);
    }

    void settle(double time) {
        events_.until(time, in_order_, [this](Event event) { end(jobs_[event.tag], event.tag); });
    }

    // Jobs are taken first and timed then: the times do not wait for each other.
    void arrive_and_leave(std::int64_t size) {
        ++result_.batches;
        result_.requests += size;
        const std::size_t begin = jobs_.size();
        take_up_to(size);
        for (std::size_t tag = begin; tag < jobs_.size(); ++tag) {
            const std::int64_t worker = arrived_ + static_cast<std::int64_t>(tag - begin);
            const double end = now_ + time_of(jobs_[tag], model_.place[jobs_[tag]], worker);
            events_.push({end, tag});
            if (recorder_) recorder_->give(jobs_[tag], worker, now_, end);
        }
        arrived_ += size;
    }

    void take_up_to(std::int64_t most) {
        while (most > 0 && !pool_.empty()) {
            // A throttle may send more after each.
            const auto count = static_cast<Node>(throttle_ ? 1 : std::min<std::int64_t>(most, pool_.size()));
            const std::size_t begin = jobs_.size();
            jobs_.resize(begin + count);
            pool_.take_many(count, jobs_.data() + begin);
            waiting_ -= count;
            most -= count;
            if (memory_)
                for (std::size_t tag = begin; tag < jobs_.size(); ++tag) memory_->start(jobs_[tag], true);
            if (throttle_) throttle_->refill(pool_);
        }
    }

    Measures run_by_events() {
        for (std::int64_t rounds = 1;; ++rounds) {
            if (rounds % kOften == 0) model_.patience();
            const double due = events_.empty() ? kNever : events_.next_time();
            const double next = waiting_ == 0 && once_ ? kNever : arrivals_.time();
            if (due <= next) {
                if (due == kNever) break;
                if (waiting_ == 0 && once_ && !recorder_) return measures(events_.last_time());
                advance(due);
                do happen(events_.pop());
                while (!events_.empty() && events_.next_time() == now_);
                if (done_ == n_) break;
                serve();
            } else {
                if (pool_.empty() && events_.empty()) break;  // no worker can help any more
                if (pool_.empty() && !model_.workers.stay) {
                    stall(due);
                } else {
                    advance(next);
                    arrive(arrivals_.next());
                }
            }
        }
        return measures(done_ == n_ ? now_ : kNever);
    }

    ReadyOrder ready_order() const {
        if (model_.ordered) return ReadyOrder::lowest;
        return std::is_same_v<Pool, NewestPool> ? ReadyOrder::newest : ReadyOrder::oldest;
    }

    // Rows keep the order of their jobs in the file, in which children enter the pool.
    void renumber() {
        std::vector<Node> number(n_);
        for (Node v = 0; v < n_; ++v) number[model_.place[v]] = v;
        succ_.ptr.assign(n_ + 1, 0);
        succ_.idx.reserve(model_.succ.idx.size());
        for (Node v = 0; v < n_; ++v) {
            for (Node w : model_.succ.row(model_.place[v])) {
                succ_.idx.push_back(number[w]);
                ++missing_at_first_[number[w]];
            }
            succ_.ptr[v + 1] = static_cast<Offset>(succ_.idx.size());
            renumbered_[v] = model_.base[model_.place[v]];
        }
        for (Node job = 0; job < n_; ++job)
            if (missing_at_first_[number[job]] == 0) sources_.push_back(number[job]);
    }

    void begin(Key run) {
        times_ = draw(run, 0);
        speeds_ = draw(run, 2);
        fates_ = draw(run, 3);
        arrivals_.begin(draw(run, 1));
        pool_.clear(draw(run, 4));
        missing_ = missing_at_first_;
        events_.clear();
        jobs_.clear();
        allocations_.clear();
        queue_.clear();
        if (!once_) {
            tries_.assign(n_, 0);
            given_.assign(n_, 0);
            finished_.assign(n_, 0);
        }
        if (throttle_) throttle_->begin();
        if (memory_) memory_->begin();
        result_ = {};
        now_ = 0;
        arrived_ = 0;
        done_ = 0;
        waiting_ = n_;
        for (Node v : sources_) become_eligible(v);
        if (throttle_) throttle_->refill(pool_);
    }

    void become_eligible(Node v) {
        if (throttle_) {
            throttle_->push(v);
        } else {
            pool_.push(v);
        }
    }

    void advance(double time) {
        if (!queue_.empty() && waiting_ > 0) result_.idle_time += time - now_;
        now_ = time;
    }

    void arrive(std::int64_t size) {
        const std::int64_t first = arrived_;
        arrived_ += size;
        if (waiting_ > 0) {
            ++result_.batches;
            result_.requests += size;
            if (pool_.empty()) ++result_.stalled;
        }
        if (model_.workers.stay) {
            queue_.push(first, size);
            serve();
        } else {
            for (std::int64_t worker = first; worker < arrived_ && !pool_.empty(); ++worker) allocate(worker);
        }
    }

    // Nothing is there to give until something is due: those who come before that leave.
    void stall(double due) {
        const auto passed = arrivals_.pass(due);
        arrived_ += passed.workers;
        if (waiting_ == 0) return;
        result_.batches += passed.batches;
        result_.stalled += passed.batches;
        result_.requests += passed.workers;
    }

    void serve() {
        while (!queue_.empty() && !pool_.empty()) allocate(queue_.pop());
    }

    void allocate(std::int64_t worker) {
        const Node v = pool_.top();
        std::uint64_t number = model_.place[v];
        bool first = true;
        if (once_) {
            take(v);
        } else {
            first = tries_[v] == 0;
            result_.started += first;
            number += static_cast<std::uint64_t>(tries_[v]++) * n_;
            if (++given_[v] == model_.workers.copies) take(v);
        }
        double time = time_of(v, number, worker);
        const std::uint64_t tag = jobs_.size();
        jobs_.push_back(v);
        if (known_) {
            const Fate fate = can_return_ ? choose_fate(number, time) : Fate::runs;
            allocations_.push_back({worker, now_, now_ + time, fate, false});
            if (fate != Fate::lost) events_.push({now_ + time, tag});
            if (once_) result_.useful_time += time;
            if (model_.workers.deadline > 0)
                events_.push({now_ + model_.workers.deadline * renumbered_[v], tag | kDeadline});
        } else {
            events_.push({now_ + time, tag});
        }
        if (recorder_) recorder_->give(v, worker, now_, now_ + time);
        if (memory_) memory_->start(v, first);
        if (throttle_) throttle_->refill(pool_);
    }

    double time_of(Node v, std::uint64_t number, std::int64_t worker) const {
        const double time = renumbered_[v] * factor_(times_, number);
        if (model_.workers.spread == 0) return time;
        return time / std::exp(model_.workers.spread * normal_quantile(uniform(speeds_, worker)));
    }

    void take(Node v) {
        pool_.take(v);
        --waiting_;
    }

    Fate choose_fate(std::uint64_t number, double& time) const {
        const Workers& workers = model_.workers;
        const double u = uniform(fates_, 2 * number);
        if (u < workers.lost) return Fate::lost;
        if (u >= workers.lost + workers.fail) return Fate::runs;
        time *= uniform(fates_, 2 * number + 1);
        return Fate::fails;
    }

    void happen(Event event) {
        const std::uint64_t number = event.tag & ~kDeadline;
        const Node v = jobs_[number];
        if (event.tag & kDeadline) {
            write_off(v, allocations_[number]);
        } else {
            end(v, number);
        }
    }

    void end(Node v, std::uint64_t number) {
        if (memory_) memory_->stop(v);
        if (!known_) return finish(v, number);
        Allocation& allocation = allocations_[number];
        const bool failed = allocation.fate == Fate::fails;
        allocation.fate = Fate::over;
        if (failed) {
            if (!allocation.expired) give_back(v);
        } else if (once_ || !finished_[v]) {
            if (!once_) result_.useful_time += allocation.end - allocation.start;
            finish(v, number);
        }
        if (model_.workers.stay) {
            if (waiting_ > 0) ++result_.requests;
            queue_.push(allocation.worker, 1);
        }
    }

    // A job is done, by the result of an allocation.
    void finish(Node v, std::uint64_t number) {
        ++done_;
        if (recorder_) recorder_->win(number);
        if (!once_) {
            finished_[v] = 1;
            if (given_[v] < model_.workers.copies) {
                pool_.erase(v);
                --waiting_;
            }
        }
        if (memory_) memory_->done(v);
        if (throttle_) throttle_->done(v);
        for (Node w : succ_.view().row(v))
            if (--missing_[w] == 0) become_eligible(w);
        if (throttle_) throttle_->refill(pool_);
    }

    void write_off(Node v, Allocation& allocation) {
        if (allocation.fate == Fate::over) return;
        if (allocation.fate == Fate::lost) {
            allocation.fate = Fate::over;
            if (memory_) memory_->stop(v);
        }
        allocation.expired = true;
        give_back(v);
    }

    void give_back(Node v) {
        if (finished_[v]) return;
        if (given_[v]-- == model_.workers.copies) {
            ++waiting_;
            pool_.push(v);
        }
    }

    Measures measures(double time) {
        result_.time = time;
        result_.ended = time < kNever;
        result_.allocations = static_cast<std::int64_t>(jobs_.size());
        if (once_) result_.started = result_.allocations;
        if (memory_) result_.peak = memory_->peak();
        result_.utilization = utilization();
        return result_;
    }

    // Of processors that are there all the time the share of it in which they ran jobs to a result that counted; else,
    // as the paper has it, the share of requests that got one.
    double utilization() const {
        const double processors = static_cast<double>(model_.workers.processors);
        if (processors > 0) return result_.ended && result_.time > 0 ? result_.useful_time / (processors * result_.time) : 0;
        return result_.requests ? static_cast<double>(result_.started) / static_cast<double>(result_.requests) : 0;
    }

    GridModel model_;
    Node n_;
    Csr succ_;
    std::vector<double> renumbered_;  // expected times
    std::vector<Node> missing_at_first_, sources_;
    bool can_return_ = false;  // whether a job may have to be given again
    bool once_ = false;        // whether every job is given just once
    bool in_order_ = true;     // whether it matters in which order jobs end between two batches
    bool known_ = false;       // whether more must be known of an allocation than its job

    std::vector<Node> missing_;  // parents that are not done
    Pool pool_;
    ArrivalStream arrivals_;
    TimeFactor factor_;
    std::optional<Throttle> throttle_;
    std::optional<MemoryAccount> memory_;
    Running events_;
    std::vector<Node> jobs_;  // of each allocation
    std::vector<Allocation> allocations_;
    std::vector<std::int32_t> tries_, given_;  // allocations of each job: all, and those that may still bring a result
    std::vector<char> finished_;
    WaitingWorkers queue_;
    Key times_ = 0, speeds_ = 0, fates_ = 0;
    double now_ = 0;
    std::int64_t arrived_ = 0;
    Node done_ = 0, waiting_ = 0;
    Measures result_;
    std::optional<GridRecorder> recorder_;
};

}  // namespace eligo
