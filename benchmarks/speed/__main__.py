"""``python -m benchmarks.speed`` prints every table of speed."""

from benchmarks.speed import (
    exact,
    grid,
    kernels,
    prioritize,
    read_dagman,
    serialize,
    startup,
    strands,
    sweep,
    worst_peak,
)

for module in (startup, read_dagman, kernels, prioritize, strands, sweep, exact, worst_peak, serialize, grid):
    module.main()
