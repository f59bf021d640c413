"""Every real file with files in it: the counts of STATS.tsv come out, and conversion loses nothing."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import jsonschema
import numpy as np
import pytest

from eligo.dag import OUTSIDE, UNKNOWN, Dag
from eligo.formats import _cws as cws
from eligo.formats import _dax as dax
from eligo.formats import _pegasus as pegasus
from eligo.formats import _source as storage
from eligo.formats import _wfformat as wfformat
from eligo.formats import find_format
from eligo.formats._base import Document, Notes
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared, statistics
from tests.formats.comparing import shape

MODULES = {"cws": cws, "dax": dax, "yaml": pegasus, "wfformat": wfformat}
ROWS = {
    file: (MODULES[row["format"].split("-")[0]], row)
    for file, row in statistics().items()
    if row["format"].split("-")[0] in MODULES and not file.endswith(".dot")
}

pytestmark = needs_shared


@dataclass(frozen=True)
class Case:
    """One file of the corpus, read once by each rule."""

    module: Any
    row: dict[str, str]
    source: Source
    documents: dict[str | None, Document] = field(default_factory=dict)

    def read(self, rule: str | None) -> Document:
        if rule not in self.documents:
            self.documents[rule] = self.module.parse(self.source, rule)
        return self.documents[rule]


@pytest.fixture(params=ROWS, scope="module")
def case(request):
    return Case(*ROWS[request.param], storage.load(DATA / request.param))


@pytest.fixture(scope="module")
def schema():
    tree = json.loads((DATA / "wfformat/schema/wfcommons-schema-1.5.json").read_text())
    return jsonschema.Draft7Validator(tree)


def remarks(row):
    """``a=3 b`` as {"a": 3, "b": 1}."""
    pairs = (remark.partition("=") for remark in row["remarks"].split())
    return {key: int(value) if value else 1 for key, _, value in pairs}


def pairs(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def test_there_are_enough():
    assert len(ROWS) >= 37


def test_the_content_tells_the_format(case):
    assert find_format(case.source) is case.module
    head = case.source.data[:65536].decode()
    assert [module for module in MODULES.values() if module.sniff(head)] == [case.module]


def test_the_counts_come_out(case):
    declared = case.read("declared").dag
    assert declared.m == int(case.row["declared_edges"])
    assert case.read("files").dag.m == int(case.row["file_implied_edges"])
    for column, value in shape(declared).items():
        assert value == int(case.row[column]), column


def test_the_default_takes_declared_edges_or_implied_ones(case):
    rule = "declared" if int(case.row["declared_edges"]) else "files"
    assert case.read(None).dag == case.read(rule).dag


def test_the_remarks_come_out(case):
    """Counted by file: with the edges that its files imply, every reader reads from every producer."""
    document = case.read("both")
    dag, data = document.dag, document.dag.data
    expected = remarks(case.row)
    made = data.producer != OUTSIDE
    producers = Counter(name for name, inside in zip(data.names, made, strict=True) if inside)
    readers: dict[str, set[int]] = {name: set() for name in data.names}
    for datum, name in enumerate(data.names):
        readers[name].update(data.readers_of(datum).tolist())
    found = {
        "output_unread": sum(not readers[name] for name in producers),
        "shared_output": sum(len(readers[name]) > 1 for name in producers),
        "multi_producer": sum(count > 1 for count in producers.values()),
        "zero_runtime": np.count_nonzero(dag.time_s == 0) if dag.time_s is not None else 0,
    }
    if "files" in expected:
        found["files"] = len(readers)
    if "nosize" in expected:  # the table does not count the one size that stands in metadata, of diamond.yml
        assert np.count_nonzero(data.size_bytes == UNKNOWN) >= expected["nosize"] - 1
    declared, implied = pairs(case.read("declared").dag), pairs(case.read("files").dag)
    found["edges_without_file"] = len(declared - implied)
    if "fileedges_notedge" not in expected:
        found["fileedge_not_declared"] = len(implied - declared)
    for key, value in found.items():
        assert value == expected.get(key, 0), key
    for key, phrase in {"size_conflict": "with several sizes", "negative_size": "of negative size"}.items():
        count = expected.get(key, 0)
        noted = [text for text in document.warnings if phrase in text]
        assert bool(noted) == bool(count)
        assert all(f" {count:,} file" in text for text in noted)


@pytest.mark.parametrize("writer", [wfformat, pegasus])
def test_conversion_loses_nothing(case, schema, writer):
    dag = case.read(None).dag
    lost = Notes()
    text = "".join(writer.generate(dag, lost))
    assert lost.texts() == ()
    again = writer.parse(Source("again", text.encode()), None)
    assert again.dag == dag  # data too are in the same order: both readers sort them
    assert again.warnings == ()
    if writer is wfformat:
        schema.validate(json.loads(text))


def test_the_old_nextflow_file_equals_the_new_one():
    """1.4 has no declared edge at all and files by path and name; 1.5 has everything by id."""
    old = wfformat.parse(storage.load(DATA / "wfformat/legacy/bacass-dirt02-001.v1.4.json"), None).dag
    new = wfformat.parse(storage.load(DATA / "wfformat/bacass-dirt02-001.json"), None).dag
    assert old.m == 14
    assert set(old.names) == set(new.names)
    named = [{(dag.names[u], dag.names[v]) for u, v in pairs(dag)} for dag in (old, new)]
    assert named[0] == named[1]
    assert sorted(old.data.names) == sorted(new.data.names)
    assert sorted(old.data.size_bytes.tolist()) == sorted(new.data.size_bytes.tolist())


def test_the_old_makeflow_file_equals_the_new_one():
    old = wfformat.parse(storage.load(DATA / "wfformat/legacy/blast-chameleon-small-001.v1.4.json"), None).dag
    new = wfformat.parse(storage.load(DATA / "wfformat/blast-chameleon-small-001.json"), None).dag
    assert (old.names, pairs(old)) == (new.names, pairs(new))
    assert old.data.names == new.data.names
    assert np.array_equal(old.time_s, new.time_s)
    assert old.memory_bytes is not None
    assert np.array_equal(old.memory_bytes, new.memory_bytes)
