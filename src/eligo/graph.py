"""Verbs on one Dag or several: its shape, its parts, and dags made from dags."""

from __future__ import annotations

from eligo import _core
from eligo.dag import Dag, Int32

__all__ = ["levels"]


def levels(dag: Dag) -> Int32:
    """Return for each job the number of edges on the longest path that leads to it.

    Examples
    --------
    >>> levels(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    array([0, 1, 2], dtype=int32)
    """
    return _core.levels(dag.pred_ptr, dag.pred, dag.order)
