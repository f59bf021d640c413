"""What the theory says of real workflows: those of the corpus beside the project, or of any directory."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.measure import print_table
from benchmarks.quality.corpus import CORPUS, workflows
from eligo import settle, verify


def main(directory: Path = CORPUS, budget: int = 100_000) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    slowest: Counter[tuple[str, str]] = Counter()
    for _, dag in workflows(directory):
        start = time.perf_counter()
        settled = settle(dag, budget)
        spent = time.perf_counter() - start
        if settled.certificate is not None:
            verify(settled.certificate, dag)
        key = settled.claim, settled.method or settled.failures[1].step
        counts[key] += 1
        slowest[key] = max(slowest[key], round(1000 * spent))
    rows = [[*key, str(count), f"{slowest[key]:,} ms"] for key, count in sorted(counts.items())]
    print_table(
        f"What is proved of {sum(counts.values())} workflows, every proof checked",
        ["claim", "by, or stuck at", "workflows", "slowest"],
        rows,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
