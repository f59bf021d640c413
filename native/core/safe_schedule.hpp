// A parallel schedule that keeps a memory limit, for as many workers as there are jobs.
//
// Given is a sequential order within the limit. A job that is ready may start at once, the one with the longest path
// behind it first, if two things hold: it fits into what is free now; and afterwards, once all running jobs have ended,
// the jobs left could still be run one by one in the given order within the limit (Dijkstra's banker). So there is
// always a way to go on, and the schedule never gets stuck.
//
// The second question is kept as a profile over the places of the order: what would be occupied while the job at that
// place runs. Starting a job early adds its outputs to all places before its own; a datum whose last reader in the order
// runs early is freed already at the reader before. Both are additions over a range, and the question is for the
// maximum: a segment tree, O(log n) each.
#pragma once

#include <algorithm>
#include <limits>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "event_network.hpp"

namespace eligo {

// Maximum over all places, with additions over ranges.
class RangeMax {
public:
    explicit RangeMax(const std::vector<Amount>& values) {
        while (width_ < values.size()) width_ *= 2;
        most_.assign(2 * width_, lowest);
        extra_.assign(2 * width_, 0);
        for (std::size_t i = 0; i < values.size(); ++i) most_[width_ + i] = values[i];
        for (std::size_t i = width_; i-- > 1;) most_[i] = std::max(most_[2 * i], most_[2 * i + 1]);
    }

    Amount all() const { return most_[1]; }

    // Leaves a place out of the maximum; put() brings it back, once all additions since then are taken back.
    Amount take(std::size_t place) {
        const Amount value = most_[width_ + place];
        put(place, lowest);
        return value;
    }

    void put(std::size_t place, Amount value) {
        most_[width_ + place] = value;
        pull(width_ + place);
    }

    // Adds to the places from `begin` to before `end`.
    void add(std::size_t begin, std::size_t end, Amount amount) {
        if (begin >= end || amount == 0) return;
        std::size_t left = begin + width_, right = end + width_;
        const std::size_t first = left, last = right - 1;
        for (; left < right; left /= 2, right /= 2) {
            if (left & 1) apply(left++, amount);
            if (right & 1) apply(--right, amount);
        }
        pull(first);
        pull(last);
    }

private:
    static constexpr Amount lowest = INT64_MIN / 2;  // sums of sizes stay below 2^62, so this stays negative
    std::size_t width_ = 1;
    std::vector<Amount> most_, extra_;

    void apply(std::size_t node, Amount amount) {
        most_[node] += amount;
        extra_[node] += amount;
    }

    void pull(std::size_t node) {
        for (node /= 2; node >= 1; node /= 2) most_[node] = std::max(most_[2 * node], most_[2 * node + 1]) + extra_[node];
    }
};

class SafeSchedule {
public:
    // `order` must be within the limit, which is beside what is there from outside. Of jobs that are ready, the one of
    // the largest `urgency` starts first, but none before its `release`.
    SafeSchedule(const FootprintView& print, CsrView succ, std::span<const Node> order, std::span<const double> work,
                 std::span<const double> urgency, std::span<const double> release, Amount limit)
        : print_(print), succ_(succ), order_(order), work_(work), urgency_(urgency), release_(release), limit_(limit),
          n_(static_cast<Node>(order.size())), k_(print.readers.size()), place_(n_), out_(n_, 0), freed_(n_, 0),
          waiting_(n_), reads_(transpose_readers()), by_place_(print.readers.idx.begin(), print.readers.idx.end()),
          last_left_(k_), unended_(k_), started_(n_, 0), profile_(first_profile()) {}

    // Starts and ends in turn: j is the start of job j, n + j its end.
    std::vector<Node> run() {
        for (Node j = 0; j < n_; ++j) {
            waiting_[j] = static_cast<Node>(print_.pred.degree(j));
            if (waiting_[j] == 0) sleeping_.push({release_[j], place_[j], j});
        }
        start_what_fits();
        while (!running_.empty() || !sleeping_.empty()) {
            now_ = next_time();
            while (!running_.empty() && std::get<0>(running_.top()) <= now_) {
                const Node job = std::get<2>(running_.top());
                running_.pop();
                finish(job);
            }
            start_what_fits();
        }
        return std::move(events_);
    }

private:
    using Entry = std::tuple<double, Node, Node>;
    using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
    static constexpr int most_refused = 8;  // ready jobs asked in vain before waiting for the next end

    FootprintView print_;
    CsrView succ_;
    std::span<const Node> order_;
    std::span<const double> work_, urgency_, release_;
    Amount limit_, used_ = 0;
    Node n_, k_;
    std::vector<Node> place_;
    std::vector<Amount> out_, freed_;
    std::vector<Node> waiting_;
    Csr reads_;
    std::vector<Node> by_place_;                // readers of each datum, by place in the order
    std::vector<Node> last_left_;               // of each datum: which of them is the last that has not started, or -1
    std::vector<Node> unended_;
    std::vector<char> started_;
    RangeMax profile_;
    Queue ready_, sleeping_, running_;
    std::vector<Node> events_;
    Node next_ = 0;                             // place of the first job in the order that has not started
    double now_ = 0;

    Csr transpose_readers() const {
        std::vector<Node> key, value;
        for (Node d = 0; d < k_; ++d) {
            for (Node r : print_.readers.row(d)) key.push_back(r), value.push_back(d);
        }
        return group_by(n_, key, value);
    }

    RangeMax first_profile() {
        for (Node i = 0; i < n_; ++i) place_[order_[i]] = i;
        for (Node d = 0; d < k_; ++d) {
            const auto begin = by_place_.begin() + print_.readers.ptr[d], end = by_place_.begin() + print_.readers.ptr[d + 1];
            std::sort(begin, end, [&](Node a, Node b) { return place_[a] < place_[b]; });
            unended_[d] = static_cast<Node>(end - begin);
            last_left_[d] = unended_[d] - 1;
            if (print_.producer[d] >= 0) out_[print_.producer[d]] += print_.size[d];
            if (begin != end) freed_[*(end - 1)] += print_.size[d];
        }
        std::vector<Amount> values(n_);
        Amount before = 0;
        for (Node i = 0; i < n_; ++i) {
            const Node j = order_[i];
            values[i] = before + needed(j);
            before += out_[j] - freed_[j];
        }
        return RangeMax(values);
    }

    // What a job adds when it starts; in the simple model its inputs go in the same moment.
    Amount needed(Node job) const { return print_.one_event ? out_[job] - freed_[job] : out_[job] + print_.running[job]; }

    double next_time() const {
        const double end = running_.empty() ? std::numeric_limits<double>::infinity() : std::get<0>(running_.top());
        return sleeping_.empty() ? end : std::min(end, std::max(now_, std::get<0>(sleeping_.top())));
    }

    void start_what_fits() {
        while (!sleeping_.empty() && std::get<0>(sleeping_.top()) <= now_) {
            const Node job = std::get<2>(sleeping_.top());
            sleeping_.pop();
            ready_.push({-urgency_[job], place_[job], job});
        }
        std::vector<Entry> refused;
        bool asked_next = false;
        while (!ready_.empty() && refused.size() < most_refused) {
            const Entry entry = ready_.top();
            ready_.pop();
            if (started_[std::get<2>(entry)]) continue;
            asked_next |= std::get<2>(entry) == order_[next_];
            if (!start(std::get<2>(entry))) refused.push_back(entry);
        }
        // The next job of the order can always start when nothing runs; the queue may hold it far behind.
        if (!asked_next && refused.size() == most_refused && next_ < n_ && waiting_[order_[next_]] == 0) start(order_[next_]);
        for (const Entry& entry : refused) ready_.push(entry);
    }

    bool start(Node job) {
        if (used_ + needed(job) > limit_) return false;
        const std::size_t place = static_cast<std::size_t>(place_[job]);
        const Amount value = profile_.take(place);
        shift(job, place, 1);
        if (profile_.all() > limit_) {
            shift(job, place, -1);
            profile_.put(place, value);
            return false;
        }
        started_[job] = 1;
        for (Node d : reads_.view().row(job)) {
            if (reader(d, last_left_[d]) == job) last_left_[d] = left_before(d, job);
        }
        while (next_ < n_ && started_[order_[next_]]) ++next_;
        used_ += needed(job);
        events_.push_back(job);
        running_.push({now_ + work_[job], static_cast<Node>(events_.size()), job});
        return true;
    }

    Node reader(Node d, Node which) const { return by_place_[print_.readers.ptr[d] + which]; }

    // Which reader of d is the last that has not started, beside `job`.
    Node left_before(Node d, Node job) const {
        Node which = last_left_[d];
        while (which >= 0 && (reader(d, which) == job || started_[reader(d, which)])) --which;
        return which;
    }

    // The profile with the job run before all that is left (sign 1), or as it was before that (sign -1).
    void shift(Node job, std::size_t place, int sign) {
        profile_.add(0, place, sign * out_[job]);
        for (Node d : reads_.view().row(job)) {
            if (reader(d, last_left_[d]) != job) continue;
            // The reader before it frees the datum now; with none left it is free at once.
            const Node which = left_before(d, job);
            const std::size_t freed = which < 0 ? 0 : static_cast<std::size_t>(place_[reader(d, which)]) + 1;
            profile_.add(freed, place + 1, -sign * print_.size[d]);
        }
    }

    void finish(Node job) {
        events_.push_back(n_ + job);
        if (!print_.one_event) {
            used_ -= print_.running[job];
            for (Node d : reads_.view().row(job)) {
                if (--unended_[d] == 0) used_ -= print_.size[d];
            }
        }
        for (Node child : succ_.row(job)) {
            if (--waiting_[child] == 0) sleeping_.push({release_[child], place_[child], child});
        }
    }
};

}  // namespace eligo
