"""Strategy ``area``: as large an AREA as can be had quickly, looking at the whole dag at once.

*Problem.* The AREA of an order is the sum of E(t): what counts where no order is best at every step. To maximise it is
to minimise a weighted sum of completion times under precedence constraints, which is NP-hard.

*Idea.* At every step execute the ELIGIBLE job that promises most (``native/core/greedy.hpp``): its children count by
how many parents they lack, and what lies deeper counts, less and less. Before that count the *loads* of ``charging``:
by Sidney's theorem jobs of larger load belong first, so jobs are put in classes of about equal load, and promises only
decide within a class. Against exact search the mean loss on random dags of 18
jobs is under 0.05 % on trees, 0.2 % on uniform and series-parallel dags and 0.6 % on layered ones, where loads hardly
differ.

*Twins.* Joins want to be looked at from behind. The same is done on the dual and turned round by packets (``duality``);
the two err in different places. So do different outlooks: how much depth counts, and how fast promises fade. The order
of largest AREA is kept; of equals the first.

*Cost.* O(m log n) an order. Small dags are given more sweeps and outlooks, by their size alone, so that results repeat.

Two things at once, on the two cores that nearly every machine has; the kernels release the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from eligo import _core, graph
from eligo.dag import Dag, Int32, Int64
from eligo.priority._charging import SCALE, Charging, charge, sweeps_for
from eligo.schedule import area_of, latest, places, sinks_last

__all__ = [
    "LARGE",
    "AreaOrder",
    "all_in_turn",
    "area",
    "side_by_side",
]

LARGE = 20_000
"""Jobs and edges from which a second thread is worth its start."""

_T = TypeVar("_T")
_U = TypeVar("_U")


def side_by_side(one: Callable[[], _T], other: Callable[[], _U]) -> tuple[_T, _U]:
    """Return the results of both; an exception of either is raised.

    Examples
    --------
    >>> side_by_side(lambda: 1, lambda: 2)
    (1, 2)
    """
    from concurrent.futures import ThreadPoolExecutor  # takes 10 ms to import, and small dags do without

    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(other)
        return one(), beside.result()


def all_in_turn(*first: Callable[[], object], beside: Callable[[], object], after: Callable[[], object]) -> None:
    """Do the first things and one beside them on two cores, in turn, and another after the first.

    Examples
    --------
    >>> done = []
    >>> all_in_turn(lambda: done.append(1), lambda: done.append(2), beside=list, after=lambda: done.append(3))
    >>> sorted(done[:2]), done[2]
    ([1, 2], 3)
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        started = [pool.submit(action) for action in first]
        last = pool.submit(beside)
        for one in started:
            one.result()
        after()
        last.result()


_NO_LOADS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class _Outlook:
    """How a greedy order looks ahead.

    Attributes
    ----------
    depth
        How much what lies deeper counts, in 1/256.
    base
        By what a promise fades with each further parent that is lacking.
    percent
        Loads within so many percent are equal; ``None`` where loads do not count.
    """

    depth: int
    base: int
    percent: int | None


@dataclass(frozen=True, slots=True)
class _Effort:
    """What a dag with up to so many jobs and edges is given: outlooks, and whether it is also looked at from before."""

    most: float
    outlooks: tuple[_Outlook, ...]
    from_before: bool = True

    @property
    def needs_loads(self) -> bool:
        return any(outlook.percent is not None for outlook in self.outlooks)


_FINE, _COARSE = 2, 30
_DEPTHS_AND_BASES = ((128, 8), (64, 4), (256, 3))
_EFFORTS = (
    _Effort(5_000, tuple(_Outlook(*look, percent) for look in _DEPTHS_AND_BASES for percent in (_FINE, _COARSE))),
    _Effort(50_000, (_Outlook(128, 8, _FINE), _Outlook(64, 4, _FINE))),
    _Effort(300_000, (_Outlook(128, 8, _FINE), _Outlook(128, 8, None))),
    # Loads that are not even yet mislead, and even ones take long here; from behind is mostly the better side.
    _Effort(float("inf"), (_Outlook(128, 8, None),), from_before=False),
)


@dataclass(frozen=True, slots=True, eq=False)
class AreaOrder:
    """An order of large AREA."""

    order: Int32
    area: int


def area(dag: Dag, charging: Charging | None = None) -> AreaOrder:
    r"""Return an order of large AREA.

    Parameters
    ----------
    charging
        One of this dag, where it is there already.

    Examples
    --------
    PRIO executes 1, 2, 3 before 0, since they are one block; 0 alone renders as much at once::

        0   1 2 3
        |\   \|/
        4 \   5
           \ /
            6

    >>> dag = Dag.from_edges(7, [0, 0, 1, 2, 3, 5], [4, 6, 5, 5, 5, 6])
    >>> found = area(dag)
    >>> found.order, found.area
    (array([0, 1, 2, 3, 5, 4, 6], dtype=int32), 18)
    """
    size = dag.n + dag.m
    effort = next(effort for effort in _EFFORTS if size <= effort.most)
    if not effort.from_before:
        return _from_behind(dag, effort)
    if size < LARGE:
        found, turned = _from_before(dag, effort, charging), _from_behind(dag, effort)
    else:
        found, turned = side_by_side(lambda: _from_before(dag, effort, charging), lambda: _from_behind(dag, effort))
    return found if found.area >= turned.area else turned


def _from_before(dag: Dag, effort: _Effort, charging: Charging | None) -> AreaOrder:
    charging = charging or charge(dag)
    sinks = graph.sinks(dag)
    found = _greedy_orders(charging.inner, charging.load, effort)
    return _best(dag, [np.concatenate([nonsinks, sinks]) for nonsinks in found])


def _from_behind(dag: Dag, effort: _Effort) -> AreaOrder:
    """Return the best of the orders of the dual, turned round."""
    inner = _core.Ordered(dag.pred_ptr, dag.pred, dag.succ_ptr, dag.succ, dag.order[::-1].copy())
    load = inner.charge(SCALE, sweeps_for(dag.n + dag.m))[1] if effort.needs_loads else _NO_LOADS
    sources = graph.sources(dag)

    def turned(nonsources: Int32) -> Int32:
        packet = latest(dag.succ_ptr, dag.succ, places(np.concatenate([nonsources, sources])))
        return sinks_last(dag, np.argsort(-packet, kind="stable").astype(np.int32))

    return _best(dag, [turned(order) for order in _greedy_orders(inner, load, effort)])


def _greedy_orders(inner: _core.Ordered, load: Int64, effort: _Effort) -> list[Int32]:
    return [
        inner.greedy(outlook.depth, outlook.base, _NO_LOADS, 0)
        if outlook.percent is None
        else inner.greedy(outlook.depth, outlook.base, load, outlook.percent)
        for outlook in effort.outlooks
    ]


def _best(dag: Dag, orders: list[Int32]) -> AreaOrder:
    """Return the first order of largest AREA."""
    areas = [area_of(dag, order) for order in orders]
    best = int(np.argmax(areas))
    return AreaOrder(orders[best], areas[best])
