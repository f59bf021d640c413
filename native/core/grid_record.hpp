// One run written down: every allocation as it is made, and of each job the one whose result counted.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "csr.hpp"

namespace eligo {

// Who ran what when, of the allocation whose result counted.
struct GridRecord {
    std::vector<double> start, end;
    std::vector<std::int64_t> worker;
    std::vector<Node> events;  // v for the start of v, ~v for its end
};

class GridRecorder {
public:
    explicit GridRecorder(Node n) : winner_(n, -1) {}

    // Allocations are numbered as they are given, from 0.
    void give(Node v, std::int64_t worker, double start, double end) {
        log_.push_back(static_cast<std::int64_t>(given_.size()));
        given_.push_back({v, worker, start, end});
    }

    void win(std::uint64_t number) {
        winner_[given_[number].job] = static_cast<std::int64_t>(number);
        log_.push_back(~static_cast<std::int64_t>(number));
    }

    // `place` are the jobs in the order in which the kernel numbers them.
    GridRecord written(std::span<const Node> place) const {
        const std::size_t n = winner_.size();
        const std::vector<double> never(n, std::numeric_limits<double>::quiet_NaN());
        GridRecord out{never, never, std::vector<std::int64_t>(n, -1), {}};
        for (std::int64_t entry : log_) {
            const std::int64_t number = entry < 0 ? ~entry : entry;
            const Given& given = given_[number];
            if (winner_[given.job] != number) continue;
            const Node job = place[given.job];
            out.start[job] = given.start;
            out.end[job] = given.end;
            out.worker[job] = given.worker;
            out.events.push_back(entry < 0 ? ~job : job);
        }
        return out;
    }

private:
    struct Given {
        Node job;
        std::int64_t worker;
        double start, end;
    };

    std::vector<Given> given_;
    std::vector<std::int64_t> winner_;  // the allocation of each job whose result counted
    std::vector<std::int64_t> log_;     // allocations and, as ~, their ends
};

}  // namespace eligo
