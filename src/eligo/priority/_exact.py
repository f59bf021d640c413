"""Exact answers for any dag that is not too wide: E_max, all IC-optimal schedules, largest AREA, least memory.

Problem: a schedule is IC-optimal if after every number of steps t it has as many jobs ELIGIBLE as any schedule can have
then, E_max(t). The sets of jobs that can be executed first are the *ideals*: with a job they hold its parents.

Idea: sinks (jobs without children) render nothing ELIGIBLE, so they may come last, and ideals of the N non-sinks
suffice. In fact no IC-optimal schedule executes a sink early: at step N only the set of all non-sinks leaves n - N jobs
ELIGIBLE. Then

1. E_max comes from deciding the non-sinks one by one, where ideals that the rest cannot tell apart are bundled
   (``native/core/exact_profile.hpp``); the number of ideals is found on the way, however large it is;
2. IC-optimal schedules are the ways through the *optimal* ideals, layer by layer, the ways added up
   (``exact_optimal.hpp``); twins, jobs that differ in nothing but their sinks, are taken in ascending order only;
3. the largest AREA and the least memory cost are shortest ways through the ideals, for sums and for maxima, by
   best-first search (``exact_area.hpp``, ``exact_memory.hpp``).

Cost: exponential at worst, but mostly far below the number of ideals. It is bounded by a *budget* of visited states,
not of time, so that answers repeat; beyond it there is an :class:`~eligo.errors.InfeasibleError`.

Degenerate dags have answers too: the empty dag has one schedule, the empty one, and one ideal; in a dag without edges
every order is IC-optimal (n! schedules, one ideal of non-sinks).

Source: Rosenberg and Yurkewych (2005) define the game; Malewicz, Rosenberg and Yurkewych (2006) the quality model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import factorial, prod
from typing import Any, ParamSpec, TypeVar

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError, InfeasibleError
from eligo.graph import sinks
from eligo.schedule import Schedule, places

__all__ = [
    "BUDGET",
    "ExactAnswer",
    "best_profile",
    "largest_area",
    "least_memory",
    "schedules",
    "search",
    "search_witness",
    "steps_in_conflict",
]

BUDGET = 10_000_000
"""How many states a search visits before it gives up: a few seconds, and less than a gigabyte.

A state is an ideal, or a bundle of ideals; one that takes more than 64 bytes counts as several.
"""

_FEW_IDEALS = 10_000

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class ExactAnswer:
    """What exact search knows about the IC-optimal schedules of a dag.

    Attributes
    ----------
    dag
        The dag.
    profile
        E_max(0), ..., E_max(n): the most jobs that any schedule has ELIGIBLE after so many steps.
    order
        The jobs in the order of one IC-optimal schedule, or ``None`` where there is none.
    count
        How many IC-optimal schedules there are, or ``None`` where they were not counted.
    dies_at
        The first step t such that no schedule is optimal at all of 0, ..., t; ``None`` where one is to the end.
    ideals
        The number of ideals of the dag induced on the non-sinks: with the empty one, without regard to symmetry,
        whether or not the search looked at each.
    visited
        How many states the search looked at: what the budget bounds.
    """

    dag: Dag
    profile: Int64
    order: Int32 | None
    count: int | None
    dies_at: int | None
    ideals: int
    visited: int = field(compare=False)

    @property
    def exists(self) -> bool:
        """Whether there is an IC-optimal schedule."""
        return self.order is not None

    @property
    def schedule(self) -> Schedule | None:
        """One IC-optimal schedule, made anew at each call, or ``None``."""
        return None if self.order is None else Schedule.of(self.dag, self.order)


def best_profile(dag: Dag, budget: int = BUDGET) -> Int64:
    """Return E_max(0), ..., E_max(n): the most jobs that any schedule has ELIGIBLE after so many steps.

    Raises
    ------
    InfeasibleError
        More than `budget` states would have to be visited.

    Examples
    --------
    >>> best_profile(Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])).tolist()
    [1, 2, 1, 1, 0]
    """
    return _within_budget(_core.exact_search, *_rows(dag), _checked(budget), False, False)[0]


def search(dag: Dag, budget: int = BUDGET, *, count: bool = True) -> ExactAnswer:
    """Decide whether an IC-optimal schedule exists; find one, and how many there are.

    Parameters
    ----------
    dag
        Any dag.
    budget
        How many states may be visited.
    count
        Whether all IC-optimal schedules are counted, which visits all optimal ideals that optimal steps lead to. One
        schedule is found with far fewer, mostly.

    Raises
    ------
    InfeasibleError
        More than `budget` states would have to be visited.

    Examples
    --------
    >>> butterfly = Dag.from_names([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")])
    >>> answer = search(butterfly)
    >>> answer.schedule.names, answer.count, answer.ideals
    (['a', 'b', 'c', 'd'], 4, 4)

    The smallest dag without an IC-optimal schedule is that butterfly beside an arc:

    >>> answer = search(Dag.from_names([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("e", "f")]))
    >>> answer.exists, answer.profile.tolist(), answer.dies_at
    (False, [3, 3, 3, 3, 2, 1, 0], 2)
    """
    profile, ideals, order, reached, number, twins, visited = _within_budget(
        _core.exact_search, *_rows(dag), _checked(budget), True, count
    )
    exists = len(order) == dag.n
    many = None
    if count:
        many = _whole(number) * prod(map(factorial, twins.tolist())) * factorial(len(sinks(dag))) if exists else 0
    return ExactAnswer(
        dag, profile, order if exists else None, many, None if exists else reached + 1, _whole(ideals), visited
    )


def search_witness(answer: ExactAnswer, order: Int32) -> dict[str, Any]:
    """Return what a certificate says of an answer; jobs are named by their places in an order, non-sinks first.

    Few ideals are looked at one by one by a checker. Where there are many it is told the sequence in which to decide
    the non-sinks, so that ideals can be bundled as they were here.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "c"), ("b", "d")])
    >>> search_witness(search(dag), dag.order)
    {'by': 'exact', 'ideals': 4}
    """
    if answer.ideals <= _FEW_IDEALS:
        return {"by": "exact", "ideals": answer.ideals}
    sequence = _within_budget(_core.exact_sequence, *_rows(answer.dag), 2**62)
    return {"by": "frontier", "sequence": places(order)[sequence].tolist()}


def largest_area(dag: Dag, budget: int = BUDGET) -> Schedule:
    """Return a schedule of largest AREA; it is IC-optimal wherever such a schedule exists.

    Raises
    ------
    InfeasibleError
        More than `budget` states would have to be visited.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("e", "f")])
    >>> largest_area(dag).profile.tolist()
    [3, 3, 2, 3, 2, 1, 0]
    """
    return Schedule.of(dag, _within_budget(_core.exact_largest_area, *_rows(dag), _checked(budget)))


def least_memory(dag: Dag, budget: int = BUDGET, *, ic_optimal: bool = False) -> Schedule:
    """Return a schedule of least memory cost: with the fewest executed jobs that still have children to execute.

    Parameters
    ----------
    dag
        Any dag.
    budget
        How many states may be visited.
    ic_optimal
        Look among IC-optimal schedules only.

    Raises
    ------
    EligoError
        No schedule is IC-optimal, and one was asked for.
    InfeasibleError
        More than `budget` states would have to be visited.

    Examples
    --------
    >>> tree = Dag.from_edges(7, [0, 1, 2, 3, 4, 5], [4, 4, 5, 5, 6, 6])
    >>> least_memory(tree).memory_cost
    3
    >>> least_memory(tree, ic_optimal=True).memory_cost
    4
    """
    order = _within_budget(_core.exact_least_memory, *_rows(dag), _checked(budget), ic_optimal)
    if len(order) < dag.n:
        raise EligoError("no schedule of this dag is IC-optimal", hint="leave out ic_optimal")
    return Schedule.of(dag, order)


def steps_in_conflict(dag: Dag, budget: int = BUDGET) -> tuple[int, int] | None:
    """Return two steps s < t such that no schedule is optimal at both, the closest such pair, or ``None``.

    A pair proves that no IC-optimal schedule exists; but there need not be a pair where none exists. All ideals are
    visited (up to twins), so this takes a smaller dag than :func:`search` does.

    Raises
    ------
    InfeasibleError
        More than `budget` states would have to be visited.

    Examples
    --------
    >>> steps_in_conflict(Dag.from_names([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("e", "f")]))
    (1, 2)
    >>> steps_in_conflict(Dag.from_names([("a", "b")])) is None
    True
    """
    early, late = _within_budget(_core.exact_conflict, *_rows(dag), dag.order, _checked(budget))
    return None if early < 0 else (early, late)


def schedules(dag: Dag, budget: int = BUDGET) -> Iterator[Schedule]:
    """Iterate over all IC-optimal schedules, in lexicographic order of job numbers.

    Nothing is computed before the first is asked for. There may be very many: :func:`search` tells how many.

    Raises
    ------
    InfeasibleError
        E_max takes more than `budget` states, or more than `budget` ideals lead nowhere.

    Examples
    --------
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> [schedule.names for schedule in schedules(fork)]
    [['a', 'b', 'c'], ['a', 'c', 'b']]
    """
    best = best_profile(dag, budget).tolist()
    parents = [sum(1 << parent for parent in dag.parents(job).tolist()) for job in range(dag.n)]
    dead: set[int] = set()
    order: list[int] = []
    untried = [_optimal_steps(0, parents, best)]
    fruitful = [False]
    executed = 0
    while untried:
        if len(order) == dag.n:
            yield Schedule.of(dag, order)
            fruitful[-1] = True
        job = next((job for job in untried[-1] if executed | 1 << job not in dead), None)
        if job is not None:
            executed |= 1 << job
            order.append(job)
            untried.append(_optimal_steps(executed, parents, best))
            fruitful.append(False)
            continue
        untried.pop()
        if not (useful := fruitful.pop()):
            dead.add(executed)
            if len(dead) > budget:
                raise _over_budget(f"after {budget} ideals that lead nowhere")
        if order:
            executed ^= 1 << order.pop()
            fruitful[-1] |= useful


def _optimal_steps(executed: int, parents: list[int], best: list[int]) -> Iterator[int]:
    """Return the jobs whose execution keeps as many jobs ELIGIBLE as can be."""
    step = executed.bit_count() + 1
    ready = [job for job, needed in enumerate(parents) if not executed >> job & 1 and needed & ~executed == 0]
    waiting = [needed & ~executed for needed in parents if needed & ~executed]
    gains = {job: sum(missing == 1 << job for missing in waiting) for job in ready}
    return iter([job for job in ready if len(ready) - 1 + gains[job] == best[step]])


def _rows(dag: Dag) -> tuple[Int64, Int32, Int64, Int32]:
    return dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred


def _checked(budget: int) -> int:
    if budget < 1:
        raise EligoError(
            f"a budget of {budget} states allows nothing", hint=f"give at least 1; the default is {BUDGET:,}"
        )
    return min(budget, 2**62)


def _whole(number: bytes) -> int:
    return int.from_bytes(number, "little")


def _within_budget(kernel: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    try:
        return kernel(*arguments, **options)
    except _core.OverBudgetError as error:
        raise _over_budget(str(error)) from None


def _over_budget(where: str) -> InfeasibleError:
    return InfeasibleError(
        f"exact search gave up {where}",
        hint="large states count several times; raise the budget (time and memory grow with it), count no schedules "
        "(count=False), or ask eligo.settle, which needs no search for many dags",
    )
