"""``python -m benchmarks.quality`` prints every table of quality; exit status 1 where a figure got worse."""

import sys

from benchmarks.quality import limits, releases, sequential, strategies, theory

for module in (theory, strategies, sequential, limits):
    module.main()
sys.exit(releases.main())
