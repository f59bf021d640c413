"""Eligibility by brute force: all order ideals (executed sets) of a small dag, as bit sets."""

from __future__ import annotations

from eligo.dag import Dag


def _masks(dag: Dag) -> list[int]:
    return [sum(1 << int(parent) for parent in dag.parents(job)) for job in range(dag.n)]


def ideals(dag: Dag) -> list[set[int]]:
    """Return the ideals by size, each a bit set of jobs."""
    parents = _masks(dag)
    layers = [{0}]
    for _ in range(dag.n):
        layers.append(
            {
                ideal | 1 << job
                for ideal in layers[-1]
                for job in range(dag.n)
                if not ideal >> job & 1 and parents[job] & ~ideal == 0
            }
        )
    return layers


def eligible(dag: Dag, ideal: int, *, sources: bool) -> int:
    """Count the jobs that are ELIGIBLE after executing an ideal, with or without the dag's sources."""
    parents = _masks(dag)
    return sum(
        not ideal >> job & 1 and parents[job] & ~ideal == 0 and (sources or parents[job] != 0) for job in range(dag.n)
    )


def best_profile(dag: Dag, *, sources: bool) -> list[int]:
    """Return the largest number of ELIGIBLE jobs for each number of executed ones."""
    return [max(eligible(dag, ideal, sources=sources) for ideal in layer) for layer in ideals(dag)]


def has_ic_optimal_schedule(dag: Dag, *, sources: bool) -> bool:
    """Tell whether one order reaches the best profile at every step."""
    parents = _masks(dag)
    best = best_profile(dag, sources=sources)
    reached = {0}
    for size in range(1, dag.n + 1):
        grown = {
            ideal | 1 << job
            for ideal in reached
            for job in range(dag.n)
            if not ideal >> job & 1 and parents[job] & ~ideal == 0
        }
        reached = {ideal for ideal in grown if eligible(dag, ideal, sources=sources) == best[size]}
    return bool(reached)
