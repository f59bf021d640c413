r"""Tables as text: CSV and its relatives, split into fields with the number of each line.

The standard ``csv`` module cannot say whether a field was quoted, so it can neither strip blanks around plain fields
nor keep those within quotes, and its limit on the length of fields is global. Here lines without a quote, that is
nearly all, are split by the string method; from a line with one, a regular expression takes field after field,
across line ends where quotes ask for it. Both are linear.

Spreadsheets add oddities of their own, which say nothing of the table: a first line ``sep=;``, rows of delimiters
only, and lines that end in a carriage return alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eligo.formats._source import Source

__all__ = ["BLANKS", "quote_field", "split_table", "table_delimiter"]

BLANKS = " "
"""The delimiter that stands for any run of blanks and tabs."""

_CANDIDATES = ("\t", ",", ";")
_QUOTED_FIELD = r'(?<![^\s,;])"(?:[^"]++|"")*"(?!")'  # quotes count only where a field begins
_FIRST_ROW = re.compile(rf'(?:\s*+#[^\n]*+)*\s*+((?:{_QUOTED_FIELD}|[^"\n]++|")*)')
_NETWORKX_ROW = re.compile(
    r"[^\s,;]++[ \t]++[^\s,;]++[ \t]++\{[^\n]*\}\s*"
)  # commas in a dictionary separate no fields
_SEPARATOR_LINE = re.compile(r'"?sep=([\t,;])"?[^\S\n]*+(?:\n|\Z)', re.IGNORECASE)
_QUOTED = re.compile(_QUOTED_FIELD)
_INSIDE = r'"((?:[^"]++|"")*)"(?!")'
_FIELDS = {  # a quoted or a plain field, then the delimiter, the end of the line or the end of the text
    mark: re.compile(rf'[^\S\n{mark}]*+(?:{_INSIDE}[^\S\n{mark}]*+|((?!")[^{mark}\n]*+))({mark}|\n|\Z)')
    for mark in _CANDIDATES
}
_FIELDS[BLANKS] = re.compile(rf'[^\S\n]*+(?:{_INSIDE}(?!\S)|((?!")\S++))[^\S\n]*+(\n|(?=\S)|\Z)')


def table_delimiter(source: Source) -> str:
    r"""Return what separates the fields of the first row: a tab, comma or semicolon outside quotes, else blanks.

    Where a row has both, the more frequent of comma and semicolon counts: ``a;b;3,5`` has three fields.

    Examples
    --------
    >>> [table_delimiter(Source("a", text)) for text in (b'# x,y\n"a,b"\tc\nd,e', b"a b, c", b"a;b;3,5", b"a b")]
    ['\t', ',', ';', ' ']
    """
    return _delimiter(_lines(source))


def _lines(source: Source) -> str:
    """Return the text with lines that end in a newline, as those of old spreadsheets do not."""
    text = source.text()
    return text.replace("\r", "\n") if "\r" in text and "\n" not in text else text


def _delimiter(text: str) -> str:
    stated = _SEPARATOR_LINE.match(text)
    if stated:
        return stated[1]
    first = _FIRST_ROW.match(text)
    row = first[1] if first else ""
    if _NETWORKX_ROW.fullmatch(row):
        return BLANKS
    plain = _QUOTED.sub("", row)
    if "\t" in plain:
        return "\t"
    commas, semicolons = plain.count(","), plain.count(";")
    if commas or semicolons:
        return ";" if semicolons > commas else ","
    return BLANKS


def split_table(source: Source) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the line number and the fields of each row; empty rows and lines that begin with ``#`` are skipped.

    Raises
    ------
    ParseError
        Quotes do not end, or something stands between a closing quote and the next delimiter.

    Examples
    --------
    >>> list(split_table(Source("a.csv", b'# remark\na, b\n\n"x, ""y"" z",\n')))
    [(2, ['a', 'b']), (4, ['x, "y" z', ''])]
    """
    text = _lines(source)
    nul = text.find("\0")
    if nul >= 0:
        raise source.error(text.count("\n", 0, nul) + 1, "there is a NUL byte", hint="this is not a text file")
    delimiter = _delimiter(text)
    stated = _SEPARATOR_LINE.match(text)
    at, number, size = (stated.end(), 1, len(text)) if stated else (0, 0, len(text))
    while at < size:
        end = text.find("\n", at)
        if end < 0:
            end = size
        line = text[at:end]
        number += 1
        begin = line.lstrip()[:1]
        if not begin or begin == "#":
            at = end + 1
            continue
        if '"' not in line:
            fields = line.split() if delimiter == BLANKS else [field.strip() for field in line.split(delimiter)]
            if any(fields):
                yield number, fields
            at = end + 1
            continue
        fields, end = _split_quoted(source, text, at, number, delimiter)
        yield number, fields
        number += text.count("\n", at, end) - (text[end - 1] == "\n")
        at = end


def _split_quoted(source: Source, text: str, at: int, number: int, delimiter: str) -> tuple[list[str], int]:
    """Return the fields of the row that begins at an offset, and where the next row begins."""
    take = _FIELDS[delimiter].match
    fields: list[str] = []
    begin = at
    while match := take(text, at):
        quoted, plain, mark = match.groups()
        fields.append(quoted.replace('""', '"') if quoted is not None else plain.strip())
        at = match.end()
        if mark == "\n" or (not mark and at == len(text)):
            return fields, at
    raise source.error(
        number + text.count("\n", begin, at),
        "a quoted field does not end as it should",
        hint='close the quotes; a quote within quotes is written twice: ""',
    )


def quote_field(text: str) -> str:
    """Return a field of a comma-separated table that :func:`split_table` reads as `text`.

    Examples
    --------
    >>> quote_field("a"), quote_field("a, b"), quote_field('a "b" c'), quote_field("#1")
    ('a', '"a, b"', '"a ""b"" c"', '"#1"')
    """
    if text.strip() == text and text and not any(mark in text for mark in ',"\n\r') and text[0] != "#":
        return text
    return '"' + text.replace('"', '""') + '"'
