"""Time x memory: no execution under a limit is shorter than this. Lemma 2 of paper 004, looked at through windows.

Problem: a lower bound on the critical path of every partial serialisation under a limit. Idea of the lemma: a job
holds its outputs for as long as it runs, so the sum of outputs x time over all jobs fits into limit x makespan. Two
things make it stronger. While a job runs it also holds what it needs while running, and inputs that nobody else reads;
at any moment these are different data for different jobs. And a job that cannot start before h nor end later than t
before the makespan runs in the window between, so the sum over all such jobs fits into limit x (makespan - h - t).

For h and t all values that occur are tried. Cost: O(n^2) by sums over the jobs in the order of t.
"""

from __future__ import annotations

import numpy as np

from eligo import _core
from eligo.dag import Dag, Float64
from eligo.memory.footprint import Footprint

__all__ = ["finish_times", "least_critical_path"]


def finish_times(dag: Dag, work: Float64) -> Float64:
    """Return when each job ends if all start as early as they can.

    Examples
    --------
    >>> finish_times(Dag.from_edges(3, [0, 0], [1, 2]), np.array([1.0, 2.0, 5.0]))
    array([1., 3., 6.])
    """
    return _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, work)


def least_critical_path(footprint: Footprint, limit: int, work: Float64) -> float:
    """Return a time below which no execution within the limit can end, whatever the number of workers.

    Examples
    --------
    Six jobs of a second and a byte each, between two others, and three bytes: two rounds.

    >>> from eligo.memory.models import footprint as what_jobs_occupy
    >>> dag = Dag.from_edges(8, [0] * 6 + [*range(1, 7)], [*range(1, 7)] + [7] * 6, temp_bytes=[0, 1, 1, 1, 1, 1, 1, 0])
    >>> round(least_critical_path(what_jobs_occupy(dag, "files", "disk"), 3, np.ones(8)), 6)
    4.0
    """
    dag = footprint.dag
    head = finish_times(dag, work) - work
    tail = finish_times(Dag.from_edges(dag.n, dag.heads, dag.tails), work) - work
    best = float((head + work).max(initial=0))
    if limit <= 0:
        return best
    by_tail = np.argsort(-tail, kind="stable")
    energy = (_held(footprint) * work / limit)[by_tail]
    for start in np.unique(head):
        inside = np.cumsum(np.where(head[by_tail] >= start, energy, 0.0))
        # An empty window says nothing. The sums are rounded, upwards perhaps: hence a little less.
        least = np.where(inside > 0, inside + tail[by_tail] + start, 0.0).max()
        best = max(best, float(least) * (1 - 1e-12))
    return best


def _held(footprint: Footprint) -> Float64:
    """Return what each job holds for as long as it runs and no other running job holds too."""
    held = (footprint.running + footprint.outputs).astype(np.float64)
    if not footprint.rules.one_event:
        alone = np.flatnonzero(np.diff(footprint.reader_ptr) == 1)
        np.add.at(held, footprint.readers[footprint.reader_ptr[alone]], footprint.size[alone].astype(np.float64))
    return held
