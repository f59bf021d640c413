"""The schedule within a limit, plainly: whether the rest can still be run is found by running it."""

from __future__ import annotations

import heapq

import numpy as np

from eligo.memory._footprint import Footprint
from tests.reference.memory_states import occupied, sequential_peak


def rest_peak(print_: Footprint, done: frozenset[int], order: list[int]) -> int:
    """Return the peak of running the jobs that are left one by one in the order, once `done` have ended."""
    peak = 0
    for job in order:
        if job in done:
            continue
        peak = max(peak, occupied(print_, done | {job}, done | {job} if print_.rules.one_event else done))
        done |= {job}
    return peak


def safe_schedule(
    print_: Footprint, order: list[int], work: np.ndarray, *, urgency: np.ndarray, release: np.ndarray, limit: int
) -> list[int]:
    """Return starts (j) and ends (n + j) in turn; `limit` is beside nothing: it includes what is there from outside."""
    assert sequential_peak(print_, order) <= limit
    dag, n = print_.dag, print_.dag.n
    place = {job: at for at, job in enumerate(order)}
    started: set[int] = set()
    ended: set[int] = set()
    events: list[int] = []
    running: list[tuple[float, int, int]] = []
    now = 0.0

    def fits(job: int) -> bool:
        after = frozenset(started | {job})
        here = occupied(print_, after, after if print_.rules.one_event else frozenset(ended))
        return here <= limit and rest_peak(print_, after, order) <= limit

    def is_ready(job: int) -> bool:
        return job not in started and set(dag.parents(job).tolist()) <= ended

    def start_what_fits() -> None:
        ready = [job for job in range(n) if is_ready(job) and release[job] <= now]
        for job in sorted(ready, key=lambda j: (-urgency[j], place[j], j)):
            if fits(job):
                started.add(job)
                events.append(job)
                heapq.heappush(running, (now + work[job], len(events), job))

    start_what_fits()
    while len(ended) < n:
        times = [running[0][0]] if running else []
        times += [release[job] for job in range(n) if is_ready(job) and release[job] > now]
        now = min(times)
        while running and running[0][0] <= now:
            job = heapq.heappop(running)[2]
            ended.add(job)
            events.append(n + job)
        start_what_fits()
    return events


def handed_on_within(print_: Footprint, events: list[int], limit: int) -> bool:
    """Whether a sequence of starts and ends is an execution within a limit."""
    n = print_.dag.n
    started: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    for event in events:
        if event < n:
            if not set(print_.dag.parents(event).tolist()) <= ended or event in started:
                return False
            started |= {event}
        else:
            if event - n not in started or event - n in ended:
                return False
            ended |= {event - n}
        if occupied(print_, started, started if print_.rules.one_event else ended) > limit:
            return False
    return len(ended) == n and bool(np.all(np.bincount(events, minlength=2 * n) == 1))
