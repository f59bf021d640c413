// The decomposition of Malewicz, Foster, Rosenberg and Wilde 2006, section 3.1, step 2, as printed, in linear time.
//
// C(s), for a source s of what is left of the dag, is the smallest set with s in it, with all children of a source in
// it and with all parents of a job in it. Again and again a C(s) that contains no other is detached: its jobs with a
// child inside go, and so do its sinks that are sinks of the dag; the other sinks stay and become sources.
//
// Idea. Draw an arrow from every source to its children and from every job to its parents: C(s) is what s reaches.
// Every job reaches a source, so the smallest C(s) are the strong components that no arrow leaves. Detaching one
// touches no job of another, so the smallest sets stay until they are taken, and the parts are the same whichever is
// taken first: "bipartite ones first", as printed, is a matter of speed. They are found by one depth-first search. It
// follows arrows to a strong component that none leaves, detaches it, and goes on where it stood: arrows to jobs that
// are gone count no more, and a job whose last parent has gone has its children still to look at. A job whose arrows
// were all looked at and that still has a parent has that parent beside it in its component, and cannot become a source
// before the component is complete; so nothing is looked at too early. A job is entered at most twice, as a sink and as
// a source of a part: O(n + m) time, where the tool of 2006 took minutes for 48,013 jobs.
//
// The same set of jobs may have arcs that leave it: from a job inside that is no source (ERRATA, part h). They belong
// to no part, and are told by of[u] != into[w].
#pragma once

#include <span>
#include <vector>

#include "csr.hpp"

namespace eligo {

struct Parts2006 {
    std::vector<Node> of;    // the part of which a job is a non-sink, -1 for sinks of the dag
    std::vector<Node> into;  // the part that has the job and a parent of it, -1 if there is none
    Node count = 0;          // parts with a non-sink; they are numbered by their lowest one
};

class Decomposition2006 {
public:
    Decomposition2006(CsrView succ, CsrView pred)
        : succ_(succ), pred_(pred), n_(succ.size()), missing_(n_), next_(n_), state_(n_, fresh) {
        out_.of.assign(n_, -1);
        out_.into.assign(n_, -1);
        for (Node v = 0; v < n_; ++v) missing_[v] = static_cast<Node>(pred.degree(v));
    }

    Parts2006 run() {
        for (Node v = 0; v < n_; ++v)
            while (state_[v] == fresh) search(v);
        number_parts();
        return std::move(out_);
    }

private:
    // A job is fresh, stands in `found_` at the place that its state says, or is gone.
    static constexpr Node fresh = -1, gone = -2;
    CsrView succ_, pred_;
    Node n_;
    std::vector<Node> missing_;  // parents that are not gone
    std::vector<Offset> next_;   // arrows looked at: those to parents come first
    std::vector<Node> state_;
    std::vector<Node> walk_;   // jobs with arrows to look at, each reached from the one below it
    std::vector<Node> found_;  // jobs entered, component by component
    std::vector<Node> begin_;  // where the components start in `found_`
    Parts2006 out_;
    Node parts_ = 0;

    void search(Node root) {
        enter(root);
        while (!walk_.empty()) {
            const Node v = walk_.back(), w = next_end(v);
            if (w >= 0) {
                enter(w);
                continue;
            }
            walk_.pop_back();
            if (begin_.back() == state_[v]) detach();
        }
    }

    void enter(Node v) {
        state_[v] = static_cast<Node>(found_.size());
        next_[v] = 0;
        begin_.push_back(state_[v]);
        found_.push_back(v);
        walk_.push_back(v);
    }

    // The next fresh job that an arrow from v leads to, or -1. Arrows to jobs entered before close circles.
    Node next_end(Node v) {
        const auto parents = pred_.row(v), children = succ_.row(v);
        const Offset few = std::ssize(parents), all = few + std::ssize(children);
        for (Offset& i = next_[v]; i < few || (i < all && missing_[v] == 0); ++i) {
            const Node w = i < few ? parents[i] : children[i - few];
            if (state_[w] == fresh) return w;
            if (state_[w] != gone)
                while (begin_.back() > state_[w]) begin_.pop_back();
        }
        return -1;
    }

    // The component on top is one of the smallest sets.
    void detach() {
        const std::span<const Node> part = std::span(found_).subspan(begin_.back());
        bool some = false;
        for (Node v : part) {
            if (missing_[v] == 0) continue;
            out_.into[v] = parts_;
            some = true;
            for (Node u : pred_.row(v))
                if (state_[u] != gone) out_.of[u] = parts_;
        }
        for (Node v : part) {
            if (out_.of[v] == parts_)
                for (Node w : succ_.row(v)) --missing_[w];
            state_[v] = out_.of[v] == parts_ || succ_.degree(v) == 0 ? gone : fresh;
        }
        parts_ += some;
        found_.resize(begin_.back());
        begin_.pop_back();
    }

    void number_parts() {
        std::vector<Node> number(parts_, -1);
        for (Node& part : out_.of)
            if (part >= 0) {
                if (number[part] < 0) number[part] = out_.count++;
                part = number[part];
            }
        for (Node& part : out_.into)
            if (part >= 0) part = number[part];
    }
};

}  // namespace eligo
