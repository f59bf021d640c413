// The heaviest set of events that is closed under "comes before": the worst state of any execution, by a flow.
//
// Events are numbered so that what must come before an event has a smaller number. Event x has a weight: what it
// allocates minus what it frees. An execution is at any time at a set I of events that contains all that must come
// before them; it occupies weight(I). To bound all of them, let events *send* amounts to events that must come before
// (up), without limit, and let kept(x) = weight(x) + received(x) - sent(x). No event of I sends outside I, so
//     weight(I) <= kept(I) <= sum of max(0, kept(x)) over all x.
// The solver makes that sum, the *leftover*, as small as possible: what is kept too much moves up to where something is
// missing (kept < 0), or back along what was sent. When no excess can reach a missing amount any more, the events that
// excess can reach are a closed set that keeps nothing negative and sends nothing out: its weight is the leftover. So
// the flow proves that nothing is heavier, and the set that this weight is attained (max-flow min-cut; 004, Theorem 6,
// without its source, its sink and its starting flow).
//
// Method: a greedy start, then push-relabel (Goldberg and Tarjan 1988) with exact distances computed anew from time to
// time. Excess that can reach nothing stays where it is. Arcs can be added later; then the flow goes on from where it
// was, which is what makes adding thousands of dependencies one by one affordable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.hpp"

namespace eligo {

using Amount = std::int64_t;

class Closure {
public:
    // Row x of `up` holds the events that must come right before x, all of smaller number.
    Closure(Csr up, std::vector<Amount> weight)
        : up_(std::move(up)), n_(static_cast<Node>(weight.size())), fixed_(static_cast<Offset>(up_.idx.size())),
          kept_(std::move(weight)), flow_(fixed_, 0), distance_(n_, 0), queued_(n_, 0), is_stranded_(n_, 0), at_distance_(n_ + 2, 0) {
        turn_round();
        for (Node x = 0; x < n_; ++x) leftover_ += std::max<Amount>(kept_[x], 0);
        start_greedily();
    }

    Node size() const { return n_; }
    Amount leftover() const { return leftover_; }
    Offset work() const { return work_; }

    // From now on event y must come before event x. The flow stays as it is.
    void add(Node x, Node y) {
        if (sent_.empty()) sent_.resize(n_), got_.resize(n_);  // most are never added to, and 10^6 nodes take 48 MB
        const Offset arc = static_cast<Offset>(flow_.size());
        flow_.push_back(0);
        added_.push_back({x, y});
        sent_[x].push_back({y, arc});
        got_[y].push_back({x, arc});
        fresh_.push_back(arc);
    }

    // Move excess until the leftover is the weight of a closed set, or is at most `enough`.
    void solve(Amount enough = 0) {
        if (!labelled_) {
            label_all();
        } else {
            label_fresh();
        }
        while (leftover_ > enough && !active_.empty()) {
            if (since_labelling_ > relabel_after * (n_ + static_cast<Offset>(flow_.size()))) {
                label_all();
                continue;
            }
            const Node x = active_[head_++];
            if (head_ == active_.size()) {
                std::swap(active_, next_);
                next_.clear();
                head_ = 0;
            }
            queued_[x] = 0;
            discharge(x);
            wake(x);
        }
    }

    // The smallest closed set of the largest weight: what excess can reach. Valid after solve(0).
    void smallest(std::vector<std::uint8_t>& in) {
        in.assign(n_, 0);
        todo_.clear();
        for (Node x = 0; x < n_; ++x) {
            if (kept_[x] > 0) in[x] = 1, todo_.push_back(x);
        }
        while (!todo_.empty()) {
            const Node x = todo_.back();
            todo_.pop_back();
            each_way(x, [&](Node y, Offset, bool) {
                if (!in[y]) in[y] = 1, todo_.push_back(y);
                return false;
            });
        }
    }

    // The largest closed set of the largest weight: what cannot reach a missing amount. Valid after solve(0).
    void largest(std::vector<std::uint8_t>& in) {
        in.assign(n_, 1);
        todo_.clear();
        for (Node x = 0; x < n_; ++x) {
            if (kept_[x] < 0) in[x] = 0, todo_.push_back(x);
        }
        while (!todo_.empty()) {
            const Node y = todo_.back();
            todo_.pop_back();
            each_way_back(y, [&](Node x) {
                if (in[x]) in[x] = 0, todo_.push_back(x);
            });
        }
    }

    // Calls visit(sender, receiver, amount) for every arc that carries something; those added come last, in turn.
    template <class Visit>
    void each_flow(Visit&& visit) const {
        for (Node x = 0; x < n_; ++x) {
            for (Offset arc = up_.ptr[x]; arc < up_.ptr[x + 1]; ++arc) {
                if (flow_[arc] > 0) visit(x, up_.idx[arc], flow_[arc]);
            }
        }
        for (std::size_t i = 0; i < added_.size(); ++i) {
            if (flow_[fixed_ + i] > 0) visit(added_[i].from, added_[i].to, flow_[fixed_ + i]);
        }
    }

    Amount flow_of_added(std::size_t which) const { return flow_[fixed_ + which]; }

private:
    static constexpr Offset relabel_after = 1;
    static constexpr std::int32_t never = INT32_MAX;

    struct Pair {
        Node from, to;
    };
    struct End {
        Node other;
        Offset arc;
    };

    Csr up_;
    Node n_;
    Offset fixed_;
    std::vector<Offset> down_ptr_, down_arc_;
    std::vector<Node> down_;
    std::vector<Amount> kept_, flow_;
    std::vector<std::int32_t> distance_;  // at most the number of arcs to the nearest missing amount
    std::vector<Pair> added_;
    std::vector<std::vector<End>> sent_, got_;  // the added arcs of each node; none as long as none was added
    std::vector<Offset> fresh_;
    std::vector<char> queued_, is_stranded_;
    std::vector<Node> stranded_;       // had excess and could reach nothing when last looked at
    std::vector<Node> todo_;
    std::vector<Node> at_distance_;    // how many nodes have each finite distance
    std::int32_t gap_ = 0;             // the least distance that no node has: beyond it nothing can be reached
    std::size_t head_ = 0;
    std::vector<Node> active_, next_;
    Amount leftover_ = 0;
    Offset work_ = 0, since_labelling_ = 0;
    bool labelled_ = false;

    void turn_round() {
        down_ptr_.assign(n_ + 1, 0);
        for (Node y : up_.idx) ++down_ptr_[y + 1];
        for (Node x = 0; x < n_; ++x) down_ptr_[x + 1] += down_ptr_[x];
        down_.resize(fixed_);
        down_arc_.resize(fixed_);
        std::vector<Offset> place(down_ptr_.begin(), down_ptr_.end() - 1);
        for (Node x = 0; x < n_; ++x) {
            for (Offset arc = up_.ptr[x]; arc < up_.ptr[x + 1]; ++arc) {
                const Offset slot = place[up_.idx[arc]]++;
                down_[slot] = x;
                down_arc_[slot] = arc;
            }
        }
    }

    static std::span<const End> ends(const std::vector<std::vector<End>>& lists, Node x) {
        return lists.empty() ? std::span<const End>() : std::span<const End>(lists[x]);
    }

    // Calls visit(y, arc, upwards) for every arc along which x can pass something on, until it returns true.
    template <class Visit>
    bool each_way(Node x, Visit&& visit) const {
        for (Offset arc = up_.ptr[x]; arc < up_.ptr[x + 1]; ++arc) {
            if (visit(up_.idx[arc], arc, true)) return true;
        }
        for (const auto& [y, arc] : ends(sent_, x)) {
            if (visit(y, arc, true)) return true;
        }
        for (Offset slot = down_ptr_[x]; slot < down_ptr_[x + 1]; ++slot) {
            if (flow_[down_arc_[slot]] > 0 && visit(down_[slot], down_arc_[slot], false)) return true;
        }
        for (const auto& [y, arc] : ends(got_, x)) {
            if (flow_[arc] > 0 && visit(y, arc, false)) return true;
        }
        return false;
    }

    // Calls visit(x) for every x that can pass something on to y.
    template <class Visit>
    void each_way_back(Node y, Visit&& visit) const {
        for (Offset slot = down_ptr_[y]; slot < down_ptr_[y + 1]; ++slot) visit(down_[slot]);
        for (const auto& [x, arc] : ends(got_, y)) visit(x);
        for (Offset arc = up_.ptr[y]; arc < up_.ptr[y + 1]; ++arc) {
            if (flow_[arc] > 0) visit(up_.idx[arc]);
        }
        for (const auto& [x, arc] : ends(sent_, y)) {
            if (flow_[arc] > 0) visit(x);
        }
    }

    // Excess goes up to the nearest missing amounts, from the top on: who has little above takes first. A node from
    // which nothing is left to be found is passed by ever after, so the searches cost O(n + m) beside the paths.
    void start_greedily() {
        std::vector<Offset> next(up_.ptr.begin(), up_.ptr.end() - 1);
        std::vector<Node> path;
        std::vector<Amount> through;
        Offset budget = 8 * (n_ + fixed_);
        for (Node source = 0; source < n_ && budget > 0; ++source) {
            if (kept_[source] <= 0) continue;
            Amount excess = kept_[source];
            path.assign(1, source);
            through.assign(1, 0);
            while (!path.empty() && excess > 0) {
                const Node x = path.back();
                if (kept_[x] < 0) {
                    const Amount pushed = std::min(excess, -kept_[x]);
                    kept_[x] += pushed;
                    excess -= pushed;
                    through.back() += pushed;
                    if (excess == 0) break;
                }
                if (next[x] < up_.ptr[x + 1]) {
                    path.push_back(up_.idx[next[x]]);
                    through.push_back(0);
                    --budget;
                } else {
                    leave(path, through, next);
                    if (!path.empty()) ++next[path.back()];
                }
            }
            while (!path.empty()) leave(path, through, next);
            leftover_ -= kept_[source] - excess;
            kept_[source] = excess;
        }
    }

    // Steps back from the end of a path, with what went there.
    void leave(std::vector<Node>& path, std::vector<Amount>& through, const std::vector<Offset>& next) {
        const Amount pushed = through.back();
        path.pop_back();
        through.pop_back();
        if (path.empty()) return;
        flow_[next[path.back()]] += pushed;
        through.back() += pushed;
    }

    // Exact distances to the nearest missing amounts; whoever has excess and can reach one becomes active.
    void label_all() {
        std::fill(distance_.begin(), distance_.end(), never);
        std::vector<Node> reached;
        for (Node x = 0; x < n_; ++x) {
            if (kept_[x] < 0) distance_[x] = 0, reached.push_back(x);
        }
        spread(reached);
        std::fill(at_distance_.begin(), at_distance_.end(), 0);
        for (Node x = 0; x < n_; ++x) {
            if (distance_[x] != never) ++at_distance_[distance_[x]];
        }
        find_gap(0);
        since_labelling_ = 0;
        labelled_ = true;
        fresh_.clear();
        work_ += n_ + static_cast<Offset>(flow_.size());
        for (Node x : active_) queued_[x] = 0;
        for (Node x : next_) queued_[x] = 0;
        active_.clear();
        next_.clear();
        head_ = 0;
        for (Node x : stranded_) is_stranded_[x] = 0;
        stranded_.clear();
        for (Node x = n_ - 1; x >= 0; --x) wake(x);
    }

    void find_gap(std::int32_t from) {
        gap_ = from;
        while (at_distance_[gap_] > 0) ++gap_;
    }

    void relabel(Node x, std::int32_t distance) {
        const std::int32_t old = distance_[x];
        if (old != never && --at_distance_[old] == 0) gap_ = std::min(gap_, old);
        distance_[x] = distance;
        if (distance != never && at_distance_[distance]++ == 0 && distance == gap_) find_gap(gap_);
    }

    // New arcs can only shorten distances: correct those that get shorter.
    void label_fresh() {
        std::vector<Node> reached;
        std::sort(fresh_.begin(), fresh_.end(), [&](Offset a, Offset b) {
            return distance_[added_[a - fixed_].to] < distance_[added_[b - fixed_].to];
        });
        for (Offset arc : fresh_) {
            const auto& [x, y] = added_[arc - fixed_];
            if (distance_[y] == never || distance_[x] <= distance_[y] + 1) continue;
            relabel(x, distance_[y] + 1);
            reached.push_back(x);
        }
        fresh_.clear();
        shorten(reached);
        std::vector<Node> again;
        std::swap(stranded_, again);
        for (Node x : again) is_stranded_[x] = 0, wake(x);
    }

    // Nodes whose distance has fallen pull down those of others.
    void shorten(std::vector<Node>& reached) {
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const std::int32_t further = distance_[reached[i]] + 1;
            each_way_back(reached[i], [&](Node x) {
                ++work_;
                if (distance_[x] <= further) return;
                relabel(x, further);
                reached.push_back(x);
            });
        }
    }

    // Breadth first from nodes whose distances are known; `reached` grows by all that can reach them.
    void spread(std::vector<Node>& reached) {
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const Node y = reached[i];
            const std::int32_t further = distance_[y] + 1;
            each_way_back(y, [&](Node x) {
                ++work_;
                if (distance_[x] <= further) return;
                distance_[x] = further;
                reached.push_back(x);
            });
        }
    }

    // Whoever has excess stands in one of the two lists.
    void wake(Node x) {
        if (queued_[x] || kept_[x] <= 0) return;
        if (distance_[x] > gap_) {
            if (!is_stranded_[x]) is_stranded_[x] = 1, stranded_.push_back(x);
            return;
        }
        queued_[x] = 1;
        (active_.empty() ? active_ : next_).push_back(x);
    }

    void push(Node x, Node y, Offset arc, bool upwards, Amount amount) {
        flow_[arc] += upwards ? amount : -amount;
        const Amount before = kept_[y];
        kept_[x] -= amount;
        kept_[y] += amount;
        leftover_ -= amount - (std::max<Amount>(kept_[y], 0) - std::max<Amount>(before, 0));
        wake(y);
    }

    void discharge(Node x) {
        while (kept_[x] > 0) {
            // Its distance stays, though nothing can be reached: it is still a bound, which arcs added later rely on.
            if (distance_[x] > gap_) return;
            const std::int32_t nearer = distance_[x] - 1;
            const bool done = each_way(x, [&](Node y, Offset arc, bool upwards) {
                ++work_, ++since_labelling_;
                if (distance_[y] != nearer) return false;
                push(x, y, arc, upwards, upwards ? kept_[x] : std::min(kept_[x], flow_[arc]));
                return kept_[x] == 0;
            });
            if (done) return;
            std::int32_t nearest = never;
            each_way(x, [&](Node y, Offset, bool) {
                nearest = std::min(nearest, distance_[y]);
                return false;
            });
            relabel(x, nearest == never ? never : nearest + 1);
            since_labelling_ += 4;
        }
    }
};

}  // namespace eligo
