"""FFT dags inside a larger dag, found by doubling.

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

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Int32, Int64
from eligo.graph import grouped
from eligo.priority.families.sides import Sides
from eligo.schedule import places

__all__ = ["find_ffts"]


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
