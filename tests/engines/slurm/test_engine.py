"""Workflows on a real Slurm."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.engines._engine import Happening
from eligo.engines._plan import Abort, Categories, Process, Sandbox, Task
from eligo.engines._slurm import Slurm
from eligo.engines._state import JobStatus
from eligo.errors import EngineError, ParseError
from tests.engines.slurm.plans import make_plan, open_state, run, shell, watch
from tests.reference.slurm_cluster import Cluster, need_cluster

pytestmark = pytest.mark.engine

# a   c
# |  / \
# b d   e
FIVE = Dag.from_names([("a", "b"), ("c", "d"), ("c", "e")])


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return use(need_cluster(), monkeypatch)


def use(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setenv("SLURM_CONF", cluster.conf)
    return cluster


def append(home: Path, word: str = "x") -> str:
    return f"echo {word} >>{home}/ran"


def ran(home: Path) -> list[str]:
    return (home / "ran").read_text().split() if (home / "ran").exists() else []


def told(events, what: Happening) -> list[int]:
    return [event.job for event in events if event.what is what]


def test_five_jobs(cluster, tmp_path):
    plan = make_plan(tmp_path, FIVE, lambda j: shell(FIVE.names[j], append(tmp_path, FIVE.names[j]), tmp_path))
    state, events = run(plan)
    assert state.status == [JobStatus.DONE] * 5
    assert sorted(ran(tmp_path)) == list("abcde")
    assert sorted(told(events, Happening.STARTED)) == sorted(told(events, Happening.SUCCEEDED)) == [0, 1, 2, 3, 4]
    for job in range(5):
        assert state.start_s[job] <= state.end_s[job]
        assert all(state.end_s[parent] <= state.start_s[job] for parent in FIVE.parents(job).tolist())
    assert state.handle == [""] * 5
    assert state.get("workers") >= 1


@pytest.mark.parametrize(
    ("priority", "order"),
    [
        ("multifactor", "caedb"),
        ("basic", "cdeab"),
        pytest.param("multifactor", "cdeab", marks=pytest.mark.long),
        pytest.param("basic", "caedb", marks=pytest.mark.long),
    ],
)
def test_on_one_slot_the_highest_priority_starts_first(monkeypatch, tmp_path, priority, order):
    cluster = use(need_cluster(cpus=1, priority=priority), monkeypatch)
    blocker = cluster.block(60)
    plan = make_plan(tmp_path, FIVE, lambda j: shell(FIVE.names[j], append(tmp_path, FIVE.names[j]), tmp_path), order)
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, lambda _: state.handle.count("") == 0 and not any("-" in handle for handle in state.handle))
        cluster.run("scancel", blocker)
        watch(engine)
        engine.close()
        start = engine.collect().start_s
    assert "".join(ran(tmp_path)) == order
    assert "".join(FIVE.names[job] for job in np.argsort(start)) == order


@pytest.mark.long
def test_where_nice_has_no_room_a_note_says_so_and_an_operator_can_help(monkeypatch, tmp_path):
    cluster = use(need_cluster(cpus=1, conf="PriorityWeightPartition=0"), monkeypatch)
    order = "caedb"
    for number, options in enumerate([[], ["--priority=1000"]]):
        home = tmp_path / str(number)
        home.mkdir()
        blocker = cluster.block(60)
        plan = make_plan(
            home, FIVE, lambda j, home=home: shell(FIVE.names[j], append(home, FIVE.names[j]), home), order
        )
        with open_state(plan) as state:
            engine = Slurm(plan, state, options)
            engine.submit()
            events = watch(engine, lambda _, s=state: not any(h == "" or "-" in h for h in s.handle))
            cluster.run("scancel", blocker)
            events += watch(engine)
            engine.close()
        notes = [event.text for event in events if event.what is Happening.NOTE]
        if options:
            assert not notes
            assert "".join(ran(home)) == order
        else:
            assert "room for" in notes[0]
            assert len(ran(home)) == 5


def test_what_needs_a_failed_job_never_runs_and_the_rest_goes_on(cluster, tmp_path):
    # a -> b -> f, c (fails) -> d, e -> g
    dag = Dag.from_names([("a", "b"), ("b", "f"), ("c", "d"), ("c", "e"), ("e", "g")])

    def task(job: int) -> Task:
        return shell(dag.names[job], "exit 3" if dag.names[job] == "c" else append(tmp_path, dag.names[job]), tmp_path)

    plan = make_plan(tmp_path, dag, task)
    state, events = run(plan)
    assert ran(tmp_path) == ["a", "b", "f"]
    assert {name for name, status in zip(dag.names, state.status, strict=True) if status == JobStatus.WAITING} == set(
        "deg"
    )
    assert state.status[dag.index("c")] == JobStatus.FAILED
    failure = next(event for event in events if event.what is Happening.FAILED)
    assert (failure.exit_code, failure.text) == (3, "ended with status 3")
    assert cluster.run("squeue", "-h", "-t", "pending").strip() == ""


def test_retries_and_scripts(cluster, tmp_path):
    dag = Dag.from_edges(1, [], [])
    fail_twice = f"{append(tmp_path)}; [ $(wc -l <{tmp_path}/ran) -ge 3 ]"
    plan = make_plan(tmp_path, dag, lambda _: shell("a", fail_twice, tmp_path, retries=3))
    state, events = run(plan)
    assert state.status == [JobStatus.DONE]
    assert state.attempts == [3]
    assert [event.attempt for event in events if event.what is Happening.AGAIN] == [1, 2]
    assert len(ran(tmp_path)) == 3


def test_hostile_names_and_arguments_arrive_unchanged(cluster, tmp_path):
    names = ["../../../etc/x", "$(touch hit)", "a'b\"c\n#SBATCH --array=0-3\n", "-rf --wrap=x", "x" * 10_000, "%j %A é"]
    dag = Dag.from_edges(names, [], [])
    show = "import os, sys; words = [*sys.argv[2:], os.environ['V']]; open(sys.argv[1], 'w').write('\\0'.join(words))"

    def task(job: int) -> Task:
        argv = (sys.executable, "-c", show, str(tmp_path / f"out{job}"), *names)
        return Task(names[job], (Process(argv, str(tmp_path), {"V": names[job]}),))

    state, _ = run(make_plan(tmp_path, dag, task))
    assert state.status == [JobStatus.DONE] * dag.n
    for job, name in enumerate(names):
        assert (tmp_path / f"out{job}").read_text() == "\0".join([*names, name])
    assert not (tmp_path / "hit").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"x.dot.eligo", *(f"out{job}" for job in range(dag.n))}


def test_output_without_a_place_is_in_the_log(cluster, tmp_path):
    dag = Dag.from_names([], ["a"])
    plan = make_plan(tmp_path, dag, lambda _: shell("a", "echo out; echo err >&2; exit 1", tmp_path))
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine)
        (log,) = engine.logs(0)
        engine.close()
    assert log.read_text() == "out\nerr\n"
    assert log.stat().st_mode & 0o077 == 0 or log.parent.stat().st_mode & 0o077 == 0


def sleepers(home: Path, dag: Dag, seconds: float = 60) -> object:
    def task(job: int) -> Task:
        return shell(dag.names[job], f"{append(home, dag.names[job])}; [ -e {home}/go ] || sleep {seconds}", home)

    return task


@pytest.mark.parametrize("kill", [pytest.param(False, marks=pytest.mark.long), True])
def test_cancel_and_resume(cluster, tmp_path, kill):
    dag = Dag.from_names([("a", "b"), ("b", "c")])
    plan = make_plan(tmp_path, dag, sleepers(tmp_path, dag, 60 if kill else 2))
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, lambda events: 0 in told(events, Happening.STARTED))
        engine.cancel(kill=kill)
        events = watch(engine)
        engine.close()
        assert state.status == [JobStatus.WAITING if kill else JobStatus.DONE, JobStatus.WAITING, JobStatus.WAITING]
        assert told(events, Happening.CANCELLED) == ([0] if kill else [])
        assert state.handle == [""] * 3
    cluster.until(lambda: cluster.run("squeue", "-h").strip() == "")
    (tmp_path / "go").touch()
    state, _ = run(plan)
    assert state.status == [JobStatus.DONE] * 3
    assert ran(tmp_path) == (["a"] if kill else []) + ["a", "b", "c"]


DRIVER = """
    import sys
    from pathlib import Path
    from eligo.dag import Dag
    from eligo.engines._slurm import Slurm
    from tests.engines.slurm.plans import make_plan, open_state, shell, watch

    home, seconds = Path(sys.argv[1]), sys.argv[2]
    dag = Dag.from_names([(f"a{i}", f"b{i}") for i in range(10)])
    text = "echo %s begin >>{h}/ran; sleep {s}; echo %s end >>{h}/ran".format(h=home, s=seconds)
    plan = make_plan(home, dag, lambda j: shell(dag.names[j], text % (dag.names[j], dag.names[j]), home))
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        print("going", flush=True)
        watch(engine)
        print(state.status, flush=True)
"""


def start_driver(home: Path, seconds: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", textwrap.dedent(DRIVER), str(home), seconds]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])


@pytest.mark.parametrize(
    "after_s", [0.2, *(pytest.param(after_s, marks=pytest.mark.long) for after_s in (0, 0.1, 0.5, 1))]
)
def test_kill_and_resume_runs_each_job_once(cluster, tmp_path, after_s):
    with start_driver(tmp_path, "0.3") as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "going\n"
        time.sleep(after_s)
        first.send_signal(signal.SIGKILL)
    with start_driver(tmp_path, "0.3") as second:
        out, _ = second.communicate(timeout=90)
    assert out.splitlines()[-1] == str([int(JobStatus.DONE)] * 20)
    lines = (tmp_path / "ran").read_text().splitlines()
    assert len(lines) == len(set(lines)) == 40


def test_a_submission_of_which_nobody_heard_is_found_again_or_never_starts(cluster, tmp_path, monkeypatch):
    """We die after sbatch was asked: one job is in the queue, the other's sbatch comes later than the next Eligo."""
    dag = Dag.from_names([], ["a", "b"])
    plan = make_plan(tmp_path, dag, lambda j: shell(dag.names[j], append(tmp_path, dag.names[j]), tmp_path))
    blocker = cluster.block(60, cpus=4)
    asked: list[list[str]] = []
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        monkeypatch.setattr(engine._commands, "start", lambda argv, done: asked.append(argv))
        engine.submit()
        engine._submitter._known = True
        engine.watch(0.1)
    submissions = [argv for argv in asked if argv[0] == "sbatch"]
    assert len(submissions) == 2
    cluster.run(*submissions[0])
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        cluster.run(*submissions[1])
        cluster.run("scancel", blocker)
        watch(engine)
        engine.close()
        assert state.status == [JobStatus.DONE] * 2
    cluster.until(lambda: cluster.run("squeue", "-h").strip() == "")
    assert sorted(ran(tmp_path)) == ["a", "b"]


@pytest.mark.long
def test_ends_are_not_missed_when_slurm_has_forgotten(monkeypatch, tmp_path):
    """Nobody watches for longer than Slurm remembers; children of what failed must not run meanwhile."""
    cluster = use(need_cluster(cpus=4, conf="MinJobAge=2"), monkeypatch)
    dag = Dag.from_names([("a", "b"), ("c", "d")])

    def task(job: int) -> Task:
        name = dag.names[job]
        return shell(name, f"{append(tmp_path, name)}; sleep 1; {'exit 1' if name == 'c' else 'exit 0'}", tmp_path)

    plan = make_plan(tmp_path, dag, task)
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, lambda events: len(told(events, Happening.STARTED)) == 2)
        engine.close()
    cluster.until(lambda: cluster.run("squeue", "-h", "-t", "all").strip() == "", 90)
    state, _ = run(plan)
    assert state.status == [JobStatus.DONE, JobStatus.DONE, JobStatus.FAILED, JobStatus.WAITING]
    assert sorted(ran(tmp_path)) == ["a", "b", "c"]


@pytest.mark.long
def test_slurm_comes_back_with_an_empty_queue(monkeypatch, tmp_path):
    """While nobody watched, all was lost: what had ended stays so, what ran is said to run again."""
    cluster = use(need_cluster(cpus=3), monkeypatch)
    dag = Dag.from_names([("a", "b"), ("c", "d")])
    seconds = {"a": "0.2", "b": "0", "c": "$(test -e again && echo 0 || echo 60)", "d": "0"}

    def task(job: int) -> Task:
        name = dag.names[job]
        return shell(name, f"cd {tmp_path}; {append(tmp_path, name)}; sleep {seconds[name]}", tmp_path)

    plan = make_plan(tmp_path, dag, task)
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        ended = {dag.names.index("a"), dag.names.index("b")}
        watch(engine, lambda events: {*told(events, Happening.SUCCEEDED)} == ended and len(ran(tmp_path)) == 3)
        engine.close()
    cluster.tool("down")
    with open_state(plan) as state, pytest.raises(EngineError, match="does not answer"):
        Slurm(plan, state)
    cluster.tool("up")
    (tmp_path / "again").touch()
    state, events = run(plan)
    assert state.status == [JobStatus.DONE] * 4
    assert sorted(ran(tmp_path)) == ["a", "b", "c", "c", "d"]
    assert told(events, Happening.AGAIN) == state.get("repeated") == [dag.names.index("c")]


@pytest.mark.long
def test_a_lost_worker_is_told_and_the_job_runs_again(monkeypatch, tmp_path):
    cluster = use(need_cluster(cpus=1, priority="multifactor"), monkeypatch)
    dag = Dag.from_names([("a", "b")])
    plan = make_plan(tmp_path, dag, sleepers(tmp_path, dag))
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, lambda events: 0 in told(events, Happening.STARTED))
        cluster.run("scontrol", "update", "node=n1", "state=down", "reason=x")
        (tmp_path / "go").touch()
        events = watch(engine, lambda events: 0 in told(events, Happening.AGAIN))
        assert state.status[0] == JobStatus.WAITING
        assert [event.text for event in events if event.what is Happening.AGAIN] == ["its worker was lost"]
        cluster.run("scontrol", "update", "node=n1", "state=resume")
        events = watch(engine)
        engine.close()
    assert state.status == [JobStatus.DONE] * 2
    assert told(events, Happening.STARTED) == [0, 1]
    assert ran(tmp_path) == ["a", "a", "b"]


@pytest.mark.parametrize("option", ["--no-requeue", "--requeue"])
@pytest.mark.long
def test_a_node_that_vanishes(monkeypatch, tmp_path, option):
    cluster = use(need_cluster(cpus=1, nodes=2, conf="#vanish"), monkeypatch)
    dag = Dag.from_names([("a", "b")])
    plan = make_plan(tmp_path, dag, sleepers(tmp_path, dag))
    with open_state(plan) as state:
        engine = Slurm(plan, state, [option])
        engine.submit()
        watch(engine, lambda events: 0 in told(events, Happening.STARTED))
        node = cluster.run("squeue", "-h", "-t", "running", "-o", "%N").strip()
        cluster.tool("crash", node)
        (tmp_path / "go").touch()
        events = watch(engine, timeout_s=150)
        engine.close()
    cluster.tool("boot", node)
    assert state.status == [JobStatus.DONE] * 2
    assert told(events, Happening.AGAIN) == [0]
    assert ran(tmp_path) == ["a", "a", "b"]


@pytest.mark.long
def test_what_others_cancel_has_failed(cluster, tmp_path):
    dag = Dag.from_names([("a", "b")], ["c"])
    plan = make_plan(tmp_path, dag, sleepers(tmp_path, dag))
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, lambda events: {dag.index("a"), dag.index("c")} <= set(told(events, Happening.STARTED)))
        cluster.run("scancel", state.handle[dag.index("a")].split()[1])
        (tmp_path / "go").touch()
        watch(engine, lambda events: bool(told(events, Happening.FAILED)))
        engine.cancel(kill=True)
        watch(engine)
        engine.close()
    assert "not by Eligo" in state.reason[dag.index("a")]
    assert state.status[dag.index("b")] == JobStatus.WAITING


@pytest.mark.long
def test_more_jobs_than_slurm_takes(monkeypatch, tmp_path):
    use(need_cluster(cpus=4, conf="MaxJobCount=12\nMinJobAge=2"), monkeypatch)
    dag = Dag.from_names([(f"a{i}", f"b{i}") for i in range(15)])
    plan = make_plan(tmp_path, dag, lambda j: shell(dag.names[j], append(tmp_path, dag.names[j]), tmp_path))
    state, _ = run(plan, timeout_s=120)
    assert state.status == [JobStatus.DONE] * 30
    assert len(ran(tmp_path)) == len(set(ran(tmp_path))) == 30


def test_abort_ends_the_run_and_the_final_task_runs(cluster, tmp_path):
    dag = Dag.from_names([("a", "b")], ["c"])

    def task(job: int) -> Task:
        if dag.names[job] == "a":
            return shell("a", "sleep 1; exit 3", tmp_path, retries=5, abort=Abort(3, 7))
        return shell(dag.names[job], f"{append(tmp_path, dag.names[job])}; sleep 60", tmp_path)

    final = shell("end", append(tmp_path, "end"), tmp_path)
    state, _ = run(make_plan(tmp_path, dag, task, final=final))
    assert state.get("abort_status") == 7
    assert [state.status[dag.index(name)] for name in "abc"] == [JobStatus.FAILED, JobStatus.WAITING, JobStatus.WAITING]
    assert ran(tmp_path) == ["c", "end"]
    assert state.get("final")["status"] == "done"


def test_final_task_that_fails(cluster, tmp_path):
    dag = Dag.from_names([], ["a"])
    final = shell("end", "echo bad; exit 2", tmp_path)
    plan = make_plan(tmp_path, dag, lambda _: shell("a", "exit 1", tmp_path), final=final)
    state, _ = run(plan)
    with open_state(plan) as again:
        assert [path.read_text() for path in Slurm(plan, again).logs(dag.n)] == ["bad\n"]
    assert (state.get("final")["status"], state.get("final")["reason"]) == ("failed", "ended with status 2")


def test_categories_hold_jobs_back(cluster, tmp_path):
    dag = Dag.from_names([], [f"j{i}" for i in range(6)])
    text = f"mkdir {tmp_path}/one || exit 1; sleep 0.1; rmdir {tmp_path}/one"
    plan = make_plan(
        tmp_path,
        dag,
        lambda j: shell(dag.names[j], text if j < 3 else "true", tmp_path),
        categories=Categories(np.array([0, 0, 0, -1, -1, -1], np.int32), np.array([1], np.int32)),
    )
    state, _ = run(plan)
    assert state.status == [JobStatus.DONE] * 6


def test_memory_and_cores_are_asked_for(cluster, tmp_path):
    dag = Dag.from_names([], ["a"])
    text = f"scontrol -o show job $SLURM_JOB_ID >{tmp_path}/show"
    plan = make_plan(tmp_path, dag, lambda _: shell("a", text, tmp_path, memory_bytes=100_000_001, cpus=2))
    run(plan, ["--time", "7"])
    show = (tmp_path / "show").read_text()
    assert "MinMemoryNode=96M" in show
    assert "CPUs/Task=2" in show
    assert "TimeLimit=00:07:00" in show
    assert "JobName=0-a" in show


def test_what_cannot_be_done_is_refused_before_anything_starts(cluster, tmp_path):
    dag = Dag.from_names([], ["a"])
    sandboxed = Task("a", (Process(("true",), "/", sandbox=Sandbox()),), path="x.dag", line=7)
    for task, text in [
        (sandboxed, "x.dag:7: job 'a' wants its files transferred"),
        (Task("a", memory_bytes=1 << 50, path="x.dag", line=7), "x.dag:7: job 'a' asks for more than Slurm can give"),
        (Task("a", cpus=1000, path="x.dag", line=7), "x.dag:7: job 'a' asks for more than Slurm can give"),
    ]:
        plan = make_plan(tmp_path, dag, lambda _, task=task: task)
        with open_state(plan) as state, pytest.raises(ParseError) as error:
            Slurm(plan, state)
        assert text in str(error.value)
    plan = make_plan(tmp_path, dag, lambda _: Task("a"))
    with open_state(plan) as state, pytest.raises(EngineError, match="invalid partition"):
        Slurm(plan, state, ["-p", "no-such"])


def test_without_slurm_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    plan = make_plan(tmp_path, FIVE, lambda _: Task("a"))
    with open_state(plan) as state, pytest.raises(EngineError, match="slurm-client"):
        Slurm(plan, state)
