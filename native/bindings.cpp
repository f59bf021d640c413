// The module eligo._core. Each topic registers its own functions.
#include <nanobind/nanobind.h>

namespace eligo {
void bind_area(nanobind::module_& m);
void bind_graph(nanobind::module_& m);
void bind_dagman(nanobind::module_& m);
void bind_grid(nanobind::module_& m);
void bind_blocks(nanobind::module_& m);
void bind_decompose(nanobind::module_& m);
void bind_exact(nanobind::module_& m);
void bind_prio(nanobind::module_& m);
void bind_prio2006(nanobind::module_& m);
void bind_memory(nanobind::module_& m);
void bind_list_schedule(nanobind::module_& m);
void bind_plain_orders(nanobind::module_& m);
void bind_sequential(nanobind::module_& m);
void bind_sweep(nanobind::module_& m);
}

NB_MODULE(_core, m) {
    // What other packages still hold when the interpreter ends is not ours to report.
    nanobind::set_leak_warnings(false);
    m.doc() = "Compiled kernels over CSR arrays; the Python modules that wrap them validate the arguments.";
    eligo::bind_area(m);
    eligo::bind_graph(m);
    eligo::bind_dagman(m);
    eligo::bind_grid(m);
    eligo::bind_blocks(m);
    eligo::bind_decompose(m);
    eligo::bind_exact(m);
    eligo::bind_prio(m);
    eligo::bind_prio2006(m);
    eligo::bind_memory(m);
    eligo::bind_list_schedule(m);
    eligo::bind_plain_orders(m);
    eligo::bind_sequential(m);
    eligo::bind_sweep(m);
}
