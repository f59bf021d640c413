"""What is asked of flow and LP solvers: the worst peak in 004's simple model, as the heaviest closed set.

All get the arrays of the same closure graph (``benchmarks/speed/closure_graphs.py``) and give back a value and a set.
Values must be equal to ours, the set must weigh as much, and our own call of the whole, ``worst_peak``, must say so
too. A peer is timed twice: with handing over the graph, and without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from benchmarks.peers.registry import Disagreement, LeftOut, Values
from benchmarks.peers.timing import alternately
from benchmarks.speed.closure_graphs import ClosureGraph, closure_graph, weighted
from eligo import EligoError, _core
from eligo.dag import Dag
from eligo.memory._footprint import Footprint
from eligo.memory._linear_program import EXACT_IN_DOUBLES
from eligo.memory._models import footprint
from eligo.memory._worst_peak import worst_peak

__all__ = ["Solver", "compare_closures", "in_doubles", "sized"]


class Solver(Protocol):
    """A solver that has been given a graph."""

    def solve(self) -> tuple[float, Iterable[int]]:
        """Return the weight of the heaviest closed set and its members; numbers beyond the jobs do not count."""


def sized(dag: Dag) -> Footprint:
    """Return the simple model of a dag with its own data, or, where it has no sizes, with random ones."""
    try:
        print_ = footprint(dag, "simple")
    except EligoError:
        return weighted(dag)
    return print_ if print_.k else weighted(dag)


def in_doubles(graph: ClosureGraph) -> None:
    """Refuse a graph whose sums are not exact in the doubles that a solver computes in.

    Raises
    ------
    LeftOut
        They are larger than 2^53.
    """
    most = int(np.abs(graph.weight).sum())
    if most > EXACT_IN_DOUBLES:
        raise LeftOut(f"it computes in doubles, and sizes add up to {most:.1e}, beyond 2^53")


def compare_closures(hand_over: Callable[[ClosureGraph], Solver], dag: Dag, seconds: float) -> Values:
    """Compare our solver with another."""
    print_ = sized(dag)
    graph = closure_graph(print_)
    handed = hand_over(graph)
    _check(graph, handed, worst_peak(print_, trials=0).bound)
    ours, theirs, alone = alternately(
        [
            lambda: _core.heaviest_closure(graph.up_ptr, graph.up, graph.weight),
            lambda: hand_over(graph).solve(),
            handed.solve,
        ],
        seconds,
    )
    return {"ours": ours, "theirs": theirs, "alone": alone}


def _check(graph: ClosureGraph, solver: Solver, bound: int) -> None:
    value, inside = _core.heaviest_closure(graph.up_ptr, graph.up, graph.weight)
    value_there, members = solver.solve()
    there = np.zeros(len(graph.weight), np.bool_)
    there[[member for member in members if member < len(there)]] = True
    weights = [int(graph.weight[chosen].sum()) for chosen in (inside == 1, there)]
    if not value == value_there == bound == weights[0] == weights[1]:
        raise Disagreement(f"worst peaks {value} and {value_there}, bound {bound}, sets that weigh {weights}")
    if np.any(there[graph.after] & ~there[graph.before]):
        raise Disagreement("the peer's set is not closed")
