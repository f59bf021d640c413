#include <nanobind/nanobind.h>

#include "arrays.hpp"

namespace eligo {

void bind_sweep([[maybe_unused]] nb::module_& m) {}

}  // namespace eligo
