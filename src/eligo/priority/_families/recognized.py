"""What every recognised family offers: its name and sizes, an IC-optimal order, the best profile, and a witness.

A family of Rosenberg and Yurkewych (2005) is known by its shape alone: however its jobs are numbered, a recogniser
finds the coordinates the paper gives them, in time linear in jobs and edges, and a closed form then yields what search
would take for ever to find. Shortcuts are no part of a shape: whoever calls a recogniser removes them first.

The blocks of a dag (``decompose``) as the search for parts sees them: alike in the dag and in its dual.

All arcs out of a job lie in one block, and all arcs into it in one (perhaps the same). Blocks that are not bipartite
count as empty: no family has one. That holds for those which ``decompose`` joined because they depend on each other in
a circle, too: every sink of a family depends on every source, so nothing leads from a part back into it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Dag, Int32, Int64
from eligo.data import job_numbers
from eligo.errors import EligoError
from eligo.priority._decompose import decompose

__all__ = [
    "Recognised",
    "Sides",
    "with_sinks_last",
]


class Recognised(ABC):
    """A dag that belongs to a family whose IC-optimal schedules are known in closed form.

    Attributes
    ----------
    dag
        The dag itself; its jobs may be numbered in any way.
    family
        The family's name in certificates.
    """

    family: ClassVar[str]
    dag: Dag

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, int | bool]:
        """The sizes that make the dag, up to renumbering, what it is."""

    @property
    def certifiable(self) -> bool:
        """Whether a certificate may rest on the family's name alone, so that :meth:`witness` has an answer."""
        return True

    @abstractmethod
    def describe(self) -> str:
        """Name the dag in a few words, such as ``reduction-mesh of 5 levels``."""

    @abstractmethod
    def best_order(self) -> Int32:
        """Return the jobs in an IC-optimal order, the cheapest in memory that is known."""

    @abstractmethod
    def best_profile(self) -> Int64:
        """Return the largest possible E(0), ..., E(n), by formula."""

    def witness(self, order: ArrayLike) -> dict[str, Any]:
        """Return what a certificate says for an order of the jobs: everything in it counts places in that order.

        Raises
        ------
        EligoError
            Nothing is proved of this member of the family, or the order does not name every job once.
        """
        if not self.certifiable:
            raise EligoError(
                f"no certificate rests on being a {self.describe()}", hint="ask for exact search, if it is small"
            )
        jobs = job_numbers(order, self.dag.n)
        if not np.array_equal(np.sort(jobs), np.arange(self.dag.n)):
            raise EligoError("the order does not name every job once")
        return self._witness(jobs)

    @abstractmethod
    def _witness(self, jobs: Int32) -> dict[str, Any]:
        """Return the witness for jobs known to be an order."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()})"


def with_sinks_last(eligible: Int64, n: int) -> Int64:
    """Continue E(0), ..., E(N) over the non-sinks, N of them, to E(n): every sink executed is one ELIGIBLE job less.

    Examples
    --------
    >>> with_sinks_last(np.array([1, 2]), 3).tolist()
    [1, 2, 1, 0]
    """
    return np.concatenate((eligible, np.arange(n - len(eligible), -1, -1)))


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
