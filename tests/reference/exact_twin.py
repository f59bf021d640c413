"""Exact answers by brute force: every question by plain dynamic programming over all ideals, sinks included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from eligo.dag import Dag
from tests.reference.ideals import best_profile, eligible, ideals


def _below(ideal: int, layer: set[int]) -> Iterator[int]:
    """The ideals with one job less from which `ideal` is one step."""
    return (ideal ^ 1 << job for job in range(ideal.bit_length()) if ideal ^ 1 << job in layer and ideal >> job & 1)


def optimal_ideals(dag: Dag) -> list[set[int]]:
    best = best_profile(dag, sources=True)
    return [
        {ideal for ideal in layer if eligible(dag, ideal, sources=True) == best[t]}
        for t, layer in enumerate(ideals(dag))
    ]


def count_ways(layers: list[set[int]]) -> list[int]:
    """For each step the number of ways to it through the given ideals."""
    ways = {0: 1}
    totals = [1]
    for size in range(1, len(layers)):
        ways = {ideal: sum(ways.get(part, 0) for part in _below(ideal, layers[size - 1])) for ideal in layers[size]}
        totals.append(sum(ways.values()))
    return totals


def dies_at(dag: Dag) -> int | None:
    totals = count_ways(optimal_ideals(dag))
    return totals.index(0) if 0 in totals else None


def _best_way(layers: list[set[int]], worth: Callable[[int], float], join: Callable[[float, float], float]) -> float:
    """The least joined worth of all ways through the given ideals."""
    least: dict[int, float] = {0: worth(0)}
    for size in range(1, len(layers)):
        least = {
            ideal: join(min((least[part] for part in _below(ideal, layers[size - 1])), default=inf), worth(ideal))
            for ideal in layers[size]
        }
    return min(least.values(), default=inf)


def largest_area(dag: Dag) -> float:
    return -_best_way(ideals(dag), lambda ideal: -eligible(dag, ideal, sources=True), lambda a, b: a + b)


def open_jobs(dag: Dag, ideal: int) -> int:
    return sum(
        bool(ideal >> job & 1) and any(not ideal >> int(child) & 1 for child in dag.children(job))
        for job in range(dag.n)
    )


def least_memory(dag: Dag, *, ic_optimal: bool) -> float:
    layers = optimal_ideals(dag) if ic_optimal else ideals(dag)
    return _best_way(layers, lambda ideal: open_jobs(dag, ideal), max)


def conflicts(dag: Dag) -> list[tuple[int, int]]:
    """All pairs of steps such that no optimal ideal of the one lies in an optimal ideal of the other."""
    layers = optimal_ideals(dag)
    return [
        (early, late)
        for late in range(dag.n + 1)
        for early in range(late)
        if not any(part & ~whole == 0 for part in layers[early] for whole in layers[late])
    ]


def non_sink_ideals(dag: Dag) -> int:
    """Count the ideals that hold no sink."""
    sinks = sum(1 << job for job in range(dag.n) if not len(dag.children(job)))
    return sum(ideal & sinks == 0 for layer in ideals(dag) for ideal in layer)
