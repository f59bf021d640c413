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

FFT dags inside a larger dag, found by doubling.

A butterfly is a block with two tails, two heads and four arcs: the FFT dag F_1. F_{j+1} is two disjoint F_j whose
sinks are joined in pairs by 2^j further butterflies, in such a way that the sinks of a sub-FFT of the one are paired
with the sinks of a sub-FFT of the other. With the sinks of F_j in the order of their strings, sub-FFTs end in aligned
runs of 2^k sinks, so this means: pairing maps aligned runs to aligned runs.

A butterfly is in the first layer of at most one F_j, and a job is a sink of at most one. So in round j all F_{j+1} are
found at once in arrays whose size does not exceed the number of butterflies; there are log n rounds of cost O(n log n).
F_j may overlap (any d layers in a row of a long network may make an F_d); larger ones are taken first, then those
nearer to the sources of the dag.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.graph import grouped
from eligo.priority._families.recognized import Recognised, Sides, with_sinks_last
from eligo.schedule import places

__all__ = [
    "Fft",
    "fft_eligible",
    "find_ffts",
    "recognise_fft",
]


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


@dataclass(frozen=True, slots=True)
class _Butterflies:
    """The tails and heads of each butterfly, and for each job the butterfly of which it is a tail, or -1."""

    tails: Int32
    heads: Int32
    below: Int32

    @classmethod
    def of(cls, sides: Sides) -> _Butterflies:
        blocks = np.flatnonzero((sides.tails == 2) & (sides.heads == 2) & (sides.arcs == 4))
        number = np.full(len(sides.arcs) + 1, -1, np.int32)  # block -1, of jobs without arcs, has none
        number[blocks] = np.arange(len(blocks))
        below, above = number[sides.out_block], number[sides.in_block]
        tails, heads = (grouped(which, len(blocks))[1].reshape(-1, 2) for which in (below, above))
        return cls(tails, heads, below)

    def partners(self, jobs: Int32) -> Int32:
        """Return for each job, a tail of a butterfly, the other tail."""
        pair = self.tails[self.below[jobs]]
        return np.where(pair[..., 0] == jobs, pair[..., 1], pair[..., 0])


def find_ffts(sides: Sides, order: Int32) -> Iterator[Int32]:
    """Yield the jobs of FFT dags of four or more inputs that share no arcs; `order` is a topological order.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> tails = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 6, 6, 5, 5, 7, 7]
    >>> heads = [4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 8, 9, 10, 11, 10, 11]
    >>> dag = Dag.from_edges(12, tails, heads)
    >>> [len(jobs) for jobs in find_ffts(Sides.of(dag), dag.order)]
    [12]
    """
    all_of = _Butterflies.of(sides)
    place = places(order)
    free = np.ones(len(all_of.tails), np.bool_)
    for tops in reversed(list(_by_dimension(all_of, len(order)))):
        tops = tops[free[tops].all(axis=1)]  # noqa: PLW2901
        first = place[all_of.tails[tops]].min(axis=(1, 2))
        for candidate in tops[np.argsort(first)]:
            layers = _layers(all_of, candidate, free)
            if layers:
                for layer in layers:
                    free[layer] = False
                yield np.concatenate([all_of.tails[np.concatenate(layers)], all_of.heads[layers[-1]]], axis=None)


def _layers(all_of: _Butterflies, tops: Int32, free: NDArray[np.bool_]) -> list[Int32]:
    """Return the layers of the FFT dag with these butterflies first, or nothing where one is not free."""
    layers = [tops]
    for _ in range(len(tops).bit_length() - 1):
        layers.append(np.unique(all_of.below[all_of.heads[layers[-1]]]))
        if not free[layers[-1]].all():
            return []
    return layers if free[tops].all() else []


def _by_dimension(all_of: _Butterflies, n: int) -> Iterator[Int32]:
    """Yield, for dimensions 2, 3, ..., the first layers of all FFT dags of that dimension, one a row."""
    tops = np.arange(len(all_of.tails), dtype=np.int32)[:, None]
    sinks = all_of.heads
    while len(sinks):
        left, right = _joined(all_of, sinks, n)
        tops = np.concatenate((tops[left], tops[right]), axis=1)
        sinks = all_of.heads[all_of.below[sinks[left]]].reshape(len(left), 2 * sinks.shape[1])
        if len(tops):
            yield tops


def _joined(all_of: _Butterflies, sinks: Int32, n: int) -> tuple[Int64, Int64]:
    """Return the pairs of FFT dags, given by their sinks in order, that butterflies join to the next larger ones."""
    count, width = sinks.shape
    owner = np.full(n, -1, np.int32)
    position = np.zeros(n, np.int32)
    owner[sinks] = np.arange(count, dtype=np.int32)[:, None]
    position[sinks] = np.arange(width, dtype=np.int32)
    left = np.flatnonzero((all_of.below[sinks] >= 0).all(axis=1))
    partner = all_of.partners(sinks[left])
    right = owner[partner[:, 0]]
    fits = (right > left) & (owner[partner] == right[:, None]).all(axis=1)
    left, right, partner = left[fits], right[fits], partner[fits]
    run = 2
    fits = np.ones(len(left), np.bool_)
    while run < width:
        runs = (position[partner] // run).reshape(len(left), width // run, run)
        fits &= (runs == runs[:, :, :1]).all(axis=(1, 2))
        run *= 2
    return left[fits], right[fits].astype(np.int64)
