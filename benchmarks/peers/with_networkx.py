"""networkx: graphs in plain Python, as dictionaries of dictionaries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import networkx

from benchmarks.peers.libraries import Pairs, compare_reductions, compare_sorts

_HERE = sys.modules[__name__]


def build(n: int, pairs: Pairs) -> Any:
    built: Any = networkx.DiGraph()
    built.add_nodes_from(range(n))
    built.add_edges_from(pairs)
    return built


def sort(built: Any) -> Any:
    return networkx.topological_sort(built)


def reduce(built: Any) -> Any:
    return networkx.transitive_reduction(built)


def edges(reduced: Any) -> Iterator[tuple[int, int]]:
    return iter(reduced.edges)


QUESTIONS = {"sort": partial(compare_sorts, _HERE), "reduction": partial(compare_reductions, _HERE)}
