"""The bipartite blocks of Malewicz et al. 2006, Fig. 2, whose IC-optimal schedules are known.

The figure is not in the text. The definitions taken here: (1,d)-W is one source with d sinks; (s,d)-W is s of them in
a row, the rightmost sink of each merged with the leftmost of the next; (s,d)-M is its dual; s-N has sources and sinks
1..s, source i feeding sinks i and i + 1, the last only sink s; s-Cycle adds the edge from the last source to the first
sink; s-Clique has all s * s edges. Numbering, in all of them: the sources from left to right, then the sinks.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least, fits
from eligo.generate.strands import strand

__all__ = ["clique_dag", "cycle_dag", "m_dag", "n_dag", "w_dag"]


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
