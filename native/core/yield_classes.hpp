// Parts of a dag by what they yield, and those that yield the same as one class: priorities depend on nothing else.
// Parts are blocks, or structures that many blocks have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "csr.hpp"
#include "maxconv.hpp"

namespace eligo {

// `gain` in rows, and how many of a part's non-sinks are ELIGIBLE at first.
struct PartYields {
    std::span<const Offset> ptr, gain;
    std::span<const Node> sources;

    std::span<const Offset> row(Node part) const { return gain.subspan(ptr[part], ptr[part + 1] - ptr[part]); }

    // E(0), ..., E(s).
    std::vector<Value> eligible(Node part) const {
        std::vector<Value> out{sources[part]};
        for (Offset more : row(part)) out.push_back(out.back() - 1 + more);
        return out;
    }
};

struct YieldClasses {
    std::vector<Node> of, first;  // the class of each part, and the first part of each class

    explicit YieldClasses(const PartYields& yields) {
        const auto hash = [&](Node part) {
            auto sum = static_cast<std::uint64_t>(yields.sources[part]);
            for (Offset gain : yields.row(part))
                sum = (sum ^ static_cast<std::uint64_t>(gain)) * 0x9E3779B97F4A7C15u, sum ^= sum >> 29;
            return static_cast<std::size_t>(sum);
        };
        const auto same = [&](Node a, Node b) {
            return yields.sources[a] == yields.sources[b] && std::ranges::equal(yields.row(a), yields.row(b));
        };
        std::unordered_map<Node, Node, decltype(hash), decltype(same)> found(64, hash, same);
        for (Node part = 0; part < std::ssize(yields.sources); ++part) {
            const auto [entry, fresh] = found.try_emplace(part, static_cast<Node>(first.size()));
            if (fresh) first.push_back(part);
            of.push_back(entry->second);
        }
    }
};

}  // namespace eligo
