"""``python -m benchmarks.quality`` prints every table of quality."""

from benchmarks.quality import limits, sequential, strategies, theory

for module in (theory, strategies, sequential, limits):
    module.main()
