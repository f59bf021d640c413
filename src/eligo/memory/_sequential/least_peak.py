"""The best of all methods: how low one can go, one job after the other.

In this order, the first with the smallest peak winning: breadth first, depth first; then, on the dag in which
everything series-parallel is folded away, the chain if nothing else is left (that settles it), greedy rules from both
ends, forests, beams and search. It stops as soon as the peak is proved least: nothing can be lower than what every
execution occupies. The last two have a budget of work and are left to smaller dags; the rest is O((n + m + readers)
log n).

The exact least peak of small dags, and what a bounded search can do for larger ones.

*Search* goes through the sets of jobs that may have run, the lowest peak first (``native/core/sequential_least.hpp``).
*Beam* keeps only the most promising sets of each size (``sequential_beam.hpp``), forwards and backwards.

*Proof by settled costs*: suppose every datum were freed by the reader that is last in the best order found, in all
orders. Then no order occupies more than it really does. If even so none has a smaller peak, the order found has the
least; and with fixed costs more of the dag can be folded.

Budgets count work, never seconds.

The least peak of trees and series-parallel dags, in near-linear time, and of what folds to a chain.

Problem: run the jobs one after the other so that the peak is least. For general dags this is NP-complete; where parts
follow each other or run side by side, and these parts likewise, it is polynomial (Abdel-Wahab and Kameda 1978; Liu
1987 for trees; Kayaaslan, Lambert, Marchal and Ucar 2018 for tasks with data).

Idea: the best order of a part is a chain of segments that need not be interrupted. Parts side by side: merge the
chains, first the segments that lower the memory, by increasing hill, then those that raise it, by decreasing hill
above what they leave. Parts in series: append, and join segments until the chain is in that order again. Why:
``sequential_segments.hpp`` and ``sequential_reduce.hpp`` in ``native/core``, which do it in O((n + m) log n) without
recursion.

Jobs whose cost depends on the order (one of several readers, the last of which frees a datum) are not folded. What is
left is a smaller dag with the same least peak, on which the other methods work.

Orders of small peak for any dag, in near-linear time.

*Greedy*: what does not raise the memory runs at once; of the rest, a rule takes the most promising. The rules, and
what they count: ``native/core/sequential_greedy.hpp``. Each rule also looks from behind: on the dag turned round in
time an order has the same peak, and where jobs come together it is often the easier end to start from.

*Forest*: a good order tells for which of its parents a job waits longest. With these alone the dag is a forest, which
is solved exactly and ranks the jobs anew (``native/core/sequential_forest.hpp``). Forwards and backwards in turn, as
long as it helps.

Both work on the folded dag: whatever is series-parallel is already in its best order.

Orders that compete for the smallest peak: the best so far, and what each method came to.

The answer to how low one can go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from eligo import _core
from eligo.dag import Int32
from eligo.memory._footprint import Footprint
from eligo.memory._sequential.sequential_peak import STEPS, alpha_bfs_dfs, bfs, dfs, floor_of, folded_costs, peak_of

__all__ = [
    "BUDGET",
    "MOST_NODES",
    "RULES",
    "Candidates",
    "Sequential",
    "least_peak",
    "orders_within",
    "sequential",
    "series_parallel",
    "try_beams",
    "try_chain",
    "try_forests",
    "try_greedy",
    "try_proof",
    "try_search",
]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sequential:
    """An order of the jobs, one after the other, with what it occupies.

    Attributes
    ----------
    order
        Every job once, parents before children.
    peak
        What it occupies at most.
    method
        What found it.
    proved
        Whether no order has a smaller peak.
    candidates
        The peak of each method that was tried, in the order in which they were.
    """

    order: Int32
    peak: int
    method: str
    proved: bool
    candidates: dict[str, int] = field(default_factory=dict)


class Candidates:
    """The best order so far; of orders with equal peaks the first that was tried."""

    def __init__(self, footprint: Footprint) -> None:
        self.footprint = footprint
        self.floor = floor_of(footprint)
        self.peaks: dict[str, int] = {}
        self.orders: dict[str, Int32] = {}
        self.method = ""
        self.proved = footprint.dag.n == 0

    def try_order(self, method: str, order: Int32) -> int:
        """Enter an order; return its peak."""
        peak = peak_of(self.footprint, order)
        if not self.method or peak < self.peak:
            self.method = method
        if method not in self.peaks or peak < self.peaks[method]:
            self.peaks[method] = peak
            self.orders[method] = order
        self.proved = self.proved or self.peak <= self.floor
        return peak

    @property
    def peak(self) -> int:
        """The smallest peak so far."""
        return self.peaks[self.method]

    @property
    def order(self) -> Int32:
        """An order that has it."""
        return self.orders[self.method]

    def result(self) -> Sequential:
        """Return the best."""
        order = np.array(self.order, np.int32)
        order.flags.writeable = False
        return Sequential(order, self.peak, self.method, self.proved, dict(self.peaks))


def series_parallel(footprint: Footprint) -> Sequential | None:
    """Return an order with the least peak of all, or None where the dag does not fold to a chain.

    Examples
    --------
    Two branches grow together; the one with the higher hill must go first.

    >>> from eligo.memory._models import Dag, Data, footprint
    >>> data = Data.build([1, 9, 1, 1], producer=[0, 1, 2, 3], readers=[[2], [3], [4], [4]])
    >>> dag = Dag.from_edges(5, [0, 1, 2, 3], [2, 3, 4, 4], data=data)
    >>> found = series_parallel(footprint(dag, "shared"))
    >>> found.order.tolist(), found.peak, found.proved
    ([1, 3, 0, 2, 4], 10, True)
    """
    candidates = Candidates(footprint)
    return candidates.result() if try_chain(folded_costs(footprint), candidates) else None


def try_chain(folded: _core.Costs, candidates: Candidates) -> bool:
    """Enter the only order that is left, if only one is: it has the least peak."""
    if not folded.chain:
        return False
    candidates.try_order("series-parallel", folded.greedy(0, False))
    candidates.proved = True
    return True


RULES = ("least-net", "least-behind", "least-share", "newest", "steepest")
"""Which of the jobs that raise the memory goes first; in the order of the kernel."""

_RULES_WHEN_LARGE = ("least-behind", "newest")
_RULES_WHEN_HUGE = ("least-behind",)
_LARGE, _HUGE = 200_000, 600_000
_FOREST_WORK = 1_500_000
"""How many nodes all forests together may have; one is solved in any case."""


def try_greedy(costs: _core.Costs, candidates: Candidates) -> None:
    """Try all rules, forwards and backwards; on large dags the two that differ most, on huge ones the best."""
    rules = _RULES_WHEN_HUGE if costs.nodes > _HUGE else _RULES_WHEN_LARGE if costs.nodes > _LARGE else RULES
    for rule in rules:
        candidates.try_order(rule, costs.greedy(RULES.index(rule), False))
        candidates.try_order(f"{rule}-backwards", costs.greedy(RULES.index(rule), True))


def try_forests(costs: _core.Costs, candidates: Candidates) -> None:
    """Improve the orders so far, the best first, within a budget of work."""
    rounds_left = max(1, _FOREST_WORK // max(1, costs.nodes))
    starts = sorted(candidates.orders, key=lambda method: candidates.peaks[method])
    for order in [candidates.orders[method] for method in starts]:
        if candidates.proved or rounds_left <= 0:
            return
        rounds_left -= _improve(costs, candidates, order, min(8, rounds_left))


def _improve(costs: _core.Costs, candidates: Candidates, order: Int32, rounds: int) -> int:
    """Solve forests made from one order, in turns from both ends, until it stops helping; return how many."""
    lowest, since = peak_of(candidates.footprint, order), 0
    for turn in range(rounds):
        order = costs.by_forest(order, turn % 2 == 1)
        peak = candidates.try_order("forest", order)
        since = 0 if peak < lowest else since + 1
        lowest = min(peak, lowest)
        if since == 3:
            return turn + 1
    return rounds


BUDGET = 16_000_000
"""What beams and searches may look at; some tenths of a second each."""

MOST_NODES = 20_000
"""Larger dags are not searched: one set of their jobs after the other would be most of the work."""

_WIDTHS = (1, 4, 16, 64)


def least_peak(footprint: Footprint, budget: int = 4 * BUDGET) -> tuple[int, Int32, bool]:
    """Return the least peak of any order, an order that has it, and whether this is certain.

    Parameters
    ----------
    budget
        How many jobs the search may look at. Dags of 20 jobs need a fraction of the default; series-parallel ones none.

    Examples
    --------
    >>> from eligo.memory._models import Dag, Data, footprint
    >>> data = Data.build([4, 2, 1], producer=[0, 1, 2], readers=[[2, 3], [3], []])
    >>> dag = Dag.from_edges(4, [0, 0, 1], [2, 3, 3], data=data)
    >>> peak, order, exact = least_peak(footprint(dag, "shared"))
    >>> peak, order.tolist(), exact
    (6, [1, 0, 3, 2], True)
    """
    candidates = Candidates(footprint)
    folded = folded_costs(footprint)
    if not try_chain(folded, candidates):
        try_greedy(folded, candidates)
        try_forests(folded, candidates)
        if folded.nodes <= MOST_NODES:
            try_search(folded, candidates, budget)
            try_beams(folded, candidates, budget)
        try_proof(folded, candidates, budget)
    found = candidates.result()
    return found.peak, found.order, found.proved


def try_search(folded: _core.Costs, candidates: Candidates, budget: int) -> None:
    """Search for an order better than the best so far, or for the proof that there is none."""
    if candidates.proved:
        return
    order, settled, _ = folded.least(candidates.floor, candidates.peak, budget)
    if len(order):
        candidates.try_order("search", order)
    candidates.proved = candidates.proved or settled


def try_beams(folded: _core.Costs, candidates: Candidates, budget: int) -> None:
    """Try beams of growing width, from both ends, as long as the budget allows."""
    for from_behind in (False, True):
        for width in _WIDTHS:
            if candidates.proved:
                return
            order = folded.beam(candidates.floor, width, budget, from_behind)
            if not len(order):
                break
            candidates.try_order("beam-backwards" if from_behind else "beam", order)


def try_proof(folded: _core.Costs, candidates: Candidates, budget: int) -> None:
    """Try to prove that no order is better than the best so far, by costs settled as they are in it."""
    if candidates.proved or folded.fixed:
        return
    settled = folded.settled(candidates.order).folded()
    if settled.chain:
        candidates.proved = settled.peak(settled.greedy(0, False)) >= candidates.peak
        return
    if settled.nodes > MOST_NODES:
        return
    order, done, _ = settled.least(candidates.floor, candidates.peak, budget)
    candidates.proved = done and not len(order)


def sequential(footprint: Footprint, budget: int = BUDGET) -> Sequential:
    """Return the order with the smallest peak that any method finds, and whether it is proved least.

    Parameters
    ----------
    budget
        How many jobs beams and searches may look at; 0 leaves them out.

    Examples
    --------
    >>> from eligo.memory._models import Dag, Data, footprint
    >>> data = Data.build([5, 5, 1, 1], producer=[0, 1, 2, 3], readers=[[2], [3], [], []])
    >>> dag = Dag.from_edges(4, [0, 1], [2, 3], data=data)
    >>> found = sequential(footprint(dag, "shared"))
    >>> found.order.tolist(), found.peak, found.method, found.proved
    ([0, 2, 1, 3], 7, 'dfs', True)
    >>> found.candidates
    {'bfs': 11, 'dfs': 7, 'series-parallel': 7}
    """
    candidates = Candidates(footprint)
    candidates.try_order("bfs", bfs(footprint.dag))
    candidates.try_order("dfs", dfs(footprint.dag))
    if candidates.proved:
        return candidates.result()
    folded = folded_costs(footprint)
    if not try_chain(folded, candidates):
        try_greedy(folded, candidates)
        try_forests(folded, candidates)
        if budget and folded.nodes <= MOST_NODES:
            try_beams(folded, candidates, budget)
            try_search(folded, candidates, budget)
        try_proof(folded, candidates, budget)
    return candidates.result()


def orders_within(footprint: Footprint, limit: int) -> list[tuple[str, Int32]]:
    """Return simple orders whose peak is within a limit, those that leave most to do at the same time first.

    That is breadth first, mixtures with more and more of depth first (``alpha-0.05`` to ``alpha-0.95``), and depth
    first. Where none is within the limit, the order that ``sequential`` finds may be.

    Examples
    --------
    >>> from eligo.memory._models import Dag, Data, footprint
    >>> dag = Dag.from_edges(4, [0, 1], [2, 3], data=Data.build([5, 5], producer=[0, 1], readers=[[2], [3]]))
    >>> [method for method, _ in orders_within(footprint(dag, "shared"), 9)]
    ['alpha-0.55']
    """
    found: list[tuple[str, Int32]] = []
    seen: set[bytes] = set()

    def consider(method: str, order: Int32) -> None:
        if order.tobytes() not in seen and peak_of(footprint, order) <= limit:
            seen.add(order.tobytes())
            found.append((method, order))

    consider("bfs", bfs(footprint.dag))
    for steps in range(1, STEPS):
        consider(f"alpha-{steps / STEPS:.2f}", alpha_bfs_dfs(footprint.dag, steps))
    consider("dfs", dfs(footprint.dag))
    return found
