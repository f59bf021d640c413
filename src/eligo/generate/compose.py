"""Dags made from dags: the dual numbered from its own sources, and composition by merging sinks with sources."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eligo.dag import Dag, Int64
from eligo.errors import EligoError

__all__ = ["compose", "reverse"]


def reverse(dag: Dag) -> Dag:
    """Return the dual with the numbering reversed: job v becomes job n - 1 - v, and every edge is turned round.

    A dag whose numbering runs from sources to sinks has a reverse whose numbering does so too. Jobs are named by
    their numbers, times and data are left out.

    Examples
    --------
    >>> fork = Dag.from_edges(3, [0, 0], [1, 2])
    >>> reverse(fork).parents(2)
    array([0, 1], dtype=int32)
    """
    last = np.int32(dag.n - 1)
    return Dag.from_edges(dag.n, last - dag.heads, last - dag.tails)


def compose(upper: Dag, lower: Dag, pairs: Iterable[tuple[int, int]]) -> Dag:
    """Merge sinks of one dag with sources of another (Cordasco et al. 2010, section 2.2).

    Parameters
    ----------
    pairs
        For each merged job its number as a sink of `upper` and its number as a source of `lower`. A job occurs once
        at most; sinks and sources that no pair names stay sinks and sources.

    Returns
    -------
    Dag
        The jobs of `upper` keep their numbers; those of `lower` that are not merged follow in their order. Jobs are
        named by their numbers, times and data are left out.

    Examples
    --------
    A fork and a join make a diamond:

    >>> fork, join = Dag.from_edges(3, [0, 0], [1, 2]), Dag.from_edges(3, [0, 1], [2, 2])
    >>> diamond = compose(fork, join, [(1, 0), (2, 1)])
    >>> list(zip(diamond.tails.tolist(), diamond.heads.tolist()))
    [(0, 1), (0, 2), (1, 3), (2, 3)]
    """
    chosen = np.array(list(pairs), np.int64).reshape(-1, 2)
    sinks, sources = chosen[:, 0], chosen[:, 1]
    _check(upper, sinks, np.diff(upper.succ_ptr), "a sink of the upper dag")
    _check(lower, sources, np.diff(lower.pred_ptr), "a source of the lower dag")
    number = np.full(lower.n, -1, np.int64)
    number[sources] = sinks
    rest = np.flatnonzero(number < 0)
    number[rest] = upper.n + np.arange(len(rest))
    return Dag.from_edges(
        upper.n + len(rest),
        np.concatenate([upper.tails, number[lower.tails]]),
        np.concatenate([upper.heads, number[lower.heads]]),
    )


def _check(dag: Dag, jobs: Int64, degree: Int64, role: str) -> None:
    for job in jobs:
        if not 0 <= job < dag.n or degree[job] != 0:
            raise EligoError(f"job number {job} is not {role}", hint="merge only sinks of the upper with sources below")
    if len(np.unique(jobs)) < len(jobs):
        raise EligoError(f"a job is named twice as {role}", hint="name each job in one pair at most")
