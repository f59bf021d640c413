"""Files of a plan: sizes after a job, and when they may go, held against the definition."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data
from eligo.engines._intermediate_files import FilesSeen
from eligo.engines._plan import Plan, Task
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._source import Source

Datum = tuple[str, int, list[int]]


def plan(home: Path, n: int, data: list[Datum], format: str = "dot", details: object = None) -> Plan:
    """A chain of n jobs, so that any may read what an earlier one makes."""
    names, producers, readers = [[datum[i] for datum in data] for i in range(3)]
    sizes = [UNKNOWN] * len(data)
    dag = Dag.from_edges(n, range(n - 1), range(1, n), data=Data.build(sizes, producers, readers, names))  # type: ignore[arg-type]
    document = Document(dag, format, Source(str(home / "x.dot"), b""), details=details)
    return Plan(document, dag, dag.heads, lambda job: Task(str(job)), home)


def make(home: Path, *names: str) -> None:
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b"123")


def names_of(home: Path, paths: list[Path]) -> list[str]:
    return sorted(os.path.relpath(path, home) for path in paths)


_NAMES = ["a", "b", "./a", "c", "sub/d", "sub//d", "sub/../b"]


def _datum(name: str, producer: int, readers: list[int]) -> Datum:
    return name, producer, [job for job in readers if job > producer]


_DATA = st.lists(
    st.builds(_datum, st.sampled_from(_NAMES), st.integers(OUTSIDE, 4), st.lists(st.integers(0, 4), max_size=3)),
    max_size=7,
)


def gone_by_definition(data: list[Datum], done: set[int]) -> set[str]:
    """A file goes when all jobs that make or read any copy are done; see the essay of the module for who never goes."""
    files: dict[str, list[Datum]] = {}
    for datum in data:
        files.setdefault(os.path.normpath(datum[0]), []).append(datum)
    return {
        path
        for path, copies in files.items()
        if any(readers for _, _, readers in copies)
        and not any(producer == OUTSIDE or ".." in name for name, producer, _ in copies)
        and all(done.issuperset([producer, *readers]) for _, producer, readers in copies)
    }


@settings(max_examples=150, deadline=None)
@given(_DATA, st.permutations(range(5)), st.integers(0, 5))
def test_by_definition(
    tmp_path_factory: pytest.TempPathFactory, data: list[Datum], order: list[int], before: int
) -> None:
    """Whatever the order, and wherever a run was resumed, each file goes once, right when it may."""
    home = tmp_path_factory.mktemp("home")
    make(home, "a", "b", "c", "sub/d")
    seen = FilesSeen(plan(home, 5, data), order[:before])
    done = set(order[:before])
    assert names_of(home, seen.left_over()) == sorted(gone_by_definition(data, done))
    for job in order[before:]:
        earlier = gone_by_definition(data, done)
        done.add(job)
        assert names_of(home, seen.deletable(job)) == sorted(gone_by_definition(data, done) - earlier)
        assert seen.deletable(job) == []


def test_sizes_of_what_a_job_left(tmp_path: Path) -> None:
    data: list[Datum] = [
        ("a", 0, []),
        ("/dev/null", 0, []),
        ("d", 0, []),
        ("no", 0, []),
        ("nul\0", 0, []),
        ("b", 1, []),
    ]
    make(tmp_path, "a", "b", "d/x")
    seen = FilesSeen(plan(tmp_path, 2, data))
    assert [seen.after(job) for job in (0, 1)] == [[("a", 3)], [("b", 3)]]
    assert FilesSeen(plan(tmp_path, 1, [(str(tmp_path / "a"), 0, [])])).after(0) == [(str(tmp_path / "a"), 3)]


def test_what_is_no_plain_file_in_its_place_stays(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    make(home, "plain", "dir/x")
    make(away, "x", "y")
    (home / "link").symlink_to(away / "x")
    (home / "linked").symlink_to(away)
    names = ["plain", "dir", "link", "linked/y", "../away/y", "gone", "x.dot", str(away / "x")]
    make(home, "x.dot")
    seen = FilesSeen(plan(home, 2, [(name, 0, [1]) for name in names]))
    assert seen.deletable(0) == []
    assert seen.deletable(1) == [home / "plain", away / "x"]


def test_files_from_before_the_run_stay(tmp_path: Path) -> None:
    make(tmp_path, "old")
    os.utime(tmp_path / "old", (2**31, 2**31))  # whatever its date says
    later = time.time() + 100
    assert FilesSeen(plan(tmp_path, 2, [("old", 0, [1])]), [0], since=later).deletable(1) == []
    assert FilesSeen(plan(tmp_path, 2, [("old", 0, [1])]), [0], since=later - 200).deletable(1) == [tmp_path / "old"]


def test_what_pegasus_stages_out_stays(tmp_path: Path) -> None:
    make(tmp_path, "wanted", "middle")
    uses = [{"lfn": "wanted", "type": "output", "stageOut": "true"}, {"lfn": "middle", "stageOut": "false"}]
    details = SimpleNamespace(tree={"jobs": [{"uses": uses}, {}]})
    data: list[Datum] = [("wanted", 0, [1]), ("middle", 0, [1])]
    seen = FilesSeen(plan(tmp_path, 2, data, "pegasus", details), [0])
    assert seen.wanted == 1
    assert seen.deletable(1) == [tmp_path / "middle"]


PEGASUS = """
pegasus: '5.0'
jobs:
- {id: a, uses: [{lfn: f, type: output}]}
- {id: b, uses: [{lfn: f, type: input}]}
- {id: c, uses: [{lfn: f, type: input}]}
jobDependencies: [{id: a, children: [b]}]
"""
DAX = """
<adag><job id="a"><uses name="f" link="output" transfer="false"/></job><job id="b"><uses name="f" link="input"/></job>
<job id="c"><uses name="f" link="input"/></job><child ref="b"><parent ref="a"/></child></adag>
"""
OLD_WFFORMAT = """
{"workflow": {"jobs": [{"name": "a", "files": [{"name": "f", "link": "output"}]},
{"name": "b", "parents": ["a"], "files": [{"name": "f", "link": "input"}]},
{"name": "c", "files": [{"name": "f", "link": "input"}]}]}}
"""
WFFORMAT = """
{"workflow": {"specification": {"tasks": [{"id": "a", "outputFiles": ["f"]},
{"id": "b", "parents": ["a"], "inputFiles": ["f"]}, {"id": "c", "inputFiles": ["f"]}]}}}
"""


@pytest.mark.parametrize("text", [PEGASUS, DAX, OLD_WFFORMAT, WFFORMAT])
def test_who_reads_without_waiting_is_waited_for(tmp_path: Path, text: str) -> None:
    """a -> b, and c reads what a makes as well."""
    make(tmp_path, "f")
    (tmp_path / "x").write_text(text.strip())
    document = open_document(tmp_path / "x")
    dag = document.dag
    seen = FilesSeen(Plan(document, dag, dag.heads, lambda job: Task(str(job)), tmp_path))
    assert [seen.deletable(job) for job in range(3)] == [[], [], [tmp_path / "f"]]


def test_what_a_dax_transfers_stays(tmp_path: Path) -> None:
    make(tmp_path, "f")
    (tmp_path / "x").write_text(DAX.strip().replace("false", "true"))
    document = open_document(tmp_path / "x")
    seen = FilesSeen(Plan(document, document.dag, document.dag.heads, lambda job: Task(str(job)), tmp_path), [0, 1])
    assert (seen.wanted, seen.deletable(2)) == (1, [])


def test_data_without_names(tmp_path: Path) -> None:
    dag = Dag.from_edges(2, [0], [1], data=Data.per_edge([0], [1], [5]))
    document = Document(dag, "dot", Source(str(tmp_path / "x.dot"), b""))
    seen = FilesSeen(Plan(document, dag, dag.heads, lambda job: Task(str(job)), tmp_path), [0])
    assert (seen.after(0), seen.deletable(1), seen.left_over()) == ([], [], [])
