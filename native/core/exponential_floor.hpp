// The whole part of -scale * log(u), fast: nearly all batches that a sweep meets find no job, and only count.
//
// A table gives the logarithm to about 1e-11. Where the product lies further than that from a whole number its whole part is
// certain; elsewhere the real logarithm decides. So what comes out is what the formula says, always.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace eligo {

class ExponentialFloor {
public:
    explicit ExponentialFloor(double scale) : scale_(scale), doubt_(1e-10 * (1 + scale)) {}

    // u lies between 0 and 1.
    std::int64_t operator()(double u) const {
        const double roughly = -scale_ * rough_log(u);
        const auto whole = static_cast<std::int64_t>(roughly);
        const double rest = roughly - static_cast<double>(whole);
        if (rest > doubt_ && rest < 1 - doubt_) return whole;
        return static_cast<std::int64_t>(-scale_ * std::log(u));
    }

private:
    struct Entry {
        double inverse, log;
    };

    static constexpr int kBits = 8;

    // u = 2^e m with 1 <= m < 2; m = c (1 + r) for the middle c of its interval, with r below 2^-9.
    static double rough_log(double u) {
        static const auto table = make_table();
        const auto bits = std::bit_cast<std::uint64_t>(u);
        const Entry& entry = table[bits >> (52 - kBits) & ((1 << kBits) - 1)];
        const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
        const double r = m * entry.inverse - 1;
        const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
        return exponent * 0x1.62e42fefa39efp-1 + entry.log + r * (1 + r * (-0.5 + r * (1.0 / 3)));
    }

    static std::array<Entry, 1 << kBits> make_table() {
        std::array<Entry, 1 << kBits> table;
        for (int i = 0; i < 1 << kBits; ++i) {
            const double middle = 1 + (i + 0.5) / (1 << kBits);
            table[i] = {1 / middle, std::log(middle)};
        }
        return table;
    }

    double scale_, doubt_;
};

}  // namespace eligo
