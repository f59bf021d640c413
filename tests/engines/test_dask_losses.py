"""Whoever is lost, no job runs twice at the same time, and none again that has succeeded."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from eligo.dag import Dag
from eligo.engines._dask import Dask
from eligo.engines._dask import cluster as cluster_module
from eligo.engines._dask.worker_jobs import Guarding, GuardLostError
from eligo.engines._dask.worker_messages import open_record, succeeded
from eligo.engines._engine import Happening
from eligo.engines._plan import Process, Task
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError, MissingExtraError
from tests.engines.dask_runs import (
    check_all_done,
    drive,
    eventually,
    happened,
    job,
    make_plan,
    new_state,
    start_driver,
    told,
)
from tests.guards import no_hang
from tests.simulation.dask_clusters import Cluster, other_eligo

pytest.importorskip("distributed")
pytestmark = pytest.mark.engine


@pytest.fixture(autouse=True)
def bounded():
    with no_hang(180):
        yield


@pytest.fixture
def cluster(tmp_path):
    """A scheduler of the test's own, without workers."""
    directory = tmp_path / "cluster"
    directory.mkdir()
    cluster = Cluster(directory)
    yield cluster
    cluster.close()


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return home


def layers(width: int, depth: int) -> Dag:
    """Return layers in which each job follows two of the layer before."""
    edges = [
        (f"{layer}.{place}", f"{layer + 1}.{(place + step) % width}")
        for layer in range(depth - 1)
        for place in range(width)
        for step in (0, 1)
    ]
    return Dag.from_names(edges)


def layered_plan(home: Path):
    dag = layers(4, 4)
    return make_plan(home, dag, lambda i: Task(dag.names[i], (job(home, dag.names[i], 0.15),)))


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(True, id="record on disk"),
        pytest.param(False, id="record at the scheduler", marks=pytest.mark.long),
    ],
)
def test_a_worker_is_killed(cluster, home, seen):
    """Dask runs again what was lost with the worker: the job in it, but no job of which the result was there."""
    victim = cluster.add_worker()
    cluster.add_worker()
    dag = layers(4, 4)
    names = dag.names
    plan = make_plan(home, dag, lambda i: Task(names[i], (job(home, names[i], until="go" if names[i] > "2" else ""),)))
    state = new_state(plan)
    engine = Dask(plan, state, address=cluster.address)
    if not seen:
        engine._folder = str(home / "elsewhere")
    engine.submit()
    events = drive(engine, lambda events: len(happened(events, Happening.STARTED)) == 10)
    cluster.kill(victim)
    (home / "go").touch()
    events += drive(engine)
    engine.close()
    check_all_done(plan, state, once=False)
    again = happened(events, Happening.AGAIN)
    assert len(again) == 1
    assert len(told(home, "S")) <= plan.dag.n + 1
    assert sorted(happened(events, Happening.SUCCEEDED)) == list(range(plan.dag.n))


@pytest.mark.long
def test_jobs_die_with_their_worker(cluster, home):
    """Also what they started, in a session of its own; and a job that kills workers is given up in the end."""
    cluster.add_worker()
    dag = Dag.from_names([("deadly", "child")], jobs=["deadly", "child", "other"])
    kill = "setsid sleep 1000 & echo $! >> pids; cat /proc/$PPID/stat | cut -d' ' -f4 | xargs kill -9; sleep 1000"

    def task(i):
        name = dag.names[i]
        return Task(name, (Process(("sh", "-c", kill), str(home)) if name == "deadly" else job(home, name),))

    plan = make_plan(home, dag, task)
    state = new_state(plan)
    engine = Dask(plan, state, address=cluster.address)
    engine.submit()
    end = time.monotonic() + 90
    while not engine.over and time.monotonic() < end:
        engine.watch(0.2)
        if not cluster.workers:
            cluster.add_worker()
    assert state.status == [JobStatus.FAILED, JobStatus.WAITING, JobStatus.DONE]
    assert "several workers were lost" in state.reason[0]
    pids = [int(line) for line in (home / "pids").read_text().split()]
    assert len(pids) >= 2
    for pid in pids:
        eventually(lambda pid=pid: not Path(f"/proc/{pid}").exists())
    engine.close()


def drive_apart(home: str, address: str) -> None:
    """Run the layered plan in a process of its own, which may be killed."""
    plan = layered_plan(Path(home))
    state = new_state(plan)
    engine = Dask(plan, state, address=address or None, slots=2)
    engine.submit()
    drive(engine)
    engine.close()


@pytest.mark.parametrize(
    "own",
    [pytest.param(False, id="cluster goes on"), pytest.param(True, id="cluster dies too", marks=pytest.mark.long)],
)
def test_eligo_is_killed(cluster, home, own):
    """A later Eligo takes over what runs and what has ended, or, where all died, runs the rest again."""
    if not own:
        cluster.add_worker()
        cluster.add_worker()
    plan = layered_plan(home)
    driver = start_driver(home, "test_dask_losses", "" if own else cluster.address)
    try:
        eventually(lambda: len(told(home, "E")) >= 5)
    finally:
        driver.kill()
        driver.wait()
    with State.open(home / "state") as state:
        before = [job for job, status in enumerate(state.status) if status == JobStatus.DONE]
        assert before
        engine = Dask(plan, state, address=None if own else cluster.address, slots=2)
        engine.submit()
        events = drive(engine)
        engine.close()
        check_all_done(plan, state, once=not own)
        assert not set(before) & {event.job for event in events}
        if not own:  # what ran then may have ended before it could be taken over, but was not lost
            assert not happened(events, Happening.AGAIN)
        assert state.get("repeated", []) == happened(events, Happening.AGAIN)
        starts = told(home, "S")
        assert all(starts.count(plan.dag.names[job]) == 1 for job in before)


def test_adopted_jobs_keep_their_slot_and_hold_their_children_back(cluster, home):
    cluster.add_worker()
    dag = Dag.from_names([("long", "child")], jobs=["long", "child", "other"])
    plan = make_plan(home, dag, lambda i: Task(dag.names[i], (job(home, dag.names[i], until="go"),)))
    state = new_state(plan)
    first = Dask(plan, state, address=cluster.address)
    first.submit()
    drive(first, lambda events: bool(happened(events, Happening.STARTED)))
    first.close()
    engine = Dask(plan, state, address=cluster.address)
    engine.submit()
    events = drive(engine, bool)
    assert [(event.what, event.job) for event in events] == [(Happening.ADOPTED, 0)]
    assert not engine.watch(0.5)
    assert told(home, "S") == ["long"]
    (home / "go").touch()
    drive(engine)
    engine.close()
    check_all_done(plan, state)


@pytest.mark.long
def test_an_adopted_job_is_lost_with_its_worker(cluster, home):
    victim = cluster.add_worker()
    dag = Dag.from_names([("long", "child")])
    plan = make_plan(home, dag, lambda i: Task(dag.names[i], (job(home, dag.names[i], until="go"),)))
    state = new_state(plan)
    first = Dask(plan, state, address=cluster.address)
    first.submit()
    drive(first, lambda events: bool(happened(events, Happening.STARTED)))
    first.close()
    engine = Dask(plan, state, address=cluster.address)
    engine.submit()
    cluster.kill(victim)
    cluster.add_worker()
    (home / "go").touch()
    events = drive(engine)
    engine.close()
    assert happened(events, Happening.AGAIN) == [0]
    check_all_done(plan, state, once=False)


@pytest.mark.parametrize("kill", [False, True], ids=["let them end", "end them"])
def test_cancel(cluster, home, kill):
    """What runs ends by itself or is ended; nothing else starts; a later Eligo goes on."""
    cluster.add_worker()
    dag = Dag.from_names([("one", "two")], jobs=["one", "two", "three"])
    plan = make_plan(home, dag, lambda i: Task(dag.names[i], (job(home, dag.names[i], until="go"),)))
    state = new_state(plan)
    engine = Dask(plan, state, address=cluster.address)
    engine.submit()
    drive(engine, lambda events: bool(happened(events, Happening.STARTED)))
    eventually(lambda: told(home, "S") == ["one"])
    engine.cancel(kill=kill)
    if not kill:
        assert not engine.over
        (home / "go").touch()
    events = drive(engine)
    engine.close()
    assert told(home, "S") == ["one"]
    assert state.status == [JobStatus.WAITING if kill else JobStatus.DONE, JobStatus.WAITING, JobStatus.WAITING]
    assert [event.what for event in events] == [Happening.CANCELLED if kill else Happening.SUCCEEDED]
    (home / "go").touch()
    again = Dask(plan, state, address=cluster.address)
    again.submit()
    drive(again)
    again.close()
    check_all_done(plan, state, once=not kill)


@pytest.mark.long
def test_the_scheduler_is_lost(cluster, home):
    """It is said at once; jobs die with their workers, and a run on another cluster goes on."""
    cluster.add_worker()
    plan = layered_plan(home)
    state = new_state(plan)
    engine = Dask(plan, state, address=cluster.address)
    engine.submit()
    drive(engine, lambda events: len(happened(events, Happening.SUCCEEDED)) >= 2)
    cluster.kill(cluster.scheduler)
    with pytest.raises(EngineError, match="is gone") as error:
        drive(engine)
    assert "--resume" in error.value.hint
    engine.close()
    again = Dask(plan, state, slots=2)
    again.submit()
    drive(again)
    again.close()
    check_all_done(plan, state, once=False)


def test_no_scheduler_and_no_package(home, tmp_path, monkeypatch):
    plan = layered_plan(home)
    state = new_state(plan)
    monkeypatch.setattr(cluster_module, "CONNECT_S", 1.0)
    with pytest.raises(EngineError, match="no Dask scheduler answers"):
        Dask(plan, state, address="tcp://127.0.0.1:1")
    with pytest.raises(EngineError, match="No such file"):
        Dask(plan, state, address=str(tmp_path / "none.json"))
    (tmp_path / "wrong.json").write_text("[]")
    with pytest.raises(EngineError, match="not the file of a Dask scheduler"):
        Dask(plan, state, address=str(tmp_path / "wrong.json"))
    with pytest.raises(EngineError, match=r"no options of its own: --fast"):
        Dask(plan, state, ["--fast"])
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match="dask"):
        Dask(plan, state)


def test_a_scheduler_file_and_unfit_workers(cluster, home, tmp_path):
    """The address may be in a file; workers without eligo, or with another one, are refused by name."""
    cluster.add_worker(path=other_eligo(tmp_path / "old", "types.ModuleType('eligo')"))
    plan = layered_plan(home)
    with pytest.raises(EngineError, match=r"has eligo 0\.0\.1"):
        Dask(plan, new_state(plan), address=str(cluster.directory / "scheduler.json"))


def test_the_guard(tmp_path):
    """Programs are ended with the guard, and the guard with its worker; a lock has one holder, also among guards."""
    one, other = Guarding(), Guarding()
    record = str(open_record(tmp_path, "5eed"))
    lock, answer = one.ask("lock", record, "5eed", 3)
    assert answer == ["locked", False]
    assert other.ask("lock", record, "5eed", 3)[1] == ["busy"]
    assert other.ask("lock", record, "5eed", 4)[1] == ["locked", False]
    assert other.ask("lock", record, "another", 3)[1] == ["unseen"]
    program = {"argv": ["sleep", "1000"], "directory": "/", "environment": {}, "inherit": True, "stdin": None}
    program |= {"stdout": None, "stderr": None, "log": str(tmp_path / "log")}
    number, (what, pid) = one.ask("start", lock, program)
    assert what == "started"
    assert one.wait(number, 0.05) is None
    os.kill(one.pid, signal.SIGKILL)
    with pytest.raises(GuardLostError):
        one.wait(number, 10)
    eventually(lambda: not Path(f"/proc/{pid}").exists())
    lock, answer = other.ask("lock", record, "5eed", 3)
    assert answer == ["locked", False]
    other.ask("mark", lock, 3)
    other.ask("unlock", lock, 3)
    assert succeeded(Path(record), 10) == [3]
    other.close()


def test_a_program_that_leaves_others_behind_frees_its_lock(tmp_path):
    """What is in its process group is ended with it; a daemon that has the lock open does not keep it."""
    guard = Guarding()
    record = str(open_record(tmp_path, "5eed"))
    lock, _ = guard.ask("lock", record, "5eed", 0)
    program = {"argv": ["sh", "-c", "sleep 1000 & echo $!; setsid sleep 999 & echo $!; sleep 0.3"], "directory": "/"}
    program |= {"environment": {}, "inherit": True, "stdin": None, "stderr": None}
    program |= {"stdout": str(tmp_path / "pids"), "log": str(tmp_path / "log")}
    number, _ = guard.ask("start", lock, program)
    assert guard.wait(number, 20)[:2] == ["ended", 0]
    guard.ask("unlock", lock, 0)
    assert guard.ask("lock", record, "5eed", 0)[1] == ["locked", False]
    plain, daemon = map(int, (tmp_path / "pids").read_text().split())
    eventually(lambda: not Path(f"/proc/{plain}").exists())
    assert Path(f"/proc/{daemon}").exists()
    guard.close()
    assert not Path(f"/proc/{daemon}").exists()


def long_plan(home: Path):
    dag = layers(5, 16)
    return make_plan(home, dag, lambda i: Task(dag.names[i], (job(home, dag.names[i], 0.2),)))


@pytest.mark.long
def test_random_kills(cluster, home):
    """Workers and drivers are killed at random moments, again and again; what is recorded is never run again."""
    rng = random.Random(11)
    for _ in range(2):
        cluster.add_worker()
    plan = long_plan(home)
    new_state(plan).close()
    recorded: dict[str, int] = {}  # of jobs that are recorded as done: how often they had started then
    kills = 0
    for _ in range(30):
        driver = start_driver(home, "test_dask_losses", cluster.address, function="go_on")
        time.sleep(rng.uniform(0.9, 2.0))
        if rng.random() < 0.4:
            cluster.kill(rng.choice(cluster.workers))
            cluster.add_worker()
        kills += driver.poll() is None
        driver.kill()
        driver.wait()
        with State.open(home / "state") as state:
            starts = told(home, "S")
            for name, status in zip(plan.dag.names, state.status, strict=True):
                if status == JobStatus.DONE:
                    assert recorded.setdefault(name, starts.count(name)) == starts.count(name)
    assert kills >= 5
    with State.open(home / "state") as state:
        engine = Dask(plan, state, address=cluster.address)
        engine.submit()
        drive(engine)
        engine.close()
        check_all_done(plan, state, once=False)


def go_on(home: str, address: str) -> None:
    """Go on with the long plan in a process of its own."""
    with State.open(Path(home) / "state") as state:
        engine = Dask(long_plan(Path(home)), state, address=address)
        engine.submit()
        drive(engine)
        engine.close()
