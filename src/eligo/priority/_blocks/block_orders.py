"""One entry for every bipartite block: an order of its sources, what it yields, and whether that is proved best.

*Problem.* Blocks are cut out of dags by the thousand. Most are complete, some are strands or cycles, whose best orders
are known; any other is ordered by rules, and it remains to be found out whether the result is IC-optimal.

*Attempts*, in this order; each is right on its own, so where several apply they agree:

1. complete blocks (any order is best) and s-Cycles (any order around);
2. sums of strands (``strands``), always IC-optimal;
3. the best rule (``block_rules``). Charge every sink to its last parent: no set of x sources can make more ELIGIBLE
   than the x largest charges, so increments of e that never grow prove the order optimal (*concave*). So do increments
   in the dual, where packets are executed last to first (*dual-concave*);
4. forests: e_max by rows along the trees (``bipartite_trees``); an order that reaches it is optimal;
5. exact search over sets of sources, within a budget (``exact``), which also finds that no IC-optimal order exists.
   Then the order of largest AREA is taken, if the budget allows.

*Cost.* O(s) for complete blocks, O(S + s log^2 s) for strands, near-linear for rules, O(s^2) for forests of up to 5,000
sources; the budget bounds the rest.

Good orders for any bipartite block: several rules, each near-linear, and the best of them.

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

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from eligo import _core
from eligo.dag import Int32, Int64
from eligo.errors import EligoError, InfeasibleError
from eligo.priority import _exact as exact
from eligo.priority._blocks.bipartite import Bipartite, best_of_forest
from eligo.priority._blocks.strands import find_strands, schedule_strands

__all__ = [
    "BUDGET",
    "RULES",
    "BlockSchedule",
    "RuleOrder",
    "best_rule",
    "order_by_rule",
    "schedule_block",
]

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


BUDGET = 100_000
"""How many states exact search may visit for one block."""

_WIDEST_SEARCH = 200
_LARGEST_FOREST = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class BlockSchedule:
    """How the sources of a block are executed.

    Attributes
    ----------
    order
        The sources in order.
    e
        e(0), ..., e(s): how many sinks are ELIGIBLE after so many sources.
    kind
        What the block is, for people.
    optimal
        Whether the order is IC-optimal; ``False`` where no order is, ``None`` where that is not known.
    witness
        The proof that it is, as a certificate holds it: the cheapest to check; ``None`` unless optimal.
    optimal_e
        e_max(0), ..., e_max(s), the best of any order at each step, where it is known.

    Examples
    --------
    >>> block = Bipartite(3, np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32))
    >>> found = schedule_block(block)
    >>> found.kind, found.optimal, found.e, found.witness
    ('(2,2)-W', True, array([0, 1, 3]), {'by': 'bipartite-tree'})
    """

    order: Int32
    e: Int64
    kind: str
    optimal: bool | None
    witness: dict[str, Any] | None
    optimal_e: Int64 | None = None


def schedule_block(block: Bipartite, budget: int = BUDGET) -> BlockSchedule:
    """Order the sources of a block, and settle if possible whether any order could do better.

    Parameters
    ----------
    block
        Connected or not.
    budget
        How many states exact search may visit; 0 for none.

    Examples
    --------
    >>> clique = Bipartite(2, np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32))
    >>> schedule_block(clique).kind
    '2-clique'

    Three sources of which the first two, or the last alone, are best at the start: no order is best throughout.

    >>> odd = Bipartite(3, np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32))
    >>> found = schedule_block(odd)
    >>> found.optimal, found.e.tolist(), found.optimal_e.tolist()
    (False, [0, 1, 1, 3], [0, 1, 2, 3])
    """
    if block.edges == block.sources * block.sinks:
        return _complete(block.sources, block.sinks)
    return _cycle(block) or _strands(block) or _by_rule(block, budget)


def _proved(order: Int32, e: Int64, kind: str, otherwise: dict[str, Any]) -> BlockSchedule:
    return BlockSchedule(order, e, kind, True, _proof_by_gains(e) or otherwise, e)


def _proof_by_gains(e: Int64) -> dict[str, Any] | None:
    """Return the proof that needs no more than the increments of e, if they are one."""
    gains = e[1:] - e[:-1]
    if (gains[1:] <= gains[:-1]).all():
        return {"by": "concave"}
    if (gains <= 1).all():
        # In the dual each sink, last to first, yields the sources executed since the sink before it.
        steps = np.flatnonzero(gains)
        waits = np.diff(steps, prepend=-1)
        if (waits[1:] >= waits[:-1]).all():
            return {"by": "dual-concave"}
    return None


def _complete(s: int, sinks: int) -> BlockSchedule:
    e = np.zeros(s + 1, np.int64)
    e[s] = sinks
    if s == 0:
        kind, by = "empty block", "concave"
    elif s == 1:
        kind, by = "1-N" if sinks == 1 else f"(1,{sinks})-W", "concave"
    elif sinks == 1:
        kind, by = f"(1,{s})-M", "dual-concave"
    else:
        kind, by = f"{s}-clique" if s == sinks else f"complete {s}x{sinks}", "family"
    witness = {"by": by, "family": "complete"} if by == "family" else {"by": by}
    return BlockSchedule(np.arange(s, dtype=np.int32), e, kind, True, witness, e)


def _cycle(block: Bipartite) -> BlockSchedule | None:
    s = block.sources
    if block.sinks != s or block.edges != 2 * s:
        return None
    order = _core.cycle_row(block.ptr, block.idx, s)
    if len(order) == 0:
        return None
    e = np.arange(-1, s, dtype=np.int64)
    e[0], e[s] = 0, s
    return _proved(order, e, f"{s}-cycle", {"by": "family", "family": "cycle"})


def _may_be_forest(block: Bipartite) -> bool:
    return block.edges < block.sources + block.sinks


def _strands(block: Bipartite) -> BlockSchedule | None:
    strands = find_strands(block) if _may_be_forest(block) else None
    if strands is None:
        return None
    order = schedule_strands(block, strands)
    return _proved(order, block.eligible_sinks(order), strands.kind, {"by": "bipartite-tree"})


def _by_rule(block: Bipartite, budget: int) -> BlockSchedule:
    found = best_rule(block)
    best = None
    kind = f"block of {block.sources:,} sources and {block.sinks:,} sinks"
    if _may_be_forest(block) and block.sources <= _LARGEST_FOREST:
        with suppress(EligoError):  # it has a cycle after all
            best = best_of_forest(block)
            kind = f"tree of {block.sources:,} sources and {block.sinks:,} sinks"
    by_gains = _proof_by_gains(found.e)
    if by_gains is not None:
        return BlockSchedule(found.order, found.e, kind, True, by_gains, found.e)
    if best is not None and np.array_equal(found.e, best):
        return BlockSchedule(found.order, found.e, kind, True, {"by": "bipartite-tree"}, best)
    unknown = BlockSchedule(found.order, found.e, kind, None, None, best)
    return _by_search(block, unknown, budget) if 0 < block.sources <= _WIDEST_SEARCH and budget > 0 else unknown


def _by_search(block: Bipartite, found: BlockSchedule, budget: int) -> BlockSchedule:
    """Settle by exact search, if the budget allows, what the rules left open."""
    dag, s = block.to_dag(), block.sources
    try:
        answer = exact.search(dag, budget, count=False)
    except InfeasibleError:
        return found
    best = answer.profile[: s + 1] - np.arange(s, -1, -1)
    if answer.order is not None:
        known = found.optimal_e is not None
        witness = {"by": "bipartite-tree"} if known else exact.search_witness(answer, answer.order)
        return BlockSchedule(answer.order[:s], best, found.kind, True, witness, best)
    order, e = found.order, found.e
    try:
        largest = exact.largest_area(dag, budget).order
    except InfeasibleError:
        pass
    else:
        largest = largest[largest < s]
        if (e_largest := block.eligible_sinks(largest)).sum() > e.sum():
            order, e = largest, e_largest
    return BlockSchedule(order, e, found.kind, False, None, best)
