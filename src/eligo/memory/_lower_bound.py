"""How low no execution can go: a peak below which none stays.

Every execution passes a state in which a given job runs. What that job reads, holds and makes is there then: its
*need*. More is there in general, since other things that have happened before it cannot all be gone: the least that is
occupied in any such state is a closure once more (``native/core/least_around.hpp``), with a flow as proof. One such
question costs about as much as the worst peak, so only some jobs are asked: those of large needs, and the one that runs
at the peak of the best order known.

*Time and memory* (004, Lemma 2): the area under what an execution occupies over time is at least the sum over all jobs
of what they make and hold times how long they take. So whoever wants to finish within a time T occupies at least the
T-th part of that at some moment.

Time x memory: no execution under a limit is shorter than this. Lemma 2 of paper 004, looked at through windows.

Problem: a lower bound on the critical path of every partial serialisation under a limit. Idea of the lemma: a job
holds its outputs for as long as it runs, so the sum of outputs x time over all jobs fits into limit x makespan. Two
things make it stronger. While a job runs it also holds what it needs while running, and inputs that nobody else reads;
at any moment these are different data for different jobs. And a job that cannot start before h nor end later than t
before the makespan runs in the window between, so the sum over all such jobs fits into limit x (makespan - h - t).

For h and t all values that occur are tried. Cost: O(n^2) by sums over the jobs in the order of t.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from eligo import _core
from eligo.dag import Dag, Float64, Int32, Int64
from eligo.memory._footprint import Ends, Footprint, compiled, occupied
from eligo.memory._serialization import work_of

__all__ = [
    "LowerBound",
    "finish_times",
    "least_critical_path",
    "least_memory_within",
    "lower_bound",
]

_BUDGET = 5_000_000  # jobs, edges and data times questions
_MOST_ASKED = 64


@final
@dataclass(frozen=True, slots=True, eq=False)
class LowerBound:
    """A peak that every execution reaches.

    Attributes
    ----------
    value
        Every execution occupies as much at some time.
    job
        The job that runs then; ``None`` where it is the beginning or the end.
    senders, receivers, amounts
        The flow that proves it; ``None`` where what the job itself needs is enough.
    """

    value: int
    job: int | None
    senders: Int32 | None = None
    receivers: Int32 | None = None
    amounts: Int64 | None = None


def lower_bound(footprint: Footprint, ends: Ends, ask: Iterable[int] = ()) -> LowerBound:
    """Return the best lower bound on the peak of any execution that was found.

    Parameters
    ----------
    ask
        Jobs to ask first, such as those at the peak of a good order.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._footprint import data_ends
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [1, 2, 10, 20])))
    >>> lower_bound(print_, data_ends(print_)).value
    30
    """
    n = footprint.dag.n
    everything = np.ones(n, np.bool_)
    best = LowerBound(max(footprint.base, occupied(footprint, everything, everything)), None)
    if n == 0:
        return best
    needs = footprint.needs
    first = int(np.argmax(needs))
    if needs[first] > best.value:
        best = LowerBound(int(needs[first]), first)
    kernel = compiled(footprint, ends)
    cost = n + footprint.dag.m + footprint.k + ends.arcs
    largest = np.argsort(-needs, kind="stable")[:_MOST_ASKED].tolist()
    for job in list(dict.fromkeys([*ask, *largest]))[: min(_MOST_ASKED, max(1, _BUDGET // cost))]:
        value, senders, receivers, amounts = kernel.least_around(job)
        if footprint.base + value > best.value:
            best = LowerBound(footprint.base + value, job, senders, receivers, amounts)
    return best


def least_memory_within(footprint: Footprint, time: float) -> int:
    """Return what an execution that takes no longer than `time` occupies at least at some moment (004, Lemma 2).

    In the unit of ``work_of``: seconds where times are known, else jobs one after the other.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_edges(3, [0, 1], [2, 2], time_s=[4, 4, 0], data=Data.per_edge([0, 1], [2, 2], [10, 10]))
    >>> least_memory_within(footprint(dag), 5)
    15
    """
    if time <= 0:
        return 0
    held = footprint.outputs + footprint.running
    area = float(np.dot(held.astype(np.float64), work_of(footprint.dag)))
    return int(area / time * (1 - 1e-9))  # rounded down, with room for the sum's own rounding


def finish_times(dag: Dag, work: Float64) -> Float64:
    """Return when each job ends if all start as early as they can.

    Examples
    --------
    >>> finish_times(Dag.from_edges(3, [0, 0], [1, 2]), np.array([1.0, 2.0, 5.0]))
    array([1., 3., 6.])
    """
    return _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, work)


def least_critical_path(footprint: Footprint, limit: int, work: Float64) -> float:
    """Return a time below which no execution within the limit can end, whatever the number of workers.

    Examples
    --------
    Six jobs of a second and a byte each, between two others, and three bytes: two rounds.

    >>> from eligo.memory._models import footprint as what_jobs_occupy
    >>> dag = Dag.from_edges(8, [0] * 6 + [*range(1, 7)], [*range(1, 7)] + [7] * 6, temp_bytes=[0, 1, 1, 1, 1, 1, 1, 0])
    >>> round(least_critical_path(what_jobs_occupy(dag, "files", "disk"), 3, np.ones(8)), 6)
    4.0
    """
    dag = footprint.dag
    head = finish_times(dag, work) - work
    tail = finish_times(Dag.from_edges(dag.n, dag.heads, dag.tails), work) - work
    best = float((head + work).max(initial=0))
    if limit <= 0:
        return best
    by_tail = np.argsort(-tail, kind="stable")
    energy = (_held(footprint) * work / limit)[by_tail]
    for start in np.unique(head):
        inside = np.cumsum(np.where(head[by_tail] >= start, energy, 0.0))
        # An empty window says nothing. The sums are rounded, upwards perhaps: hence a little less.
        least = np.where(inside > 0, inside + tail[by_tail] + start, 0.0).max()
        best = max(best, float(least) * (1 - 1e-12))
    return best


def _held(footprint: Footprint) -> Float64:
    """Return what each job holds for as long as it runs and no other running job holds too."""
    held = (footprint.running + footprint.outputs).astype(np.float64)
    if not footprint.rules.one_event:
        alone = np.flatnonzero(np.diff(footprint.reader_ptr) == 1)
        np.add.at(held, footprint.readers[footprint.reader_ptr[alone]], footprint.size[alone].astype(np.float64))
    return held
