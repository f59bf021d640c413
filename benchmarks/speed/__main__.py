"""``python -m benchmarks.speed`` prints every table of speed."""

from benchmarks.speed import exact, kernels, prioritize, read_dagman, startup, strands, sweep

for module in (startup, read_dagman, kernels, prioritize, strands, sweep, exact):
    module.main()
