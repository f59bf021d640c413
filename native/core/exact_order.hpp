// An order of the non-sinks along which few groups are undecided at a time.
//
// The profile search (exact_profile.hpp) decides node after node whether it is executed. A group is *open* from the
// decision on its first parent to the decision on its last parent and on all its members; the search must tell apart
// ideals that leave different open groups alive, so its work is exponential in the number of open groups at worst.
// Finding the best order is hard (it is a pathwidth); we go greedily: among the nodes whose parents are decided, take
// one that opens least and closes most.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "exact_model.hpp"

namespace eligo {

class FrontierOrder {
public:
    explicit FrontierOrder(const ExactModel& model) : model_(model) {
        const Node groups = static_cast<Node>(model.weight.size());
        for (Node g = 0; g < groups; ++g) {
            parents_left_.push_back(static_cast<Node>(model.parents.view().degree(g)));
            members_left_.push_back(static_cast<Node>(model.members.view().degree(g)));
        }
        opened_.assign(groups, 0);
        key_.resize(model.size());
        ready_.assign(model.size(), 0);
    }

    std::vector<Node> run() {
        for (Node v = 0; v < model_.size(); ++v)
            if (model_.group[v] < 0) make_ready(v);
        std::vector<Node> order;
        order.reserve(model_.size());
        while (!queue_.empty()) {
            const Node v = std::get<2>(*queue_.begin());
            queue_.erase(queue_.begin());
            ready_[v] = 0;
            order.push_back(v);
            decide(v);
        }
        return order;
    }

    // A group of sinks with one parent is decided at once and never open.
    static bool needs_slot(const ExactModel& model, Node g) {
        return model.parents.view().degree(g) > 1 || model.members.view().degree(g) > 0;
    }

private:
    using Key = std::tuple<Node, Node, Node>;

    const ExactModel& model_;
    std::vector<Node> parents_left_, members_left_;
    std::vector<char> opened_, ready_;
    std::vector<Key> key_;
    std::set<Key> queue_;
    Node clock_ = 0;

    // How many groups deciding v opens, less those it closes; then later nodes first, which goes down before sideways.
    Node growth(Node v) const {
        Node sum = 0;
        for (Node g : model_.feeds.view().row(v)) {
            if (!needs_slot(model_, g)) continue;
            sum += !opened_[g];
            sum -= parents_left_[g] == 1 && members_left_[g] == 0;
        }
        if (model_.group[v] >= 0) sum -= members_left_[model_.group[v]] == 1;
        return sum;
    }

    void make_ready(Node v) {
        ready_[v] = 1;
        key_[v] = {growth(v), -clock_, v};
        queue_.insert(key_[v]);
    }

    void refresh(Node v) {
        if (!ready_[v]) return;
        queue_.erase(key_[v]);
        std::get<0>(key_[v]) = growth(v);
        queue_.insert(key_[v]);
    }

    void decide(Node v) {
        ++clock_;
        if (const Node own = model_.group[v]; own >= 0 && --members_left_[own] == 1)
            for (Node w : model_.members.view().row(own)) refresh(w);
        for (Node g : model_.feeds.view().row(v)) {
            const bool fresh = !opened_[g];
            opened_[g] = 1;
            --parents_left_[g];
            if (fresh || parents_left_[g] == 1)
                for (Node p : model_.parents.view().row(g)) refresh(p);
            if (parents_left_[g] == 0)
                for (Node w : model_.members.view().row(g)) make_ready(w);
        }
    }
};

}  // namespace eligo
