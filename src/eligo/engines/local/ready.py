"""The jobs that could start, by priority, and what holds some of them back.

A job waits here once all its parents are done. The one with the largest priority starts first, of equals the lower
index. Two things let a later one go before: its category is full (DAGMan's MAXJOBS), or it would pass the memory limit.
A job that needs more slots than are free holds all later ones back, lest small jobs keep a large one waiting for ever.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable

from eligo.dag import Int32
from eligo.engines.plan import Categories

__all__ = ["Ready"]


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
