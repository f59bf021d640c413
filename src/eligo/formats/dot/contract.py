"""Leave out nodes that are no jobs, but keep the dependencies that lead through them.

A walk from each job stops at the jobs it meets and passes through the rest. That is as many steps as there are (job,
passed edge) pairs, so it is bounded: a graph drawn for people is far below the bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.formats.dot.model import MAX_PAIRS, Graph
from eligo.formats.storage import Source

__all__ = ["contract"]


def contract(graph: Graph, left_out: NDArray[np.bool_], source: Source) -> tuple[list[int], list[int]]:
    """Return the edges between kept nodes, numbered among themselves, where nodes `left_out` are passed through.

    Examples
    --------
    >>> from eligo.formats.dot.grammar import parse_graph
    >>> source = Source("a.dot", b"digraph { a -> x -> y -> b; x -> c }")
    >>> graph = parse_graph(source)
    >>> graph.names
    ['a', 'x', 'y', 'b', 'c']
    >>> contract(graph, np.array([False, True, True, False, False]), source)
    ([0, 0], [2, 1])
    """
    number = np.cumsum(~left_out) - 1
    children: list[list[int]] = [[] for _ in graph.names]
    for tail, head in zip(graph.tails, graph.heads, strict=True):
        children[tail].append(head)
    tails: list[int] = []
    heads: list[int] = []
    seen_from = [-1] * len(children)
    steps = 0
    for job in np.flatnonzero(~left_out).tolist():
        waiting = [job]
        while waiting:
            at = waiting.pop()
            steps += 1 + len(children[at])
            for child in children[at]:
                if not left_out[child]:
                    tails.append(int(number[job]))
                    heads.append(int(number[child]))
                elif seen_from[child] != job:
                    seen_from[child] = job
                    waiting.append(child)
        if steps > MAX_PAIRS:
            raise source.error(
                None, "too many processes are joined through operators", hint="draw fewer, or give an edge list instead"
            )
    return tails, heads
