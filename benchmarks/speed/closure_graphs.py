"""Dags whose worst peak is a flow, in four shapes, and the flow solver of OR-Tools as a peer for them.

The closure graph of the simple model has one node for each job, weighing what the job allocates minus what it frees,
and one arc for each dependency, towards what comes before. Both solvers are given the same arrays, in which jobs are
numbered so that what comes before has a smaller number.

OR-Tools brings a HiGHS of its own; whoever imports it cannot import highspy in the same process any more. So it is
imported late, and tests start a process for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, final

import numpy as np

from benchmarks.speed.kernels import Edges, uniform
from eligo import generate
from eligo.dag import Dag, Data, Int32, Int64
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint

__all__ = ["FAMILIES", "ClosureGraph", "PeerFlow", "closure_graph", "has_peer", "weighted"]


def layered(rng: np.random.Generator, n: int, m: int) -> Edges:
    """Some thirty layers, or layers of 1,000 jobs; edges skip up to three of them."""
    width = max(10, min(1000, n // 30))
    tail = rng.integers(0, n, m)
    head = (tail // width + rng.integers(1, 5, m)) * width + rng.integers(0, width, m)
    keep = head < n
    return tail[keep], head[keep]


def deep(rng: np.random.Generator, n: int, m: int) -> Edges:
    """Each job needs three of the twenty before it: long paths, never much at the same time."""
    heads = np.repeat(np.arange(1, n), 3)[:m]
    return np.maximum(heads - rng.integers(1, 20, len(heads)), 0), heads


def _shuffled(family: Callable[[np.random.Generator, int, int], Edges], n: int) -> Dag:
    rng = np.random.default_rng(1)
    tails, heads = family(rng, n, 3 * n)
    place = rng.permutation(n)  # files are not written in the order in which kernels like it
    return Dag.from_edges(n, place[tails], place[heads])


FAMILIES: dict[str, Callable[[int], Dag]] = {
    "layered": lambda n: _shuffled(layered, n),
    "deep": lambda n: _shuffled(deep, n),
    "SDSS-like": generate.sdss,
    "random": lambda n: _shuffled(uniform, n),
}


def weighted(dag: Dag) -> Footprint:
    """Return the simple model of a dag with random data on its edges."""
    sizes = np.random.default_rng(2).integers(1, 1000, dag.m)
    return footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, sizes)), "simple")


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClosureGraph:
    """Row x of `up` holds what comes right before x; `after` and `before` are the same arcs one by one.

    `place` is each job's number here.
    """

    up_ptr: Int64
    up: Int32
    after: Int32
    before: Int32
    weight: Int64
    place: Int32


def closure_graph(print_: Footprint) -> ClosureGraph:
    """Return the closure graph of a footprint of the simple model."""
    dag = print_.dag
    place = np.empty(dag.n, np.int32)
    place[dag.order] = np.arange(dag.n, dtype=np.int32)
    counts = np.diff(dag.pred_ptr)[dag.order]
    up_ptr = np.concatenate(([0], np.cumsum(counts)))
    within = np.arange(dag.m) - np.repeat(up_ptr[:-1], counts)
    up = place[dag.pred[np.repeat(dag.pred_ptr[:-1][dag.order], counts) + within]]
    after = np.repeat(np.arange(dag.n, dtype=np.int32), counts)
    weight = (print_.outputs - print_.inputs)[dag.order]
    return ClosureGraph(up_ptr.astype(np.int64), up.astype(np.int32), after, up.astype(np.int32), weight, place)


def has_peer() -> bool:
    """Whether OR-Tools is there to compare with."""
    return find_spec("ortools") is not None


class PeerFlow:
    """OR-Tools' maximum flow on a closure graph with more arcs: from a source to excess, along arcs, to a sink."""

    def __init__(self, graph: ClosureGraph, more_after: Int32, more_before: Int32) -> None:
        from ortools.graph.python import max_flow

        n, weight = len(graph.weight), graph.weight
        excess, missing = np.flatnonzero(weight > 0).astype(np.int32), np.flatnonzero(weight < 0).astype(np.int32)
        self.most = int(weight[excess].sum())
        self.source, self.sink = n, n + 1
        self.solver: Any = max_flow.SimpleMaxFlow()
        for after, before in ((graph.after, graph.before), (more_after, more_before)):
            if len(after):
                self.solver.add_arcs_with_capacity(after, before, np.full(len(after), self.most))
        self.solver.add_arcs_with_capacity(np.full(len(excess), n, np.int32), excess, weight[excess])
        self.solver.add_arcs_with_capacity(missing, np.full(len(missing), n + 1, np.int32), -weight[missing])

    def solve(self) -> tuple[int, Any]:
        """Return the weight of the heaviest closed set, and that set with the source."""
        status = self.solver.solve(self.source, self.sink)
        if status != self.solver.OPTIMAL:
            raise AssertionError(f"OR-Tools says {status}")
        return self.most - self.solver.optimal_flow(), self.solver.get_source_side_min_cut()
