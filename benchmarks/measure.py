"""Timing on noisy machines: several runs in turn, the best of each, and ratios within one run.

A machine that others use too is slow in waves. Things that are compared are therefore measured alternately, and the
least time of each is taken: noise only adds. Where nothing waits for anything, ``cpu`` counts only the time that this
process had a processor, which others disturb less.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

__all__ = ["best_times", "cpu", "geometric_mean", "print_table"]

cpu = time.process_time
"""The clock of processor time."""


def best_times(
    actions: Sequence[Callable[[], object]], repeats: int = 3, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Run the actions in turn, `repeats` times, and return the least time of each in seconds."""
    best = [float("inf")] * len(actions)
    for _ in range(repeats):
        for i, action in enumerate(actions):
            start = clock()
            action()
            best[i] = min(best[i], clock() - start)
    return best


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean: twice as fast here and half as fast there come to the same."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print one Markdown table."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = (str(cell) for cell in cells)
        padded = [first.ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True)]
        return f"| {' | '.join(padded)} |"

    print(f"\n### {title}\n")
    print(line(header))
    print("|" + "|".join("-" * (w + 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + "|")
    for row in rows:
        print(line(row), flush=True)
