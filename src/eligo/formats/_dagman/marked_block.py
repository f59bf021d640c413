r"""Lines of ours in a text of the user's: put in between two marks, and taken out again to the byte.

Problem: priorities, and dependencies that a limit adds, go into files that people keep editing. What we add must be
found again with certainty, and nothing that a person wrote may ever go with it.

Idea: our lines stand between a first and a last mark, both comments, and the last mark carries a checksum of all
before it, so that a block as we wrote it can be told from one that was touched. A line of the user's that ours take the
place of stays where it is, as a comment that begins with ``# eligo keeps:``. ::

    # >>> eligo priorities >>> written by eligo; your own lines belong outside; taken out by: eligo prioritize --remove
    PRIORITY a 2
    PRIORITY b 1
    # <<< eligo priorities 6b2d7e51 <<<

The first mark says in brackets what else must be undone: ``(after a line end of ours)`` where the file did not end in
one that ends a command, ``(and in submit files)`` where those changed too. A file may have a block of each kind
(:class:`Marks`); that of the dependencies comes first, whichever was written first, so that the result does not depend
on the order. Whichever block is the first after the line end of ours says so.

Invariant: ``take_out`` of what was put into a text is the text. Rules for what is not as we left it:

* a mark without its partner, or one that was edited, is an error: where our lines end cannot be known;
* so is a line inside that is not of the form we write: it is the user's, and has to be moved out by him;
* if all lines have our form but the checksum fails, lines were changed or removed by hand. ``take_out`` says so and
  leaves it to its caller whether they may go.

Cost: O(bytes), by searches for fixed strings; a block of a million lines is never cut into lines.

Dependencies into a DAG file, and out of it again, without touching a line of the user's.

PARENT lines in a marked block at the end of the file, behind every INCLUDE and before our priorities, if there are any
(``marked.py``). A line has one parent and all its children: with several of both, DAGMan puts a join node between them.

The jobs of a splice have no name in the file that splices it: where one of them is to wait, or to be waited for, the
DAG must be flattened first. A SUBDAG is a job like any other; FINAL, PROVISIONER and SERVICE nodes are none.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from eligo.dag import Int32
from eligo.errors import ParseError
from eligo.formats._base import Document
from eligo.formats._dagman.details import Details
from eligo.formats._dagman.lines import read_lines
from eligo.formats._editing import Instrumented
from eligo.formats._source import Source

__all__ = [
    "DEPENDENCIES",
    "PRIORITIES",
    "Marks",
    "Taken",
    "add",
    "append",
    "apply_edits",
    "block",
    "commented",
    "has_marks",
    "line_end",
    "parent_lines",
    "take_out",
    "without_dependencies",
]

_PARTED = b" (after a line end of ours)"
_BEYOND = b" (and in submit files)"
_SAYS = b"written by eligo; your own lines belong outside; taken out by: eligo "
_KEEPS = b"# eligo keeps: "
_KEPT_LINE = re.compile(rb"^# eligo keeps: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marks:
    """One kind of block.

    Attributes
    ----------
    name
        What the marks call it.
    command
        The command that takes it out, when ``--remove`` is added.
    lines
        The form of each line in it.
    """

    name: bytes
    command: bytes
    lines: re.Pattern[bytes]
    first: re.Pattern[bytes] = field(init=False)
    last: re.Pattern[bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", re.compile(rb"# >>> eligo %b((?: \([a-z ]+\))*) >>>.*" % self.name))
        object.__setattr__(self, "last", re.compile(rb"# <<< eligo %b ([0-9a-f]{8}) <<<" % self.name))


PRIORITIES = Marks(
    b"priorities",
    b"prioritize",
    re.compile(
        rb'(?:PRIORITY [^ \t\n]+ -?[0-9]+|VARS [^ \t\n]+ jobpriority="-?[0-9]+"|priority = \$\(jobpriority\))\r?\n'
    ),
)
"""The block of ``eligo prioritize``."""

DEPENDENCIES = Marks(b"dependencies", b"limit", re.compile(rb"PARENT [^ \t\n]++ CHILD(?: [^ \t\n]++)+\n"))
"""The block of ``eligo limit``."""


def line_end(data: bytes) -> bytes:
    r"""Return how lines end: as the first one does.

    Examples
    --------
    >>> line_end(b"JOB a a.sub\r\nJOB b b.sub\n"), line_end(b"JOB a a.sub")
    (b'\r\n', b'\n')
    """
    newline = data.find(b"\n")
    return b"\r\n" if newline > 0 and data[newline - 1] == ord("\r") else b"\n"


def has_marks(data: bytes, marks: Marks = PRIORITIES) -> bool:
    """Tell whether a text may hold lines of ours.

    Examples
    --------
    >>> has_marks(b"JOB a a.sub"), has_marks(block(b"PRIORITY a 1", b""))
    (False, True)
    """
    if b" eligo " not in data:  # mostly one search over all bytes, not two
        return False
    return b" eligo " + marks.name in data or (marks is PRIORITIES and _KEEPS in data)


def block(lines: bytes, end: bytes, marks: Marks = PRIORITIES) -> bytes:
    r"""Return lines between our marks, the same for the same lines.

    Examples
    --------
    >>> print(block(b"PRIORITY a 1\n", b"\n").decode(), end="")
    # >>> eligo priorities >>> written by eligo; your own lines belong outside; taken out by: eligo prioritize --remove
    PRIORITY a 1
    # <<< eligo priorities a405fc28 <<<
    """
    return b"".join(_block(marks, lines, end, b""))


def _block(marks: Marks, lines: bytes, end: bytes, flags: bytes) -> tuple[bytes, ...]:
    head = b"# >>> eligo " + marks.name + flags + b" >>> " + _SAYS + marks.command + b" --remove" + end
    return head, lines, b"# <<< eligo %b %08x <<<" % (marks.name, _checksum(head, lines)), end


def append(source: Source, lines: bytes, marks: Marks = PRIORITIES, *, beyond: bool = False) -> bytes:
    r"""Return a text with a block of lines, which end as the text's do, after it.

    Where the text ends with our priorities, dependencies go before them.

    Examples
    --------
    >>> text = b"JOB a a.sub"
    >>> marked = append(Source("x.dag", text), b"PRIORITY a 1\n")
    >>> marked.splitlines()[0], take_out(Source("x.dag", marked)).data == text
    (b'JOB a a.sub', True)
    """
    data, end = source.data, line_end(source.data)
    if marks is DEPENDENCIES and has_marks(data, PRIORITIES):
        for first, last in _pairs(source, PRIORITIES):
            if last.end == len(data):
                return _put_before(source, first, lines, marks)
    parted = _needs_parting(source)
    between = (b"\r\n" if data.endswith(b"\r") else end) if parted else b""  # taken out, a \r of the user's must stay
    return b"".join((data, between, *_block(marks, lines, end, parted * _PARTED + beyond * _BEYOND)))


def _put_before(source: Source, first: _Mark, lines: bytes, marks: Marks) -> bytes:
    """Put a block before another, which hands on the line end of ours before it, if there is one."""
    data, end = source.data, line_end(source.data)
    parted = _PARTED in first.found[1]
    made = _block(marks, lines, end, parted * _PARTED)
    return b"".join((data[: first.begin], *made, _flagged(data[first.begin :], parted=False)))


def _flagged(text: bytes, *, parted: bool) -> bytes:
    """Return a text that begins with a block with that block's word on the line end before it set.

    The checksum holds afterwards if it did before; else the block stays one that was changed by hand.
    """
    line = text[: text.find(b"\n") + 1].strip()
    marks = next((each for each in (PRIORITIES, DEPENDENCIES) if each.first.fullmatch(line)), None)
    if marks is None:
        return text
    try:
        first, last = next(_pairs(Source("", text), marks))
    except ParseError:  # damaged, as whoever reads that block will say
        return text
    if (_PARTED in first.found[1]) == parted:
        return text
    name = b"# >>> eligo " + marks.name
    head = text[: first.end].replace(name + _PARTED * (not parted), name + _PARTED * parted, 1)
    body, value = text[first.end : last.begin], int(last.found[1], 16)
    value = _checksum(head, body) if value == _checksum(text[: last.begin]) else value
    tail = text[last.begin : last.end].replace(last.found[1], b"%08x" % value, 1)
    return b"".join((head, body, tail, text[last.end :]))


def _checksum(*parts: bytes) -> int:
    """Return a checksum that does not depend on how lines end: editors and version control change that."""
    value = 0
    for part in parts:
        value = zlib.crc32(part.replace(b"\r\n", b"\n"), value)
    return value


def _needs_parting(source: Source) -> bool:
    """Tell whether a line end must go between a text and a command after it.

    It must where the last line has none, and where a backslash would join what follows. An error says where neither
    will do: DAGMan takes a last line without a newline as it is, so that with one it could mean something else.
    """
    data = source.data
    begin = _last_logical_line(data)
    tail = data[begin:]
    before = _commands(tail)
    if (not tail or tail.endswith(b"\n")) and _commands(tail + b"# x\n") == before:
        return False
    if _commands(tail + b"\n# x\n") == before:
        return True
    raise source.error(
        source.line_at(begin),
        "the last line has no line end, and with one it would mean something else",
        hint="end it with a newline, without a backslash before it",
    )


def _last_logical_line(data: bytes) -> int:
    """Return where the last line begins, with those before it that it continues."""
    begin = data.rfind(b"\n", 0, max(len(data) - 1, 0)) + 1
    while begin > 0:
        before = data.rfind(b"\n", 0, begin - 1) + 1
        if not data[before : begin - 1].rstrip().endswith(b"\\"):
            break
        begin = before
    return begin


def _commands(data: bytes) -> list[bytes]:
    texts = [text.strip(b" \t") for _, _, text in read_lines(data)]
    return [text for text in texts if text and not text.startswith((b"#", b"//"))]


def apply_edits(data: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Return a text with stretches replaced, each given by its begin, its end and what comes there.

    Examples
    --------
    >>> apply_edits(b"one two", [(4, 7, b"2"), (0, 0, b"zero ")])
    b'zero one 2'
    """
    pieces: list[bytes] = []
    at = 0
    for begin, end, text in sorted(edits):
        pieces += (data[at:begin], text)
        at = end
    pieces.append(data[at:])
    return b"".join(pieces)


def commented(data: bytes, begin: int, end: int) -> tuple[int, int, bytes]:
    r"""Return the edit that makes whole lines a comment that :func:`take_out` turns back.

    Examples
    --------
    >>> apply_edits(b"JOB a x\nPRIORITY a \\\n 3\n", [commented(b"JOB a x\nPRIORITY a \\\n 3\n", 8, 24)])
    b'JOB a x\n# eligo keeps: PRIORITY a \\\n# eligo keeps:  3\n'
    """
    text = data[begin:end]
    more = text.count(b"\n") - text.endswith(b"\n")
    return begin, end, _KEEPS + text.replace(b"\n", b"\n" + _KEEPS, more)


@dataclass(frozen=True, slots=True)
class Taken:
    """A text without our lines.

    Attributes
    ----------
    data
        The text.
    found
        Whether there were any.
    beyond
        Whether submit files were changed as well.
    changed
        Line of the first mark whose block was edited by hand; ``None`` where all were as we left them.
    """

    data: bytes
    found: bool = False
    beyond: bool = False
    changed: int | None = None


def take_out(source: Source, marks: Marks = PRIORITIES) -> Taken:
    r"""Return a text without our lines, and with the user's that they took the place of.

    Examples
    --------
    >>> marked = block(b"PRIORITY a 1\n", b"\n")
    >>> take_out(Source("x.dag", marked)).data, take_out(Source("x.dag", marked.replace(b"1", b"2", 1))).changed
    (b'', 1)
    >>> take_out(Source("x.dag", marked.replace(b"PRIORITY", b"RETRY")))
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: x.dag:2: this line stands between eligo's marks, but eligo did not write it
    hint: move it out, before the first mark or after the last one
    """
    data = source.data
    if not has_marks(data, marks):
        return Taken(data)
    pieces: list[bytes] = []
    at, flags, beyond, changed = 0, b"", False, None
    for first, last in _pairs(source, marks):
        if _checksum(data[first.begin : last.begin]) != int(last.found[1], 16):
            _check_lines(source, first.end, last.begin, marks)
            changed = changed or source.line_at(first.begin)
        flags = first.found[1]
        beyond = beyond or _BEYOND in flags
        begin = first.begin
        if _PARTED in flags and last.end == len(data):  # what the user put after the block still needs it
            begin -= len(line_end(data[max(begin - 2, 0) : begin])) if begin else 0
        pieces.append(data[at:begin])
        at = last.end
    rest = data[at:]
    if _PARTED in flags and rest:
        rest = _flagged(rest, parted=True)  # another block of ours now is the first after that line end
    pieces.append(rest)
    whole = b"".join(pieces)
    restored = _KEPT_LINE.sub(b"", whole) if marks is PRIORITIES and _KEEPS in whole else whole
    return Taken(restored, at > 0 or restored is not whole, beyond, changed)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that is a mark: its bytes, and what it says."""

    begin: int
    end: int
    found: re.Match[bytes]


def _pairs(source: Source, marks: Marks) -> Iterator[tuple[_Mark, _Mark]]:
    first: _Mark | None = None
    for mark in _marks(source, marks):
        is_first = mark.found.re is marks.first
        if is_first != (first is None):
            wrong = first or mark
            missing = "no last mark follows" if wrong.found.re is marks.first else "no first mark stands before it"
            raise _damaged(source, wrong.begin, f"this is a mark of eligo's, but {missing}")
        if first is not None:
            yield first, mark
        first = mark if is_first else None
    if first is not None:
        raise _damaged(source, first.begin, "this is a mark of eligo's, but no last mark follows")


def _marks(source: Source, marks: Marks) -> Iterator[_Mark]:
    data, name = source.data, b" eligo " + marks.name
    at = data.find(name)
    while at >= 0:
        begin = data.rfind(b"\n", 0, at) + 1
        newline = data.find(b"\n", at)
        end = len(data) if newline < 0 else newline + 1
        text = data[begin:end].strip()
        if text.startswith((b"# >>>" + name, b"# <<<" + name)):
            found = marks.first.fullmatch(text) or marks.last.fullmatch(text)
            if found is None:
                raise _damaged(source, begin, "this is a mark of eligo's, but it was changed")
            yield _Mark(begin, end, found)
        at = data.find(name, end)


def _damaged(source: Source, at: int, text: str) -> Exception:
    hint = "delete the lines that eligo wrote, marks included, and run it again; keep your own"
    return source.error(source.line_at(at), text, hint=hint)


def _check_lines(source: Source, begin: int, end: int, marks: Marks) -> None:
    while begin < end:
        found = marks.lines.match(source.data, begin, end)
        if found is None:
            raise source.error(
                source.line_at(begin),
                "this line stands between eligo's marks, but eligo did not write it",
                hint="move it out, before the first mark or after the last one",
            )
        begin = found.end()


_CHANGED = "the lines between eligo's marks were changed by hand; none of them stays"


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return a DAG, which has none of ours, with dependencies, given in the order of their parents.

    Raises
    ------
    ParseError
        A job is inside a splice, which the file has no name for; or our marks are damaged.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\n"))
    >>> done = add(document, np.array([0], np.int32), np.array([1], np.int32))
    >>> print(done.data.decode(), end="")
    JOB a a.sub
    JOB b b.sub
    # >>> eligo dependencies >>> written by eligo; your own lines belong outside; taken out by: eligo limit --remove
    PARENT a CHILD b
    # <<< eligo dependencies ac879607 <<<
    """
    _refuse_spliced(document, np.union1d(tails, heads).astype(np.int32))
    source = document.source
    lines = parent_lines(document.dag.names, tails, heads, line_end(source.data))
    return Instrumented(append(source, lines, DEPENDENCIES), written=len(tails))


def without_dependencies(source: Source) -> tuple[Source, tuple[str, ...]]:
    r"""Return a DAG file without our dependencies, and what there is to say of them.

    Examples
    --------
    >>> without_dependencies(Source("x.dag", b"JOB a a.sub\n"))
    (Source(path='x.dag', data=b'JOB a a.sub\n'), ())
    """
    taken = take_out(source, DEPENDENCIES)
    warnings = () if taken.changed is None else (f"{source.path}:{taken.changed}: {_CHANGED}",)
    return Source(source.path, taken.data), warnings


def parent_lines(names: Sequence[str], tails: Int32, heads: Int32, end: bytes) -> bytes:
    r"""Return a PARENT line for each job with children, given in the order of their parents.

    Examples
    --------
    >>> parent_lines("abc", np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32), b"\n")
    b'PARENT a CHILD b c\nPARENT b CHILD c\n'
    """
    pairs = zip(tails.tolist(), heads.tolist(), strict=True)
    after = end.decode()
    lines = [
        f"PARENT {names[tail]} CHILD {' '.join([names[head] for _, head in group])}{after}"
        for tail, group in groupby(pairs, key=lambda pair: pair[0])
    ]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _refuse_spliced(document: Document, jobs: Int32) -> None:
    assert isinstance(document.details, Details)
    unit = document.details.root
    for use in unit.instances:
        inside = jobs[(jobs >= use.offset) & (jobs < use.offset + use.unit.count)]
        if len(inside):
            file = unit.files[use.file]
            raise file.source.error(
                file.line_of(use.at),
                f"job {document.dag.names[inside[0]]!r} is in a splice, and a DAG file cannot make such jobs wait: it "
                "has no name for them",
                hint="write the DAG without splices: --flatten",
            )
