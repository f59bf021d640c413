"""Contenders: the strategies that are compared on a grid.

An *oblivious* strategy is a total order of the jobs: of the ELIGIBLE ones the first in it goes first (paper 002,
section 4.1). Any order will do; it need not put parents first. ``fifo``, ``lifo`` and ``random`` are not orders on a
grid: which job became ELIGIBLE first depends on what was done when, so their pools are simulated as they really evolve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Dag, Int32
from eligo.errors import EligoError
from eligo.priority.prioritizing import STRATEGIES, prioritize
from eligo.schedule import Schedule

__all__ = ["POOLS", "Contender", "contender"]

POOLS = ("fifo", "lifo", "random")
"""The strategies that look at the pool instead of an order."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A strategy, ready to be simulated; make one with :func:`contender`.

    Attributes
    ----------
    name
        What it is called in results; draws depend on it, unless random numbers are common.
    kind
        ``order``, or one of :data:`POOLS`.
    order
        All jobs, the one to go first in front; ``None`` unless the kind is ``order``.
    """

    name: str
    kind: str
    order: Int32 | None = None


def contender(dag: Dag, strategy: str | Schedule | ArrayLike, *, name: str | None = None, seed: int = 0) -> Contender:
    """Make a strategy ready for simulation.

    Parameters
    ----------
    strategy
        A strategy of ``prioritize``, a schedule of the dag, or any order of all its jobs.
    name
        What to call it; by default what the strategy is called, or ``order``.
    seed
        Passed on to ``prioritize``.

    Raises
    ------
    EligoError
        No such strategy, or not every job once.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> contender(dag, "prio").order.tolist(), contender(dag, "fifo").kind
    ([0, 1, 2], 'fifo')
    >>> contender(dag, [2, 1, 1])
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: an order must have every job once: job 'b' is there 2 times
    """
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            raise EligoError(f"no strategy is called {strategy!r}", hint=f"use one of {', '.join(STRATEGIES)}")
        if strategy in POOLS:
            return Contender(name or strategy, strategy)
        return Contender(name or strategy, "order", prioritize(dag, strategy, seed=seed).schedule.order)
    if isinstance(strategy, Schedule):
        strategy = strategy.order
    return Contender(name or "order", "order", _check_order(dag, np.asarray(strategy)))


def _check_order(dag: Dag, order: np.ndarray) -> Int32:
    if order.shape != (dag.n,):
        raise EligoError(f"an order must have every job once: it has {order.size:,} entries for {dag.n:,} jobs")
    if order.dtype.kind not in "iu" or (dag.n and (order.min() < 0 or order.max() >= dag.n)):
        raise EligoError(f"an order is made of the numbers of jobs, from 0 to {dag.n - 1}")
    times = np.bincount(order, minlength=dag.n)
    if np.any(times != 1):
        job = int(np.argmax(times > 1))
        raise EligoError(f"an order must have every job once: job {dag.names[job]!r} is there {times[job]} times")
    checked = order.astype(np.int32)
    checked.flags.writeable = False
    return checked
