"""The grid of Malewicz, Foster, Rosenberg and Wilde 2006 as one would write it in plain Python.

Nothing of Eligo is in it: a heap of ends, a heap or a queue of jobs that can start, and the generator of the standard
library. It is what the compiled kernel is measured against, and, with other random numbers, held against.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

__all__ = ["Measures", "plain_run"]


class Measures(NamedTuple):
    """What section 4.1 of the paper measures of one run."""

    execution_time: float
    stalling: float
    utilization: float


class _Queue:
    """Jobs as they come."""

    def __init__(self) -> None:
        self._jobs: deque[int] = deque()
        self.push, self.pop = self._jobs.append, self._jobs.popleft

    def __len__(self) -> int:
        return len(self._jobs)


class _Ranked:
    """The job first that comes first in an order."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = order
        self._rank = [0] * len(order)
        for rank, job in enumerate(order):
            self._rank[job] = rank
        self._heap: list[int] = []

    def push(self, job: int) -> None:
        heapq.heappush(self._heap, self._rank[job])

    def pop(self) -> int:
        return self._order[heapq.heappop(self._heap)]

    def __len__(self) -> int:
        return len(self._heap)


def plain_run(
    children: Sequence[Sequence[int]],
    parents: Sequence[int],
    mean: tuple[float, float],
    rng: Random,
    order: Sequence[int] | None = None,
) -> Measures:
    """Run a workflow once.

    Parameters
    ----------
    children, parents
        The children of each job, and how many parents it has.
    mean
        Of the time between batches, and of the number of workers in one.
    order
        By which jobs are taken; first come, first served by default.
    """
    interarrival, batch = mean
    missing = list(parents)
    eligible: _Queue | _Ranked = _Queue() if order is None else _Ranked(order)
    for job, count in enumerate(missing):
        if not count:
            eligible.push(job)
    unassigned = len(missing)
    running: list[tuple[float, int]] = []  # (end, job)
    batches = stalled = requests = 0
    now, last = 0.0, 0.0

    def finish_until(time: float) -> None:
        nonlocal last
        while running and running[0][0] <= time:
            last, job = heapq.heappop(running)
            for child in children[job]:
                missing[child] -= 1
                if not missing[child]:
                    eligible.push(child)

    while unassigned:
        size = int(rng.expovariate(1 / batch) + 0.5)
        if size:
            finish_until(now)
            batches += 1
            requests += size
            stalled += not eligible
            for _ in range(min(size, len(eligible))):
                heapq.heappush(running, (now + max(rng.gauss(1.0, 0.1), 1e-9), eligible.pop()))
                unassigned -= 1
        now += rng.expovariate(1 / interarrival)
    finish_until(float("inf"))
    return Measures(last, stalled / batches, len(missing) / requests)
