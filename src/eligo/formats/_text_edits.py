r"""Change a few places of a text file and leave every other byte as it is.

Readers work on text, files are bytes. An :class:`Edit` names a stretch of the text by its characters; :func:`rewrite`
makes the new text and writes it in the encoding, with the byte order mark, that the file had. Since a strict decoder
takes each character from one sequence of bytes only, what no edit touches comes out as it went in.

Any name as plain text: what a format cannot hold is written as ``%XX``, byte by byte, and comes back exactly.

A name that holds no backslash, per cent sign or control character is written as it is, so encoded and plain names can
never be mistaken for each other.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from eligo.errors import EligoError
from eligo.formats._source import Source

__all__ = [
    "Edit",
    "blanked",
    "decode_name",
    "encode_name",
    "line_break",
    "line_removals",
    "rewrite",
]

_BREAK = re.compile(r"\r\n|[\r\n]")
_ENDING = re.compile(r"(?:\r\n|[\r\n\x85\u2028\u2029])\Z")
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF8, "utf-8"))


class Edit(NamedTuple):
    """Put `text` in the place of the characters from `start` up to, but without, `end`."""

    start: int
    end: int
    text: str

    def __repr__(self) -> str:
        return f"Edit({self.start}, {self.end}, {self.text!r})"


def rewrite(source: Source, edits: Iterable[Edit]) -> bytes:
    r"""Return the bytes of a file after `edits`, which must not overlap; those at one place stay in their order.

    Examples
    --------
    >>> rewrite(Source("a", b"\xef\xbb\xbfone two\r\n"), [Edit(4, 7, "2"), Edit(0, 0, "zéro ")])
    b'\xef\xbb\xbfz\xc3\xa9ro one 2\r\n'
    """
    edits = sorted(edits, key=lambda edit: (edit.start, edit.end))
    if not edits:
        return source.data
    text = source.text()
    pieces: list[str] = []
    at = 0
    for edit in edits:
        assert at <= edit.start <= edit.end <= len(text)
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    pieces.append(text[at:])
    mark, encoding = next((pair for pair in _MARKS if source.data.startswith(pair[0])), (b"", "utf-8"))
    return mark + "".join(pieces).encode(encoding)


def line_break(text: str) -> str:
    r"""Return what ends the first line of a text; a newline where there is only one line.

    Examples
    --------
    >>> line_break("a\r\nb\n"), line_break("a")
    ('\r\n', '\n')
    """
    found = _BREAK.search(text)
    return found[0] if found else "\n"


def line_removals(text: str, lines: Iterable[tuple[int, int]]) -> list[Edit]:
    r"""Return the edits that take whole lines out that were added after others.

    If they are the last ones and do not end, the line before did not either.

    Examples
    --------
    >>> line_removals("a\nb\nc", [(2, 4), (4, 5)]), line_removals("a\nb\n", [(2, 4)])
    ([Edit(1, 4, ''), Edit(4, 5, '')], [Edit(2, 4, '')])
    """
    spans = sorted(lines)
    if spans and spans[-1][1] == len(text) and not _ENDING.search(text):
        first = len(spans) - 1
        while first and spans[first - 1][1] == spans[first][0]:
            first -= 1
        start, end = spans[first]
        spans[first] = (start - (2 if text.endswith("\r\n", 0, start) else 1), end)
    return [Edit(start, end, "") for start, end in spans]


def blanked(text: str, edits: Iterable[Edit]) -> list[Edit]:
    r"""Return edits that take the same out but leave its line breaks, so that what follows keeps its line.

    Examples
    --------
    >>> blanked("a\nb\nc", [Edit(2, 4, "")])
    [Edit(2, 4, '\n')]
    """
    return [
        Edit(edit.start, edit.end, edit.text + "".join(_BREAK.findall(text, edit.start, edit.end))) for edit in edits
    ]


_UNSAFE = re.compile(r"[%\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_UNSAFE_IN_LIST = re.compile(r'[%\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\s=:"]')


def encode_name(name: str, *, in_list: bool = False) -> str:
    r"""Return a name with unsafe characters as ``%XX``; in lists also blanks, quotes, ``=`` and ``:``.

    Examples
    --------
    >>> encode_name("été 5%"), encode_name("a\\b"), encode_name("a b", in_list=True)
    ('été 5%25', 'a%5Cb', 'a%20b')
    """
    return (_UNSAFE_IN_LIST if in_list else _UNSAFE).sub(_encode, name)


def decode_name(text: str) -> str:
    r"""Return the name that :func:`encode_name` was given.

    Examples
    --------
    >>> decode_name("a%5Cb")
    'a\\b'
    """
    try:
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise EligoError(
            f"name {text!r} is not valid when %XX is decoded", hint="write a per cent sign as %25"
        ) from None


def _encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))
