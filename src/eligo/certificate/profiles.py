"""Two operations on functions e(0..N) with e(0) = 0: the best of a sum, and the relation "has priority over".

*Best of a sum.* Executing x non-sinks of one dag and y of another beside it makes a(x) + b(y) jobs ELIGIBLE. The best
for every x + y is the (max,+) convolution. Two concave functions merge their increments, largest first. Of two convex
ones, the sum for a fixed x + y is convex along x, so its maximum is at one of the two ends. All else is quadratic.

*Priority.* a has priority over b if executing a as far as possible, then b, is the best of the sum at every step: a(x)
+ b(y) <= a(x') + b(y') where x' = min(x + y, N_a) and y' = x + y - x'. As x' - x = y - y' = d and either x' = N_a or
y' = 0, this says for d up to N_a and N_b: (1) any d steps in a row of a gain at least b(d); (2) the last d steps of a
gain at least as much as any d steps in a row of b.

*It is transitive* over functions with N >= 1. Let a precede b and b precede c, and write d = q N_b + r. Cut d steps in
a row of a into a first run of r and q runs of N_b: by (1) they gain at least b(r) + q b(N_b). The first d steps of c,
cut the same way, gain at most that: the first r by (1), each further N_b by (2). Likewise the last d steps of a, cut
into q runs of N_b and then the last r, gain at least q b(N_b) plus the last r steps of b, and any d steps in a row of
c at most that. So along a chain every function has priority over every later one. Then steps can be moved from any
function with steps done to an earlier one with steps left, as many as fit, without loss, until each function is done
before the next begins: executing a chain in its order is the best of its sum.
"""

from __future__ import annotations

import numpy as np

from eligo.certificate.budget import Budget
from eligo.dag import Int64

__all__ = ["best_of_sum", "best_of_sums", "has_priority", "in_a_row"]


def best_of_sum(a: Int64, b: Int64, budget: Budget) -> Int64:
    """Return the largest a(x) + b(y) for each x + y.

    Examples
    --------
    >>> best_of_sum(np.array([0, 0, 3]), np.array([0, 1]), Budget(100)).tolist()
    [0, 1, 3, 4]
    """
    if _concave(a) and _concave(b):
        return best_of_sums([a, b], budget)
    total = np.arange(len(a) + len(b) - 1)
    if _convex(a) and _convex(b):
        x, y = np.minimum(total, len(a) - 1), np.minimum(total, len(b) - 1)
        ends: Int64 = np.maximum(a[x] + b[total - x], b[y] + a[total - y])
        return ends
    if len(a) > len(b):
        a, b = b, a
    budget.spend(len(a) * len(b), "the best of a sum")
    best = np.zeros(len(total), np.int64)
    for done, gain in enumerate(a.tolist()):
        reached = best[done : done + len(b)]
        np.maximum(reached, b + gain, out=reached)
    return best


def best_of_sums(functions: list[Int64], budget: Budget) -> Int64:
    """Return the best of a sum of any number of functions, at least one.

    Examples
    --------
    >>> best_of_sums([np.array([0, 0, 3]), np.array([0, 1]), np.array([0, 2])], Budget(100)).tolist()
    [0, 2, 3, 5, 6]
    """
    copies: dict[bytes, list[Int64]] = {}
    for e in functions:
        copies.setdefault(e.tobytes(), []).append(e)
    gains = [np.zeros(0, np.int64)]
    others: list[Int64] = []
    for same in copies.values():
        if _concave(same[0]):
            gains.append(np.tile(np.diff(same[0]), len(same)))
        elif has_priority(same[0], same[0], budget):  # then one is best finished before the next begins
            others.append(in_a_row(same))
        else:
            others += same
    best = np.concatenate(([0], np.cumsum(np.sort(np.concatenate(gains))[::-1])))
    for e in sorted(others, key=len):
        best = best_of_sum(best, e, budget)
    return best


def has_priority(a: Int64, b: Int64, budget: Budget) -> bool:
    """Tell whether executing a first, then b, is the best of their sum at every step.

    Examples
    --------
    >>> fork, join = np.array([0, 2]), np.array([0, 0, 1])
    >>> has_priority(fork, join, Budget(100)), has_priority(join, fork, Budget(100))
    (True, False)
    """
    most = min(len(a), len(b)) - 1
    last_of_a = (a[-1] - a[::-1])[: most + 1]
    return bool(
        np.all(_least_windows(a, most, budget) >= b[: most + 1])
        and np.all(last_of_a >= -_least_windows(-b, most, budget))
    )


def in_a_row(functions: list[Int64]) -> Int64:
    """Return e of executing one after the other.

    Examples
    --------
    >>> in_a_row([np.array([0, 2]), np.array([0, 0, 1])]).tolist()
    [0, 2, 2, 3]
    """
    zero = np.zeros(1, np.int64)
    return np.cumsum(np.concatenate([zero, *(e[1:] - e[:-1] for e in functions)]))


def _least_windows(e: Int64, most: int, budget: Budget) -> Int64:
    """Return the least that any d steps in a row gain, for d = 0..most."""
    if _concave(e):
        last: Int64 = (e[-1] - e[::-1])[: most + 1]
        return last
    if _convex(e):
        return e[: most + 1]
    budget.spend(len(e) * (most + 1), "comparing two groups")
    return np.array([(e[d:] - e[: len(e) - d]).min() for d in range(most + 1)], np.int64)


def _concave(e: Int64) -> bool:
    return not np.any(np.diff(e, n=2) > 0)


def _convex(e: Int64) -> bool:
    return not np.any(np.diff(e, n=2) < 0)
