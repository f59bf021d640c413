"""Priorities that the user gave in the DAG: which jobs have one, which, and on which lines.

They come from the columns that the scanner left, so that a million jobs without any cost nothing and a million with
one each cost a few array operations; only who replaces the lines, or wants their numbers, looks at them one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Int32, Int64
from eligo.formats._dagman.commands import read_mark
from eligo.formats._dagman.lines import read_command
from eligo.formats._dagman.parsed_dag import ALL_NODES, MarkRun, OddMark, Scan, Unit
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._data_edges import distinct

__all__ = ["DIRECT", "VARIABLE", "Given", "given_priorities", "given_variables"]

VARIABLE = "jobpriority"
"""The variable of a job's VARS that its submit description refers to."""

DIRECT = frozenset({"priority", "my.jobprio"})
"""Variables by which VARS set the priority themselves, in spite of PRIORITY; ``+x`` is ``my.x``."""

_WORDS = rb"[ \t]*[A-Za-z]+[ \t]+[^ \t\n]+[ \t]+"
_NUMBER = re.compile(_WORDS + rb"([+-]?[0-9]+)[ \t\r]*\n")
_ALONE = re.compile(_WORDS + rb'jobpriority[ \t]*=[ \t]*"[^"\\\n]*"[ \t\r]*\n', re.IGNORECASE)
_NEVER = re.compile(rb"(?!)")


@dataclass(slots=True)
class _Lines:
    """Lines of one file in the order in which they stand and the job of each; ALL_NODES for the first `count`."""

    file: int
    at: Int64
    jobs: Int32
    count: int = 0


@dataclass(slots=True)
class Given:
    """Lines of one kind that give jobs a priority.

    Attributes
    ----------
    unit
        The DAG they are in.
    jobs
        Which jobs have one.
    names
        Of VARS lines: the variables in question, in lower case.
    """

    unit: Unit
    kind: Keyword
    jobs: NDArray[np.bool_]
    names: frozenset[str] = frozenset()
    _lines: list[_Lines] = field(default_factory=list)

    def _add(self, lines: _Lines) -> None:
        if len(lines.jobs):
            self._lines.append(lines)
            if lines.jobs[0] == ALL_NODES:
                self.jobs[: lines.count] = True
            else:
                self.jobs[lines.jobs] = True

    @property
    def first(self) -> tuple[str, int]:
        """The file and the line of the first of them."""
        lines = self._lines[0]
        file = self.unit.files[lines.file]
        return file.source.path, file.line_of(int(lines.at[0]))

    @property
    def first_job(self) -> int:
        """The job that the first of them is about; ALL_NODES where it is about all."""
        return int(self._lines[0].jobs[0])

    @property
    def total(self) -> int:
        """How many lines there are."""
        return sum(len(lines.at) for lines in self._lines)

    @property
    def included(self) -> int:
        """How many of the lines stand in included files."""
        return sum(len(lines.at) for lines in self._lines if lines.file != 0)

    def places(self) -> list[tuple[int, int]]:
        """Return begin and end of each line of the outermost file that says nothing else."""
        data = self.unit.files[0].source.data
        pattern = _NUMBER if self.kind is Keyword.PRIORITY else _ALONE if VARIABLE in self.names else _NEVER
        found = []
        for lines in self._lines:
            for at in lines.at.tolist() if lines.file == 0 else ():
                plain = pattern.match(data, at)
                end = plain.end() if plain else self._end_if_alone(data, at)
                if end is not None:
                    found.append((at, end))
        return found

    def _end_if_alone(self, data: bytes, at: int) -> int | None:
        command = read_command(data, at)
        value = read_mark(self.kind, command.text)[1]
        others = isinstance(value, tuple) and any(var.name.lower() not in self.names for var in value)
        return None if others else command.end

    def numbers(self) -> Int32:
        """Return the priority of each job that PRIORITY lines give one; 0 for the others."""
        numbers = np.zeros(len(self.jobs), np.int32)
        for lines in self._lines:
            data = self.unit.files[lines.file].source.data
            values = np.array([_number(data, at) for at in lines.at.tolist()], np.int32)
            if lines.jobs[0] == ALL_NODES:
                numbers[: lines.count] = values[0]
            else:
                numbers[lines.jobs] = values
        return numbers


def _number(data: bytes, at: int) -> int:
    if (found := _NUMBER.match(data, at)) and len(found[1]) < 10:
        return int(found[1])
    value = read_mark(Keyword.PRIORITY, read_command(data, at).text)[1]
    assert isinstance(value, int)
    return value


def given_priorities(unit: Unit) -> Given:
    r"""Return what PRIORITY lines say of the jobs of a unit without splices.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\nPRIORITY b 7\n"))
    >>> given = given_priorities(document.details.root)
    >>> given.jobs.tolist(), given.numbers().tolist(), given.places()
    ([False, True], [0, 7], [(24, 37)])
    """
    given = Given(unit, Keyword.PRIORITY, np.zeros(unit.count, np.bool_))
    for mark in unit.marks:
        if isinstance(mark, OddMark):
            if mark.kind is Keyword.PRIORITY:
                given._add(_odd(mark))
            continue
        scan = unit.files[mark.file].scan
        kinds = scan.mark_kind[mark.first : mark.first + len(mark.nodes)]
        given._add(_plain(unit, mark, np.flatnonzero(kinds == Keyword.PRIORITY)))
    return given


def given_variables(unit: Unit, *names: str) -> Given:
    r"""Return which jobs have one of some variables of the user's; names are in lower case, ``+x`` is ``my.x``.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> text = b'JOB a a.sub\nVARS ALL_NODES JobPriority="7"\n'
    >>> given_variables(parse(Source("x.dag", text)).details.root, "jobpriority").jobs.tolist()
    [True]
    """
    given = Given(unit, Keyword.VARS, np.zeros(unit.count, np.bool_), frozenset(names))
    marks_of: dict[int, Int64] = {}
    for mark in unit.marks:
        if isinstance(mark, OddMark):
            if isinstance(mark.value, tuple) and any(var.name.lower() in given.names for var in mark.value):
                given._add(_odd(mark))
            continue
        if mark.file not in marks_of:
            marks_of[mark.file] = _marks_with(unit.files[mark.file].scan, given.names)
        marks = marks_of[mark.file]
        first, last = np.searchsorted(marks, (mark.first, mark.first + len(mark.nodes))).tolist()
        if first < last:
            given._add(_plain(unit, mark, marks[first:last] - mark.first))
    return given


def _marks_with(scan: Scan, names: frozenset[str]) -> Int64:
    """Return which marks give one of some variables, ascending."""
    meant = {name.upper() for name in scan.var_names if re.sub(r"^\+", "my.", name.lower()) in names}
    found = [scan.texts(name)[0].astype(np.int64) for name in sorted(meant)]
    return distinct(np.concatenate([np.empty(0, np.int64), *found]))


def _plain(unit: Unit, run: MarkRun, rows: Int64) -> _Lines:
    rows = rows[run.nodes[rows] >= 0]  # a PROVISIONER may have PRIORITY, any node VARS
    return _Lines(run.file, unit.files[run.file].scan.mark_at[run.first + rows].astype(np.int64), run.nodes[rows])


def _odd(mark: OddMark) -> _Lines:
    takes = mark.node >= 0 or mark.node == ALL_NODES
    jobs, at = np.array([mark.node] * takes, np.int32), np.array([mark.at] * takes, np.int64)
    return _Lines(mark.file, at, jobs, mark.count)
