"""List scheduling by its definition: sets of jobs, looked through at every instant."""

from __future__ import annotations

from eligo.dag import Dag

Run = tuple[dict[int, float], dict[int, float], dict[int, int], list[int]]


def bottom_level(dag: Dag, time: list[float], job: int) -> float:
    """Return the longest path from a job to a sink, itself included."""
    return max((bottom_level(dag, time, child) for child in dag.children(job).tolist()), default=0.0) + time[job]


def list_schedule(dag: Dag, processors: int, priority: list[float], time: list[float]) -> Run:
    """Return starts, ends, workers, and the events in order (``job`` for a start, ``~job`` for an end)."""
    start: dict[int, float] = {}
    end: dict[int, float] = {}
    worker: dict[int, int] = {}
    events: list[int] = []
    running: set[int] = set()
    over: set[int] = set()
    now = 0.0
    while len(over) < dag.n:
        while len(running) < processors:
            ready = [v for v in range(dag.n) if v not in start and set(dag.parents(v).tolist()) <= over]
            if not ready:
                break
            job = max(ready, key=lambda v: (priority[v], -v))
            worker[job] = min(set(range(processors)) - {worker[other] for other in running})
            start[job], end[job] = now, now + time[job]
            running.add(job)
            events.append(job)
        now = min(end[job] for job in running)
        due = sorted(job for job in running if end[job] == now)
        events += [~job for job in due]
        running -= set(due)
        over |= set(due)
    return start, end, worker, events
