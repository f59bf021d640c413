"""Cut a dag into blocks: steps 2 and 3 of the scheduling algorithm of Cordasco et al. 2010, section 2.2.

A *block* is a set of non-sinks together with all the edges that leave them. The blocks of a dag are the finest such
parts with two properties: all parents of any one job lie in one block, and blocks depend on each other without circles.
Then a job is a non-source of exactly one block or a source of the dag, a non-sink of exactly one block or a sink of
the dag, and the number of ELIGIBLE jobs of the dag is, up to constants, the sum over the blocks: that is what the
theory needs of a decomposition (ERRATA, part 1, section 3).

Most blocks are bipartite; the papers admit no others ("no parsing is possible"). Here a block that is not is kept
whole, since the theory holds for blocks of any kind. With shortcuts removed first the blocks are those of the papers,
and of the decomposition of Malewicz et al. 2006 as repaired by the errata.

The *super-dag* has the blocks as jobs, and an edge where a sink of one is a source of another.

Cost: near-linear (``native/core/decompose.hpp``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.graph import Bools, grouped
from eligo.priority._blocks.bipartite import Bipartite

__all__ = ["Blocks", "decompose"]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a dag, numbered by their lowest non-sink.

    Attributes
    ----------
    dag
        Which dag.
    of
        For each job the block of which it is a non-sink; -1 for sinks of the dag.
    into
        For each job the block that its incoming edges belong to; -1 for sources of the dag.
    nonsink_ptr, nonsinks
        The non-sinks of each block, ascending, as compressed sparse rows.
    head_ptr, heads
        The jobs that the edges of each block lead to, likewise.
    edges
        The number of edges of each block.
    bipartite
        Whether no edge of the block leads to one of its non-sinks.
    """

    dag: Dag
    of: Int32
    into: Int32
    nonsink_ptr: Int64
    nonsinks: Int32
    head_ptr: Int64
    heads: Int32
    edges: Int64
    bipartite: Bools

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self.nonsink_ptr) - 1

    @property
    def complete(self) -> Bools:
        """Whether every source of a bipartite block feeds every sink of it."""
        full: Bools = self.edges == np.diff(self.nonsink_ptr) * np.diff(self.head_ptr)
        return self.bipartite & full

    def nonsinks_of(self, block: int) -> Int32:
        """Return the non-sinks of one block, ascending."""
        return self.nonsinks[self.nonsink_ptr[block] : self.nonsink_ptr[block + 1]]

    def heads_of(self, block: int) -> Int32:
        """Return the jobs that the edges of one block lead to, ascending."""
        return self.heads[self.head_ptr[block] : self.head_ptr[block + 1]]

    @property
    def rows(self) -> tuple[Int64, Int32, Int64, Int32, Int64, Int32, NDArray[np.uint8]]:
        """The edges of the dag and the blocks, as kernels take them."""
        dag = self.dag
        flags = self.bipartite.view(np.uint8)
        return dag.succ_ptr, dag.succ, self.nonsink_ptr, self.nonsinks, self.head_ptr, self.heads, flags

    def structures(self) -> tuple[Int32, Int32]:
        """Return for each block the number of its structure, and of each structure the first block.

        Blocks have the same structure if their edges are the same once the jobs of each are numbered ascending:
        sources and sinks each on their own in a bipartite block, else all together.

        Examples
        --------
        >>> decompose(Dag.from_edges(6, [0, 2, 4, 4], [1, 3, 3, 5])).structures()
        (array([0, 1], dtype=int32), array([0, 1], dtype=int32))
        >>> decompose(Dag.from_edges(6, [0, 2, 4], [1, 3, 5])).structures()
        (array([0, 0, 0], dtype=int32), array([0], dtype=int32))
        """
        return _core.block_structures(*self.rows)

    def superdag(self) -> Dag:
        """Return the dag of the blocks; its jobs are named by their numbers."""
        inner = np.flatnonzero((self.of >= 0) & (self.into >= 0))
        before, after = self.into[inner], self.of[inner]
        between = before != after
        return Dag.from_edges(self.count, before[between], after[between])

    def bipartite_of(self, block: int) -> Bipartite:
        """Return a bipartite block: its sources are ``nonsinks_of(block)``, its sinks ``heads_of(block)``."""
        heads = self.heads_of(block)
        counts, children = self._edges_of(block)
        return Bipartite(
            len(heads), np.concatenate(([0], np.cumsum(counts))), np.searchsorted(heads, children).astype(np.int32)
        )

    def dag_of(self, block: int) -> tuple[Dag, Int32]:
        """Return any block as a dag of its own, with the job numbers of its jobs."""
        sources = self.nonsinks_of(block)
        both = np.sort(np.concatenate([sources, self.heads_of(block)]))
        jobs = both[np.append(True, both[1:] != both[:-1])]  # np.unique would load numpy.ma, for 10 ms
        counts, children = self._edges_of(block)
        tails = np.repeat(np.searchsorted(jobs, sources), counts)
        return Dag.from_edges([self.dag.names[job] for job in jobs], tails, np.searchsorted(jobs, children)), jobs

    def _edges_of(self, block: int) -> tuple[Int64, Int32]:
        """Return the number of children of each non-sink of a block, and all these children."""
        sources, ptr = self.nonsinks_of(block), self.dag.succ_ptr
        counts = ptr[sources + 1] - ptr[sources]
        ends = np.cumsum(counts)
        return counts, self.dag.succ[np.repeat(ptr[sources + 1] - ends, counts) + np.arange(ends[-1])]


def decompose(dag: Dag) -> Blocks:
    r"""Cut a dag into blocks.

    Shortcuts are not removed; with them the blocks are larger than need be.

    Examples
    --------
    A mesh of three levels is two M-strands, one below the other::

        0   1   2
         \ / \ /
          3   4
           \ /
            5

    >>> mesh = Dag.from_edges(6, [0, 1, 1, 2, 3, 4], [3, 3, 4, 4, 5, 5])
    >>> blocks = decompose(mesh)
    >>> [(blocks.nonsinks_of(b).tolist(), blocks.heads_of(b).tolist()) for b in range(blocks.count)]
    [([0, 1, 2], [3, 4]), ([3, 4], [5])]
    >>> blocks.superdag().children(0).tolist()
    [1]
    """
    block = _core.decompose(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred)
    count = int(block.max(initial=-1)) + 1
    into = np.full(dag.n, -1, np.int32)
    some = np.diff(dag.pred_ptr) > 0
    if dag.m:
        into[some] = block[dag.pred[dag.pred_ptr[:-1][some]]]
    inside = (block >= 0) & (block == into)
    bipartite = np.ones(count, np.bool_)
    bipartite[block[inside]] = False
    return Blocks(
        dag,
        block,
        into,
        *grouped(block, count),
        *grouped(into, count),
        np.bincount(block[block >= 0], np.diff(dag.succ_ptr)[block >= 0], count).astype(np.int64),
        bipartite,
    )
