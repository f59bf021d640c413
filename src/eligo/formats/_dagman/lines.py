"""Logical lines: a DAGMan file cut as HTCondor's line reader cuts it, with the bytes each came from.

A backslash at the end of a line joins the next one, whose leading blanks go. Comments do not continue. Of a comment
*inside* a continuation the last character stays in the text (so a commented-out line that itself ends in a backslash
goes on, as people expect). A last line without a newline is taken as it is, neither trimmed nor continued. A submit
description written into the file, ``{ ... }`` or ``@=TAG ... @TAG``, belongs to the command that opens it.

The ranges of :func:`logical_lines` cover the file, so that whoever changes one line writes all others back unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from eligo.formats._dagman.tokens import NODE_KEYWORDS, Keyword, Words, fold, keyword_of
from eligo.formats._source import Source

__all__ = ["Command", "LogicalLine", "decode", "logical_lines", "read_command", "read_lines"]

_SPACES = b" \t\n\v\f\r"
_CLOSING_BRACE = re.compile(rb"^[ \t\v\f\r]*\}", re.MULTILINE)
_MAY_OPEN = frozenset({*NODE_KEYWORDS, Keyword.SUBMIT_DESCRIPTION} - {Keyword.SUBDAG})


def decode(data: bytes) -> str:
    """Return bytes as text; what is no UTF-8 stays, as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def read_lines(data: bytes, at: int = 0, end: int | None = None) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield begin, end and text of each logical line, comments and blank lines too.

    Examples
    --------
    >>> [text for _, _, text in read_lines(b"PARENT a \\\n   CHILD b\n# c\n")]
    [b'PARENT a CHILD b', b'# c']
    """
    stop = len(data) if end is None else end
    while at < stop:
        begin = at
        newline = data.find(b"\n", at)
        if newline < 0:
            yield begin, len(data), data[at:]
            return
        at, text = newline + 1, data[at:newline].strip(_SPACES)
        if text.endswith(b"\\") and not text.startswith((b"#", b"//")):
            at, text = _join(data, at, text[:-1])
        yield begin, at, text


def _physical(data: bytes, at: int) -> tuple[int, bytes, bool]:
    newline = data.find(b"\n", at)
    if newline < 0:
        return len(data), data[at:], False
    return newline + 1, data[at:newline].strip(_SPACES), True


def _join(data: bytes, at: int, text: bytes) -> tuple[int, bytes]:
    parts = [text] if text else []
    while at < len(data):
        at, piece, ended = _physical(data, at)
        if ended and not parts and piece.startswith((b"#", b"//")):
            return at, piece
        if ended and piece.startswith(b"#"):
            piece = piece[-1:]
        if piece:
            parts.append(piece)
        if not ended or not parts or not parts[-1].endswith(b"\\"):
            break
        parts[-1] = parts[-1][:-1]
        if not parts[-1]:
            parts.pop()
    return at, b"".join(parts)


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the file with the submit description it opens, if any.

    Attributes
    ----------
    begin, end
        Its bytes, description included.
    text
        The line, continuations joined.
    body
        The bytes of the description, without the lines that open and close it; ``None`` where there is none.
    closing
        What follows the closing mark on its line; ``None`` where the description is not closed.
    """

    begin: int
    end: int
    kind: Keyword
    text: str
    body: tuple[int, int] | None = None
    closing: str | None = None


def read_command(data: bytes, begin: int) -> Command:
    r"""Read the command whose first line begins at a byte offset.

    Examples
    --------
    >>> command = read_command(b"JOB a {\n  executable = x\n} NOOP\nJOB b b.sub\n", 0)
    >>> command.end, command.body, command.closing
    (32, (8, 25), ' NOOP')
    """
    _, end, raw = next(read_lines(data, begin))
    text = decode(raw)
    words = Words(text)
    kind = keyword_of(words.next())
    if kind in _MAY_OPEN:
        words.next()
        mark = words.next_maybe_quoted()
        if mark.startswith("{"):
            return Command(begin, *_braced(data, end, kind, text))
        if mark.startswith("@=") and len(mark) > 2:
            close = b"@" + mark[2:].encode("utf-8", "surrogateescape")
            return Command(begin, *_tagged(data, end, kind, text, close))
    return Command(begin, end, kind, text)


_Rest = tuple[int, Keyword, str, tuple[int, int], str | None]


def _braced(data: bytes, body: int, kind: Keyword, text: str) -> _Rest:
    """Return all of a command but its beginning; the line that closes it begins with a brace."""
    at = body
    brace = _CLOSING_BRACE.search(data, body)
    if brace and data.find(b"\\", body, brace.start()) < 0:
        at = brace.start()  # no line before it continues, so it is not the continuation of one
    for begin, end, line in read_lines(data, at):
        if line.startswith(b"}"):
            return end, kind, text, (body, begin), decode(line[1:])
    return len(data), kind, text, (body, len(data)), None


def _tagged(data: bytes, body: int, kind: Keyword, text: str, close: bytes) -> _Rest:
    at = body
    while at < len(data):
        end, line, _ = _physical(data, at)
        line = line.strip(_SPACES)
        if line == close or line.startswith((close + b" ", close + b"\t")):
            return end, kind, text, (body, at), decode(line[len(close) :])
        at = end
    return len(data), kind, text, (body, len(data)), None


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """A stretch of the file that stands or falls as one: a command, a comment or a blank line.

    Attributes
    ----------
    begin, end
        Its bytes in the file.
    line
        The number of its first line.
    kind
        The command; ``None`` for comments and blank lines.
    job
        The job, splice or category it is about, as written; nothing where it is about several or none.
    """

    begin: int
    end: int
    line: int
    kind: Keyword | None
    job: str


def logical_lines(source: Source) -> Iterator[LogicalLine]:
    r"""Cut a file into its logical lines, which together are all of its bytes.

    Examples
    --------
    >>> source = Source("x.dag", b"# two\nJOB a a.sub\nPRIORITY a 3\n")
    >>> [(line.line, line.kind and line.kind.name, line.job) for line in logical_lines(source)]
    [(1, None, ''), (2, 'JOB', 'a'), (3, 'PRIORITY', 'a')]
    """
    data, at, number = source.data, 0, 1
    while at < len(data):
        _, end, raw = next(read_lines(data, at))
        kind, job = None, ""
        if raw.strip(b" \t") and not raw.startswith((b"#", b"//")):
            command = read_command(data, at)
            kind, end, job = command.kind, command.end, _job_of(command)
        yield LogicalLine(at, end, number, kind, job)
        number += data.count(b"\n", at, end)
        at = end


_ABOUT_ONE = frozenset(Keyword) - {Keyword.PARENT, Keyword.WEAK, Keyword.UNKNOWN, Keyword.REJECT, Keyword.CONNECT}
_ABOUT_NONE = frozenset(
    {
        Keyword.INCLUDE, Keyword.CONFIG, Keyword.DOT, Keyword.NODE_STATUS_FILE, Keyword.JOBSTATE_LOG,
        Keyword.SET_JOB_ATTR, Keyword.ENV,
    }
)  # fmt: skip


def _job_of(command: Command) -> str:
    if command.kind not in _ABOUT_ONE or command.kind in _ABOUT_NONE:
        return ""
    words = Words(command.text)
    words.next()
    if command.kind is Keyword.SUBDAG:
        words.next()
    elif command.kind is Keyword.SCRIPT:
        while fold(words.next()) in ("DEFER", "DEBUG"):
            words.next()
            words.next()
    return words.next()
