"""The worst peak beside OR-Tools' maximum flow on the same closure graph, from a thousand jobs to a million."""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.measure import best_times, cpu, geometric_mean, print_table
from benchmarks.speed.closure_graphs import FAMILIES, ClosureGraph, PeerFlow, closure_graph, has_peer, weighted
from eligo import _core
from eligo.memory._worst_peak import worst_peak

_NOTHING = np.empty(0, np.int32)
_SIZES = (1_000, 10_000, 50_000, 1_000_000)


def _ours(graph: ClosureGraph) -> tuple[int, np.ndarray]:
    return _core.heaviest_closure(graph.up_ptr, graph.up, graph.weight)


def _theirs(graph: ClosureGraph) -> tuple[int, np.ndarray]:
    return PeerFlow(graph, _NOTHING, _NOTHING).solve()


def _check(graph: ClosureGraph, bound: int) -> None:
    """Both must have the same value, and OR-Tools' cut the weight that it says."""
    value, inside = _ours(graph)
    value_there, cut = _theirs(graph)
    cut = np.asarray(cut)
    weight = int(graph.weight[cut[cut < len(graph.weight)]].sum())
    if not value == value_there == weight == bound == int(graph.weight[inside == 1].sum()):
        raise AssertionError(f"the solvers disagree: {value}, {value_there}, {weight}, {bound}")


def _row(name: str, n: int, repeats: int) -> tuple[list[str], list[float]]:
    print_ = weighted(FAMILIES[name](n))
    graph = closure_graph(print_)
    _check(graph, worst_peak(print_).bound)
    theirs, ours, whole = best_times(
        [lambda: _theirs(graph), lambda: _ours(graph), lambda: worst_peak(print_)], repeats, cpu
    )
    cells = [f"{name}: {print_.dag.n:,} jobs, {print_.dag.m:,} edges", *(f"{1000 * t:,.2f} ms" for t in (theirs, ours))]
    ratios = [ours / theirs, whole / theirs]
    return [*cells, f"{ratios[0]:.2f}", f"{1000 * whole:,.2f} ms", f"{ratios[1]:.2f}"], ratios


def main(*sizes: int) -> None:
    if not has_peer():
        print("\nNo comparison of worst peaks: OR-Tools is not installed (pip install 'eligo[bench]').")
        return
    found = [_row(name, n, 3 if n > 200_000 else 7 if n > 20_000 else 15) for n in sizes or _SIZES for name in FAMILIES]
    solver, whole = ([ratios[i] for _, ratios in found] for i in (0, 1))
    print_table(
        "Worst peak: processor time beside OR-Tools' maximum flow (ratio: geometric mean at most 0.7, none above 1.5)",
        ["closure graph", "OR-Tools", "our solver", "ratio", "worst_peak()", "ratio"],
        [
            *(row for row, _ in found),
            ["geometric mean", "", "", f"{geometric_mean(solver):.2f}", "", f"{geometric_mean(whole):.2f}"],
            ["largest", "", "", f"{max(solver):.2f}", "", f"{max(whole):.2f}"],
        ],
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
