"""Charging: what no execution of a dag can exceed, for any dag and any size, by spreading the blame evenly.

*Problem.* How many jobs can be ELIGIBLE after t steps, at most? The truth, E_max(t), is hard to compute in general.

*Idea.* Let every job with parents hold one unit and send it to its parents, in shares. A job keeps some of what its
children send it and passes the rest on to its own parents. What it keeps is its *load*. When all parents of a job are
executed, so are all its ancestors: the unit lies on executed jobs, wherever it went. So after t steps no more jobs have
been rendered ELIGIBLE than the t largest loads add up to. This holds for any shares; the more even the loads, the
better the bound. The most even ones give the concave envelope of the truth: it is the dual of the linear program for
the ideal with the most rendered jobs at a price for each executed one.

*Windows.* A job with t ancestors or more is not among the first t executed; one with more than n - t - 1 descendants
is. So the t largest loads need only be looked for where they can be. Counting ancestors takes O(n (n + m) / 64), so
this is for dags of up to twenty thousand jobs.

*Loads order jobs.* AREA is a weighted sum of completion times, and by Sidney's theorem (1975) some order of largest
AREA executes jobs by falling load, when the loads are the most even. ``area`` builds on that.

*Cost.* O(m) a sweep (``native/core/charging.hpp``). A few sweeps do for wide dags; deep ones need more, since load
moves up step by step.

A dag as those kernels like it that go through it many times: numbered in topological order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.graph import sources

__all__ = [
    "SCALE",
    "Charging",
    "charge",
    "flow_by_place",
    "ordered",
    "sweeps_for",
]


def ordered(dag: Dag) -> _core.Ordered:
    """Return the dag renumbered; it speaks in the dag's own numbers. Making it costs as much as going through it twice.

    Examples
    --------
    >>> ordered(Dag.from_edges(3, [2, 1], [1, 0])).cuts().tolist()
    [1, 2]
    """
    return _core.Ordered(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, dag.order)


SCALE = 1 << 20
"""Into how many shares a unit can be split."""

_THOROUGH = 300_000  # jobs and edges up to which many sweeps take some hundredths of a second
_WINDOW_WORDS = 10_000_000  # counting ancestors looks at so many words of 64 bits at most: some hundredths of a second
_NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Charging:
    """Shares of a unit for every job that has parents in its part.

    Parts are what every execution runs through one after the other (``series``); mostly there is one. No unit leaves
    its part, so each part is bounded as if it were alone.

    Attributes
    ----------
    dag
        Of which dag.
    ends
        How many jobs of ``dag.order`` are executed when each part ends.
    pred_ptr, pred, flow
        The edges within parts, as rows of parents, and what each job sends to each, in shares.
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
    >>> charging = charge(joins)
    >>> (charging.load / SCALE).tolist(), charging.bound.tolist()
    ([0.5, 0.5, 0.5, 0.5, 0.0, 0.0], [4, 3, 3, 2, 2, 1, 0])

    A job, a fork of three, and their join, one after the other:

    >>> charging = charge(Dag.from_edges(5, [0, 0, 0, 1, 2, 3], [1, 2, 3, 4, 4, 4]))
    >>> charging.ends.tolist(), charging.bound.tolist()
    ([1, 4, 5], [1, 3, 2, 1, 1, 0])
    """

    dag: Dag
    ends: Int64
    pred_ptr: Int64
    pred: Int32
    flow: Int64
    load: Int64
    windows: bool
    bound: Int64
    inner: _core.Ordered


def sweeps_for(size: int) -> int:
    """Return how many sweeps a dag of so many jobs and edges is given, at most."""
    return 40 if size <= _THOROUGH else 2


def charge(dag: Dag, sweeps: int | None = None) -> Charging:
    """Spread units as evenly as some sweeps can, by default :func:`sweeps_for`, and say what follows."""
    if sweeps is None:
        sweeps = sweeps_for(dag.n + dag.m)
    inner = ordered(dag)
    ends = np.append(inner.cuts(), dag.n)
    if len(ends) > 1:
        return _charge_parts(dag, ends, sweeps, inner)
    flow, load = inner.charge(SCALE, sweeps)
    windows = dag.n > 0 and dag.n * (dag.n + dag.m) // 64 <= _WINDOW_WORDS
    before, behind = inner.relatives() if windows else (_NONE, _NONE)
    bound = _core.load_bound(load, SCALE, len(sources(dag)), before, behind)
    return Charging(dag, ends, dag.pred_ptr, dag.pred, flow, load, windows, bound, inner)


def _charge_parts(dag: Dag, ends: Int64, sweeps: int, inner: _core.Ordered) -> Charging:
    part = np.empty(dag.n, np.int64)
    part[dag.order] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    tails, heads = dag.tails, dag.heads
    inside = part[tails] == part[heads]
    rows = _core.build_two_way(dag.n, tails[inside], heads[inside])
    flow, load = _core.Ordered(*rows, dag.order).charge(SCALE, sweeps)
    pred_ptr, pred = rows[2], rows[3]
    source = (np.diff(pred_ptr) == 0)[dag.order].view(np.uint8)
    bound = _core.series_bound(load[dag.order], SCALE, source, ends)
    return Charging(dag, ends, pred_ptr, pred, flow, load, False, bound, inner)


def flow_by_place(charging: Charging, place: Int64) -> Int64:
    """Return the flows as a certificate lists them: edges by the place of the child, then of the parent."""
    child = np.repeat(place, np.diff(charging.pred_ptr))
    return charging.flow[np.lexsort((place[charging.pred], child))]
