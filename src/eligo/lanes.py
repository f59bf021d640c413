"""Lanes: where to draw the jobs of a trace, so that none covers another.

Each worker has a lane, or several where clocks say that its jobs overlap; so have, below, jobs of which nobody knows
where they ran. Where workers are unknown, come for one job only or are too many to be drawn, jobs share as few lanes as
possible, each in the lowest that is free when it starts.

Cost: O(n log n).
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from eligo.dag import Int32
from eligo.trace import ANYWHERE, Trace

__all__ = ["Lanes", "lanes_of"]


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
