// The inverse of the normal distribution function by table: one polynomial for each sixteenth of each power of two of the
// tail, to some 1e-14 of the real one (`normal_quantile`), without a branch, a division or a logarithm.
//
// Both tails are alike, so p is the smaller of u and 1 - u. The bits of p name its piece: its exponent and the first four
// bits behind it. A piece is a line of cache, and 7 of 8 draws meet the first 48 pieces.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random_draws.hpp"

namespace eligo {

class NormalTable {
public:
    static const NormalTable& instance() {
        static const NormalTable table;
        return table;
    }

    // u lies between 2^-53 and 1 - 2^-53.
    [[gnu::noinline]] double operator()(double u) const {  // inlined, the loops around it spill, and are slower
        const double p = std::min(u, 1 - u);
        const auto bits = std::bit_cast<std::uint64_t>(p);
        const Piece& c = pieces_[(bits >> (52 - kBits)) - kFirst];
        // How far the digits of p lie from the middle of the piece, as a part of the power of two.
        const auto digits = static_cast<std::int64_t>(bits & (kWidth - 1)) - static_cast<std::int64_t>(kWidth / 2);
        const double t = static_cast<double>(digits) * 0x1p-52;
        const double t2 = t * t, t4 = t2 * t2;
        const double low = (c[0] + c[1] * t) + (c[2] + c[3] * t) * t2;
        const double high = (c[4] + c[5] * t) + (c[6] + c[7] * t) * t2;
        return std::copysign(low + high * t4, u - 0.5);
    }

private:
    static constexpr int kBits = 4, kOctaves = 53, kTerms = 8;
    static constexpr std::uint64_t kWidth = std::uint64_t{1} << (52 - kBits);
    static constexpr std::uint64_t kFirst = std::uint64_t{1023 - kOctaves} << kBits;

    using Piece = std::array<double, kTerms>;

    NormalTable() : pieces_((kOctaves << kBits) + 1) {
        for (std::size_t i = 0; i < pieces_.size(); ++i) pieces_[i] = fit(i);
    }

    // The polynomial through the values at Chebyshev's nodes, by Newton's differences, multiplied out around the middle.
    static Piece fit(std::size_t number) {
        const double begin = std::bit_cast<double>((kFirst + number) << (52 - kBits));
        const double octave = std::exp2(std::floor(std::log2(begin)));
        const long double half = 0.5L / (1 << kBits);
        std::array<long double, kTerms> node, value;
        for (int i = 0; i < kTerms; ++i) {
            node[i] = half * std::cos((2 * i + 1) * 3.14159265358979323846L / (2 * kTerms));
            const double p = begin + octave * static_cast<double>(half + node[i]);
            node[i] = static_cast<long double>((p - begin) / octave) - half;
            value[i] = std::abs(normal_quantile(p));
        }
        for (int step = 1; step < kTerms; ++step)
            for (int i = kTerms - 1; i >= step; --i) value[i] = (value[i] - value[i - 1]) / (node[i] - node[i - step]);
        std::array<long double, kTerms> sum = {};
        for (int i = kTerms - 1; i >= 0; --i) {
            for (int power = kTerms - 1; power > 0; --power) sum[power] = sum[power - 1] - node[i] * sum[power];
            sum[0] = value[i] - node[i] * sum[0];
        }
        Piece piece;
        for (int i = 0; i < kTerms; ++i) piece[i] = static_cast<double>(sum[i]);
        return piece;
    }

    std::vector<Piece> pieces_;
};

}  // namespace eligo
