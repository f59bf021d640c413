"""What jobs occupy when they run one after the other in a given order.

A job starts (its outputs and what it holds while running are allocated), then ends (what it held goes, and every datum
of which it was the last reader). In the simple model both are one moment. A datum goes with the last of its readers in
the order, so one pass over the data and one over the jobs suffice: O(n + readers).

The dag with its costs, as the searches for orders of small peak take it.

What a job costs depends on the order only where a datum has several readers none of which follows all others: then the
one that happens to be last frees it. Here the readers that do follow all others are found, so that the kernels can take
the rest of the costs as fixed; shortcuts are removed, since they hide what is series-parallel.

Nothing here changes what an order occupies.

Depth first, breadth first, and anything between: the orders of paper 004, section 5.4.

A depth-first order completes a parallel branch before it starts a new one, and mostly needs little memory; a
breadth-first order starts all it can, needs much, and leaves much to do at the same time. Paper 004 mixes their ranks:
jobs by alpha DFS(i) + (1 - alpha) BFS(i). A parent comes before its child in both, so it does in every mixture. With
alpha in steps of 1/20 all is integer arithmetic: no rounding decides an order.

What depth-first means where branches meet: ``native/core/sequential_dfs.hpp``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core
from eligo.dag import OUTSIDE, Dag, Int32, Int64
from eligo.graph import Bools, levels, reachable, remove_shortcuts
from eligo.memory._footprint import Footprint

__all__ = [
    "STEPS",
    "Arrays",
    "alpha_bfs_dfs",
    "alpha_search",
    "arrays_of",
    "bfs",
    "costs_of",
    "dfs",
    "floor_of",
    "folded_costs",
    "memory_along",
    "peak_of",
]

Arrays = tuple[Int64, Int64, Int32, Int64, Int32, bool]


def memory_along(footprint: Footprint, order: ArrayLike) -> Int64:
    """Return what is occupied before the first job, then during and after each: 2n + 1 values.

    Parameters
    ----------
    order
        Every job once; parents before children.

    Examples
    --------
    >>> from eligo.memory._models import Dag, Data, footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> dag = dag.with_known(data=Data.build([10, 1], producer=[0, 1], readers=[[1, 2], []]))
    >>> memory_along(footprint(dag, "shared"), [0, 1, 2]).tolist()
    [0, 10, 10, 11, 11, 11, 1]
    """
    return _core.memory_along(*arrays_of(footprint), _permutation(footprint, order))


def peak_of(footprint: Footprint, order: ArrayLike) -> int:
    """Return the most that is occupied at any time if the jobs run one after the other in this order.

    Examples
    --------
    >>> from eligo.memory._models import Dag, Data, footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> dag = dag.with_known(data=Data.build([10, 1], producer=[0, 1], readers=[[1, 2], []]))
    >>> peak_of(footprint(dag, "shared"), [0, 1, 2]), peak_of(footprint(dag, "shared"), [0, 2, 1])
    (11, 11)
    """
    return _core.peak_along(*arrays_of(footprint), _permutation(footprint, order))


def arrays_of(footprint: Footprint) -> Arrays:
    """Return the arrays of a footprint in the order in which the kernels take them."""
    return (
        footprint.running,
        footprint.size,
        footprint.producer,
        footprint.reader_ptr,
        footprint.readers,
        footprint.rules.one_event,
    )


def _permutation(footprint: Footprint, order: ArrayLike) -> Int32:
    jobs = np.ascontiguousarray(order, np.int32)
    n = footprint.dag.n
    if jobs.shape != (n,) or (n and (jobs.min() < 0 or jobs.max() >= n or np.bincount(jobs, minlength=n).max() > 1)):
        raise ValueError(f"an order must name each of the {n} jobs once")
    return jobs


_MOST_EDGES_TO_SEARCH = 2_000_000
"""Beyond this, shortcuts stay: their removal would take longer than all the rest."""

_MOST_PAIRS_TO_ASK = 300_000
"""Beyond this, readers count as following each other only where an edge says so: that makes costs seem less fixed."""


def costs_of(footprint: Footprint) -> _core.Costs:
    """Return the dag with its costs, ready for folding, greedy and search."""
    dag = _without_shortcuts(footprint.dag)
    closer = _closers(footprint)
    return _core.Costs(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, *arrays_of(footprint), closer)


def folded_costs(footprint: Footprint) -> _core.Costs:
    """Return the same with all that is series-parallel folded away, where there is enough of it."""
    return costs_of(footprint).folded()


def floor_of(footprint: Footprint) -> int:
    """Return what every execution occupies at some time: at its beginning, at its end, or while some job runs.

    Examples
    --------
    >>> from eligo.memory._models import Data, footprint
    >>> dag = Dag.from_edges(3, [0, 0], [1, 2], data=Data.build([5, 3], producer=[0, 1], readers=[[1, 2], []]))
    >>> floor_of(footprint(dag, "shared"))
    8
    """
    unread = np.diff(footprint.reader_ptr) == 0
    return max(footprint.base, int(footprint.size[unread].sum()), int(footprint.needs.max(initial=0)))


def _without_shortcuts(dag: Dag) -> Dag:
    is_forest = dag.n == 0 or min(int(np.diff(dag.pred_ptr).max()), int(np.diff(dag.succ_ptr).max())) <= 1
    if is_forest or dag.m > _MOST_EDGES_TO_SEARCH:
        return dag
    return remove_shortcuts(dag)


def _closers(footprint: Footprint) -> Int32:
    """Return for each datum the reader that follows all its others, or -1."""
    counts = np.diff(footprint.reader_ptr)
    place = np.empty(footprint.dag.n, np.int64)
    place[footprint.dag.order] = np.arange(footprint.dag.n)
    last = np.full(footprint.k, OUTSIDE, np.int64)
    read = counts > 0
    if not read.any():
        return last.astype(np.int32)
    # Rows without readers are left out, since reduceat would take the first value of the next row for them.
    last[read] = footprint.dag.order[np.maximum.reduceat(place[footprint.readers], footprint.reader_ptr[:-1][read])]
    datum = np.repeat(np.arange(footprint.k), counts)
    reader = footprint.readers.astype(np.int64)
    level = levels(footprint.dag)
    # A reader on the level of the last one does not precede it: most data with many readers are settled by this.
    level_of_last = level[last[datum]]
    undecided = (reader != last[datum]) & (counts[datum] > 1)
    impossible = undecided & (level[reader] >= level_of_last)
    last[datum[impossible]] = -1
    ask = np.flatnonzero(undecided & (last[datum] >= 0))
    if len(ask):
        follows = _follow(footprint.dag, reader[ask], last[datum[ask]])
        last[datum[ask[~follows]]] = -1
    return last.astype(np.int32)


def _follow(dag: Dag, first: Int64, second: Int64) -> Bools:
    """Tell for pairs whether the second follows the first; of very many pairs only those that an edge joins."""
    if len(first) <= _MOST_PAIRS_TO_ASK:
        return reachable(dag, first, second)
    edges = dag.tails.astype(np.int64) * dag.n + dag.heads
    pairs = first * dag.n + second
    at = np.minimum(np.searchsorted(edges, pairs), len(edges) - 1)
    return np.asarray(edges[at] == pairs)


STEPS = 20
"""Alpha is a multiple of 1 / STEPS."""


def bfs(dag: Dag) -> Int32:
    """Return the breadth-first order: first in, first out.

    Examples
    --------
    >>> bfs(Dag.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 4])).tolist()
    [0, 1, 2, 3, 4]
    """
    return dag.order


def dfs(dag: Dag) -> Int32:
    """Return a depth-first order: a parallel branch is completed before a new one is started.

    Examples
    --------
    >>> dfs(Dag.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 4])).tolist()
    [0, 1, 3, 2, 4]
    """
    return _core.depth_first(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred)


def alpha_bfs_dfs(dag: Dag, steps: int) -> Int32:
    """Return the jobs by ``steps`` / 20 of their rank in ``dfs`` and the rest of that in ``bfs``, ties by number.

    Parameters
    ----------
    steps
        From 0, which is ``bfs``, to 20, which is ``dfs``.

    Examples
    --------
    >>> alpha_bfs_dfs(Dag.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 4]), 20).tolist()
    [0, 1, 3, 2, 4]
    """
    return _mixed(bfs(dag), dfs(dag), steps)


def alpha_search(footprint: Footprint, limit: int) -> tuple[int, Int32] | None:
    """Return the first mixture that stays within a limit, from ``bfs`` to ``dfs``: its steps of 1/20 and its order.

    Examples
    --------
    >>> from eligo.memory._models import Data, footprint
    >>> dag = Dag.from_edges(4, [0, 1], [2, 3], data=Data.build([5, 5], producer=[0, 1], readers=[[2], [3]]))
    >>> alpha_search(footprint(dag, "shared"), 5)
    (11, array([0, 2, 1, 3], dtype=int32))
    >>> alpha_search(footprint(dag, "shared"), 4)
    """
    wide, deep = bfs(footprint.dag), dfs(footprint.dag)
    for steps in range(STEPS + 1):
        order = _mixed(wide, deep, steps)
        if peak_of(footprint, order) <= limit:
            return steps, order
    return None


def _mixed(wide: Int32, deep: Int32, steps: int) -> Int32:
    if not 0 <= steps <= STEPS:
        raise ValueError(f"alpha is a number of steps from 0 to {STEPS}, not {steps}")
    ranks = np.arange(len(wide), dtype=np.int64)
    key = np.empty_like(ranks)
    key[wide] = (STEPS - steps) * ranks
    key[deep] += steps * ranks
    return np.argsort(key, kind="stable").astype(np.int32)
