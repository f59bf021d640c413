"""Strategy ``prio``: block by block, the block that loses least first (Malewicz, Foster, Rosenberg and Wilde 2006).

*Problem.* Order the jobs of any dag so that as many as possible are ELIGIBLE at every step, and let the order be
IC-optimal wherever the theory of priorities finds one.

*Idea.* The six steps of their section 3.1, for a dag without shortcuts (step 1 is the caller's), mended where the
errata show a need:

2. the dag is cut into blocks (``decompose``), so that no arc is lost;
3. each block is given an order of its own. Optimal orders are known for complete blocks, cycles and sums of strands;
   others get the best of several rules, and small ones that no rule proves optimal are searched, within a budget;
4. blocks are compared by r-priority, all ELIGIBLE jobs counted: r is the fraction of the possible number of ELIGIBLE
   jobs that executing one block before another is sure to keep;
5. no step fails, so none is verified;
6. of the blocks that wait for no other, the one is executed whose smallest r over the others is largest, of equals the
   one with the lowest job; sinks come last.

*Invariant.* Where the blocks' orders are optimal and each block has priority 1 over the next, the order is IC-optimal
(their section 2; ERRATA, part 1, section 3). Where the theoretical algorithm succeeds, step 6 makes such choices. That
every choice was free of loss is not enough: a block may wait behind another that it should have gone before. In
``0->1; 2->3; 3->4,5,6`` the first two blocks are equal, 0 goes first, and 2, 3 first would have been better.

*Cost.* Near-linear: blocks of equal structure are ordered once, blocks of equal yields are one class, and two classes
are compared only where they compete. Work is bounded, and where it is used up a cheaper rule takes over
(``native/core/prio_schedules.hpp``, ``prio_sequence.hpp``).

The strategy ``prio-2006``: the heuristic of Malewicz, Foster, Rosenberg and Wilde 2006 as printed, only made valid.

*Problem.* An order of the jobs of any dag that keeps many of them ELIGIBLE. This is the tool that people know from the
paper, to compare with; ``prio`` is the same idea repaired.

*Idea* (their section 3.1). Shortcuts are removed. For a source s of what is left of the dag, C(s) is the smallest set
with s, with all children of a source in it and all parents of a job in it; a C(s) that contains no other is detached,
again and again. Each part is ordered on its own: from left to right where it is one of the families of their Fig. 2 (W,
M, N, Cycle, Clique), else by outdegree. Of the parts that wait for no other the one comes next whose smallest priority
over any other is largest. All sinks come last.

*What the text leaves open, and how it is taken here.*

* Which C(s) is detached first: it does not matter. Detaching one of the smallest sets touches no other, so the parts
  are always the same; "bipartite ones first" is a matter of speed.
* Ties: the job with the lower number, the part whose lowest non-sink has the lower number. Of two directions from left
  to right the one whose first job has the lower number.
* Outdegree counts the children in the part.
* ELIGIBLE jobs are all counted, sources too, as in their section 2.1.

*What had to be mended* (ERRATA, part h). "In the order of outdegree" is taken among ELIGIBLE jobs; else it may be no
order of the dag. And an arc from a part's job to a job outside the part that is in no part (a *lost arc*) makes the one
part wait for the other; else a job may come before its parent. Such an arc still counts for nothing in the priorities.

*Cost.* O(n + m) for the parts, by one depth-first search (``native/core/prio2006_decompose.hpp``), O(m log n) for their
orders. Priorities are worked out only where they can matter (``native/core/superdag_queue.hpp``), which is linear on
all workflows we know; a thousand parts that all differ would take quadratic time, so the work is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError, InfeasibleError
from eligo.graph import sinks
from eligo.priority import _exact as exact
from eligo.priority._blocks.block_orders import schedule_block
from eligo.priority._decompose import Blocks, decompose
from eligo.priority._priority_relation import yields_of
from eligo.schedule import Schedule

__all__ = [
    "PRIO_2006_BUDGET",
    "PRIO_BUDGET",
    "PrioOrder",
    "parts_2006",
    "prio",
    "prio_2006",
]

PRIO_BUDGET = 100_000
"""How many states exact search may visit for all blocks together: a tenth of a second."""

_MOST_SEARCHES = 200
_WIDEST_SEARCH = 200  # non-sinks of a block that is searched
# Stretches of profiles that are looked at in comparing blocks: in all, and for one pair of classes.
_WEIGHING_BUDGET = 40_000_000
_MOST_FOR_PAIR = 2_000_000
_NO_GUIDE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class PrioOrder:
    """The order of strategy ``prio``, and what is known of how it came about.

    Attributes
    ----------
    order
        All jobs: the non-sinks, then the sinks, ascending.
    blocks
        The blocks; ``blocks.of`` has the block of each job.
    sequence
        The blocks as they are executed.
    classes
        How many different profiles the blocks have.
    loss
        The smallest fraction of the possible number of ELIGIBLE jobs that a choice between blocks was sure to keep: 1
        where none lost anything, ``None`` where some choices were too many to be weighed.
    falls
        Whether each block has priority 1 over the next.
    unproved
        How many blocks have an order that is not proved optimal.
    """

    order: Int32
    blocks: Blocks
    sequence: Int32
    classes: int
    loss: Fraction | None
    falls: bool
    unproved: int

    @property
    def ic_optimal(self) -> bool:
        """Whether the order is IC-optimal by the theory of priorities; where not, it may be all the same."""
        return self.falls and self.unproved == 0


def prio(dag: Dag, *, budget: int = PRIO_BUDGET, guide: Int32 | None = None, blocks: Blocks | None = None) -> PrioOrder:
    """Order the jobs of a dag block by block, by r-priority.

    Parameters
    ----------
    dag
        Without shortcuts; with them the order is valid, but the blocks are larger than need be.
    budget
        How many states exact search may visit, for all blocks together; 0 for no search.
    guide
        An order of all jobs, by another strategy. Blocks without a known best order are also tried in its order, and
        large ones that are not bipartite in no other: their own rule would take long.
    blocks
        The blocks of the dag, where they are there already.

    Examples
    --------
    The example of Malewicz et al. 2006:

    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> found = prio(dag)
    >>> [dag.names[job] for job in found.order], found.loss, found.ic_optimal
    (['c', 'a', 'b', 'd', 'e'], Fraction(1, 1), True)
    """
    if budget < 0:
        raise EligoError(f"a budget of {budget} states allows nothing", hint="0 is no search")
    blocks = blocks or decompose(dag)
    structure, first = blocks.structures()
    orders = _orders(blocks, first, _NO_GUIDE if guide is None else guide)
    _search(blocks, structure, first, orders, budget)
    sequence, classes, weighed, part, whole, falls = _core.block_sequence(
        blocks.of,
        blocks.head_ptr,
        blocks.heads,
        structure,
        orders.ptr,
        orders.gains,
        orders.sources,
        _WEIGHING_BUDGET,
        _MOST_FOR_PAIR,
    )
    nonsinks = _core.jobs_of_sequence(
        sequence, blocks.nonsink_ptr, blocks.nonsinks, structure, orders.ptr, orders.order
    )
    return PrioOrder(
        order=np.concatenate([nonsinks, sinks(dag)]),
        blocks=blocks,
        sequence=sequence,
        classes=classes,
        loss=Fraction(part, whole) if weighed == blocks.count else None,
        falls=falls,
        unproved=int((~orders.proved[structure]).sum()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Orders:
    """Of each structure: an order of its non-sinks, numbered among themselves, its gains, and whether it is proved."""

    ptr: Int64
    order: Int32
    gains: Int64
    sources: Int32
    proved: np.ndarray[tuple[int], np.dtype[np.bool_]]

    def replace(self, structure: int, order: Int32, gains: Int64, *, proved: bool) -> None:
        rows = slice(self.ptr[structure], self.ptr[structure + 1])
        self.order[rows], self.gains[rows], self.proved[structure] = order, gains, proved


def _orders(blocks: Blocks, first: Int32, guide: Int32) -> _Orders:
    dag = blocks.dag
    ptr, order, gains, sources, proved = _core.structure_orders(*blocks.rows, dag.pred_ptr, dag.pred, first, guide)
    return _Orders(ptr, order, gains, sources, proved.view(np.bool_))


def _search(blocks: Blocks, structure: Int32, first: Int32, orders: _Orders, budget: int) -> None:
    """Search for the orders of small structures that rules leave open, those of the most blocks first."""
    open_ones = np.flatnonzero(~orders.proved & (np.diff(orders.ptr) <= _WIDEST_SEARCH))
    if budget == 0 or not len(open_ones):
        return
    times = np.bincount(structure, minlength=len(first))[open_ones]
    chosen = open_ones[np.argsort(-times, kind="stable")][:_MOST_SEARCHES]
    share = max(1, budget // len(chosen))
    for number in chosen.tolist():
        block = int(first[number])
        if blocks.bipartite[block]:
            found = schedule_block(blocks.bipartite_of(block), share)
            if found.optimal is not None:
                orders.replace(number, found.order, np.diff(found.e), proved=found.optimal)
        else:
            _search_general(blocks, block, number, orders, share)


def _search_general(blocks: Blocks, block: int, number: int, orders: _Orders, budget: int) -> None:
    dag, _ = blocks.dag_of(block)
    try:
        answer = exact.search(dag, budget, count=False)
        order = answer.order if answer.order is not None else exact.largest_area(dag, budget).order
    except InfeasibleError:
        return
    inner = np.diff(dag.succ_ptr) > 0
    rank = np.cumsum(inner) - 1
    gains = np.diff(yields_of(Schedule.of(dag, order)))
    orders.replace(number, rank[order[inner[order]]].astype(np.int32), gains, proved=answer.exists)


PRIO_2006_BUDGET = 20_000_000
"""How many stretches of profiles may be looked at to compare parts: a second or two. Workflows take thousands."""


def parts_2006(dag: Dag) -> tuple[Int32, Int32, int]:
    r"""Cut a dag without shortcuts into the parts of the paper.

    Returns
    -------
    of
        For each job the part of which it is a non-sink; -1 for sinks of the dag.
    into
        For each job the part in which it has parents; -1 where there is none. An edge (u, v) lies in a part if
        ``of[u] == into[v]``, else it is lost.
    count
        How many parts there are. They are numbered by their lowest non-sinks; jobs that stand alone are in none.

    Examples
    --------
    The smallest dag that loses an edge, from 2 to 4::

        0     1
        | \  / \
        2   3   |
        | \     |
        4   '-- 5

    >>> dag = Dag.from_edges(6, [0, 0, 1, 1, 2, 2], [2, 3, 3, 5, 4, 5])
    >>> of, into, count = parts_2006(dag)
    >>> of.tolist(), into.tolist(), count
    ([0, 0, 0, -1, -1, -1], [-1, -1, 0, 0, -1, 0], 1)
    """
    return _core.parts2006(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred)


def prio_2006(dag: Dag, budget: int = PRIO_2006_BUDGET) -> Int32:
    """Order the jobs of a dag without shortcuts by the heuristic of 2006.

    Parameters
    ----------
    dag
        Without shortcuts (:func:`eligo.graph.remove_shortcuts`). With them the order is valid, but not the paper's.
    budget
        How many stretches of profiles may be looked at to compare parts.

    Raises
    ------
    InfeasibleError
        To compare the parts would take more.

    Examples
    --------
    The example of the paper:

    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> [dag.names[job] for job in prio_2006(dag)]
    ['c', 'a', 'b', 'd', 'e']
    """
    order = _core.prio2006(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, budget)
    if order is None:
        raise InfeasibleError(
            f"to compare the parts of this dag takes prio-2006 more than the {budget:,} steps it is allowed",
            hint="use the strategy prio or area, which have no such limit",
        )
    return order
