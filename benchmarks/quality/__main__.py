"""``python -m benchmarks.quality`` prints every table of quality."""

from benchmarks.quality import strategies, theory

for module in (theory, strategies):
    module.main()
