"""A workflow while it is being read: jobs by name, their times, what they wait for, the files they use.

The readers of WfFormat, DAX, Pegasus YAML and CWS text differ in syntax only. Each fills a :class:`Draft`; the checks
that all need (a name used twice, a parent that does not exist, a time that is no number, a cycle), the notes on what
was odd, and the choice between declared and implied dependencies are made here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan

import numpy as np

from eligo.dag import UNKNOWN, Dag, Int32
from eligo.errors import CycleError, EligoError
from eligo.formats._base import EdgeRule, Notes
from eligo.formats._data_edges import FileUses, TooManyPairsError, depends, distinct
from eligo.formats._numbers import shown, stated_bytes, stated_seconds
from eligo.formats._source import Source

__all__ = ["Draft", "Line"]

Line = int | Callable[[], int]
"""Where something stands: a line, or how to find it for parsers that do not tell (looked for only when needed)."""


class Draft:
    """Collects what a file says and makes a dag of it.

    Examples
    --------
    >>> draft = Draft(Source("two.txt", b"..."))
    >>> first, second = draft.add_job("a", 1), draft.add_job("b", 2)
    >>> draft.join("a", "b", 3)
    >>> draft.build(None)
    Dag(2 jobs, 1 edge)
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.notes = Notes()
        self.uses = FileUses()
        self.names: list[str] = []
        self.memory: dict[int, int] = {}
        self.temporary: dict[int, int] = {}
        self.counts: dict[int, int] = {}
        self._times: dict[int, float] = {}
        self._lines: list[Line] = []
        self._number: dict[str, int] = {}
        self._edges: tuple[list[int | str], list[int | str], list[Line]] = ([], [], [])
        self._added: tuple[list[int], list[int]] = ([], [])
        self._negative_times: list[Line] = []
        self._noted: set[str] = set()

    @property
    def n(self) -> int:
        """The number of jobs so far."""
        return len(self.names)

    def note(self, line: Line | None, text: str) -> None:
        """Note an oddity that did not keep the file from being read; only the first of a kind is looked for."""
        if text in self._noted:
            line = None
        self._noted.add(text)
        self.notes.add(self.source.path, line if line is None else _found(line), text)

    def text(self, value: object, what: str, line: Line) -> str:
        """Return a name as text; numbers are taken as they are written.

        Raises
        ------
        ParseError
            It is missing, empty, or neither text nor a whole number.
        """
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value:
            seen = "is missing" if value is None else "is empty" if value == "" else f"is {shown(value)}, not text"
            raise self.source.error(_found(line), f"{what} {seen}", hint="names and ids are text that is not empty")
        if "\0" in value:
            raise self.source.error(_found(line), f"{what} holds a NUL character", hint="the file may be damaged")
        if not value.isascii():
            try:
                value.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise self.source.error(
                    _found(line), f"{what} holds half of a character", hint="\\ud800 to \\udfff come in pairs"
                ) from None
        return value

    def add_job(self, name: str, line: Line) -> int:
        """Add a job and return its number; a name may be used once."""
        number = self._number.setdefault(name, len(self.names))
        if number < len(self.names):
            first, second = _found(self._lines[number]), _found(line)
            raise self.source.error(
                max(first, second),
                f"a second job is called {shown(name)}",
                hint=f"the first stands on line {min(first, second)}" if first != second else "job names are unique",
            )
        self.names.append(name)
        self._lines.append(line)
        return number

    def find(self, name: str, line: Line) -> int:
        """Return the number of a job that must exist."""
        try:
            return self._number[name]
        except KeyError:
            raise self.source.error(
                _found(line),
                f"there is no job called {shown(name)}",
                hint="a dependency names a job that is not defined",
            ) from None

    def line_of_job(self, job: int) -> int:
        """Return the line on which a job is defined."""
        return _found(self._lines[job])

    def join(self, parent: int | str, child: int | str, line: Line) -> None:
        """Declare that one job waits for another; names may be of jobs that are defined later."""
        parents, children, lines = self._edges
        parents.append(parent)
        children.append(child)
        lines.append(line)

    def add_ours(self, parent: int, child: int) -> None:
        """Add a dependency that :mod:`eligo.formats._editing` wrote.

        It counts by every rule, does not count as declared by the user, and has no say in who reads which file.
        """
        self._added[0].append(parent)
        self._added[1].append(child)

    def set_time(self, job: int, value: object, line: Line) -> None:
        """Say how long a job takes."""
        try:
            time_s = stated_seconds(value)
        except EligoError as error:
            raise self._at(line, f"job {shown(self.names[job])}: {error.text}", error.hint) from None
        if time_s < 0:
            self._negative_times.append(line)
        else:
            self._times[job] = time_s

    def size(self, value: object, line: Line) -> int | None:
        """Return the size of a file, ``None`` where it is not stated."""
        if value is None:
            return None
        if isinstance(value, str) and value.isdigit() and value.isascii() and len(value) <= 18:
            return int(value)
        try:
            return stated_bytes(value)
        except EligoError as error:
            raise self._at(line, error.text, error.hint) from None

    def quantity(self, job: int, value: object, line: Line, *, unit: int = 1) -> int:
        """Return the memory of a job in bytes, rounded up; what is negative is noted and unknown."""
        try:
            size = stated_bytes(value, unit=unit, round_up=True)
        except EligoError as error:
            raise self._at(line, f"job {shown(self.names[job])}: {error.text}", error.hint) from None
        if size < 0:
            self.note(line, "a negative amount of memory is taken as unknown")
        return max(size, UNKNOWN)

    def _at(self, line: Line, text: str, hint: str) -> EligoError:
        return self.source.error(_found(line), text, hint=hint)

    def build(self, rule: EdgeRule | None, *, original: Mapping[str, str] | None = None, named: bool = True) -> Dag:
        """Make the dag; `original` and `named` are those of :meth:`FileUses.data`.

        Raises
        ------
        ParseError
            A dependency names a job that does not exist.
        CycleError
            The jobs depend on each other in a circle.
        """
        tails, heads = self._declared()
        if rule is None:
            rule = "declared" if tails.size else "files"
        declared = (tails, heads)
        if rule != "declared":
            try:
                implied = self.uses.implied()
            except TooManyPairsError as error:
                raise self._at(1, error.text, error.hint) from None
            tails, heads = implied
            if rule == "both":
                tails, heads = np.concatenate([tails, declared[0]]), np.concatenate([heads, declared[1]])
        dag = self._dag(tails, heads)
        data = self.uses.data(dag, original=original, named=named)
        self._note_files(dag, rule, declared)
        if self._negative_times:
            self._note_count(len(self._negative_times), "negative time", "taken as unknown", self._negative_times[0])
        if self._added[0]:
            parents, children = (np.array(side, np.int32) for side in self._added)
            dag = self._dag(np.concatenate([dag.tails, parents]), np.concatenate([dag.heads, children]))
        return dag if data is None else dag.with_known(data=data)

    def _declared(self) -> tuple[Int32, Int32]:
        parents, children, lines = self._edges
        ends = [
            np.fromiter(
                (end if isinstance(end, int) else self.find(end, line) for end, line in zip(side, lines, strict=True)),
                np.int32,
                len(side),
            )
            for side in (parents, children)
        ]
        return ends[0], ends[1]

    def _dag(self, tails: Int32, heads: Int32) -> Dag:
        try:
            return Dag.from_edges(
                self.names,
                tails,
                heads,
                time_s=_column(self._times, self.n, nan),
                temp_bytes=_column(self.temporary, self.n, UNKNOWN),
                memory_bytes=_column(self.memory, self.n, UNKNOWN),
                count=_column(self.counts, self.n, 1),
            )
        except CycleError as error:
            raise CycleError(error.cycle, path=self.source.path, line=self._cycle_line(error.cycle)) from None

    def _cycle_line(self, cycle: tuple[str, ...]) -> int:
        wanted = {(cycle[i - 1], cycle[i]) for i in range(len(cycle))}
        for tail, head, line in zip(*self._edges, strict=True):
            if (self._name(tail), self._name(head)) in wanted:
                return _found(line)
        return self.line_of_job(self._number[cycle[0]])

    def _name(self, end: int | str) -> str:
        return end if isinstance(end, str) else self.names[end]

    def _note_files(self, dag: Dag, rule: EdgeRule, declared: tuple[Int32, Int32]) -> None:
        uses = self.uses
        self._note_count(uses.negative, "file", "of negative size: taken as unknown")
        self._note_count(uses.conflicting, "file", "with several sizes: the producer's counts, else the first stated")
        self._note_count(uses.crowded, "file", "left out: written by very many jobs and read by very many")
        self._note_count(uses.unjoined, "dependency", "implied by files but not declared: --edges both adds them")
        if rule == "files":
            apart = _different(dag, *declared)
            self._note_count(apart, "dependency", "declared but not implied by files: --edges both adds them")
        self._note_count(uses.left_out, "reading", "of a file by a job that depends on no producer of it: not counted")

    def _note_count(self, count: int, noun: str, text: str, line: Line | None = None) -> None:
        if count:
            plural = noun if count == 1 else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
            self.note(line, f"{count:,} {plural} {text}")


def _different(dag: Dag, tails: Int32, heads: Int32) -> int:
    """Count the different pairs of jobs of which the second does not depend on the first."""
    apart = ~depends(dag, tails, heads)
    return len(distinct(tails[apart].astype(np.int64) * dag.n + heads[apart]))


def _column(values: Mapping[int, float], n: int, unknown: float) -> list[float] | None:
    return [values.get(job, unknown) for job in range(n)] if values else None


def _found(line: Line) -> int:
    return line if isinstance(line, int) else line()
