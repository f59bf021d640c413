"""``python -m benchmarks.quality`` prints every table of quality."""

from benchmarks.quality import theory

theory.main()
