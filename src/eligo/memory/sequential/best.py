"""The best of all methods: how low one can go, one job after the other.

In this order, the first with the smallest peak winning: breadth first, depth first; then, on the dag in which
everything series-parallel is folded away, the chain if nothing else is left (that settles it), greedy rules from both
ends, forests, beams and search. It stops as soon as the peak is proved least: nothing can be lower than what every
execution occupies. The last two have a budget of work and are left to smaller dags; the rest is O((n + m + readers)
log n).
"""

from __future__ import annotations

from eligo.dag import Int32
from eligo.memory.footprint import Footprint
from eligo.memory.sequential.candidates import Candidates
from eligo.memory.sequential.costs import folded_costs
from eligo.memory.sequential.greedy import try_forests, try_greedy
from eligo.memory.sequential.least import BUDGET, MOST_NODES, try_beams, try_proof, try_search
from eligo.memory.sequential.peak import peak_of
from eligo.memory.sequential.result import Sequential
from eligo.memory.sequential.series_parallel import try_chain
from eligo.memory.sequential.traversals import STEPS, alpha_bfs_dfs, bfs, dfs

__all__ = ["orders_within", "sequential"]


def sequential(footprint: Footprint, budget: int = BUDGET) -> Sequential:
    """Return the order with the smallest peak that any method finds, and whether it is proved least.

    Parameters
    ----------
    budget
        How many jobs beams and searches may look at; 0 leaves them out.

    Examples
    --------
    >>> from eligo.memory.models import Dag, Data, footprint
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
    >>> from eligo.memory.models import Dag, Data, footprint
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
