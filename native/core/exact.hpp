// Exact answers about any dag: the searches of exact_*.hpp put together, from rows of a dag to orders of its jobs.
#pragma once

#include <limits>
#include <numeric>
#include <vector>

#include "exact_area.hpp"
#include "exact_conflict.hpp"
#include "exact_memory.hpp"
#include "exact_model.hpp"
#include "exact_optimal.hpp"
#include "exact_profile.hpp"

namespace eligo {

struct ExactAnswer {
    std::vector<Offset> profile;  // E_max(0..n)
    std::vector<Word> ideals;     // how many the non-sinks have
    std::vector<Node> order;      // of all jobs; empty if there is none
    Node reached = 0;             // the number of steps that some schedule takes optimally
    std::vector<Word> number;     // of orders of the non-sinks, twins in ascending order
    std::vector<Offset> twins;    // sizes of the twin classes
    Offset visited = 0;
};

class ExactSearch {
public:
    ExactSearch(CsrView succ, CsrView pred, Offset budget)
        : succ_(succ), pred_(pred), budget_(budget), model_(succ, pred, non_sinks(all_jobs())) {
        budget_.doing = "computing E_max";
        profile_ = exact_profile(model_, budget_);
    }

    // `count`: the number of IC-optimal schedules too. Without `look`, the profile only.
    ExactAnswer answer(bool look, bool count) {
        OptimalOrders found;
        budget_.doing = "walking through the optimal ideals";
        if (look && count) found = optimal_orders(model_, profile_.rendered, budget_);
        else if (look) found = least_loss(model_, profile_.rendered, 0, budget_);
        const bool exists = look && found.reached == model_.size();
        return {best_profile(), profile_.ideals, exists ? to_jobs(model_, found.order) : std::vector<Node>{},
                found.reached, found.number, model_.twins, budget_.visited()};
    }

    // The non-sinks in the sequence in which the profile search decides them.
    std::vector<Node> sequence() {
        std::vector<Node> nodes = FrontierOrder(model_, budget_).run();
        for (Node& v : nodes) v = model_.job[v];
        return nodes;
    }

    std::vector<Node> largest_area() {
        budget_.doing = "looking for the largest AREA";
        const auto any = std::numeric_limits<std::size_t>::max();
        return to_jobs(model_, least_loss(model_, profile_.rendered, any, budget_).order);
    }

    // Over the IC-optimal schedules; shorter than n if there is none.
    std::vector<Node> least_memory_ic_optimal() {
        budget_.doing = "looking for the least memory";
        const std::vector<Node> order = least_memory(model_, succ_, profile_.rendered, budget_);
        return static_cast<Node>(order.size()) < model_.size() ? std::vector<Node>{} : to_jobs(model_, order);
    }

    // `topological`: all jobs in such an order.
    Conflict conflict(std::span<const Node> topological) {
        budget_.doing = "walking through the optimal ideals";
        const OptimalOrders found = least_loss(model_, profile_.rendered, 0, budget_);
        if (found.reached == model_.size()) return {};
        budget_.doing = "collecting all optimal ideals";
        const ExactModel along(succ_, pred_, non_sinks({topological.begin(), topological.end()}));
        return find_conflict(along, profile_.rendered, found.reached + 1, budget_);
    }

    static std::vector<Node> least_memory_of_all(CsrView succ, CsrView pred, Offset most) {
        std::vector<Node> jobs(succ.size());
        std::iota(jobs.begin(), jobs.end(), 0);
        const ExactModel model(succ, pred, std::move(jobs));
        Budget budget(most);
        budget.doing = "looking for the least memory";
        std::vector<Node> order = least_memory(model, succ, {}, budget);
        for (Node& v : order) v = model.job[v];
        return order;
    }

private:
    CsrView succ_, pred_;
    Budget budget_;
    ExactModel model_;
    ExactProfile profile_;

    std::vector<Node> all_jobs() const {
        std::vector<Node> jobs(succ_.size());
        std::iota(jobs.begin(), jobs.end(), 0);
        return jobs;
    }

    std::vector<Node> non_sinks(std::vector<Node> jobs) const {
        std::erase_if(jobs, [&](Node v) { return succ_.degree(v) == 0; });
        return jobs;
    }

    std::vector<Offset> best_profile() const {
        const Node n = succ_.size();
        std::vector<Offset> profile(n + 1);
        for (Node t = 0; t <= n; ++t) profile[t] = (t <= model_.size() ? profile_.rendered[t] : n) - t;
        return profile;
    }

    std::vector<Node> to_jobs(const ExactModel& model, const std::vector<Node>& nodes) const {
        std::vector<Node> order;
        order.reserve(succ_.size());
        for (Node v : nodes) order.push_back(model.job[v]);
        for (Node v = 0; v < succ_.size(); ++v)
            if (succ_.degree(v) == 0) order.push_back(v);
        return order;
    }
};

}  // namespace eligo
