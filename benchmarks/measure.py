"""Timing on noisy machines: several runs in turn, the best of each, and ratios within one run.

A machine that others use too is slow in waves. Things that are compared are therefore measured alternately, and the
least time of each is taken: noise only adds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

__all__ = ["best_times", "print_table"]


def best_times(actions: Sequence[Callable[[], object]], repeats: int = 3) -> list[float]:
    """Run the actions in turn, `repeats` times, and return the least time of each in seconds."""
    best = [float("inf")] * len(actions)
    for _ in range(repeats):
        for i, action in enumerate(actions):
            start = time.perf_counter()
            action()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


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
