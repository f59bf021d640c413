// A dag of jobs that edges are added to, with a topological order and longest paths that are kept up to date.
//
// The order is Pearce and Kelly's (2006): a new edge u -> v with v placed before u moves only what lies between the two
// places and is joined to u or v. It answers most questions for paths at once: none leads to an earlier place.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

class GrowingDag {
public:
    GrowingDag(CsrView succ, CsrView pred, std::span<const Node> order, std::span<const double> work)
        : succ_(succ), pred_(pred), more_succ_(succ.size()), more_pred_(succ.size()), place_(succ.size()),
          work_(work.begin(), work.end()), before_(succ.size(), 0), from_(succ.size(), 0), seen_(succ.size(), 0) {
        for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<Node>(i);
        for (Node v : order) {
            for (Node u : pred_.row(v)) before_[v] = std::max(before_[v], before_[u] + work_[u]);
        }
        for (std::size_t i = order.size(); i-- > 0;) {
            const Node u = order[i];
            for (Node v : succ_.row(u)) from_[u] = std::max(from_[u], from_[v]);
            from_[u] += work_[u];
        }
    }

    double before(Node v) const { return before_[v]; }           // longest path to v, without v
    double through(Node v) const { return before_[v] + work_[v]; }
    double from(Node v) const { return from_[v]; }               // longest path from v, with v
    Offset looked_at() const { return looked_at_; }

    bool has_edge(Node u, Node v) const {
        const auto row = succ_.row(u);
        return std::binary_search(row.begin(), row.end(), v) ||
               std::find(more_succ_[u].begin(), more_succ_[u].end(), v) != more_succ_[u].end();
    }

    // Whether a path, perhaps of no edge, leads from u to v.
    bool leads(Node u, Node v) {
        if (u == v) return true;
        if (place_[u] > place_[v]) return false;
        return reaches(u, v);
    }

    // No path may lead from v to u.
    void add(Node u, Node v) {
        if (has_edge(u, v)) return;
        if (place_[u] > place_[v]) make_room(u, v);
        more_succ_[u].push_back(v);
        more_pred_[v].push_back(u);
        if (before_[u] + work_[u] > before_[v]) {
            lengthen(v, before_, 1, [&](Node x) { return best_before(x); }, [&](Node x, auto&& visit) { each_child(x, visit); });
        }
        if (from_[v] + work_[u] > from_[u]) {
            lengthen(u, from_, -1, [&](Node x) { return best_from(x); }, [&](Node x, auto&& visit) { each_parent(x, visit); });
        }
    }

private:
    CsrView succ_, pred_;
    std::vector<std::vector<Node>> more_succ_, more_pred_;
    std::vector<Node> place_;
    std::vector<double> work_, before_, from_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t now_ = 0;
    std::vector<Node> stack_, down_, up_;
    Offset looked_at_ = 0;

    template <class Visit>
    void each_child(Node x, Visit&& visit) {
        for (Node y : succ_.row(x)) visit(y);
        for (Node y : more_succ_[x]) visit(y);
    }

    template <class Visit>
    void each_parent(Node x, Visit&& visit) {
        for (Node y : pred_.row(x)) visit(y);
        for (Node y : more_pred_[x]) visit(y);
    }

    bool reaches(Node u, Node v) {
        ++now_;
        stack_.assign(1, u);
        seen_[u] = now_;
        bool found = false;
        while (!stack_.empty() && !found) {
            const Node x = stack_.back();
            stack_.pop_back();
            each_child(x, [&](Node y) {
                ++looked_at_;
                if (y == v) found = true;
                if (seen_[y] == now_ || place_[y] > place_[v]) return;
                seen_[y] = now_;
                stack_.push_back(y);
            });
        }
        return found;
    }

    // Everything that v leads to up to the place of u moves behind everything that leads to u from the place of v on.
    void make_room(Node u, Node v) {
        const Node low = place_[v], high = place_[u];
        collect(v, down_, [&](Node y) { return place_[y] < high; }, [&](Node x, auto&& visit) { each_child(x, visit); });
        collect(u, up_, [&](Node y) { return place_[y] > low; }, [&](Node x, auto&& visit) { each_parent(x, visit); });
        auto by_place = [&](Node a, Node b) { return place_[a] < place_[b]; };
        std::sort(down_.begin(), down_.end(), by_place);
        std::sort(up_.begin(), up_.end(), by_place);
        std::vector<Node> places;
        for (Node x : up_) places.push_back(place_[x]);
        for (Node x : down_) places.push_back(place_[x]);
        std::sort(places.begin(), places.end());
        std::size_t next = 0;
        for (Node x : up_) place_[x] = places[next++];
        for (Node x : down_) place_[x] = places[next++];
    }

    template <class Within, class Each>
    void collect(Node first, std::vector<Node>& into, Within&& within, Each&& each) {
        ++now_;
        into.assign(1, first);
        seen_[first] = now_;
        for (std::size_t i = 0; i < into.size(); ++i) {
            each(into[i], [&](Node y) {
                ++looked_at_;
                if (seen_[y] == now_ || !within(y)) return;
                seen_[y] = now_;
                into.push_back(y);
            });
        }
    }

    double best_before(Node x) {
        double best = 0;
        each_parent(x, [&](Node y) { best = std::max(best, before_[y] + work_[y]); });
        return best;
    }

    double best_from(Node x) {
        double best = 0;
        each_child(x, [&](Node y) { best = std::max(best, from_[y]); });
        return best + work_[x];
    }

    // Passes on that a path to (or from) a node has become longer, in topological order, so that each is looked at once.
    template <class Best, class Each>
    void lengthen(Node first, std::vector<double>& length, int direction, Best&& best, Each&& each) {
        using Entry = std::pair<Node, Node>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> todo;
        ++now_;
        todo.push({direction * place_[first], first});
        while (!todo.empty()) {
            const Node x = todo.top().second;
            todo.pop();
            const double longer = best(x);
            if (longer <= length[x]) continue;
            length[x] = longer;
            each(x, [&](Node y) {
                ++looked_at_;
                if (seen_[y] == now_) return;
                seen_[y] = now_;
                todo.push({direction * place_[y], y});
            });
        }
    }
};

}  // namespace eligo
