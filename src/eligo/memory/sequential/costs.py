"""The dag with its costs, as the searches for orders of small peak take it.

What a job costs depends on the order only where a datum has several readers none of which follows all others: then the
one that happens to be last frees it. Here the readers that do follow all others are found, so that the kernels can take
the rest of the costs as fixed; shortcuts are removed, since they hide what is series-parallel.

Nothing here changes what an order occupies.
"""

from __future__ import annotations

import numpy as np

from eligo import _core
from eligo.dag import OUTSIDE, Dag, Int32, Int64
from eligo.graph import Bools, levels, reachable, remove_shortcuts
from eligo.memory.footprint import Footprint
from eligo.memory.sequential.peak import arrays_of

__all__ = ["costs_of", "floor_of", "folded_costs"]

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
    >>> from eligo.memory.models import Data, footprint
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
