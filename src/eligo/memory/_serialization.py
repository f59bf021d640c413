"""Ways to keep every execution within a limit: dependencies added to a dag (004: partial serialisation).

==================  ==================================================================================================
method              which dependencies it adds
==================  ==================================================================================================
``min-levels``      004: the pair through which the shortest path leads; may fail
``max-size``        004: the pair whose ends have most of what is occupied, together; may fail
``max-min-size``    004: the pair of which even the lesser end has most; may fail
``respect-order``   004: in a sequential order within the limit, from the first unended job to the last started one
``schedule``        ours: those by which memory is handed on in a parallel schedule within the limit
==================  ==================================================================================================

The first four go step by step: find the worst state, add a pair that rules it out (``native/core/serialize.hpp``). The
last builds a parallel schedule that keeps the limit (``native/core/safe_schedule.hpp``), for as many workers as there
are jobs, and reads off who can only start because someone freed something before (``native/core/hand_on.hpp``): all in
near-linear time, and the critical path is at most that schedule's length. It rests on this: if two data of the schedule
are never there together, one is freed before the other is allocated, and the dependency says so for all executions. If
any number of data are there pairwise together, they all are at some moment (intervals on a line), so within the limit.

A pair is a job that must end, or a shared datum that must be free, before another job starts. The second means that all
its latest readers must have ended: so many edges of the dag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from eligo.dag import Dag, Float64, Int32, Int64
from eligo.graph import shortcuts
from eligo.memory._footprint import Ends, Footprint, compiled

__all__ = ["RULES", "Pairs", "edges_of", "from_schedule", "needed_only", "step_by_step", "work_of"]

RULES = {"min-levels": 0, "max-size": 1, "max-min-size": 2, "respect-order": 3}
_STATES = ("within", "stuck", "gave up")


@final
@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What must happen before what.

    Attributes
    ----------
    job, datum
        What comes first: the end of a job, or the freeing of one of the footprint's data; the other is -1.
    later
        The job that starts after it.
    state
        ``within``: every execution keeps the limit now; ``stuck``: no pair is left to add; ``gave up``: the budget is
        used up.
    steps
        How often the worst state was looked for.
    """

    job: Int32
    datum: Int32
    later: Int32
    state: str = "within"
    steps: int = 0

    def only(self, keep: np.ndarray) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.job[keep], self.datum[keep], self.later[keep], self.state, self.steps)


def work_of(dag: Dag) -> Float64:
    """Return how long each job takes, for critical paths: seconds where times are known, else 1 for each."""
    return np.ones(dag.n) if dag.time_s is None else np.nan_to_num(dag.time_s, nan=0.0)


def step_by_step(
    footprint: Footprint, ends: Ends, limit: int, rule: str, *, order: Int32 | None = None, batch: int, budget: int
) -> Pairs:
    """Add pairs by one of 004's rules until every execution keeps the limit.

    Pairs that carry nothing in the end, in the flow that proves it, are left out again: the proof does without.
    """
    dag = footprint.dag
    place = np.empty(dag.n, np.int32)
    place[dag.order if order is None else order] = np.arange(dag.n, dtype=np.int32)
    state, job, datum, later, flow, _, steps = compiled(footprint, ends).serialize(
        work_of(dag), limit - footprint.base, RULES[rule], place, batch, budget
    )
    found = Pairs(job, datum, later, _STATES[state], steps)
    return found.only(flow > 0) if found.state == "within" else found


def from_schedule(
    footprint: Footprint, ends: Ends, limit: int, *, order: Int32, urgency: Float64, release: Float64
) -> Pairs:
    """Return the pairs by which memory is handed on in a schedule within the limit.

    Parameters
    ----------
    order
        A sequential order within the limit.
    urgency
        Of jobs that are ready, the one with the largest starts first.
    release
        Before which time each job does not start: whoever can wait leaves the memory to others.
    """
    allowed = limit - footprint.base
    kernel = compiled(footprint, ends)
    events = kernel.safe_schedule(order, work_of(footprint.dag), urgency, release, allowed)
    if len(events) < 2 * footprint.dag.n:
        raise AssertionError("the schedule got stuck, which it never should")
    enough, job, datum, later = kernel.hand_on(events, allowed)
    return Pairs(job, datum, later, "within" if enough else "stuck")


def edges_of(footprint: Footprint, ends: Ends, pairs: Pairs) -> tuple[Int32, Int32]:
    """Return the pairs as edges, those that the dag has already left out."""
    dag = footprint.dag
    plain = pairs.datum < 0
    counts = np.diff(ends.latest_ptr)[pairs.datum[~plain]]
    starts = ends.latest_ptr[pairs.datum[~plain]]
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    readers = ends.latest[np.repeat(starts, counts) + within]
    tails = np.concatenate([pairs.job[plain], readers]).astype(np.int64)
    heads = np.concatenate([pairs.later[plain], np.repeat(pairs.later[~plain], counts)]).astype(np.int64)
    given = dag.tails.astype(np.int64) * dag.n + dag.heads
    return _ends_of(_without(tails * dag.n + heads, given), dag.n)


def needed_only(dag: Dag, tails: Int32, heads: Int32) -> tuple[Int32, Int32]:
    """Return those of the edges to be added that do not follow from the others and the dag's own.

    Examples
    --------
    >>> needed_only(Dag.from_edges(3, [0], [1]), np.array([0, 1]), np.array([2, 2]))
    (array([1], dtype=int32), array([2], dtype=int32))
    """
    skipping = shortcuts(dag.with_edges(tails, heads))
    keys = np.asarray(tails, np.int64) * dag.n + heads
    return _ends_of(_without(keys, skipping[0].astype(np.int64) * dag.n + skipping[1]), dag.n)


def _without(keys: Int64, others: Int64) -> Int64:
    """Return the different keys that are not among others, ascending; numpy's own way is fifty times slower here."""
    keys, others = np.sort(keys), np.sort(others)
    if len(keys) == 0 or len(others) == 0:
        return keys[np.diff(keys, prepend=-1) > 0]
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    left: Int64 = keys[(others[at] != keys) & (np.diff(keys, prepend=-1) > 0)]
    return left


def _ends_of(keys: Int64, n: int) -> tuple[Int32, Int32]:
    """Return the tails and heads of edges that are numbered tail * n + head."""
    return (keys // max(n, 1)).astype(np.int32), (keys % max(n, 1)).astype(np.int32)
