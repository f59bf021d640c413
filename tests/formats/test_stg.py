from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import CycleError, EligoError, ParseError
from eligo.formats import _stg as stg
from eligo.formats._base import Document
from eligo.formats._source import Source, load
from tests.corpus import DATA, needs_shared, statistics
from tests.formats.random_dags import edge_names, shape

ROWS = {file: row for file, row in statistics().items() if row["format"] == "stg"}
DIAMOND = "2\n0 0 0\n1 5 1 0\n2 6.5 1 0 # slow\n3 0 2 1 2\n# the end\n"


def read(text: str | bytes) -> Document:
    return stg.parse(Source("x.stg", text if isinstance(text, bytes) else text.encode()))


@needs_shared
@pytest.mark.parametrize("file", sorted(ROWS))
def test_corpus(file: str) -> None:
    source = load(DATA / file)
    document, row = stg.parse(source), ROWS[file]
    counts = shape(document.dag)
    assert counts == {key: int(row[key]) for key in counts}
    assert document.warnings == ()
    assert stg.sniff(source.text())
    assert stg.sniff(source.text()[:300])


def test_standard_form() -> None:
    dag = read(DIAMOND).dag
    assert dag.names == ("0", "1", "2", "3")
    assert edge_names(dag) == {("0", "1"), ("0", "2"), ("1", "3"), ("2", "3")}
    assert dag.time_s is not None
    assert dag.time_s.tolist() == [0, 5, 6.5, 0]
    assert dag.data is None


def test_prototype_form() -> None:
    """The first line has the processors too, and numbers begin with 1."""
    text = "3 2\n 1 14 0\n 2 20 1 1\n 3 5 2 1 2\n 4 0 1 3\n"
    assert stg.sniff(text)
    assert read(text).dag.names == ("1", "2", "3", "4")


def test_communication_costs_are_data() -> None:
    text = "3 2\n0 4 0\n1 5 1\n  0 100\n2 6 2\n  0 7\n  1 8\n"
    document = read(text)
    assert stg.sniff(text)
    assert document.dag.data is not None
    assert document.dag.data.size_bytes.tolist() == [100, 7, 8]
    assert edge_names(document.dag) == {("0", "1"), ("0", "2"), ("1", "2")}
    assert "costs" in document.warnings[0]


def test_tasks_may_come_before_their_predecessors() -> None:
    assert edge_names(read("2\n7 1 1 3\n3 1 0\n").dag) == {("3", "7")}


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("", 1, "number of tasks"),
        ("x\n0 0 0\n", 1, "whole number"),
        ("1 2 3\n", 1, "first line"),
        ("-1\n0 0 0", 1, "whole number"),
        ("9999999999\n0 0 0", 1, "whole number"),
        ("5\n", 1, "no task"),
        ("5\n0 0 0\n1 1 1 0\n", 3, "announces 5 tasks"),
        ("0\n0 0 0\n1 1 0\n2 1 0\n", 4, "announces 0 tasks"),
        ("2\n0 0 0\n1 1\n", 3, "needs its number"),
        ("2\n0 0 0\n1 1 2 0\n", 3, "announces 2 predecessors but lists 1"),
        ("2\n0 0 0\n1 1 0 0\n", 3, "announces 0 predecessors but lists 1"),
        ("2\n0 0 0\n1 1 1 9\n", 3, "no task 9"),
        ("2\n0 0 0\n0 1 0\n", 3, "line 2 already"),
        ("2\n0 0 0\n1 -1 0\n", 3, "negative"),
        ("2\n0 0 0\n1 nan 0\n", 3, "not a number"),
        ("2\n0 0 0\n1 1e400 0\n", 3, "too large"),
        ("2\n0 0 0\n1 1 2\n0 5\n", 3, "announces 2 predecessors but lists 1"),
        ("2\n0 0 0\n1 1 1\n0 1.5\n", 4, "whole number of bytes"),
        ("2\n0 0 0\n1 \0 0\n", 3, "NUL"),
        ("2\n0 0 0\n1 ٣ 0\n", 3, "not a number"),
        ("2\n0 0 0\n²  1 0\n", 3, "whole number"),
    ],
)
def test_malformed(text: str, line: int, part: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert part in caught.value.text
    assert caught.value.line == line
    assert caught.value.hint


def test_cycles() -> None:
    with pytest.raises(CycleError) as caught:
        read("2\n0 0 1 1\n1 1 1 0\n")
    assert caught.value.line in (2, 3)
    with pytest.raises(CycleError):
        read("1\n0 0 1 0\n")


def test_long_lines_and_encodings() -> None:
    with pytest.raises(ParseError):
        read("2\n" + "1 " * 10**6)
    with pytest.raises(ParseError):
        read(b"2\n0 0 0\n\xff")


@given(st.text("0123 \n#.-x", max_size=60) | st.just(DIAMOND).flatmap(lambda text: st.permutations(text).map("".join)))
@settings(max_examples=300)
def test_any_text_gives_a_dag_or_an_error(text: str) -> None:
    stg.sniff(text)
    with contextlib.suppress(EligoError):
        read(text)


@given(st.integers(0, len(DIAMOND)), st.integers(0, 4), st.text("012 \n#-", max_size=3))
def test_mutated_files(begin: int, length: int, text: str) -> None:
    with contextlib.suppress(EligoError):
        read(DIAMOND[:begin] + text + DIAMOND[begin + length :])


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (DIAMOND, True),
        ("# remark\n10\n0 0 0\n", True),
        ("0 1\n0 2\n1 3\n", False),
        ("0 1 100\n", False),
        ("parent,child\n", False),
        ("JOB a a.sub", False),
        ("5\n", False),
        ("", False),
        ("1\n2\n3\n", False),
    ],
)
def test_sniff(head: str, wanted: bool) -> None:
    assert stg.sniff(head) is wanted
