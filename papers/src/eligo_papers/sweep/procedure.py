"""The scheduling procedure of 001, section 4.2, as it is printed.

Blocks are cut by ``eligo.priority._decompose`` (the parsing of [26], which the paper only cites); the rest is plain.
"""

from __future__ import annotations

from collections.abc import Sequence

from eligo import graph
from eligo.dag import Dag
from eligo.priority._decompose import decompose
from eligo_papers.definitions import plain_sweep, priority
from eligo_papers.enumeration import Ideals

__all__ = ["follow_procedure", "linearize", "sweep_all"]


def sweep_all(functions: Sequence[Sequence[int]]) -> list[int] | None:
    """Perform Algorithm IC-Sweep: for each step the number of the dag whose turn it is; ``None`` for the answer NO.

    Examples
    --------
    >>> sweep_all([[0, 3, 5], [0, 0, 1], [0, 4, 6]])
    [2, 0, 0, 2, 1, 1]
    >>> sweep_all([[0, 1], [0, 0, 2]])
    """
    best = list(functions[0])
    turns = [0] * (len(best) - 1)
    for number, e in enumerate(functions[1:], 1):
        steps = plain_sweep(best, e).steps()
        if steps is None:
            return None
        earlier = iter(turns)
        turns = [number if step else next(earlier) for step in steps]
        taken = [sum(steps[:t]) for t in range(len(steps) + 1)]
        best = [best[t - right] + e[right] for t, right in enumerate(taken)]
    return turns


def linearize(superdag: Dag, yields: Sequence[Sequence[int]]) -> list[list[int]] | None:
    """Perform step 3: a list of blocks, or of groups of blocks that are swept together; ``None`` where it gives up.

    Examples
    --------
    >>> linearize(Dag.from_edges(3, [0, 1], [2, 2]), [[0, 4, 6], [0, 3, 5], [0, 0, 1]])
    [[0, 1], [2]]
    """
    left = set(range(superdag.n))
    groups: list[list[int]] = []

    def available(blocks: set[int]) -> list[int]:
        return [block for block in sorted(blocks) if not blocks & set(superdag.parents(block).tolist())]

    while left:
        ready = available(left)
        group = next(
            ([i] for i in ready if all(priority(yields[i], yields[j]) for j in available(left - {i}))),
            ready,
        )
        after = available(left - set(group))
        if len(group) > 1 or group == ready:
            if sweep_all([yields[i] for i in group]) is None:
                return None
            if not all(priority(yields[i], yields[j]) for i in group for j in after):
                return None
        groups.append(group)
        left -= set(group)
    return groups


def follow_procedure(dag: Dag) -> list[int] | None:
    """Return the schedule that the procedure of section 4.2 produces, or ``None`` where it produces none.

    Examples
    --------
    >>> follow_procedure(Dag.from_names([("a", "b"), ("b", "d"), ("c", "d")], jobs="abcd"))
    [0, 1, 2, 3]
    """
    pruned = graph.remove_shortcuts(dag)
    blocks = decompose(pruned)
    if not blocks.bipartite.all():
        return None
    orders, yields = [], []
    for number in range(blocks.count):
        block, jobs = blocks.dag_of(number)
        ideals = Ideals(block)
        order = next(ideals.orders(ideals.optimal), None)
        if order is None:
            return None
        sources = len(graph.sources(block))
        orders.append([int(jobs[job]) for job in order[:sources]])
        yields.append([ideals.best[x] - (sources - x) for x in range(sources + 1)])
    groups = linearize(blocks.superdag(), yields)
    if groups is None:
        return None
    schedule: list[int] = []
    for group in groups:
        rows = [iter(orders[block]) for block in group]
        turns = sweep_all([yields[block] for block in group])
        schedule += [next(rows[turn]) for turn in turns or []]
    sinks: list[int] = graph.sinks(pruned).tolist()
    return schedule + sinks
