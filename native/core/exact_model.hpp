// What exact searches need to know of a dag: which jobs become ELIGIBLE together, and which are interchangeable.
//
// A search executes some jobs (the *nodes*: the non-sinks, or all jobs) and numbers them 0, 1, ... Jobs with the same
// parents become ELIGIBLE at the same moment, so they form one *group*. After executing an ideal I of nodes,
// rendered(I) counts the jobs all of whose parents are in I, executed or not; E = rendered(I) - |I|.
//
// *Twins* are nodes with the same parents such that some automorphism of the dag swaps the two, and some sinks, and moves
// nothing else: they feed the same groups, except that a group of sinks of the one may correspond to a group of as many
// sinks of the other with the same parents otherwise. It is enough to execute twins in ascending order: each becomes
// available only after the one before it. Every ideal then stands for all its images, and every order of the nodes for
// as many as the product of the factorials of the class sizes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "csr.hpp"
#include "exact_sets.hpp"
#include "union_find.hpp"

namespace eligo {

// Numbers equal rows with equal keys alike; classes are numbered by their first row.
inline std::vector<Node> classes_of(CsrView rows, std::span<const Offset> key) {
    const Node n = rows.size();
    std::vector<std::pair<Word, Node>> hashed(n);
    for (Node v = 0; v < n; ++v) {
        Word hash = static_cast<Word>(key[v]) * 0x9E3779B97F4A7C15u + 1;
        for (Node w : rows.row(v)) hash = (hash ^ (hash >> 29) ^ static_cast<Word>(w)) * 0xBF58476D1CE4E5B9u;
        hashed[v] = {hash, v};
    }
    std::sort(hashed.begin(), hashed.end());
    auto same = [&](Node v, Node w) { return key[v] == key[w] && std::ranges::equal(rows.row(v), rows.row(w)); };
    std::vector<Node> first(n), number(n);
    for (std::size_t i = 0, run = 0; i < hashed.size(); ++i) {
        if (hashed[i].first != hashed[run].first) run = i;
        std::size_t like = run;  // of several classes with one hash, each is found by its first row
        while (!same(hashed[like].second, hashed[i].second)) ++like;
        first[hashed[i].second] = hashed[like].second;
    }
    Node count = 0;
    for (Node v = 0; v < n; ++v) number[v] = first[v] == v ? count++ : number[first[v]];
    return number;
}

struct ExactModel {
    std::vector<Node> job;        // of each node
    std::vector<Node> group;      // of each node, -1 for a source of the dag
    std::vector<int> weight;      // of each group: how many jobs
    Csr parents, feeds, members;  // group to nodes, node to groups, group to nodes
    Csr heads;                    // group to those of its members that wait for no twin
    std::vector<Node> first;      // nodes that are sources and wait for no twin
    std::vector<Node> next_twin;  // of each node, or -1
    std::vector<Offset> twins;    // the sizes of the twin classes that are larger than 1
    Offset base = 0;              // jobs without parents

    Node size() const { return static_cast<Node>(job.size()); }

    // `nodes` holds all non-sinks, and all or none of the sinks.
    ExactModel(CsrView succ, CsrView pred, std::vector<Node> nodes) : job(std::move(nodes)) {
        std::vector<Node> number(succ.size(), -1);
        for (Node v = 0; v < size(); ++v) number[job[v]] = v;
        make_groups(pred, number);
        pair_twins(find_twins(succ));
    }

private:
    void make_groups(CsrView pred, std::span<const Node> number) {
        const Node n = pred.size();
        Csr rows;  // the parents of those jobs that have any
        rows.ptr.push_back(0);
        std::vector<Node> waiting;
        for (Node v = 0; v < n; ++v) {
            if (pred.degree(v) == 0) continue;
            waiting.push_back(v);
            rows.idx.insert(rows.idx.end(), pred.row(v).begin(), pred.row(v).end());
            rows.ptr.push_back(static_cast<Offset>(rows.idx.size()));
        }
        base = n - static_cast<Offset>(waiting.size());
        const std::vector<Offset> none(waiting.size(), 0);
        const std::vector<Node> found = classes_of(rows.view(), none);
        group.assign(job.size(), -1);
        parents.ptr.push_back(0);
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (found[i] == static_cast<Node>(weight.size())) add_group(rows.view().row(static_cast<Node>(i)), number);
            ++weight[found[i]];
            if (number[waiting[i]] >= 0) group[number[waiting[i]]] = found[i];
        }
        feeds = transpose_into(parents.view(), size());
        members = rows_by_key(group, static_cast<Node>(weight.size()));
    }

    void add_group(std::span<const Node> row, std::span<const Node> number) {
        weight.push_back(0);
        for (Node p : row) parents.idx.push_back(number[p]);
        std::sort(parents.idx.begin() + parents.ptr.back(), parents.idx.end());
        parents.ptr.push_back(static_cast<Offset>(parents.idx.size()));
    }

    // Like transpose, for rows whose entries are numbered apart from the rows.
    static Csr transpose_into(CsrView rows, Node columns) {
        std::vector<Node> tails;
        for (Node r = 0; r < rows.size(); ++r) tails.insert(tails.end(), rows.degree(r), r);
        return group_by(columns, rows.idx, tails);
    }

    static Csr rows_by_key(std::span<const Node> key, Node rows) {
        std::vector<Node> keys, values;
        for (std::size_t v = 0; v < key.size(); ++v)
            if (key[v] >= 0) {
                keys.push_back(key[v]);
                values.push_back(static_cast<Node>(v));
            }
        return group_by(rows, keys, values);
    }

    // Classes of twins. Two kinds are looked for: the sinks that move have no parent but the twin; or few others. A node
    // that is a twin in both ways joins the classes: their swaps generate all permutations of the union.
    std::vector<Node> find_twins(CsrView succ) const {
        UnionFind twins(size());
        const std::vector<Offset> key(group.begin(), group.end());
        for (const Offset most_parents : {1, 8}) {
            std::vector<Node> first(job.size(), -1);
            const std::vector<Node> found = classes_of(what_nodes_feed(succ, most_parents).view(), key);
            for (Node v = 0; v < size(); ++v) {
                if (first[found[v]] < 0) first[found[v]] = v;
                twins.join(v, first[found[v]]);
            }
        }
        std::vector<Node> root(job.size());
        for (Node v = 0; v < size(); ++v) root[v] = twins.find(v);
        return root;
    }

    // For each node the groups it feeds, ascending; but groups of sinks with few parents are told by their weight and
    // their other parents only.
    Csr what_nodes_feed(CsrView succ, Offset most_parents) const {
        const CsrView to = feeds.view(), from = parents.view();
        auto movable = [&](Node g) {
            const auto inside = members.view().row(g);
            return from.degree(g) <= most_parents &&
                   std::ranges::all_of(inside, [&](Node w) { return succ.degree(job[w]) == 0; });
        };
        Csr others{{0}, {}}, out{feeds.ptr, feeds.idx};
        std::vector<Offset> weights, places;
        for (Node v = 0; v < size(); ++v)
            for (Offset i = to.ptr[v]; i < to.ptr[v + 1]; ++i) {
                if (!movable(to.idx[i])) continue;
                std::ranges::copy_if(from.row(to.idx[i]), std::back_inserter(others.idx), [&](Node p) { return p != v; });
                others.ptr.push_back(static_cast<Offset>(others.idx.size()));
                weights.push_back(weight[to.idx[i]]);
                places.push_back(i);
            }
        const std::vector<Node> kinds = classes_of(others.view(), weights);
        for (std::size_t i = 0; i < places.size(); ++i) out.idx[places[i]] = from.size() + kinds[i];
        for (Node v = 0; v < size(); ++v) std::sort(out.idx.begin() + out.ptr[v], out.idx.begin() + out.ptr[v + 1]);
        return out;
    }

    void pair_twins(const std::vector<Node>& found) {
        std::vector<Node> last(job.size(), -1), head_group(job.size(), -1);
        std::vector<Offset> many(job.size(), 0);
        next_twin.assign(job.size(), -1);
        for (Node v = 0; v < size(); ++v) {
            const Node before = last[found[v]];
            if (before >= 0) next_twin[before] = v;
            else if (group[v] < 0) first.push_back(v);
            else head_group[v] = group[v];
            last[found[v]] = v;
            ++many[found[v]];
        }
        heads = rows_by_key(head_group, static_cast<Node>(weight.size()));
        std::ranges::copy_if(many, std::back_inserter(twins), [](Offset size) { return size > 1; });
    }
};

// The moves of a search over ideals: what executing a node renders, and what becomes available.
template <int W>
class ExactMoves {
public:
    explicit ExactMoves(const ExactModel& model) : sets(model.size()), model_(model) {
        if constexpr (W > 0) {
            const Node groups = static_cast<Node>(model.weight.size());
            masks_.assign(std::size_t{W} * groups, 0);
            for (Node g = 0; g < groups; ++g)
                for (Node p : model.parents.view().row(g)) sets.add(masks_.data() + std::size_t{W} * g, p);
        }
    }

    Sets<W> sets;

    bool rendered(Node g, const Word* ideal) const {
        if constexpr (W > 0) return sets.within(masks_.data() + std::size_t{W} * g, ideal);
        for (Node p : model_.parents.view().row(g))
            if (!sets.has(ideal, p)) return false;
        return true;
    }

    // How many jobs become ELIGIBLE by the step to `ideal`, whose last node is v.
    Offset gain(Node v, const Word* ideal) const {
        Offset sum = 0;
        for (Offset i = model_.feeds.ptr[v]; i < model_.feeds.ptr[v + 1]; ++i)
            if (rendered(model_.feeds.idx[i], ideal)) sum += model_.weight[model_.feeds.idx[i]];
        return sum;
    }

    // Turns the nodes available before that step into those available after it.
    void advance(Node v, const Word* ideal, Word* available) const {
        sets.drop(available, v);
        if (model_.next_twin[v] >= 0) sets.add(available, model_.next_twin[v]);
        for (Node g : model_.feeds.view().row(v))
            if (rendered(g, ideal))
                for (Node w : model_.heads.view().row(g)) sets.add(available, w);
    }

    std::vector<Word> start() const {
        std::vector<Word> available(sets.words(), 0);
        for (Node v : model_.first) sets.add(available.data(), v);
        return available;
    }

private:
    const ExactModel& model_;
    std::vector<Word> masks_;  // the parents of each group
};

}  // namespace eligo
