// Two functions on 0..n combined in the (max, +) sense, and the comparisons that decide priorities.
//
// c(k) = max over i + j = k of a(i) + b(j) is what two dags yield at best after k steps. In general that takes |a| |b|
// steps, done in 32 bits where they suffice and without branches, so that the compiler uses vectors. If a is concave,
// the rightmost best j moves to the right as k grows: a(k - j) + b(j), as a table of k and j, is totally monotone. Rows
// are then done at strides that halve, each between the answers of its neighbours: O((|a| + |b|) log(|a| + |b|)).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace eligo {

using Value = std::int64_t;
using Values = std::span<const Value>;

// Whether sums and differences of up to four of these values fit 32 bits.
inline bool narrow(Values values) {
    constexpr Value limit = std::numeric_limits<std::int32_t>::max() / 4;
    return std::ranges::all_of(values, [](Value v) { return -limit < v && v < limit; });
}

template <class T>
std::vector<T> converted(Values values) {
    return {values.begin(), values.end()};
}

template <class T>
std::vector<Value> max_convolution_as(Values first, Values second) {
    const std::vector<T> a = converted<T>(first), b = converted<T>(second);
    std::vector<T> out(a.size() + b.size() - 1, std::numeric_limits<T>::min());
    const T* right = b.data();
    const std::size_t width = b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const T left = a[i];
        T* row = out.data() + i;
        for (std::size_t j = 0; j < width; ++j) {
            const T sum = left + right[j];
            row[j] = row[j] < sum ? sum : row[j];
        }
    }
    return {out.begin(), out.end()};
}

inline std::vector<Value> max_convolution(Values a, Values b) {
    if (a.size() > b.size()) std::swap(a, b);  // long inner loops
    return narrow(a) && narrow(b) ? max_convolution_as<std::int32_t>(a, b) : max_convolution_as<Value>(a, b);
}

// The same for a concave `a`; `b` may be anything.
inline std::vector<Value> max_convolution_concave(Values a, Values b) {
    const std::ptrdiff_t n1 = std::ssize(a) - 1, n2 = std::ssize(b) - 1, rows = n1 + n2 + 1;
    std::vector<Value> out(rows);
    std::vector<std::ptrdiff_t> best(rows + 1, 0);  // of row k at k + 1: the stride arithmetic counts from 1
    for (auto stride = static_cast<std::ptrdiff_t>(std::bit_ceil(static_cast<std::size_t>(rows))); stride; stride /= 2)
        for (std::ptrdiff_t r = stride; r <= rows; r += 2 * stride) {
            const std::ptrdiff_t k = r - 1;
            const std::ptrdiff_t low = std::max(best[r - stride], k - n1);
            const std::ptrdiff_t high = std::min(r + stride <= rows ? best[r + stride] : n2, k);
            Value most = std::numeric_limits<Value>::min();
            for (std::ptrdiff_t j = low; j <= high; ++j)
                if (const Value sum = a[k - j] + b[j]; sum >= most) {
                    most = sum;
                    best[r] = j;
                }
            out[k] = most;
        }
    return out;
}

// Whether low(d) - low(0) <= high(i + d) - high(i) for all i and d: no stretch of `high` gains less than the start of
// `low` does in the same length.
template <class T>
bool starts_below_as(Values first, Values second) {
    const std::vector<T> low = converted<T>(first), high = converted<T>(second);
    for (std::size_t i = 0; i + 1 < high.size(); ++i) {
        const std::size_t count = std::min(low.size(), high.size() - i);
        const T *start = low.data(), *stretch = high.data() + i, lift = high[i] - low[0];
        int above = 0;
        for (std::size_t d = 0; d < count; ++d) above |= start[d] + lift > stretch[d];
        if (above) return false;
    }
    return true;
}

inline bool starts_below(Values low, Values high) {
    return narrow(low) && narrow(high) ? starts_below_as<std::int32_t>(low, high) : starts_below_as<Value>(low, high);
}

// The first place where part / whole is least, whole > 0; size() if there is none. Exact: products take 128 bits.
inline std::size_t least_ratio(Values part, Values whole) {
    __extension__ using Wide = __int128;
    std::size_t least = part.size();
    for (std::size_t k = 0; k < part.size(); ++k)
        if (whole[k] > 0 &&
            (least == part.size() || Wide{part[k]} * whole[least] < Wide{part[least]} * whole[k]))
            least = k;
    return least;
}

}  // namespace eligo
