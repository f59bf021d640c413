"""The bipartite blocks of Malewicz et al. 2006, Fig. 2, whose IC-optimal schedules are known.

The figure is not in the text. The definitions taken here: (1,d)-W is one source with d sinks; (s,d)-W is s of them in
a row, the rightmost sink of each merged with the leftmost of the next; (s,d)-M is its dual; s-N has sources and sinks
1..s, source i feeding sinks i and i + 1, the last only sink s; s-Cycle adds the edge from the last source to the first
sink; s-Clique has all s * s edges. Numbering, in all of them: the sources from left to right, then the sinks.

W-, M- and T-strands, and planar bipartite trees: the bipartite building blocks that hang together in a row.

Read a strand's numbers from left to right. The first is the outdegree of the leftmost source; the second the
indegree of that source's rightmost sink; the third the outdegree of that sink's rightmost source; and so on: sources
and sinks of the backbone in turn, each sharing one edge with the next (Cordasco et al. 2007, section 3). Planar
bipartite trees (Cordasco et al. 2010, section 5.2) are the same dags under another notation. Cost: O(n).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate._family import Family, at_least, at_least_each, fits, register

__all__ = [
    "clique_dag",
    "cycle_dag",
    "m_dag",
    "n_dag",
    "planar_bipartite_tree",
    "strand",
    "w_dag",
]

_PART = re.compile(r"(1/)?([0-9]{1,18})")


def strand(kind: Literal["T", "W", "M"], degrees: Sequence[int]) -> Dag:
    r"""Return T[d1, d2, ...], W[d1, d2, ...] or M[d1, d2, ...].

    Numbering: the sources from left to right, then the sinks from left to right.

    Parameters
    ----------
    kind
        ``W``: sources of these outdegrees, neighbours sharing one sink. ``M``: its dual, sinks of these indegrees.
        ``T``: sources and sinks in turn. W[d1, ..., dk] = T[d1, 2, d2, 2, ..., 2, dk] and
        M[d1, ..., dk] = T[1, d1, 2, d2, 2, ..., 2, dk].
    degrees
        All above 1; only the first of a T-strand may be 1. T[1] is the single edge, which the papers' recursions
        need though their definitions leave it out.

    Examples
    --------
    T[1, 3, 2], where 1 and 3 are neighbours on the backbone::

        0   1   2
         \  |  / \
          \ | /   \
            3      4

    >>> dag = strand("T", [1, 3, 2])
    >>> list(zip(dag.tails.tolist(), dag.heads.tolist()))
    [(0, 3), (1, 3), (2, 3), (2, 4)]
    >>> strand("W", [4, 2, 4, 3]), strand("M", [4, 2, 4, 3])
    (Dag(14 jobs, 13 edges), Dag(14 jobs, 13 edges))
    """
    if kind not in ("T", "W", "M"):
        raise EligoError(f"unknown kind of strand {kind!r}", hint="one of: T, W, M")
    at_least_each(1 if kind == "T" else 2, "degrees", degrees)
    if kind == "T":
        at_least_each(2, "degrees after the first", [2, *degrees[1:]])
        return _t_strand(list(degrees))
    between = [number for degree in degrees for number in (2, degree)][1:]
    return _t_strand(between if kind == "W" else [1, *between])


def _t_strand(degrees: list[int]) -> Dag:
    fits(sum(degrees) + 1, sum(degrees))
    # Walk along the row edge by edge. Edges come in runs: those of the first source, then of a backbone sink, a
    # backbone source, and so on, each run short of the edge it shares with the run before. Every edge brings one new
    # node: a sink in the runs of sources, a source in the runs of sinks.
    runs = np.array(degrees, np.int64)
    runs[1:] -= 1
    brings_source = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    tails, heads = np.cumsum(brings_source), np.cumsum(~brings_source) - 1
    sources = int(tails[-1]) + 1
    return Dag.from_edges(sources + int(heads[-1]) + 1, tails, sources + heads)


def planar_bipartite_tree(parts: Sequence[str]) -> Dag:
    """Return the planar bipartite tree P[...] of a zigzagged sequence: whole numbers and reciprocals in turn.

    P[d1, 1/d2, d3, ...] = T[d1, d2, d3, ...] and P[1/d1, d2, 1/d3, ...] = T[1, d1, d2, d3, ...]. Numbering: as
    :func:`strand`.

    Parameters
    ----------
    parts
        Such as ``["1/4", "3", "1/3"]``; whole numbers and fractions are taken as well as text.

    Examples
    --------
    The tree of Cordasco et al. 2010, Fig. 9:

    >>> planar_bipartite_tree("1/4 3 1/3 3 1/2 2 1/4 3 1/2 4".split())
    Dag(22 jobs, 21 edges)
    """
    if len(parts) == 0:
        raise EligoError("a planar bipartite tree needs at least one part", hint="such as 1/4 3 1/3")
    numbers = [_part(part) for part in parts]
    for one, other in pairwise(numbers):
        if (one > 1) == (other > 1):
            raise EligoError(
                f"{one} and {other} follow each other", hint="whole numbers and reciprocals must alternate"
            )
    degrees = [int(max(number, 1 / number)) for number in numbers]
    return _t_strand(degrees if numbers[0] > 1 else [1, *degrees])


def _part(text: str) -> Fraction:
    # Not all that Fraction reads: of "1e99999999" it would write out the digits.
    match = _PART.fullmatch(str(text))
    if match is None or int(match[2]) < 2:
        raise EligoError(f"{text!r} is not a part of a planar bipartite tree", hint="write d or 1/d with d above 1")
    degree = int(match[2])
    return Fraction(1, degree) if match[1] else Fraction(degree)


register(
    Family(
        "strand",
        strand,
        "W-, M- or T-strand: bipartite blocks hanging together in a row",
        {"kind": "T, W or M", "degrees": "degrees along the row, all above 1 (the first of a T-strand may be 1)"},
        "strand T 1 4 4 3",
        ("kind", "degrees"),
    ),
    Family(
        "pbt",
        planar_bipartite_tree,
        "planar bipartite tree P[...]",
        {"parts": "whole numbers and reciprocals in turn, all but 1"},
        "pbt 1/4 3 1/3 3 1/2 2",
        ("parts",),
    ),
)


def w_dag(sources: int = 2, degree: int = 2) -> Dag:
    """Return the (s,d)-W dag: s sources of outdegree d, neighbours sharing a sink.

    Examples
    --------
    >>> w_dag(2, 3).children(1).tolist()
    [4, 5, 6]
    """
    at_least(1, sources=sources)
    at_least(2, degree=degree)
    fits(sources * degree, sources * degree)
    return strand("W", [degree] * sources)


def m_dag(sinks: int = 2, degree: int = 2) -> Dag:
    """Return the (s,d)-M dag: s sinks of indegree d, neighbours sharing a source.

    Examples
    --------
    >>> m_dag(2, 3).parents(6).tolist()
    [2, 3, 4]
    """
    at_least(1, sinks=sinks)
    at_least(2, degree=degree)
    fits(sinks * degree, sinks * degree)
    return strand("M", [degree] * sinks)


def n_dag(sources: int = 4) -> Dag:
    """Return the s-N dag: source i feeds sinks i and i + 1, the last source only the last sink.

    Examples
    --------
    >>> dag = n_dag(3)
    >>> dag.children(0).tolist(), dag.children(2).tolist()
    ([3, 4], [5])
    """
    at_least(1, sources=sources)
    fits(2 * sources, 2 * sources)
    source = np.arange(sources, dtype=np.int64)
    return Dag.from_edges(
        2 * sources, np.concatenate([source, source[:-1]]), sources + np.concatenate([source, source[1:]])
    )


def cycle_dag(sources: int = 4) -> Dag:
    """Return the s-Cycle dag: source i feeds sinks i and i + 1, the last source also the first sink.

    Examples
    --------
    >>> cycle_dag(3).children(2).tolist()
    [3, 5]
    """
    at_least(2, sources=sources)
    fits(2 * sources, 2 * sources)
    source = np.arange(sources, dtype=np.int64)
    return Dag.from_edges(
        2 * sources, np.concatenate([source, source]), sources + np.concatenate([source, (source + 1) % sources])
    )


def clique_dag(sources: int = 3) -> Dag:
    """Return the s-Clique dag: each of s sources feeds each of s sinks.

    Examples
    --------
    >>> clique_dag(3)
    Dag(6 jobs, 9 edges)
    """
    at_least(1, sources=sources)
    fits(2 * sources, sources * sources)
    source = np.arange(sources, dtype=np.int64)
    return Dag.from_edges(2 * sources, np.repeat(source, sources), sources + np.tile(source, sources))


_SOURCES = {"sources": "number of sources, and of sinks"}

register(
    Family(
        "w-dag",
        w_dag,
        "(s,d)-W: sources of one degree in a row, neighbours sharing a sink",
        {"sources": "number of sources", "degree": "children of each source"},
        "w-dag --sources 2 --degree 2",
    ),
    Family(
        "m-dag",
        m_dag,
        "(s,d)-M: sinks of one degree in a row, neighbours sharing a source",
        {"sinks": "number of sinks", "degree": "parents of each sink"},
        "m-dag --sinks 2 --degree 5",
    ),
    Family("n-dag", n_dag, "s-N: a zigzag of sources and sinks", _SOURCES, "n-dag --sources 4"),
    Family("cycle-dag", cycle_dag, "s-Cycle: a closed zigzag of sources and sinks", _SOURCES, "cycle-dag --sources 4"),
    Family("clique-dag", clique_dag, "s-Clique: every source feeds every sink", _SOURCES, "clique-dag --sources 3"),
)
