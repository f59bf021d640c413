"""The formats with files under mutation: damaged in any way, a file gives a dag or an EligoError, nothing else."""

from __future__ import annotations

import copy
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError, ParseError
from eligo.formats import _cws as cws
from eligo.formats import _dax as dax
from eligo.formats import _pegasus as pegasus
from eligo.formats import _wfformat as wfformat
from eligo.formats._source import Source, load
from tests.corpus import DATA

OWN = Path(__file__).resolve().parents[1] / "data" / "files"
SEEDS = [
    (wfformat, OWN / "workflow-1.5.json"),
    (wfformat, OWN / "workflow-1.2.json"),
    (dax, OWN / "workflow.dax"),
    (pegasus, OWN / "workflow.yml"),
    (cws, OWN / "workflow.cws"),
    (wfformat, DATA / "wfformat/helloworld-chain-5-chameleon.json"),
    (wfformat, DATA / "wfformat/legacy/bacass-dirt02-001.v1.4.json"),
    (dax, DATA / "dax/Montage_50.xml"),
    (dax, DATA / "dax/Epigenomics_46.xml"),
    (pegasus, DATA / "pegasus-yaml/diamond.yml"),
    (cws, DATA / "cws-dag/Sipht_1000.dag"),
]
PRESENT = [(module, path) for module, path in SEEDS if path.is_file()]
IDS = [path.name for _, path in PRESENT]
MANY = int(os.environ.get("ELIGO_FUZZ", "1"))  # how many times the usual number of examples
QUICK = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}

JUNK = st.sampled_from(
    rb"""\ud800 null NaN -1 1e400 % <job\x20id='x'> <!DOCTYPE ]]> <![CDATA[ &amp; *a &a | TASK EDGE""".split()
    + [b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\n", b"\t", b"<<: ", b"9" * 5000]
    + [bytes([character]) for character in b"\"'<>&[]{},:-#"]
)


@st.composite
def damages(draw: st.DrawFn, data: bytes) -> bytes:
    """Cut, splice, flip, double and sprinkle."""
    for _ in range(draw(st.integers(1, 4))):
        if not data:
            break
        at, to = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        near = min(to, at + 200)
        kind = draw(st.sampled_from(["cut", "drop", "double", "move", "flip", "junk"]))
        if kind == "cut":
            data = data[:at]
        elif kind == "drop":
            data = data[:at] + data[near:]
        elif kind == "double":
            data = data[:near] + data[at:near] + data[near:]
        elif kind == "move":
            data = data[:at] + data[near:to] + data[at:near] + data[to:]
        elif kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << draw(st.integers(0, 7)))]) + data[at + 1 :]
        elif kind == "junk":
            data = data[:at] + draw(JUNK) + data[at:]
    return data


def survives(module: Any, data: bytes) -> None:
    """Whatever the bytes: a document, or an error that knows the file and, if about the content, the line."""
    source = Source("damaged", data)
    module.sniff(data[:65536].decode("utf-8-sig", "replace"))
    for rule in (None, "both"):
        error = refusal(module, source, rule)
        if error is not None:
            assert str(error).startswith("damaged:")
        if isinstance(error, ParseError):
            assert error.line is not None
            assert 1 <= error.line <= data.count(b"\n") + data.count(b"\r") + 1


def refusal(module: Any, source: Source, rule: Any) -> EligoError | None:
    try:
        module.parse(source, rule)
    except EligoError as error:
        return error
    return None


@pytest.mark.parametrize(("module", "path"), PRESENT, ids=IDS)
@given(draw=st.data())
@settings(max_examples=60 * MANY, **QUICK)
def test_damaged_bytes(module, path, draw):
    data = load(path).data
    if len(data) > 60_000:
        start = draw.draw(st.integers(0, len(data) - 20_000))
        data = data[:20_000] + data[start : start + 20_000]
    survives(module, draw.draw(damages(data)))


NUMBERS = [None, True, 0, -1, 1.5, 2**62, 1e308, 10**400]
TEXTS = ["", "x", "split_1", "1", "-5", "\ud800", "é", "input", "nan", "1e9"]
TREES = [[], [[]], [None], {}, {"a": 1}, ["work_2"], ["join_4", "join_4"], [{"id": "q"}], {"size": "x"}, {"name": "y"}]
VALUES = st.sampled_from([*NUMBERS, *TEXTS, *TREES])


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a tree."""
    found: list[tuple[Any, Any]] = []
    todo = [tree]
    while todo:
        node = todo.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            todo.append(node[key])
    return found


@cache
def tree_of(name: str) -> Any:
    text = (OWN / name).read_text()
    return yaml.safe_load(text) if name.endswith(".yml") else json.loads(text)


@pytest.mark.parametrize("name", ["workflow-1.5.json", "workflow-1.2.json", "workflow.yml"])
@given(draw=st.data())
@settings(max_examples=250 * MANY, **QUICK)
def test_wrong_types_everywhere(name, draw):
    is_yaml = name.endswith(".yml")
    tree = copy.deepcopy(tree_of(name))
    for _ in range(draw.draw(st.integers(1, 3))):
        holder, key = draw.draw(st.sampled_from(places(tree)))
        action = draw.draw(st.sampled_from(["replace", "replace", "replace", "delete", "copy"]))
        if action == "replace":
            holder[key] = copy.deepcopy(draw.draw(VALUES))
        elif action == "delete":
            del holder[key]
        else:
            other, theirs = draw.draw(st.sampled_from(places(tree)))
            holder[key] = copy.deepcopy(other[theirs])
        if not places(tree):
            break
    written = json.dumps(tree)  # JSON is YAML
    survives(pegasus if is_yaml else wfformat, written.encode())


WORDS = ["FILE", "TASK", "INPUTS", "OUTPUTS", "EDGE", "a", "b", "f", "1", "-1", "x\x00", "#", "é"]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=5), max_size=12))
@settings(max_examples=150 * MANY, **QUICK)
def test_words_in_any_order(lines):
    survives(cws, "\n".join(" ".join(words) for words in lines).encode())


ELEMENTS = """<adag>|</adag>|<job id='a'>|<job id='b' runtime='1'/>|</job>|<dax id='c'/>|<uses/>|<child ref='a'>
<child ref='b'>|</child>|<parent ref='a'/>|<parent ref='b'/>|<uses file='f' link='inout' size='3'/>|text
<uses name='f' link='input'>|</uses>|<metadata key='size'>|</metadata>|<profile namespace='pegasus' key='runtime'>
</profile>|<file name='f' size='2'>|</file>|7|-7|<!-- -->|<?x?>""".replace("\n", "|").split("|")


@given(st.lists(st.sampled_from(ELEMENTS), max_size=25))
@settings(max_examples=300 * MANY, **QUICK)
def test_elements_in_any_order(pieces):
    survives(dax, "".join(pieces).encode())
    survives(dax, ("<adag>" + "".join(pieces) + "</adag>").encode())


@pytest.mark.parametrize(("module", "path"), SEEDS[:5], ids=[path.name for _, path in SEEDS[:5]])
def test_the_seeds_themselves_are_one_and_the_same_workflow(module, path):
    dag = module.parse(load(path), None).dag
    assert dag.names == ("split_1", "work_2", "work_3", "join_4")
    assert (dag.m, dag.time_s.tolist()) == (4, [1.5, 2, 3, 0])
    assert sorted(dag.data.size_bytes.tolist()) == [0, 10, 20, 30, 100, 200, 5_100_000_000]
