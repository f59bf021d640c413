"""Orders and decompositions as DOT: whatever jobs are called, graphviz draws them and our reader takes them back."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import graph
from eligo.dag import Dag
from eligo.formats import _dot as dot
from eligo.formats._source import Source
from eligo.priority._decompose import decompose
from eligo.report._dot_text import blocks_as_dot, order_as_dot, superdag_as_dot
from eligo.report._style import plain
from eligo.schedule import Schedule
from tests.strategies import dags

NASTY = [
    "a",
    "node",
    'q"uote',
    "back\\slash",
    "\\N",
    "\\",
    "new\nline",
    "&lt;b&gt;",
    "<b>",
    "a b",
    "é",
    "%5C",
    "_%41",
    "-",
]


ORDERED = dags(12, st.sampled_from(NASTY) | st.text(max_size=8), known=False).map(
    lambda dag: Schedule.of(dag, dag.order)
)


def read_back(lines) -> Dag:
    return dot.parse(Source("x.dot", "".join(lines).encode("utf-8", "surrogatepass"))).dag


@given(ORDERED)
def test_our_reader_takes_the_dag_and_the_superdag_back(schedule):
    dag = schedule.dag
    back = read_back(order_as_dot(schedule))
    assert back.names == dag.names
    assert np.array_equal(back.succ_ptr, dag.succ_ptr)
    assert np.array_equal(back.succ, dag.succ)
    blocks = decompose(graph.remove_shortcuts(dag))
    expected = blocks.superdag()
    back = read_back(superdag_as_dot(blocks, schedule))
    assert back.names == tuple(f"block {i + 1}" for i in range(blocks.count))
    assert np.array_equal(back.succ, expected.succ)


@given(ORDERED)
def test_every_edge_is_in_one_block(schedule):
    reduced = graph.remove_shortcuts(schedule.dag)
    blocks = decompose(reduced)
    drawn = [line.split("->") for line in blocks_as_dot(blocks, schedule) if "->" in line and "[" not in line]
    jobs = [tuple(int(end.strip(" ;\n").split("_")[1]) for end in edge) for edge in drawn]
    assert Counter(jobs) == Counter(zip(reduced.tails.tolist(), reduced.heads.tolist(), strict=True))


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_graphviz_shows_every_name_as_it_is():
    names = [name for name in NASTY if "\n" not in name]
    dag = Dag.from_edges([*names, "new\nline"], range(len(names)), range(1, len(names) + 1))
    schedule = Schedule.of(dag, dag.order)
    blocks = decompose(dag)
    for lines, wanted in (
        (order_as_dot(schedule), Counter(map(plain, dag.names))),
        (superdag_as_dot(blocks, schedule), Counter(f"block {i + 1}" for i in range(blocks.count))),
        (blocks_as_dot(blocks, schedule), Counter([*map(plain, dag.names), *map(plain, names[1:])])),
    ):
        drawn = subprocess.run(
            ["dot", "-Tsvg"], input="".join(lines).encode(), capture_output=True, timeout=60, check=True
        )
        assert drawn.stderr == b""
        texts = Counter(
            "".join(node.itertext()).replace("\xa0", " ")
            for node in ElementTree.fromstring(drawn.stdout).iter("{http://www.w3.org/2000/svg}text")
        )
        assert wanted <= texts


def test_the_first_is_the_darkest():
    dag = Dag.from_edges(3, [0, 1], [1, 2])
    text = "".join(order_as_dot(Schedule.of(dag, [0, 1, 2])))
    fills = [int(part[:6], 16) for part in text.split('fillcolor="#')[2:]]
    assert fills == sorted(fills)
    assert len(set(fills)) == 3
