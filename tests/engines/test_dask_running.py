"""Jobs as tasks of a real Dask cluster: order, priorities, failures, retries, scripts, limits, hostile text."""

from __future__ import annotations

import os
import random
import socket
from contextlib import suppress

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.engines._dask import Dask
from eligo.engines._dask import engine as dask_engine
from eligo.engines._engine import Happening
from eligo.engines._plan import Abort, Categories, Hook, Process, Task
from eligo.engines._state import JobStatus, State
from tests.engines.dask_runs import check_all_done, drive, happened, job, make_plan, new_state, run, told
from tests.guards import no_hang
from tests.simulation.dask_clusters import Cluster

pytest.importorskip("distributed")
pytestmark = pytest.mark.engine


@pytest.fixture(autouse=True)
def bounded():
    with no_hang(180):
        yield


@pytest.fixture(scope="module")
def clusters(tmp_path_factory):
    """Clusters of one and of two workers that all tests here use, and none harms; made when asked for."""
    made = {}

    def get(workers):
        if workers not in made:
            made[workers] = Cluster(tmp_path_factory.mktemp("dask"))
            for _ in range(workers):
                made[workers].add_worker()
        return made[workers].address

    yield get
    for cluster in made.values():
        cluster.close()


def test_five_jobs(clusters, tmp_path):
    r"""A diamond with a tail.

        a
       / \
      b   c
       \ /
        d - e
    """
    dag = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")])
    plan = make_plan(tmp_path, dag, lambda i: Task(dag.names[i], (job(tmp_path, dag.names[i], 0.1),)))
    state, events = run(plan, clusters(2))
    check_all_done(plan, state)
    order = told(tmp_path, "E")
    assert order[0] == "a"
    assert order[3:] == ["d", "e"]
    trace = state.trace(dag)
    assert not np.isnan(trace.end_s).any()
    for before, after in zip(dag.tails, dag.heads, strict=True):
        assert trace.end_s[before] <= trace.start_s[after]
    assert all(end - start >= 0.1 for start, end in zip(trace.start_s, trace.end_s, strict=True))
    assert (
        sorted(happened(events, Happening.STARTED)) == sorted(happened(events, Happening.SUCCEEDED)) == list(range(5))
    )
    assert all(cpu > 0 for cpu in state.cpu_s)
    assert all(peak > 1_000_000 for peak in state.peak_bytes)
    state.close()
    with State.open(state.folder) as again:
        assert again.status == [JobStatus.DONE] * 5


@pytest.mark.parametrize(
    "joined", [pytest.param(True, marks=pytest.mark.long), False], ids=["after one job", "from the start"]
)
def test_priorities_on_one_slot(clusters, tmp_path, joined):
    """Among jobs that could start together, the larger priority starts first; of equals the lower index."""
    rng = random.Random(7)
    names = ["gate", *(f"j{i}" for i in range(14))]
    edges = [(0, i) for i in range(1, 15)] if joined else []
    dag = Dag.from_edges(names, [a for a, _ in edges], [b for _, b in edges])
    priorities = [100, *(rng.choice([-3, 5, 7, 20, 2**31 - 1]) for _ in range(14))]
    plan = make_plan(tmp_path, dag, priorities=priorities)
    state, _ = run(plan, clusters(1))
    check_all_done(plan, state)
    wanted = sorted(range(15), key=lambda i: (joined and i > 0, -priorities[i], i))
    assert told(tmp_path, "S") == [names[i] for i in wanted]


def test_a_failure_stops_only_what_needs_it(clusters, tmp_path):
    dag = Dag.from_names([("bad", "child"), ("child", "grandchild"), ("good", "fine"), ("good", "grandchild")])

    def task(i):
        return Task(dag.names[i], (job(tmp_path, dag.names[i], code=3 if dag.names[i] == "bad" else 0),))

    plan = make_plan(tmp_path, dag, task)
    state, events = run(plan, clusters(2))
    assert sorted(told(tmp_path, "S")) == ["bad", "fine", "good"]
    (failed,) = [event for event in events if event.what is Happening.FAILED]
    assert (dag.names[failed.job], failed.exit_code, failed.text) == ("bad", 3, "ended with status 3")
    found = dict(zip(dag.names, state.status, strict=True))
    assert found["bad"] == JobStatus.FAILED
    assert found["child"] == found["grandchild"] == JobStatus.WAITING


def test_retries(clusters, tmp_path):
    """One succeeds at the third try, one has too few tries, one says that more are useless."""
    dag = Dag.from_edges(["third", "never", "useless"], [], [])
    script = 'echo x >> "$1"; test $(wc -l < "$1") -ge 3 || exit 4'

    def task(i):
        name = dag.names[i]
        process = Process(("sh", "-c", script, "sh", name), str(tmp_path))
        return Task(name, (process,), retries=1 if name == "never" else 5, unless_exit=4 if name == "useless" else None)

    state, events = run(make_plan(tmp_path, dag, task), clusters(2))
    assert state.status == [JobStatus.DONE, JobStatus.FAILED, JobStatus.FAILED]
    assert state.attempts == [3, 2, 1]
    assert sorted(happened(events, Happening.AGAIN)) == [0, 0, 1]


def test_scripts_around_a_job(clusters, tmp_path):
    """One is skipped by its script, one made good by it, one has a script that fails."""
    dag = Dag.from_edges(["skipped", "mended", "broken"], [], [])

    def script(code):
        return Hook(("sh", "-c", f"exit {code}"), str(tmp_path))

    tasks = [
        Task("skipped", (job(tmp_path, "skipped"),), before=script(7), skip_code=7),
        Task("mended", (job(tmp_path, "mended", code=1),), before=script(0), after=script(0)),
        Task("broken", (job(tmp_path, "broken"),), before=script(9), after=script(0)),
    ]
    state, _ = run(make_plan(tmp_path, dag, tasks.__getitem__), clusters(2))
    assert state.status == [JobStatus.DONE, JobStatus.DONE, JobStatus.FAILED]
    assert told(tmp_path, "S") == ["mended"]


def test_several_processes_and_none(clusters, tmp_path):
    """They run together on one slot; where one fails the others are ended."""
    dag = Dag.from_edges(["pair", "empty", "half"], [], [])
    wait = "touch $1; until test -e $2; do sleep 0.02; done"
    tasks = [
        Task(
            "pair", tuple(Process(("sh", "-c", f"touch {a}; {wait.format(b)}"), str(tmp_path)) for a, b in ("xy", "yx"))
        ),
        Task("empty"),
        Task("half", (job(tmp_path, "half", until="never"), Process(("false",), str(tmp_path)))),
    ]
    state, events = run(make_plan(tmp_path, dag, tasks.__getitem__), clusters(1))
    assert state.status == [JobStatus.DONE, JobStatus.DONE, JobStatus.FAILED]
    assert "signal 15" in next(event.text for event in events if event.what is Happening.FAILED)


def test_categories(clusters, tmp_path):
    """Of ten jobs at most one runs at a time, though there are two workers; their children run as well."""
    names = [f"c{i}" for i in range(6)] + [f"d{i}" for i in range(6)]
    dag = Dag.from_edges(names, list(range(6)), list(range(6, 12)))
    limits = Categories(np.array([0] * 6 + [-1] * 6, np.int32), np.array([1], np.int32))
    one = "mkdir busy || echo 'CLASH c' >> told; sleep 0.05; rmdir busy"

    def task(i):
        mine = Process(("sh", "-c", one), str(tmp_path)) if i < 6 else job(tmp_path, names[i])
        return Task(names[i], (mine,))

    state, _ = run(make_plan(tmp_path, dag, task, categories=limits), clusters(2))
    assert state.status == [JobStatus.DONE] * 12
    assert not told(tmp_path, "CLASH")


def test_abort_and_final(clusters, tmp_path):
    """One job ends the whole run: others are stopped, none starts, and the final task runs."""
    dag = Dag.from_names([("long", "later"), ("fatal", "after")])

    def task(i):
        name = dag.names[i]
        if name == "fatal":
            process = Process(("sh", "-c", "while ! grep -q 'S long' told; do sleep 0.02; done; exit 5"), str(tmp_path))
            return Task(name, (process,), retries=3, abort=Abort(5, returns=42))
        return Task(name, (job(tmp_path, name, until="never"),))

    final = Task("last", (job(tmp_path, "last"),))
    state, events = run(make_plan(tmp_path, dag, task, final=final), clusters(2))
    assert told(tmp_path, "S") == ["long", "last"]
    assert state.get("abort_status") == 42
    assert state.get("final")["status"] == "done"
    assert [dag.names[i] for i in happened(events, Happening.CANCELLED)] == ["long"]
    assert [dag.names[i] for i in happened(events, Happening.FAILED)] == ["fatal"]


def test_final_failure_is_told(clusters, tmp_path):
    dag = Dag.from_edges(["only"], [], [])
    final = Task("last", (Process(("sh", "-c", "echo bad; exit 1"), str(tmp_path)),))
    plan = make_plan(tmp_path, dag, final=final)
    state, _ = run(plan, clusters(1))
    assert [path.read_text() for path in Dask(plan, state, address=clusters(1)).logs(dag.n)] == ["bad\n"]
    assert state.status == [JobStatus.DONE]
    assert state.get("final")["status"] == "failed"


def test_a_cluster_of_our_own_wants_no_port_that_others_have(tmp_path, capfd):
    """Dask's dashboards are at 8787, and whoever has one there would be warned of each run."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # somebody has one there indeed
            other.bind(("127.0.0.1", 8787))
            other.listen()
        state, _ = run(make_plan(tmp_path, Dag.from_edges(["only"], [], [])), None, slots=1)
    assert state.status == [JobStatus.DONE]
    assert "8787" not in capfd.readouterr().err


HOSTILE = [
    "../../up",
    "$(touch pwned)",
    "a b\n; touch pwned #",
    "'\"`touch pwned`",
    "-rf",
    "x" * 10_000,
    "é\udcff",
    "%s{}",
]


@pytest.mark.long
def test_hostile_names_and_arguments(clusters, tmp_path):
    """Arguments, environment and names of files arrive unchanged, and nothing leaves its directory."""
    home = tmp_path / "home"
    home.mkdir()
    dag = Dag.from_edges(HOSTILE, [], [])

    def task(i):
        environment = {"VALUE": HOSTILE[i].replace("\0", ""), "ONLY": "1"}
        argv = ("sh", "-c", 'printf "%s\\0" "$@" "$VALUE"; echo oops >&2', "sh", *HOSTILE)
        out = str(home / f"out of {i}")
        return Task(HOSTILE[i], (Process(argv, str(home), environment, stdout=out),))

    plan = make_plan(home, dag, task)
    state = new_state(plan)
    engine = Dask(plan, state, address=clusters(2))
    engine.submit()
    drive(engine)
    assert state.status == [JobStatus.DONE] * len(HOSTILE)
    for i, name in enumerate(HOSTILE):
        found = (home / f"out of {i}").read_bytes().split(b"\0")
        assert found == [os.fsencode(text) for text in (*HOSTILE, name)] + [b""]
        (log,) = (path for path in engine.logs(i) if path.suffix == ".log")
        assert log.read_text() == "oops\n"
        assert log.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.rglob("pwned"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
    engine.close()


def test_what_cannot_start(clusters, tmp_path):
    """Each says clearly why."""
    dag = Dag.from_edges(["program", "directory", "input", "output"], [], [])
    processes = [
        Process(("no-such-program",), str(tmp_path)),
        Process(("true",), str(tmp_path / "missing")),
        Process(("true",), str(tmp_path), stdin=str(tmp_path / "no-input")),
        Process(("true",), str(tmp_path), stdout=str(tmp_path / "no" / "output")),
    ]
    plan = make_plan(tmp_path, dag, lambda i: Task(dag.names[i], (processes[i],)))
    state, _ = run(plan, clusters(1))
    assert state.status == [JobStatus.FAILED] * 4
    for reason, part in zip(
        state.reason, ["no-such-program", "missing' is not there", "no-input", "no/output"], strict=True
    ):
        assert part in reason


def test_environment_without_the_workers(clusters, tmp_path):
    dag = Dag.from_edges(["bare"], [], [])
    out = tmp_path / "out"
    process = Process(("/usr/bin/env",), str(tmp_path), {"A": "1"}, inherit=False, stdout=str(out))
    run(make_plan(tmp_path, dag, lambda _: Task("bare", (process,))), clusters(1))
    assert out.read_text() == "A=1\n"


def test_a_folder_that_workers_do_not_see(clusters, tmp_path):
    """The end of what a job printed comes back, and is written to its log."""
    dag = Dag.from_names([("a", "b")])
    plan = make_plan(tmp_path, dag, lambda i: Task(dag.names[i], (Process(("seq", "20000"), str(tmp_path)),)))
    state = new_state(plan)
    engine = Dask(plan, state, address=clusters(2))
    engine._folder = str(tmp_path / "elsewhere")
    engine.submit()
    drive(engine)
    assert state.status == [JobStatus.DONE] * 2
    (log,) = engine.logs(1)
    assert log.read_text().endswith("19999\n20000\n")
    assert log.stat().st_size <= 4096
    assert not (tmp_path / "elsewhere").exists()
    engine.close()


@pytest.mark.long
def test_a_cluster_of_our_own(tmp_path):
    """More jobs than fit one message, with dependencies across messages."""
    n = 60
    dag = Dag.from_edges(n, [i // 2 for i in range(1, n)], list(range(1, n)))
    plan = make_plan(
        tmp_path, dag, lambda i: Task(str(i), (Process(("sh", "-c", f"echo E {i} >> told"), str(tmp_path)),))
    )
    before, dask_engine._A_GRAPH = dask_engine._A_GRAPH, 7
    try:
        state, _ = run(plan, None, slots=2)
    finally:
        dask_engine._A_GRAPH = before
    assert state.status == [JobStatus.DONE] * n
    place = {int(name): k for k, name in enumerate(told(tmp_path, "E"))}
    assert len(place) == n
    assert all(place[i // 2] < place[i] for i in range(1, n))
    assert state.get("workers") == 2
