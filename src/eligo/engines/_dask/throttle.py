"""Which jobs the scheduler may be told of now.

Mostly all at once: Dask itself lets a job start when its parents have succeeded. Two kinds are held back here. Of a
category of which only some may run at once (DAGMan's MAXJOBS), a job is sent when its parents are done and there is
room; Dask has no such limit. And children of a job that an earlier Eligo started wait until that is done, since Dask
knows nothing of it. Whatever depends on what is held back is held back with it.

A job is sent after its parents, larger priorities first as far as that allows. O((n + m) log n) over a whole run.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence

from eligo.engines._plan import Plan

__all__ = ["Releasing"]


class Releasing:
    """Knows what was sent, and what is done.

    Parameters
    ----------
    done
        Of each job, whether it has succeeded.
    kept
        Jobs that are not to be sent, since they run already.
    """

    def __init__(self, plan: Plan, done: Sequence[bool], kept: Sequence[int] = ()) -> None:
        dag = plan.dag
        self._rank: list[int] = plan.ranks().tolist()
        self._ptr: list[int] = dag.succ_ptr.tolist()
        self._children: list[int] = dag.succ.tolist()
        parents, parent_ptr = dag.pred.tolist(), dag.pred_ptr.tolist()
        self._undone = [
            sum(not done[parent] for parent in parents[parent_ptr[job] : parent_ptr[job + 1]]) for job in range(dag.n)
        ]
        self._unsent = list(self._undone)  # parents that are neither sent nor done
        self._sent = [False] * dag.n
        limits = plan.categories
        self._category = [-1] * dag.n if limits is None else limits.of.tolist()
        self._room = [] if limits is None else limits.most.tolist()
        self._waiting: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._free: list[tuple[int, int]] = []
        self._holds: set[int] = set()  # jobs that take room in their category
        for job in kept:
            self._take_room(job)
        skipped = set(kept)
        for job in range(dag.n):
            if not done[job] and not self._unsent[job] and job not in skipped:
                self._offer(job)

    def take(self) -> list[int]:
        """Return the jobs that are to be sent now, parents first."""
        found = []
        while self._free:
            _, job = heapq.heappop(self._free)
            found.append(job)
            self._sent[job] = True
            self._take_room(job)
            for child in self._children_of(job):
                self._unsent[child] -= 1
                if not self._unsent[child]:
                    self._offer(child)
        return found

    def ended(self, job: int, *, succeeded: bool) -> None:
        """Take note that a job is over; tell it once."""
        if job in self._holds:
            self._holds.discard(job)
            self._room[self._category[job]] += 1
            self._fill(self._category[job])
        if not succeeded:
            return
        for child in self._children_of(job):
            self._undone[child] -= 1
            self._unsent[child] -= not self._sent[job]
            if not self._unsent[child] and not self._sent[child]:
                self._offer(child)

    def again(self, job: int) -> None:
        """Send a job that was not to be sent, since it runs no more."""
        if job in self._holds:
            self._holds.discard(job)
            self._room[self._category[job]] += 1
        self._offer(job)

    def _children_of(self, job: int) -> list[int]:
        return self._children[self._ptr[job] : self._ptr[job + 1]]

    def _offer(self, job: int) -> None:
        category = self._category[job]
        if category < 0:
            heapq.heappush(self._free, (self._rank[job], job))
        elif not self._undone[job]:
            heapq.heappush(self._waiting[category], (self._rank[job], job))
            self._fill(category)

    def _fill(self, category: int) -> None:
        """Let the first of a category go while there is room; it takes its room here, so that none is given twice."""
        waiting = self._waiting[category]
        while waiting and self._room[category] > 0:
            place, job = heapq.heappop(waiting)
            self._take_room(job)
            heapq.heappush(self._free, (place, job))

    def _take_room(self, job: int) -> None:
        if self._category[job] >= 0 and job not in self._holds:
            self._holds.add(job)
            self._room[self._category[job]] -= 1
