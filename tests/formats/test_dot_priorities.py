"""Priorities in DOT: a block that goes as it came, on the nodes that stand for the jobs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.formats import _dot as dot
from eligo.formats import _source as storage
from eligo.formats._base import Document, Notes
from eligo.formats._dot.grammar import parse_graph
from eligo.formats._editing import KEPT, Instrumented, Wish, instrument, uninstrument, without_priorities
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared
from tests.formats.dot_examples import NEXTFLOW, SNAKEMAKE

GVPR, GRAPHVIZ = shutil.which("gvpr"), shutil.which("dot")
PROGRAM = r'N{print($.name, "\x01", hasAttr($, "priority") ? aget($, "priority") : "")}'
BEGIN = "/* priorities by eligo; eligo prioritize --remove takes them out */"
END = "/* end of priorities by eligo */"
CORPUS = sorted(path for kind in ("daggen-dot", "sdfm-dot", "trees-dot") for path in (DATA / kind).glob("*"))


def read(data: bytes | str) -> Document:
    return dot.parse(Source("x.dot", data.encode() if isinstance(data, str) else data))


def descending(document: Document) -> np.ndarray:
    """A priority for each job, different from its index."""
    return np.arange(document.dag.n, 0, -1, dtype=np.int32)


def stated(data: bytes) -> dict[str, str]:
    """The priority of each node that has one, token by token, without the shortcut for simple statements."""
    graph = parse_graph(Source("x.dot", data), fast=False)
    return {name: node["priority"] for name, node in zip(graph.names, graph.nodes, strict=True) if "priority" in node}


def check(data: bytes, wish: Wish = Wish(), nodes: list[str] | None = None) -> Instrumented:  # noqa: B008
    """Instrument a file and hold everything against what must be true of any result; `nodes` are those of the jobs."""
    document = read(data)
    nodes = list(document.dag.names) if nodes is None else nodes
    priorities = descending(document)
    result = instrument(document, priorities, wish)
    again = read(result.data)
    assert again.dag == document.dag
    assert again.details == document.details
    assert again.warnings == document.warnings
    assert instrument(again, priorities, wish) == result
    assert uninstrument(again).data == data
    given = stated(data)
    ours = {node: str(priority) for node, priority in zip(nodes, priorities.tolist(), strict=True)}
    assert stated(result.data) == ({**given, **ours} if wish.replace else {**ours, **given})
    kept = 0 if wish.replace else len(given.keys() & ours.keys())
    assert (result.written, result.kept) == (len(nodes) - kept, kept)
    assert bool(result.warnings) == bool(kept)
    other = instrument(again, priorities[::-1].copy(), Wish(replace=True))
    assert other == instrument(document, priorities[::-1].copy(), Wish(replace=True))
    assert uninstrument(read(other.data)).data == data
    return result


def graphviz_sees(data: bytes) -> dict[str, str]:
    assert GVPR
    run = subprocess.run([GVPR, PROGRAM], input=data, capture_output=True, timeout=60, check=False)
    assert run.returncode == 0
    assert not run.stderr
    pairs = (line.split("\x01") for line in run.stdout.decode().split("\n") if line)
    return {name: priority for name, priority in pairs if priority}


# Any graph --------------------------------------------------------------------------------------------------------

# Of each node some of the ways to write its ID.
IDS = [
    ["a", '"a"', '"a":n', "a:port:sw"],
    ['"b c"', '"b" + " c"'],
    ["1", '"1"'],
    ["-.5"],
    ["é", '"é"'],
    ['"node"'],
    [r'"x\"y"'],
    [r'"k\\"', '"k\\\\":p'],
    ['"l\\\nm"', "lm"],
    ["<h<i>>", "<h<i>>:e"],
    [f'"{BEGIN}"'],
    ["名"],
]
VALUES = [
    "label=x",
    'label="} digraph {"',
    "label=<<b>}</b>>",
    f'label="{BEGIN} a [priority=9]; {END}"',
    "time_s=1.5",
    "shape=box",
]
GAPS = [" ", "\n", " /* } */ ", " // }\n", "\n# }\n", f" // {BEGIN}\n", f" /*{BEGIN} ", "\t", ' // "\n', " // <\n"]


@st.composite
def graphs(draw: st.DrawFn) -> bytes:
    """A graph of any form whose edges lead from earlier nodes to later ones, with priorities of its user."""
    n = draw(st.integers(1, len(IDS)))
    head = draw(
        st.sampled_from(["digraph", "strict digraph G", 'Building DAG\nIt\'s "here\ndigraph "x y"', "DiGraph <g>"])
    )
    pieces = [head, " {" if "Building" in head else draw(st.sampled_from([" {", "\n{", "{\n"]))]

    def node(number: int) -> str:
        return draw(st.sampled_from(IDS[number]))

    def attributes() -> str:
        some = draw(st.lists(st.sampled_from([*VALUES, "priority=7", 'priority="high"']), max_size=2))
        return f" [{draw(st.sampled_from([', ', ' ', ';']))[:1].join(some)}]" if some else ""

    for _ in range(draw(st.integers(1, 8))):
        first = draw(st.integers(0, n - 1))
        later = range(first + 1, n)
        kind = draw(st.sampled_from(["node", "edge", "group", "default", "cluster"]))
        if kind == "node" or not later:
            statement = node(first) + attributes()
        elif kind == "edge":
            chain = sorted({first, *draw(st.lists(st.sampled_from(later), max_size=2))})
            statement = " -> ".join(map(node, chain)) + draw(st.sampled_from(["", " [size=3]", " [priority=8]"]))
        elif kind == "group":
            group = " ".join(map(node, draw(st.lists(st.sampled_from(later), min_size=1, max_size=3))))
            statement = f"{node(first)} -> {{{group}}}"
        elif kind == "cluster":
            statement = f"subgraph cluster_1 {{ node [shape=circle, priority=6]; {node(first)}{attributes()} }}"
        else:
            statement = draw(
                st.sampled_from(["node [shape=box]", "node [priority=5]", "edge [priority=4]", "priority=3"])
            )
        pieces += [statement, draw(st.sampled_from([";", " ;", "\n", " "]))]
        if draw(st.integers(0, 3)) == 0:
            gap = draw(st.sampled_from(GAPS))
            pieces.append(gap if "/*" not in gap or "*/" in gap else gap + "*/ ")
    pieces.append(node(draw(st.integers(0, n - 1))) if draw(st.booleans()) else f"{node(0)};")
    pieces += [
        draw(st.sampled_from(["}", "\n}", "\n  }", "\n\t} ", " }"])),
        draw(st.sampled_from(["", "\n", "// } end", "\n\n"])),
    ]
    text = "".join(pieces)
    return draw(st.sampled_from([text, text.replace("\n", "\r\n")])).encode(
        draw(st.sampled_from(["utf-8", "utf-8-sig"]))
    )


@given(graphs(), st.booleans())
@settings(max_examples=200)
def test_any_graph(data: bytes, replace: bool) -> None:
    check(data, Wish(replace=replace))


@pytest.mark.skipif(GVPR is None, reason="graphviz is not installed")
@given(graphs(), st.booleans())
@settings(max_examples=40)
def test_graphviz_sees_our_priorities(data: bytes, replace: bool) -> None:
    """It reads neither a byte order mark nor lines before the graph, and ends lines of a string at a bare newline."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    data = data[data.index(b"digraph") if b"Building" in data else 0 :]
    document = read(data)
    result = instrument(document, descending(document), Wish(replace=replace))
    before, after = graphviz_sees(data), graphviz_sees(result.data)
    assert set(after) == {*document.dag.names}
    for name, ours in zip(document.dag.names, descending(document).tolist(), strict=True):
        assert after[name] == (before[name] if name in before and not replace else str(ours))


@pytest.mark.skipif(GRAPHVIZ is None, reason="graphviz is not installed")
def test_graphviz_draws_it() -> None:
    assert GRAPHVIZ
    data = check(b"strict digraph { subgraph cluster_x { a:s -> b [label=<<i>l</i>>] } b -> c }").data
    run = subprocess.run([GRAPHVIZ, "-Tjson"], input=data, capture_output=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    nodes = [node for node in json.loads(run.stdout)["objects"] if "priority" in node]
    assert {node["name"]: node["priority"] for node in nodes} == {"a": "3", "b": "2", "c": "1"}


# Real files and dialects ------------------------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    check(storage.load(path).data)


def test_jobs_of_snakemake_are_known_by_their_labels() -> None:
    assert check(SNAKEMAKE.encode(), nodes=["0", "1", "2", "3"]).data.decode() == SNAKEMAKE.removesuffix("}\n") + (
        f'  {BEGIN}\n  "0" [priority=4];\n  "1" [priority=3];\n  "2" [priority=2];\n  "3" [priority=1];\n  {END}\n}}\n'
    )


def test_only_processes_of_nextflow_are_jobs() -> None:
    check(NEXTFLOW.encode(), nodes=["v1", "v4", "v5"])
    check(b'digraph { p0 [shape=point] p1 [shape=circle, label=""] p0 -> p1 }', nodes=["p0", "p1"])


def test_names_that_our_writer_encodes() -> None:
    dag = Dag.from_names([("a\\", 'say "no"'), ('say "no"', "50%"), ("50%", "\n")])
    nodes = ["_a%5C", 'say "no"', "_50%25", "_%0A"]
    check("".join(dot.generate(dag, Notes())).encode(), nodes=nodes)


# What it looks like -----------------------------------------------------------------------------------------------


def test_a_graph_on_one_line_stays_on_one_line() -> None:
    assert check(b"digraph { a -> b }").data.decode() == (
        f'digraph {{ a -> b {BEGIN} "a" [priority=2]; "b" [priority=1]; {END} }}'
    )


def test_what_is_kept_is_said_once() -> None:
    result = check(b"digraph {\n a\n b [x=y,\n priority=5]\n c [priority=6]\n}\n")
    assert result.warnings == (f"x.dot:4: {KEPT} (and 1 more)",)
    assert check(b"digraph { node [priority=2]; a }").kept == 1


def test_the_block_may_be_moved_and_followed() -> None:
    """Whoever adds a statement behind our block does not get a second block."""
    done = check(b"digraph {\n a -> b\n}\n").data
    data = done.replace(b"\n}", b"\n b -> c\n}")
    result = instrument(read(data), np.array([3, 2, 1], np.int32))
    assert result.data.count(BEGIN.encode()) == 1
    assert uninstrument(read(data)).data == b"digraph {\n a -> b\n b -> c\n}\n"


def test_our_block_does_not_bring_back_what_the_user_took_out() -> None:
    done = check(b"digraph {\n a -> b\n a -> c\n}\n").data.replace(b" a -> b\n", b"")
    assert read(done).dag.n == 3
    source = without_priorities(Source("x.dot", done), "dot")
    assert source.data == b"digraph {\n a -> c\n}\n"
    assert uninstrument(read(done)).data == source.data
    bad = done.replace(b"}", b"")
    assert without_priorities(Source("x.dot", bad), "dot").data == bad


def test_half_a_block_is_the_users() -> None:
    for text in (f"digraph {{ a {BEGIN} }}", f"digraph {{ a {END} }}"):
        assert uninstrument(read(text)).data == text.encode()


def test_long_names_are_cut_for_graphviz() -> None:
    name = "\\\\" * 3000 + '"' * 3000
    text = 'digraph { "' + name.replace('"', '\\"') + '" }'
    assert check(text.encode(), nodes=[name]).data.count(b" + ") == 2
    if GVPR:
        document = read(text)
        assert list(graphviz_sees(instrument(document, descending(document)).data).values()) == ["1"]


def test_an_empty_graph_of_ours() -> None:
    assert check(b"digraph { graph [eligo=jobs] }").written == 0
