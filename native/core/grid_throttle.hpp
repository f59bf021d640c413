// DAGMan's throttles: ELIGIBLE jobs are ready first, and go into the pool when the limits let them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "grid_model.hpp"

namespace eligo {

enum class ReadyOrder { lowest, oldest, newest };

class Throttle {
public:
    Throttle(const Throttling& model, std::span<const Node> place, ReadyOrder order)
        : model_(model), place_(place), order_(order), ready_(model.category_max.size() + 1), sent_(ready_.size()) {}

    void begin() {
        for (auto& heap : ready_) heap = {};
        sent_.assign(sent_.size(), 0);
        sent_in_all_ = 0;
        arrived_ = things_ = 0;
    }

    void push(Node v) {
        ready_[category(v)].push({key_of(v), v});
        ++arrived_;
    }

    void done(Node v) {
        --sent_[category(v)];
        --sent_in_all_;
    }

    // Called after each thing that happens.
    template <class Pool>
    void refill(Pool& pool) {
        ++things_;
        while ((model_.max_jobs == 0 || sent_in_all_ < model_.max_jobs) &&
               (model_.max_idle == 0 || pool.size() < model_.max_idle)) {
            const std::size_t from = first_with_room();
            if (from == ready_.size()) return;
            pool.push(ready_[from].top().second);
            ready_[from].pop();
            ++sent_[from];
            ++sent_in_all_;
        }
    }

private:
    // The newest are those that the last thing made ready; among these the order of the file stays, as it does without
    // throttles.
    std::int64_t key_of(Node v) const {
        if (order_ == ReadyOrder::lowest) return v;
        return order_ == ReadyOrder::oldest ? arrived_ : -things_ * (std::int64_t{1} << 31) + arrived_;
    }

    // Jobs without a category are in the last one, which has no limit.
    std::size_t category(Node v) const {
        const Node own = model_.category.empty() ? -1 : model_.category[place_[v]];
        return own < 0 ? ready_.size() - 1 : static_cast<std::size_t>(own);
    }

    std::size_t first_with_room() const {
        std::size_t best = ready_.size();
        for (std::size_t c = 0; c < ready_.size(); ++c) {
            if (ready_[c].empty() || (c + 1 < ready_.size() && sent_[c] >= model_.category_max[c])) continue;
            if (best == ready_.size() || ready_[c].top() < ready_[best].top()) best = c;
        }
        return best;
    }

    using Waiting = std::pair<std::int64_t, Node>;

    Throttling model_;
    std::span<const Node> place_;
    ReadyOrder order_;
    std::vector<std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>> ready_;
    std::vector<Node> sent_;
    Node sent_in_all_ = 0;
    std::int64_t arrived_ = 0, things_ = 0;
};

}  // namespace eligo
