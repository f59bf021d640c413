"""The exact least peak of small dags, and what a bounded search can do for larger ones.

*Search* goes through the sets of jobs that may have run, the lowest peak first (``native/core/sequential_least.hpp``).
*Beam* keeps only the most promising sets of each size (``sequential_beam.hpp``), forwards and backwards.

*Proof by settled costs*: suppose every datum were freed by the reader that is last in the best order found, in all
orders. Then no order occupies more than it really does. If even so none has a smaller peak, the order found has the
least; and with fixed costs more of the dag can be folded.

Budgets count work, never seconds.
"""

from __future__ import annotations

from eligo import _core
from eligo.dag import Int32
from eligo.memory.footprint import Footprint
from eligo.memory.sequential.candidates import Candidates
from eligo.memory.sequential.costs import folded_costs
from eligo.memory.sequential.greedy import try_forests, try_greedy
from eligo.memory.sequential.series_parallel import try_chain

__all__ = ["BUDGET", "MOST_NODES", "least_peak", "try_beams", "try_proof", "try_search"]

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
    >>> from eligo.memory.models import Dag, Data, footprint
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
