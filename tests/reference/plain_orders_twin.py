"""The plain orders by their definitions: lists of ELIGIBLE jobs, looked through from one end to the other."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from eligo.dag import Dag

Choose = Callable[[list[int]], int]


def play(dag: Dag, choose: Choose, *, sinks: bool = False) -> list[int]:
    """Execute jobs by a rule that is shown the ELIGIBLE ones, the oldest first, and names one.

    Sinks are put last, or, with `sinks`, take part.
    """
    executed: list[int] = []
    queue = [job for job in range(dag.n) if len(dag.parents(job)) == 0]
    while queue:
        shown = [job for job in queue if sinks or len(dag.children(job))]
        job = choose(shown) if shown else min(queue)
        queue.remove(job)
        executed.append(job)
        queue += [c for c in dag.children(job).tolist() if set(dag.parents(c).tolist()) <= set(executed)]
    return executed


def oldest(eligible: list[int]) -> int:
    return eligible[0]


def newest(eligible: list[int]) -> int:
    return eligible[-1]


def longest_ahead(dag: Dag) -> Choose:
    return lambda eligible: max(eligible, key=lambda job: (ahead(dag, job), -job))


def ahead(dag: Dag, job: int) -> float:
    """Return the longest path from a job, with it: in seconds if any time is known, else in jobs."""
    own = 1.0 if dag.time_s is None else float(dag.time_s[job])
    return max((ahead(dag, child) for child in dag.children(job).tolist()), default=0.0) + (0.0 if isnan(own) else own)
