"""List scheduling on p processors: whenever one is free, the most urgent job that can start does.

The rule of Marchal, Simon and Vivien 2018 (section 6, Figs. 7 to 18): "whenever a task terminates, the available task
with the highest bottom level is executed". The bottom level of a job is the longest path from it to a sink, in seconds,
the job included. This is what HEFT and the schedulers of StarPU come to on equal processors. No processor is idle while
a job could start, so the makespan is less than twice the best possible (Graham 1966).

At one instant jobs end before others start, and jobs that take no time run in rounds; see ``eligo.trace``.

Times that are not known: where none is, 1 s each, so that paths count jobs; where some are, 0 for the others, as
critical paths take them. The trace says so in its ``assumptions``.

Cost: O((n + m) log n), for any number of processors (``native/core/list_schedule.hpp``).

What an execution occupies over time, by any model of memory.

The events of a trace are taken one by one. The start of a job allocates its outputs and what it holds while it runs;
its end frees the latter, and each datum that it is the last to read; in the simple model, where a job is one event, its
start frees what it is the last to read. So each event changes what is occupied by a number, and sums of these are the
curve. The sequence is exact (see ``eligo.trace``): at one instant ends free before starts allocate, and what jobs
occupy that take no time is seen too. Jobs that start at one instant do so one after the other. A curve may thus have
several values at one instant.

Whatever the times and the workers, each of its values is that of a state (started jobs, ended jobs), so none exceeds
the worst peak of the footprint on the dag that was executed (Theorem 1 of Marchal, Simon and Vivien 2018).

Cost: O(n + k + r) for k data with r readers in all.
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core
from eligo.dag import MAX_SECONDS, OUTSIDE, Dag, Float64, Int32, Int64
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint
from eligo.trace import Trace

__all__ = [
    "MemoryUse",
    "bottom_levels",
    "list_schedule",
    "memory_over_time",
    "peak_of_trace",
]


def list_schedule(
    dag: Dag, processors: int | None = None, *, priority: ArrayLike | None = None, time_s: ArrayLike | None = None
) -> Trace:
    """Run a dag by list scheduling.

    Parameters
    ----------
    processors
        How many jobs can run at once; by default all.
    priority
        For each job a number, the highest to start first, in place of bottom levels; ties go to the lower index.
    time_s
        How long each job takes, in place of ``dag.time_s``.

    Returns
    -------
    Trace
        The first job starts at 0. Its ``assumptions`` tell how unknown times were taken.

    Raises
    ------
    EligoError
        No processor, negative or infinite times, or not one value for each job.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b"), ("c", "d")], time_s=[1, 1, 2, 3])
    >>> trace = list_schedule(dag, 1)
    >>> [dag.names[job] for job in trace.order], trace.makespan_s
    (['c', 'd', 'a', 'b'], 7.0)
    >>> list_schedule(dag, 2).makespan_s, list_schedule(dag, 1, priority=[4, 3, 2, 1]).order.tolist()
    (5.0, [0, 1, 2, 3])
    """
    most = _check_processors(processors, dag.n)
    times, assumptions = _known_times(dag, time_s)
    rank = _ranks(bottom_levels(dag, times) if priority is None else _check_priority(dag, priority))
    start, end, worker, events = _core.list_schedule(
        dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, rank, times, min(most, max(dag.n, 1))
    )
    workers = None if processors is None else most
    return Trace.of(dag, start, end, worker, events=events, workers=workers, assumptions=assumptions)


def bottom_levels(dag: Dag, time_s: Float64) -> Float64:
    """Return for each job the length of the longest path from it to a sink, itself included.

    Examples
    --------
    >>> bottom_levels(Dag.from_names([("a", "b"), ("a", "c")]), np.array([1.0, 2.0, 4.0])).tolist()
    [5.0, 2.0, 4.0]
    """
    return _core.longest_paths(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]), time_s)


def _check_processors(processors: int | None, n: int) -> int:
    if processors is None:
        return n
    try:
        most = operator.index(processors)
    except TypeError:
        raise EligoError(f"{processors!r} is not a number of processors", hint="give a whole number from 1") from None
    if most < 1:
        raise EligoError(f"{most} processors cannot run any job", hint="give 1 or more, or leave it out for no limit")
    return most


def _known_times(dag: Dag, time_s: ArrayLike | None) -> tuple[Float64, tuple[str, ...]]:
    """Return times without gaps, and what was assumed for that."""
    given = dag.time_s if time_s is None else time_s
    times = np.full(dag.n, np.nan) if given is None else _numbers(dag, given, "time_s")
    if np.any(times < 0) or np.any(times >= MAX_SECONDS):
        job = dag.names[int(np.argmax((times < 0) | (times >= MAX_SECONDS)))]
        raise EligoError(f"the time of job {job!r} is negative or infinite", hint="write nan where it is not known")
    unknown = np.isnan(times)
    missing = int(unknown.sum())
    if not missing:
        return times, ()
    if missing == dag.n:
        return np.ones(dag.n), ("no times are known: each job is taken to run 1 s",)
    have = "job has" if missing == 1 else "jobs have"
    return np.where(unknown, 0.0, times), (f"{missing:,} {have} no known time: taken as 0",)


def _check_priority(dag: Dag, priority: ArrayLike) -> np.ndarray:
    values = np.asarray(priority)
    if values.dtype.kind not in "iu":  # whole numbers are compared as such, however large
        values = _numbers(dag, priority, "priority")
    _check_length(dag, values, "priority")
    if values.dtype.kind == "f" and np.isnan(values).any():
        job = dag.names[int(np.argmax(np.isnan(values)))]
        raise EligoError(f"the priority of job {job!r} is not a number", hint="give every job one")
    return values


def _numbers(dag: Dag, given: ArrayLike, name: str) -> Float64:
    try:
        values = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise EligoError(f"{name} must be numbers", hint="give one for each job") from None
    _check_length(dag, values, name)
    return values


def _check_length(dag: Dag, values: np.ndarray, name: str) -> None:
    if values.shape != (dag.n,):
        raise EligoError(f"{name} has {values.size} entries for {dag.n} jobs", hint="give one for each job")


def _ranks(priority: np.ndarray) -> Int32:
    """Return 0 for the job of the highest priority, and so on; of equals the lower index goes first."""
    n = len(priority)
    order = n - 1 - np.argsort(priority[::-1], kind="stable")[::-1]  # turned round twice, equals stay in order
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    return rank


class MemoryUse(NamedTuple):
    """A curve of steps: ``size_bytes[i]`` are occupied from ``time_s[i]`` on, until the next.

    The first value is what is there before the first event; then comes one for each event, so several may have the same
    time.
    """

    time_s: Float64
    size_bytes: Int64

    @property
    def peak(self) -> int:
        """The most that is ever occupied."""
        return int(self.size_bytes.max())


def memory_over_time(footprint: Footprint, trace: Trace) -> MemoryUse:
    """Return what an execution occupies, event by event.

    Parameters
    ----------
    footprint
        What the jobs occupy. Its dag may be another than that of the trace, with the same jobs.

    Examples
    --------
    A job makes 5 bytes that the next one reads, which makes 3 that nobody does:

    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._models import footprint
    >>> data = Data.build([5, 3], producer=[0, 1], readers=[[1], []])
    >>> chain = Dag.from_names([("a", "b")], time_s=[1, 2], data=data)
    >>> use = memory_over_time(footprint(chain, "shared"), Trace.of(chain, [0, 1], [1, 3]))
    >>> use.time_s.tolist(), use.size_bytes.tolist(), use.peak
    ([0.0, 0.0, 1.0, 1.0, 3.0], [0, 5, 5, 8, 3], 8)
    """
    if footprint.dag is not trace.dag and footprint.dag.names != trace.dag.names:
        raise EligoError(
            "the footprint and the trace are of different jobs", hint="make both of the same workflow, limited or not"
        )
    time = trace.event_times()
    begin = time[:1] if len(time) else np.zeros(1)
    size = np.cumsum(np.concatenate(([footprint.base], _changes(footprint, trace))))
    return MemoryUse(np.concatenate([begin, time]), size)


def peak_of_trace(footprint: Footprint, trace: Trace) -> int:
    """Return the most that an execution ever occupies.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.memory._models import footprint
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> peak_of_trace(footprint(fork, "pebble"), Trace.of(fork, [0, 1, 1], [1, 2, 2]))
    3
    """
    return memory_over_time(footprint, trace).peak


def _changes(footprint: Footprint, trace: Trace) -> Int64:
    """Return by how much each event changes what is occupied."""
    start, end = trace.places()
    never = len(trace.events)
    change = np.zeros(never + 1, np.int64)  # what never happens has a place of its own behind the rest
    if not footprint.rules.one_event:
        np.add.at(change, start, footprint.running)
        np.subtract.at(change, end, footprint.running)
    outside = footprint.producer == OUTSIDE
    made = np.where(outside, -1, start[footprint.producer])
    np.add.at(change, made[~outside], footprint.size[~outside])
    freed = _core.latest(footprint.reader_ptr, footprint.readers, start if footprint.rules.one_event else end)
    freed[np.diff(footprint.reader_ptr) == 0] = never
    # Clocks may differ so much that a reader ended before the producer started: then nothing is ever there.
    np.subtract.at(change, np.maximum(freed, made), footprint.size)
    return change[:never]
