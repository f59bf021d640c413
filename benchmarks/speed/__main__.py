"""``python -m benchmarks.speed`` prints every table of speed."""

from benchmarks.speed import kernels, read_dagman, startup

for module in (startup, read_dagman, kernels):
    module.main()
