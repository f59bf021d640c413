"""Data: what jobs pass to each other. One producer, any number of readers, one size.

A file that forty jobs read is one datum with forty readers and counts once; a weight on an edge is a datum with one
reader; an input of the whole workflow has no producer, an output that no job reads has no readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MAX_BYTES",
    "MAX_SECONDS",
    "OUTSIDE",
    "UNKNOWN",
    "Data",
    "Float64",
    "Int32",
    "Int64",
    "check_sizes",
    "job_numbers",
    "whole_sizes",
]

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

UNKNOWN = -1
"""A size that is not stated."""

OUTSIDE = -1
"""The producer of a datum that exists before the workflow starts."""

MAX_BYTES = 2**62
"""Sizes stay below this, so that sums and differences of a few fit 64 bits; larger ones are refused."""

MAX_SECONDS = 2.0**62
"""Times stay below this, some 10^11 years, so that no sum of them is infinite; larger ones are refused."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """What jobs pass to each other: k data, each with one producer and any number of readers.

    Attributes
    ----------
    size_bytes
        Size of each datum, or ``UNKNOWN``.
    producer
        The job that makes it, or ``OUTSIDE`` for an input of the whole workflow.
    reader_ptr, readers
        The readers of datum d are ``readers[reader_ptr[d]:reader_ptr[d + 1]]``, ascending. None at all: an output
        that no job reads.
    names
        The file names, or ``None`` where the data are weights of edges.

    Examples
    --------
    >>> data = Data.build([100, 5], producer=[0, OUTSIDE], readers=[[2, 1], [0]], names=["image", "parameters"])
    >>> data.readers_of(0)
    array([1, 2], dtype=int32)
    """

    size_bytes: Int64
    producer: Int32
    reader_ptr: Int64
    readers: Int32
    names: tuple[str, ...] | None = None

    @classmethod
    def build(
        cls,
        size_bytes: ArrayLike,
        producer: ArrayLike,
        readers: Iterable[Iterable[int]],
        names: Sequence[str] | None = None,
    ) -> Data:
        """Make data from one list of readers for each datum."""
        rows = [sorted(set(row)) for row in readers]
        ptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=ptr[1:])
        flat = np.fromiter((job for row in rows for job in row), np.int32, int(ptr[-1]))
        return cls(
            whole_sizes(size_bytes, "size_bytes"),
            job_numbers(producer, least=OUTSIDE),
            ptr,
            flat,
            None if names is None else tuple(names),
        )

    @classmethod
    def per_edge(cls, tails: ArrayLike, heads: ArrayLike, size_bytes: ArrayLike) -> Data:
        """Make one datum for each edge: ``tails[i]`` produces it, ``heads[i]`` alone reads it.

        Examples
        --------
        >>> Data.per_edge([0, 0], [1, 2], [10, 20]).k
        2
        """
        tail = job_numbers(tails, least=OUTSIDE)
        return cls(
            whole_sizes(size_bytes, "size_bytes"),
            tail,
            np.arange(len(tail) + 1, dtype=np.int64),
            job_numbers(heads),
        )

    @property
    def k(self) -> int:
        """The number of data."""
        return len(self.size_bytes)

    def readers_of(self, datum: int) -> Int32:
        """Return the jobs that read one datum."""
        return self.readers[self.reader_ptr[datum] : self.reader_ptr[datum + 1]]

    def name_of(self, datum: int) -> str:
        """Return the datum's name, or one made from its number."""
        return self.names[datum] if self.names is not None else f"data{datum}"

    @property
    def reader_counts(self) -> Int64:
        """How many jobs read each datum."""
        return np.diff(self.reader_ptr)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Data):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.size_bytes, other.size_bytes)
            and np.array_equal(self.producer, other.producer)
            and np.array_equal(self.reader_ptr, other.reader_ptr)
            and np.array_equal(self.readers, other.readers)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Data], tuple[object, ...]]:
        # Built anew where it is unpickled or copied: numpy forgets there that arrays are read-only.
        return Data, (self.size_bytes, self.producer, self.reader_ptr, self.readers, self.names)

    def __post_init__(self) -> None:
        if not (len(self.producer) == self.k == len(self.reader_ptr) - 1) or self.reader_ptr[-1] != len(self.readers):
            raise ValueError("size_bytes, producer and readers must describe the same number of data")
        if self.reader_ptr[0] != 0 or np.any(self.reader_counts < 0):
            raise ValueError("reader_ptr must rise from 0 to the number of readers")
        rising = np.diff(self.readers) > 0
        starts = self.reader_ptr[1:-1]
        rising[starts[(starts > 0) & (starts < len(self.readers))] - 1] = True  # from one datum to the next it may fall
        if not rising.all():
            raise ValueError("the readers of a datum must ascend, each named once")
        if self.names is not None and len(self.names) != self.k:
            raise ValueError("names must describe the same number of data as size_bytes")
        check_sizes(self.size_bytes, "size_bytes")
        for array in (self.size_bytes, self.producer, self.reader_ptr, self.readers):
            array.flags.writeable = False


def job_numbers(values: ArrayLike, n: int = 2**31 - 1, *, least: int = 0) -> Int32:
    """Return a fresh flat array of job numbers from `least` to n - 1; refuse what is none before 32 bits cut it off.

    Examples
    --------
    >>> job_numbers([0, 2], 3)
    array([0, 2], dtype=int32)
    >>> job_numbers([0, 2**32], 3)
    Traceback (most recent call last):
        ...
    ValueError: there is no job number 4294967296: jobs are numbered 0 to 2
    """
    array = np.asarray(values)
    if array.size == 0:
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError("job numbers must be a flat list of whole numbers")
    if array.min() < least or array.max() >= n:
        bad = array[(array < least) | (array >= n)][0]
        raise ValueError(f"there is no job number {bad}: jobs are numbered 0 to {n - 1}")
    return np.array(array, np.int32)


def whole_sizes(values: ArrayLike, name: str) -> Int64:
    """Return a fresh flat array of sizes; refuse fractions, which 64-bit integers would cut off without a word.

    Examples
    --------
    >>> whole_sizes([1.0, 2.0], "size_bytes")
    array([1, 2])
    >>> whole_sizes([1.5], "size_bytes")
    Traceback (most recent call last):
        ...
    ValueError: size_bytes must be whole numbers below 2^62, not 1.5
    """
    array = np.asarray(values).reshape(-1)
    if array.dtype.kind not in "iub":
        numbers = array.astype(np.float64)
        fits = (numbers == np.trunc(numbers)) & (np.abs(numbers) < MAX_BYTES)
        if not fits.all():
            raise ValueError(f"{name} must be whole numbers below 2^62, not {array[~fits][0]}")
    return np.array(array, np.int64)


def check_sizes(sizes: Int64, name: str) -> None:
    """Refuse sizes that are negative but not UNKNOWN, or so large that sums overflow."""
    if sizes.size and (sizes.min() < UNKNOWN or sizes.max() >= MAX_BYTES):
        raise ValueError(f"{name} must lie between 0 and 2^62, or be {UNKNOWN} where unknown")
