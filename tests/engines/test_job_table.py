from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data
from eligo.engines._plan import Plan, Task
from eligo.engines._run_folder import write_table
from eligo.engines._state import JobStatus, State
from eligo.formats._base import Document
from eligo.formats._job_data import attach, open_table
from eligo.formats._source import Source


def plan_of(dag: Dag, home: Path) -> Plan:
    document = Document(dag, "dot", Source(str(home / "x.dot"), b""))
    return Plan(document, dag, dag.heads, lambda job: Task(dag.names[job]), home)


def again(dag: Dag, folder: Path) -> Dag:
    document = attach(Document(dag, "dot", Source("x.dot", b"")), open_table(folder))
    assert document.warnings == ()
    return document.dag


def test_a_run_is_read_again(tmp_path: Path) -> None:
    """a makes w and x, b makes y, which was not seen; c failed."""
    data = Data.build([1, UNKNOWN, 3], [0, 0, 1], [[1], [2], [2]], ["w,1", "x", "y"])
    dag = Dag.from_edges(["a", "b", "c", "d"], [0, 1, 2], [1, 2, 3], data=data)
    with State.create(tmp_path, dag) as state:
        state.update(0, status=JobStatus.DONE, start_s=1.0, end_s=3.5, peak_bytes=7)
        state.update(1, status=JobStatus.DONE, start_s=3.5, end_s=3.5)
        state.update(2, status=JobStatus.FAILED, start_s=3.5, end_s=9.0, peak_bytes=70)
        state.saw_file("w,1", 10)
        state.saw_file("x", 20, deleted=True)
        write_table(tmp_path / "job-data.csv", state, plan_of(dag, tmp_path))
    assert (tmp_path / "job-data.csv").read_text().splitlines() == [
        "job,file,time_s,memory_bytes,output_bytes,size_bytes",
        "a,,2.5,7,30,",
        "b,,0,,,",
        ',"w,1",,,,10',
        ",x,,,,20",
    ]
    known = again(dag, tmp_path)
    assert known.data == Data.build([10, 20, 3], [0, 0, 1], [[1], [2], [2]], ["w,1", "x", "y"])
    assert known == dag.with_known(
        time_s=[2.5, 0, np.nan, np.nan], memory_bytes=[7, UNKNOWN, UNKNOWN, UNKNOWN], data=known.data
    )


def test_nothing_done_yet(tmp_path: Path) -> None:
    dag = Dag.from_names([("a", "b")])
    with State.create(tmp_path, dag) as state:
        write_table(tmp_path / "job-data.csv", state, plan_of(dag, tmp_path))
    document = attach(Document(dag, "dot", Source("x.dot", b"")), open_table(tmp_path))
    assert document.dag == dag


def test_the_old_one_stays_where_the_new_one_cannot_be_written(tmp_path: Path, monkeypatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    dag = Dag.from_names([("a", "b")])
    table = tmp_path / "job-data.csv"
    table.write_text("old")
    with State.create(tmp_path, dag) as state:
        state.update(0, status=JobStatus.DONE, start_s=0.0, end_s=1.0)
        monkeypatch.setattr("eligo._atomic_files.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_table(table, state, plan_of(dag, tmp_path))
    assert table.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if "job-data" in path.name] == ["job-data.csv"]


_NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(_NAMES | st.sampled_from(["#1", ' "', "a,b", "a\nb", "\r", "sep=;", "\ufeff"]), unique=True, min_size=1)
)
def test_any_names(tmp_path_factory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("run")
    data = Data.build([UNKNOWN], [OUTSIDE], [[0]], [names[-1]])
    dag = Dag.from_edges(names, [], [], data=data)
    with State.create(folder, dag) as state:
        for job in range(dag.n):
            state.update(job, status=JobStatus.DONE, start_s=0.0, end_s=job + 0.25)
        state.saw_file(names[-1], 5)
        write_table(folder / "job-data.csv", state, plan_of(dag, folder))
    known = again(dag, folder)
    assert known.time_s is not None
    assert known.time_s.tolist() == [job + 0.25 for job in range(dag.n)]
    assert known.data is not None
    assert known.data.size_bytes.tolist() == [5]


def test_names_that_no_text_can_hold_are_left_out(tmp_path: Path) -> None:
    dag = Dag.from_edges([os.fsdecode(b"\xff"), "b"], [], [])
    with State.create(tmp_path, dag) as state:
        for job in (0, 1):
            state.update(job, status=JobStatus.DONE, start_s=0.0, end_s=1.0)
        write_table(tmp_path / "job-data.csv", state, plan_of(dag, tmp_path))
    assert again(dag, tmp_path) == dag.with_known(time_s=[np.nan, 1])
