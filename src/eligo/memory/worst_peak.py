"""The worst peak: the most that any execution occupies, sequential or parallel, with the reason why.

Which data are there depends only on which events have happened: starts and ends of jobs, the freeing of shared data. The
worst peak is therefore the largest weight of a set of events that is closed under "comes before" (004: the maximum
topological cut), found by a flow (``native/core/closure.hpp``) whose amounts prove that nothing is worse.

*Shared data.* A datum with several readers is freed when the last of them ends, and which is last depends on the
execution. The exact worst peak is then NP-complete (004, Theorem 7), and the flow gives an upper bound. It is 004's,
made tighter in two ways (``native/core/data_ends.hpp``): a reader that follows all others frees the datum at its end,
and a job that follows all readers starts after it is free. Without the second, nothing ever waits for a shared datum to
be freed, and 004's bound is the sum of all of them. Beside the bound stands the largest peak of a state that was found:
``exact`` tells whether the two are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from eligo import _core
from eligo.dag import OUTSIDE, Int32, Int64
from eligo.memory.footprint import Footprint

__all__ = ["Ends", "WorstPeak", "data_ends", "occupied", "worst_peak"]

Bools = NDArray[np.bool_]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """When shared data are free for certain.

    Attributes
    ----------
    last
        For each datum the reader that all its other readers come before, or -1.
    followed, followers
        Pairs of a datum without such a reader and a job that comes after all its readers.
    latest_ptr, latest
        For each datum the readers that no other reader is known to come after.
    """

    last: Int32
    followed: Int32
    followers: Int32
    latest_ptr: Int64
    latest: Int32


@final
@dataclass(frozen=True, slots=True, eq=False)
class WorstPeak:
    """What no execution exceeds, and a state that comes as close as was found.

    Attributes
    ----------
    footprint
        What it is about.
    bound
        No execution occupies more, at any time.
    attained
        What is occupied in the state below.
    started, ended
        The jobs that have started, and those that have ended, when that much is occupied.
    senders, receivers, amounts
        The flow that proves the bound; events are numbered as ``event_network.hpp`` says.
    ends
        When shared data are free.
    """

    footprint: Footprint
    bound: int
    attained: int
    started: Bools
    ended: Bools
    senders: Int32
    receivers: Int32
    amounts: Int64
    ends: Ends

    @property
    def exact(self) -> bool:
        """Whether an execution really occupies as much as the bound says."""
        return self.attained == self.bound

    @property
    def present(self) -> Int32:
        """The footprint's data that are there in the worst state, the largest first."""
        there = np.flatnonzero(_present(self.footprint, self.started, self.ended))
        return there[np.argsort(-self.footprint.size[there], kind="stable")].astype(np.int32)


def worst_peak(footprint: Footprint, known: Ends | None = None) -> WorstPeak:
    """Return the most that any execution can occupy.

    Parameters
    ----------
    known
        When shared data are free, where that is known already.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory.models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> data = Data.per_edge(dag.tails, dag.heads, [1, 2, 10, 20])
    >>> worst = worst_peak(footprint(dag.with_known(data=data)))
    >>> worst.bound, worst.exact, np.flatnonzero(worst.started)
    (30, True, array([0, 1, 2]))
    """
    ends = known or data_ends(footprint)
    dag, one_event = footprint.dag, footprint.rules.one_event
    leftover, senders, receivers, amounts, *states = _core.worst_state(
        dag.pred_ptr,
        dag.pred,
        dag.order,
        footprint.running,
        footprint.size,
        footprint.producer,
        footprint.reader_ptr,
        footprint.readers,
        one_event,
        ends.last,
        ends.followed,
        ends.followers,
        ends.latest_ptr,
        ends.latest,
    )
    found = []
    for state in states:
        started = state[: dag.n].astype(np.bool_)
        ended = started if one_event else state[dag.n : 2 * dag.n].astype(np.bool_)
        found.append((occupied(footprint, started, ended), started, ended))
    attained, started, ended = max(found, key=lambda each: each[0])
    return WorstPeak(
        footprint, footprint.base + leftover, attained, started, ended, senders, receivers, amounts, ends
    )


def data_ends(footprint: Footprint) -> Ends:
    """Return when the data of a footprint are free for certain."""
    dag = footprint.dag
    return Ends(
        *_core.data_ends(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, footprint.reader_ptr, footprint.readers)
    )


def occupied(footprint: Footprint, started: Bools, ended: Bools) -> int:
    """Return what is occupied when these jobs have started and these have ended.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory.models import footprint
    >>> dag = Dag.from_names([("a", "b")])
    >>> print_ = footprint(dag.with_known(data=Data.build([10], [0], [[1]], ["file"])))
    >>> occupied(print_, np.array([True, True]), np.array([True, False]))
    10
    """
    running = 0 if footprint.rules.one_event else int(footprint.running[started & ~ended].sum())
    return running + int(footprint.size[_present(footprint, started, ended)].sum())


def _present(footprint: Footprint, started: Bools, ended: Bools) -> Bools:
    gone = started if footprint.rules.one_event else ended
    counts = np.diff(footprint.reader_ptr)
    left = np.concatenate(([0], np.cumsum(~gone[footprint.readers])))
    unread = left[footprint.reader_ptr[1:]] > left[footprint.reader_ptr[:-1]]
    made = (footprint.producer == OUTSIDE) | started[footprint.producer]
    there: Bools = made & (unread | (counts == 0))
    return there
