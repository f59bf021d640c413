"""Good orders for any bipartite block: several rules, each near-linear, and the best of them.

*Problem.* Many bipartite blocks are no strand, clique or cycle, and the best order of a large one cannot be searched
for. Executing sources by outdegree, as the tool of 2006 does, loses some percent of the AREA and is rarely IC-optimal
where it could be.

*Rules.* Each says which source comes next, or last, given what is executed:

``potential``
    The largest sum over its children of 4^-(number of parents the child lacks).
``yield``
    The most sinks made ELIGIBLE at once; of equals the largest potential.
``packet``
    A packet is the set of parents that a sink lacks. Execute the packet that completes the most sinks for each of its
    sources; of equals the smallest, then the one of largest potential.
``backward``
    Put last what costs the fewest sinks, given what is put last already; of equals what makes others cheapest.
``dual-...``
    The same on the dual block, turned back by packets. Where a rule errs on a block, its twin mostly does not.
``outdegree``
    The most children first. Known to be weak; it is here so that no rule is ever worse.

*Cost.* O(16 m log s) for m edges: a sink changes the potentials of its parents only while it lacks 16 or less. The
packet rule also keeps up to date which packets complete which sinks; its work is bounded by a number of edges looked
at, after which potentials order the rest. Blocks of more than 50,000 edges are given four of the rules. 10^5 sources
and 3*10^5 edges take about half a second.

*Quality.* Of random connected blocks with 5 to 11 sources, the best of these loses 0.000 to 0.015 % of AREA and is
IC-optimal in 99 to 100 % of the cases where that is possible (outdegree: 2 to 5 %, and 0 to 44 %).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eligo import _core
from eligo.dag import Int32, Int64
from eligo.errors import EligoError
from eligo.priority.bipartite import Bipartite

__all__ = ["RULES", "RuleOrder", "best_rule", "order_by_rule"]

RULES = (
    "potential",
    "yield",
    "packet",
    "backward",
    "dual-potential",
    "dual-yield",
    "dual-packet",
    "dual-backward",
    "outdegree",
)
"""The names of the rules, in the order in which the kernel numbers them."""

_PACKET_BUDGET = 10_000_000
_MOST_EDGES_FOR_ALL = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class RuleOrder:
    """An order of a block's sources that a rule made.

    Attributes
    ----------
    order
        The sources.
    e
        e(0), ..., e(s): how many sinks are ELIGIBLE after so many.
    rule
        Which of :data:`RULES` made it.
    """

    order: Int32
    e: Int64
    rule: str


def order_by_rule(block: Bipartite, rule: str) -> Int32:
    """Return the order of the sources by one rule.

    Examples
    --------
    Source 0 feeds sinks 0 to 3, source 1 feeds 0 to 2, source 2 feeds 3 to 5. The first has the most children, but all
    of them wait for another source; the last makes two ELIGIBLE at once:

    >>> block = Bipartite(6, np.array([0, 4, 7, 10]), np.array([0, 1, 2, 3, 0, 1, 2, 3, 4, 5], np.int32))
    >>> order_by_rule(block, "outdegree"), order_by_rule(block, "yield")
    (array([0, 1, 2], dtype=int32), array([2, 0, 1], dtype=int32))
    """
    if rule not in RULES:
        raise EligoError(f"there is no rule called {rule!r}", hint=f"one of: {', '.join(RULES)}")
    return _core.block_rule(block.ptr, block.idx, block.sinks, RULES.index(rule), _PACKET_BUDGET)


def best_rule(block: Bipartite) -> RuleOrder:
    """Return the order of largest AREA among those of the rules; of equals the first rule's.

    Examples
    --------
    >>> block = Bipartite(3, np.array([0, 2, 3, 4]), np.array([0, 1, 2, 2], np.int32))
    >>> best = best_rule(block)
    >>> best.order, best.e, best.rule
    (array([0, 1, 2], dtype=int32), array([0, 2, 2, 3]), 'potential')
    """
    order, gains, rule = _core.best_block_rule(block.ptr, block.idx, block.sinks, _PACKET_BUDGET, _MOST_EDGES_FOR_ALL)
    e = np.zeros(len(gains) + 1, np.int64)
    np.cumsum(gains, out=e[1:])
    return RuleOrder(order, e, RULES[rule])
