"""Brute force over all order ideals of a small dag: the best profile, how many schedules attain it, least memory."""

from __future__ import annotations

from functools import cached_property

import networkx
import numpy as np

from eligo import graph
from eligo.dag import Dag


class Ideals:
    """All executed sets of a dag, as bit sets, by size; shares nothing with the package but the dag."""

    def __init__(self, dag: Dag) -> None:
        self.n = dag.n
        self.parents = [sum(1 << int(p) for p in dag.parents(job)) for job in range(dag.n)]
        self.children = [sum(1 << int(c) for c in dag.children(job)) for job in range(dag.n)]

    def eligible(self, ideal: int) -> list[int]:
        return [job for job in range(self.n) if not ideal >> job & 1 and not self.parents[job] & ~ideal]

    def open_jobs(self, ideal: int) -> int:
        return sum(1 for job in range(self.n) if ideal >> job & 1 and self.children[job] & ~ideal)

    @cached_property
    def layers(self) -> list[dict[int, list[int]]]:
        """For each size the ideals with their ELIGIBLE jobs."""
        found = [{0: self.eligible(0)}]
        for _ in range(self.n):
            grown = {ideal | 1 << job for ideal, jobs in found[-1].items() for job in jobs}
            found.append({ideal: self.eligible(ideal) for ideal in grown})
        return found

    @cached_property
    def best_profile(self) -> list[int]:
        return [max(map(len, layer.values())) for layer in self.layers]

    def count_optimal(self) -> int:
        """Count the schedules that attain the best profile at every step."""
        ways = {0: 1}
        for size in range(1, self.n + 1):
            grown: dict[int, int] = {}
            for ideal, count in ways.items():
                for job in self.layers[size - 1][ideal]:
                    after = ideal | 1 << job
                    if len(self.layers[size][after]) == self.best_profile[size]:
                        grown[after] = grown.get(after, 0) + count
            ways = grown
        return sum(ways.values())

    def least_memory(self, *, optimal: bool) -> int:
        """Return the least memory cost of any schedule, or of any that attains the best profile."""
        cost = {0: 0}
        for size in range(1, self.n + 1):
            grown: dict[int, int] = {}
            for ideal, so_far in cost.items():
                for job in self.layers[size - 1][ideal]:
                    after = ideal | 1 << job
                    if not optimal or len(self.layers[size][after]) == self.best_profile[size]:
                        grown[after] = min(grown.get(after, self.n), so_far)
            cost = {ideal: max(so_far, self.open_jobs(ideal)) for ideal, so_far in grown.items()}
        return min(cost.values())


def shuffled(dag: Dag, seed: int) -> Dag:
    """Return the dag with its jobs renumbered at random."""
    return graph.relabel(dag, np.random.default_rng(seed).permutation(dag.n))


def same_shape(first: Dag, second: Dag) -> bool:
    """Tell whether two dags are isomorphic."""
    if sorted(_marks(first)) != sorted(_marks(second)):
        return False
    both = []
    for dag in (first, second):
        plain = networkx.DiGraph(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
        plain.add_nodes_from((job, {"mark": mark}) for job, mark in enumerate(_marks(dag)))
        both.append(plain)
    return bool(networkx.is_isomorphic(*both, node_match=lambda one, other: one["mark"] == other["mark"]))


def _marks(dag: Dag) -> list[tuple[int, ...]]:
    """For each job numbers that isomorphism keeps: degrees, and how much kin it shares with others; spares searches."""
    kin: list[list[int]] = []
    for order, rows in ((dag.order, dag.parents), (dag.order[::-1], dag.children)):
        sets = [0] * dag.n
        for job in order.tolist():
            for near in rows(job).tolist():
                sets[job] |= sets[near] | 1 << near
        kin.append(sets)
    return [
        (
            len(dag.parents(job)),
            len(dag.children(job)),
            *(number for sets in kin for number in sorted((sets[job] & other).bit_count() for other in sets)),
        )
        for job in range(dag.n)
    ]


def near_miss(dag: Dag, rng: np.random.Generator) -> Dag | None:
    """Return the dag with an arc deleted, added or moved, or two arcs crossed; None where that makes a cycle."""
    arcs = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    what = rng.integers(4)
    picked = rng.permutation(len(arcs))[:2].tolist()
    if what == 3:
        if len(picked) < 2:
            return None
        (a, b), (c, d) = (arcs[i] for i in picked)
        arcs = [arc for i, arc in enumerate(arcs) if i not in picked] + [(a, d), (c, b)]
    elif what != 1:
        if not arcs:
            return None
        del arcs[picked[0]]
    if what in (1, 2):
        arcs.append(tuple(rng.integers(dag.n, size=2).tolist()))
    if any(u == v for u, v in arcs) or not networkx.is_directed_acyclic_graph(networkx.DiGraph(arcs)):
        return None
    return Dag.from_edges(dag.n, [u for u, _ in arcs], [v for _, v in arcs])


def takes_the_newest(dag: Dag, order: list[int]) -> bool:
    """Play an order: whether each job is among the newest ELIGIBLE ones when it is executed."""
    age = {job: 0 for job in range(dag.n) if not len(dag.parents(job))}
    done: set[int] = set()
    for step, job in enumerate(order, start=1):
        newest = max(age.values())
        if age.pop(job) < newest:
            return False
        done.add(job)
        for child in dag.children(job).tolist():
            if done.issuperset(dag.parents(child).tolist()):
                age[child] = step
    return True
