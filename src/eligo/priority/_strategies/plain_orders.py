"""Orders that people and engines use today, to compare with: first in first out, last in first out, and two more.

Each executes one ELIGIBLE job after the other by a rule that looks at no more than the queue or the paths ahead. Sinks
make no job ELIGIBLE: whenever they are executed, the others come in the same order. So they are put last, in file
order, as in all orders of Eligo, and the comparison is about the rest.

``fifo``
    What DAGMan does unasked: the job that became ELIGIBLE first. Sources in file order, children of one job in file
    order.
``lifo``
    What DAGMan does with ``DAGMAN_SUBMIT_DEPTH_FIRST``: each job goes to the head of the list as it becomes ELIGIBLE.
    Sources are put there in file order and children of one job too, so of several at once the last in file order is
    executed first.
``critical-path``
    The job with the longest path to a sink, itself included: what HEFT and most list schedulers do.
``random``
    Each ELIGIBLE non-sink with the same chance, at every step.

*Cost.* O(n + m), for critical-path O(n log n + m).
"""

from __future__ import annotations

import numpy as np

from eligo import _core
from eligo.dag import Dag, Float64, Int32
from eligo.schedule import sinks_last

__all__ = ["critical_path", "fifo", "lifo", "random_order", "tie_ranks"]


def fifo(dag: Dag) -> Int32:
    """Order the jobs as they become ELIGIBLE, sinks last.

    Examples
    --------
    >>> fifo(Dag.from_edges(6, [1, 1, 0, 3], [3, 2, 4, 5])).tolist()
    [0, 1, 3, 2, 4, 5]
    """
    return sinks_last(dag, dag.order)


def lifo(dag: Dag) -> Int32:
    """Order the jobs so that the one that became ELIGIBLE last is executed next, sinks last.

    Of several that become ELIGIBLE at once the last in file order is executed first.

    Examples
    --------
    >>> lifo(Dag.from_edges(6, [1, 1, 0, 3], [3, 2, 4, 5])).tolist()
    [1, 3, 0, 2, 4, 5]
    """
    return _core.newest_first(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred)


def critical_path(dag: Dag) -> Int32:
    """Order the jobs so that the ELIGIBLE one with the longest path ahead is executed next, sinks last.

    Paths are in seconds where times are known (unknown ones count as 0), else in jobs, as in
    :func:`eligo.graph.critical_path`. Ties go to the lower number.

    Examples
    --------
    >>> fork = Dag.from_edges(5, [0, 1, 2], [3, 4, 4], time_s=[1, 2, 5, 9, 1])
    >>> critical_path(fork).tolist()
    [0, 2, 1, 3, 4]
    """
    return _core.lowest_rank_first(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, _ranks(_ahead(dag)))


def random_order(dag: Dag, seed: int | np.random.Generator) -> Int32:
    """Draw an order: each ELIGIBLE non-sink is executed next with the same chance; sinks come last.

    Parameters
    ----------
    seed
        The same number gives the same order.

    Examples
    --------
    >>> dag = Dag.from_edges(5, [0, 1, 2], [3, 3, 4])
    >>> random_order(dag, 1).tolist(), random_order(dag, 1).tolist()
    ([1, 2, 0, 3, 4], [1, 2, 0, 3, 4])
    """
    draws = np.random.default_rng(seed).random(dag.n)
    return _core.drawn(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, draws)


def tie_ranks(dag: Dag) -> Int32:
    """Return a rank for each job to break ties by known times: 0 for the job to prefer.

    The longest path ahead goes first, in seconds, unknown times counted as 0; of equals the lower number. Where no time
    is known the ranks are the numbers. A rule that prefers the lower number of a job can be run on
    ``relabel(dag, argsort(ranks))``.

    Examples
    --------
    >>> tie_ranks(Dag.from_edges(4, [0, 1], [2, 3], time_s=[1, 1, 2, 5])).tolist()
    [2, 0, 3, 1]
    """
    return np.arange(dag.n, dtype=np.int32) if dag.time_s is None else _ranks(_ahead(dag))


def _ahead(dag: Dag) -> Float64:
    """Return for each job the length of the longest path from it, itself included."""
    length = np.ones(dag.n) if dag.time_s is None else np.nan_to_num(dag.time_s, nan=0.0)
    return _core.longest_paths(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]), length)


def _ranks(ahead: Float64) -> Int32:
    ranks = np.empty(len(ahead), np.int32)
    ranks[np.argsort(-ahead, kind="stable")] = np.arange(len(ahead), dtype=np.int32)
    return ranks
