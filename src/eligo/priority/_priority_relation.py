"""Which of two dags to execute first: the priority relation ▷, r-priorities, and orders by priority.

Everything is said in terms of *yields*: e(0), ..., e(N) of a dag with N non-sinks, where e(x) is the number of
non-sources whose parents are all among the first x non-sinks executed. Two dags side by side that share k steps yield
at best ::

    c(k) = max over i + j = k of a(i) + b(j),

their (max, +) convolution. Dag a has *priority* over dag b, a ▷ b, if giving a every step it can take yields c(k) at
every k (Cordasco, Malewicz, Rosenberg 2010, (2.1)). Adding a multiple of x to both functions changes nothing in this,
so that E(x) = sources - x + e(x), which counts all ELIGIBLE jobs, gives the same relation.

*Idea.* Written out, a ▷ b says two things for every length d: the start of b gains no more in d steps than any stretch
of a; and no stretch of b gains more in d steps than the end of a. The second is the first for both functions read
backwards, with their roles exchanged. Of a convex function the start is the worst stretch, which leaves one comparison
a length. The case d = 1 decides wherever one of the two is concave: then a ▷ b iff no increment of b exceeds any of a.

*Cost.* ``O(|a| + |b|)`` where one of the two is concave or both are convex, else ``O(|a| |b|)``, vectorised and left at
the first failure. The convolution: ``O(|a| + |b|)`` for two concave or two convex functions, O(n log n) for one
concave, else ``O(|a| |b|)``.

*Care.* ▷ is transitive among dags that have a non-sink. An isolated job has none, is ▷-equal to everything, and breaks
chains: [0, 1] ▷ [0] ▷ [0, 2], but not [0, 1] ▷ [0, 2]. Sorting and chains therefore refuse it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core
from eligo.dag import Int64
from eligo.errors import EligoError
from eligo.graph import sinks
from eligo.schedule import Schedule, latest, places, sinks_last

__all__ = [
    "check_yields",
    "executions_needed",
    "first_then_second",
    "has_dual_priority",
    "has_priority",
    "is_chain",
    "is_concave",
    "is_convex",
    "max_convolution",
    "r_priority",
    "sort_by_priority",
    "yields_of",
]

# The kernels add and subtract up to four values in 64 bits.
_LARGEST = 2**60
_SHORT = 100


def yields_of(schedule: Schedule) -> Int64:
    """Return e(0), ..., e(N) of a schedule, its sinks put off to the end.

    Examples
    --------
    >>> from eligo import Dag
    >>> yields_of(Schedule.of(Dag.from_edges(4, [0, 1, 1], [2, 2, 3]), [1, 3, 0, 2]))
    array([0, 1, 2])
    """
    dag = schedule.dag
    last = latest(dag.pred_ptr, dag.pred, places(sinks_last(dag, schedule.order)))
    nonsinks = dag.n - len(sinks(dag))
    return np.cumsum(np.bincount(last[last >= 0] + 1, minlength=nonsinks + 1))


def check_yields(values: ArrayLike) -> Int64:
    """Return yields as an array; refuse what cannot be the e-function of a dag.

    Raises
    ------
    EligoError
        The values do not start with 0, or fall.

    Examples
    --------
    >>> check_yields([3, 2, 2])
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: yields start with 0, not 3
    hint: e(x) counts non-sources only; E(x), which counts all ELIGIBLE jobs, is #sources - x + e(x)
    """
    e = _values(values)
    counts = "e(x) counts non-sources only; E(x), which counts all ELIGIBLE jobs, is #sources - x + e(x)"
    if e[0] != 0:
        raise EligoError(f"yields start with 0, not {e[0]}", hint=counts)
    if np.any(falls := np.diff(e) < 0):
        x = int(np.argmax(falls))
        raise EligoError(f"yields never fall, but e({x}) = {e[x]} and e({x + 1}) = {e[x + 1]}", hint=counts)
    return e


def is_concave(values: ArrayLike) -> bool:
    """Tell whether the increments never rise. An order with concave yields is IC-optimal.

    Examples
    --------
    >>> is_concave([0, 4, 6]), is_concave([0, 0, 1])
    (True, False)
    """
    return bool((np.diff(_values(values), 2) <= 0).all())


def is_convex(values: ArrayLike) -> bool:
    """Tell whether the increments never fall.

    Examples
    --------
    >>> is_convex([0, 4, 6]), is_convex([0, 0, 1])
    (False, True)
    """
    return bool((np.diff(_values(values), 2) >= 0).all())


def first_then_second(a: ArrayLike, b: ArrayLike) -> Int64:
    """Return what the steps 0, 1, ... yield together that all go to the first function until its end.

    Examples
    --------
    >>> first_then_second([0, 4, 6], [0, 3, 5])
    array([ 0,  4,  6,  9, 11])
    """
    first, second = _values(a), _values(b)
    return np.concatenate((first + second[0], first[-1] + second[1:]))


def max_convolution(a: ArrayLike, b: ArrayLike) -> Int64:
    """Return for k = 0, 1, ... the largest a(i) + b(j) with i + j = k.

    Examples
    --------
    >>> max_convolution([0, 4, 6], [0, 3, 5])
    array([ 0,  4,  7,  9, 11])
    """
    first, second = _values(a), _values(b)
    if is_concave(first):
        if is_concave(second):  # two sorted runs, which the stable sort merges in linear time
            falls = np.sort(np.concatenate((-np.diff(first), -np.diff(second))), kind="stable")
            return np.cumsum(np.concatenate(([first[0] + second[0]], -falls)))
        return _core.max_convolution_concave(first, second)
    if is_concave(second):
        return _core.max_convolution_concave(second, first)
    if is_convex(first) and is_convex(second):  # a sum of convex functions is largest where one of them is used up
        return np.maximum(first_then_second(first, second), first_then_second(second, first))
    return _core.max_convolution(first, second)


def has_priority(a: ArrayLike, b: ArrayLike) -> bool:
    """Tell whether a ▷ b: executing all non-sinks of the first dag before any of the second is best at every step.

    Takes the yields e of IC-optimal schedules, or their E over the non-sinks, or any pair of functions. Where one dag
    has no non-sink the answer is yes.

    Examples
    --------
    >>> has_priority([0, 4, 6], [0, 0, 1]), has_priority([0, 4, 6], [0, 3, 5])
    (True, False)
    """
    first, second = _values(a), _values(b)
    if len(first) + len(second) <= _SHORT:
        return _short_priority(first.tobytes(), second.tobytes())
    return _decide_priority(first, second)


@lru_cache(maxsize=20_000)
def _short_priority(first: bytes, second: bytes) -> bool:
    """Decide once what comes up again and again: dags repeat the same few small blocks."""
    return _decide_priority(np.frombuffer(first, np.int64), np.frombuffer(second, np.int64))


def _decide_priority(first: Int64, second: Int64) -> bool:
    if len(first) == 1 or len(second) == 1:
        return True
    gains, others = np.diff(first), np.diff(second)
    least, most = gains.min(), others.max()
    if least >= most:
        return True
    if others[0] > least or most > gains[-1]:  # stretches of length 1; all there is to it if one function is concave
        return False
    return _starts_below(second, first) and _starts_below(first[::-1], second[::-1])


def _starts_below(low: Int64, high: Int64) -> bool:
    """Tell whether no stretch of `high` gains less than the start of `low` does in the same length."""
    if is_convex(high):
        shared = min(len(low), len(high))
        return bool((low[:shared] - low[0] <= high[:shared] - high[0]).all())
    return _core.starts_below(np.ascontiguousarray(low), np.ascontiguousarray(high))


def executions_needed(e: ArrayLike) -> Int64:
    """Return X(0), X(1), ...: the smallest number of steps after which the yield is at least so much.

    Examples
    --------
    >>> executions_needed([0, 0, 2, 3])
    array([0, 2, 2, 3])
    """
    yields = check_yields(e)
    if len(yields) > 1 and yields[-1] == yields[-2]:
        raise EligoError(
            f"the last non-sink yields nothing: e({len(yields) - 1}) = e({len(yields) - 2}) = {yields[-1]}",
            hint="the child of a non-sink waits for it, so that the last one to be executed always yields something",
        )
    return np.searchsorted(yields, np.arange(yields[-1] + 1)).astype(np.int64)


def has_dual_priority(a: ArrayLike, b: ArrayLike) -> bool:
    """Tell the same as :func:`has_priority`, from the steps needed for a given yield.

    Cordasco, Malewicz and Rosenberg 2007, (5.5): X(e) + X'(f) is never less than with the yield e + f taken from the
    first dag as far as it goes. By their Lemma 5.2 that is a ▷ b; the last step of each must yield something, as it
    does in every dag.

    Examples
    --------
    >>> has_dual_priority([0, 4, 6], [0, 0, 1]), has_dual_priority([0, 4, 6], [0, 3, 5])
    (True, False)
    """
    return has_priority(-executions_needed(a), -executions_needed(b))


def r_priority(first: ArrayLike, second: ArrayLike) -> Fraction:
    """Return the priority of one dag over another: the largest r with a ▷_r b, exactly.

    Takes E(0), ..., E(s) of both dags, s their non-sinks: the numbers of *all* ELIGIBLE jobs, sources included, as
    Malewicz, Foster, Rosenberg and Wilde 2006 define it. Executing the first dag before the second then always keeps at
    least the fraction r of the possible number of jobs ELIGIBLE. It is 1 iff a ▷ b, and never 0, since some job is
    ELIGIBLE until all are executed; steps at which nothing can be ELIGIBLE (an empty dag) bind nothing. A dag without
    non-sinks has one number, and priority 1 both ways.

    Examples
    --------
    {a -> b} over {c -> d, e}: after one step 2 jobs are ELIGIBLE where 3 could be.

    >>> r_priority([1, 1], [1, 2])
    Fraction(2, 3)
    """
    one, two = _values(first), _values(second)
    if min(one.min(), two.min()) < 0:
        raise EligoError("numbers of ELIGIBLE jobs are never negative")
    if has_priority(one, two):
        return Fraction(1)
    reached, best = first_then_second(one, two), max_convolution(one, two)
    least = _core.least_ratio(reached, best)
    return Fraction(int(reached[least]), int(best[least]))


def is_chain(functions: Sequence[ArrayLike]) -> bool:
    """Tell whether each dag has priority over the next, and so over all that follow.

    Examples
    --------
    >>> is_chain([[0, 4, 6], [0, 0, 1], [0, 0, 0, 1]]), is_chain([[0, 0, 0, 1], [0, 0, 1]])
    (True, False)
    """
    values = _with_steps(functions)
    return all(has_priority(a, b) for a, b in pairwise(values))


def sort_by_priority(functions: Sequence[ArrayLike]) -> list[int] | None:
    """Return an order in which the dags form a chain under ▷, or ``None`` if there is none.

    Dags with the same function stand together; what may stand either way keeps its order. Takes about k log k
    comparisons for k different functions.

    Examples
    --------
    >>> sort_by_priority([[0, 0, 1], [0, 4, 6], [0, 0, 1]])
    [1, 0, 2]
    >>> sort_by_priority([[0, 4, 6], [0, 3, 5]])
    """
    values = _with_steps(functions)
    same: dict[bytes, list[int]] = {}
    for i, value in enumerate(values):
        same.setdefault(value.tobytes(), []).append(i)
    groups = list(same.values())
    if not all(len(group) == 1 or has_priority(values[group[0]], values[group[0]]) for group in groups):
        return None

    # Where a chain exists, "not b ▷ a" is the strict part of a total preorder, and a stable sort by it is a chain.
    def before(a: list[int], b: list[int]) -> int:
        return 0 if has_priority(values[b[0]], values[a[0]]) else -1

    groups.sort(key=cmp_to_key(before))
    if not all(has_priority(values[a[0]], values[b[0]]) for a, b in pairwise(groups)):
        return None
    return [i for group in groups for i in group]


def _with_steps(functions: Sequence[ArrayLike]) -> list[Int64]:
    values = [_values(function) for function in functions]
    for i, value in enumerate(values):
        if len(value) == 1:
            raise EligoError(
                f"dag {i} has no non-sink, and priority over every other",
                hint="leave isolated jobs out: with them ▷ is not transitive",
            )
    return values


def _values(function: ArrayLike) -> Int64:
    values = np.asarray(function)
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iu":
        raise EligoError("expected a flat list of whole numbers, for 0, 1, ... executed non-sinks")
    if values.max() >= _LARGEST or values.min() <= -_LARGEST:
        raise EligoError("numbers must stay below 2^60")
    return np.ascontiguousarray(values, np.int64)
