"""A bipartite block: sources that feed sinks, and nothing else.

Blocks are cut out of dags by the thousand, so a block is three plain things, not a Dag: the number of its sinks and the
children of its sources as compressed sparse rows. Sources are numbered 0..s-1 and sinks 0..S-1, each on their own.
Every source has a child and every sink a parent: an isolated node belongs to no block.

What an order of the sources is worth is e(0), ..., e(s): how many sinks are ELIGIBLE once so many sources are executed.
Counted with the sources, as everywhere in Eligo, E(x) = s - x + e(x).

The best that any order of a bipartite forest can do, at every step.

*Problem.* A bipartite block whose underlying graph has no cycle need not admit an IC-optimal order, unless it is a sum
of strands. What is the largest number of sinks that x executed sources can make ELIGIBLE, for each x?

*Idea.* Root every tree at a source and carry upwards, for each number of executed sources below, the best count of
ELIGIBLE sinks, once for each of two cases: of a source, that it is executed or not; of a sink, that all sources below
it are executed, or whatever. Rows of numbers meet by (max,+) convolution.

*Cost.* O(s^2) for s sources, since every pair of them meets once (``native/core/block_forest.hpp``); 10^4 sources take
about 0.2 s. An order that reaches these numbers everywhere is IC-optimal, which is how Eligo proves it for trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core, graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.schedule import places

__all__ = [
    "Bipartite",
    "best_of_forest",
]


@dataclass(frozen=True, slots=True, eq=False)
class Bipartite:
    """Sources 0..s-1 that feed sinks 0..S-1.

    Attributes
    ----------
    sinks
        The number of sinks, S.
    ptr, idx
        Source i feeds the sinks ``idx[ptr[i]:ptr[i + 1]]``, ascending.

    Examples
    --------
    >>> block, sources, sinks = Bipartite.from_dag(Dag.from_edges(3, [0, 0], [1, 2]))
    >>> block.sources, block.sinks, block.edges
    (1, 2, 2)
    >>> block.eligible_sinks([0]).tolist()
    [0, 2]
    """

    sinks: int
    ptr: Int64
    idx: Int32

    @classmethod
    def from_dag(cls, dag: Dag) -> tuple[Bipartite, Int32, Int32]:
        """Return the block that a dag is, with the dag's numbers of its sources and of its sinks.

        Raises
        ------
        EligoError
            The dag has a job that is neither source nor sink, or one that is both.
        """
        indegree, outdegree = np.diff(dag.pred_ptr), np.diff(dag.succ_ptr)
        for bad, what in (
            ((indegree > 0) & (outdegree > 0), "has parents and children"),
            ((indegree == 0) & (outdegree == 0), "stands alone"),
        ):
            if bad.any():
                raise EligoError(
                    f"job {dag.names[int(np.argmax(bad))]!r} {what}",
                    hint="a bipartite block has sources that feed sinks, and no other jobs",
                )
        sources, sinks = graph.sources(dag), graph.sinks(dag)
        number = np.zeros(dag.n, np.int32)
        number[sinks] = np.arange(len(sinks))
        ptr = np.concatenate(([0], np.cumsum(outdegree[sources])))
        return cls(len(sinks), ptr.astype(np.int64), number[dag.succ]), sources, sinks

    @property
    def sources(self) -> int:
        """The number of sources, s."""
        return len(self.ptr) - 1

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.idx)

    def to_dag(self) -> Dag:
        """Return the block as a dag: its sources first, then its sinks."""
        tails = np.repeat(np.arange(self.sources), np.diff(self.ptr))
        return Dag.from_edges(self.sources + self.sinks, tails, self.sources + self.idx)

    def eligible_sinks(self, order: ArrayLike) -> Int64:
        """Return e(0), ..., e(s) of an order of the sources."""
        if not np.array_equal(np.sort(order), np.arange(self.sources)):
            raise EligoError(f"the order does not name each of the {self.sources} sources once")
        return np.concatenate(([0], np.cumsum(self.gains(order))))

    def gains(self, order: ArrayLike) -> Int64:
        """Return for each place of an order of the sources how many sinks the source there is the last parent of."""
        last = np.zeros(self.sinks, np.int64)
        np.maximum.at(last, self.idx, np.repeat(places(order), np.diff(self.ptr)))
        return np.bincount(last, minlength=self.sources)


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
