"""The HTCondor engine with a queue that does what real ones seldom do: forget, fall silent, refuse."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eligo.engines._engine import Engine, Event, Happening
from eligo.engines._htcondor import engine as engine_module
from eligo.engines._htcondor.condor_queue import submit_lock
from eligo.engines._htcondor.engine import HTCondor
from eligo.engines._plan import Plan, Task
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError
from eligo.formats import open_document

SUBMITTED = "000 (0{0}.000.000) 2026-01-01 00:00:00 Job submitted from host: <x>\n...\n"
TERMINATED = "005 (0{0}.000.000) 2026-01-01 00:00:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"
BEGINS = "1 a SUBMIT 9.0 - - 1\n1 a EXECUTE 9.0 - - 1\n"
ENDS = "2 a JOB_TERMINATED 9.0 - - 1\n2 a JOB_SUCCESS 0 - - 1\n"


class FakeQueue:
    """Takes DAGs; the tests write what DAGMan would."""

    def __init__(self) -> None:
        self.jobs: dict[int, str] = {}
        self.files: list[Path] = []
        self.options: list[list[tuple[str, str | None]]] = []
        self.silent = False
        self.refuses = False

    def submit(self, dag, home, options, lock):
        if self.refuses:
            raise EngineError("no")
        cluster = 10 + len(self.files)
        self.files.append(home / dag)
        self.options.append(list(options))
        self.jobs[cluster] = " ".join(value or "" for _, value in options)
        self.write("dagman.log", SUBMITTED.format(cluster))

    def write(self, ending: str, text: str) -> None:
        with Path(f"{self.files[-1]}.{ending}").open("a") as stream:
            stream.write(text)

    def clusters(self, constraint):
        if self.silent:
            raise EngineError("condor_q does not answer")
        wanted = [part.replace(" == ", "=") for part in constraint.split(" && ")]
        return [cluster for cluster, marks in self.jobs.items() if all(f"+{part}" in marks for part in wanted)]

    def act(self, action, constraint, reason):
        found = re.fullmatch(r"ClusterId == (\d+)", constraint)
        if action == "rm" and found:
            del self.jobs[int(found[1])]
            self.write("dagman.log", TERMINATED.format(found[1]).replace("005", "009"))

    def slots(self):
        return 4


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> FakeQueue:
    made = FakeQueue()
    monkeypatch.setattr(engine_module, "find_queue", lambda: made)
    monkeypatch.setattr(engine_module, "_ASK_S", 0.0)
    monkeypatch.setattr(engine_module, "_POLL_S", 0.01)
    return made


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (flow := tmp_path / "flow.dag").write_text("JOB a a.sub\nJOB b a.sub\nPARENT a CHILD b\n")
    (tmp_path / "a.sub").write_text("executable = /bin/true\nqueue\n")
    document = open_document(flow)
    return Plan(document, document.dag, np.array([2, 1], np.int32), lambda job: Task("ab"[job]), tmp_path)


@pytest.fixture
def state(plan: Plan) -> Iterator[State]:
    (folder := plan.home / "state").mkdir()
    with State.create(folder, plan.dag, run_id="cafe", workflow="flow.dag", engine="htcondor") as made:
        yield made


def watched(engine: Engine) -> list[Event]:
    return engine.watch(0.2)


def kinds(events: list[Event]) -> list[tuple[str, int]]:
    return [(event.what.name, event.job) for event in events if event.what is not Happening.NOTE]


def test_dagman_vanishes(queue, plan, state, monkeypatch):
    """The queue was emptied, and no log tells of it: the run is over, and nothing counts as done that is not."""
    engine = HTCondor(plan, state)
    engine.submit()
    queue.write("jobstate.log", BEGINS)
    assert kinds(watched(engine)) == [("STARTED", 0)]
    queue.jobs.clear()
    monkeypatch.setattr(engine_module, "_QUIET_S", 0.0)
    events = watched(engine) + watched(engine)
    assert kinds(events) == [("CANCELLED", 0)]
    assert engine.over
    assert state.status == [JobStatus.WAITING] * 2


def test_the_queue_falls_silent(queue, plan, state):
    """It is told once, and the run goes on."""
    engine = HTCondor(plan, state)
    engine.submit()
    watched(engine)
    queue.write("jobstate.log", BEGINS + ENDS + ENDS.replace(" a ", " b "))
    queue.write("dagman.log", TERMINATED.format(10))
    queue.silent = True
    events = watched(engine)
    assert kinds(events) == [("STARTED", 0), ("SUCCEEDED", 0), ("STARTED", 1), ("SUCCEEDED", 1)]
    assert [event.text for event in events if event.what is Happening.NOTE] == ["condor_q does not answer"]
    assert watched(engine) == []
    assert not engine.over
    queue.silent = False
    assert watched(engine) == []
    assert engine.over


def test_removing_is_tried_until_the_queue_answers(queue, plan, state):
    engine = HTCondor(plan, state)
    engine.submit()
    queue.write("jobstate.log", BEGINS)
    watched(engine)
    queue.silent = True
    monkeyed, queue.act = queue.act, lambda *_: queue.clusters("")  # which does not answer
    engine.cancel(kill=True)
    assert not engine.over
    watched(engine)
    queue.silent, queue.act = False, monkeyed
    assert kinds(watched(engine) + watched(engine)) == [("CANCELLED", 0)]
    assert engine.over
    assert queue.jobs == {}


def test_stopped_before_it_began(queue, plan, state):
    engine = HTCondor(plan, state)
    engine.cancel()
    engine.submit()
    assert engine.over
    assert queue.files == []


def test_a_refused_submission(queue, plan, state):
    """Nothing was submitted; going on submits it, once."""
    queue.refuses = True
    with pytest.raises(EngineError, match="no"):
        HTCondor(plan, state).submit()
    queue.refuses = False
    HTCondor(plan, state).submit()
    HTCondor(plan, state).submit()
    assert [file.parent.name for file in queue.files] == ["2"]


def test_nobody_knows_whether_it_lives(queue, plan, state):
    """While the queue does not answer, nothing is submitted again."""
    HTCondor(plan, state).submit()
    queue.silent = True
    with pytest.raises(EngineError, match="does not answer"):
        HTCondor(plan, state).submit()
    assert len(queue.files) == 1


def test_going_on_after_its_end(queue, plan, state):
    """What DAGMan did while nobody watched is told and recorded, and the next one is told of it."""
    HTCondor(plan, state).submit()
    queue.write("jobstate.log", BEGINS + ENDS)
    queue.write("dagman.log", TERMINATED.format(10))
    queue.jobs.clear()
    engine = HTCondor(plan, state, ["-maxidle", "7"])
    engine.submit()
    assert kinds(watched(engine)) == [("STARTED", 0), ("SUCCEEDED", 0)]
    assert queue.files[1].parent.name == "2"
    assert "DONE a\n" in Path(f"{queue.files[1]}.rescue001").read_text()
    assert ("-maxidle", "7") in queue.options[1]


SAID = "11/16/26 13:00:00 {}\n"
FAILS = ENDS.replace("JOB_SUCCESS 0", "JOB_FAILURE 3")


def test_a_failure_is_told_once(queue, plan, state):
    """Whoever goes on tries it again, and says nothing more of the first time, nor of what DAGMan said then."""
    engine = HTCondor(plan, state)
    engine.submit()
    queue.write("jobstate.log", BEGINS + FAILS)
    queue.write("dagman.out", SAID.format("ERROR: the following job(s) failed:") + SAID.format("ERROR: no such file"))
    queue.write("dagman.log", TERMINATED.format(10))
    queue.jobs.clear()
    events = watched(engine) + watched(engine)
    assert kinds(events) == [("STARTED", 0), ("FAILED", 0)]
    assert [event.text for event in events if "DAGMan says" in event.text] == ["DAGMan says: ERROR: no such file"]
    state.update(0, status=JobStatus.WAITING, attempts=0)  # as running.py does
    engine = HTCondor(plan, state)
    engine.submit()
    events = watched(engine)
    assert kinds(events) == []
    assert not [event for event in events if "DAGMan says" in event.text]
    assert state.status == [JobStatus.WAITING] * 2
    assert len(queue.files) == 2


def test_a_failure_that_nobody_saw_is_tried_again(queue, plan, state):
    HTCondor(plan, state).submit()
    queue.write("jobstate.log", BEGINS + FAILS)
    queue.write("dagman.log", TERMINATED.format(10))
    queue.jobs.clear()
    engine = HTCondor(plan, state)
    engine.submit()
    assert kinds(watched(engine)) == [("STARTED", 0), ("AGAIN", 0)]
    assert state.status == [JobStatus.WAITING] * 2


ABORTS = "2 a JOB_EVICTED 9.0 - - 1\n2 a JOB_ABORTED 9.0 - - 1\n2 a JOB_FAILURE -1002 - - 1\n"
ABORTED_STATES = """[
  DagFiles = {{
    "{0}"
  }};
]
[
  Type = "NodeStatus";
  Node = "a";
  NodeStatus = 6; /* "STATUS_ERROR" */
  StatusDetails = "HTCondor reported ULOG_JOB_ABORTED event for job proc (9.0.0)";
]
"""


@pytest.mark.parametrize("left", [False, True], ids=["watched", "left at once"])
def test_what_we_remove_has_not_failed(left, queue, plan, state):
    """DAGMan calls it failed, in both of its logs; we do not, neither now nor when the run goes on."""
    engine = HTCondor(plan, state)
    engine.submit()
    queue.write("jobstate.log", BEGINS)
    assert kinds(watched(engine)) == [("STARTED", 0)]
    removes, queue.act = queue.act, lambda *_: None
    engine.cancel(kill=True)
    watched(engine)
    queue.act = removes
    queue.write("jobstate.log", ABORTS)
    dag = queue.files[-1]
    queue.write("node-states", ABORTED_STATES.format(dag.relative_to(plan.home)))
    queue.write("dagman.out", SAID.format('ERROR "Assertion"'))
    queue.write("dagman.log", TERMINATED.format(10).replace("005", "009"))
    queue.jobs.clear()
    events = [] if left else watched(engine) + watched(engine)
    assert left or engine.over
    engine = HTCondor(plan, state)
    engine.submit()
    later = watched(engine)
    assert kinds(events + later) == [("CANCELLED", 0)]
    assert [event.text for event in later if event.what is Happening.NOTE] == ["DAGMan is job 11 in HTCondor's queue"]
    assert state.status == [JobStatus.WAITING] * 2


def test_stopped_before_final(queue, plan, state):
    """All jobs are done, yet the run is not: FINAL is still to run, and a FINAL after the removal is not the one."""
    (flow := plan.home / "flow.dag").write_text("JOB a a.sub\nJOB b a.sub\nPARENT a CHILD b\nFINAL end a.sub\n")
    plan = replace(plan, document=open_document(flow))
    engine = HTCondor(plan, state)
    engine.submit()
    queue.write("jobstate.log", BEGINS + ENDS + ENDS.replace(" a ", " b "))
    watched(engine)
    removes = queue.act

    def removes_after_final(*words):
        queue.write("jobstate.log", (BEGINS + ENDS).replace(" a ", " end "))
        removes(*words)

    queue.act = removes_after_final
    engine.cancel()
    notes = [event.text for event in watched(engine) + watched(engine)]
    queue.act = removes
    assert len(notes) == 1
    assert notes[0].startswith("end: DAGMan runs it whenever it is removed")
    assert engine.over
    assert state.get("final") == {"status": "failed", "reason": "the run was stopped before it"}
    engine = HTCondor(plan, state)
    engine.submit()
    watched(engine)
    assert len(queue.files) == 2
    queue.write("jobstate.log", (BEGINS + ENDS).replace(" a ", " end "))
    queue.write("dagman.log", TERMINATED.format(11))
    watched(engine)
    watched(engine)
    assert engine.over
    assert state.get("final")["status"] == "done"


def test_a_removal_that_did_not_come_to_be(queue, plan, state):
    """The queue did not answer, and we were killed: DAGMan lives on, and what others remove from it has failed."""
    engine = HTCondor(plan, state)
    engine.submit()
    queue.write("jobstate.log", BEGINS)
    watched(engine)
    queue.act = lambda *_: None
    engine.cancel(kill=True)
    watched(engine)
    queue.jobs[10] += " +ClusterId=10 +JobStatus =!= 3"
    engine = HTCondor(plan, state)
    engine.submit()
    assert kinds(watched(engine)) == [("ADOPTED", 0)]
    queue.write("jobstate.log", ABORTS)
    assert kinds(watched(engine)) == [("AGAIN", 0), ("FAILED", 0)]


def test_a_submission_under_way(tmp_path):
    """Another process submits: whoever goes on waits, and in the end gives up without submitting."""
    path = tmp_path / "lock"
    with submit_lock(path) as held:
        assert held.fileno() >= 0
        with pytest.raises(EngineError, match="still goes on"):
            submit_lock(path, patience_s=0.2)
    with submit_lock(path, patience_s=0.2), path.open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
