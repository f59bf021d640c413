"""Which job is submitted next: parents before children, and the highest priority first.

A job may be submitted when each of its parents is done or is in Slurm's queue itself, for then a dependency on it can
be stated. Two kinds must wait until all parents are done: jobs of a category that has a limit, so that no place of the
category is held by a job that could not run, and jobs with more parents than fit into one option.

Invariant: ``settled[p]`` says that p is done or in the queue; ``unsettled[j]`` and ``undone[j]`` count the parents of j
that are not, and that are not done. Every job with ``unsettled == 0`` that is neither settled nor failed is in the heap
or waits for its category. The heap may hold jobs that are no longer to be submitted; they are dropped when they come
up. Each change costs O(children) and a push.
"""

from __future__ import annotations

import heapq

import numpy as np

from eligo.dag import Dag, Int64
from eligo.engines._plan import Categories

__all__ = ["Backlog"]

MOST_PARENTS = 5000
"""More dependencies than this are not stated in one option: its length is limited."""


class Backlog:
    """The jobs that are not submitted.

    Examples
    --------
    >>> backlog = Backlog(Dag.from_names([("a", "b"), ("a", "c")]), np.array([2, 1, 0]), [False] * 3)
    >>> backlog.take(9)
    [0]
    >>> backlog.settle(0)
    >>> backlog.take(9)
    [2, 1]
    """

    def __init__(self, dag: Dag, ranks: Int64, done: list[bool], categories: Categories | None = None) -> None:
        self._dag = dag
        self._rank: list[int] = ranks.tolist()
        self._done = list(done)
        self.settled = list(done)
        head_is_open = ~np.array(done, np.bool_)[dag.tails] if dag.m else np.zeros(0, np.bool_)
        self._undone: list[int] = np.bincount(dag.heads[head_is_open], minlength=dag.n).tolist()
        self._unsettled = list(self._undone)
        self._out = [False] * dag.n
        self._category = [-1] * dag.n if categories is None else categories.of.tolist()
        self._room = [] if categories is None else categories.most.tolist()
        self._full: dict[int, list[int]] = {}
        self._heap: list[tuple[int, int]] = []
        for job in range(dag.n):
            self._push(job)

    def __len__(self) -> int:
        """Return how many jobs could be submitted, or a few more."""
        return len(self._heap)

    def _push(self, job: int) -> None:
        if not self._unsettled[job] and not self.settled[job] and not self._out[job]:
            heapq.heappush(self._heap, (self._rank[job], job))

    def take(self, most: int) -> list[int]:
        """Take the jobs that come next; :meth:`settle` or :meth:`give_back` each of them."""
        taken: list[int] = []
        while self._heap and len(taken) < most:
            job = heapq.heappop(self._heap)[1]
            if self.settled[job] or self._out[job] or self._unsettled[job]:
                continue
            category = self._category[job]
            if self._undone[job] and (category >= 0 or self._undone[job] > MOST_PARENTS):
                continue  # comes back when a parent is done
            if category >= 0:
                if self._room[category] <= 0:
                    self._full.setdefault(category, []).append(job)
                    continue
                self._room[category] -= 1
            self._out[job] = True
            taken.append(job)
        return taken

    def settle(self, job: int) -> None:
        """Take note that a job is in Slurm's queue."""
        if not self.settled[job]:
            self.settled[job] = True
            for child in self._dag.children(job).tolist():
                self._unsettled[child] -= 1
                self._push(child)

    def give_back(self, job: int) -> None:
        """Take note that a job is not in Slurm's queue, any more or after all, and has to be submitted."""
        self._unsettle(job)
        self.free(job)
        self._push(job)

    def hold(self, job: int) -> None:
        """Take note that a job is on its way to Slurm, as after :meth:`take`."""
        if not self._out[job]:
            self._out[job] = True
            if self._category[job] >= 0:
                self._room[self._category[job]] -= 1

    def free(self, job: int) -> None:
        """Free the place of a job in its category."""
        if self._out[job]:
            self._out[job] = False
            category = self._category[job]
            if category >= 0:
                self._room[category] += 1
                for other in self._full.pop(category, ()):
                    self._push(other)

    def _unsettle(self, job: int) -> None:
        if self.settled[job] and not self._done[job]:
            self.settled[job] = False
            for child in self._dag.children(job).tolist():
                self._unsettled[child] += 1

    def succeed(self, job: int) -> None:
        """Take note that a job is done."""
        self.settle(job)
        self.free(job)
        if not self._done[job]:
            self._done[job] = True
            for child in self._dag.children(job).tolist():
                self._undone[child] -= 1
                self._push(child)

    def fail(self, job: int) -> None:
        """Take note that a job failed: what needs it is not submitted."""
        self._unsettle(job)
        self.free(job)
        self._out[job] = True  # never again
