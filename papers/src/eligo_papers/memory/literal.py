"""Algorithm 2 of 004 as it is printed, and what ties do to it.

Problem: add edges to a graph of the simple model until its heaviest topological cut is within a bound. Each step takes
the cut (S, T) of Algorithm 1, which is the smallest of the heaviest, and adds one edge from a node j of T to a node i
of S, where no path leads from i to j. MinLevels takes the pair of the least top level of j plus bottom level of i,
MaxSize the one whose ends have most of the cut, together, MaxMinSize the one of which even the lesser end has most.

Many pairs are equally good: nodes that take no time have the level of their neighbour, and in DAGGEN sizes are one of
nine. 004 does not say which of them is taken. Here it is the first or the last, in the order of the nodes of S or of
those of T; and, to see whether that matters, the first with the largest of the heaviest cuts. Eligo's own methods
(``native/core/serialize.hpp``) follow the same rules, but take j outside of *all* the heaviest cuts where there is such
a pair, so that one edge rules them all out, and drop edges that prove to be needless.

RespectOrder has no ties, so it is not repeated here. Cost: a flow and O(n^2) for each edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eligo import _core
from eligo.dag import Dag, Float64
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint, compiled, data_ends
from eligo.memory._models import footprint
from eligo.memory._sequential import sequential
from eligo.memory._serialization import work_of
from eligo_papers.memory.graphs import Reference, load
from eligo_papers.memory.runs import bound_of, peaks

__all__ = ["RULES", "TIES", "Serialized", "count_failures", "count_lowest", "serialize"]

RULES = ("min-levels", "max-min-size", "max-size")
TIES = ("first in S", "first in T", "last in S", "first in S, largest cut")
"""Of pairs that are equally good: the first by its node in S, or in T, the last; or the first with another cut."""

_Flags = NDArray[np.bool_]


class Serialized(NamedTuple):
    """What came out: the dag with its new edges, or ``None`` where no pair was left to add; and how many were added."""

    dag: Dag | None
    edges: int


def serialize(print_: Footprint, most: int, rule: str, ties: str = TIES[0]) -> Serialized:
    """Add edges by one of 004's rules until no execution occupies more than `most`.

    Parameters
    ----------
    print_
        In the simple model, each datum with one reader.
    ties
        Which of several equally good pairs is taken, one of ``TIES``.

    Examples
    --------
    The toy of Fig. 1: of (c, b) and (d, a) MinLevels takes the one with the shorter path.

    >>> from eligo.dag import Data
    >>> dag = Dag.from_names([("s", "a"), ("s", "b"), ("a", "c"), ("b", "d"), ("c", "t"), ("d", "t")])
    >>> data = Data.per_edge(dag.tails, dag.heads, [1, 2, 5, 6, 3, 4])
    >>> found = serialize(footprint(dag.with_known(data=data, time_s=[1, 1, 1, 9, 1, 1])), 10, "min-levels")
    >>> found.edges, [dag.names[job] for job in found.dag.order]
    (1, ['s', 'a', 'c', 'b', 'd', 't'])
    """
    if not print_.rules.one_event or np.any(np.diff(print_.reader_ptr) > 1):
        raise EligoError("004's algorithm is for the simple model, each datum with one reader")
    if rule not in RULES or ties not in TIES:
        raise EligoError(f"no rule {rule!r} with {ties!r}", hint=f"{', '.join(RULES)}; {', '.join(TIES)}")
    dag, ends = print_.dag, data_ends(print_)
    reach = _reachable(dag)
    edges = 0
    while True:
        heaviest, _, _, _, smallest, largest = compiled(print_.on(dag), ends).worst_state()
        if heaviest <= most - print_.base:
            return Serialized(dag, edges)
        inside = (largest if ties == TIES[3] else smallest)[: dag.n].astype(bool)
        before, after = np.flatnonzero(inside), np.flatnonzero(~inside)  # S and T
        free = ~reach[np.ix_(before, after)]
        if not free.any():
            return Serialized(None, edges)
        leaving, entering = _parts(print_, dag, inside, rule)
        joined = (np.maximum if rule == "max-min-size" else np.add).outer(leaving[before], entering[after])
        i, j = _least(np.where(free, joined, np.inf), ties)
        tail, head = after[j], before[i]
        dag = dag.with_edges(np.array([tail], np.int32), np.array([head], np.int32))
        reach |= np.outer(reach[:, tail], reach[head])
        edges += 1


def _reachable(dag: Dag) -> _Flags:
    """Return which node leads to which, each to itself too."""
    reach = np.eye(dag.n, dtype=bool)
    for node in dag.order[::-1].tolist():
        for child in dag.children(node).tolist():
            reach[node] |= reach[child]
    return reach


def _parts(print_: Footprint, dag: Dag, inside: _Flags, rule: str) -> tuple[Float64, Float64]:
    """Return for each node what it adds to a pair's badness: as the node i of S, and as the node j of T."""
    if rule == "min-levels":
        work = work_of(dag)
        bottom = _core.longest_paths(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]), work)
        return bottom, _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, work) - work
    read = np.flatnonzero(np.diff(print_.reader_ptr))
    producer, reader = print_.producer[read], print_.readers[print_.reader_ptr[read]]
    cut = inside[producer] & ~inside[reader]
    size = print_.size[read][cut].astype(np.float64)
    leaving, entering = (np.bincount(end[cut], weights=-size, minlength=dag.n) for end in (producer, reader))
    return leaving.astype(np.float64), entering.astype(np.float64)


def _least(badness: Float64, ties: str) -> tuple[int, int]:
    """Return where the least value is."""
    rows, columns = badness.shape
    if ties == TIES[1]:
        j, i = divmod(int(np.argmin(badness.T)), rows)
    elif ties == TIES[2]:
        i, j = divmod(badness.size - 1 - int(np.argmin(badness.ravel()[::-1])), columns)
    else:
        i, j = divmod(int(np.argmin(badness)), columns)
    return i, j


def count_failures(graphs: Sequence[Reference], bounds: Sequence[float]) -> dict[str, Any]:
    """Count how often Algorithm 2 as printed fails, for each rule and each way to break ties.

    Returns
    -------
    dict
        ``cases``; for each rule and ties the failures at each bound (``failed``); and how many edges were added, where
        it succeeded, as a list (``edges``).

    Examples
    --------
    >>> found = count_failures([["DAGGEN dense", 2]], [0.5])
    >>> found["cases"], found["failed"]["max-size"]["first in T"]
    (1, [0])
    """
    failed = {rule: {ties: [0] * len(bounds) for ties in TIES} for rule in RULES}
    edges: dict[str, list[int]] = {rule: [] for rule in RULES}
    cases = 0
    for reference in graphs:
        print_ = footprint(load(reference))
        low, high = peaks(print_)
        for place, at in enumerate(bounds if low < high else ()):
            cases += 1
            for rule in RULES:
                for ties in TIES:
                    found = serialize(print_, bound_of(low, high, at), rule, ties)
                    failed[rule][ties][place] += found.dag is None
                    if found.dag is not None:
                        edges[rule].append(found.edges)
    return {"cases": cases, "failed": failed, "edges": edges}


def count_lowest(graphs: Sequence[Reference]) -> dict[str, Any]:
    """Count failures at the smallest peak of any sequential order that is known, instead of the depth-first one.

    Returns
    -------
    dict
        ``cases``; ``share``, how far below the depth-first peak that is, on average; and ``failed`` by rule and ties.

    Examples
    --------
    >>> count_lowest([["DAGGEN sparse", 2]])["cases"]
    1
    """
    failed = {rule: dict.fromkeys(TIES, 0) for rule in RULES}
    shares = []
    for reference in graphs:
        print_ = footprint(load(reference))
        low, _ = peaks(print_)
        lowest = sequential(print_).peak
        shares.append(1 - lowest / low)
        for rule in RULES:
            for ties in TIES:
                failed[rule][ties] += serialize(print_, lowest, rule, ties).dag is None
    return {"cases": len(graphs), "share": sum(shares) / max(len(shares), 1), "failed": failed}
