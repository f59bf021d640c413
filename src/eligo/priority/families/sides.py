"""The blocks of a dag as the search for parts sees them: arcs that share a tail or a head, taken together.

Two arcs belong to one block if they have the same tail or the same head, or are linked by a chain of such arcs. So all
arcs out of a job lie in one block, and all arcs into it in one (perhaps the same). Blocks are the components of the
graph that has every job twice, once as a tail and once as a head. Cost: O(n + m).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32, Int64

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
        For each block its numbers of tails, heads and arcs; 0 where a job is both tail and head in it, which no family
        has.

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
        n = dag.n
        ptr = np.concatenate((dag.succ_ptr, np.full(n, dag.m, np.int64)))
        block = _core.components(ptr, dag.succ + np.int32(n))
        out_block = np.where(np.diff(dag.succ_ptr) > 0, block[:n], -1).astype(np.int32)
        in_block = np.where(np.diff(dag.pred_ptr) > 0, block[n:], -1).astype(np.int32)
        sound = np.ones(2 * n, np.int64)
        sound[out_block[(out_block == in_block) & (out_block >= 0)]] = 0
        tails, heads, arcs = (
            np.bincount(which[which >= 0], minlength=2 * n) * sound
            for which in (out_block, in_block, out_block[dag.tails])
        )
        return cls(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, out_block, in_block, tails, heads, arcs)

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
