"""What *depth first* means, on which the smallest bound of 004 depends, and with it how often heuristics fail.

004 calls depth-first what "always completes a parallel branch before starting a new one", and leaves open which of
several branches comes first, and what a job does that waits for several. Three readings:

* ``branch by branch``: Eligo's own, which goes back from a job that waits for its other parents (``sequential.dfs``);
* ``last branch first``: the same with children, and jobs that nothing comes before, from the last to the first;
* ``reverse postorder``: what textbooks call sorting by depth-first search. A job is finished when all that follows it
  is; the order is that of finishing, backwards. It too begins with the last branch.

Each gives a peak, and a heuristic that fails at one of them may succeed at another that is larger by half a percent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eligo.dag import Dag, Int32
from eligo.memory._models import footprint
from eligo.memory._sequential import dfs, peak_of
from eligo.memory._worst_peak import worst_peak
from eligo_papers.memory.graphs import Reference, load
from eligo_papers.memory.literal import RULES, serialize

__all__ = ["ORDERS", "count_by_order", "last_branch_first", "reverse_postorder"]


def last_branch_first(dag: Dag) -> Int32:
    """Return the depth-first order that takes the last of several branches first.

    Examples
    --------
    >>> last_branch_first(Dag.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 4])).tolist()
    [0, 2, 4, 1, 3]
    """
    last = dag.n - 1
    turned = Dag.from_edges(dag.n, last - dag.tails, last - dag.heads)
    return last - dfs(turned)


def reverse_postorder(dag: Dag) -> Int32:
    """Return the jobs in the reverse of the order in which a depth-first search is done with them.

    Examples
    --------
    >>> reverse_postorder(Dag.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 4])).tolist()
    [0, 2, 4, 1, 3]
    """
    done: list[int] = []
    seen = np.zeros(dag.n, bool)
    for root in np.flatnonzero(np.diff(dag.pred_ptr) == 0).tolist():
        seen[root] = True
        path = [(root, iter(dag.children(root).tolist()))]
        while path:
            child = next((one for one in path[-1][1] if not seen[one]), None)
            if child is None:
                done.append(path.pop()[0])
            else:
                seen[child] = True
                path.append((child, iter(dag.children(child).tolist())))
    return np.array(done[::-1], np.int32)


ORDERS: Mapping[str, Callable[[Dag], Int32]] = {
    "branch by branch": dfs,
    "last branch first": last_branch_first,
    "reverse postorder": reverse_postorder,
}


def count_by_order(graphs: Sequence[Reference]) -> dict[str, Any]:
    """Count how often Algorithm 2 as printed fails at the peak of each order, ties to the first node of S.

    Returns
    -------
    dict
        For each order how many graphs it leaves something to limit on (``cases``), worst peak over its own (``ratios``)
        and failures by rule (``failed``).

    Examples
    --------
    >>> found = count_by_order([["DAGGEN sparse", 2]])["reverse postorder"]
    >>> found["cases"], found["failed"]
    (1, {'min-levels': 0, 'max-min-size': 0, 'max-size': 0})
    """
    found: dict[str, Any] = {name: {"cases": 0, "ratios": [], "failed": dict.fromkeys(RULES, 0)} for name in ORDERS}
    for reference in graphs:
        print_ = footprint(load(reference))
        high = worst_peak(print_, trials=0).bound
        for name, order in ORDERS.items():
            low = peak_of(print_, order(print_.dag))
            if low == high:
                continue
            of = found[name]
            of["cases"] += 1
            of["ratios"].append(high / low)
            for rule in RULES:
                of["failed"][rule] += serialize(print_, low, rule).dag is None
    return found
