"""OR-Tools: ``SimpleMaxFlow``, push-relabel in C++ on integers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from ortools.graph.python import max_flow  # noqa: F401 - PeerFlow imports it late; here its absence is noticed

from benchmarks.peers.closures import compare_closures
from benchmarks.speed.closure_graphs import ClosureGraph, PeerFlow

_NOTHING = np.empty(0, np.int32)


class Flow(PeerFlow):
    """A closure graph, as it is."""

    def __init__(self, graph: ClosureGraph) -> None:
        super().__init__(graph, _NOTHING, _NOTHING)

    def solve(self) -> tuple[int, Iterable[int]]:
        """Return the weight of the heaviest closed set, and that set with the source."""
        value, members = super().solve()
        # Where no arc leads to the sink, OR-Tools does not know it, and has no cut. Then no job weighs less than 0.
        return value, members if len(members) else range(self.source)


QUESTIONS = {"closure": partial(compare_closures, Flow)}
