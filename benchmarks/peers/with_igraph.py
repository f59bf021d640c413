"""python-igraph: ``maxflow``, push-relabel in C on doubles, which gives the cut as well."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import igraph
import numpy as np

from benchmarks.peers.closures import compare_closures, in_doubles
from benchmarks.speed.closure_graphs import ClosureGraph


class Flow:
    """A closure graph with a source before excess and a sink behind what is missing."""

    def __init__(self, graph: ClosureGraph) -> None:
        in_doubles(graph)
        n, weight = len(graph.weight), graph.weight
        excess, missing = np.flatnonzero(weight > 0), np.flatnonzero(weight < 0)
        self.most = int(weight[excess].sum())
        self.source, self.sink = n, n + 1
        tails = np.concatenate([graph.after, np.full(len(excess), n), missing])
        heads = np.concatenate([graph.before, excess, np.full(len(missing), n + 1)])
        room = [np.full(len(graph.after), self.most), weight[excess], -weight[missing]]
        self.capacity = np.concatenate(room).tolist()
        self.graph = igraph.Graph(n + 2, np.column_stack([tails, heads]), directed=True)

    def solve(self) -> tuple[float, Iterable[int]]:
        """Return the weight of the heaviest closed set, and that set with the source."""
        flow = self.graph.maxflow(self.source, self.sink, self.capacity)
        return self.most - flow.value, flow.partition[0]


QUESTIONS = {"closure": partial(compare_closures, Flow)}
