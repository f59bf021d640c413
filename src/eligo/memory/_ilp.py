"""The best partial serialisation under a limit, by integer programming: paper 004, section 5.2, with HiGHS.

Problem: choose pairs of jobs (u, v), "u ends before v starts", so that no execution ever occupies more than the limit
and the critical path is as short as can be. Idea: one integer program (``ilp_program.py``), started from a heuristic's
answer where there is one. HiGHS computes in doubles, so what it chooses is checked in integers: the dag must have no
cycle, and its worst peak by Algorithm 1 must keep the limit. A choice that fails is excluded by one more row, and
HiGHS is asked again. Pairs that are not needed are taken out at the end.

So the answer always keeps the limit. That none is shorter rests on HiGHS's word and its tolerance of 1e-6.

Cost: exponential at worst. Up to some 30 jobs it is solved in seconds unless the limit is as tight as can be; beyond
that it is best effort. Work is limited by nodes of the search, so that results repeat; a limit in seconds is optional.

The integer program of a partial serialisation: which pairs of jobs to put in order so that a limit is always kept.

Paper 004, section 5.2, (6)-(16), made smaller and for all models. What differs, and why it is right:

* A variable e[u, v] only for pairs that the dag leaves open, at the level of jobs: "u ends before v starts" is all that
  can be written into a workflow. Pairs that would make the critical path longer than one already known are left out.
* **Space is handed on.** A limit is kept by every execution iff what jobs allocate, beyond the limit, can be put where
  others have freed: shares g(x, y) of what x allocates in what y frees, y before x, no x giving more than it allocates,
  no y taking more than it frees, all shares together at least (everything allocated) - limit. This is the dual of the
  maximum closure, the flow of 004 without s and t; and since the order that is looked for is transitive, shares go from
  x to y directly. So g(x, y) is at most min(x, y) e, where 004 has the whole limit times e, which says next to nothing.
* A datum with several readers is freed for v when all of them end before v starts: g <= e[r, v] for each reader r.
* **No transitivity.** (8) in 004 are n^3 rows. They serve to exclude cycles and to make shared data right. Here whoever
  needs a pair sets its variable, and the closure of an acyclic choice is one too, with the same critical path. Cycles
  are excluded by the completion times of (15); those through jobs that take no time by a numbering of these jobs. With
  all rows of (8) HiGHS took three to ten times as long.
* The big constants of (15) are cut to what a critical path below the known one leaves. Two jobs that together need
  more than the limit must be in order. Time x memory (``time_memory.py``) bounds the critical path from below.

Rows that doubles make necessary (``forbid_cycle``, ``forbid_state``) exclude a choice that turned out wrong when it was
checked in integers, and nothing that is right.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np

from eligo.dag import OUTSIDE, Dag, Float64, Int32
from eligo.errors import CycleError, EligoError, InfeasibleError
from eligo.memory._algorithm1 import State, descendants, event_network, worst_peak_by_algorithm1
from eligo.memory._footprint import Footprint
from eligo.memory._linear_program import LinearProgram, import_highspy
from eligo.memory._lower_bound import finish_times, least_critical_path

__all__ = [
    "IlpAnswer",
    "IlpProgram",
    "Outcome",
    "Pair",
    "solve_ilp",
    "with_pairs",
]

Pair = tuple[int, int]

_LIGHT = 1e-3
"""Cycles through longer jobs, as a part of the critical path, cannot hide below the tolerance of HiGHS, 1e-6."""

_WHOLE_UP_TO = 10_000
"""Up to this critical path, times that are whole numbers are left as they are, and so is the critical path."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What HiGHS says: the chosen pairs or None, a lower bound on the critical path, what it spent, how it ended."""

    pairs: list[Pair] | None
    bound: float
    nodes: int
    seconds: float
    optimal: bool
    infeasible: bool


def with_pairs(dag: Dag, pairs: list[Pair]) -> Dag:
    """Return the jobs with further dependencies and without what is known of them.

    Examples
    --------
    >>> with_pairs(Dag.from_edges(3, [0], [1]), [(1, 2)]).m
    2
    """
    tails, heads = ([*ends.tolist(), *more] for ends, more in zip((dag.tails, dag.heads), _columns(pairs), strict=True))
    return Dag.from_edges(dag.n, tails, heads)


def _columns(pairs: list[Pair]) -> tuple[list[int], list[int]]:
    return [tail for tail, _ in pairs], [head for _, head in pairs]


class IlpProgram:
    """The program for one footprint, one limit and known bounds on the critical path."""

    def __init__(self, footprint: Footprint, limit: int, work: Float64, floor: float, ceiling: float) -> None:
        self.footprint, self.limit, self.dag = footprint, limit, footprint.dag
        self.after = descendants(self.dag)
        self.whole = bool(np.all(work == np.round(work))) and ceiling <= _WHOLE_UP_TO
        self.unit = 1.0 if self.whole or ceiling <= 0 else ceiling
        self.program = LinearProgram()
        self.chosen: dict[Pair, int] = {}
        self._add_times(work / self.unit, floor / self.unit, ceiling / self.unit)
        self._add_space()
        self._add_conflicts()

    def _before(self, first: int, second: int) -> bool:
        return bool(self.after[first] >> second & 1)

    def _open_pairs(self) -> list[Pair]:
        n = self.dag.n
        return [
            (u, v) for u in range(n) for v in range(n) if u != v and not self._before(u, v) and not self._before(v, u)
        ]

    def _add_times(self, work: Float64, floor: float, ceiling: float) -> None:
        """Add completion times, the pairs that may be chosen, and (14)-(15): a chosen pair keeps its distance."""
        program, dag = self.program, self.dag
        head = finish_times(dag, work) - work
        tail = finish_times(Dag.from_edges(dag.n, dag.heads, dag.tails), work) - work
        length = program.add_column(min(floor, ceiling), ceiling, cost=1, whole=self.whole)
        ends = [program.add_column(head[job] + work[job], ceiling - tail[job]) for job in range(dag.n)]
        for job in range(dag.n):
            program.add_row([(length, 1), (ends[job], -1)], lower=tail[job])
        for u, v in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True):
            program.add_row([(ends[v], 1), (ends[u], -1)], lower=work[v])
        slack = 1e-9 * max(ceiling, 1)
        for u, v in self._open_pairs():
            if head[u] + work[u] + work[v] + tail[v] <= ceiling + slack:
                self.chosen[u, v] = pair = program.add_column(0, 1, whole=True)
                free = max(ceiling - tail[u] - head[v], 0)
                program.add_row([(ends[v], 1), (ends[u], -1), (pair, -free)], lower=work[v] - free)
        for (u, v), pair in self.chosen.items():
            if u < v and (v, u) in self.chosen:
                program.add_row([(pair, 1), (self.chosen[v, u], 1)], upper=1)
        self._number(np.flatnonzero(work <= _LIGHT * ceiling).tolist())

    def _number(self, light: list[int]) -> None:
        """Exclude cycles through jobs that take next to no time: their numbers rise along chosen pairs."""
        program, count = self.program, len(light)
        number = {job: program.add_column(0, count) for job in light}
        for u in light:
            for v in light:
                if (u, v) in self.chosen:
                    terms = [(number[v], 1.0), (number[u], -1.0), (self.chosen[u, v], -float(count))]
                    program.add_row(terms, lower=1 - count)
                elif self._before(u, v):
                    program.add_row([(number[v], 1), (number[u], -1)], lower=1)

    def _add_space(self) -> None:
        """Add the shares of what jobs allocate in what others have freed, as parts of the limit."""
        program, scale = self.program, max(self.limit, 1)
        base, allocated, freed = _gains(self.footprint)
        given: dict[int, list[int]] = {job: [] for job in allocated}
        taken: list[list[int]] = [[] for _ in freed]
        for job, amount in allocated.items():
            for place, (waits, space) in enumerate(freed):
                conditions = self._conditions(waits, job)
                if conditions is None:
                    continue
                most = min(amount, space) / scale
                share = program.add_column(0, most)
                for pair in conditions:
                    program.add_row([(share, 1), (pair, -most)], upper=0)
                given[job].append(share)
                taken[place].append(share)
        for job, amount in allocated.items():
            program.add_row([(share, 1) for share in given[job]], upper=amount / scale)
        for shares, (_, space) in zip(taken, freed, strict=True):
            program.add_row([(share, 1) for share in shares], upper=space / scale)
        # Half a byte too much, since sizes are whole; or what doubles can tell apart. What this lets through is
        # found by the check in integers.
        beyond = base + sum(allocated.values()) - self.limit - max(0.5, 1e-7 * self.limit)
        program.add_row([(share, 1) for shares in given.values() for share in shares], lower=beyond / scale)

    def _conditions(self, waits: list[int], job: int) -> list[int] | None:
        """Return the pairs to choose so that all of `waits` end before a job starts; None where that cannot be."""
        conditions = []
        for other in waits:
            if not self._before(other, job):
                if (other, job) not in self.chosen:
                    return None
                conditions.append(self.chosen[other, job])
        return conditions

    def _add_conflicts(self) -> None:
        """Put in order whichever two jobs need more than the limit together."""
        together = _TogetherNeeds(self.footprint)
        for u, v in combinations(range(self.dag.n), 2):
            if not self._before(u, v) and not self._before(v, u) and together.need(u, v) > self.limit:
                pairs = [self.chosen[pair] for pair in ((u, v), (v, u)) if pair in self.chosen]
                self.program.add_row([(pair, 1) for pair in pairs], lower=1)

    def forbid_cycle(self, cycle: list[int]) -> None:
        """Exclude that all pairs along a cycle are chosen."""
        steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        pairs = [self.chosen[step] for step in steps if step in self.chosen]
        self.program.add_row([(pair, 1) for pair in pairs], upper=len(pairs) - 1)

    def forbid_state(self, state: State, pairs: list[Pair]) -> None:
        """Demand a pair that makes a state impossible which was possible, and too much, with these pairs.

        Either a job that has not ended must be before one that has started; or, where the readers of a datum have ended
        but nothing showed that it is freed, one of them before a job that has started.
        """
        started = np.flatnonzero(state.started).tolist()
        wanted = {(u, v) for u in np.flatnonzero(~state.ended).tolist() for v in started}
        after = descendants(with_pairs(self.dag, pairs))
        for datum in range(self.footprint.k):
            readers = self.footprint.readers_of(datum).tolist()
            if len(readers) > 1 and state.ended[readers].all():
                for v in set(started) - set(readers):
                    late = [(reader, v) for reader in readers if not after[reader] >> v & 1]
                    if all(pair in self.chosen for pair in late):
                        wanted.update(late[:1])
        columns = sorted(self.chosen[pair] for pair in wanted if pair in self.chosen)
        self.program.add_row([(column, 1) for column in columns], lower=1)

    def solve(self, start: list[Pair] | None, max_nodes: int, time_limit_s: float | None, gap: float) -> Outcome:
        """Let HiGHS work within its limits, from a start where one is given."""
        solver = self.program.solver(
            mip_max_nodes=max_nodes,
            mip_rel_gap=gap,
            mip_abs_gap=gap,
            time_limit=math.inf if time_limit_s is None else max(time_limit_s, 0.0),
        )
        if start is not None and self.chosen:
            after = descendants(with_pairs(self.dag, start))
            values = [float(after[u] >> v & 1) for u, v in self.chosen]
            columns = np.array(list(self.chosen.values()), np.int32)
            solver.setSolution(len(columns), columns, np.array(values))
        began = time.monotonic()
        solver.run()
        return self._outcome(solver, time.monotonic() - began)

    def _outcome(self, solver: Any, spent: float) -> Outcome:
        ending = import_highspy().HighsModelStatus
        info, status = solver.getInfo(), solver.getModelStatus()
        pairs = None
        if info.primal_solution_status == 2:
            values = solver.getSolution().col_value
            pairs = [pair for pair, column in self.chosen.items() if values[column] > 0.5]
        bound = info.mip_dual_bound if math.isfinite(info.mip_dual_bound) else 0.0
        bound = math.ceil(bound - 1e-4) if self.whole else bound * self.unit
        infeasible = status in (ending.kInfeasible, ending.kUnboundedOrInfeasible)
        return Outcome(pairs, bound, max(info.mip_node_count, 0), spent, status == ending.kOptimal, infeasible)


def _gains(footprint: Footprint) -> tuple[int, dict[int, int], list[tuple[list[int], int]]]:
    """Return what is there before all jobs, what each job adds, and what is freed after the ends of which jobs."""
    network = event_network(footprint)
    gains = [0] * network.count
    waits: dict[int, list[int]] = {event: [job] for job, event in enumerate(network.ends)}
    ended = {event: job for job, event in enumerate(network.ends)}
    for tail, head, weight in zip(network.tails, network.heads, network.weights, strict=True):
        gains[tail] += weight
        gains[head] -= weight
        if head > network.last and weight == 0 and tail in ended:
            waits.setdefault(head, []).append(ended[tail])
    allocated = {job: gains[event] for job, event in enumerate(network.starts) if gains[event] > 0}
    freed = [(waits[event], -gains[event]) for event in waits if gains[event] < 0]
    return gains[network.first], allocated, freed


class _TogetherNeeds:
    """What is occupied at least at some time if two jobs are in no order: both may then run together."""

    def __init__(self, footprint: Footprint) -> None:
        self.footprint = footprint
        self.inputs: list[int] = footprint.inputs.tolist()
        self.outputs: list[int] = footprint.outputs.tolist()
        self.running: list[int] = footprint.running.tolist()
        self.size: list[int] = footprint.size.tolist()
        self.touched: list[set[int]] = [set() for _ in range(footprint.dag.n)]
        for datum, producer in enumerate(footprint.producer.tolist()):
            if producer != OUTSIDE:
                self.touched[producer].add(datum)
            for reader in footprint.readers_of(datum).tolist():
                self.touched[reader].add(datum)

    def need(self, u: int, v: int) -> int:
        """Return it for two jobs; in the simple model each may be just before or just behind its start."""
        if self.footprint.rules.one_event:
            return max(self.inputs[u], self.outputs[u]) + max(self.inputs[v], self.outputs[v])
        both = self.touched[u] | self.touched[v]
        return self.running[u] + self.running[v] + sum(self.size[datum] for datum in sorted(both))


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
    >>> from eligo.memory._models import footprint as what_jobs_occupy
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
