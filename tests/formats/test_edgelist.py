from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES, UNKNOWN, Dag
from eligo.errors import CycleError, EligoError, ParseError
from eligo.formats import _edgelist as edgelist
from eligo.formats._base import Document, Notes
from eligo.formats._source import Source
from tests.formats.random_dags import ANY_TEXT, WORDS, dags, edge_names

NAMES = (WORDS | ANY_TEXT.map(lambda text: text.replace("\0", "0"))).filter(bool)


def read(text: str | bytes) -> Document:
    return edgelist.parse(Source("x.csv", text if isinstance(text, bytes) else text.encode()))


def written(dag: Dag) -> str:
    return "".join(edgelist.generate(dag, Notes()))


def sizes(text: str) -> list[int] | None:
    data = read(text).dag.data
    return None if data is None else data.size_bytes.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nb,c\n",
        "a\tb\nb\tc",
        "a b\r\nb   c\r\n",
        "a;b\nb;c\n",
        "parent,child\na,b\nb,c\n",
        "Target, Source\nb, a\nc, b",
        "from\tto\tcolour\na\tb\tred\nb\tc\n",
        "# remark\n\n a , b \n  # another\nb,c\na,b\n",
        '"a","b"\n"b",c\n',
        'a "b"\n"b" c\n',
        "\ufeffsrc,dst\na,b\nb,c",
    ],
)
def test_forms(text: str) -> None:
    document = read(text)
    assert edge_names(document.dag) == {("a", "b"), ("b", "c")}
    assert len(document.warnings) == ("colour" in text)
    assert document.dag.data is None


@pytest.mark.parametrize(
    "text",
    ["sep=,\na,b\nb,c\n", "sep=;\r\nfrom;to\r\na;b\r\nb;c\r\n;\r\n", "a,b\rb,c\r", "\ufeffsep=\t\na\tb\nb\tc"],
)
def test_forms_of_spreadsheets(text: str) -> None:
    assert edge_names(read(text).dag) == {("a", "b"), ("b", "c")}
    assert read(text).dag.names == ("a", "b", "c")


def test_attributes_of_networkx_are_skipped_and_noted() -> None:
    document = read("a b {'weight': 3, 'x': 'y'}\nb c {}\n")
    assert edge_names(document.dag) == {("a", "b"), ("b", "c")}
    assert document.warnings == ("x.csv:1: attributes of edges, as networkx writes them, are not read (and 1 more)",)


def test_jobs_of_which_some_are_called_like_columns() -> None:
    assert edge_names(read("job,b\nb,task\n").dag) == {("job", "b"), ("b", "task")}


def test_a_column_that_is_not_read_may_stand_in_a_header_of_blanks() -> None:
    document = read("source target weight\na b 1\nb c 2\n")
    assert edge_names(document.dag) == {("a", "b"), ("b", "c")}
    assert "column 'weight'" in document.warnings[0]
    assert not edgelist.sniff("PARENT job CHILD task\n")


def test_a_list_without_any_edge_is_noted() -> None:
    assert "no edge" in read("a->b\nb->c\n").warnings[0]
    assert not read(written(Dag.from_edges(["a", "b"]))).warnings


def test_quotes() -> None:
    text = 'parent,child\n"x, ""y""",b\n" c ","two\nlines"\nx"y,z\n"#d",\n'
    dag = read(text).dag
    assert dag.names == ('x, "y"', "b", " c ", "two\nlines", 'x"y', "z", "#d")
    assert edge_names(dag) == {('x, "y"', "b"), (" c ", "two\nlines"), ('x"y', "z")}


def test_isolated_jobs() -> None:
    assert read("a,b\nc\nd,\n").dag.names == ("a", "b", "c", "d")
    assert read("lonely\n").dag.n == 1


def test_sizes() -> None:
    assert sizes("a,b,5\nb,c,2kB\n") == [5, 2000]
    assert sizes("a b 5\nb c\n") == [5, UNKNOWN]
    assert sizes("a,b\nb,c,7\n") == [UNKNOWN, 7]
    assert sizes("child,size_bytes,parent\nb,5,a\nc,,b\nd,none,a\n") == [5, UNKNOWN]
    assert sizes("a,b,unknown\n") == [UNKNOWN]
    assert sizes("parent,child,size\na,b\n") == [UNKNOWN]


def test_repeated_edges_take_the_largest_size() -> None:
    document = read("a,b,5\na,b,9\na,b,9\n")
    assert document.dag.data is not None
    assert document.dag.data.size_bytes.tolist() == [9]
    assert document.warnings == ("x.csv:1: an edge is repeated with another size, the largest is taken: 1 times",)


def test_empty_dags() -> None:
    document = read(written(Dag.from_edges(0)))
    assert document.dag.n == 0
    assert document.warnings == ("x.csv:1: the list has a header but no job",)


def test_written_form() -> None:
    assert written(Dag.from_edges(2, [0], [1])) == "parent,child\n0,1\n"
    assert written(Dag.from_edges(3, [0], [1])) == "parent,child\n0,1\n2,\n"


@given(dags(names=NAMES, data="weights"))
@settings(max_examples=300, deadline=None)
def test_round_trip(dag: Dag) -> None:
    bare = Dag.from_edges(dag.names, dag.tails, dag.heads, data=dag.data)
    text = written(bare)
    assert read(text).dag == bare
    assert edgelist.sniff(text)
    assert written(dag) == text


@given(dags(names=NAMES))
def test_what_is_lost_is_told(dag: Dag) -> None:
    lost = Notes()
    again = read("".join(edgelist.generate(dag, lost))).dag
    assert (again == dag) == (lost.texts() == ())
    assert again.names == dag.names
    assert edge_names(again) == edge_names(dag)


@pytest.mark.parametrize("name", ["", "\udcff", "a\ud800", "a\0"])
def test_names_that_no_field_can_hold_are_refused(name: str) -> None:
    with pytest.raises(EligoError, match="name"):
        written(Dag.from_names([(name, "a")]))


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("# nothing\n\n", 1, "names no parent"),
        ("a,b\n,c\n", 2, "names no parent"),
        ("a,b\nb,c,5,x\n", 2, "4 fields"),
        ("parent,child\na,b,5\n", 2, "3 fields"),
        ("a,b\nb,c,-5\n", 2, "negative"),
        ("a,b\nb,c,1.5\n", 2, "whole number"),
        ("a,b,nan\n", 1, "not a number"),
        ("a,b,1e400\n", 1, "2^62"),
        (f"a,b,{MAX_BYTES}\n", 1, "2^62"),
        (f"a,b,{'9' * 5000}\n", 1, "not a number"),
        ("a,,5\n", 1, "without a child"),
        ('a,b\n"c,d\n', 2, "quoted field"),
        ('a,b\n"c"x,d\n', 2, "quoted field"),
        ('a,b\n"c\nd"x,d\n', 2, "quoted field"),
        ("a,b\nb,\0c\n", 2, "NUL"),
        ("job,depends_on\nb,a\n", 1, "which column"),
        ("id;Parent\nb;a\n", 1, "which column"),
        ("a;b;3,5\n", 1, "not a number"),
    ],
)
def test_malformed(text: str, line: int, part: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert part in caught.value.text
    assert caught.value.line == line
    assert caught.value.hint


def test_encodings() -> None:
    with pytest.raises(ParseError) as caught:
        read(b"a,b\nb,\xe9\n")
    assert caught.value.line == 2


def test_cycles_name_a_line() -> None:
    with pytest.raises(CycleError) as caught:
        read("a,b\nb,c\nc,b\n")
    assert caught.value.line in (2, 3)
    assert caught.value.path == "x.csv"
    with pytest.raises(CycleError):
        read("a,a\n")


@pytest.mark.parametrize(
    "text", ["a," * 10**6, '"' * (10**6 + 1), '"a' * 10**6, '""' * 10**6 + ",\n,x", "a " * 10**6 + '"']
)
def test_extremes_end_quickly_in_an_error(text: str) -> None:
    edgelist.sniff(text)
    with pytest.raises(EligoError):
        read(text)


def test_long_names() -> None:
    assert read("x" * 10**7 + ",b\n").dag.m == 1


@given(st.text('ab,"\t; #\n\r1\0', max_size=50) | st.text(max_size=20))
@settings(max_examples=500)
def test_any_text_gives_a_dag_or_an_error(text: str) -> None:
    edgelist.sniff(text)
    with contextlib.suppress(EligoError):
        read(text)


@given(st.binary(max_size=40))
def test_any_bytes_give_a_dag_or_an_error(data: bytes) -> None:
    with contextlib.suppress(EligoError):
        read(data)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("parent,child\na,b\n", True),
        ("source\ttarget\n", True),
        ("from to\n1 2\n", True),
        ("a,b\nb,c\n", True),
        ("a b\nb c\n", True),
        ("0 1 100\n1 2 5\n", True),
        ("a,b,5kB\nb,c,\n", True),
        ("JOB a a.sub\nJOB b b.sub\n", False),
        ("RETRY a 3\nRETRY b 3\n", False),
        ("Job a x\nParent a Child b\n", False),
        ("SPLICE a b.dag\nINCLUDE x.dag\n", False),
        ("FILE a 5\nTASK b c 5\n", False),
        ("50\n0 0 0\n1 9 1 0\n", False),
        ("digraph { a -> b }", False),
        ("a -> b\nb -> c\n", False),
        ("To be, or not to be: that is\nthe question\n", False),
        ("hello world", False),
        ("name: x\npegasus: 5\n", False),
        ('{"a": 1}\n{"b": 2}\n', False),
        ("<a>\n<b>\n", False),
        ("a\nb\nc\n", False),
        ("", False),
        ("# only\n", False),
    ],
)
def test_sniff(head: str, wanted: bool) -> None:
    assert edgelist.sniff(head) is wanted


def test_a_first_line_that_may_be_a_header_is_noted() -> None:
    assert "a header names parent and child" in read("name,email\nbob,b@x\nann,a@x\n").warnings[0]
    assert read("a,b\nb,c\n").warnings == ()
