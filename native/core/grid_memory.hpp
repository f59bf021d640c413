// What is occupied along a run: each thing that happens changes it by what the data of one job come to.
#pragma once

#include <algorithm>
#include <vector>

#include "grid_model.hpp"

namespace eligo {

class MemoryAccount {
public:
    // `place` are the jobs in the order in which the kernel numbers them.
    MemoryAccount(const Occupied& model, std::span<const Node> place) : model_(model), place_(place) {}

    void begin() {
        left_.assign(model_.readers.begin(), model_.readers.end());
        now_ = peak_ = model_.base;
    }

    void start(Node v, bool first) {
        const Node job = place_[v];
        now_ += model_.running[job];
        if (first) {
            now_ += model_.made[job];
            if (model_.one_event) free_inputs(job);
        }
        peak_ = std::max(peak_, now_);
    }

    void stop(Node v) { now_ -= model_.running[place_[v]]; }

    void done(Node v) {
        if (!model_.one_event) free_inputs(place_[v]);
    }

    std::int64_t peak() const { return peak_; }

private:
    void free_inputs(Node job) {
        for (Node datum : model_.reads.row(job))
            if (--left_[datum] == 0) now_ -= model_.size[datum];
    }

    Occupied model_;
    std::span<const Node> place_;
    std::vector<std::int64_t> left_;
    std::int64_t now_ = 0, peak_ = 0;
};

}  // namespace eligo
