// The least that is occupied while a certain job runs, whatever ran before it and beside it.
//
// Every execution passes a state in which the job has started and has not ended (in the simple model: has just started,
// so that none of its descendants has). What comes before its start has then happened, what comes after its end has not.
// The other events are free to have happened or not: the lightest closed set of them is the heaviest one for the
// opposite weights, and the flow of closure.hpp proves that nothing is lighter.
#pragma once

#include <vector>

#include "closure.hpp"
#include "event_network.hpp"

namespace eligo {

struct LeastAround {
    Amount value;  // beside what is there from outside
    std::vector<Node> senders, receivers;
    std::vector<Amount> amounts;
};

class LeastAroundFinder {
public:
    explicit LeastAroundFinder(const EventNetwork& network, bool one_event)
        : network_(network), one_event_(one_event), n_(static_cast<Node>(network.weight.size())) {
        down_ = transpose(network.up.view());
    }

    LeastAround find(Node job) const {
        std::vector<char> fixed(n_, 0);
        Amount certain = 0;
        for (Node x : reached(network_.up.view(), {network_.start[job]})) fixed[x] = 1, certain += network_.weight[x];
        std::vector<Node> after{network_.end[job]};
        if (one_event_) {
            const auto children = down_.view().row(network_.start[job]);
            after.assign(children.begin(), children.end());
        }
        for (Node x : reached(down_.view(), after)) fixed[x] = 1;
        std::vector<Node> number(n_, -1), left;
        for (Node x = 0; x < n_; ++x) {
            if (!fixed[x]) number[x] = static_cast<Node>(left.size()), left.push_back(x);
        }
        Csr up{{0}, {}};
        std::vector<Amount> weight;
        for (Node x : left) {
            for (Node y : network_.up.view().row(x)) {
                if (number[y] >= 0) up.idx.push_back(number[y]);
            }
            up.ptr.push_back(static_cast<Offset>(up.idx.size()));
            weight.push_back(-network_.weight[x]);
        }
        Closure closure(std::move(up), std::move(weight));
        closure.solve();
        LeastAround found{certain - closure.leftover(), {}, {}, {}};
        closure.each_flow([&](Node x, Node y, Amount amount) {
            found.senders.push_back(network_.identity[left[x]]);
            found.receivers.push_back(network_.identity[left[y]]);
            found.amounts.push_back(amount);
        });
        return found;
    }

private:
    const EventNetwork& network_;
    bool one_event_;
    Node n_;
    Csr down_;

    std::vector<Node> reached(CsrView arcs, std::vector<Node> from) const {
        std::vector<char> seen(n_, 0);
        for (Node x : from) seen[x] = 1;
        for (std::size_t i = 0; i < from.size(); ++i) {
            for (Node y : arcs.row(from[i])) {
                if (!seen[y]) seen[y] = 1, from.push_back(y);
            }
        }
        return from;
    }
};

}  // namespace eligo
