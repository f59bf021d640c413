"""Limits half-way between the depth-first peak and the worst peak: what they cost, and what a warm start saves.

The first table is one pair a step, as in 004: our flow goes on from where it was when a dependency is added, and
OR-Tools solves the same graph afresh. Our time is that of the whole step: flow, both cuts, choice of the pair. Theirs
is the flow with the cut of the source's side, without and with handing over the graph, which it has to be given anew
for every step: the mean over steps spread over our run, without choosing a pair.

The second table is the whole of ``limit``: worst peak before and after, orders to go by, dependencies that follow from
others taken out. "path" is the critical path against that of the dag without a limit.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from benchmarks.measure import best_times, cpu, geometric_mean, print_table
from benchmarks.speed.closure_graphs import FAMILIES, PeerFlow, closure_graph, has_peer, weighted
from eligo.dag import Int32
from eligo.errors import InfeasibleError
from eligo.memory._footprint import Footprint, compiled, data_ends
from eligo.memory._limit import Limited, limit
from eligo.memory._sequential import dfs, peak_of
from eligo.memory._serialization import RULES, work_of
from eligo.memory._worst_peak import worst_peak

_BUDGET = 2_000_000_000  # events and arcs looked at: some ten seconds
_SAMPLES = 20
_METHODS = ("min-levels", "respect-order", "schedule", "auto")


class Run(NamedTuple):
    """What came of adding one pair a step."""

    state: int
    first: Int32
    later: Int32
    steps: int


def half_way(print_: Footprint) -> int:
    """Return the limit half-way between the peak of depth first and the worst peak."""
    return (peak_of(print_, dfs(print_.dag)) + worst_peak(print_).bound) // 2


def one_by_one(print_: Footprint, most: int) -> Run:
    """Add one pair a step, by the rule of min-levels, until the limit is kept or the budget used up."""
    kernel, place = compiled(print_, data_ends(print_)), np.zeros(print_.dag.n, np.int32)
    state, job, _, later, _, _, steps = kernel.serialize(
        work_of(print_.dag), most - print_.base, RULES["min-levels"], place, 1, _BUDGET
    )
    return Run(state, job, later, steps)


def _afresh(print_: Footprint, run: Run) -> tuple[float, float]:
    """Return the mean time of OR-Tools for a flow and a cut, without and with handing over the graph."""
    graph = closure_graph(print_)
    times = []
    for step in np.unique(np.linspace(0, max(run.steps - 1, 0), _SAMPLES).astype(int)):
        more = graph.place[run.later[:step]], graph.place[run.first[:step]]
        flow = PeerFlow(graph, *more)
        times.append(best_times([flow.solve, lambda more=more: PeerFlow(graph, *more).solve()], 3, cpu))  # type: ignore[misc]
    alone, whole = np.mean(times, axis=0).tolist()
    return alone, whole


def _compare(name: str, n: int) -> tuple[list[str], float, float]:
    print_ = weighted(FAMILIES[name](n))
    most = half_way(print_)
    runs: list[Run] = []
    (spent,) = best_times([lambda: runs.append(one_by_one(print_, most))], 3 if n <= 1000 else 1, cpu)
    run = runs[0]
    ours, (alone, whole) = spent / max(run.steps, 1), _afresh(print_, run)
    state = ("", ", stuck", " of more")[run.state]
    cells = [f"{name}: {print_.dag.n:,} jobs, {print_.dag.m:,} edges", f"{run.steps:,}{state}", f"{spent:.2f} s"]
    cells += [f"{1e6 * ours:,.0f} us", f"{1e6 * alone:,.0f} us", f"{alone / ours:.1f}"]
    return [*cells, f"{1e6 * whole:,.0f} us", f"{whole / ours:.1f}"], alone / ours, whole / ours


def _whole(name: str, n: int) -> list[str]:
    print_ = weighted(FAMILIES[name](n))
    most = half_way(print_)

    def cell(method: str) -> str:
        found: list[Limited] = []

        def run() -> None:
            with suppress(InfeasibleError):
                found.append(limit(print_, most, method=method))

        (spent,) = best_times([run], 1 if n > 5_000 else 3, cpu)
        if not found:
            return f"{spent:.2f} s, gave up"
        path = found[0].critical_path_after / found[0].critical_path_before
        return f"{spent:.2f} s, path {path:.2f}" + (f" ({found[0].method})" if method == "auto" else "")

    return [f"{name}: {n:,} jobs", *map(cell, _METHODS)]


def _compare_all(sizes: tuple[int, ...]) -> None:
    found = [_compare(name, n) for n in sizes for name in FAMILIES]
    one, both = (f"{geometric_mean([row[i] for row in found]):.1f}" for i in (1, 2))  # type: ignore[misc]
    print_table(
        "Serialisation one pair a step: processor time beside solving afresh with OR-Tools (at least 10 times)",
        ["closure graph", "steps", "all", "our step", "flow and cut", "times", "handed over too", "times"],
        [*(row for row, _, _ in found), ["geometric mean", "", "", "", "", one, "", both]],
    )


def main(small: int = 1_000, middle: int = 10_000, large: int = 100_000) -> None:
    if has_peer():
        _compare_all((small, middle))
    else:
        print("\nNo comparison of serialisation: OR-Tools is not installed (pip install 'eligo[bench]').")
    print_table(
        "A limit half-way between depth-first peak and worst peak, processor time (about 0.05, 2 and 15 s)",
        ["dag", *_METHODS],
        [_whole(name, n) for n in (small, middle, large) for name in FAMILIES],
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
