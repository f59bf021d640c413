"""Depth first, breadth first, and anything between: the orders of paper 004, section 5.4.

A depth-first order completes a parallel branch before it starts a new one, and mostly needs little memory; a
breadth-first order starts all it can, needs much, and leaves much to do at the same time. Paper 004 mixes their ranks:
jobs by alpha DFS(i) + (1 - alpha) BFS(i). A parent comes before its child in both, so it does in every mixture. With
alpha in steps of 1/20 all is integer arithmetic: no rounding decides an order.

What depth-first means where branches meet: ``native/core/sequential_dfs.hpp``.
"""

from __future__ import annotations

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32
from eligo.memory.footprint import Footprint
from eligo.memory.sequential.peak import peak_of

__all__ = ["STEPS", "alpha_bfs_dfs", "alpha_search", "bfs", "dfs"]

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
    >>> from eligo.memory.models import Data, footprint
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
