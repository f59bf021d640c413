"""The Trace: what ran when and where, in a simulation or for real.

Each job has a start, an end and a worker. Times alone do not say what happened when two of them are equal, and memory
depends on just that: what ends at an instant frees its space before what starts then takes any, and a job that takes no
time still holds its space while it runs. So a trace carries the exact sequence of its *events* too: ``job`` for the
start of a job, ``~job`` (negative) for its end.

Where only times are known, the sequence follows from them. At each instant the jobs that started before end first. Then
come rounds: a job that starts now is in the first, or in the one after that of each job that takes no time and that it
waits for, or that has the worker before it. In a round all start, then those that take no time end.

Everything is checked once, in O((n + m) log n): every job ends after it starts, starts after its parents have ended,
and no worker runs two at once. Clocks of several machines differ, so of *measured* traces only the first is demanded.

Lanes: where to draw the jobs of a trace, so that none covers another.

Each worker has a lane, or several where clocks say that its jobs overlap; so have, below, jobs of which nobody knows
where they ran. Where workers are unknown, come for one job only or are too many to be drawn, jobs share as few lanes as
possible, each in the lowest that is free when it starts.

Cost: O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core
from eligo.dag import MAX_SECONDS, Dag, Float64, Int32, Int64
from eligo.errors import EligoError

__all__ = [
    "ANYWHERE",
    "Lanes",
    "Trace",
    "lanes_of",
]

ANYWHERE = -1
"""The worker of a job of which nobody knows where it ran."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """What ran when and where.

    Make one with :meth:`of`, a simulation or an engine.

    Attributes
    ----------
    dag
        Whose jobs ran.
    start_s, end_s
        When each job started and ended; ``nan`` where it did not. A job that started need not have ended.
    worker
        Where each job ran, from 0; ``ANYWHERE`` where that is unknown or it did not.
    events
        All starts (``job``) and ends (``~job``) in the order in which they happened.
    workers
        How many workers there were, idle ones too; 0 where unknown.
    measured
        Whether the times come from clocks, so that a job may seem to start before its parents have ended.
    assumptions
        What had to be assumed, in words.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> trace = Trace.of(dag, [0, 2, 2], [2, 3, 5], worker=[0, 0, 1])
    >>> trace
    Trace(3 jobs, 5 s on 2 workers)
    >>> trace.events.tolist()
    [0, -1, 1, 2, -2, -3]
    >>> trace.order.tolist(), trace.utilization
    ([0, 1, 2], 0.6)
    """

    dag: Dag
    start_s: Float64
    end_s: Float64
    worker: Int32
    events: Int32
    workers: int
    measured: bool = False
    assumptions: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        dag: Dag,
        start_s: ArrayLike,
        end_s: ArrayLike,
        worker: ArrayLike | None = None,
        *,
        events: ArrayLike | None = None,
        workers: int | None = None,
        measured: bool = False,
        assumptions: tuple[str, ...] = (),
    ) -> Trace:
        """Check times and places, and put the events in order where they are not given.

        Parameters
        ----------
        workers
            How many there were; by default as many as the highest number among ``worker`` tells.

        Raises
        ------
        EligoError
            It cannot have happened so; the message names the first job that is wrong.

        Examples
        --------
        >>> Trace.of(Dag.from_names([("a", "b")]), [0, 1], [2, 3])
        Traceback (most recent call last):
            ...
        eligo.errors.EligoError: job 'b' starts before 'a' has ended, which it waits for
        hint: times that clocks measured are taken as they are with measured=True
        """
        start, end = _seconds(dag, start_s, "start_s"), _seconds(dag, end_s, "end_s")
        _check_times(dag, start, end)
        where, count = _workers(dag, worker, workers, start)
        happened = _sequence(dag, start, end, where) if events is None else _given_events(events, start, end)
        trace = cls(dag, start, end, where, happened, count, measured, assumptions)
        for array in (start, end, where, happened):
            array.flags.writeable = False
        _check_sequence(trace)
        return trace

    @property
    def makespan_s(self) -> float:
        """The time from the first start to the last event; 0 where nothing ran."""
        if not len(self.events):
            return 0.0
        return float(np.nanmax(np.fmax(self.start_s, self.end_s)) - np.nanmin(self.start_s))

    @property
    def order(self) -> Int32:
        """The jobs that ran, in the order of their starts."""
        return self.events[self.events >= 0]

    @property
    def utilization(self) -> float:
        """The share of all workers' time in which they ran a job, of those that ended.

        ``nan`` where the number of workers is unknown or no time has passed.
        """
        possible = self.workers * self.makespan_s
        return float(np.nansum(self.end_s - self.start_s)) / possible if possible > 0 else float("nan")

    def event_times(self) -> Float64:
        """Return when each of the events happened.

        Examples
        --------
        >>> Trace.of(Dag.from_edges(2), [0, 1], [3, 2]).event_times().tolist()
        [0.0, 1.0, 2.0, 3.0]
        """
        return _times_of(self.events, self.start_s, self.end_s)

    def places(self) -> tuple[Int64, Int64]:
        """Return the place of each job's start and of its end among the events, ``len(events)`` where it has none.

        Examples
        --------
        >>> start, end = Trace.of(Dag.from_edges(2), [0, 1], [3, 2]).places()
        >>> start.tolist(), end.tolist()
        ([0, 1], [3, 2])
        """
        count = len(self.events)
        start, end = np.full(self.dag.n, count), np.full(self.dag.n, count)
        begun = self.events >= 0
        start[self.events[begun]] = np.flatnonzero(begun)
        end[~self.events[~begun]] = np.flatnonzero(~begun)
        return start, end

    def counts(self) -> tuple[Int64, Int64]:
        """Return how many jobs are ELIGIBLE and how many run, before the first event and after each.

        Examples
        --------
        >>> eligible, running = Trace.of(Dag.from_names([("a", "b"), ("a", "c")]), [0, 1, 1], [1, 2, 3]).counts()
        >>> eligible.tolist(), running.tolist()
        ([1, 0, 2, 1, 0, 0, 0], [0, 1, 0, 1, 2, 1, 0])
        """
        never = len(self.events)
        start, end = self.places()
        ready = _core.latest(self.dag.pred_ptr, self.dag.pred, end)
        ready[np.diff(self.dag.pred_ptr) == 0] = -1
        waits = (ready < start) & (ready < never)  # by clocks that differ, a job may start before its parents end
        change = np.bincount(ready[waits] + 1, minlength=never + 2) - np.bincount(start[waits] + 1, minlength=never + 2)
        running = np.concatenate([[0], np.cumsum(np.where(self.events >= 0, 1, -1))])
        return np.cumsum(change)[: never + 1], running

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return (
            np.array_equal(self.events, other.events)
            and np.array_equal(self.start_s, other.start_s, equal_nan=True)
            and np.array_equal(self.end_s, other.end_s, equal_nan=True)
            and np.array_equal(self.worker, other.worker)
            and (self.workers, self.measured, self.assumptions) == (other.workers, other.measured, other.assumptions)
            and self.dag == other.dag
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, tuple(getattr(self, name) for name in self.__slots__)

    def __repr__(self) -> str:
        ran = len(self.order)
        jobs = f"{ran:,}" if ran == self.dag.n else f"{ran:,} of {self.dag.n:,}"
        where = f" on {self.workers:,} worker{'s' * (self.workers != 1)}" if self.workers else ""
        return f"Trace({jobs} job{'s' * (self.dag.n != 1)}, {self.makespan_s:g} s{where})"


def _rebuild(dag: Dag, start: Float64, end: Float64, worker: Int32, events: Int32, *rest: Any) -> Trace:
    workers, measured, assumptions = rest
    return Trace.of(dag, start, end, worker, events=events, workers=workers, measured=measured, assumptions=assumptions)


def _seconds(dag: Dag, values: ArrayLike, name: str) -> Float64:
    times = np.array(values, np.float64)
    if times.shape != (dag.n,):
        raise EligoError(f"{name} has {times.size} entries for {dag.n} jobs", hint="give one for each job")
    if np.any(np.abs(times) >= MAX_SECONDS):
        raise EligoError(f"{name} has times of 2^62 seconds or more", hint="write nan where a job did not start or end")
    return times


def _check_times(dag: Dag, start: Float64, end: Float64) -> None:
    if np.any(wrong := np.isnan(start) & ~np.isnan(end)):
        raise EligoError(f"job {dag.names[int(np.argmax(wrong))]!r} has an end but no start")
    if np.any(wrong := end < start):
        raise EligoError(
            f"job {dag.names[int(np.argmax(wrong))]!r} ends before it starts", hint="use one clock for both times"
        )


def _workers(dag: Dag, worker: ArrayLike | None, workers: int | None, start: Float64) -> tuple[Int32, int]:
    given = np.full(dag.n, ANYWHERE) if worker is None else np.asarray(worker)
    if given.shape != (dag.n,):
        raise EligoError(f"worker has {given.size} entries for {dag.n} jobs", hint="give one for each job")
    if dag.n and (given.dtype.kind not in "iu" or given.min() < ANYWHERE or given.max() >= 2**31):
        raise EligoError("workers must be whole numbers from 0 on", hint="write -1 where it is not known")
    where = np.where(np.isnan(start), ANYWHERE, given).astype(np.int32)
    used = int(where.max(initial=ANYWHERE)) + 1
    if workers is not None and workers < used:
        raise EligoError(f"a job ran on worker {used - 1}, but there are only {workers}", hint="workers count from 0")
    return where, used if workers is None else workers


def _times_of(events: Int32, start: Float64, end: Float64) -> Float64:
    begun = events >= 0
    return np.where(begun, start[np.where(begun, events, 0)], end[np.where(begun, 0, ~events)])


def _given_events(events: ArrayLike, start: Float64, end: Float64) -> Int32:
    """Check that a sequence holds every start and every end once, in the order of their times."""
    given = np.asarray(events)
    if not given.size:
        given = given.astype(np.int32)
    if given.dtype.kind != "i" or not _is_complete(given, start, end):
        raise EligoError(
            "the events are not one start and one end for each job that ran",
            hint="write the number of a job for its start and ~number for its end",
        )
    happened = given.astype(np.int32)
    if np.any(np.diff(_times_of(happened, start, end)) < 0):
        raise EligoError("the events are not in the order of their times", hint="leave them out: times give an order")
    return happened


def _is_complete(events: np.ndarray, start: Float64, end: Float64) -> bool:
    n = len(start)
    if events.ndim != 1 or (events.size and (events.min() < -n or events.max() >= n)):
        return False
    begun = events >= 0
    sides = (events[begun], start), (~events[~begun], end)
    return all(np.array_equal(np.bincount(jobs, minlength=n), ~np.isnan(time)) for jobs, time in sides)


def _sequence(dag: Dag, start: Float64, end: Float64, worker: Int32) -> Int32:
    """Put starts and ends in order by their times: at each instant ends first, then round after round."""
    begun, over = np.flatnonzero(~np.isnan(start)), np.flatnonzero(~np.isnan(end))
    turn = _rounds(dag, start, end, worker).astype(np.int64)
    instant = start == end
    time = np.concatenate([start[begun], end[over]])
    step = np.concatenate([2 * turn[begun] + 1, np.where(instant[over], 2 * turn[over] + 2, 0)])
    events = np.concatenate([begun, ~over]).astype(np.int32)
    return events[np.lexsort((step, time))]


def _rounds(dag: Dag, start: Float64, end: Float64, worker: Int32) -> Int32:
    """Return for each job in which round of its instant it starts; 0 where it waits for none without duration."""
    instant = start == end
    if not instant.any():
        return np.zeros(dag.n, np.int32)
    place = np.empty(dag.n, np.int64)
    place[dag.order] = np.arange(dag.n)
    by_time = np.lexsort((place, end, start)).astype(np.int32)  # every wait within an instant points forwards here
    by_worker = by_time[np.argsort(worker[by_time], kind="stable")]
    first, second = by_worker[:-1], by_worker[1:]
    queued = (worker[first] == worker[second]) & (worker[first] != ANYWHERE)
    tails, heads = np.concatenate([dag.tails, first[queued]]), np.concatenate([dag.heads, second[queued]])
    waits = instant[tails] & (end[tails] == start[heads])
    _, _, ptr, parents = _core.build_two_way(dag.n, tails[waits], heads[waits])
    return _core.levels(ptr, parents, by_time)


def _check_sequence(trace: Trace) -> None:
    start, end = trace.places()
    if np.any(wrong := start > end):
        raise EligoError(
            f"job {trace.dag.names[int(np.argmax(wrong))]!r} ends before it starts, in the order of events"
        )
    if not trace.measured:
        _check_parents(trace, start, end)
        _check_workers(trace, start, end)


def _check_parents(trace: Trace, start: Int64, end: Int64) -> None:
    dag = trace.dag
    ready = _core.latest(dag.pred_ptr, dag.pred, end)
    if np.any(wrong := (ready > start) & ~np.isnan(trace.start_s)):
        job = int(trace.order[np.argmax(wrong[trace.order])])
        parents = dag.parents(job)
        parent = int(parents[np.argmax(end[parents])])
        raise EligoError(
            f"job {dag.names[job]!r} starts before {dag.names[parent]!r} has ended, which it waits for",
            hint="times that clocks measured are taken as they are with measured=True",
        )


def _check_workers(trace: Trace, start: Int64, end: Int64) -> None:
    order, worker = trace.order, trace.worker
    placed = order[worker[order] != ANYWHERE]
    jobs = placed[np.argsort(worker[placed], kind="stable")]
    first, second = jobs[:-1], jobs[1:]
    if np.any(wrong := (worker[first] == worker[second]) & (end[first] > start[second])):
        pair = int(np.argmax(wrong))
        names = [trace.dag.names[int(job)] for job in (first[pair], second[pair])]
        raise EligoError(
            f"worker {worker[first[pair]]} runs {names[0]!r} and {names[1]!r} at the same time",
            hint="give each job that runs at the same time a worker of its own",
        )


class Lanes(NamedTuple):
    """Where to draw the jobs of a trace: in no lane do two overlap.

    Attributes
    ----------
    lane
        The lane of each job, from 0; ``ANYWHERE`` where it did not run.
    worker
        Whose lane each is; ``ANYWHERE`` where it is nobody's.
    """

    lane: Int32
    worker: Int32


def lanes_of(trace: Trace, most: int = 1_000) -> Lanes:
    """Return in which lane to draw each job.

    Parameters
    ----------
    most
        With more workers than this, jobs take the lowest free lane whatever their worker; also where there are more
        workers than ever run at once though none runs a second job.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> apart = Dag.from_edges(3)
    >>> lanes_of(Trace.of(apart, [0, 0, 1], [1, 2, 2], [1, 0, 1])).lane.tolist()
    [1, 0, 1]
    >>> lanes_of(Trace.of(apart, [0, 0, 1], [1, 2, 2], [8, 7, 9]))
    Lanes(lane=array([0, 1, 0], dtype=int32), worker=array([-1, -1], dtype=int32))
    """
    n, worker, ran = trace.dag.n, trace.worker, trace.order
    owned = _workers_stay(trace, most)
    group = np.where(worker == ANYWHERE, trace.workers, worker) if owned else np.zeros(n, np.int32)
    groups = trace.workers + 1 if owned else 1
    overlap = trace.measured or not owned or np.any(worker[ran] == ANYWHERE)
    slot = _lowest_free(trace.events, group, groups) if overlap else np.zeros(n, np.int32)
    width = np.ones(groups, np.int64)
    width[-1] = 0
    np.maximum.at(width, group[ran], slot[ran] + 1)
    lane = np.full(n, ANYWHERE, np.int32)
    lane[ran] = (np.cumsum(width) - width)[group[ran]] + slot[ran]
    owner = np.append(np.arange(groups - 1), ANYWHERE)
    return Lanes(lane, np.repeat(owner, width).astype(np.int32))


def _workers_stay(trace: Trace, most: int) -> bool:
    """Tell whether workers are places to draw, not visitors that each come for a job."""
    if not 0 < trace.workers <= most:
        return False
    placed = trace.worker[trace.worker != ANYWHERE]
    return trace.workers <= trace.counts()[1].max() or bool(np.any(np.bincount(placed) > 1))


def _lowest_free(events: Int32, group: Int32, groups: int) -> Int32:
    """Give each job the lowest number that no job of its group has while it runs; O(n log n)."""
    slot = [0] * len(group)
    free: list[list[int]] = [[] for _ in range(groups)]
    used = [0] * groups
    group_of = group.tolist()
    for event in events.tolist():
        if event < 0:
            heappush(free[group_of[~event]], slot[~event])
        elif free[group_of[event]]:
            slot[event] = heappop(free[group_of[event]])
        else:
            slot[event] = used[group_of[event]]
            used[group_of[event]] += 1
    return np.array(slot, np.int32)
