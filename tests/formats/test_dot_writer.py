"""What we write, graphviz accepts and our reader takes back unchanged."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings

from eligo.dag import OUTSIDE, Dag, Data
from eligo.errors import ParseError
from eligo.formats import _dot as dot
from eligo.formats._base import Document, Notes
from eligo.formats._source import Source
from tests.formats.random_dags import dags, edge_names
from tests.guards import no_hang

GRAPHVIZ = shutil.which("dot")
needs_graphviz = pytest.mark.skipif(GRAPHVIZ is None, reason="graphviz is not installed")


def read(text: str | bytes) -> Document:
    return dot.parse(Source("x.dot", text if isinstance(text, bytes) else text.encode()))


def written(dag: Dag) -> str:
    return "".join(dot.generate(dag, Notes()))


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


def long_lists() -> Dag:
    """One job that reads and writes so many files that their list passes graphviz's 16 KB for a string."""
    names = [f'file "{i}" é' for i in range(2000)]
    data = Data.build(range(2000), [OUTSIDE] * 1000 + [0] * 1000, [[0, 1]] * 1000 + [[1]] * 1000, names)
    return Dag.from_edges(["a" * 20_000, "b"], [0], [1], data=data)


def test_long_lists_come_back() -> None:
    assert read(written(long_lists())).dag == long_lists()


@needs_graphviz
def test_graphviz_accepts_long_lists() -> None:
    assert GRAPHVIZ
    text = written(long_lists()).encode()
    run = subprocess.run([GRAPHVIZ, "-Tcanon"], input=text, capture_output=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


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
    with pytest.raises(ParseError):
        read(f"digraph {{ graph [eligo=files];\n a [{entries}]; a -> b }}")


def test_reading_what_one_does_not_depend_on_is_refused() -> None:
    with pytest.raises(ParseError, match="depend"):
        read('digraph { graph [eligo=data]; a [outputs="0:=1"]; b [inputs="0"] }')


def test_many_data_are_read_in_linear_time() -> None:
    n = 60_000
    jobs = "".join(f'j{i} [outputs="{i}:=1"];\n' for i in range(n))
    with no_hang():
        assert read(f"digraph {{ graph [eligo=data];\n{jobs} }}").dag.n == n
