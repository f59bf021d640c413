"""A layered drawing as arrays: rungs of nodes, and arrows that join a rung to a later one.

A *rung* is what one row of the drawing holds of one component of the dag. Nodes (jobs, and bends of long edges) are
numbered rung by rung, so a rung is a range of numbers; arrows are kept twice, sorted by head and by tail, so those into
a rung and those out of it are ranges too. Ordering the rungs and placing their nodes are both a matter of sweeping over
the rungs, asking each time for the mean of something over the neighbours above or below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo.dag import Float64, Int64

__all__ = ["Arrows", "Ladder"]


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """Arrows sorted by one of their ends; ``ptr[r]`` is the first whose ``end`` lies in rung r."""

    end: Int64
    other: Int64
    ptr: Int64

    @classmethod
    def sorted_by(cls, end: Int64, other: Int64, start: Int64) -> Self:
        """Sort arrows by one end, then by the other."""
        order = np.lexsort((other, end))
        return cls(end[order], other[order], np.searchsorted(end[order], start))

    def mean(self, rung: int, first: int, size: int, value: Float64) -> tuple[Float64, Int64]:
        """Return the mean of `value` over the other ends for each node of a rung, and how many those are."""
        here = slice(self.ptr[rung], self.ptr[rung + 1])
        node = self.end[here] - first
        count = np.bincount(node, minlength=size)
        total = np.bincount(node, weights=value[self.other[here]], minlength=size)
        return total / np.maximum(count, 1), count


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """Nodes in rungs, and the arrows between them.

    Attributes
    ----------
    start
        The first node of each rung, and the number of nodes.
    width
        How much room each node takes in its row: 1 for a job, less for a bend.
    into, out
        The arrows by their heads and by their tails.

    Examples
    --------
    >>> ladder = Ladder.of([0, 2, 3], [1.0, 1.0, 1.0], [0, 1], [2, 2])
    >>> ladder.above(1, np.array([3.0, 5.0, 0.0]))
    (array([4.]), array([2]))
    """

    start: Int64
    width: Float64
    into: Arrows
    out: Arrows

    @classmethod
    def of(cls, start: ArrayLike, width: ArrayLike, tails: ArrayLike, heads: ArrayLike) -> Self:
        """Build a ladder from the first node of each rung, the nodes' widths, and arrows."""
        first, tail, head = (np.asarray(a, np.int64) for a in (start, tails, heads))
        return cls(
            first,
            np.asarray(width, np.float64),
            Arrows.sorted_by(head, tail, first),
            Arrows.sorted_by(tail, head, first),
        )

    @property
    def rungs(self) -> int:
        """The number of rungs."""
        return len(self.start) - 1

    @property
    def first(self) -> Int64:
        """For each node the first node of its rung."""
        return np.repeat(self.start[:-1], np.diff(self.start))

    @property
    def bend(self) -> NDArray[np.bool_]:
        """Which nodes are bends: those that take less room than a job."""
        return self.width < 1.0

    def part(self, rung: int, value: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the nodes of a rung."""
        return value[self.start[rung] : self.start[rung + 1]]

    def above(self, rung: int, value: Float64) -> tuple[Float64, Int64]:
        """Return the mean of `value` over the neighbours above each node of a rung, and how many those are."""
        a, b = self.start[rung : rung + 2].tolist()
        return self.into.mean(rung, a, b - a, value)

    def below(self, rung: int, value: Float64) -> tuple[Float64, Int64]:
        """Return the mean of `value` over the neighbours below each node of a rung, and how many those are."""
        a, b = self.start[rung : rung + 2].tolist()
        return self.out.mean(rung, a, b - a, value)
