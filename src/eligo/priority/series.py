"""Where a workflow must come together: the steps that every execution passes through.

A set A of jobs is a *cut* if every job outside depends on every job in A: then any execution runs all of A before
anything else, and what is ELIGIBLE before and after has nothing to do with each other. So ::

    E_max(t) = E_max of A at t, for t < |A|, and E_max of the rest at t - |A| from there on,

and the dag admits an IC-optimal schedule exactly if both parts do. Fork-joins are full of cuts, and the priority
relation does not see them: in a -> b -> c, d the block a -> b has no priority over b -> c, d, yet there is no choice.

A cut is a prefix of *every* topological order, so one order is enough to find them all. After b jobs of it, let p be
the number of jobs before b without a child before b, q that of jobs from b on without a parent from b on. It is a cut
exactly if all p q pairs of these are edges. Each job and edge counts for an interval of b, so all three counts are sums
of intervals (``native/core/renumber.hpp``). Cost: O(n + m).
"""

from __future__ import annotations

from eligo import _core
from eligo.dag import Dag, Int64
from eligo.priority.ordered import ordered

__all__ = ["cuts"]


def cuts(dag: Dag, inner: _core.Ordered | None = None) -> Int64:
    """Return the sizes of all cuts, ascending; the jobs of a cut of size b are ``dag.order[:b]``.

    Neither the empty set nor the whole counts.

    Parameters
    ----------
    inner
        What :func:`~eligo.priority.ordered.ordered` returns, where it is there already.

    Examples
    --------
    >>> cuts(Dag.from_edges(4, [0, 1, 1], [1, 2, 3])).tolist()
    [1, 2]
    """
    return (ordered(dag) if inner is None else inner).cuts()
