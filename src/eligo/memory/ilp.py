"""The best partial serialisation under a limit, by integer programming: paper 004, section 5.2, with HiGHS.

Problem: choose pairs of jobs (u, v), "u ends before v starts", so that no execution ever occupies more than the limit
and the critical path is as short as can be. Idea: one integer program (``ilp_program.py``), started from a heuristic's
answer where there is one. HiGHS computes in doubles, so what it chooses is checked in integers: the dag must have no
cycle, and its worst peak by Algorithm 1 must keep the limit. A choice that fails is excluded by one more row, and
HiGHS is asked again. Pairs that are not needed are taken out at the end.

So the answer always keeps the limit. That none is shorter rests on HiGHS's word and its tolerance of 1e-6.

Cost: exponential at worst. Up to some 30 jobs it is solved in seconds unless the limit is as tight as can be; beyond
that it is best effort. Work is limited by nodes of the search, so that results repeat; a limit in seconds is optional.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from eligo.dag import Float64, Int32
from eligo.errors import CycleError, EligoError, InfeasibleError
from eligo.memory.algorithm1 import worst_peak_by_algorithm1
from eligo.memory.footprint import Footprint
from eligo.memory.highs import import_highspy
from eligo.memory.ilp_program import IlpProgram, Outcome, Pair, with_pairs
from eligo.memory.network import State, descendants
from eligo.memory.time_memory import finish_times, least_critical_path

__all__ = ["IlpAnswer", "solve_ilp"]

_ROUNDS = 20
"""How often HiGHS is asked again after its choice failed the check."""


@final
@dataclass(frozen=True, slots=True)
class IlpAnswer:
    """What was found.

    Attributes
    ----------
    tails, heads
        The added pairs: ``tails[i]`` must end before ``heads[i]`` starts. None where no answer was found in time.
    critical_path
        Of the dag with these pairs; infinite where there is no answer.
    bound
        No partial serialisation under this limit has a shorter critical path.
    optimal
        Whether the search was finished: the critical path is the shortest, up to the gap that was asked for.
    """

    tails: Int32 | None
    heads: Int32 | None
    critical_path: float
    bound: float
    optimal: bool


def solve_ilp(
    footprint: Footprint,
    limit: int,
    work: Float64,
    *,
    start: list[Pair] | None = None,
    time_limit_s: float | None = None,
    max_nodes: int = 5000,
    gap: float = 1e-6,
) -> IlpAnswer:
    """Return the pairs of jobs to put in order so that no execution occupies more than the limit.

    Parameters
    ----------
    work
        How long each job takes; finite and not negative.
    start
        Pairs that keep the limit, such as a heuristic's; the answer is never worse.
    time_limit_s
        Stop after so many seconds. Results then depend on the machine.
    max_nodes
        Stop after so many nodes of the search.
    gap
        Stop when the critical path is within this part of the bound.

    Raises
    ------
    InfeasibleError
        Nothing keeps the limit, not even one job at a time.
    MissingExtraError
        highspy is not installed.

    Examples
    --------
    Two jobs that make a pebble each, and a reader for each: one pair after the other is enough.

    >>> from eligo.dag import Dag
    >>> from eligo.memory.models import footprint as what_jobs_occupy
    >>> dag = Dag.from_edges(4, [0, 2], [1, 3])
    >>> answer = solve_ilp(what_jobs_occupy(dag, "pebble"), 3, np.ones(4))
    >>> answer.critical_path, answer.optimal, len(answer.tails)
    (3.0, True, 1)
    """
    import_highspy()
    task = _Task(footprint, limit, _checked(work, footprint.dag.n))
    _refuse_hopeless(footprint, limit)
    floor = task.floor()
    if start is not None and not task.keeps(start):
        raise EligoError("the pairs to start from do not keep the limit")
    for pairs in ([], start):
        if pairs is not None and task.critical_path(pairs) <= floor and task.keeps(pairs):
            return task.answer(pairs, floor, optimal=True)
    return _search(task, start, floor, _Effort(max_nodes, time_limit_s, gap))


@dataclass(frozen=True, slots=True)
class _Task:
    """What is asked; all that is said of pairs here is exact."""

    footprint: Footprint
    limit: int
    work: Float64

    def critical_path(self, pairs: list[Pair]) -> float:
        return float(finish_times(with_pairs(self.footprint.dag, pairs), self.work).max(initial=0))

    def floor(self) -> float:
        """Return a bound on the critical path that needs no search."""
        least = least_critical_path(self.footprint, self.limit, self.work)
        whole = bool(np.all(self.work == np.round(self.work)))
        return math.ceil(least * (1 - 1e-9)) if whole else least

    def worst_peak(self, pairs: list[Pair]) -> tuple[int, State]:
        return worst_peak_by_algorithm1(self.footprint.on(with_pairs(self.footprint.dag, pairs)))

    def keeps(self, pairs: list[Pair]) -> bool:
        return self.worst_peak(pairs)[0] <= self.limit

    def needed(self, pairs: list[Pair]) -> list[Pair]:
        """Return the pairs that no path makes superfluous and without which the limit would not be kept."""
        own, after = (descendants(with_pairs(self.footprint.dag, some)) for some in ([], pairs))
        jobs = range(self.footprint.dag.n)
        kept = [
            (u, v)
            for u, v in sorted(set(pairs))
            if not own[u] >> v & 1 and not any(after[u] >> w & after[w] >> v & 1 for w in jobs)
        ]
        for pair in list(kept):
            fewer = [other for other in kept if other != pair]
            if self.keeps(fewer):
                kept = fewer
        return kept

    def answer(self, pairs: list[Pair], bound: float, *, optimal: bool) -> IlpAnswer:
        kept = self.needed(pairs)
        length = self.critical_path(kept)
        tails, heads = (np.array([pair[end] for pair in kept], np.int32) for end in (0, 1))
        return IlpAnswer(tails, heads, length, min(bound, length), optimal)


def _checked(work: Float64, n: int) -> Float64:
    work = np.array(work, np.float64)
    if work.shape != (n,) or not np.all(np.isfinite(work)) or np.any(work < 0):
        raise ValueError("there must be one time for each job, finite and not negative")
    return work


def _refuse_hopeless(footprint: Footprint, limit: int) -> None:
    needs = footprint.needs
    if needs.size and int(needs.max()) > limit:
        job = int(needs.argmax())
        raise InfeasibleError(
            f"job {footprint.dag.names[job]!r} alone needs {int(needs[job]):,} {footprint.rules.unit}, "
            f"more than the limit of {limit:,}"
        )
    if footprint.base > limit:
        raise InfeasibleError(f"{footprint.base:,} {footprint.rules.unit} are there before the first job starts")


@dataclass(slots=True)
class _Effort:
    """What may still be spent."""

    max_nodes: int
    time_limit_s: float | None
    gap: float

    def spend(self, outcome: Outcome) -> bool:
        """Take off what a run has used; say whether anything is left."""
        self.max_nodes -= outcome.nodes
        if self.time_limit_s is not None:
            self.time_limit_s -= outcome.seconds
        return self.max_nodes >= 0 and (self.time_limit_s is None or self.time_limit_s > 0)


def _search(task: _Task, start: list[Pair] | None, bound: float, effort: _Effort) -> IlpAnswer:
    """Ask HiGHS until its choice holds in integers, or what may be spent is spent."""
    known = math.inf if start is None else task.critical_path(start)
    ceiling = float(task.work.sum()) if start is None else known
    program = IlpProgram(task.footprint, task.limit, task.work, bound, ceiling)
    for _ in range(_ROUNDS):
        outcome = program.solve(start, effort.max_nodes, effort.time_limit_s, effort.gap)
        if outcome.infeasible and start is None:
            raise InfeasibleError(f"no order of the jobs keeps to {task.limit:,} {task.footprint.rules.unit}")
        if outcome.infeasible:
            break
        bound = max(bound, outcome.bound)
        if outcome.pairs is None:
            break
        if _holds(program, task, outcome.pairs):
            if start is not None and known <= task.critical_path(outcome.pairs):
                return task.answer(start, bound, optimal=outcome.optimal)
            return task.answer(outcome.pairs, bound, optimal=outcome.optimal)
        if not effort.spend(outcome):
            break
    if start is None:
        return IlpAnswer(None, None, math.inf, bound, False)
    return task.answer(start, bound, optimal=False)


def _holds(program: IlpProgram, task: _Task, pairs: list[Pair]) -> bool:
    """Check a choice in integers; add a row that excludes it where it fails."""
    try:
        peak, state = task.worst_peak(pairs)
    except CycleError as error:
        program.forbid_cycle([int(name) for name in error.cycle])
        return False
    if peak > task.limit:
        program.forbid_state(state, pairs)
    return peak <= task.limit
