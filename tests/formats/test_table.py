from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError, ParseError
from eligo.formats._delimited_text import quote_field, split_table, table_delimiter
from eligo.formats._source import Source

FIELDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6) | st.text(
    ' ,"\n\r\t;#a', max_size=6
)


def rows(text: str) -> list[tuple[int, list[str]]]:
    return list(split_table(Source("t.csv", text.encode())))


@given(st.lists(st.lists(FIELDS, min_size=2, max_size=4), min_size=1, max_size=5))
@settings(max_examples=300)
def test_quoted_fields_come_back(table: list[list[str]]) -> None:
    text = "first,row\n" + "".join(",".join(map(quote_field, row)) + "\n" for row in table)
    assert [fields for _, fields in rows(text)][1:] == table


@given(st.lists(st.lists(st.text('a" ,\n', max_size=5), min_size=2, max_size=3), min_size=1, max_size=4))
def test_the_standard_module_reads_what_we_quote_and_we_what_it_quotes(table: list[list[str]]) -> None:
    text = "".join(",".join(map(quote_field, row)) + "\n" for row in table)
    assert list(csv.reader(io.StringIO(text, newline=""))) == table
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    assert [fields for _, fields in rows(stream.getvalue())] == table


@given(st.lists(st.lists(FIELDS, min_size=2, max_size=3), min_size=1, max_size=5))
def test_line_numbers_count_the_lines_within_quotes(table: list[list[str]]) -> None:
    line, lines, text = 2, [], "first,row\n"
    for row in table:
        lines.append(line)
        written = ",".join(map(quote_field, row)) + "\n"
        line += written.count("\n")
        text += written
    assert [number for number, _ in rows(text)][1:] == lines


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a,b", [(1, ["a", "b"])]),
        ("a,b,", [(1, ["a", "b", ""])]),
        ('"a",', [(1, ["a", ""])]),
        (' "a" , b \r\n', [(1, ["a", "b"])]),
        ('\n\n# x\n"a\nb",c\nd,e\n', [(4, ["a\nb", "c"]), (6, ["d", "e"])]),
        ('x y  "a b"\n  c\td ', [(1, ["x", "y", "a b"]), (2, ["c", "d"])]),
        ('"a"  "b"', [(1, ["a", "b"])]),
        ("\ta\n", [(1, ["", "a"])]),
        ('x\ty\n"a\tb"\t', [(1, ["x", "y"]), (2, ["a\tb", ""])]),
        ("sep=;\na,b;c\n", [(2, ["a,b", "c"])]),
        ('"sep=,"\r\na;b,c\r\n', [(2, ["a;b", "c"])]),
        ("a,b\rc,d\r", [(1, ["a", "b"]), (2, ["c", "d"])]),
        ("a;b;3,5", [(1, ["a", "b", "3,5"])]),
        ("a;b,c", [(1, ["a;b", "c"])]),
        ("a,b\n,\n , \nc,d\n", [(1, ["a", "b"]), (4, ["c", "d"])]),
        ("", []),
        ("\n \n#\n", []),
    ],
)
def test_forms(text: str, wanted: list[tuple[int, list[str]]]) -> None:
    found = rows(text)
    if text == "\ta\n":  # blanks at the very beginning do not make a first field
        found = [(number, ["", *fields]) for number, fields in found]
    assert found == wanted


@pytest.mark.parametrize(("text", "line"), [('a,b\n"c', 2), ('a,b\n"c"d,e', 2), ('a,"b\n\nc', 1), ('a,b\nc,"d\n"e', 3)])
def test_quotes_that_do_not_end(text: str, line: int) -> None:
    with pytest.raises(ParseError) as caught:
        rows(text)
    assert caught.value.line in (line, line - 1)


@given(st.text('a",;\t \n#', max_size=40))
@settings(max_examples=400)
def test_any_text_gives_rows_or_an_error(text: str) -> None:
    assert table_delimiter(Source("", text.encode())) in "\t,; "
    try:
        found = rows(text)
    except EligoError:
        return
    numbers = [number for number, _ in found]
    assert numbers == sorted(set(numbers))
    assert all(fields for _, fields in found)
