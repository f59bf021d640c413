"""Plain-Python twins of the graph kernels: short, slow, and without a line in common with them."""

from __future__ import annotations

from itertools import pairwise

Edge = tuple[int, int]


def children_of(n: int, edges: set[Edge]) -> list[set[int]]:
    return [{head for tail, head in edges if tail == v} for v in range(n)]


def reach(n: int, edges: set[Edge]) -> list[set[int]]:
    """reach[v]: all nodes at the end of a path of at least one edge from v (Warshall)."""
    reached = children_of(n, edges)
    for middle in range(n):
        for v in range(n):
            if middle in reached[v]:
                reached[v] |= reached[middle]
    return reached


def is_acyclic(n: int, edges: set[Edge]) -> bool:
    return all(v not in row for v, row in enumerate(reach(n, edges)))


def shortest_cycle_length(n: int, edges: set[Edge]) -> int:
    """Length of the shortest cycle, by powers of the adjacency relation; 0 if there is none."""
    step = children_of(n, edges)
    walk = [set(row) for row in step]
    for length in range(1, n + 1):
        if any(v in row for v, row in enumerate(walk)):
            return length
        walk = [set().union(*(step[w] for w in row)) for row in walk]
    return 0


def fifo_order(n: int, edges: set[Edge]) -> list[int]:
    """Sources by number, then nodes as their last parent is placed, children of one node by number."""
    waiting = {v: {tail for tail, head in edges if head == v} for v in range(n)}
    order = [v for v in range(n) if not waiting[v]]
    for v in order:
        for w in sorted(children_of(n, edges)[v]):
            waiting[w].discard(v)
            if not waiting[w]:
                order.append(w)
    return order


def levels(n: int, edges: set[Edge]) -> list[int]:
    def level(v: int) -> int:
        return max((level(tail) + 1 for tail, head in edges if head == v), default=0)

    return [level(v) for v in range(n)]


def longest_path(n: int, edges: set[Edge], weight: list[float]) -> float:
    def finish(v: int) -> float:
        return weight[v] + max((finish(tail) for tail, head in edges if head == v), default=0)

    return max((finish(v) for v in range(n)), default=0)


def is_path(path: tuple[int, ...], edges: set[Edge]) -> bool:
    return all(pair in edges for pair in pairwise(path))


def components(n: int, edges: set[Edge]) -> list[int]:
    label = list(range(n))
    changed = True
    while changed:
        changed = False
        for tail, head in edges:
            low = min(label[tail], label[head])
            changed |= label[tail] != low or label[head] != low
            label[tail] = label[head] = low
    numbers = sorted(set(label))
    return [numbers.index(x) for x in label]


def shortcuts(n: int, edges: set[Edge]) -> set[Edge]:
    """Edges whose removal leaves their head within reach of their tail."""
    return {(tail, head) for tail, head in edges if head in reach(n, edges - {(tail, head)})[tail]}
