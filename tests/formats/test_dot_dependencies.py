"""Added dependencies in DOT: edges of ours come and go, and carry no datum in any dialect."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.formats import _source as source
from eligo.formats._dot.grammar import parse_graph
from eligo.formats._editing import add_dependencies, dependencies_of_ours, remove_dependencies
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared
from tests.formats.adding_dependencies import added_to, check, pairs_of, parse
from tests.formats.dot_examples import NEXTFLOW, SNAKEMAKE
from tests.formats.test_dot_priorities import graphs

DOT = shutil.which("dot")


@settings(deadline=None, max_examples=80)
@given(graphs(), st.data())
def test_any_graph(data: bytes, draw: st.DataObject) -> None:
    document = parse(data, "dot")
    done = check(data, "dot", draw.draw(added_to(document.dag)))
    again = parse(done.data, "dot")
    assert (again.details, again.warnings) == (document.details, document.warnings)
    slow = parse_graph(Source("w", done.data), fast=False)
    assert (slow.weights, slow.weight_keys) == (parse_graph(Source("w", done.data)).weights, slow.weight_keys)


DIALECTS = {
    "dataflow": 'digraph { a [size="3"]; b [size=4]; c [size=1]; a -> b [size=7] }',
    "daggen": 'digraph {\n a [size="3", alpha="0.1"]\n b [size=4, alpha=1]\n c [size=1]\n a -> b [size=7]\n}',
    "tree": "digraph { a [tmp_memory=3]; c; a -> b [edge_memory=7] }",
    "eligo": "digraph eligo {\n  graph [eligo=edges];\n  a; b; c;\n  a -> b [size=7];\n}\n",
    "graphviz": "digraph { edge [size=5, style=invis]; c; a -> b }",
    "snakemake": SNAKEMAKE,
    "nextflow": NEXTFLOW,
}


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_dialects(dialect: str) -> None:
    """The pair is one that is no edge yet; neither sizes nor times nor the dialect change with it."""
    data = DIALECTS[dialect].encode()
    document = parse(data, "dot")
    assert document.details.dialect == dialect
    there = set(zip(document.dag.tails.tolist(), document.dag.heads.tolist(), strict=True))
    order = document.dag.order.tolist()
    pair = next((t, h) for i, t in enumerate(order) for h in order[i + 1 :] if (t, h) not in there)
    done = check(data, "dot", pairs_of(pair))
    assert done.written == 1
    again = parse(done.data, "dot")
    assert (again.details, again.warnings) == (document.details, document.warnings)


def test_our_own_files_with_shared_data() -> None:
    text = 'digraph eligo {\n graph [eligo=files];\n a [outputs="0:f=5"];\n b [inputs="0"];\n c;\n a -> b;\n}'
    check(text.encode(), "dot", pairs_of((1, 2)))


@needs_shared
@pytest.mark.parametrize("folder", ["daggen-dot", "sdfm-dot", "trees-dot"])
def test_real_files(folder: str) -> None:
    files = sorted(path for path in (DATA / folder).rglob("*.dot*") if path.stat().st_size < 300_000)[:5]
    assert files
    for path in files:
        data = source.load(path).data
        dag = parse(data, "dot").dag
        order = dag.order
        check(data, "dot", (order[: dag.n // 2].copy(), order[dag.n - dag.n // 2 :].copy()), priorities=False)


def test_what_it_looks_like() -> None:
    document = parse(b"digraph { a b; c }", "dot")
    done = add_dependencies(document, *pairs_of((1, 2), (0, 2)))
    assert done.data.decode() == (
        "digraph { a b; c /* dependencies by eligo; eligo limit --remove takes them out */ "
        '"a" -> "c" [eligo=limit, style=dashed]; "b" -> "c" [eligo=limit, style=dashed]; '
        "/* end of dependencies by eligo */ }"
    )


def test_a_block_that_was_moved_and_edges_that_were_copied_out() -> None:
    document = parse(b"digraph {\n  a\n  b\n  c\n}\n", "dot")
    done = add_dependencies(document, *pairs_of((0, 1))).data.decode()
    first, last = re.search(r"  /\* dep.*\n", done), re.search(r"  /\* end.*\n", done)
    assert first
    assert last
    ours = done[first.start() : last.end()]
    moved = done.replace(ours, "").replace("  c\n", f"{ours}  c\n")
    assert remove_dependencies(parse(moved.encode(), "dot")).data == document.source.data
    copied = done.replace("}\n", '  "b" -> "c" [eligo=limit];\n}\n')  # the user's own by now
    again = parse(copied.encode(), "dot")
    assert [ends.tolist() for ends in dependencies_of_ours(again)] == [[0], [1]]
    assert b'"b" -> "c"' in remove_dependencies(again).data


@pytest.mark.skipif(DOT is None, reason="graphviz is not installed")
def test_graphviz_draws_it(tmp_path: Path) -> None:
    document = parse(b'digraph {\n  a; <b<i>>; "c\\"d"\n}\n', "dot")
    done = add_dependencies(document, *pairs_of((0, 1), (1, 2))).data
    assert DOT
    run = subprocess.run([DOT, "-Tplain"], input=done, capture_output=True, timeout=60, check=False)
    assert run.returncode == 0
    assert not run.stderr
    assert run.stdout.count(b"\nedge ") == 2
    assert run.stdout.count(b"\nnode ") == 3
    assert parse(done, "dot").dag == Dag.from_edges(["a", "b<i>", 'c"d'], [0, 1], [1, 2])
