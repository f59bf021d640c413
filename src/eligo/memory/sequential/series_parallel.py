"""The least peak of trees and series-parallel dags, in near-linear time, and of what folds to a chain.

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
"""

from __future__ import annotations

from eligo import _core
from eligo.memory.footprint import Footprint
from eligo.memory.sequential.candidates import Candidates
from eligo.memory.sequential.costs import folded_costs
from eligo.memory.sequential.result import Sequential

__all__ = ["series_parallel", "try_chain"]


def series_parallel(footprint: Footprint) -> Sequential | None:
    """Return an order with the least peak of all, or None where the dag does not fold to a chain.

    Examples
    --------
    Two branches grow together; the one with the higher hill must go first.

    >>> from eligo.memory.models import Dag, Data, footprint
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
