"""Brute force for limits: every partial serialisation of a dag of a few jobs, an order that contains its own."""

from __future__ import annotations

from eligo.dag import Dag

Order = tuple[int, ...]
"""For each job the set of jobs after it, as bits."""


def all_serialisations(dag: Dag) -> set[Order]:
    """Return the dag's own order and every other that only adds to it."""
    own = [0] * dag.n
    for tail, head in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True):
        own[tail] |= 1 << head
    first = closed(own)
    seen, todo = {first}, [first]
    while todo:
        order = todo.pop()
        for u in range(dag.n):
            for v in range(dag.n):
                if u != v and not order[u] >> v & 1 and not order[v] >> u & 1:
                    more = closed([after | (1 << v if job == u else 0) for job, after in enumerate(order)])
                    if more not in seen:
                        seen.add(more)
                        todo.append(more)
    return seen


def closed(after: list[int]) -> Order:
    """Return the transitive closure (Warshall)."""
    after = list(after)
    for middle in range(len(after)):
        for job in range(len(after)):
            if after[job] >> middle & 1:
                after[job] |= after[middle]
    return tuple(after)


def as_dag(order: Order) -> Dag:
    """Return the dag of an order."""
    pairs = [(u, v) for u in range(len(order)) for v in range(len(order)) if order[u] >> v & 1]
    return Dag.from_edges(len(order), [u for u, _ in pairs], [v for _, v in pairs])


def critical_path(order: Order, work: list[float]) -> float:
    """Return the largest total time of jobs of which each is after the one before."""
    by_depth = sorted(range(len(order)), key=lambda job: order[job].bit_count())
    longest = [0.0] * len(order)
    for job in by_depth:
        longest[job] = work[job] + max((longest[v] for v in range(len(order)) if order[job] >> v & 1), default=0.0)
    return max(longest, default=0.0)
