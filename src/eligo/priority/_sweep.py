"""IC-Sweep: does a sum of dags admit an IC-optimal schedule, and how are the dags then interleaved?

*Problem.* Each of several dags side by side has an IC-optimal schedule with yields e_i (see ``relation``). An
IC-optimal schedule of the sum executes the non-sinks of each dag in an IC-optimal order (Cordasco, Malewicz, Rosenberg
2010, Lemma 3.1), so that only the interleaving is open, and it does not matter which IC-optimal schedules are taken.

*Idea.* For two dags, table E has e1(i) + e2(j) in cell (i, j). An IC-optimal schedule is a path from corner to corner,
each step down (execute the first dag) or right (the second), through cells that are largest on their diagonals i + j.
Table V says YES where such a path arrives. A third dag is swept with the sum of the first two, and so on: a sum admits
an IC-optimal schedule only if every part of it does, and all such schedules of a part have the same yields.

*Shapes.* A path shaped like an L says that the first dag has priority over the second, one like a 7 the converse.
Several dags are a chain iff the path is an L at every stage.

*Which path.* Of all paths the one that executes the first dag as early as can be; it exists, since where two paths
differ their lower parts make a path too.

*Cost.* O(n1 n2) for two dags, 64 cells at a time and only where a YES can come; O(sum n_i n_j) for several. Concave
yields are merged, chains need no table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo import _core, graph
from eligo.dag import Int32, Int64
from eligo.errors import EligoError, InfeasibleError
from eligo.priority._priority_relation import (
    check_yields,
    first_then_second,
    has_priority,
    is_chain,
    is_concave,
    max_convolution,
    sort_by_priority,
)
from eligo.schedule import Schedule

__all__ = ["SumSweep", "Sweep", "interleave", "sweep", "take_turns", "two_sweep"]

_LARGEST_TABLE = 10_000_000
_MOST_WORDS = 2**27  # 1 GB of cells

_Table = tuple[Int64, Int64, NDArray[np.uint64], int]


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """What Algorithm 2-IC-Sweep finds out about two dags.

    Attributes
    ----------
    e1, e2
        The yields of the two dags.
    e
        The best yields of their sum at each number of steps, whether or not one schedule reaches them all.
    steps
        One IC-optimal interleaving: 0 where the first dag executes its next non-sink, 1 where the second does. Of all
        of them the one that executes the first dag as early as can be. ``None`` where there is none.
    diagonal
        The first diagonal of table V without a YES; ``None`` where there is none.

    Examples
    --------
    >>> found = two_sweep([0, 4, 6], [0, 3, 5])
    >>> found.steps, found.count(), found.l_shaped, found.seven_shaped
    (array([0, 1, 0, 1], dtype=uint8), 2, False, False)
    """

    e1: Int64
    e2: Int64
    e: Int64
    steps: NDArray[np.uint8] | None
    diagonal: int | None
    _known: _Table | None = field(default=None, repr=False)

    @property
    def admits(self) -> bool:
        """Whether the sum of the two dags admits an IC-optimal schedule."""
        return self.steps is not None

    @property
    def l_shaped(self) -> bool:
        """Whether a path is shaped like an L: the first dag has priority over the second."""
        return np.array_equal(first_then_second(self.e1, self.e2), self.e)

    @property
    def seven_shaped(self) -> bool:
        """Whether a path is shaped like a 7: the second dag has priority over the first."""
        return np.array_equal(first_then_second(self.e2, self.e1), self.e)

    def table_e(self) -> Int64:
        """Return table E of the paper: row i, column j has e1(i) + e2(j).

        Examples
        --------
        >>> two_sweep([0, 4, 6], [0, 3, 5]).table_e()
        array([[ 0,  3,  5],
               [ 4,  7,  9],
               [ 6,  9, 11]])
        """
        self._check_size()
        return self.e1[:, None] + self.e2[None, :]

    def table_v(self) -> NDArray[np.bool_]:
        """Return table V of the paper: true where an optimal path arrives.

        Examples
        --------
        >>> two_sweep([0, 4, 6], [0, 3, 5]).table_v().astype(int)
        array([[1, 0, 0],
               [1, 1, 1],
               [0, 1, 1]])
        """
        self._check_size()
        table = np.zeros((len(self.e1), len(self.e2)), np.bool_)
        for i, runs in enumerate(self._runs()):
            for start, stop in runs:
                table[i, start:stop] = True
        return table

    def count(self) -> int:
        """Return the number of optimal paths, exactly; one addition for each YES of table V.

        Examples
        --------
        >>> two_sweep([0, 1, 2, 3], [0, 1, 2]).count()
        10
        """
        if not self.admits:
            return 0
        ways = [0] * len(self.e2)
        ways[0] = 1
        above: list[tuple[int, int]] = [(0, 1)]
        for runs in self._runs():
            # Within a run each cell adds what comes from above to what comes from the left.
            row = [list(accumulate(ways[start:stop])) for start, stop in runs]
            for start, stop in above:
                ways[start:stop] = [0] * (stop - start)
            for (start, stop), values in zip(runs, row, strict=True):
                ways[start:stop] = values
            above = runs
        return ways[-1]

    def _runs(self) -> Iterator[list[tuple[int, int]]]:
        """Yield for each row of table V its runs of YES, as half-open ranges."""
        first, ptr, words, _ = self._known or _table(self.e1, self.e2, self.e)
        for i in range(len(self.e1)):
            row = words[ptr[i] : ptr[i + 1]].astype("<u8").view(np.uint8)
            bits = np.unpackbits(row, bitorder="little").astype(np.int8)
            edges = np.flatnonzero(np.diff(bits, prepend=0, append=0)) + 64 * first[i]
            yield list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

    def _check_size(self) -> None:
        if len(self.e1) * len(self.e2) > _LARGEST_TABLE:
            raise InfeasibleError(
                f"a table of {len(self.e1):,} by {len(self.e2):,} cells is too large to write out",
                hint="the path, the number of paths and the shapes need no table",
            )


def two_sweep(e1: ArrayLike, e2: ArrayLike) -> Sweep:
    """Sweep two dags, given the yields of an IC-optimal schedule of each.

    Examples
    --------
    G_3 of the paper, after its source: no schedule is optimal at step 1 and at step 2.

    >>> two_sweep([0, 1], [0, 0, 2]).diagonal
    2
    """
    first, second = check_yields(e1), check_yields(e2)
    best = max_convolution(first, second)
    steps = _plain_path(first, second, best)
    if steps is not None:
        return Sweep(first, second, best, steps, None)
    table = _table(first, second, best)
    if table[3] + 1 < len(best):
        return Sweep(first, second, best, None, table[3] + 1, table)
    steps = _core.sweep_path(*table[:3], len(first) - 1, len(second) - 1)
    return Sweep(first, second, best, steps, None, table)


def _plain_path(first: Int64, second: Int64, best: Int64) -> NDArray[np.uint8] | None:
    """Return the path where no table is needed to find it."""
    which = np.repeat(np.array([0, 1], np.uint8), [len(first) - 1, len(second) - 1])
    if np.array_equal(first_then_second(first, second), best):
        return which
    if is_concave(first) and is_concave(second):
        return which[_by_falling_gain([first, second])]
    return None


def _by_falling_gain(functions: Sequence[Int64]) -> NDArray[np.intp]:
    """Return the order of all increments, function after function, that puts larger ones first and keeps ties."""
    return np.argsort(np.concatenate([-np.diff(e) for e in functions]), kind="stable")


def _table(first: Int64, second: Int64, best: Int64) -> _Table:
    table = _core.sweep_table(first, second, best, _MOST_WORDS)
    if table is None:
        raise InfeasibleError(f"the sweep of {len(first) - 1:,} by {len(second) - 1:,} steps would take more than 1 GB")
    return table


@dataclass(frozen=True, slots=True, eq=False)
class SumSweep:
    """What Algorithm IC-Sweep finds out about a sum of dags.

    Attributes
    ----------
    e
        The best yields of the sum at each number of steps, whether or not one schedule reaches them all; ``None`` where
        those of a summand are not known.
    steps
        One IC-optimal interleaving: for each step the number of the dag that executes its next non-sink; ``None``
        where there is none.
    chain
        The dags that have non-sinks, in an order in which each has priority over the next; ``None`` where there is
        no such order.
    is_chain
        Whether the given order is one.
    stage, diagonal
        Where the sweep failed: the number of the dag whose sum with all before it admits no IC-optimal schedule, and
        the first diagonal without a YES in the table of that sum. The diagonal is ``None`` where the dag alone admits
        none.

    Examples
    --------
    >>> sweep([[0, 3, 5], [0, 0, 1], [0, 4, 6]]).steps
    array([2, 0, 0, 2, 1, 1], dtype=int32)
    """

    e: Int64 | None
    steps: Int32 | None
    chain: tuple[int, ...] | None
    is_chain: bool
    stage: int | None = None
    diagonal: int | None = None

    @property
    def admits(self) -> bool:
        """Whether the sum admits an IC-optimal schedule."""
        return self.steps is not None


def sweep(functions: Sequence[ArrayLike | None]) -> SumSweep:
    """Sweep any number of dags, given the yields of an IC-optimal schedule of each.

    Parameters
    ----------
    functions
        ``None`` stands for a dag that admits no IC-optimal schedule: then the sum admits none.

    Examples
    --------
    >>> sweep([[0, 0, 0, 1], [0, 0, 1]]).chain
    (1, 0)
    >>> failed = sweep([[0, 1], [0, 1], [0, 0, 2]])
    >>> failed.stage, failed.diagonal, failed.e.tolist()
    (2, 3, [0, 1, 2, 3, 4])
    """
    for stage, function in enumerate(functions):
        if function is None:
            return SumSweep(None, None, None, False, stage)
    yields = [check_yields(function) for function in functions if function is not None]
    working = [i for i, e in enumerate(yields) if len(e) > 1]
    active = [yields[i] for i in working]
    order = sort_by_priority(active)
    chain = None if order is None else tuple(working[i] for i in order)
    swept = _sweep_plain(yields, chain) or _sweep_stages(yields)
    return SumSweep(swept.e, swept.steps, chain, is_chain(active), swept.stage, swept.diagonal)


def _sweep_plain(yields: list[Int64], chain: tuple[int, ...] | None) -> SumSweep | None:
    """Return the answer where no table is needed to find it."""
    lengths = [len(e) - 1 for e in yields]
    numbers = np.repeat(np.arange(len(yields), dtype=np.int32), lengths)
    gains = np.concatenate([np.zeros(0, np.int64), *(np.diff(e) for e in yields)])
    if all(is_concave(e) for e in yields):
        order = _by_falling_gain(yields) if yields else np.zeros(0, np.intp)
    elif chain is not None:
        starts = np.concatenate(([0], np.cumsum(lengths)))
        order = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in chain])
    else:
        return None
    return SumSweep(np.concatenate(([0], np.cumsum(gains[order]))), numbers[order], None, False)


def _sweep_stages(yields: list[Int64]) -> SumSweep:
    """Sweep each dag with the sum of those before it."""
    best, steps = yields[0], np.zeros(len(yields[0]) - 1, np.int32)
    for stage, e in enumerate(yields[1:], 1):
        found = two_sweep(best, e)
        if found.steps is None:
            return SumSweep(_best_of_sum([best, *yields[stage:]]), None, None, False, stage, found.diagonal)
        grown = np.full(len(found.steps), stage, np.int32)
        grown[found.steps == 0] = steps
        best, steps = found.e, grown
    return SumSweep(best, steps, None, False)


def _best_of_sum(yields: list[Int64]) -> Int64:
    """Return the best yields of a sum; of very many dags few differ, and equal ones are mostly one after the other."""
    copies: dict[bytes, list[Int64]] = {}
    for e in yields:
        copies.setdefault(e.tobytes(), []).append(e)
    merged = [same for same in copies.values() if is_concave(same[0])]
    gains = np.sort(np.concatenate([np.zeros(0, np.int64), *(np.tile(np.diff(same[0]), len(same)) for same in merged)]))
    best = np.concatenate(([0], np.cumsum(gains[::-1])))
    for same in copies.values():
        if is_concave(same[0]):
            continue
        if has_priority(same[0], same[0]):
            same = [np.concatenate(([0], np.cumsum(np.tile(np.diff(same[0]), len(same)))))]  # noqa: PLW2901
        for e in same:
            best = max_convolution(best, e)
    return best


def interleave(schedules: Sequence[Schedule], steps: ArrayLike) -> Schedule:
    """Return the schedule of a sum of dags that executes their non-sinks in turn as told, then all sinks.

    Parameters
    ----------
    schedules
        One for each dag; only the order of its non-sinks matters.
    steps
        For each step the number of the dag that executes its next non-sink.

    Returns
    -------
    Schedule
        Of ``graph.sum_of`` the dags; sinks come last, by number.

    Examples
    --------
    >>> from eligo import Dag
    >>> fork, join = Dag.from_edges(3, [0, 0], [1, 2]), Dag.from_edges(3, [0, 1], [2, 2])
    >>> parts = [Schedule.of(join, [0, 1, 2]), Schedule.of(fork, [0, 1, 2])]
    >>> interleave(parts, sweep([[0, 0, 1], [0, 2]]).steps).names
    ['1.0', '0.0', '0.1', '0.2', '1.1', '1.2']
    """
    total = graph.sum_of([schedule.dag for schedule in schedules])
    inner = np.diff(total.succ_ptr) > 0
    starts = np.cumsum([0, *(schedule.dag.n for schedule in schedules)])
    orders = [start + schedule.order for start, schedule in zip(starts[:-1], schedules, strict=True)]
    nonsinks = [order[inner[order]] for order in orders]
    turns = np.asarray(steps, np.int64)
    counts = np.bincount(turns, minlength=len(schedules)) if turns.min(initial=0) >= 0 else np.array([-1])
    if counts.tolist() != [len(jobs) for jobs in nonsinks]:
        raise EligoError(
            "the steps do not fit the dags",
            hint="each dag's number stands in the steps as often as the dag has non-sinks",
        )
    return Schedule.of(total, np.concatenate((take_turns(nonsinks, turns), graph.sinks(total))))


def take_turns(rows: Sequence[Int32 | Int64], turns: ArrayLike) -> Int32:
    """Return what stands in several rows as one: at each step the next entry of the row whose turn it is.

    Examples
    --------
    >>> take_turns([np.array([5, 6]), np.array([7])], [0, 1, 0])
    array([5, 7, 6], dtype=int32)
    """
    which = np.asarray(turns)
    taken = np.empty(len(which), np.int32)
    taken[np.argsort(which, kind="stable")] = np.concatenate([np.zeros(0, np.int32), *rows])
    return taken
