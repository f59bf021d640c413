"""Where a workflow must come together: the steps that every execution passes through.

A set A of jobs is a *cut* if every job outside depends on every job in A: then any execution runs all of A before
anything else, and what is ELIGIBLE before and after has nothing to do with each other. So

    E_max(t) = E_max of A at t, for t < |A|, and E_max of the rest at t - |A| from there on,

and the dag admits an IC-optimal schedule exactly if both parts do. Fork-joins are full of cuts, and the priority
relation does not see them: in a -> b -> c, d the block a -> b has no priority over b -> c, d, yet there is no choice.

A cut is a prefix of *every* topological order, so one order is enough to find them all. After b jobs of it, let p be
the number of jobs before b without a child before b, q that of jobs from b on without a parent from b on. It is a cut
exactly if all p q pairs of these are edges. Each job and edge counts for an interval of b, so all three counts are sums
of intervals. Cost: O(n + m).
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag, Int64
from eligo.schedule import latest, places

__all__ = ["cuts"]


def cuts(dag: Dag) -> Int64:
    """Return the sizes of all cuts, ascending; the jobs of a cut of size b are ``dag.order[:b]``.

    Neither the empty set nor the whole counts.

    Examples
    --------
    >>> cuts(Dag.from_edges(4, [0, 1, 1], [1, 2, 3]))
    array([1, 2])
    """
    n = dag.n
    if n < 2:
        return np.zeros(0, np.int64)
    place = places(dag.order)
    tail, head = place[dag.tails], place[dag.heads]
    last_parent = latest(dag.pred_ptr, dag.pred, place)[dag.order]
    first_child = n - 1 - latest(dag.succ_ptr, dag.succ, n - 1 - place)[dag.order]  # n where there is none
    jobs = np.arange(n)
    ends = _covered(jobs, first_child, n)
    starts = _covered(last_parent, jobs, n)
    joined = _covered(last_parent[head], first_child[tail], n)
    return np.flatnonzero(joined[1:n] == ends[1:n] * starts[1:n]) + 1


def _covered(after: Int64, upto: Int64, n: int) -> Int64:
    """Return for each b = 0..n how many intervals after < b <= upto hold it; empty ones hold none."""
    real = after < upto
    change = np.bincount(after[real] + 1, minlength=n + 2) - np.bincount(upto[real] + 1, minlength=n + 2)
    covered: Int64 = np.cumsum(change)[: n + 1]
    return covered
