"""The strategy ``prio-2006``: the heuristic of Malewicz, Foster, Rosenberg and Wilde 2006 as printed, only made valid.

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

from eligo import _core
from eligo.dag import Dag, Int32
from eligo.errors import InfeasibleError

__all__ = ["BUDGET", "parts_2006", "prio_2006"]

BUDGET = 20_000_000
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


def prio_2006(dag: Dag, budget: int = BUDGET) -> Int32:
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
