"""Every DOT file of the shared corpus gives the counts of STATS.tsv, and survives being written and read again."""

from __future__ import annotations

import pytest

from eligo.formats import _dot as dot
from eligo.formats._base import Notes
from eligo.formats._dot.grammar import parse_graph
from eligo.formats._source import Source, load
from tests.corpus import DATA, needs_shared, statistics
from tests.formats.random_dags import shape

ROWS = {file: row for file, row in statistics().items() if row["format"] == "dot"}
DIALECTS = {"daggen-dot": "daggen", "sdfm-dot": "dataflow", "trees-dot": "tree"}


@needs_shared
@pytest.mark.parametrize("file", sorted(ROWS))
def test_counts(file: str) -> None:
    document, row = dot.parse(load(DATA / file)), ROWS[file]
    counts = shape(document.dag)
    assert counts == {key: int(row[key]) for key in counts}
    assert document.format == "dot"
    assert document.details.dialect == DIALECTS[file.split("/", maxsplit=1)[0]]
    assert document.warnings == ()


@needs_shared
@pytest.mark.parametrize("file", sorted(ROWS))
def test_duplicate_edges_are_one_datum(file: str) -> None:
    document = dot.parse(load(DATA / file))
    graph = parse_graph(load(DATA / file))
    repeated = len(graph.tails) - document.dag.m
    remark = ROWS[file]["remarks"]
    assert (repeated > 0) == remark.startswith("dup_edges")
    if "=" in remark:
        assert repeated == int(remark.split("=")[1])
    assert document.dag.data is not None
    assert document.dag.data.k == document.dag.m


@needs_shared
@pytest.mark.parametrize("file", sorted(ROWS))
def test_round_trip(file: str) -> None:
    dag = dot.parse(load(DATA / file)).dag
    text = "".join(dot.generate(dag, Notes()))
    assert dot.parse(Source("x.dot", text.encode())).dag == dag


@needs_shared
@pytest.mark.parametrize("file", sorted(ROWS))
def test_token_by_token_gives_the_same(file: str) -> None:
    fast, slow = (parse_graph(load(DATA / file), fast=fast) for fast in (True, False))
    for part in ("names", "nodes", "tails", "heads", "weights", "attributes", "weight_keys"):
        assert getattr(fast, part) == getattr(slow, part)


@needs_shared
def test_numbers_of_each_dialect() -> None:
    genome = dot.parse(load(DATA / "sdfm-dot/GENOME.n.100.0.dot")).dag
    assert genome.time_s is not None
    assert genome.data is not None
    assert genome.time_s[genome.index("1")] == 58.96
    assert genome.data.size_bytes[0] == 706096100
    daggen = dot.parse(load(DATA / "daggen-dot/dag-10-0.2-0.2-0.2-1.dot")).dag
    assert daggen.time_s is not None
    assert daggen.data is not None
    assert daggen.time_s[0] == 7.705971438
    assert daggen.data.size_bytes[0] == 536870912
    tree = dot.parse(load(DATA / "trees-dot/tree-n4c6-b6-scotch.dot.parsed")).dag
    assert tree.time_s is not None
    assert tree.temp_bytes is not None
    assert tree.data is not None
    assert tree.names[0] == "00412"
    assert (tree.time_s[0], tree.temp_bytes[0], tree.data.size_bytes[0]) == (55800e-9, 43368, 1104)
