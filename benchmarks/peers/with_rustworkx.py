"""rustworkx: graphs in Rust, over petgraph. Its reduction keeps a list of all descendants of every node."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import rustworkx

from benchmarks.peers.libraries import Pairs, compare_reductions, compare_sorts

_HERE = sys.modules[__name__]


def build(n: int, pairs: Pairs) -> Any:
    built = rustworkx.PyDiGraph()
    built.add_nodes_from(range(n))
    built.add_edges_from_no_data(pairs)
    return built


def sort(built: Any) -> Any:
    return rustworkx.topological_sort(built)


def reduce(built: Any) -> Any:
    return rustworkx.transitive_reduction(built)


def edges(reduced: Any) -> Iterator[tuple[int, int]]:
    after, places = reduced
    nodes = {place: node for node, place in places.items()}
    return ((nodes[tail], nodes[head]) for tail, head in after.edge_list())


QUESTIONS = {"sort": partial(compare_sorts, _HERE), "reduction": partial(compare_reductions, _HERE)}
