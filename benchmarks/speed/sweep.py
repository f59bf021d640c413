"""2-IC-Sweep of two large blocks and the forms of the (max, +) convolution, beside the same in plain Python."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.measure import best_times, print_table
from eligo.dag import Int64
from eligo.priority._priority_relation import has_priority, max_convolution
from eligo.priority._sweep import two_sweep

Pair = tuple[Int64, Int64]


def yields(gains: Int64) -> Int64:
    return np.concatenate(([0], np.cumsum(gains)))


def joins(n: int) -> Pair:
    """Rows of joins of two sources each; every diagonal but the odd ones is full of optimal cells."""
    return yields(np.resize([0, 1], n)), yields(np.resize([0, 1], n))


def jagged(n: int) -> Pair:
    """Random gains of 0 to 2: an IC-optimal schedule of the sum is ruled out early."""
    rng = np.random.default_rng(1)
    return yields(rng.integers(0, 3, n)), yields(rng.integers(0, 3, n))


def strands(n: int) -> Pair:
    """A long and a short period against each other; no shape helps, and optimal cells spread wide."""
    return yields(np.resize([1, 0, 1], n)), yields(np.resize([1, 0, 1, 1, 0, 1], n))


def forks(n: int) -> Pair:
    """Falling gains: merged, no table."""
    rng = np.random.default_rng(1)
    return yields(np.sort(rng.integers(0, 9, n))[::-1]), yields(np.sort(rng.integers(0, 9, n))[::-1])


def half(n: int) -> Pair:
    """Falling gains against random ones: the convolution of one concave function."""
    return forks(n)[0], jagged(n)[1]


def rising(n: int) -> Pair:
    """Rising gains: only the ends of a diagonal matter."""
    first, second = forks(n)
    return yields(np.diff(first)[::-1]), yields(np.diff(second)[::-1])


FAMILIES: dict[str, Callable[[int], Pair]] = {
    "joins of two": joins,
    "two periods": strands,
    "random": jagged,
    "concave": forks,
    "concave and random": half,
    "convex": rising,
}


def plain_sweep(e1: list[int], e2: list[int]) -> int:
    """Algorithm 2-IC-Sweep as printed, diagonal by diagonal; return the last diagonal with a YES."""
    n1, n2 = len(e1) - 1, len(e2) - 1
    yes = {0}
    for t in range(1, n1 + n2 + 1):
        low, high = max(0, t - n2), min(n1, t)
        best = max(map(int.__add__, e1[low : high + 1], e2[t - high : t - low + 1][::-1]))
        yes = {i for old in yes for i in (old, old + 1) if low <= i <= high and e1[i] + e2[t - i] == best}
        if not yes:
            return t - 1
    return n1 + n2


def plain_time(e1: Int64, e2: Int64) -> float:
    first, second = e1.tolist(), e2.tolist()
    start = time.perf_counter()
    plain_sweep(first, second)
    return time.perf_counter() - start


def main(n: int = 5_000) -> None:
    rows = []
    for name, family in FAMILIES.items():
        e1, e2 = family(n)
        sweeping, convolving, comparing = best_times(
            [
                lambda e1=e1, e2=e2: two_sweep(e1, e2),  # type: ignore[misc]
                lambda e1=e1, e2=e2: max_convolution(e1, e2),  # type: ignore[misc]
                lambda e1=e1, e2=e2: has_priority(e1, e2),  # type: ignore[misc]
            ]
        )
        found = two_sweep(e1, e2)
        answer = "yes" if found.admits else f"no, diagonal {found.diagonal:,}"
        times = (f"{1000 * value:.2f} ms" for value in (sweeping, convolving, comparing))
        rows.append([f"{name} ({answer})", *times, f"{plain_time(e1, e2):.2f} s"])
    print_table(
        f"2-IC-Sweep of two blocks with {n:,} sources each (goal: 1 s)",
        ["yields (admits an IC-optimal schedule?)", "sweep", "convolution", "priority", "plain Python sweep"],
        rows,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
