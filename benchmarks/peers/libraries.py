"""What is asked of graph libraries: an order in which no job stands before a parent, and the transitive reduction.

Orders may differ, so each is checked to be one. The reduction of a dag is unique: both must keep the same edges.

Libraries get their edges as a list of pairs, which is made before the clock runs, and we as two arrays: each what it
takes. ``Dag.from_edges`` also checks names and finds the order, so building is timed together with sorting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from benchmarks.peers.registry import Disagreement, Values
from benchmarks.peers.timing import alternately
from eligo import EligoError, Schedule, _core, graph
from eligo.dag import Dag

__all__ = ["Library", "Pairs", "compare_reductions", "compare_sorts", "pairs_of"]

Pairs = list[tuple[int, int]]


class Library(Protocol):
    """What a graph library can do; a module serves."""

    def build(self, n: int, pairs: Pairs) -> Any:
        """Return a graph with nodes 0..n-1 and these edges."""

    def sort(self, built: Any) -> Iterable[int]:
        """Return the nodes in a topological order."""

    def reduce(self, built: Any) -> Any:
        """Return the transitive reduction, in whatever form."""

    def edges(self, reduced: Any) -> Iterable[tuple[int, int]]:
        """Return the edges of a reduction."""


def pairs_of(dag: Dag) -> Pairs:
    """Return the edges one by one."""
    return list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def compare_sorts(library: Library, dag: Dag, seconds: float) -> Values:
    """Compare topological orders: of a graph that is there, and together with building it."""
    pairs = pairs_of(dag)
    built = library.build(dag.n, pairs)
    for order in (dag.order, list(library.sort(built))):
        try:
            Schedule.of(dag, order)
        except (EligoError, ValueError) as error:
            raise Disagreement(f"no topological order: {error}") from error
    rows = dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred
    tails, heads = dag.tails, dag.heads
    ours, theirs, ours_built, theirs_built = alternately(
        [
            lambda: _core.topological_order(*rows),
            lambda: list(library.sort(built)),
            lambda: Dag.from_edges(dag.names, tails, heads),
            lambda: list(library.sort(library.build(dag.n, pairs))),
        ],
        seconds,
    )
    return {"ours": ours, "theirs": theirs, "ours_built": ours_built, "theirs_built": theirs_built}


def compare_reductions(library: Library, dag: Dag, seconds: float) -> Values:
    """Compare transitive reductions of a graph that is there."""
    built = library.build(dag.n, pairs_of(dag))
    here, there = set(pairs_of(graph.remove_shortcuts(dag))), set(library.edges(library.reduce(built)))
    if here != there:
        raise Disagreement(f"{len(here - there)} edges are kept only by us, {len(there - here)} only by the peer")
    ours, theirs = alternately([lambda: graph.remove_shortcuts(dag), lambda: library.reduce(built)], seconds)
    return {"ours": ours, "theirs": theirs}
