// Which part of a dag to execute next: step 6 of Malewicz, Foster, Rosenberg and Wilde 2006, section 3.1.
//
// Of the parts that wait for no other the one is taken whose smallest priority over any other of them is largest; of
// equals the lowest number. Parts with equal profiles are one class, since priorities depend on nothing else: there may
// be a million parts, but there are few classes.
//
// Priorities are worked out only when they can matter. A class has a bound: the least of its priorities known so far. The
// class with the largest bound is compared with those that it has not met, until another has a larger bound or it has
// met them all: then it is the one. A class that is far from being chosen thus meets one rival or two, not all. When a
// class runs empty, those whose bound it was start again, from priorities that are kept; a class that comes back knows
// whom it has met.
#pragma once

#include <compare>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "block_heap.hpp"
#include "csr.hpp"
#include "pair_table.hpp"
#include "r_priority.hpp"

namespace eligo {

struct OverWork : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class SuperdagQueue {
public:
    // `budget` counts stretches of profiles that are looked at; where one pair would take more than `most_for_pair`, a
    // lower bound on its priority must do. The profiles are kept by reference.
    SuperdagQueue(const std::vector<Profile>& profiles, Value budget,
                  Value most_for_pair = std::numeric_limits<Value>::max())
        : profiles_(profiles), budget_(budget), most_for_pair_(most_for_pair), classes_(profiles.size()),
          ready_(static_cast<Node>(profiles.size())) {}

    bool empty() const { return ready_.empty(); }

    void add(Node part, Node kind) {
        Class& mine = classes_[kind];
        mine.parts.push(part);
        if (mine.parts.size() == 1) come(kind);
        place(kind);
    }

    // Takes the best part out.
    Node pop() {
        Node kind = ready_.top();
        while (!settled(kind)) kind = ready_.top();
        Class& mine = classes_[kind];
        kept_ = ready_.key(kind).bound;
        const Node part = mine.parts.top();
        mine.parts.pop();
        if (mine.parts.empty()) leave(kind);
        else place(kind);
        return part;
    }

    // The smallest priority that the part taken last had over any other.
    Ratio kept() const { return kept_; }

    // The priority of one class over another.
    Ratio priority(Node kind, Node other) { return priority(kind, other, {}); }

private:
    struct Class {
        std::priority_queue<Node, std::vector<Node>, std::greater<>> parts;
        Ratio bound;              // over those it has met that are still there
        Node rival = -1;          // which of them sets it
        std::size_t met = 0;      // it has met so many of `arrivals_`
        std::size_t came = 0;     // when it came itself
        std::vector<Node> bound_by;  // classes whose rival it is, or was
        bool alike_known = false;
        Ratio alike;  // priority over another of the same class
    };
    struct Known {
        Ratio ratio;  // the priority or, if not final, no more than it
        bool final = false;
    };
    struct Key {
        Ratio bound;
        Node part;

        friend bool operator<(const Key& a, const Key& b) {
            return a.bound < b.bound || (!(b.bound < a.bound) && a.part > b.part);
        }
    };

    const std::vector<Profile>& profiles_;
    Value budget_, most_for_pair_;
    std::vector<Class> classes_;
    IndexedHeap<Key> ready_;      // classes with a part
    std::size_t present_ = 0;     // how many these are
    std::vector<Node> arrivals_;  // classes as they came; they may have left since, or come again
    PairTable<Known> known_;
    Ratio kept_;

    bool is_there(Node kind, std::size_t since) const {
        return !classes_[kind].parts.empty() && classes_[kind].came == since;
    }

    void place(Node kind) {
        const Class& mine = classes_[kind];
        const bool alike = mine.parts.size() > 1 && mine.alike_known && mine.alike < mine.bound;
        ready_.set(kind, {alike ? mine.alike : mine.bound, mine.parts.top()});
    }

    void spend(Value work) {
        budget_ -= work;
        if (budget_ < 0) throw OverWork("the priorities take more work than allowed");
    }

    // Whether the class on top has met all others and is still on top.
    bool settled(Node kind) {
        Class& mine = classes_[kind];
        if (mine.parts.size() > 1 && !mine.alike_known) {
            mine.alike = priority(kind, kind);
            mine.alike_known = true;
            place(kind);
            if (ready_.top() != kind) return false;
        }
        while (mine.met < arrivals_.size()) {
            const std::size_t since = mine.met++;
            const Node other = arrivals_[since];
            spend(1);
            if (other == kind || !is_there(other, since)) continue;
            const Ratio ratio = priority(kind, other, mine.bound);
            if (!(ratio < mine.bound)) continue;
            mine.bound = ratio;
            mine.rival = other;
            classes_[other].bound_by.push_back(kind);
            place(kind);
            if (ready_.top() != kind) return false;
        }
        return true;
    }

    // The priority of one class over another if it is less than `least`, else something that is not.
    Ratio priority(Node kind, Node other, const Ratio& least) {
        const auto [known, fresh] = known_(kind, other);
        if (fresh || (!known.final && known.ratio < least)) {
            RPriority pair(profiles_[kind], profiles_[other], std::min(budget_, most_for_pair_));
            known.ratio = pair.below(least);
            known.final = known.ratio < least;
            spend(1 + pair.work());
        }
        return known.ratio;
    }

    void come(Node kind) {
        ++present_;
        if (arrivals_.size() >= 2 * present_ + classes_.size() / 4 + 64) drop_absent();
        classes_[kind].came = arrivals_.size();
        arrivals_.push_back(kind);
    }

    void leave(Node kind) {
        ready_.remove(kind);
        --present_;
        spend(std::ssize(classes_[kind].bound_by));
        for (Node other : std::exchange(classes_[kind].bound_by, {})) {
            Class& its = classes_[other];
            if (its.rival != kind) continue;
            its.bound = {};
            its.rival = -1;
            its.met = 0;
            if (!its.parts.empty()) place(other);
        }
    }

    // The list of arrivals would grow with every class that comes and goes.
    void drop_absent() {
        std::vector<std::size_t> before;  // how many of those before an arrival stay
        std::vector<Node> left;
        for (std::size_t i = 0; i < arrivals_.size(); ++i) {
            before.push_back(left.size());
            if (is_there(arrivals_[i], i)) left.push_back(arrivals_[i]);
        }
        before.push_back(left.size());
        spend(std::ssize(before) + std::ssize(classes_));
        for (Class& each : classes_) {
            each.met = before[each.met];
            if (!each.parts.empty()) each.came = before[each.came];
        }
        arrivals_ = std::move(left);
    }
};

}  // namespace eligo
