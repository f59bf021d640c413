"""Plain twins of priorities and sweeps, the papers' definitions read aloud, and brute force over executed sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from eligo.dag import Dag

Function = Sequence[int]


def max_convolution(a: Function, b: Function) -> list[int]:
    best = [None] * (len(a) + len(b) - 1)
    for i, j in product(range(len(a)), range(len(b))):
        if best[i + j] is None or a[i] + b[j] > best[i + j]:
            best[i + j] = a[i] + b[j]
    return best


def pairs(a: Function, b: Function) -> list[tuple[int, int]]:
    """For all x and y the two sides of (2.1) of 2010: what x and y steps yield, and the first dag filled up."""
    last = len(a) - 1
    return [
        (a[x] + b[y], a[min(last, x + y)] + b[max(0, x + y - last)]) for x, y in product(range(len(a)), range(len(b)))
    ]


def has_priority(a: Function, b: Function) -> bool:
    return all(some <= filled for some, filled in pairs(a, b))


def r_priority(a: Function, b: Function) -> Fraction:
    return min([Fraction(filled, some) for some, filled in pairs(a, b) if some] + [Fraction(1)])


def executions_needed(e: Function) -> list[int]:
    return [min(x for x in range(len(e)) if e[x] >= wanted) for wanted in range(e[-1] + 1)]


def has_dual_priority(a: Function, b: Function) -> bool:
    return all(some >= filled for some, filled in pairs(executions_needed(a), executions_needed(b)))


@dataclass
class PlainSweep:
    table_e: list[list[int]]
    table_v: list[list[bool]]
    diagonal: int | None
    count: int


def two_sweep(e1: Function, e2: Function) -> PlainSweep:
    """Algorithm 2-IC-Sweep as printed, diagonal by diagonal; paths are counted along with it."""
    n1, n2 = len(e1) - 1, len(e2) - 1
    table = [[e1[i] + e2[j] for j in range(n2 + 1)] for i in range(n1 + 1)]
    ways = [[0] * (n2 + 1) for _ in range(n1 + 1)]
    ways[0][0] = 1
    for t in range(1, n1 + n2 + 1):
        cells = [(i, t - i) for i in range(n1 + 1) if 0 <= t - i <= n2]
        best = max(table[i][j] for i, j in cells)
        for i, j in cells:
            if table[i][j] == best:
                ways[i][j] = (ways[i - 1][j] if i else 0) + (ways[i][j - 1] if j else 0)
        if not any(ways[i][j] for i, j in cells):
            return PlainSweep(table, [[w > 0 for w in row] for row in ways], t, 0)
    return PlainSweep(table, [[w > 0 for w in row] for row in ways], None, ways[n1][n2])


def all_paths(e1: Function, e2: Function) -> list[tuple[int, ...]]:
    """Every optimal path as steps 0 (first dag) and 1 (second dag)."""
    best = max_convolution(e1, e2)
    found = [((), 0, 0)]
    for t in range(1, len(best)):
        found = [
            ((*steps, turn), i, j)
            for steps, x, y in found
            for turn, i, j in ((0, x + 1, y), (1, x, y + 1))
            if i < len(e1) and j < len(e2) and e1[i] + e2[j] == best[t]
        ]
    return [steps for steps, _, _ in found]


def admits(functions: Sequence[Function]) -> bool:
    """Whether the table of as many dimensions as there are dags has an optimal path from corner to corner."""
    cells = list(product(*(range(len(e)) for e in functions)))
    value = {cell: sum(e[x] for e, x in zip(functions, cell, strict=True)) for cell in cells}
    best: dict[int, int] = {}
    for cell in cells:
        best[sum(cell)] = max(best.get(sum(cell), 0), value[cell])
    reached = {cells[0]}
    for t in range(1, sum(cells[-1]) + 1):
        reached = {
            cell
            for old in reached
            for d in range(len(old))
            if (cell := (*old[:d], old[d] + 1, *old[d + 1 :])) in value and value[cell] == best[t]
        }
    return bool(reached)


@dataclass
class Optimum:
    """The best profile of a dag, counting all ELIGIBLE jobs, and an order that reaches it everywhere, if one does."""

    profile: list[int]
    order: list[int] | None

    def yields(self, dag: Dag) -> list[int]:
        """The best e(0), ..., e(N)."""
        sources = sum(len(dag.parents(job)) == 0 for job in range(dag.n))
        nonsinks = sum(len(dag.children(job)) > 0 for job in range(dag.n))
        return [self.profile[x] - sources + x for x in range(nonsinks + 1)]


def optimum(dag: Dag) -> Optimum:
    """Look at every executed set of a small dag, layer by layer."""
    parents = [sum(1 << int(p) for p in dag.parents(job)) for job in range(dag.n)]
    children = [[int(c) for c in dag.children(job)] for job in range(dag.n)]
    layer = {0: sum(1 << job for job in range(dag.n) if not parents[job])}
    order: dict[int, list[int] | None] = {0: []}
    profile = [layer[0].bit_count()]
    for _ in range(dag.n):
        grown: dict[int, int] = {}
        came: dict[int, list[int]] = {}
        for done, eligible in layer.items():
            for job in range(dag.n):
                if eligible >> job & 1:
                    now = done | 1 << job
                    if now not in grown:
                        opened = sum(1 << c for c in children[job] if parents[c] & ~now == 0)
                        grown[now] = eligible & ~(1 << job) | opened
                    if now not in came and done in order:
                        came[now] = [*order[done], job]
        profile.append(max(eligible.bit_count() for eligible in grown.values()))
        order = {done: steps for done, steps in came.items() if grown[done].bit_count() == profile[-1]}
        layer = grown
    return Optimum(profile, order.get((1 << dag.n) - 1))
