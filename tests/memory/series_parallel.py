"""Random trees and series-parallel dags with data, for tests against brute force and for large ones."""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag, Data
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint


def random_tree(rng: np.random.Generator, n: int, out: bool) -> Dag:
    """A tree of n jobs whose edges all lead away from the root (out) or to it."""
    names = rng.permutation(n)
    child = names[1:]
    parent = names[[int(rng.integers(0, number)) for number in range(1, n)]] if n > 1 else child
    return Dag.from_edges(n, parent, child) if out else Dag.from_edges(n, child, parent)


def random_series_parallel(rng: np.random.Generator, n: int) -> Dag:
    """A series-parallel dag of n jobs: two smaller ones in series, all sinks before all sources, or side by side."""
    tails: list[int] = []
    heads: list[int] = []

    def part(jobs: list[int]) -> tuple[list[int], list[int]]:
        if len(jobs) == 1:
            return jobs, jobs
        cut = int(rng.integers(1, len(jobs)))
        (first_sources, first_sinks), (second_sources, second_sinks) = part(jobs[:cut]), part(jobs[cut:])
        if rng.random() < 0.5:
            return first_sources + second_sources, first_sinks + second_sinks
        for tail in first_sinks:
            tails.extend([tail] * len(second_sources))
            heads.extend(second_sources)
        return first_sources, second_sinks

    part(rng.permutation(n).tolist())
    return Dag.from_edges(n, tails, heads)


def with_edge_data(rng: np.random.Generator, dag: Dag, model: str, largest: int = 9) -> Footprint:
    """A datum on each edge, some outputs that nobody reads, some temporary space, under a model."""
    unread = np.flatnonzero(rng.random(dag.n) < 0.4)
    data = Data.build(
        rng.integers(1, largest + 1, dag.m + len(unread)),
        producer=np.concatenate((dag.tails, unread)).astype(np.int32),
        readers=[[int(head)] for head in dag.heads] + [[] for _ in unread],
    )
    dag = dag.with_known(data=data, temp_bytes=rng.integers(0, largest + 1, dag.n))
    if not data.k:
        model = "files"
    return footprint(dag, model, "disk", unread=str(rng.choice(["stay", "leave"])))
