"""From "job J reads, or writes, file F of size S" to data and to the dependencies that files imply.

Problem: workflow formats list for each job the files it uses. A file that one job writes and others read is one
datum with several readers; it also implies that the readers depend on the writer. Real files are not so tidy: a
file has several writers (every ``mDiffFit`` of a Montage writes ``fit.txt``), several sizes, a negative size, or is
read and written by the same job.

Rules, the same for every format that has files:

* A file's size is the one its producer states, else the first that anyone states. Negative sizes are unknown.
* A file with several producers is one datum for each; a reader reads the copies of those producers on which it
  depends. A reader that depends on no producer reads none of them; it is counted in a note.
* A job's own write does not feed itself: a job that reads and writes a file reads the copies of earlier producers or,
  where there are none, a copy from outside.
* A file that is only read comes from outside the workflow. A file that nobody reads is a datum without readers. A
  file that is only listed is no datum.
* Where the pairs of producers and readers are too many to look at (see below), files of several producers are left
  out of the data, and that is noted.
* Data are ordered by producer, those from outside first, then by name.
* Dependencies are those the file declares; where it declares none, those its files imply: one for each producer and
  reader of a file. The rules ``files`` and ``both`` choose otherwise.

Idea: everything becomes rows of numbers that NumPy joins on the file; the pairs (producer, reader) are the only thing
that can outgrow the file itself: six files that each job reads and writes imply 8 million dependencies. Beyond
``MAX_PAIRS`` they are refused, never enumerated.

Cost: O(u log u + p) for u uses and p pairs, plus the reachability of the pairs that no edge joins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from eligo import _core
from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data, Int32, Int64
from eligo.errors import EligoError

__all__ = ["MAX_PAIRS", "FileUses", "TooManyPairsError", "depends", "distinct"]

_Numbers = TypeVar("_Numbers", Int64, Int32)

MAX_PAIRS = 10_000_000
"""More pairs of a producer and a reader than this are not enumerated."""


class TooManyPairsError(EligoError):
    """The files imply more dependencies than anyone can have meant."""


class FileUses:
    """Collects which job reads and writes which file.

    Examples
    --------
    >>> uses = FileUses()
    >>> uses.writes(0, "image", 100)
    >>> for job in (1, 2):
    ...     uses.reads(job, "image", 120)
    >>> uses.implied()
    (array([0, 0], dtype=int32), array([1, 2], dtype=int32))
    >>> data = uses.data(Dag.from_edges(3, *uses.implied()))
    >>> data.names, data.size_bytes, data.readers
    (('image',), array([100]), array([1, 2], dtype=int32))
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._sizes: list[int] = []
        self._reads: tuple[list[int], list[int]] = ([], [])
        self._writes: tuple[list[int], list[int], list[int]] = ([], [], [])
        self._conflicting: set[int] = set()
        self._negative: set[int] = set()
        self._joined: _Joined | None = None
        self.unjoined = 0
        """Pairs of a producer and a reader, after :meth:`data`, of which neither depends on the other."""
        self.left_out = 0
        """Readings, after :meth:`data`, by a job that depends on no producer of what it reads."""
        self.crowded = 0
        """Files, after :meth:`data`, left out because they have too many producers and readers."""

    @property
    def conflicting(self) -> int:
        """How many files were stated with several sizes."""
        return len(self._conflicting)

    @property
    def negative(self) -> int:
        """How many files were stated with a negative size."""
        return len(self._negative)

    def states(self, file: str, size_bytes: int | None) -> None:
        """Take note of a file and its size, ``None`` where it is not stated."""
        self._file(file, size_bytes)

    def reads(self, job: int, file: str, size_bytes: int | None = None) -> None:
        """Take note that a job reads a file."""
        files, jobs = self._reads
        files.append(self._file(file, size_bytes)[0])
        jobs.append(job)

    def writes(self, job: int, file: str, size_bytes: int | None = None) -> None:
        """Take note that a job writes a file; the size it states is that of its own copy."""
        number, size = self._file(file, size_bytes)
        files, jobs, sizes = self._writes
        files.append(number)
        jobs.append(job)
        sizes.append(size)

    def _file(self, file: str, stated: int | None) -> tuple[int, int]:
        self._joined = None
        number = self._number.setdefault(file, len(self._sizes))
        if number == len(self._sizes):
            self._sizes.append(UNKNOWN)
        if stated is None:
            return number, UNKNOWN
        if stated < 0:
            self._negative.add(number)
            return number, UNKNOWN
        if self._sizes[number] == UNKNOWN:
            self._sizes[number] = stated
        elif self._sizes[number] != stated:
            self._conflicting.add(number)
        return number, stated

    def _join(self) -> _Joined:
        if self._joined is None:
            self._joined = _Joined.build(len(self._sizes), self._reads, self._writes)
        return self._joined

    def implied(self) -> tuple[Int32, Int32]:
        """Return the dependencies that the files imply: the jobs of each pair of a producer and a reader, once.

        Raises
        ------
        TooManyPairsError
            There are more than ``MAX_PAIRS``.
        """
        joined = self._join()
        row, read = joined.pairs()
        tails, heads = joined.write_job[row].astype(np.int64), joined.read_job[read].astype(np.int64)
        span = int(heads.max(initial=0)) + 1
        code = distinct(tails * span + heads)
        return (code // span).astype(np.int32), (code % span).astype(np.int32)

    def data(self, dag: Dag, *, original: Mapping[str, str] | None = None, named: bool = True) -> Data | None:
        """Return the data under the dependencies of a dag, or ``None`` where no job uses a file.

        Parameters
        ----------
        original
            Names by which data are known where the file had to call them otherwise.
        named
            Whether the names mean anything.
        """
        joined = self._join()
        try:
            row, read = joined.pairs()
        except TooManyPairsError:
            joined, self.crowded = joined.without_crowds()
            row, read = joined.pairs()
        kept = depends(dag, joined.write_job[row], joined.read_job[read])
        self.unjoined = _unjoined(dag, joined.write_job[row[~kept]], joined.read_job[read[~kept]])
        row, read = row[kept], read[kept]
        fed = np.zeros(len(joined.read_job), np.bool_)
        fed[read] = True
        from_outside = ~fed & ((joined.writer_count[joined.read_file] == 0) | joined.in_out)
        self.left_out = int(np.count_nonzero(~fed & ~from_outside))
        outside_file, outside_row = np.unique(joined.read_file[from_outside], return_inverse=True)
        table = _Table(
            file=np.concatenate([joined.write_file, outside_file]),
            producer=np.concatenate([joined.write_job, np.full(len(outside_file), OUTSIDE, np.int64)]),
            row=np.concatenate([row, outside_row.reshape(-1) + len(joined.write_file)]),
            reader=np.concatenate([joined.read_job[read], joined.read_job[from_outside]]),
        )
        first_seen = np.array(self._sizes, np.int64)[table.file] if table.file.size else np.empty(0, np.int64)
        own = np.concatenate([joined.write_size, np.full(len(outside_file), UNKNOWN, np.int64)])
        names = [*self._number] if original is None else [original.get(name, name) for name in self._number]
        return table.data(names, np.where(own == UNKNOWN, first_seen, own), named)


@dataclass(frozen=True, slots=True)
class _Joined:
    """Reads and writes without repetitions, sorted by file, then job."""

    read_file: Int64
    read_job: Int64
    in_out: np.ndarray[tuple[int], np.dtype[np.bool_]]
    write_file: Int64
    write_job: Int64
    write_size: Int64
    writer_count: Int64

    @classmethod
    def build(
        cls, k: int, reads: tuple[list[int], list[int]], writes: tuple[list[int], list[int], list[int]]
    ) -> _Joined:
        read_file, read_job = (np.array(column, np.int64) for column in reads)
        write_file, write_job, size = (np.array(column, np.int64) for column in writes)
        span = int(max(read_job.max(initial=0), write_job.max(initial=0))) + 1
        read_code = distinct(read_file * span + read_job)
        write_code, first = _first_known(write_file * span + write_job, size)
        return cls(
            read_code // span,
            read_code % span,
            np.isin(read_code, write_code, assume_unique=True),
            write_code // span,
            write_code % span,
            size[first],
            np.bincount(write_code // span, minlength=k).astype(np.int64),
        )

    def pairs(self) -> tuple[Int64, Int64]:
        """Return the row of the write and the row of the read of every pair, never of a job with itself."""
        count = self.writer_count[self.read_file]
        total = int(count.sum())
        if total > MAX_PAIRS:
            raise TooManyPairsError(
                f"the files imply {total:,} dependencies: some are written by very many jobs and read by very many",
                hint="take the declared ones: --edges declared",
            )
        start = (np.cumsum(self.writer_count) - self.writer_count)[self.read_file]
        read = np.repeat(np.arange(len(count)), count)
        row = np.arange(total) + np.repeat(start - (np.cumsum(count) - count), count)
        other = self.write_job[row] != self.read_job[read]
        return row[other], read[other]

    def without_crowds(self) -> tuple[_Joined, int]:
        """Return the same without the files of several producers, and how many those are."""
        crowded = self.writer_count > 1
        reads, writes = ~crowded[self.read_file], ~crowded[self.write_file]
        rest = _Joined(
            self.read_file[reads],
            self.read_job[reads],
            self.in_out[reads],
            self.write_file[writes],
            self.write_job[writes],
            self.write_size[writes],
            np.where(crowded, 0, self.writer_count),
        )
        return rest, int(np.count_nonzero(crowded))


def distinct(code: _Numbers) -> _Numbers:
    """Return the different values, ascending; for millions of them sorting beats the hashing of ``np.unique`` tenfold.

    Examples
    --------
    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(code)
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def _first_known(code: Int64, size: Int64) -> tuple[Int64, Int64]:
    """Return the distinct codes, ascending, and of each the position of the first entry whose size is known."""
    order = np.lexsort((size == UNKNOWN, code))  # stable: among equals the one stated first stays first
    distinct, first = np.unique(code[order], return_index=True)
    return distinct, order[first]


def depends(dag: Dag, producer: Int64 | Int32, reader: Int64 | Int32) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell of each pair of jobs whether the second comes after the first.

    Examples
    --------
    >>> depends(Dag.from_edges(3, [0, 1], [1, 2]), np.array([0, 2]), np.array([2, 0]))
    array([ True, False])
    """
    tails, heads = producer.astype(np.int32), reader.astype(np.int32)
    kept = _core.has_edge(dag.succ_ptr, dag.succ, tails, heads).view(np.bool_)
    rest = np.flatnonzero(~kept)
    rest = rest[np.argsort(tails[rest], kind="stable")]  # one search serves all readers of one producer
    kept[rest] = _core.reachable(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, tails[rest], heads[rest])
    return kept


def _unjoined(dag: Dag, producer: Int64, reader: Int64) -> int:
    """Count the different pairs that could be joined, given that no reader depends on its producer."""
    code = distinct(producer * dag.n + reader)
    return int(np.count_nonzero(~depends(dag, code % max(dag.n, 1), code // max(dag.n, 1))))


@dataclass(frozen=True, slots=True)
class _Table:
    """One line for each datum, with `reader` [i] reading the datum on line `row` [i]."""

    file: Int64
    producer: Int64
    row: Int64
    reader: Int64

    def data(self, names: list[str], size_bytes: Int64, named: bool) -> Data | None:
        k = len(self.file)
        if k == 0:
            return None
        rank = np.empty(len(names), np.int64)
        rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        order = np.lexsort((rank[self.file], self.producer))
        place = np.empty(k, np.int64)
        place[order] = np.arange(k)
        ptr = np.zeros(k + 1, np.int64)
        np.cumsum(np.bincount(place[self.row], minlength=k), out=ptr[1:])
        span = int(self.reader.max(initial=0)) + 1
        readings = np.sort(place[self.row] * span + self.reader)  # by datum, then reader: one sort of plain numbers
        return Data(
            size_bytes[order],
            self.producer[order].astype(np.int32),
            ptr,
            (readings % span).astype(np.int32),
            tuple(names[file] for file in self.file[order]) if named else None,
        )
