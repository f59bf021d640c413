// Values by pairs of numbers, all in one array: a few times faster than std::unordered_map, which follows pointers.
// Open addressing, at most half full.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace eligo {

template <class T>
class PairTable {
public:
    // The value of a pair, and whether it was just made. Good until the next call.
    std::pair<T&, bool> operator()(Node a, Node b) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        const std::uint64_t key = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
        Slot& slot = find(key);
        const bool fresh = std::exchange(slot.key, key) == nobody;
        used_ += fresh;
        return {slot.value, fresh};
    }

private:
    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = nobody;
        T value{};
    };
    std::vector<Slot> slots_;
    std::size_t used_ = 0;

    Slot& find(std::uint64_t key) {
        const std::uint64_t mixed = key * 0x9E3779B97F4A7C15u;
        std::size_t at = (mixed ^ mixed >> 32) & (slots_.size() - 1);
        while (slots_[at].key != key && slots_[at].key != nobody) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : 4 * slots_.size());
        std::swap(old, slots_);
        for (const Slot& slot : old)
            if (slot.key != nobody) find(slot.key) = slot;
    }
};

}  // namespace eligo
