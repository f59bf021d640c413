r"""Edge lists: a line for each dependency, ``parent,child`` and perhaps a size.

Fields are separated by commas, tabs, semicolons or blanks, whichever the first line has; quoted as in CSV; lines that
begin with ``#`` are remarks. A first line such as ``parent,child,size_bytes`` (or source and target, from and to, tail
and head, in any order and with further columns) is a header; without one, the columns are parent, child, size. A
line with a parent alone declares a job: that is how jobs without edges are kept. Sizes are read as
``eligo.formats._data_files`` says. A first line that is a header of other words (``job,depends_on``) is refused: taken
as an edge, it would stand for dependencies that all point the wrong way.

Lines without quotes, that is nearly all, are split by the string method; only the others go through a regular
expression. Reading 10^6 edges takes about as long as splitting their lines twice.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from eligo.dag import UNKNOWN, Dag, Data
from eligo.errors import CycleError, EligoError
from eligo.formats._base import Document, EdgeRule, Notes
from eligo.formats._data_files import format_weight, is_edge_weights, merge_weights, parse_weight, weighted_edges
from eligo.formats._delimited_text import BLANKS, quote_field, split_table, table_delimiter
from eligo.formats._source import Source

__all__ = ["NAME", "TITLE", "generate", "parse", "sniff"]

NAME = "edgelist"
TITLE = "edge list"

_PARENT = frozenset(["parent", "source", "from", "tail", "src", "predecessor"])
_CHILD = frozenset(["child", "target", "to", "head", "dst", "successor"])
_SIZE = frozenset(["size_bytes", "size", "bytes"])
_HEADER_WORDS = frozenset(  # of headers that do not tell which column waits for which
    ["child_id", "children", "dependencies", "dependency", "depends_on", "edge", "id", "job", "job_id", "name", "node",
     "parent_id", "parents", "task", "task_id", "weight"]
)  # fmt: skip
_OTHER_LANGUAGES = frozenset(  # the words with which lines of DAGMan and of the Cloud Workflow Simulator begin
    [
        "abort_dag_on", "category", "config", "connect", "done", "dot", "edge", "env", "file", "final", "include",
        "inputs", "job", "jobstate_log", "maxjobs", "node", "node_status_file", "outputs", "parent", "pin_in",
        "pin_out", "pre_skip", "priority", "provisioner", "reject", "retry", "save_point_file", "script", "service",
        "set_job_attr", "splice", "subdag", "submit_description", "task", "tolerance", "vars", "weak",
    ]
)  # fmt: skip
_UNLIKELY = re.compile(r"[\s{}\[\]<>=]|:$")
_NOT_TEXT = re.compile(r"[\0\ud800-\udfff]")
_SNIFFED_LINES = 50


class _Columns(NamedTuple):
    """Where the fields stand, and how many a row may have."""

    parent: int
    child: int
    size: int
    most: int


_PLAIN_COLUMNS = _Columns(0, 1, 2, 3)
_NO_COLUMN = 1 << 30


def sniff(head: str) -> bool:
    r"""Tell whether the first line is a known header, or all lines have the same two names, or two and a size.

    Examples
    --------
    >>> sniff("source\ttarget\na\tb\n"), sniff("a b\nb c\n"), sniff("JOB a a.sub\n"), sniff("To be, or not to be")
    (True, True, False, False)
    """
    whole = head[: head.rfind("\n") + 1] or head
    source = Source("", whole.encode("utf-8", "replace"))
    try:
        rows = [fields for (_, fields), _ in zip(split_table(source), range(_SNIFFED_LINES), strict=False)]
    except EligoError:
        return False
    if not rows:
        return False
    by_blanks = table_delimiter(source) == BLANKS
    if _header(rows[0], by_blanks) is not None:
        return True
    return (
        len(rows) > by_blanks and len({len(row) for row in rows}) == 1 and all(_is_edge(row, by_blanks) for row in rows)
    )


def _is_edge(row: list[str], by_blanks: bool) -> bool:
    if len(row) not in (2, 3) or not row[0] or any(map(_UNLIKELY.search, row[:2])):
        return False
    if by_blanks and row[0].lower().replace("-", "_") in _OTHER_LANGUAGES:
        return False
    try:
        return len(row) == 2 or not row[2] or parse_weight(row[2]) is not None
    except EligoError:
        return False


def _header(row: list[str], by_blanks: bool) -> _Columns | None:
    words = [field.lower() for field in row]
    parents, children, sizes = (
        [place for place, word in enumerate(words) if word in known] for known in (_PARENT, _CHILD, _SIZE)
    )
    if len(parents) != 1 or len(children) != 1 or len(sizes) > 1:
        return None
    if by_blanks and len(words) > 2 + len(sizes) + words.count("weight"):
        return None  # "parent a child b" is DAGMan
    return _Columns(parents[0], children[0], sizes[0] if sizes else _NO_COLUMN, len(row))


def parse(source: Source, edges: EdgeRule | None = None) -> Document:
    r"""Read a list. All edges are declared ones, so `edges` changes nothing.

    Examples
    --------
    >>> document = parse(Source("a.csv", b"from,to,size_bytes\na,b,5kB\nalone\n"))
    >>> document.dag, document.dag.data.size_bytes
    (Dag(3 jobs, 1 edge), array([5000]))
    """
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.notes = Notes()
        self.number: dict[str, int] = {}
        self.tails, self.heads = array("i"), array("i")
        self.lines = array("q")
        self.sizes: list[int] | None = None

    def read(self) -> Document:
        rows = split_table(self.source)
        line, first = next(rows, (1, []))
        columns = _header(first, table_delimiter(self.source) == BLANKS)
        if columns is None:
            columns = _PLAIN_COLUMNS
            self._check_no_header(line, first)
            self._add_row(line, first, columns)
        else:
            self._note_other_columns(line, first, columns)
        for line, fields in rows:
            self._add_row(line, fields, columns)
        if not self.number:
            self.notes.add(self.source.path, line, "the list has a header but no job")
        elif not self.tails and columns is _PLAIN_COLUMNS:
            self.notes.add(
                self.source.path, line, "no line names two jobs, so there is no edge: fields end at , ; or blanks"
            )
        elif columns is _PLAIN_COLUMNS and self._stands_alone(0):
            self.notes.add(self.source.path, self.lines[0], "taken for an edge: a header names parent and child")
        if columns.size < columns.most and columns is not _PLAIN_COLUMNS and self.sizes is None:
            self.sizes = [UNKNOWN] * len(self.tails)
        return Document(self._dag(), NAME, self.source, self.notes.texts())

    def _stands_alone(self, edge: int) -> bool:
        """Tell whether no other line names the jobs of an edge, as with the names of columns."""
        ends = (self.tails[edge], self.heads[edge])
        return len(self.tails) > 1 and all(self.tails.count(end) + self.heads.count(end) == 1 for end in ends)

    def _check_no_header(self, line: int, fields: list[str]) -> None:
        words = {field.lower() for field in fields}
        if len(fields) > 1 and words & _HEADER_WORDS and words <= _HEADER_WORDS | _PARENT | _CHILD | _SIZE:
            self._fail(line, "the header does not say which column is the parent", "name the columns parent and child")

    def _note_other_columns(self, line: int, header: list[str], columns: _Columns) -> None:
        for place, word in enumerate(header):
            if place not in columns[:3]:
                self.notes.add(self.source.path, line, f"column {word!r} is not known and not read")

    def _add_row(self, line: int, fields: list[str], columns: _Columns) -> None:
        count = len(fields)
        if count > 2 and fields[2].startswith("{") and columns is _PLAIN_COLUMNS and fields[-1].endswith("}"):
            self.notes.add(self.source.path, line, "attributes of edges, as networkx writes them, are not read")
            fields, count = fields[:2], 2
        if count > columns.most:
            self._fail(line, f"the line has {count} fields", "a line has a parent, a child and perhaps a size")
        parent = fields[columns.parent] if count > columns.parent else ""
        if not parent:
            self._fail(line, "the line names no parent", "a job without edges stands alone in the parent's column")
        number = self.number
        tail = number.setdefault(parent, len(number))
        child = fields[columns.child] if count > columns.child else ""
        size = fields[columns.size] if count > columns.size else ""
        if not child:
            if size:
                self._fail(line, "a size stands without a child", "sizes belong to edges")
            return
        self.tails.append(tail)
        self.heads.append(number.setdefault(child, len(number)))
        self.lines.append(line)
        if size or self.sizes is not None:
            self._add_size(line, size)

    def _add_size(self, line: int, text: str) -> None:
        if self.sizes is None:
            self.sizes = [UNKNOWN] * (len(self.tails) - 1)
        try:
            self.sizes.append(parse_weight(text) if text else UNKNOWN)
        except EligoError as error:
            self._fail(line, error.text, error.hint)

    def _dag(self) -> Dag:
        names = list(self.number)
        tails, heads = np.frombuffer(self.tails, np.int32), np.frombuffer(self.heads, np.int32)
        data = self._data(len(names)) if self.sizes is not None else None
        try:
            return Dag.from_edges(names, tails, heads, data=data)
        except CycleError as error:
            ends = self.number[error.cycle[0]], self.number[error.cycle[1 % len(error.cycle)]]
            found = np.flatnonzero((tails == ends[0]) & (heads == ends[1]))
            raise CycleError(error.cycle, path=self.source.path, line=self.lines[int(found[0])]) from None

    def _data(self, n: int) -> Data:
        tails, heads = np.frombuffer(self.tails, np.int32), np.frombuffer(self.heads, np.int32)
        data, overruled = merge_weights(n, tails, heads, np.array(self.sizes, np.int64))
        if overruled.size:
            text = f"an edge is repeated with another size, the largest is taken: {len(overruled):,} times"
            self.notes.add(self.source.path, self.lines[int(overruled[0])], text)
        return data

    def _fail(self, line: int, text: str, hint: str) -> NoReturn:
        raise self.source.error(line, text, hint=hint)


def generate(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield a comma-separated list with a header; a line ``job,`` declares a job before an edge would misnumber it.

    Always with commas, since a format does not learn the name of the file it is written to.

    Raises
    ------
    EligoError
        A job's name is empty, holds NUL or is not UTF-8, which no field can hold.

    Examples
    --------
    >>> print("".join(generate(Dag.from_edges(["b", "alone", "c d"], [0], [2]), Notes())), end="")
    parent,child
    b,
    alone,
    b,c d
    """
    if "" in dag:
        raise EligoError("a job without a name cannot stand in an edge list", hint="write DOT instead")
    if any(map(_NOT_TEXT.search, dag.names)):
        raise EligoError("a job's name holds NUL or is not UTF-8: no edge list can hold it", hint="write DOT instead")
    weighted = is_edge_weights(dag)
    _note_lost(dag, weighted, lost)
    names = [quote_field(name) for name in dag.names]
    end = ",\n"
    if weighted:
        yield "parent,child,size_bytes\n"
        tails, heads, sizes = weighted_edges(dag)
        ends = [f",{format_weight(size)}\n" for size in sizes]
        end = ",,\n"
    else:
        yield "parent,child\n"
        tails, heads = dag.tails.tolist(), dag.heads.tolist()
        ends = ["\n"] * dag.m
    placed = 0
    for tail, head, rest in zip(tails, heads, ends, strict=True):
        later = max(tail, head)
        if later >= placed:
            if (tail, head) != (placed, placed + 1):  # the edge itself would number these two rightly
                yield from (name + end for name in names[placed:later])
            placed = later + 1
        yield f"{names[tail]},{names[head]}{rest}"
    yield from (name + end for name in names[placed:])


def _note_lost(dag: Dag, weighted: bool, lost: Notes) -> None:
    for key, column in (
        ("times", dag.time_s), ("temporary space", dag.temp_bytes), ("memory", dag.memory_bytes), ("counts", dag.count)
    ):  # fmt: skip
        if column is not None:
            lost.say(f"an edge list has no place for {key} of jobs")
    if dag.data is not None and not weighted:
        lost.say("an edge list has no place for files: only one size an edge fits")
