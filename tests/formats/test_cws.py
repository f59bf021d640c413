"""Text of the Cloud Workflow Simulator."""

from __future__ import annotations

import pytest

from eligo.dag import OUTSIDE
from eligo.errors import CycleError, ParseError
from eligo.formats import _cws as cws
from eligo.formats._source import Source
from tests.guards import no_hang


def read(text: str | bytes, edges=None):
    return cws.parse(Source("w.dag", text.encode() if isinstance(text, str) else text), edges)


def edges_of(dag):
    return [(dag.names[u], dag.names[v]) for u, v in zip(dag.tails, dag.heads, strict=True)]


DIAMOND = """# a diamond, statements in any order
EDGE a b\r
EDGE a c
FILE in 5
FILE big 5100000000
TASK a S::split:1.0 0.06
TASK b S::work:1.0 1e1
TASK c S::work:1.0 0
TASK d S::join:1.0 2

INPUTS a in
OUTPUTS a big
INPUTS b big
INPUTS c big unlisted
EDGE b d
EDGE c d"""


def test_all_statements():
    document = read(DIAMOND)
    dag = document.dag
    assert dag.names == ("a", "b", "c", "d")
    assert edges_of(dag) == [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert dag.time_s.tolist() == [0.06, 10, 0, 2]
    assert dag.data.names == ("in", "unlisted", "big")
    assert dag.data.size_bytes.tolist() == [5, -1, 5_100_000_000]
    assert dag.data.producer.tolist() == [OUTSIDE, OUTSIDE, 0]
    assert document.details.transformations[3] == "S::join:1.0"
    assert document.warnings == ()


def test_one_declared_edge_among_implied_ones_is_noted():
    """As psmerge and psload do: --edges both is what the user needs to hear."""
    text = "TASK a t 1\nTASK b t 1\nTASK c t 1\nOUTPUTS a f\nINPUTS b f\nINPUTS c f\nEDGE a b\n"
    document = read(text)
    assert edges_of(document.dag) == [("a", "b")]
    assert "1 dependency implied by files but not declared: --edges both adds them" in document.warnings[0]
    assert edges_of(read(text, "both").dag) == [("a", "b"), ("a", "c")]
    assert edges_of(read(text.replace("EDGE a b\n", "")).dag) == [("a", "b"), ("a", "c")]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("TASK a t 1\nJOB b", 2, "unknown statement 'JOB'"),
        ("task a t 1", 1, "unknown statement 'task'"),
        ("TASK a t", 1, "TASK has 2 words after it"),
        ("TASK a t 1 2", 1, "TASK has 4 words after it"),
        ("FILE a", 1, "FILE has 1 words"),
        ("EDGE a", 1, "EDGE has 1 words"),
        ("INPUTS", 1, "INPUTS has 0 words"),
        ("TASK a t 1\n\nTASK a t 1", 3, "a second job is called 'a'"),
        ("TASK a t soon", 1, "time 'soon' is not a number"),
        ("TASK a t 1e400", 1, "too large"),
        ("FILE f 1.5", 1, "not a whole number"),
        ("FILE f nan", 1, "is not a number"),
        (f"FILE f {10**30}", 1, "2^62"),
        (f"FILE f {'9' * 5000}", 1, "is not a number"),
        ("TASK a t 1\nEDGE a b", 2, "there is no job called 'b'"),
        ("TASK a t 1\nINPUTS b f", 2, "there is no job called 'b'"),
        ("TASK a t 1\nTASK b\0 t 1", 2, "a NUL character"),
        (b"TASK a t 1\nTASK \xff t 1", 2, "0xff is not UTF-8"),
    ],
)
def test_bad_files_are_refused_with_a_line(text, line, what):
    with pytest.raises(ParseError) as caught:
        read(text)
    assert what in caught.value.text
    assert caught.value.line == line
    assert caught.value.hint


@pytest.mark.parametrize("text", ["TASK a t 1\nEDGE a a", "TASK a t 1\nTASK b t 1\nEDGE a b\nEDGE b a"])
def test_cycles_are_refused(text):
    with pytest.raises(CycleError) as caught:
        read(text)
    assert caught.value.line in (2, 3)


def test_long_lines_are_read():
    with no_hang():
        dag = read("TASK a t 1\nINPUTS a " + " ".join(f"file-number-{i}" for i in range(500_000))).dag
        assert dag.data.k == 500_000


@pytest.mark.parametrize(
    ("head", "fits"),
    [
        ("\ufeff\n\n# comment\nFILE a 1\nTASK a t 1\n", True),
        ("TASK a t 1\r\nEDGE a", True),
        ("JOB a a.sub\nPARENT a CHILD b\n", False),
        ("TASK a t 1\nJOB b", False),
        ("FILE\x00", False),
        ("\n" * 60_000, False),
        ("", False),
    ],
)
def test_sniffing(head, fits):
    assert cws.sniff(head) is fits
