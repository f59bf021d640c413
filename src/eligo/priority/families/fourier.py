"""FFT dags: how to know one by its shape, and how to execute it.

Job <l, x> of level l and string x of d bits feeds the jobs of level l - 1 whose strings agree with x but for symbol
d - l, counted from the left (000, section 2.1.3). Two jobs with the same two children and the two children make a
butterfly; E grows by 2 when the second parent is executed.

**Recognising.** The first d - l symbols of x tell which sub-FFT <l, x> leads down into, the last l from which one it
comes. Going up from the sinks, jobs whose children lie in sub-FFTs a and b lie in their union, which we call min(a, b);
so a child's symbol d - l is whether its own sub-FFT's name differs from its parent's. The same from the sources down
gives the other symbols. Then every edge and the number of jobs are checked. Cost: O(n).

**Executing.** E = 2^d - t + 2 * (butterflies with both parents executed) over t non-sinks, so E_max(t) = 2^d - (t mod
2) for t <= d 2^d, n - t from there on. A schedule is IC-optimal if and only if it executes jobs with the same children
in consecutive steps and all non-sinks before any sink. (The paper's theorem 5.1 forgets the sinks, and 5.2 mistakes
jobs with the same *parents* for partners: that order costs 2^d + 1 registers but is not IC-optimal.)

The cheapest IC-optimal order goes level by level, and within a level by fours that agree but for symbols d - l - 1 and
d - l: their two pairs of parents, 4 open jobs, are joined by one pair and closed with the other. It costs 2^d + 2
registers for d >= 2. No IC-optimal schedule costs less: when the first pair of level 1 is executed, each of the 2^(d-1)
columns of pairs holds an open pair (its last executed one, of which the next in the column is missing, or the new
pair, whose children, sinks, are missing), and the new pair's parent in its column is open for its other child.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.priority.families.recognised import Recognised, with_sinks_last

__all__ = ["Fft", "fft_eligible", "recognise_fft"]


@dataclass(frozen=True, repr=False, eq=False)
class Fft(Recognised):
    """An FFT dag of 2^dim inputs.

    Attributes
    ----------
    place
        For each job its level (0 for sinks) and its string, read as a binary number.

    Examples
    --------
    >>> fft = recognise_fft(Dag.from_edges(4, [3, 3, 0, 0], [1, 2, 1, 2]))
    >>> fft, fft.best_order().tolist(), fft.best_profile().tolist()
    (Fft(FFT dag of 2 inputs), [0, 3, 1, 2], [2, 1, 2, 1, 0])
    """

    family: ClassVar[str] = "fft"
    dag: Dag
    dim: int
    place: Int32

    @property
    def parameters(self) -> dict[str, int | bool]:
        """The dimension."""
        return {"dim": self.dim}

    def describe(self) -> str:
        """Name it in a few words."""
        return f"FFT dag of {1 << self.dim} input{'s' * (self.dim > 0)}"

    def best_order(self) -> Int32:
        """Return the cheapest IC-optimal order, level by level in fours: 2^d + 2 registers for d >= 2."""
        level, x = self.place.T.astype(np.int64)
        return self._level_by_level(_move_last(x, np.maximum(level - 1, 0), 2))

    def same_parents_order(self) -> Int32:
        """Return the order level by level, jobs with the same parents in a row: 2^d + 1 registers, not IC-optimal."""
        level, x = self.place.T.astype(np.int64)
        return self._level_by_level(_move_last(x, level, 1))

    def eager_order(self) -> Int32:
        """Return the order that always executes the newest ELIGIBLE job (000, section 5.4).

        Sources are taken so that the small sub-FFTs are complete first.
        """
        column = _reverse_bits(self.place[:, 1], self.dim)
        missing = np.diff(self.dag.pred_ptr).tolist()
        sources = graph.sources(self.dag)
        stack = sources[np.argsort(-column[sources], kind="stable")].tolist()
        names = column.tolist()
        order = []
        while stack:
            job = stack.pop()
            order.append(job)
            fresh = []
            for child in self.dag.children(job).tolist():
                missing[child] -= 1
                if missing[child] == 0:
                    fresh.append(child)
            stack += sorted(fresh, key=lambda child: -names[child])
        return np.array(order, np.int32)

    def best_profile(self) -> Int64:
        """Return the largest possible E(0), ..., E(n), by formula."""
        step = np.arange(self.dim * (1 << self.dim) + 1)
        return with_sinks_last((1 << self.dim) - step % 2, self.dag.n)

    def _level_by_level(self, key: Int64) -> Int32:
        return np.lexsort((key, -self.place[:, 0])).astype(np.int32)

    def _witness(self, jobs: Int32) -> dict[str, Any]:
        return {"by": "family", "family": "fft", "dim": self.dim, "place": self.place[jobs].tolist()}


def _move_last(x: Int64, low: Int64, width: int) -> Int64:
    """Return each number with its bits low, ..., low + width - 1 moved to the end."""
    high, middle, rest = x >> (low + width), x >> low & ((1 << width) - 1), x & ((1 << low) - 1)
    return (high << low | rest) << width | middle


def _reverse_bits(x: Int32, dim: int) -> Int64:
    """Return strings of `dim` bits, written as numbers, read from the right."""
    flipped = np.zeros(len(x), np.int64)
    for symbol in range(dim):
        flipped |= (x.astype(np.int64) >> symbol & 1) << (dim - 1 - symbol)
    return flipped


def fft_eligible(dim: int, step: int) -> int:
    """Return the largest E after so many steps on the FFT dag of 2^dim inputs.

    Examples
    --------
    >>> [fft_eligible(1, step) for step in range(5)]
    [2, 1, 2, 1, 0]
    """
    inputs, jobs = 1 << dim, (dim + 1) << dim
    if not 0 <= step <= jobs:
        raise EligoError(f"an FFT dag of {inputs} inputs has steps 0 to {jobs}, not {step}")
    return inputs - step % 2 if step <= jobs - inputs else jobs - step


def recognise_fft(dag: Dag) -> Fft | None:
    """Tell whether a dag is an FFT dag, and give its jobs levels and strings.

    Examples
    --------
    >>> recognise_fft(Dag.from_edges(4, [0, 0, 1], [2, 3, 3])) is None
    True
    """
    level = graph.heights(dag)
    dim = int(level.max(initial=-1))
    if dim < 0 or dim > 30 or dag.n != (dim + 1) << dim or dag.m != dim << (dim + 1):
        return None
    indegree, outdegree = np.diff(dag.pred_ptr), np.diff(dag.succ_ptr)
    if not (
        np.array_equal(outdegree, np.where(level > 0, 2, 0))
        and np.array_equal(indegree, np.where(level < dim, 2, 0))
        and np.array_equal(level[dag.tails], level[dag.heads] + 1)
    ):
        return None
    by_level = np.argsort(-level, kind="stable").astype(np.int32).reshape(dim + 1, 1 << dim)
    place = np.stack((level, _strings(dag, by_level)), axis=1).astype(np.int32)
    return Fft(dag, dim, place) if _is_fft(dag, dim, place) else None


def _strings(dag: Dag, by_level: Int32) -> Int64:
    """Return the strings that the jobs must have if the dag is an FFT dag; all levels have two edges a job."""
    rows = len(by_level)
    dim = rows - 1
    parents = np.full((dag.n, 2), -1, np.int32)
    children = np.full((dag.n, 2), -1, np.int32)
    parents[by_level[1:].ravel()] = dag.pred[dag.pred_ptr[by_level[1:].ravel()][:, None] + (0, 1)]
    children[by_level[:-1].ravel()] = dag.succ[dag.succ_ptr[by_level[:-1].ravel()][:, None] + (0, 1)]
    below = np.arange(dag.n, dtype=np.int32)  # the sub-FFT that a job leads into, named by its lowest sink
    above = below.copy()  # the sub-FFT that it comes from, named by its lowest source
    for row in range(dim):
        jobs = by_level[dim - 1 - row]
        below[jobs] = below[children[jobs]].min(axis=1)
        jobs = by_level[row + 1]
        above[jobs] = above[parents[jobs]].min(axis=1)
    prefix = np.zeros(dag.n, np.int64)
    suffix = np.zeros(dag.n, np.int64)
    for row in range(1, rows):  # row r is level d - r: symbol r - 1 of its jobs comes from their parents
        jobs = by_level[row]
        one = parents[jobs, 0]
        prefix[jobs] = prefix[one] | (below[jobs] != below[one]).astype(np.int64) << (dim - row)
    for row in range(dim - 1, -1, -1):  # symbol r of the jobs of row r and of those above comes from their children
        jobs = by_level[row]
        one = children[jobs, 0]
        suffix[jobs] = suffix[one] | (above[jobs] != above[one]).astype(np.int64) << (dim - 1 - row)
    return prefix | suffix


def _is_fft(dag: Dag, dim: int, place: Int32) -> bool:
    level, x = place.T.astype(np.int64)
    tails, heads = dag.tails, dag.heads
    # Symbol d - l from the left is bit l - 1.
    if np.any((x[tails] ^ x[heads]) & ~(np.int64(1) << (level[tails] - 1))):
        return False
    return len(np.unique(level << dim | x)) == dag.n
