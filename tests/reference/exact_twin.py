"""Exact answers by brute force: every question by plain dynamic programming over all ideals, sinks included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf

from eligo.dag import Dag
from tests.reference.ideals import ideals


class ExactTwin:
    """All ideals of a dag by size, those that are optimal, and what each is worth."""

    def __init__(self, dag: Dag) -> None:
        self.n = dag.n
        self.parents = [sum(1 << int(parent) for parent in dag.parents(job)) for job in range(dag.n)]
        self.children = [sum(1 << int(child) for child in dag.children(job)) for job in range(dag.n)]
        self.layers = ideals(dag)
        self.profile = [max(map(self.eligible, layer)) for layer in self.layers]
        self.optimal = [
            {ideal for ideal in layer if self.eligible(ideal) == best}
            for layer, best in zip(self.layers, self.profile, strict=True)
        ]

    def eligible(self, ideal: int) -> int:
        return sum(not ideal >> job & 1 and not needed & ~ideal for job, needed in enumerate(self.parents))

    def open_jobs(self, ideal: int) -> int:
        return sum(bool(ideal >> job & 1 and kids & ~ideal) for job, kids in enumerate(self.children))

    def _below(self, ideal: int, layer: dict[int, float]) -> Iterator[float]:
        """What the ideals with one job less are worth."""
        return (layer[part] for job in range(self.n) if ideal >> job & 1 and (part := ideal ^ 1 << job) in layer)

    def ways(self) -> list[int]:
        """For each step the number of ways to it that are optimal throughout."""
        ways: dict[int, float] = {0: 1}
        totals = [1]
        for layer in self.optimal[1:]:
            ways = {ideal: sum(self._below(ideal, ways)) for ideal in layer}
            totals.append(int(sum(ways.values())))
        return totals

    @property
    def dies_at(self) -> int | None:
        ways = self.ways()
        return ways.index(0) if 0 in ways else None

    def _least(self, layers: list[set[int]], worth: Callable[[int], int], join: Callable[[float, int], float]) -> float:
        least: dict[int, float] = {0: worth(0)}
        for layer in layers[1:]:
            least = {ideal: join(min(self._below(ideal, least), default=inf), worth(ideal)) for ideal in layer}
        return min(least.values())

    def largest_area(self) -> float:
        return -self._least(self.layers, lambda ideal: -self.eligible(ideal), lambda a, b: a + b)

    def least_memory(self, *, ic_optimal: bool) -> float:
        """`inf` where no schedule will do."""
        return self._least(self.optimal if ic_optimal else self.layers, self.open_jobs, max)

    def conflicts(self) -> list[tuple[int, int]]:
        """All pairs of steps such that no optimal ideal of the one lies in an optimal ideal of the other."""
        return [
            (early, late)
            for late in range(self.n + 1)
            for early in range(late)
            if not any(part & ~whole == 0 for part in self.optimal[early] for whole in self.optimal[late])
        ]

    def ideals_of_non_sinks(self) -> int:
        sinks = sum(1 << job for job, kids in enumerate(self.children) if not kids)
        return sum(ideal & sinks == 0 for layer in self.layers for ideal in layer)


def posets(n: int) -> list[Dag]:
    """All partially ordered sets of n elements up to isomorphism, as dags with all their arcs."""
    found: set[tuple[int, ...]] = {()}
    for _ in range(n):
        found = {canonical((*below, ideal)) for below in found for ideal in _down_sets(below)}
    return [
        Dag.from_edges(
            n, [u for row in form for u in _bits(row)], [v for v, row in enumerate(form) for _ in _bits(row)]
        )
        for form in sorted(found)
    ]


def _bits(row: int) -> list[int]:
    return [v for v in range(row.bit_length()) if row >> v & 1]


def _down_sets(below: tuple[int, ...]) -> Iterator[int]:
    return (s for s in range(1 << len(below)) if all(below[v] & ~s == 0 for v in _bits(s)))


def canonical(below: tuple[int, ...]) -> tuple[int, ...]:
    """The least form under renumbering, elements sorted by a colour that renumbering cannot change.

    An element is the set of those below it. Of elements with the same ones above and below only one order is tried.
    """
    n = len(below)
    above = [sum(1 << w for w in range(n) if below[w] >> v & 1) for v in range(n)]
    colour: list[object] = [(below[v].bit_count(), above[v].bit_count()) for v in range(n)]
    for _ in range(2):
        colour = [
            (colour[v], sorted(colour[w] for w in _bits(below[v])), sorted(colour[w] for w in _bits(above[v])))  # type: ignore[type-var]
            for v in range(n)
        ]
    ranked = sorted(range(n), key=lambda v: colour[v])  # type: ignore[arg-type,return-value]
    best: tuple[int, ...] | None = None
    starts = [0, *(i + 1 for i, (v, w) in enumerate(pairwise(ranked)) if colour[v] != colour[w]), n]
    for order in _orders([ranked[a:b] for a, b in pairwise(starts)], [(below[v], above[v]) for v in range(n)]):
        place = {v: i for i, v in enumerate(order)}
        form = tuple(sum(1 << place[w] for w in _bits(below[v])) for v in order)
        best = form if best is None else min(best, form)
    return best or ()


def _orders(classes: list[list[int]], twin: list[tuple[int, int]]) -> Iterator[list[int]]:
    if not classes:
        yield []
        return
    first, *others = classes
    if not first:
        yield from _orders(others, twin)
        return
    for v in {twin[v]: v for v in first}.values():
        for rest in _orders([[w for w in first if w != v], *others], twin):
            yield [v, *rest]
