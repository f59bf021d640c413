"""``python -m benchmarks.speed`` prints every table of speed."""

from benchmarks.speed import exact, kernels, read_dagman, startup, strands, sweep

for module in (startup, read_dagman, kernels, strands, sweep, exact):
    module.main()
