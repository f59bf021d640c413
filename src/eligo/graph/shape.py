"""What a dag looks like: its ends, levels and components, its longest path, who depends on whom, and its shortcuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo import _core
from eligo.dag import Dag, Int32
from eligo.data import job_numbers

__all__ = [
    "Bools",
    "CriticalPath",
    "components",
    "critical_path",
    "heights",
    "joined",
    "levels",
    "reachable",
    "remove_shortcuts",
    "shortcuts",
    "sinks",
    "sources",
    "width",
]

Bools = NDArray[np.bool_]

# Looked-at arcs for each job and edge. Measured from 8 to 128: only dense random dags (10 edges a job) feel it, and
# there less is better, since bit sweeps decide the rest faster (12 s against 26 s at 3*10^6 edges).
_SEARCHES = 8


def sources(dag: Dag) -> Int32:
    """Return the jobs that wait for none, ascending.

    Examples
    --------
    >>> sources(Dag.from_edges(3, [0, 1], [2, 2]))
    array([0, 1], dtype=int32)
    """
    return np.flatnonzero(np.diff(dag.pred_ptr) == 0).astype(np.int32)


def sinks(dag: Dag) -> Int32:
    """Return the jobs that none waits for, ascending.

    Examples
    --------
    >>> sinks(Dag.from_edges(3, [0, 1], [2, 2]))
    array([2], dtype=int32)
    """
    return np.flatnonzero(np.diff(dag.succ_ptr) == 0).astype(np.int32)


def levels(dag: Dag) -> Int32:
    """Return for each job the number of edges on the longest path that leads to it.

    Examples
    --------
    >>> levels(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    array([0, 1, 2], dtype=int32)
    """
    return _core.levels(dag.pred_ptr, dag.pred, dag.order)


def heights(dag: Dag) -> Int32:
    """Return for each job the number of edges on the longest path that leaves it.

    Examples
    --------
    >>> heights(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    array([2, 1, 0], dtype=int32)
    """
    return _core.levels(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]))


def width(dag: Dag) -> int:
    """Return the number of jobs on the widest level.

    Examples
    --------
    >>> width(Dag.from_edges(4, [0, 0, 0], [1, 2, 3]))
    3
    """
    return int(np.bincount(levels(dag)).max()) if dag.n else 0


def components(dag: Dag) -> Int32:
    """Return for each job the number of its connected component; components are numbered by their first job.

    Examples
    --------
    >>> components(Dag.from_edges(4, [0, 1], [2, 3]))
    array([0, 1, 0, 1], dtype=int32)
    """
    return _core.components(dag.succ_ptr, dag.succ)


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The longest chain of jobs, which no number of workers can shorten.

    Attributes
    ----------
    length
        In seconds where times are known (unknown ones count as 0), else in jobs.
    in_seconds
        Which of the two.
    jobs
        The jobs along it, first to last.
    """

    length: float
    in_seconds: bool
    jobs: tuple[int, ...]


def critical_path(dag: Dag) -> CriticalPath:
    """Find the longest chain of jobs.

    Examples
    --------
    >>> critical_path(Dag.from_edges(3, [0, 0], [1, 2], time_s=[1, 2, 4]))
    CriticalPath(length=5.0, in_seconds=True, jobs=(0, 2))
    >>> critical_path(Dag.from_edges(3, [0, 0], [1, 2])).length
    2.0
    """
    weight = np.ones(dag.n) if dag.time_s is None else np.nan_to_num(dag.time_s, nan=0.0)
    finish = _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, weight)
    if dag.n == 0:
        return CriticalPath(0.0, dag.time_s is not None, ())
    job = int(np.argmax(finish))
    length = float(finish[job])
    path = [job]
    begin, parent, ends = dag.pred_ptr.tolist(), dag.pred.tolist(), finish.tolist()  # arrays cost more a step
    while parents := parent[begin[path[-1]] : begin[path[-1] + 1]]:
        path.append(max(parents, key=ends.__getitem__))
    return CriticalPath(length, dag.time_s is not None, tuple(reversed(path)))


def joined(dag: Dag, tails: Int32, heads: Int32) -> Bools:
    """Tell of pairs of jobs which of them an edge joins.

    Examples
    --------
    >>> dag = Dag.from_edges(3, [0, 1], [1, 2])
    >>> joined(dag, np.array([0, 0], np.int32), np.array([1, 2], np.int32)).tolist()
    [True, False]
    """
    return _core.has_edge(dag.succ_ptr, dag.succ, tails, heads).view(np.bool_)


def reachable(dag: Dag, from_jobs: ArrayLike, to_jobs: ArrayLike) -> Bools:
    """Tell for pairs of jobs whether the second depends on the first, directly or not.

    Examples
    --------
    >>> reachable(Dag.from_edges(3, [0, 1], [1, 2]), [0, 2], [2, 0])
    array([ True, False])
    """
    pairs = np.broadcast_arrays(np.atleast_1d(from_jobs), np.atleast_1d(to_jobs))
    first, second = (job_numbers(side, dag.n) for side in pairs)
    return _core.reachable(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, first, second).view(np.bool_)


def shortcuts(dag: Dag) -> tuple[Int32, Int32]:
    """Return the edges beside which a longer path leads: their tails and heads.

    Examples
    --------
    >>> shortcuts(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    (array([0], dtype=int32), array([2], dtype=int32))
    """
    mask = _shortcut_mask(dag)
    return dag.tails[mask], dag.heads[mask]


def remove_shortcuts(dag: Dag) -> Dag:
    """Return the dag without its shortcuts (the transitive reduction); the same orders remain possible.

    Examples
    --------
    >>> remove_shortcuts(Dag.from_edges(3, [0, 1, 0], [1, 2, 2])).m
    2
    """
    keep = ~_shortcut_mask(dag)
    return dag if keep.all() else dag.thinned(keep)


def _shortcut_mask(dag: Dag) -> Bools:
    return _core.shortcuts(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, _SEARCHES).view(np.bool_)
