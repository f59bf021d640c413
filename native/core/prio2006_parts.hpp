// How each part of a decomposition of 2006 is executed: step 3 of Malewicz, Foster, Rosenberg, Wilde 2006, section 3.1.
//
// A bipartite part of a family of their Fig. 2 is executed from left to right: an (s,d)-W, an (s,d)-M or an s-Cycle
// either way, an s-N from the end whose first sink has one parent. (With one source, one sink or all arcs every order
// is as good.) In any other part the ELIGIBLE job with the most children in the part goes next. Ties go to the lower
// number; of two directions the one is taken whose first source has the lower number.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "block_shapes.hpp"
#include "prio2006_decompose.hpp"

namespace eligo {

struct Plans2006 {
    Csr order;                  // the non-sinks of each part, in the order of execution
    std::vector<Offset> gain;   // beside them: how many jobs of the part become ELIGIBLE
    std::vector<Node> sources;  // for each part, how many of its jobs are ELIGIBLE at first
};

class Planner2006 {
public:
    Planner2006(CsrView succ, CsrView pred, const Parts2006& parts)
        : succ_(succ), pred_(pred), parts_(parts), outdegree_(succ.size(), 0), indegree_(succ.size(), 0),
          place_(succ.size(), 0), heads_(grouped(parts.into)) {
        for (Node w = 0; w < succ.size(); ++w)
            for (Node u : pred.row(w))
                if (parts.of[u] == parts.into[w]) {
                    ++outdegree_[u];
                    ++indegree_[w];
                }
    }

    Plans2006 run() {
        Plans2006 out{grouped(parts_.of), {}, std::vector<Node>(parts_.count)};
        out.gain.assign(out.order.idx.size(), 0);
        for (Node part = 0; part < parts_.count; ++part) {
            const Offset begin = out.order.ptr[part], size = out.order.ptr[part + 1] - begin;
            const std::span<Node> order = std::span(out.order.idx).subspan(begin, size);
            const auto starts = [&](Node u) { return parts_.into[u] != part; };
            out.sources[part] = static_cast<Node>(std::ranges::count_if(order, starts));
            if (size > 1) arrange(part, out.sources[part] == size, order);
            count_gains(part, order, std::span(out.gain).subspan(begin, size));
        }
        return out;
    }

private:
    CsrView succ_, pred_;
    const Parts2006& parts_;
    std::vector<Node> outdegree_, indegree_;  // arcs of the job's part only
    std::vector<Node> place_;
    Csr heads_;  // the jobs of each part that have a parent in it, ascending

    Csr grouped(const std::vector<Node>& part) const {
        Csr out{std::vector<Offset>(parts_.count + 1, 0), {}};
        for (Node p : part)
            if (p >= 0) ++out.ptr[p + 1];
        for (Node p = 0; p < parts_.count; ++p) out.ptr[p + 1] += out.ptr[p];
        out.idx.resize(out.ptr.back());
        std::vector<Offset> next(out.ptr.begin(), out.ptr.end() - 1);
        for (std::size_t v = 0; v < part.size(); ++v)
            if (part[v] >= 0) out.idx[next[part[v]]++] = static_cast<Node>(v);
        return out;
    }

    void arrange(Node part, bool bipartite, std::span<Node> order) {
        if (!bipartite) return by_outdegree(part, order);
        if (const std::vector<Node> row = family_row(part, order); !row.empty()) {
            const std::vector<Node> ascending(order.begin(), order.end());
            std::ranges::transform(row, order.begin(), [&](Node i) { return ascending[i]; });
        } else {
            std::ranges::stable_sort(order, std::greater(), [&](Node u) { return outdegree_[u]; });
        }
    }

    // The places of the sources from left to right, for a W, M, N or Cycle; else nothing.
    std::vector<Node> family_row(Node part, std::span<const Node> order) {
        const auto heads = heads_.view().row(part);
        const auto [narrow, wide] = extremes(order, outdegree_);
        const auto [few, many] = extremes(heads, indegree_);
        const bool paths = wide <= 2 && many <= 2;
        const bool strand = (narrow == wide && many <= 2) || (few == many && wide <= 2) || paths;
        if (heads.size() == 1 || !strand) return {};
        Csr rows{{0}, {}};
        for (std::size_t i = 0; i < heads.size(); ++i) place_[heads[i]] = static_cast<Node>(i);
        for (Node u : order) {  // a source has all its children in its part
            for (Node w : succ_.row(u)) rows.idx.push_back(place_[w]);
            rows.ptr.push_back(std::ssize(rows.idx));
        }
        const Sides block(rows.view(), static_cast<Node>(heads.size()));
        if (rows.idx.size() == order.size() + heads.size()) return cycle_row(block);
        if (rows.idx.size() > order.size() + heads.size()) return {};
        std::vector<Node> row = StrandFinder(block).run().sources;
        const bool n = paths && heads.size() == order.size();
        if (n && block.children.degree(row.front()) == 1) std::ranges::reverse(row);
        return row;
    }

    static std::pair<Node, Node> extremes(std::span<const Node> jobs, const std::vector<Node>& degree) {
        Node least = degree[jobs[0]], most = least;
        for (Node v : jobs) {
            least = std::min(least, degree[v]);
            most = std::max(most, degree[v]);
        }
        return {least, most};
    }

    void by_outdegree(Node part, std::span<Node> order) {
        std::priority_queue<std::pair<Node, Node>> eligible;
        for (Node u : order) {
            place_[u] = parts_.into[u] == part ? indegree_[u] : 0;  // parents that it lacks
            if (place_[u] == 0) eligible.emplace(outdegree_[u], -u);
        }
        for (Node& next : order) {
            next = -eligible.top().second;
            eligible.pop();
            for (Node w : succ_.row(next))
                if (parts_.of[w] == part && --place_[w] == 0) eligible.emplace(outdegree_[w], -w);
        }
    }

    void count_gains(Node part, std::span<const Node> order, std::span<Offset> gain) {
        for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<Node>(i);
        for (Node w : heads_.view().row(part)) {
            Node last = 0;
            for (Node u : pred_.row(w))
                if (parts_.of[u] == part) last = std::max(last, place_[u]);
            ++gain[last];
        }
    }
};

}  // namespace eligo
