"""The floor: which jobs could start, which slots are free, and what memory there is; who may start next, and where.

A job comes to the queue when its last parent is settled. It leaves it with its slots, its category and its memory, and
gives all of them back when it ends, however it ends.

Dependencies that a memory limit added only say when there is room, and here that is counted. So a job that failed, or
that will never run because of one, holds back only those that need it by the workflow itself: the others go on as far
as the limit allows.

The jobs that could start, by priority, and what holds some of them back.

A job waits here once all its parents are done. The one with the largest priority starts first, of equals the lower
index. Two things let a later one go before: its category is full (DAGMan's MAXJOBS), or it would pass the memory limit.
A job that needs more slots than are free holds all later ones back, lest small jobs keep a large one waiting for ever.

What running jobs and their data occupy, by the model of ``eligo.memory``, and whether one more may start.

Where the dag was limited, no execution of it passes the limit and the gate never closes. It is there for what the proof
does not cover: jobs that fail leave data that nobody will read and free. A job that fails for good gives back what it
held while running; what it wrote, and what waits for readers that will never come, stays counted, since it is there.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from eligo.dag import OUTSIDE, Dag, Int32
from eligo.engines._plan import Categories, Plan
from eligo.memory._footprint import Footprint

__all__ = [
    "Floor",
    "MemoryGate",
    "Ready",
]


class Ready:
    """The queue.

    Examples
    --------
    >>> import numpy as np
    >>> ready = Ready(np.array([1, 3, 2], np.int32))
    >>> for job in range(3):
    ...     ready.add(job)
    >>> ready.take(2, weight=lambda job: 1)
    1
    >>> len(ready)
    2
    """

    def __init__(self, priorities: Int32, categories: Categories | None = None) -> None:
        self._rank: list[int] = (-priorities.astype("int64")).tolist()
        self._heap: list[tuple[int, int]] = []
        self._count = 0  # of those in the heap and those held back
        self._category: list[int] | None = None if categories is None else categories.of.tolist()
        self._most: list[int] = [] if categories is None else categories.most.tolist()
        self._busy: dict[int, int] = defaultdict(int)
        self._held: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def __len__(self) -> int:
        return self._count

    def add(self, job: int) -> None:
        """Let a job wait for its start."""
        self._count += 1
        heapq.heappush(self._heap, (self._rank[job], job))

    def take(self, free: int, weight: Callable[[int], int], fits: Callable[[int], bool] | None = None) -> int | None:
        """Take out the job that is to start now on `free` slots; ``None`` if none can.

        Parameters
        ----------
        weight
            How many slots a job needs.
        fits
            Whether a job keeps the memory limit.
        """
        passed: list[tuple[int, int]] = []
        found = None
        while self._heap:
            entry = heapq.heappop(self._heap)
            job = entry[1]
            category = self._category_of(job)
            if category >= 0 and self._busy[category] >= self._most[category]:
                heapq.heappush(self._held[category], entry)
            elif weight(job) > free:
                passed.append(entry)
                break
            elif fits is not None and not fits(job):
                passed.append(entry)
                if self._held[category]:  # it keeps no place of its category while it waits
                    heapq.heappush(self._heap, heapq.heappop(self._held[category]))
            else:
                found = job
                self._count -= 1
                break
        for entry in passed:
            heapq.heappush(self._heap, entry)
        return found

    def began(self, job: int) -> None:
        """Take note that a job has started, also one that was not taken from here."""
        self._busy[self._category_of(job)] += 1

    def ended(self, job: int) -> None:
        """Take note that a job has ended; the next of its category may go."""
        category = self._category_of(job)
        self._busy[category] -= 1
        if self._held[category]:
            heapq.heappush(self._heap, heapq.heappop(self._held[category]))

    def _category_of(self, job: int) -> int:
        return -1 if self._category is None or job >= len(self._category) else self._category[job]


class MemoryGate:
    """Counts what is occupied.

    Attributes
    ----------
    occupied
        By all that has started and is not freed.

    Examples
    --------
    >>> import eligo
    >>> dag = eligo.Dag.from_names([("a", "b"), ("c", "d")])
    >>> dag = dag.with_known(data=eligo.Data.per_edge(dag.tails, dag.heads, [5, 7]))
    >>> gate = MemoryGate(eligo.footprint(dag), 8)
    >>> a, b, c, d = range(4)
    >>> gate.start(a)
    >>> gate.fits(c), gate.occupied
    (False, 5)
    >>> gate.end(a); gate.start(b); gate.end(b)
    >>> gate.fits(c), gate.occupied
    (True, 0)
    """

    def __init__(self, footprint: Footprint, limit: int) -> None:
        self.limit = limit
        self._one_event = footprint.rules.one_event
        self._running: list[int] = footprint.running.tolist()
        self._outputs: list[int] = footprint.outputs.tolist()
        self._size: list[int] = footprint.size.tolist()
        ptr, readers = footprint.reader_ptr.tolist(), footprint.readers.tolist()
        self._left = [ptr[datum + 1] - ptr[datum] for datum in range(footprint.k)]
        self._reads: list[list[int]] = [[] for _ in range(footprint.dag.n)]
        for datum in range(footprint.k):
            for job in readers[ptr[datum] : ptr[datum + 1]]:
                self._reads[job].append(datum)
        self._allocated = [False] * footprint.dag.n
        self.occupied = int(footprint.size[footprint.producer == OUTSIDE].sum())

    def fits(self, job: int) -> bool:
        """Tell whether the limit holds if this job starts now."""
        more = self._running[job] + (0 if self._allocated[job] else self._outputs[job])
        if self._one_event:  # it frees its inputs in the moment in which it starts
            more -= sum(self._size[datum] for datum in self._reads[job] if self._left[datum] == 1)
        return self.occupied + more <= self.limit

    def start(self, job: int) -> None:
        """Take note of a start; a second try finds its outputs counted already."""
        self.occupied += self._running[job]
        if not self._allocated[job]:
            self._allocated[job] = True
            self.occupied += self._outputs[job]
            if self._one_event:
                self._read(job)

    def end(self, job: int) -> None:
        """Take note of a success."""
        self.stop(job)
        if not self._one_event:
            self._read(job)

    def stop(self, job: int) -> None:
        """Take note of an end that is no success: inputs are still needed, and outputs may be there."""
        self.occupied -= self._running[job]

    def _read(self, job: int) -> None:
        for datum in self._reads[job]:
            self._left[datum] -= 1
            if self._left[datum] == 0:
                self.occupied -= self._size[datum]


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
