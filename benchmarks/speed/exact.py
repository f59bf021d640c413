"""Exact search beside a plain-Python walk over all ideals, and what lies beyond the reach of the latter."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import factorial

import numpy as np

from benchmarks.measure import best_times, print_table
from eligo.dag import Dag
from eligo.generate._classic_dags import fft
from eligo.generate._meshes_and_trees import mesh, tree
from eligo.priority import _exact as exact


def plain_search(dag: Dag) -> tuple[list[int], int]:
    """E_max and the number of IC-optimal schedules: all ideals of the non-sinks by size, then the optimal ones."""
    parents = [sum(1 << parent for parent in dag.parents(job).tolist()) for job in range(dag.n)]
    inner = [job for job in range(dag.n) if len(dag.children(job))]

    def grown(layer: set[int]) -> set[int]:
        return {
            ideal | 1 << job for ideal in layer for job in inner if not ideal >> job & 1 and not parents[job] & ~ideal
        }

    def rendered(ideal: int) -> int:
        return sum(not needed & ~ideal for needed in parents)

    layer, best = {0}, []
    optimal: list[set[int]] = []
    while layer:
        worth = {ideal: rendered(ideal) for ideal in layer}
        best.append(max(worth.values()))
        optimal.append({ideal for ideal, value in worth.items() if value == best[-1]})
        layer = grown(layer)
    ways = {0: 1}
    for layer in optimal[1:]:
        ways = {ideal: sum(ways.get(ideal ^ 1 << job, 0) for job in inner if ideal >> job & 1) for ideal in layer}
    steps = [*best, *[dag.n] * (dag.n - len(inner))]
    return [value - t for t, value in enumerate(steps)], sum(ways.values()) * factorial(dag.n - len(inner))


def random_dag(n: int, p: float, seed: int) -> Dag:
    tails, heads = np.triu_indices(n, 1)
    keep = np.random.default_rng(seed).random(len(tails)) < p
    return Dag.from_edges(n, tails[keep], heads[keep])


def random_block(sources: int, p: float, seed: int) -> Dag:
    pairs = np.argwhere(np.random.default_rng(seed).random((sources, sources)) < p)
    return Dag.from_edges(2 * sources, pairs[:, 0], sources + pairs[:, 1])


def short(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{number / 10.0 ** (len(str(number)) - 1):.1f}e{len(str(number)) - 1}"


def beside_plain_python() -> None:
    rows = []
    for name, dag in {
        "F_2": fft(2),
        "F_3": fft(3),
        "tree of height 4": tree(4),
        "mesh of 6 levels": mesh(6),
        "mesh of 10 levels": mesh(10),
        "3-D mesh of 5 levels": mesh(5, dim=3),
        "random dag": random_dag(24, 0.1, 1),
    }.items():
        answer = exact.search(dag)
        assert plain_search(dag) == (answer.profile.tolist(), answer.count), name
        plain, ours = best_times([lambda dag=dag: plain_search(dag), lambda dag=dag: exact.search(dag)], 2)  # type: ignore[misc]
        rows.append(
            [
                f"{name} ({dag.n} jobs)",
                *map(short, (answer.ideals, answer.count or 0)),
                *(f"{plain * 1e3:,.1f} ms", f"{ours * 1e3:.2f} ms", f"{plain / ours:,.0f}"),
            ]
        )
    print_table(
        "Exact search: E_max and all IC-optimal schedules",
        ["dag", "ideals", "schedules", "plain Python", "search", "ratio"],
        rows,
    )


def beyond_plain_python() -> None:
    cases: dict[str, tuple[Dag, Callable[[Dag], object]]] = {
        "F_4, E_max": (fft(4), exact.best_profile),
        "F_4, all schedules": (fft(4), exact.search),
        "tree of height 5, all schedules": (tree(5), exact.search),
        "tree of height 9, one schedule": (tree(9), lambda dag: exact.search(dag, count=False)),
        "mesh of 30 levels, all schedules": (mesh(30), exact.search),
        "3-D mesh of 8 levels, all schedules": (mesh(8, dim=3), exact.search),
        "random dag of 100 jobs, E_max": (random_dag(100, 0.025, 1), exact.best_profile),
        "random block of 40 + 40 jobs, E_max": (random_block(40, 0.1, 1), exact.best_profile),
        "random dag of 60 jobs, largest AREA": (random_dag(60, 0.05, 1), exact.largest_area),
        "F_4, least memory": (fft(4), exact.least_memory),
        "3-D mesh of 5 levels, least memory": (mesh(5, dim=3), exact.least_memory),
    }
    rows = []
    for name, (dag, ask) in cases.items():
        ideals = exact.search(dag, count=False).ideals
        (seconds,) = best_times([lambda dag=dag, ask=ask: ask(dag)], 2)  # type: ignore[misc]
        rows.append([name, f"{dag.n:,}", short(ideals), f"{seconds * 1e3:,.1f} ms"])
    print_table("Exact search where ideals cannot be walked one by one", ["question", "jobs", "ideals", "time"], rows)


def ideals_per_second() -> None:
    """Two steps in conflict take a walk over every ideal: the one place where their number counts."""
    dag = random_block(25, 0.2, 1)
    ideals = exact.search(dag, count=False).ideals
    start = time.perf_counter()
    exact.steps_in_conflict(dag, budget=10**9)
    seconds = time.perf_counter() - start
    tiny = Dag.from_edges(5, [0, 0, 1, 2], [2, 3, 3, 4])
    (calls,) = best_times([lambda: [exact.search(tiny) for _ in range(1000)]])
    rows = [
        ["walk over all ideals", f"{ideals:,} ideals", f"{ideals / seconds / 1e6:.0f} million a second"],
        ["search of a dag of 5 jobs", "1,000 calls", f"{calls * 1e3:.0f} us a call"],
    ]
    print_table("Exact search: rate and overhead", ["what", "size", "speed"], rows)


def main() -> None:
    beside_plain_python()
    beyond_plain_python()
    ideals_per_second()


if __name__ == "__main__":
    main()
