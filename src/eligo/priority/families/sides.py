"""The blocks of a dag (``decompose``) as the search for parts sees them: alike in the dag and in its dual.

All arcs out of a job lie in one block, and all arcs into it in one (perhaps the same). Blocks that are not bipartite
count as empty: no family has one. That holds for those which ``decompose`` joined because they depend on each other in
a circle, too: every sink of a family depends on every source, so nothing leads from a part back into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.priority.decompose import decompose

__all__ = ["Sides"]


@dataclass(frozen=True, slots=True)
class Sides:
    """A dag's arcs and blocks, one way or the other.

    Attributes
    ----------
    out_ptr, out, in_ptr, into
        Children and parents as compressed sparse rows.
    out_block, in_block
        For each job the block of the arcs out of it and of those into it, -1 where there are none.
    tails, heads, arcs
        For each block its numbers of tails, heads and arcs; 0 where it is not bipartite.

    Examples
    --------
    >>> sides = Sides.of(Dag.from_edges(4, [0, 1, 2], [2, 2, 3]))
    >>> sides.out_block.tolist(), sides.in_block.tolist(), sides.tails[sides.out_block[[0, 2]]].tolist()
    ([0, 0, 1, -1], [-1, -1, 0, 1], [2, 1])
    """

    out_ptr: Int64
    out: Int32
    in_ptr: Int64
    into: Int32
    out_block: Int32
    in_block: Int32
    tails: Int64
    heads: Int64
    arcs: Int64

    @classmethod
    def of(cls, dag: Dag) -> Sides:
        """Return the arcs and blocks of a dag."""
        blocks = decompose(dag)
        sizes = np.diff(blocks.nonsink_ptr), np.diff(blocks.head_ptr), blocks.edges
        tails, heads, arcs = (size * blocks.bipartite for size in sizes)
        return cls(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, blocks.of, blocks.into, tails, heads, arcs)

    def flipped(self) -> Sides:
        """Return the same of the dual."""
        return Sides(
            self.in_ptr,
            self.into,
            self.out_ptr,
            self.out,
            self.in_block,
            self.out_block,
            self.heads,
            self.tails,
            self.arcs,
        )

    def parents(self, job: int) -> list[int]:
        """Return the parents of a job, ascending."""
        parents: list[int] = self.into[self.in_ptr[job] : self.in_ptr[job + 1]].tolist()
        return parents
