"""Whether a workflow runs, as far as files tell; and the DAG files that a DAG runs."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from eligo.errors import EligoError
from eligo.formats._base import Document, Notes
from eligo.formats._dagman.priorities import follow_subdags, refuse_if_running, subdags
from tests.formats.dagman_folders import reread
from tests.reference.condor_pool import need_pool, run_in_pool

AT = "(169.000.000) 2026-11-16 03:12:50"
LOCK = "PPID = 12\nPID = {pid}\nPRECISION = 100\nTIME_UNITS_IN_SECS = 100.000000\nBDAY = {birth}\nCONTROL_TIME = 0\n"
SUBMITTED = f"000 {AT} Job submitted from host: <127.0.0.1:9618>\n...\n"
RUNNING = SUBMITTED + f"001 {AT} Job executing on host: <127.0.0.1:9618>\n...\n"
EVICTED = RUNNING + f"004 {AT} Job was evicted.\n\t(0) Job terminated and was requeued\n...\n"
ENDED = EVICTED + f"005 {AT} Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"
REMOVED = EVICTED + f"009 {AT} Job was aborted.\n\tvia condor_rm (by user grid)\n...\n"

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")


def my_birth() -> int:
    return int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])


def test_without_a_lock(tmp_path: Path) -> None:
    refuse_if_running(tmp_path / "x.dag")
    (tmp_path / "x.dag.dagman.log").write_text(RUNNING)
    refuse_if_running(tmp_path / "x.dag")


@needs_proc
@pytest.mark.parametrize("log", [None, RUNNING, ENDED])
def test_a_process_that_is_alive(tmp_path: Path, log: str | None) -> None:
    (tmp_path / "x.dag.lock").write_text(LOCK.format(pid=os.getpid(), birth=my_birth()))
    if log is not None:
        (tmp_path / "x.dag.dagman.log").write_text(log)
    with pytest.raises(EligoError, match=rf"x\.dag\.lock: DAGMan is running this workflow \(process {os.getpid()}\)"):
        refuse_if_running(tmp_path / "x.dag")


@pytest.mark.parametrize(
    "lock",
    [LOCK.format(pid=os.getpid(), birth=7), LOCK.format(pid=2**22 + 1, birth=7), "", "?"],
    ids=["another of this number", "none of this number", "empty", "nonsense"],  # test processes have numbers, too
)
@pytest.mark.parametrize("log", [None, "", SUBMITTED, RUNNING, EVICTED, ENDED + RUNNING])
def test_when_it_cannot_be_told_nothing_is_touched(tmp_path: Path, lock: str, log: str | None) -> None:
    """A process of that number may be another's, or on another machine; HTCondor may start DAGMan again."""
    (tmp_path / "x.dag.lock").write_text(lock)
    if log is not None:
        (tmp_path / "x.dag.dagman.log").write_text(log)
    with pytest.raises(EligoError, match="DAGMan may be running this workflow") as error:
        refuse_if_running(tmp_path / "x.dag")
    assert "condor_q" in error.value.hint


@pytest.mark.parametrize("log", [ENDED, REMOVED, ENDED + "x" * 100_000 + "\n" + REMOVED])
def test_a_lock_that_was_left_behind(tmp_path: Path, log: str) -> None:
    (tmp_path / "x.dag.lock").write_text(LOCK.format(pid=os.getpid(), birth=7))
    (tmp_path / "x.dag.dagman.log").write_text(log)
    refuse_if_running(tmp_path / "x.dag")


def test_a_lock_beside_what_a_link_points_to(tmp_path: Path) -> None:
    (tmp_path / "real.dag").touch()
    (tmp_path / "x.dag").symlink_to("real.dag")
    (tmp_path / "real.dag.lock").touch()
    with pytest.raises(EligoError, match=r"real\.dag\.lock"):
        refuse_if_running(tmp_path / "x.dag")


def test_a_lock_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "x.dag.lock").mkdir()
    with pytest.raises(EligoError, match="cannot be read"):
        refuse_if_running(tmp_path / "x.dag")


@pytest.mark.engine
def test_the_lock_of_a_real_dagman(tmp_path: Path) -> None:
    need_pool()
    dag = tmp_path / "x.dag"
    dag.write_text("JOB a {\nexecutable = /bin/sleep\narguments = 100\nlog = x.log\n}\n")
    refuse_if_running(dag)
    submitted = run_in_pool(["condor_submit_dag", "x.dag"], tmp_path)
    cluster = re.findall(r"cluster (\d+)", submitted)[-1]
    try:
        _wait(lambda: Path(f"{dag}.lock").exists())
        with pytest.raises(EligoError, match=r"x\.dag\.lock: DAGMan (is|may be) running"):
            refuse_if_running(dag)
        left_behind = Path(f"{dag}.lock").read_bytes()
    finally:
        run_in_pool(["condor_rm", cluster], tmp_path)
    _wait(lambda: not Path(f"{dag}.lock").exists())
    _wait(lambda: "\n009 " in Path(f"{dag}.dagman.log").read_text())
    Path(f"{dag}.lock").write_bytes(left_behind)  # as if DAGMan had had no time to remove it
    refuse_if_running(dag)


def _wait(happens) -> None:
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_subdags_each_once(tmp_path: Path) -> None:
    """x runs a, d/b (by two names) and, in a splice, c; a runs x and a; b runs what is not there."""
    (tmp_path / "d").mkdir()
    for name, text in {
        "x.dag": "SUBDAG EXTERNAL a a.dag\nSUBDAG EXTERNAL b b.dag DIR d\nSUBDAG EXTERNAL b2 d/b.dag\n"
        "SPLICE S s.dag DIR d\nJOB j j.sub\nSUBDAG EXTERNAL gone gone.dag\nSUBDAG EXTERNAL gone2 gone2.dag\n",
        "a.dag": "SUBDAG EXTERNAL x x.dag\nSUBDAG EXTERNAL a ./a.dag\n",
        "d/b.dag": "SUBDAG EXTERNAL no no.dag\n",
        "d/s.dag": "SUBDAG EXTERNAL c c.dag\n",
        "d/c.dag": "JOB j j.sub\n",
    }.items():
        (tmp_path / name).write_text(text)
    notes = Notes()
    document = reread(tmp_path / "x.dag")
    direct = [str(tmp_path / name) for name in ("a.dag", "d/b.dag", "d/c.dag")]
    assert subdags(document, notes) == direct
    expected = f"{tmp_path}/x.dag:6: the DAG file of a SUBDAG is not there (yet), such as 'gone.dag' (and 1 more)"
    assert notes.texts() == (expected,)
    opened: list[str] = []

    def read(path: str) -> Document:
        opened.append(path)
        return reread(Path(path))

    notes = Notes()
    assert [inner.source.path for inner in follow_subdags(document, read, notes)] == direct
    assert opened == direct
    assert len(notes.texts()) == 2
