"""Two ways to the same dag: the compiled scanner, and its plain-Python twin, which takes no line itself."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import _core
from eligo.dag import Dag
from eligo.errors import CycleError, EligoError
from eligo.formats._base import Document, Notes
from eligo.formats._dagman import Details, logical_lines, parse
from eligo.formats._dagman.build_dag import assemble
from eligo.formats._dagman.lines import read_lines
from eligo.formats._dagman.reader import read_unit
from eligo.formats._dagman.tokens import Keyword, keyword_of
from eligo.formats._source import Source, load
from tests.reference import dagman_scan
from tests.reference.dagman_random import Files, random_case


def read(source: Source, scan) -> tuple[Dag, Details, tuple[str, ...]] | str:
    notes = Notes()
    try:
        unit = read_unit(source, notes, scan)
        return assemble(unit, notes), Details(unit), notes.texts()
    except CycleError:
        return "cycle"  # which of its edges is shown may differ
    except EligoError as error:
        return str(error)


def assert_lanes_agree(source: Source) -> None:
    fast, plain = read(source, _core.DagmanScan), read(source, dagman_scan.PlainScan)
    if isinstance(fast, str) or isinstance(plain, str):
        # the lanes meet the lines in another order, so of several errors they may report different ones
        assert isinstance(fast, str)
        assert isinstance(plain, str)
        return
    assert fast[0] == plain[0]
    assert fast[2] == plain[2]
    for index in range(fast[0].n):
        assert fast[1].job(index) == plain[1].job(index)
    assert list(fast[1].others()) == list(plain[1].others())
    assert fast[1].maxjobs == plain[1].maxjobs


def in_folder(files: Files, check) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_bytes(data)
        check(load(Path(folder, "x.dag")))


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32), st.booleans())
def test_random_dags(seed: int, newer: bool) -> None:
    in_folder(random_case(random.Random(seed), newer), assert_lanes_agree)


def test_directories_are_taken_and_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain JOB lines with DIR stay in the fast lane, and a directory is looked for once, however many jobs name it."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "j.sub").write_text("request_memory = 2\n")
    (tmp_path / "j.sub").write_text("request_memory = 1\n")
    options = ["", " DIR d", " NOOP DIR d DONE", " DIR nope", " dir nope DONE"]
    text = "".join(f"JOB j{i} j.sub{options[i % 5]}\n" for i in range(100))
    source = Source(str(tmp_path / "x.dag"), text.encode())
    asked = []
    is_directory = os.path.isdir
    monkeypatch.setattr(os.path, "isdir", lambda path: (asked.append(str(path)), is_directory(path))[1])
    document = parse(source)
    assert len(_core.DagmanScan(source.data).odd_kind) == 0
    assert sorted(asked) == sorted([str(tmp_path / "d"), str(tmp_path / "nope"), "nope"])
    assert document.warnings == (f"{source.path}:4: the directory of a node's DIR does not exist yet (and 39 more)",)
    assert document.dag.memory_bytes is not None
    assert document.dag.memory_bytes.tolist() == [2**20, 2**21, 2**21, -1, -1] * 20
    assert_lanes_agree(source)


WORDS = [
    "JOB",
    "job",
    "PARENT",
    "CHILD",
    "child",
    "VARS",
    "a",
    "b",
    "c",
    "x.sub",
    "ALL_NODES",
    "PRIORITY",
    "RETRY",
    "3",
    "-2",
    "CATEGORY",
    "SCRIPT",
    "PRE",
    "PRE_SKIP",
    "ABORT-DAG-ON",
    "UNLESS-EXIT",
    'v="1"',
    'w = "\\""',
    "{",
    "}",
    "@=E",
    "@E",
    "\\\n",
    "\n",
    "\r\n",
    "\t",
    " ",
    "#",
    "//",
    "NOOP",
    "DONE",
    "DIR",
    "nowhere",
    "FINAL",
    "SERVICE",
    "é",
    '"',
    "=",
    "+",
    "SUBMIT-DESCRIPTION",
]


@settings(deadline=None, max_examples=500)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_word_salad(text: str) -> None:
    assert_lanes_agree(Source("x.dag", text.encode()))


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            ["JOB a x", "# c", "//", "\\", "\n", " ", "\t", "\r", "\v", "{", "}", "JOB q {", "@=T", "@T", "é"]
        ),
        max_size=30,
    ).map("".join)
)
def test_logical_lines_cover_the_file(text: str) -> None:
    """Writing back what was read gives the same bytes, and all three line cutters agree."""
    data = text.encode()
    lines = list(logical_lines(Source("x.dag", data)))
    assert b"".join(data[line.begin : line.end] for line in lines) == data
    assert [line.line for line in lines] == [data.count(b"\n", 0, line.begin) + 1 for line in lines]
    assert list(read_lines(data)) == dagman_scan.logical_lines(data)
    scan = _core.DagmanScan(data)
    begins = sorted([*scan.job_at, *scan.link_at, *scan.mark_at, *scan.odd_begin])
    assert begins == [line.begin for line in lines if line.kind is not None]
    twin = dagman_scan.PlainScan(data)
    assert begins == twin.odd_begin.tolist()
    ends = dict(zip(twin.odd_begin.tolist(), twin.odd_end.tolist(), strict=True))
    assert all(ends[line.begin] == line.end for line in lines if line.kind is not None)
    assert all(ends[begin] == end for begin, end in zip(scan.odd_begin.tolist(), scan.odd_end.tolist(), strict=True))


def test_keywords_are_numbered_alike() -> None:
    names = _core.dagman_keywords()
    assert names == [keyword.name for keyword in Keyword if keyword is not Keyword.UNKNOWN]
    for name in names:
        for word in (name, name.lower(), name.replace("_", "-")):
            assert keyword_of(word).name == name
            assert dagman_scan.keyword(word.encode()) == Keyword[name]


def test_many_names_keep_their_numbers() -> None:
    """More names than the scanner's small tables hold, mentioned in an order that defeats its guesses."""
    n = 50_000
    order = np.random.default_rng(3).permutation(n)
    jobs = "".join(f"JOB j{i} s{i % 7}.sub\n" for i in range(n))
    links = "".join(f"PARENT j{min(a, b)} CHILD j{max(a, b)}\n" for a, b in zip(order[::2], order[1::2], strict=True))
    document: Document = parse(Source("x.dag", (links + jobs).encode()))
    assert document.dag.names == tuple(f"j{i}" for i in range(n))
    expected = {(min(a, b), max(a, b)) for a, b in zip(order[::2].tolist(), order[1::2].tolist(), strict=True)}
    assert set(zip(document.dag.tails.tolist(), document.dag.heads.tolist(), strict=True)) == expected


@pytest.mark.parametrize("name", ["job0", "job41", "missing"])
def test_find_after_scanning(name: str) -> None:
    scan = _core.DagmanScan("".join(f"JOB job{i} x\n" for i in range(42)).encode())
    assert scan.find(name.encode()) == {"job0": 0, "job41": 41}.get(name, -1)
