"""The DOT language: what is read, what is refused, and that nothing else happens."""

from __future__ import annotations

import contextlib
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES
from eligo.errors import CycleError, EligoError, ParseError
from eligo.formats import _dot as dot
from eligo.formats._base import Document
from eligo.formats._dot.grammar import parse_graph
from eligo.formats._source import Source
from tests.corpus import DATA
from tests.formats.dot_examples import NEXTFLOW, SNAKEMAKE
from tests.guards import no_hang

GRAPHVIZ = shutil.which("dot")
needs_graphviz = pytest.mark.skipif(GRAPHVIZ is None, reason="graphviz is not installed")


def read(text: str | bytes) -> Document:
    return dot.parse(Source("x.dot", text if isinstance(text, bytes) else text.encode()))


def fails(text: str | bytes) -> ParseError:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert caught.value.hint or caught.value.line is None
    return caught.value


# The language

LANGUAGE = [
    ("digraph{a->b}", "ab"),
    ("STRICT DiGraph G { a -> b -> c }", "ab bc"),
    ('digraph "my graph" { a->b; ; ; b->c }', "ab bc"),
    ("digraph -1.5 { a -> b }", "ab"),
    ("digraph { a:n -> b:port:sw -> c:_ }", "ab bc"),
    ("digraph { a -> {b c} }", "ab ac"),
    ("digraph { {a b} -> {c d} }", "ac ad bc bd"),
    ("digraph { subgraph x {a b} -> subgraph {c} -> d }", "ac bc cd"),
    ("digraph { {a -> b} -> c }", "ab ac bc"),
    ("digraph { {a {b {c}}} -> d }", "ad bd cd"),
    ("digraph { subgraph x {a}  subgraph x {b} -> c }", "ac bc"),
    ("digraph { a, b -> c, d [color=red]; }", "ac ad bc bd"),
    ("digraph { a -> b, c -> d }", "ab ac bd cd"),
    ("digraph { subgraph cluster_0 { label=x; a -> b; node [shape=box] } b -> c }", "ab bc"),
    ("digraph { a -> b [x=1] [y=2; z=3, w=4] b -> c [] }", "ab bc"),
    ("digraph { // a -> x\n /* b -> x \n */ a /* c */ -> /* -> */ b // end\n}", "ab"),
    ("# 1 first\ndigraph {\n# a -> x\n  # b -> x\na -> b\n}", "ab"),
    ('digraph { "a" -> b; a -> "c" }', "ab ac"),
    ("digraph { rankdir=LR; a -> b; bgcolor = white }", "ab"),
    ("digraph { node [shape=box]; edge [x=y]; graph [a=b]; a -> b }", "ab"),
    ("digraph { NODE [shape=box]; a -> b; Subgraph {b -> c} }", "ab bc"),
    ("digraph { a -> b a -> c\nb\nc d }", "ab ac"),
    ("digraph { a -> b a -> b a -> b }", "ab"),
    ("\ufeffdigraph { a -> b }", "ab"),
    ("\r\n\tdigraph\r\n{\r\na\r\n->\r\nb\r\n}\r\n\r\n", "ab"),
    ("digraph { a [label=<<b>x</b> <i>y</i>>] a -> b }", "ab"),
    ('digraph { a -> b [label="x" + "y" + "z"]; b -> c }', "ab bc"),
    ("digraph { a [label=\"one\\\ntwo\"] -> b }".replace("] ->", "]; a ->"), "ab"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), LANGUAGE)
@pytest.mark.parametrize("fast", [True, False])
def test_language(text: str, wanted: str, fast: bool) -> None:
    graph = parse_graph(Source("x.dot", text.encode()), fast=fast)
    found = {graph.names[tail] + graph.names[head] for tail, head in zip(graph.tails, graph.heads, strict=True)}
    assert found == set(wanted.split())


@needs_graphviz
@pytest.mark.parametrize(("text", "wanted"), [row for row in LANGUAGE if row[0][0] != "\ufeff" and "; ;" not in row[0]])
def test_graphviz_reads_the_language_alike(text: str, wanted: str) -> None:
    """`dot -Tplain` prints a line ``edge tail head ...`` for every edge."""
    ours = {tuple(pair) for pair in wanted.split()}
    assert _graphviz_edges(text) == ours


def _graphviz_edges(text: str) -> set[tuple[str, ...]]:
    assert GRAPHVIZ
    run = subprocess.run([GRAPHVIZ, "-Tplain"], input=text.encode(), capture_output=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return {tuple(line.split()[1:3]) for line in run.stdout.decode().splitlines() if line.startswith("edge ")}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a_1", "a_1"),
        ("-.5", "-.5"),
        ("12.", "12."),
        ("été", "été"),
        ("名前", "名前"),
        ('"a b"', "a b"),
        ('"node"', "node"),
        (r'"a\"b"', 'a"b'),
        (r'"a\nb"', r"a\nb"),
        (r'"a\\"', r"a\\"),
        ('"a\\\nb"', "ab"),
        ('"a\nb"', "a\nb"),
        ('""', ""),
        ('"a" + "b"', "ab"),
        ("<a<b>c>", "a<b>c"),
        ('"<b>"', "<b>"),
        ('"//"', "//"),
        ('"]}"', "]}"),
        ("nodes", "nodes"),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_names(written: str, name: str, fast: bool) -> None:
    for form in (f"digraph {{ {written} }}", f"digraph {{ {written} -> {written}2 }}", f"digraph {{{written};}}"):
        if form.endswith("2 }") and not written.endswith(("1", "s", "é", "前")):
            continue
        assert parse_graph(Source("x.dot", form.encode()), fast=fast).names[0] == name


def test_quoted_and_bare_ids_are_one_node() -> None:
    assert read('digraph { 1 -> "2"; "1" -> 2; }').dag.names == ("1", "2")


def test_jobs_are_numbered_by_first_mention() -> None:
    assert read("digraph { z -> y; x; {w -> z} }").dag.names == ("z", "y", "x", "w")


def test_defaults_hold_within_their_braces_and_for_later_nodes() -> None:
    text = """digraph {
        early; node [time_s=1] a;
        subgraph { node [time_s=2] b a }
        c; c [time_s=5]; d
        edge [size=7] a -> d; subgraph { edge [size=8] b -> d } c -> d
    }"""
    dag = read(text).dag
    assert dag.time_s is not None
    assert dag.data is not None
    assert dict(zip(dag.names[1:], dag.time_s[1:].tolist(), strict=True)) == {"a": 1, "b": 2, "c": 5, "d": 1}
    assert dag.data.size_bytes.tolist() == [7, 8, 7]


# Bad input


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("digraph {\n a -> b", 2, "ends within the { of line 1"),
        ("digraph {\n a -> ", 2, "ends"),
        ("digraph {\n a -> ;", 2, "not DOT here"),
        ("digraph {\n a -> }", 2, "not DOT here"),
        ('digraph {\n\n "a', 3, "quoted string"),
        ("digraph {\n\n /* a", 3, "comment"),
        ("digraph {\n a [label=<<b>]\n}", 2, "HTML string"),
        ("digraph {\n a [x=1\n}", 3, "not DOT here"),
        ("digraph {\n a [x]\n}", 2, "not DOT here"),
        ("digraph {\n a [=1]\n}", 2, "not DOT here"),
        ("digraph {\n a -- b\n}", 2, "written ->"),
        ("digraph {\n 12ab -> c\n}", 2, "12ab"),
        ("digraph {\n a-1\n}", 2, "-1"),
        ("digraph {\n 1.2.3\n}", 2, "1.2.3"),
        ("digraph {\n a.b -> c\n}", 2, ".b"),
        ("digraph {\n a -> node [x=y]\n}", 2, "node"),
        ("digraph {\n node\n}", 3, "}"),
        ("digraph {\n strict\n}", 2, "strict"),
        ("digraph {\n subgraph x;\n}", 2, ";"),
        ("digraph {\n a = \n}", 3, "}"),
        ("digraph {\n a -> b }\n}", 3, "after the graph"),
        ("digraph { a }\ndigraph { b }", 2, "second graph"),
        ("\n\ngraph { a -- b }", 3, "undirected"),
        ("strict\ngraph { a }", 2, "undirected"),
        ("digraph\n[", 2, "["),
        ("digraph {}", 1, "no node"),
        ("hello world", 1, "does not begin with digraph"),
        ("digraph {\n a\0 -> b }", 2, "NUL"),
        ("digraph {\n a -> b [size=1.5] }", 2, "whole number"),
        ("digraph {\n a -> b [\nsize=-1] }", 3, "negative"),
        ('digraph {\n a -> b [size="nan"] }', 2, "not a number"),
        ('digraph {\n a -> b [size="1e400"] }', 2, "2^62"),
        (f"digraph {{\n a -> b [size={'9' * 5000}] }}", 2, "not a number"),
        (f"digraph {{\n a -> b [size={MAX_BYTES}] }}", 2, "2^62"),
        ("digraph {\n a\n a [time_s=-1] }", 3, "negative"),
        ('digraph {\n a [time_s="1e400"] }', 2, "too large"),
        ("digraph {\n a [count=1.5] }", 2, "count"),
        ("digraph {\n a [temp_bytes=x] }", 2, "not a number"),
    ],
)  # fmt: skip
def test_malformed(text: str, line: int, part: str) -> None:
    error = fails(text)
    assert part in error.text
    assert error.line == line
    assert error.path == "x.dot"


def test_encodings() -> None:
    assert fails("digraph {\n é -> b }".encode("latin-1")).line == 2
    assert read("digraph { é -> b }".encode("utf-16")).dag.names == ("é", "b")


@pytest.mark.parametrize("text", ["digraph { a -> a }", "digraph { a -> b -> a }", "digraph { {a b} -> {b c} }"])
def test_cycles(text: str) -> None:
    with pytest.raises(CycleError) as caught:
        read(text)
    assert caught.value.line == 1


def test_the_line_of_a_cycle() -> None:
    with pytest.raises(CycleError) as caught:
        read("digraph {\n a -> b;\n b -> c;\n c -> b;\n}")
    assert caught.value.line in (3, 4)
    assert caught.value.path == "x.dot"


@pytest.mark.parametrize(
    "text",
    [
        "digraph {" + "{" * 100_000,
        "digraph {" + "{" * 100_000 + "}" * 100_000,
        "digraph { a [x=" + "<" * 100_000,
        "digraph { a " + "[" * 100_000,
        "digraph { a" + " -> a" * 100_000,
        "digraph {" + "{ a -> " * 50_000,
        "digraph { " + "a" * 10**7,
        "digraph { " + '"' + "\\" * 10**6,
        "digraph { a [" + "x=1," * 200_000,
        "digraph { a" + ":p" * 100_000,
        "digraph" * 100_000,
        "/*" * 100_000,
        "digraph { a = " + '"x" + ' * 100_000,
        "digraph { " + "subgraph x { node [size=1] " * 50_000,
        "\n" * 10**6,
        "digraph {" + "a -> b [label=<x>] " * 20_000,
    ],
    ids=lambda text: text[:20],
)
def test_extremes_end_quickly_in_an_error(text: str) -> None:
    with pytest.raises(EligoError):
        read(text)


def test_too_many_pairs_are_refused() -> None:
    many = " ".join(f"n{i}" for i in range(10**5))
    error = fails(f"digraph {{\n subgraph a {{ {many} }}\n subgraph a {{}} -> subgraph b {{ {many} }} }}")
    assert "20,000,000 pairs" in error.text
    assert error.line == 3


def test_nested_subgraphs_as_ends_cost_no_more_than_the_bound() -> None:
    fails("digraph { " + "{" * 20_000 + "x" + "".join(f"}} -> b{i}" for i in range(20_000)) + "}")
    fails("digraph { " + "{" * 20_000 + "} -> {}" * 20_000 + "}")


MUTANTS = [SNAKEMAKE, NEXTFLOW, 'digraph { graph [eligo=files]; a [outputs="0:x=1"]; b [inputs="0"]; a -> b }', *(
    path.read_text()[:3000] for path in sorted(DATA.glob("*-dot/*"))[::6]
)]  # fmt: skip


@given(st.sampled_from(MUTANTS), st.data())
@settings(max_examples=400, deadline=None)
def test_mutated_files_give_a_dag_or_an_error(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 20)))
        text = text[:begin] + data.draw(st.text('{}[]<>"\\/*;,=:+-#\n a1é\0', max_size=6)) + text[end:]
    _same_both_ways(text)


@given(st.text('ab1"\\{}[]<>=;,:+-/*#\n ', max_size=40))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_dag_or_an_error(text: str) -> None:
    _same_both_ways("digraph {" + text)
    _same_both_ways("digraph {" + text + "}")


@given(st.binary(max_size=60))
def test_any_bytes_give_a_dag_or_an_error(data: bytes) -> None:
    for content in (data, b"digraph {" + data + b"}"):
        with contextlib.suppress(EligoError):
            read(content)


def _same_both_ways(text: str) -> None:
    """Reading statement by statement and token by token must agree on everything, the error's place included."""
    outcomes = []
    for fast in (True, False):
        try:
            graph = parse_graph(Source("x.dot", text.encode()), fast=fast)
            outcomes.append((graph.names, graph.nodes, graph.tails, graph.heads, graph.weights, graph.attributes))
        except EligoError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
    with contextlib.suppress(EligoError):
        read(text)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("digraph {", True),
        ("strict digraph G\n{", True),
        ('// x\n\n  digraph "a b" {', True),
        ("graph{", True),
        ("Building DAG\ndigraph snakemake_dag {", True),
        ("JOB a a.sub\nPARENT a CHILD b", False),
        ("parent,child\na,b", False),
        ("a digraph {", False),
        ("digraph", False),
        ("the graph { of", False),
        ("digraph of jobs\nis { here", False),
    ],
)
def test_sniff(head: str, wanted: bool) -> None:
    assert dot.sniff(head) is wanted


@pytest.mark.parametrize("part", ["/**/ ", "/* x */\n", "// x\n", "/*", "\n", "digraph b\n", "digraph b /*\n"])
def test_sniffing_takes_linear_time(part: str) -> None:
    with no_hang():
        assert not dot.sniff("digraph a" + part * (65_000 // len(part)))
