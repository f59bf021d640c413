"""How low no execution can go: a peak below which none stays.

Every execution passes a state in which a given job runs. What that job reads, holds and makes is there then: its
*need*. More is there in general, since other things that have happened before it cannot all be gone: the least that is
occupied in any such state is a closure once more (``native/core/least_around.hpp``), with a flow as proof. One such
question costs about as much as the worst peak, so only some jobs are asked: those of large needs, and the one that runs
at the peak of the best order known.

*Time and memory* (004, Lemma 2): the area under what an execution occupies over time is at least the sum over all jobs
of what they make and hold times how long they take. So whoever wants to finish within a time T occupies at least the
T-th part of that at some moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from eligo.dag import Int32, Int64
from eligo.memory.ends import Ends, compiled
from eligo.memory.footprint import Footprint
from eligo.memory.serialization import work_of
from eligo.memory.state import occupied

__all__ = ["LowerBound", "least_memory_within", "lower_bound"]

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
    >>> from eligo.memory.ends import data_ends
    >>> from eligo.memory.models import footprint
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
    >>> from eligo.memory.models import footprint
    >>> dag = Dag.from_edges(3, [0, 1], [2, 2], time_s=[4, 4, 0], data=Data.per_edge([0, 1], [2, 2], [10, 10]))
    >>> least_memory_within(footprint(dag), 5)
    15
    """
    if time <= 0:
        return 0
    held = footprint.outputs + footprint.running
    area = float(np.dot(held.astype(np.float64), work_of(footprint.dag)))
    return int(area / time * (1 - 1e-9))  # rounded down, with room for the sum's own rounding
