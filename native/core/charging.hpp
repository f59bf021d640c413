// Charging: an upper bound on how many jobs any execution can have rendered ELIGIBLE, for any dag, by flow.
//
// Every node with parents holds one unit, which it sends to its parents, in shares. A node keeps some of what it gets
// from its children, and sends the rest on to its own parents. What it keeps is its *load*. Once all parents of a node
// are executed, so are all its ancestors, so its unit lies on executed nodes, wherever it went: the number of such
// nodes is at most the load of what is executed, and after t steps at most the sum of the t largest loads.
//
// The more even the loads, the better the bound; the most even ones give the concave envelope of the truth. They are
// approached by sweeps: each node in turn shares out what it has between itself and its parents so that the lower
// ones are filled up first (water filling). A sweep up the dag carries load far, one down takes back what was too much.
// Shares are whole numbers; a unit is `scale` of them. Whatever the number of sweeps, the bound is valid.
//
// Loads also say in which order to execute: nodes with the largest load first. (With the most even loads this is
// Sidney's decomposition of the problem to minimise the weighted sum of completion times, which AREA is.)
//
// Cost: O(m log d) a sweep, d the largest indegree.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

struct Charging {
    std::vector<Offset> flow;  // what each node sends to each of its parents: entries as in the rows of parents
    std::vector<Offset> load;
};

class Charger {
public:
    // The nodes of `pred` are numbered in topological order.
    Charger(CsrView pred, Offset scale)
        : pred_(pred), scale_(scale), out_{std::vector<Offset>(pred.idx.size()), std::vector<Offset>(pred.size(), 0)} {
        for (Node v = 0; v < pred.size(); ++v) {  // to begin with, equal shares
            const Offset parents = pred.degree(v);
            for (Offset i = 0; i < parents; ++i) {
                const Offset share = scale / parents + (i < scale % parents);
                out_.flow[pred.ptr[v] + i] = share;
                out_.load[pred.idx[pred.ptr[v] + i]] += share;
            }
        }
    }

    void sweep_up() {
        for (Node v = pred_.size(); v-- > 0;) share_out(v);
    }

    void sweep_down() {
        for (Node v = 0; v < pred_.size(); ++v) share_out(v);
    }

    const Charging& result() const { return out_; }

    // How uneven the loads are: the sum of their squares, which every sweep makes smaller.
    unsigned __int128 unevenness() const {
        unsigned __int128 sum = 0;
        for (Offset load : out_.load) sum += static_cast<unsigned __int128>(load) * static_cast<unsigned __int128>(load);
        return sum;
    }

private:
    using Filled = std::pair<Offset, Offset>;  // the load of a parent without v's share, and where that share is kept
    CsrView pred_;
    Offset scale_;
    Charging out_;
    std::vector<Filled> parents_;

    void share_out(Node v) {
        const Offset begin = pred_.ptr[v], end = pred_.ptr[v + 1];
        if (begin == end) return;
        Offset amount = out_.load[v];
        parents_.clear();
        for (Offset k = begin; k < end; ++k) {
            amount += out_.flow[k];
            Offset& load = out_.load[pred_.idx[k]];
            load -= out_.flow[k];
            // A parent may already have sent on what it got from here: that much it must be given again.
            out_.flow[k] = std::max<Offset>(0, -load);
            load += out_.flow[k];
            parents_.emplace_back(load, k);
        }
        for (const auto& [load, k] : parents_) amount -= out_.flow[k];
        std::sort(parents_.begin(), parents_.end());
        // v's own unit must go to the parents; only what came from children may stay.
        const Offset most = std::max<Offset>(0, amount + taken(begin, end) - scale_);
        const Offset kept = std::min({level(amount, true), most, amount});
        out_.load[v] = kept;
        fill(amount - kept);
    }

    Offset taken(Offset begin, Offset end) const {
        Offset sum = 0;
        for (Offset k = begin; k < end; ++k) sum += out_.flow[k];
        return sum;
    }

    // Up to where the parents, and v itself where it takes part, are filled by an amount; rounded down.
    Offset level(Offset amount, bool with_self) const {
        Offset count = with_self, sum = 0;
        for (const auto& [load, k] : parents_) {
            if (count > 0 && static_cast<__int128>(load) * count - sum > amount) break;
            sum += load;
            ++count;
        }
        return (amount + sum) / count;
    }

    void fill(Offset amount) {
        const Offset height = level(amount, false);
        for (const auto& [load, k] : parents_) {
            const Offset share = std::clamp<Offset>(height - load, 0, amount);
            add(k, share);
            amount -= share;
        }
        for (std::size_t i = 0; amount > 0; ++i, --amount) add(parents_[i].second, 1);  // less than one for each filled
    }

    void add(Offset k, Offset share) {
        out_.flow[k] += share;
        out_.load[pred_.idx[k]] += share;
    }
};

// Sweeps up and down, so often at most; fewer where a pair of sweeps changes less than one part in 100,000.
inline Charging charge(CsrView pred, Offset scale, int sweeps) {
    Charger charger(pred, scale);
    unsigned __int128 before = charger.unevenness();
    for (int i = 0; i < sweeps; ++i) {
        if (i % 2 == 0) {
            charger.sweep_up();
            continue;
        }
        charger.sweep_down();
        const unsigned __int128 now = charger.unevenness();
        if (now > before || (before - now) * 100000 < before) break;
        before = now;
    }
    return charger.result();
}

}  // namespace eligo
