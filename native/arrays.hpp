// The border between numpy and the kernels: spans in, owned arrays out. Everything Python-specific stays here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "core/csr.hpp"

namespace eligo {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

inline CsrView view(const In<Offset>& ptr, const In<Node>& idx) { return {view(ptr), view(idx)}; }

// Hands a vector to numpy without copying.
template <class T>
Out<T> give(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

// Runs a kernel with the interpreter lock released.
template <class Kernel>
auto unlocked(Kernel&& kernel) {
    nb::gil_scoped_release release;
    return kernel();
}

}  // namespace eligo
