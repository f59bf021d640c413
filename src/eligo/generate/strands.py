"""W-, M- and T-strands, and planar bipartite trees: the bipartite building blocks that hang together in a row.

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
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least_each, fits

__all__ = ["planar_bipartite_tree", "strand"]

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
