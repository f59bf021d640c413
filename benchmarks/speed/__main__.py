"""``python -m benchmarks.speed`` prints every table of speed."""

from benchmarks.speed import exact, kernels, prioritize, read_dagman, serialize, startup, strands, sweep, worst_peak

for module in (startup, read_dagman, kernels, prioritize, strands, sweep, exact, worst_peak, serialize):
    module.main()
