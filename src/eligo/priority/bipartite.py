"""A bipartite block: sources that feed sinks, and nothing else.

Blocks are cut out of dags by the thousand, so a block is three plain things, not a Dag: the number of its sinks and the
children of its sources as compressed sparse rows. Sources are numbered 0..s-1 and sinks 0..S-1, each on their own.
Every source has a child and every sink a parent: an isolated node belongs to no block.

What an order of the sources is worth is e(0), ..., e(s): how many sinks are ELIGIBLE once so many sources are executed.
Counted with the sources, as everywhere in Eligo, E(x) = s - x + e(x).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.schedule import places

__all__ = ["Bipartite"]


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
