from __future__ import annotations

import contextlib
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES, UNKNOWN, Dag
from eligo.errors import CycleError, EligoError, ParseError
from eligo.formats import dot
from eligo.formats.base import Document, Notes
from eligo.formats.dot.grammar import parse_graph
from eligo.formats.storage import Source
from tests.corpus import DATA
from tests.formats.random_dags import dags, edge_names

GRAPHVIZ = shutil.which("dot")
needs_graphviz = pytest.mark.skipif(GRAPHVIZ is None, reason="graphviz is not installed")


def read(text: str | bytes) -> Document:
    return dot.parse(Source("x.dot", text if isinstance(text, bytes) else text.encode()))


def written(dag: Dag) -> str:
    return "".join(dot.generate(dag, Notes()))


def edges(text: str) -> set[tuple[str, str]]:
    return edge_names(read(text).dag)


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
    [("a_1", "a_1"), ("-.5", "-.5"), ("12.", "12."), ("été", "été"), ("名前", "名前"), ('"a b"', "a b"),
     ('"node"', "node"),     (r'"a\"b"', 'a"b'), (r'"a\nb"', r"a\nb"), (r'"a\\"', r"a\\"), ('"a\\\nb"', "ab"), ('"a\nb"', "a\nb"), ('""', ""),
     ('"a" + "b"', "ab"), ("<a<b>c>", "a<b>c"), ('"<b>"', "<b>"), ('"//"', "//"), ('"]}"', "]}"), ("nodes", "nodes")],
)  # fmt: skip
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


# The dialects

SNAKEMAKE = """Building DAG of jobs...
digraph snakemake_dag {
    graph[bgcolor=white, margin=0];
    node[shape=box, style=rounded, fontname=sans,                 fontsize=10, penwidth=2];
    edge[penwidth=2, color=grey];
\t0[label = "all", color = "0.22 0.6 0.85", style="rounded"];
\t1[label = "call", color = "0.44 0.6 0.85", style="rounded,dashed"];
\t2[label = "map\\nsample: A", color = "0.00 0.6 0.85", style="rounded"];
\t3[label = "map\\nsample: B", color = "0.00 0.6 0.85", style="rounded"];
\t1 -> 0
\t2 -> 1
\t3 -> 1
}
"""


def test_snakemake_names_jobs_by_their_labels() -> None:
    document = read(SNAKEMAKE)
    assert document.dag.names == ("all", "call", "map sample: A", "map sample: B")
    assert edge_names(document.dag) == {("call", "all"), ("map sample: A", "call"), ("map sample: B", "call")}
    assert document.warnings == ("x.dot:1: what stands before the graph is not DOT and was skipped (lines: 1)",)
    assert document.details.dialect == "snakemake"


def test_snakemake_keeps_numbers_where_labels_repeat() -> None:
    document = read(SNAKEMAKE.replace("sample: B", "sample: A"))
    assert document.dag.names == ("0", "1", "2", "3")
    assert document.details.labels == ("all", "call", "map sample: A", "map sample: A")


NEXTFLOW = """digraph "pipeline" {
rankdir=TB;
v0 [shape=point,label="",fixedsize=true,width=0.1,xlabel="Channel.fromPath"];
v1 [label="MAIN:INDEX"];
v0 -> v1 [label="transcriptome"];

v1 [label="MAIN:INDEX"];
v2 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="map"];
v1 -> v2;

v2 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="map"];
v3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="mix"];
v2 -> v3;

v4 [label="MAIN:FASTQC"];
v3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="mix"];
v4 -> v3;

v3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="mix"];
v5 [label="MAIN:MULTIQC"];
v3 -> v5;
v3 -> v5;

v5 [label="MAIN:MULTIQC"];
v6 [shape=point];
v5 -> v6;

}
"""


def test_nextflow_operators_are_contracted() -> None:
    """INDEX -> map -> mix -> MULTIQC and FASTQC -> mix become INDEX -> MULTIQC <- FASTQC."""
    document = read(NEXTFLOW)
    assert document.dag.names == ("MAIN:INDEX", "MAIN:FASTQC", "MAIN:MULTIQC")
    assert edge_names(document.dag) == {("MAIN:INDEX", "MAIN:MULTIQC"), ("MAIN:FASTQC", "MAIN:MULTIQC")}
    assert "3 processes" in document.warnings[0]
    assert document.details.dialect == "nextflow"


def test_nextflow_without_processes_keeps_its_operators() -> None:
    document = read("digraph { p0 [shape=point] p1 [shape=circle] p0 -> p1 }")
    assert document.dag.n == 2
    assert "no process" in document.warnings[0]


def test_nextflow_is_known_by_its_operators_too() -> None:
    dag = read('digraph { ALIGN -> x [a=b] x [shape=circle, label="", fixedsize=true] x -> SORT }').dag
    assert edge_names(dag) == {("ALIGN", "SORT")}


def test_a_feedback_loop_of_nextflow_is_a_cycle() -> None:
    with pytest.raises(CycleError) as caught:
        read("digraph { v1 -> v2 -> v1; v2 [shape=circle] }")
    assert caught.value.path == "x.dot"


def test_html_labels_are_no_names() -> None:
    text = SNAKEMAKE.replace('"all"', "<<table><tr><td>all</td></tr></table>>")
    assert read(text).dag.names == ("0", "1", "2", "3")


def test_a_chain_of_operators_is_linear() -> None:
    chain = "".join(f"v{i} [shape=circle]; v{i} -> v{i + 1};" for i in range(1, 50_000))
    assert read(f"digraph {{ v0 -> v1; {chain} v50000 [label=end] }}").dag.m == 1


def test_many_processes_through_many_operators_are_refused() -> None:
    jobs = "".join(f"v{i} -> v100000;" for i in range(6000))
    chain = "".join(f"v{i} [shape=circle]; v{i} -> v{i + 1};" for i in range(100000, 104000))
    assert "operators" in fails(f"digraph {{ {jobs} {chain} v104000 [shape=point] }}").text


def test_repeated_edges_take_the_largest_size() -> None:
    document = read("digraph {\n a -> b [size=5];\n a -> b [size=9];\n a -> b;\n a -> c [size=none] }")
    assert document.dag.data is not None
    assert document.dag.data.size_bytes.tolist() == [9]
    assert document.warnings == ("x.dot:2: an edge is repeated with another size, the largest is taken: 1 times",)


def test_an_edge_without_size_among_others_is_unknown() -> None:
    data = read("digraph { a -> b [size=5]; b -> c }").dag.data
    assert data is not None
    assert data.size_bytes.tolist() == [5, UNKNOWN]


def test_size_of_nodes_alone_is_no_time() -> None:
    document = read('digraph { a [size="8,5"]; a -> b }')
    assert document.dag.time_s is None
    assert "size of nodes" in document.warnings[0]


def test_time_s_beats_flops() -> None:
    dag = read("digraph { a [flops=2000000000, time_s=7] b [flops=3e9, tmp_memory=5] }".replace("3e9", '"3e9"')).dag
    assert dag.time_s is not None
    assert dag.temp_bytes is not None
    assert dag.time_s.tolist() == [7, 3]
    assert dag.temp_bytes.tolist() == [UNKNOWN, 5]


def test_own_attributes_take_units() -> None:
    dag = read('digraph { a [time_s=1.5, temp_bytes="2GB", memory_bytes="1 MiB", count=3]; a -> b [size="5 kB"] }').dag
    assert dag.time_s is not None
    assert dag.temp_bytes is not None
    assert dag.memory_bytes is not None
    assert dag.count is not None
    assert dag.data is not None
    values = dag.time_s[0], dag.temp_bytes[0], dag.memory_bytes[0], dag.count[0], dag.data.size_bytes[0]
    assert values == (1.5, 2 * 10**9, 2**20, 3, 5000)


# Writing


@given(dags())
@settings(max_examples=300, deadline=None)
def test_round_trip(dag: Dag) -> None:
    assert read(written(dag)).dag == dag


@pytest.mark.parametrize(
    "name", ["\udcff", "\ud800x", "a\\", '\\"', "\0", "\r", "%41", "a%", "\x85", "\u2028", "\ufeff"]
)
def test_round_trip_of_hard_names(name: str) -> None:
    dag = Dag.from_names([(name, "A"), ("A", name + name)])
    text = written(dag)
    text.encode()
    assert read(text).dag == dag


@needs_graphviz
@given(dags())
@settings(max_examples=15, deadline=None)
def test_graphviz_accepts_what_we_write(dag: Dag) -> None:
    assert GRAPHVIZ
    run = subprocess.run(
        [GRAPHVIZ, "-Tcanon"], input=written(dag).encode(), capture_output=True, timeout=60, check=False
    )
    assert run.returncode == 0
    assert not run.stderr
    again = read(run.stdout).dag
    assert set(again.names) == set(dag.names)
    assert edge_names(again) == edge_names(dag)


def test_empty_dags_come_back() -> None:
    assert read(written(Dag.from_edges(0))).dag.n == 0


def test_shared_data_are_listed_where_made() -> None:
    text = """digraph { graph [eligo=files, inputs="1:in=5"]; a [inputs="1", outputs="0:my%20file=100"];
        b [inputs="0 1"];        c [inputs="0"]; a -> b; a -> c }"""
    data = read(text).dag.data
    assert data is not None
    assert data.names == ("my file", "in")
    assert data.producer.tolist() == [0, -1]
    assert data.readers_of(0).tolist() == [1, 2]


@pytest.mark.parametrize(
    "entries",
    ['outputs="x"', 'outputs="0:a=-1"', 'outputs="0:a=1 0:b=1"', 'outputs="1:a=1"', 'inputs="0"', 'inputs="x"',
     'outputs="0:a=9999999999999999999"', 'outputs="999999999:a=1"', 'outputs="0:%FF=1"', 'inputs="²"'],
)  # fmt: skip
def test_bad_lists_of_data(entries: str) -> None:
    fails(f"digraph {{ graph [eligo=files];\n a [{entries}]; a -> b }}")


def test_reading_what_one_does_not_depend_on_is_refused() -> None:
    assert "depend" in fails('digraph { graph [eligo=data]; a [outputs="0:=1"]; b [inputs="0"] }').text


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
    [("digraph {", True), ("strict digraph G\n{", True), ("// x\n\n  digraph \"a b\" {", True), ("graph{", True),
     ("Building DAG\ndigraph snakemake_dag {", True), ("JOB a a.sub\nPARENT a CHILD b", False),
     ("parent,child\na,b", False),     ("a digraph {", False), ("digraph", False), ("the graph { of", False), ("digraph of jobs\nis { here", False)],
)  # fmt: skip
def test_sniff(head: str, wanted: bool) -> None:
    assert dot.sniff(head) is wanted
