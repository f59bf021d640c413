"""Construction, levels and shortcut removal at a million jobs, beside reading the same workflow from a DAGMan file."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import best_times, print_table
from eligo import graph, read, write
from eligo.dag import Dag, Int64

Edges = tuple[Int64, Int64]


def layered(rng: np.random.Generator, n: int, m: int) -> Edges:
    """Layers of 1,000 jobs, edges that skip up to three layers: the shape of most workflows."""
    tail = rng.integers(0, n, m)
    head = (tail // 1000 + rng.integers(1, 5, m)) * 1000 + rng.integers(0, 1000, m)
    keep = head < n
    return tail[keep], head[keep]


def uniform(rng: np.random.Generator, n: int, m: int) -> Edges:
    """Any pair of jobs."""
    one, two = rng.integers(0, n, m), rng.integers(0, n, m)
    keep = one != two
    return np.minimum(one, two)[keep], np.maximum(one, two)[keep]


def hub(rng: np.random.Generator, n: int, m: int) -> Edges:
    """One job before all others, among which edges are random: a third of all edges are candidates for shortcuts."""
    tail, head = uniform(rng, n - 1, m - n)
    return np.concatenate([tail + 1, np.zeros(n - 1, np.int64)]), np.concatenate([head + 1, np.arange(1, n)])


def skips(rng: np.random.Generator, n: int, m: int) -> Edges:
    """Edges between near neighbours in a line, and as many of any length again: searches would walk for ever."""
    near = rng.integers(0, n - 20, 2 * m // 3)
    tail, head = uniform(rng, n, m // 3)
    return np.concatenate([near, tail]), np.concatenate([near + rng.integers(1, 20, len(near)), head])


FAMILIES: dict[str, Callable[[np.random.Generator, int, int], Edges]] = {
    "layered": layered,
    "uniform": uniform,
    "hub": hub,
    "near and far": skips,
}


def main(n: int = 1_000_000, m: int = 3_000_000) -> None:
    rows = []
    for name, family in FAMILIES.items():
        rng = np.random.default_rng(1)
        tails, heads = family(rng, n, m)
        place = rng.permutation(n)  # files are not written in the order in which kernels like it
        dag = Dag.from_edges([f"job{v}" for v in range(n)], place[tails], place[heads])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "large.dag")
            write(dag, file)
            reading, building, leveling, reducing = best_times(
                [
                    lambda file=file: read(file),  # type: ignore[misc]
                    lambda dag=dag: Dag.from_edges(dag.names, dag.tails, dag.heads),  # type: ignore[misc]
                    lambda dag=dag: graph.levels(dag),  # type: ignore[misc]
                    lambda dag=dag: graph.shortcuts(dag),  # type: ignore[misc]
                ]
            )
        found = len(graph.shortcuts(dag)[0])
        rows.append(
            [
                f"{name}: {dag.m:,} edges, {found:,} shortcuts",
                f"{reading:.2f} s",
                *(f"{time:.2f} s ({time / reading:.2f})" for time in (building, leveling, reducing)),
            ]
        )
    print_table(
        f"A dag of {n:,} jobs (in brackets: ratio to reading its DAGMan file, at most 1)",
        ["family", "read", "construct", "levels", "find shortcuts"],
        rows,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
