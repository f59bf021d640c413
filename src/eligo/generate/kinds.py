"""Workflows made of kinds of jobs: a plan to which jobs are added kind by kind and linked by arrays of numbers.

Jobs of a real workflow come in a few kinds, such as Montage's mProject and mDiffFit. A kind has a name, from which its
jobs are named, and laws for the time a job takes and for the size of what it writes. Times and sizes are drawn, where
asked for, from gamma laws with the kind's mean and spread: positive and skewed like measured ones, and, with the small
spreads that most kinds have, near the mean.

What a job writes is one file that all its children read: one datum, counted once. A kind may instead write one file
for each child (``split``), as programs do that cut a file in pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo.dag import Dag, Data, Float64, Int32, Int64
from eligo.generate.limits import at_least, fits

__all__ = ["Kind", "Plan"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of jobs.

    Attributes
    ----------
    name
        The first part of its jobs' names.
    time_s, time_spread
        Mean of the time a job takes, and standard deviation over mean.
    size_bytes, size_spread
        Likewise of the file, or each of the files, that it writes.
    split
        Whether it writes one file for each child instead of one for all.
    """

    name: str
    time_s: float
    time_spread: float
    size_bytes: float
    size_spread: float
    split: bool = False


class Plan:
    """A workflow under construction.

    Examples
    --------
    >>> plan = Plan()
    >>> prepare, work = Kind("prepare", 10, 0.1, 1e6, 0), Kind("work", 60, 0.5, 1e3, 0.2)
    >>> first = plan.add_one(prepare)
    >>> plan.link(first, plan.add(work, 3))
    >>> plan.build().names
    ('prepare', 'work_0', 'work_1', 'work_2')
    >>> plan.build(costs_seed=1).data.size_bytes[0]
    np.int64(1000000)
    """

    def __init__(self) -> None:
        self._kinds: list[tuple[Kind, int]] = []
        self._names: list[str] = []
        self._tails: list[Int64] = []
        self._heads: list[Int64] = []

    def add(self, kind: Kind, count: int) -> Int64:
        """Add jobs called ``kind_0``, ``kind_1``, ... and return their numbers; one call for each kind."""
        first = len(self._names)
        fits(first + count)
        self._kinds.append((kind, count))
        self._names += [f"{kind.name}_{number}" for number in range(count)]
        return np.arange(first, first + count, dtype=np.int64)

    def add_one(self, kind: Kind) -> Int64:
        """Add a job that is the only one of its kind and carries its name."""
        self._kinds.append((kind, 1))
        self._names.append(kind.name)
        return np.array([len(self._names) - 1], np.int64)

    def link(self, tails: ArrayLike, heads: ArrayLike) -> None:
        """Add edges from each of `tails` to the one of `heads` at the same place; one job on a side serves all."""
        tail, head = np.broadcast_arrays(np.asarray(tails, np.int64), np.asarray(heads, np.int64))
        self._tails.append(tail.ravel())
        self._heads.append(head.ravel())

    def build(self, *, costs_seed: int | None = None) -> Dag:
        """Return the dag, with times and sizes drawn from the seed where one is given."""
        dag = Dag.from_edges(self._names, np.concatenate(self._tails), np.concatenate(self._heads))
        if costs_seed is None:
            return dag
        at_least(0, seed=costs_seed)
        rng = np.random.Generator(np.random.PCG64(costs_seed))
        time_s = np.concatenate([_gamma(rng, kind.time_s, kind.time_spread, count) for kind, count in self._kinds])
        split = np.concatenate([np.full(count, kind.split) for kind, count in self._kinds])
        producer, ptr, readers, names = _files(dag, split)
        scale = np.concatenate([np.full(count, kind.size_bytes) for kind, count in self._kinds])[producer]
        spread = np.concatenate([np.full(count, kind.size_spread) for kind, count in self._kinds])[producer]
        size_bytes = np.maximum(1, np.rint(_gamma(rng, scale, spread, len(producer)))).astype(np.int64)
        return dag.with_known(
            time_s=np.round(time_s, 3), data=Data(size_bytes, producer.astype(np.int32), ptr, readers, names)
        )


def _gamma(rng: np.random.Generator, mean: ArrayLike, spread: ArrayLike, count: int) -> Float64:
    """Draw from the gamma law with this mean and standard deviation over mean; the mean itself where that is 0."""
    means, spreads = np.broadcast_to(mean, count), np.broadcast_to(spread, count).astype(float)
    shape = 1 / np.maximum(spreads, 1e-9) ** 2
    drawn: Float64 = np.where(spreads > 0, rng.standard_gamma(shape) / shape, 1.0) * means
    return drawn


def _files(dag: Dag, split: NDArray[np.bool_]) -> tuple[Int64, Int64, Int32, tuple[str, ...]]:
    """Return producer, offsets of readers, readers and names of all files, in the order of their producers."""
    children = np.diff(dag.succ_ptr)
    files = np.where(split & (children > 0), children, 1)
    producer = np.repeat(np.arange(dag.n, dtype=np.int64), files)
    readers = np.where(split[producer] & (children[producer] > 0), 1, children[producer])
    ptr = np.zeros(len(producer) + 1, np.int64)
    np.cumsum(readers, out=ptr[1:])
    place = np.arange(len(producer)) - np.repeat(np.cumsum(files) - files, files)
    names = tuple(
        f"{dag.names[job]}.out" if count == 1 else f"{dag.names[job]}.out.{which}"
        for job, which, count in zip(producer.tolist(), place.tolist(), files[producer].tolist(), strict=True)
    )
    return producer, ptr, dag.succ.copy(), names
