"""The best that any order of a bipartite forest can do, at every step.

*Problem.* A bipartite block whose underlying graph has no cycle need not admit an IC-optimal order, unless it is a sum
of strands. What is the largest number of sinks that x executed sources can make ELIGIBLE, for each x?

*Idea.* Root every tree at a source and carry upwards, for each number of executed sources below, the best count of
ELIGIBLE sinks, once for each of two cases: of a source, that it is executed or not; of a sink, that all sources below
it are executed, or whatever. Rows of numbers meet by (max,+) convolution.

*Cost.* O(s^2) for s sources, since every pair of them meets once (``native/core/block_forest.hpp``); 10^4 sources take
about 0.2 s. An order that reaches these numbers everywhere is IC-optimal, which is how Eligo proves it for trees.
"""

from __future__ import annotations

from eligo import _core
from eligo.dag import Int64
from eligo.errors import EligoError
from eligo.priority.bipartite import Bipartite

__all__ = ["best_of_forest"]


def best_of_forest(block: Bipartite) -> Int64:
    """Return e_max(0), ..., e_max(s) of a block without cycles.

    Raises
    ------
    EligoError
        The block has a cycle.

    Examples
    --------
    Three sources with a sink each, and one sink that waits for all of them:

    >>> import numpy as np
    >>> best_of_forest(Bipartite(4, np.array([0, 2, 4, 6]), np.array([0, 3, 1, 3, 2, 3], np.int32))).tolist()
    [0, 1, 2, 4]
    """
    best = _core.forest_best(block.ptr, block.idx, block.sinks)
    if len(best) == 0:
        raise EligoError(
            f"a block of {block.sources:,} sources and {block.sinks:,} sinks has a cycle",
            hint="take away the directions of the edges: in a forest no two jobs are joined in two ways",
        )
    return best
