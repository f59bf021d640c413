"""Which submit description each job has, every description once, however many jobs share it.

A million jobs with one submit file are one description; whether two names are one file, by a symbolic link or another
spelling, is found when the file is opened. Costs a few array operations a stretch of plain JOB lines, and some
microseconds a description that is really looked at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Int32, Int64
from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.unit import Unit, directory_of, join_directory
from eligo.formats.files import distinct

__all__ = ["Inside", "Submit", "SubmitFile", "SubmitFiles", "Submits"]

_MAX_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Inside:
    """A description inside a DAG file: the number of the file and the bytes."""

    file: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class SubmitFile:
    """A submit file that is there.

    Attributes
    ----------
    path
        As it was found.
    key
        The same for all paths that lead to it.
    """

    path: str
    key: tuple[int, int] | str
    data: bytes


@dataclass(frozen=True, slots=True)
class Submit:
    """A description, inside the DAG or in a file that is given by where it may be, in the order of looking."""

    number: int
    place: Inside | tuple[str, ...]


class Submits:
    r"""The submit descriptions of a unit without splices.

    Attributes
    ----------
    of
        The number of each job's description; -1 for a SUBDAG, which has none.
    total
        How many there are.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> from eligo.formats.storage import Source
    >>> document = parse(Source("d/x.dag", b"JOB a j.sub\nJOB b j.sub\nJOB c {\nexecutable = x\n}\n"))
    >>> submits = Submits(document.details.root)
    >>> submits.of.tolist(), [submit.place for submit in submits.each()]
    ([0, 0, 1], [('d/j.sub', 'j.sub'), Inside(file=0, begin=32, end=47)])
    """

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._base = directory_of(unit.files[0].source.path)
        self.of: Int32 = np.full(unit.count, -1, np.int32)
        self.total = 0
        self._chunks: list[tuple[int, Int32] | Inside | tuple[str, str]] = []
        self._order: Int64 | None = None
        for run in unit.nodes:
            if run.odd is None:
                self._add_plain(run.file, run.first, run.position, run.count)
            elif run.odd.kind is not Keyword.SUBDAG:
                line = run.odd
                self._chunks.append(
                    Inside(run.file, *line.body) if line.body is not None else (line.directory, line.submit)
                )
                self.of[run.position] = self.total
                self.total += 1

    def _add_plain(self, file: int, first: int, position: int, count: int) -> None:
        submits = self._unit.files[file].scan.job_submit[first : first + count]
        used = distinct(submits)
        self._chunks.append((file, used))
        self.of[position : position + count] = np.searchsorted(used, submits) + self.total
        self.total += len(used)

    def each(self, most: int | None = None) -> Iterator[Submit]:
        """Yield the descriptions in the order of their numbers; `most` of them at most."""
        return (Submit(number, place) for number, place in enumerate(islice(self._places(), most)))

    def _places(self) -> Iterator[Inside | tuple[str, ...]]:
        for chunk in self._chunks:
            if isinstance(chunk, Inside):
                yield chunk
            elif isinstance(chunk[0], str):
                yield self._place(*chunk)
            else:
                file = self._unit.files[chunk[0]]
                for some in np.array_split(chunk[1], len(chunk[1]) // 1000 + 1):  # a name is made when it is asked for
                    directories = file.scan.submit_directory[some].tolist()
                    for number, name in zip(directories, file.scan.submit_names(some), strict=True):
                        yield self._place(file.directories[number], name)

    def _place(self, directory: str, name: str) -> Inside | tuple[str, ...]:
        if name in self._unit.descriptions:
            return Inside(*self._unit.descriptions[name])
        inside = join_directory(self._unit.directory, join_directory(directory, name))
        outside = join_directory(self._base, inside)
        return (inside,) if inside == outside else (outside, inside)

    def counts(self) -> Int64:
        """Return how many jobs have each description."""
        return np.bincount(self.of[self.of >= 0], minlength=self.total)

    def jobs_of(self, number: int) -> Int64:
        """Return the jobs that have a description."""
        if self._order is None:
            self._order = np.argsort(self.of, kind="stable")
        bounds = np.array([number, number + 1], self.of.dtype)  # plain ints would make NumPy convert the whole column
        first, last = np.searchsorted(self.of, bounds, sorter=self._order).tolist()
        return self._order[first:last]

    def jobs_among(self, numbers: list[int]) -> NDArray[np.bool_]:
        """Tell of each job whether its description is one of these."""
        chosen = np.zeros(self.total + 1, np.bool_)  # the last, for -1, is never chosen
        chosen[numbers] = True
        return chosen[self.of]


class SubmitFiles:
    """Opens submit files. Of `many`, most may be missing: then the files of each directory are listed once.

    Examples
    --------
    >>> SubmitFiles(many=False).open(("/no/such/file.sub",))
    'is not there'
    """

    def __init__(self, many: bool) -> None:
        self._many = many
        self._listed: dict[str, frozenset[str] | None] = {}

    def open(self, places: tuple[str, ...]) -> SubmitFile | str:
        """Read the first of several files that is there, or say why none can be read."""
        for path in places:
            if self._many and not self._is_listed(path):
                continue
            try:
                status = Path(path).stat()
                if not stat.S_ISREG(status.st_mode):
                    continue
                if status.st_size > _MAX_BYTES:
                    return f"is larger than {_MAX_BYTES >> 20} MiB"
                # Names of one file share a key, hard links apart: replacing one of those leaves the other as it is.
                key = (status.st_dev, status.st_ino) if status.st_nlink == 1 else os.path.realpath(path)
                return SubmitFile(path, key, Path(path).read_bytes())
            except (FileNotFoundError, NotADirectoryError, ValueError):
                continue
            except OSError as error:
                return f"cannot be read ({error.strerror})"
        return "is not there"

    def _is_listed(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if folder not in self._listed:
            self._listed[folder] = _names_in(f"{folder}/" if path.startswith("/") else folder or ".")
        names = self._listed[folder]
        return names is None or name in names


def _names_in(folder: str) -> frozenset[str] | None:
    """Return what is in a directory, or ``None`` for one that may be entered but not listed."""
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return frozenset()
    except OSError:
        return None
