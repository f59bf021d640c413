"""Standard Task Graphs (STG) of Kasahara's group: the graphs on which scheduling heuristics are compared.

The first line is the number of tasks, then follows a line for each task: its number, its processing time, how many
predecessors it has, and their numbers. Lines that begin with ``#`` are remarks. The set's own files add an entry and
an exit task of time 0 that the first line does not count; they are tasks like all others and are kept. Three forms
are told apart by what they hold:

* the standard one: ``n`` tasks, or ``n + 2`` with the two dummies, numbered from 0;
* the prototype: the first line is ``n processors``, and numbers may begin with 1;
* with communication costs: a task's line ends after the number of predecessors, and each predecessor has a line of
  its own, ``number cost``. A cost is read as the size in bytes of what is passed, one datum an edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from eligo.dag import Dag, Data
from eligo.errors import CycleError, EligoError
from eligo.formats._base import Document, EdgeRule, Notes
from eligo.formats._numbers import parse_seconds, parse_size
from eligo.formats._source import Source

__all__ = ["NAME", "TITLE", "parse", "sniff"]

NAME = "stg"
TITLE = "STG"

_SNIFFED_LINES = 20
_DIGITS = 9
_FORM = "a task reads: number time predecessors first second ..."


def sniff(head: str) -> bool:
    r"""Tell whether the first lines are one or two counts and then tasks.

    Examples
    --------
    >>> sniff("2\n0 0 0\n1 5 1 0\n2 6 1 0\n3 0 2 1 2\n"), sniff("0 1\n1 2\n")
    (True, False)
    """
    rows = [fields for _, fields in _rows(head[: head.rfind("\n") + 1] or head)][:_SNIFFED_LINES]
    if len(rows) < 2 or len(rows[0]) not in (1, 2) or not all(field.isdecimal() for row in rows for field in row[:3:2]):
        return False
    first = rows[1]
    return len(first) >= 3 and first[0] in ("0", "1") and first[2] == "0" and len(first) == 3


def parse(source: Source, edges: EdgeRule | None = None) -> Document:
    r"""Read a graph. All edges are declared ones, so `edges` changes nothing.

    Examples
    --------
    >>> parse(Source("a.stg", b"2\n0 0 0\n1 5 1 0\n2 6 1 0\n3 0 2 1 2\n")).dag
    Dag(4 jobs, 4 edges)
    """
    return _Reader(source).read()


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.partition("#")[0].split()
        if fields:
            yield number, fields


class _Reader:
    """Reads one file; tasks are kept under the text of their numbers, as they are named."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.notes = Notes()
        self.task: dict[int, int] = {}
        self.lines: list[int] = []
        self.times: list[float] = []
        self.edges: list[tuple[int, int, int, int]] = []  # predecessor, task, cost, line
        self.has_costs = False

    def read(self) -> Document:
        text = self.source.text()
        nul = text.find("\0")
        if nul >= 0:
            raise self.source.error(text.count("\n", 0, nul) + 1, "there is a NUL byte", hint="this is not a text file")
        rows = _rows(text)
        stated = self._header(rows)
        for line, fields in rows:
            self._add_task(line, fields, rows)
        self._check_count(stated)
        return Document(self._dag(), NAME, self.source, self.notes.texts())

    def _header(self, rows: Iterator[tuple[int, list[str]]]) -> int:
        line, fields = next(rows, (1, []))
        if len(fields) not in (1, 2):
            self._fail(line, "the first line must be the number of tasks", "an STG file begins with a line like: 50")
        return self._integer(line, fields[0], "the number of tasks")

    def _add_task(self, line: int, fields: list[str], rows: Iterator[tuple[int, list[str]]]) -> None:
        if len(fields) < 3:
            self._fail(line, "a task needs its number, its time and its number of predecessors", _FORM)
        task = self._integer(line, fields[0], "the task's number")
        if task in self.task:
            self._fail(line, f"task {task} was defined on line {self.lines[self.task[task]]} already", _FORM)
        number = self.task[task] = len(self.task)
        self.lines.append(line)
        try:
            self.times.append(parse_seconds(fields[1]))
        except EligoError as error:
            raise self.source.error(line, error.text, hint=error.hint) from None
        count = self._integer(line, fields[2], "the number of predecessors")
        if len(fields) == 3 and count:
            self._add_costs(line, number, count, rows)
            return
        if len(fields) != 3 + count:
            self._fail(line, f"task {task} announces {count} predecessors but lists {len(fields) - 3}", _FORM)
        self.edges.extend((self._integer(line, field, "a predecessor"), number, 0, line) for field in fields[3:])

    def _add_costs(self, line: int, number: int, count: int, rows: Iterator[tuple[int, list[str]]]) -> None:
        self.has_costs = True
        for done in range(count):
            at, pair = next(rows, (line, []))
            if len(pair) != 2:
                self._fail(
                    at,
                    f"the task of line {line} announces {count} predecessors but lists {done}",
                    "they follow on its own line, or each with its cost on a line: number cost",
                )
            try:
                cost = parse_size(pair[1])
            except EligoError as error:
                raise self.source.error(at, error.text, hint=error.hint) from None
            self.edges.append((self._integer(at, pair[0], "a predecessor"), number, cost, at))

    def _check_count(self, stated: int) -> None:
        found = len(self.task)
        if not found:
            self._fail(1, "there is no task", "a workflow needs at least one job")
        if found not in (stated, stated + 1, stated + 2):
            self._fail(
                self.lines[-1],
                f"the first line announces {stated} tasks (and two dummies), but there are {found}",
                "is the file cut short?",
            )

    def _dag(self) -> Dag:
        tails: list[int] = []
        for predecessor, _, _, line in self.edges:
            if predecessor not in self.task:
                self._fail(line, f"there is no task {predecessor}", "predecessors must be tasks of this file")
            tails.append(self.task[predecessor])
        heads = [task for _, task, _, _ in self.edges]
        data = None
        if self.has_costs:
            self.notes.add(self.source.path, None, "communication costs are read as sizes in bytes")
            costs: dict[tuple[int, int], int] = {}
            for tail, (_, head, cost, _) in zip(tails, self.edges, strict=True):
                costs[tail, head] = max(cost, costs.get((tail, head), 0))
            data = Data.per_edge([tail for tail, _ in costs], [head for _, head in costs], list(costs.values()))
        try:
            return Dag.from_edges([str(task) for task in self.task], tails, heads, time_s=self.times, data=data)
        except CycleError as error:
            line = self.lines[self.task[int(error.cycle[0])]]
            raise CycleError(error.cycle, path=self.source.path, line=line) from None

    def _integer(self, line: int, text: str, what: str) -> int:
        if not (text.isdecimal() and text.isascii()) or len(text) > _DIGITS:
            self._fail(line, f"{what} must be a whole number, not {text[:40]!r}", _FORM)
        return int(text)

    def _fail(self, line: int, text: str, hint: str) -> NoReturn:
        raise self.source.error(line, text, hint=hint)
