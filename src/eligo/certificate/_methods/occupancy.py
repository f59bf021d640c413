"""What occupies memory, from when to when: rebuilt from a dag and the rules that a memory certificate states.

A *datum* occupies its size from the start of its producer, or from the beginning where it comes from outside, until all
its readers have ended; without readers it stays. *Running* space is occupied while a job runs. The rules say what
counts:

* *model*: ``simple`` and ``classical`` have a copy of each datum for each reader; in ``simple`` there is nothing
  between the start of a job and its end, and no running space; ``classical`` and ``files`` have the jobs' temporary
  space as running space, ``simple`` and ``shared`` have none. ``pebble``: one datum of size 1 for each job, which all
  its children read; nothing else counts.
* *resource*: with ``files`` and ``memory``, where jobs state the memory they use, that is the running space and there
  are no data.
* *unread*: what no job reads ``stay``s, or ``leave``s with the end of its job and is then running space (in ``simple``
  it does not count; a pebble stays).
* *inputs*: data from outside ``count``, or are ``ignore``d.

Unknown sizes are 0, and data of size 0 are left out. All together must stay below 2^62: then no sum of them overflows.

This is written anew, from the same words as the models of ``eligo.memory``, which it must not trust.

The data are numbered in an order that no file decides: ascending by producer (-1 from outside, else the place of its
name among the sorted names), size, number of readers, readers. Equal data are equal in all that matters here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Int32, Int64
from eligo.errors import CertificateError

__all__ = ["RULES", "Occupancy", "assumed_sizes", "occupancy"]

RULES = {
    "model": ("simple", "classical", "shared", "pebble", "files"),
    "resource": ("memory", "disk"),
    "unread": ("stay", "leave"),
    "inputs": ("ignore", "count"),
}
"""The words that each rule may be."""

_MOST = 2**62


@final
@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """k data and the running space of n jobs.

    Attributes
    ----------
    one_event
        Whether a job frees its inputs in the moment in which it starts.
    running
        What each job occupies while it runs.
    size, producer, reader_ptr, readers
        The data: the readers of datum d are ``readers[reader_ptr[d]:reader_ptr[d + 1]]``.

    Examples
    --------
    >>> from eligo.dag import Data
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")], data=Data.build([10], [0], [[1, 2]]))
    >>> rules = {"model": "classical", "resource": "memory", "unread": "stay", "inputs": "ignore"}
    >>> found = occupancy(fork, rules)
    >>> found.size.tolist(), found.readers.tolist(), found.base
    ([10, 10], [1, 2], 0)
    """

    one_event: bool
    running: Int64
    size: Int64
    producer: Int64
    reader_ptr: Int64
    readers: Int64

    @property
    def n(self) -> int:
        """The number of jobs."""
        return len(self.running)

    @property
    def k(self) -> int:
        """The number of data."""
        return len(self.size)

    @property
    def reader_counts(self) -> Int64:
        """How many jobs read each datum."""
        return np.diff(self.reader_ptr)

    @property
    def owner(self) -> Int64:
        """The datum that each entry of `readers` is about."""
        return np.repeat(np.arange(self.k), self.reader_counts)

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Which data are there from the beginning."""
        outside: NDArray[np.bool_] = self.producer == OUTSIDE
        return outside

    @property
    def base(self) -> int:
        """What is occupied before the first job starts."""
        return int(self.size[self.outside].sum())

    @property
    def left(self) -> int:
        """What is occupied after the last job has ended."""
        return int(self.size[self.reader_counts == 0].sum())

    def renumbered(self, place: Int64) -> Occupancy:
        """Return the same with other numbers for the jobs; the readers of each datum ascend."""
        running = np.empty_like(self.running)
        running[place] = self.running
        producer = self.producer.copy()
        producer[~self.outside] = place[producer[~self.outside]]
        readers = place[self.readers]
        return replace(self, running=running, producer=producer, readers=readers[np.lexsort((readers, self.owner))])

    def only(self, data: Int64) -> Occupancy:
        """Return the same with these data, in this order."""
        counts = self.reader_counts[data]
        ends = np.concatenate(([0], np.cumsum(counts)))
        at = np.arange(ends[-1]) + np.repeat(self.reader_ptr[data] - ends[:-1], counts)
        return replace(
            self, size=self.size[data], producer=self.producer[data], reader_ptr=ends, readers=self.readers[at]
        )

    def ascending(self) -> Int64:
        """Return the data in their own order; of two equal ones the first comes first."""
        if self.k == 0:
            return np.empty(0, np.int64)
        first, last = np.full(self.k, -1), np.full(self.k, -1)
        read = self.reader_counts > 0
        first[read], last[read] = self.readers[self.reader_ptr[:-1][read]], self.readers[self.reader_ptr[1:][read] - 1]
        keys = np.stack([self.producer, self.size, self.reader_counts, first, last])
        found = np.lexsort(keys[::-1])
        differs = np.any(np.diff(keys[:, found], axis=1) != 0, axis=0)
        starts = np.concatenate(([0], np.flatnonzero(differs) + 1, [self.k]))
        tied = (np.diff(starts) > 1) & (self.reader_counts[found[starts[:-1]]] > 2)
        for low, high in zip(starts[:-1][tied].tolist(), starts[1:][tied].tolist(), strict=True):
            found[low:high] = sorted(found[low:high].tolist(), key=self._readers_of)
        return found

    def _readers_of(self, datum: int) -> list[int]:
        return self.readers[self.reader_ptr[datum] : self.reader_ptr[datum + 1]].tolist()  # type: ignore[no-any-return]

    def digest(self) -> str:
        """Return the digest of all of this, where jobs are numbered by sorted name and data are in their own order.

        The text is JSON in ASCII without blanks: ``[running, data]``, the second one flat list: producer, size, number
        of readers and readers of each datum in turn.
        """
        rows = self.reader_ptr[:-1] + 3 * np.arange(self.k)
        flat = np.empty(len(self.readers) + 3 * self.k, np.int64)
        flat[rows], flat[rows + 1], flat[rows + 2] = self.producer, self.size, self.reader_counts
        flat[np.arange(len(self.readers)) + 3 * (self.owner + 1)] = self.readers
        text = json.dumps([self.running.tolist(), flat.tolist()], separators=(",", ":"))
        return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"


def occupancy(dag: Dag, rules: Mapping[str, str]) -> Occupancy:
    """Return what the jobs of a dag occupy, with the jobs and the data as the dag numbers them.

    Raises
    ------
    CertificateError
        It comes to 2^62 or more.
    """
    model = rules["model"]
    one_event = model == "simple"
    if model == "pebble":
        ones = np.ones(dag.n, np.int64)
        return Occupancy(False, 0 * ones, ones, np.arange(dag.n), dag.succ_ptr, dag.succ.astype(np.int64))
    if model == "files" and rules["resource"] == "memory" and dag.memory_bytes is not None:
        running = _of_all_tasks(_known(dag.memory_bytes, dag.n), dag)
        _check_sum(running)
        nothing = np.empty(0, np.int64)
        return Occupancy(False, running, nothing, nothing, np.zeros(1, np.int64), nothing)
    running = _of_all_tasks(_known(dag.temp_bytes if model in ("classical", "files") else None, dag.n), dag)
    found = _data(dag, one_event, running)
    if model in ("simple", "classical"):
        found = _copied(found)
    counts = (found.size > 0) & (~found.outside | (rules["inputs"] == "count"))
    _check_sum(found.size[counts], running)
    if rules["unread"] == "leave":
        leaving = counts & (found.reader_counts == 0) & ~found.outside
        if not one_event:
            np.add.at(running, found.producer[leaving], found.size[leaving])
        counts &= ~leaving
    return found.only(np.flatnonzero(counts))


def _of_all_tasks(one: Int64, dag: Dag) -> Int64:
    """Return what a job holds that stands for several tasks, each of which states as much."""
    if dag.count is None:
        return one
    all_tasks = [size * tasks for size, tasks in zip(one.tolist(), dag.count.tolist(), strict=True)]
    if max(all_tasks, default=0) >= 2**62:
        raise CertificateError("what jobs hold while they run comes to 2^62 or more")
    return np.array(all_tasks, np.int64)


def assumed_sizes(dag: Dag, rules: Mapping[str, str]) -> list[str]:
    """Return in words how many sizes that would count are not known, and are taken as 0."""
    if rules["model"] == "pebble":
        return []
    if rules["model"] == "files" and rules["resource"] == "memory" and dag.memory_bytes is not None:
        unknown = int((dag.memory_bytes == UNKNOWN).sum())
        return (
            [f"{unknown:,} {'job states' if unknown == 1 else 'jobs state'} no memory: taken as 0"] if unknown else []
        )
    unknown = int((dag.data.size_bytes == UNKNOWN).sum()) if dag.data is not None else 0
    return [f"{unknown:,} {'datum has' if unknown == 1 else 'data have'} no known size: taken as 0"] if unknown else []


def _known(sizes: Int64 | None, n: int) -> Int64:
    return np.zeros(n, np.int64) if sizes is None else np.where(sizes == UNKNOWN, 0, sizes)


def _data(dag: Dag, one_event: bool, running: Int64) -> Occupancy:
    if dag.data is None:
        nothing = np.empty(0, np.int64)
        return Occupancy(one_event, running, nothing, nothing, np.zeros(1, np.int64), nothing)

    def wide(numbers: Int32) -> Int64:
        return numbers.astype(np.int64)

    data = dag.data
    size = _known(data.size_bytes, data.k)
    return Occupancy(one_event, running, size, wide(data.producer), data.reader_ptr, wide(data.readers))


def _copied(found: Occupancy) -> Occupancy:
    """Return one datum for each reader; those without readers stay as they are."""
    counts = found.reader_counts
    source = np.repeat(np.arange(found.k), np.maximum(counts, 1))
    ends = np.concatenate(([0], np.cumsum(counts[source] > 0)))
    return replace(found, size=found.size[source], producer=found.producer[source], reader_ptr=ends)


def _check_sum(*sizes: Int64) -> None:
    if sum(sum(one.tolist()) for one in sizes) >= _MOST:
        raise CertificateError("the sizes of this workflow add up to 2^62 or more: nothing can be said of it")
