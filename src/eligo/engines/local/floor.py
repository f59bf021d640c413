"""The floor: which jobs could start, which slots are free, and what memory there is; who may start next, and where.

A job comes to the queue when its last parent is settled. It leaves it with its slots, its category and its memory, and
gives all of them back when it ends, however it ends.

Dependencies that a memory limit added only say when there is room, and here that is counted. So a job that failed, or
that will never run because of one, holds back only those that need it by the workflow itself: the others go on as far
as the limit allows.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Dag
from eligo.engines.local.memory_gate import MemoryGate
from eligo.engines.local.ready import Ready
from eligo.engines.plan import Plan

__all__ = ["Floor"]


class Floor:
    """Who may start next, and where.

    Attributes
    ----------
    slots, free
        How many slots there are, and how many nobody has.
    weight
        How many each job takes; the final task, which is no job of the dag, comes last.
    """

    def __init__(self, plan: Plan, slots: int, weight: list[int]) -> None:
        self.slots = self.free = slots
        self.weight = weight
        self._n = plan.dag.n
        self._idle = list(range(slots))
        self._ready = Ready(plan.priorities, plan.categories)
        self._gate = None if plan.footprint is None or plan.limit is None else MemoryGate(plan.footprint, plan.limit)
        self._fits = None if self._gate is None else self._gate.fits
        self._ptr, self._children = plan.dag.succ_ptr.tolist(), plan.dag.succ.tolist()
        self._missing: list[int] = []
        self._dag = plan.dag
        self._needed, self._added = _split(plan)
        self._dead: set[int] = set()

    def open(self, done: NDArray[np.bool_], waiting: Iterable[int], running: Iterable[int]) -> None:
        """Begin with jobs that are done, jobs that wait, and jobs that run and have taken their slots already."""
        dag = self._dag
        counts = np.zeros(dag.n, np.int64)
        np.add.at(counts, dag.heads, ~done[dag.tails])
        self._missing = counts.tolist()
        if self._gate is not None:
            for job in dag.order[done[dag.order]].tolist():
                self._gate.start(job)
                self._gate.end(job)
            for job in running:
                if job < self._n:
                    self._gate.start(job)
        for job in waiting:
            if not self._missing[job]:
                self._ready.add(job)

    def __len__(self) -> int:
        """How many jobs wait in the queue."""
        return len(self._ready)

    @property
    def occupied(self) -> int | None:
        """What is occupied by running jobs and data, where there is a limit."""
        return None if self._gate is None else self._gate.occupied

    @property
    def is_stuck(self) -> bool:
        """Whether no job can start though all slots are free: for want of memory, or of room in its category."""
        job = self._ready.take(self.slots, self.weight.__getitem__, self._fits)
        if job is not None:
            self._ready.add(job)
        return job is None

    def take(self) -> int | None:
        """Return the job that is to start now, without its place in the queue; ``None`` if none can."""
        if self.free <= 0:
            return None
        return self._ready.take(self.free, self.weight.__getitem__, self._fits)

    def start(self, job: int) -> int:
        """Give a job what it needs, and return its first slot."""
        if self._gate is not None and job < self._n:
            self._gate.start(job)
        return self.adopt(job)

    def adopt(self, job: int) -> int:
        """Give slots to a job that runs already, even if there are fewer slots than before."""
        self.free -= self.weight[job]
        self._ready.began(job)
        return heapq.heappop(self._idle) if self._idle else self.slots - 1

    def end(self, job: int, worker: int, *, succeeded: bool) -> None:
        """Take back what a job had."""
        self.free += self.weight[job]
        heapq.heappush(self._idle, worker)
        self._ready.ended(job)
        if self._gate is not None and job < self._n:
            (self._gate.end if succeeded else self._gate.stop)(job)

    def again(self, job: int) -> None:
        """Let a job wait for another try."""
        self._ready.add(job)

    def settle(self, job: int) -> None:
        """Take note that a success is on the disk: children whose last parent it was may start."""
        self._release(self._children[self._ptr[job] : self._ptr[job + 1]])

    def give_up(self, job: int) -> None:
        """Take note that a job has failed for good: what waits for it, or for those that need it, only by the limit."""
        if self._gate is None:
            return
        left = [job]
        while left:
            dead = left.pop()
            if dead not in self._dead:
                self._dead.add(dead)
                self._release(self._added.get(dead, []))
                left += self._needed.children(dead).tolist()

    def _release(self, children: list[int]) -> None:
        for child in children:
            self._missing[child] -= 1
            if not self._missing[child]:
                self._ready.add(child)


def _split(plan: Plan) -> tuple[Dag, dict[int, list[int]]]:
    """Return the workflow's own dependencies, and of each job the children that only the limit gave it."""
    own, dag = plan.document.dag, plan.dag
    added: dict[int, list[int]] = {}
    if own is not dag:
        known = own.tails.astype(np.int64) * dag.n + own.heads
        new = ~np.isin(dag.tails.astype(np.int64) * dag.n + dag.heads, known)
        for tail, head in zip(dag.tails[new].tolist(), dag.heads[new].tolist(), strict=True):
            added.setdefault(tail, []).append(head)
    return own, added
