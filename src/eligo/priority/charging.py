"""Charging: what no execution of a dag can exceed, for any dag and any size, by spreading the blame evenly.

*Problem.* How many jobs can be ELIGIBLE after t steps, at most? The truth, E_max(t), is hard to compute in general.

*Idea.* Let every job with parents hold one unit and send it to its parents, in shares. A job keeps some of what its
children send it and passes the rest on to its own parents. What it keeps is its *load*. When all parents of a job are
executed, so are all its ancestors: the unit lies on executed jobs, wherever it went. So after t steps no more jobs have
been rendered ELIGIBLE than the t largest loads add up to. This holds for any shares; the more even the loads, the
better the bound. The most even ones give the concave envelope of the truth: it is the dual of the linear program for
the ideal with the most rendered jobs at a price for each executed one.

*Windows.* A job with t ancestors or more is not among the first t executed; one with more than n - t - 1 descendants
is. So the t largest loads need only be looked for where they can be. Counting ancestors takes O(n m / 64), so this
is for dags of some ten thousand jobs.

*Loads order jobs.* AREA is a weighted sum of completion times, and by Sidney's theorem (1975) some order of largest
AREA executes jobs by falling load, when the loads are the most even. ``area`` builds on that.

*Cost.* O(m) a sweep (``native/core/charging.hpp``). A few sweeps do for wide dags; deep ones need more, since load
moves up step by step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.graph import sources
from eligo.priority.ordered import ordered

__all__ = [
    "SCALE",
    "Charging",
    "SeriesCharging",
    "charge",
    "charge_parts",
    "flow_by_place",
    "sweeps_for",
]

SCALE = 1 << 20
"""Into how many shares a unit can be split."""

_THOROUGH = 300_000  # jobs and edges up to which many sweeps take some hundredths of a second
_WINDOW_WORDS = 30_000_000  # counting ancestors looks at so many words of 64 bits at most: some hundredths of a second
_NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Charging:
    """Shares of a unit for every job that has parents.

    Attributes
    ----------
    dag
        Of which dag.
    flow
        What each job sends to each parent, in shares; entries as in ``dag.pred``.
    load
        What each job keeps, in shares.
    windows
        Whether it was looked at which jobs can be executed when.
    bound
        For every step 0..n a number of ELIGIBLE jobs that no execution exceeds.
    inner
        The dag as the kernels like it.

    Examples
    --------
    Two joins: each of the four sources bears half a unit, so two of them render one job, and all four two.

    >>> joins = Dag.from_edges(6, [0, 1, 2, 3], [4, 4, 5, 5])
    >>> charging = charge(joins, sweeps=2)
    >>> (charging.load / SCALE).tolist(), charging.bound.tolist()
    ([0.5, 0.5, 0.5, 0.5, 0.0, 0.0], [4, 3, 3, 2, 2, 1, 0])
    """

    dag: Dag
    flow: Int64
    load: Int64
    windows: bool
    bound: Int64
    inner: _core.Ordered


def sweeps_for(size: int) -> int:
    """Return how many sweeps a dag of so many jobs and edges is given."""
    return 40 if size <= _THOROUGH else 4


def charge(dag: Dag, sweeps: int, inner: _core.Ordered | None = None) -> Charging:
    """Spread units as evenly as so many sweeps can, and say what follows.

    Parameters
    ----------
    inner
        What :func:`~eligo.priority.ordered.ordered` returns, where it is there already.
    """
    inner = ordered(dag) if inner is None else inner
    flow, load = inner.charge(SCALE, sweeps)
    windows = dag.n > 0 and dag.n * dag.m // 64 <= _WINDOW_WORDS
    before, behind = inner.relatives() if windows else (_NONE, _NONE)
    bound = _core.load_bound(load, SCALE, len(sources(dag)), before, behind)
    return Charging(dag, flow, load, windows, bound, inner)


@dataclass(frozen=True, slots=True, eq=False)
class SeriesCharging:
    """A charging for parts that every execution runs through one after the other; no unit leaves its part.

    Attributes
    ----------
    part
        For each job its part.
    pred_ptr, pred, flow
        The edges within parts, as rows of parents, and what flows along each.
    bound
        For every step 0..n a number of ELIGIBLE jobs that no execution exceeds.
    """

    part: Int64
    pred_ptr: Int64
    pred: Int32
    flow: Int64
    bound: Int64


def charge_parts(dag: Dag, ends: Int64, sweeps: int) -> SeriesCharging:
    """Spread units within parts; `ends` says how many jobs of ``dag.order`` are executed when each part ends.

    Examples
    --------
    A job, a fork of three, and their join:

    >>> dag = Dag.from_edges(5, [0, 0, 0, 1, 2, 3], [1, 2, 3, 4, 4, 4])
    >>> charge_parts(dag, np.array([1, 4, 5]), 2).bound.tolist()
    [1, 3, 2, 1, 1, 0]
    """
    part = np.empty(dag.n, np.int64)
    part[dag.order] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    tails, heads = dag.tails, dag.heads
    inside = part[tails] == part[heads]
    rows = _core.build_two_way(dag.n, tails[inside], heads[inside])
    flow, load = _core.Ordered(*rows, dag.order).charge(SCALE, sweeps)
    pred_ptr, pred = rows[2], rows[3]
    source = (np.diff(pred_ptr) == 0)[dag.order].view(np.uint8)
    return SeriesCharging(part, pred_ptr, pred, flow, _core.series_bound(load[dag.order], SCALE, source, ends))


def flow_by_place(pred_ptr: Int64, pred: Int32, flow: Int64, place: Int64) -> Int64:
    """Return flows along edges as a certificate lists them: by the place of the child, then of the parent."""
    child = np.repeat(place, np.diff(pred_ptr))
    return flow[np.lexsort((place[pred], child))]
