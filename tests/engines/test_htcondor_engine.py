"""The engine on a real HTCondor: what runs, in which order, how often; stopped, killed, and gone on with.

Jobs write a line into a file of their own each time they run, so that "never twice" can be seen.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from eligo._cli import main
from eligo.dag import Dag
from eligo.engines._engine import Event, Happening
from eligo.engines._plan import Plan, Process, Task
from eligo.engines._rescue import read_rescue, write_rescue
from eligo.engines._run import Outcome, Run, start
from eligo.engines._state import JobStatus
from eligo.errors import EngineError
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._source import Source
from tests.engines.test_htcondor import SMALL, wait_for_children, write_dag
from tests.reference.condor_log import passed_over, preferred, read_starts
from tests.reference.condor_pool import need_pool, pool_path, run_dag, run_in_pool

pytestmark = pytest.mark.engine

PATIENCE_S = 90.0
STARTED, SUCCEEDED, FAILED, AGAIN = Happening.STARTED, Happening.SUCCEEDED, Happening.FAILED, Happening.AGAIN

WORK = """#!/bin/sh
# Count this run, then sleep: the second argument is for the first time, the third for all others.
first=yes
[ ! -e "$1.ran" ] || first=no
echo ran >> "$1.ran"
if [ $first = yes ]; then sleep "$2"; else sleep "$3"; fi
[ "$4" != "$first" ]
"""
"""What a job does; the fourth argument says when it fails: ``yes`` the first time, ``no`` all others, ``-`` never."""


@pytest.fixture(autouse=True)
def _pool(monkeypatch: pytest.MonkeyPatch) -> None:
    need_pool()
    monkeypatch.setenv("PATH", pool_path())
    monkeypatch.setenv("POOL_MIRROR", "none")  # or each command asks apt for one


def submit_file(path: Path, *more: str) -> None:
    lines = ["executable = work.sh", 'arguments = "$(JOB) $(first) $(later) $(fails)"', "should_transfer_files = no"]
    path.write_text("\n".join([*lines, *more, "queue"]) + "\n")


def write_flow(folder: Path, edges: str, *lines: str, **times: tuple[float, float, str]) -> Path:
    """Write a DAG of the jobs in `edges` ("a-b b-c d"), each with (first, later, fails), 0 seconds unless given."""
    (work := folder / "work.sh").write_text(WORK)
    work.chmod(0o755)
    submit_file(folder / "work.sub")
    jobs = list(dict.fromkeys(edges.replace("-", " ").split()))
    text = [f"JOB {job} work.sub" for job in jobs]
    for job in jobs:
        first, later, fails = times.get(job, (0, 0, "-"))
        text.append(f'VARS {job} first="{first}" later="{later}" fails="{fails}"')
    text += [f"PARENT {' CHILD '.join(edge.split('-'))}" for edge in edges.split() if "-" in edge]
    (flow := folder / "flow.dag").write_text("\n".join([*text, *lines]) + "\n")
    return flow


def plan_of(flow: Path, priorities: Sequence[int] | None = None) -> Plan:
    document = open_document(flow)
    n = document.dag.n
    numbers = np.array(priorities or range(n, 0, -1), np.int32)
    return Plan(document, document.dag, numbers, lambda job: Task(document.dag.names[job]), flow.parent)


def until(run: Run, enough: Callable[[list[Event]], bool] = lambda _: False) -> list[Event]:
    """Watch until the run is over or what happened is enough."""
    events: list[Event] = []
    deadline = time.monotonic() + PATIENCE_S
    while not run.over and not enough(events):
        assert time.monotonic() < deadline, events
        events += run.watch(0.5)
    return events


def complete(plan: Plan, *, resume: bool = False, options: Sequence[str] = ()) -> tuple[list[Event], Outcome]:
    with start(plan, "htcondor", resume=resume, options=options) as run:
        events = until(run)
        return events, run.finish()


def happened(events: Sequence[Event], what: Happening) -> list[int]:
    return [event.job for event in events if event.what is what and event.job >= 0]


def times_run(folder: Path) -> dict[str, int]:
    return {path.name.removesuffix(".ran"): len(path.read_text().splitlines()) for path in sorted(folder.glob("*.ran"))}


def submissions(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "flow.dag.eligo" / "htcondor").iterdir())


def test_a_dag_runs(tmp_path):
    """Five jobs, a-b, a-c, d-e; each starts and ends once, children after parents, and the user's files stay."""
    flow = write_flow(tmp_path, "a-b a-c d-e", b=(1.2, 0, "-"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    plan = plan_of(flow)
    events, outcome = complete(plan, options=["-maxidle", "100"])
    assert outcome.exit_status == 0
    assert (outcome.done, outcome.failed, outcome.never) == (5, [], 0)
    for what in (STARTED, SUCCEEDED):
        assert sorted(happened(events, what)) == list(range(5))
    order = [(event.what, event.job) for event in events]
    for tail, head in zip(plan.dag.tails.tolist(), plan.dag.heads.tolist(), strict=True):
        assert order.index((SUCCEEDED, tail)) < order.index((STARTED, head))
        assert outcome.trace.end_s[tail] <= outcome.trace.start_s[head]
    assert outcome.trace.end_s[1] - outcome.trace.start_s[1] >= 1
    assert outcome.trace.worker.min() >= 0
    assert times_run(tmp_path) == dict.fromkeys("abcde", 1)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path.suffix != ".ran"}
    assert after == before
    assert complete(plan, resume=True)[0] == []  # nothing is left to do
    assert times_run(tmp_path) == dict.fromkeys("abcde", 1)


def test_a_failure_stops_only_what_needs_it(tmp_path):
    plan = plan_of(write_flow(tmp_path, "bad-orphan good", bad=(0, 0, "yes")))
    events, outcome = complete(plan)
    assert (outcome.done, outcome.failed, outcome.never) == (1, [(0, "ended with status 1")], 1)
    assert (outcome.exit_status, happened(events, FAILED)) == (1, [0])
    assert times_run(tmp_path) == {"bad": 1, "good": 1}


@pytest.mark.long
def test_what_fails_and_what_does_not(tmp_path):
    """Retries, scripts, jobs that do nothing; the rest goes on, and going on later runs only what is not done."""
    lines = (
        "RETRY again 2",
        "SCRIPT POST rescued /bin/true",
        "SCRIPT PRE never /bin/false",
        "SCRIPT PRE skipped /bin/false",
        "PRE_SKIP skipped 1",
        "JOB nothing work.sub NOOP",
        "JOB done work.sub DONE",
        "FINAL last work.sub",
        'VARS last first="0" later="0" fails="-"',
    )
    flow = write_flow(
        tmp_path, "bad-orphan again rescued never skipped good", *lines, bad=(0, 0, "yes"), again=(0, 0, "yes"),
        rescued=(0, 0, "yes"),
    )  # fmt: skip
    plan = plan_of(flow)
    names = plan.dag.names
    events, outcome = complete(plan)
    assert outcome.exit_status == 1
    assert {names[job]: reason for job, reason in outcome.failed} == {
        "bad": "ended with status 1",
        "never": "the script before it ended with status 1",
    }
    assert outcome.never == 1
    assert [names[job] for job in happened(events, AGAIN)] == ["again"]
    assert sorted(names[job] for job in happened(events, FAILED)) == ["bad", "never"]
    ended = sorted(names[job] for job in happened(events, SUCCEEDED))
    assert ended == ["again", "good", "nothing", "rescued", "skipped"]
    ran = {"again": 2, "bad": 1, "good": 1, "last": 1, "rescued": 1}
    assert times_run(tmp_path) == ran
    events, outcome = complete(plan, resume=True)
    assert [names[job] for job, _ in outcome.failed] == ["never"]
    assert times_run(tmp_path) == ran | {"bad": 2, "orphan": 1, "last": 2}


@pytest.mark.long
def test_higher_priority_starts_first(tmp_path):
    """On one slot, of jobs idle together the one with the higher priority starts first."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    flow = write_dag(tmp_path / "flow.dag", SMALL, f"SlotID == {1 + int(worker) % 2}")
    wait_for_children(tmp_path, SMALL)
    names = open_document(flow).dag.names
    wanted = ["root", "fork", "a2", "a3", "a1", "x", "b3", "y", "b2", "b1"]
    priorities = {name: len(wanted) - place for place, name in enumerate(wanted)}
    _, outcome = complete(plan_of(flow, [priorities[name] for name in names]))
    assert outcome.exit_status == 0
    starts = read_starts(tmp_path / "events.log")
    assert {start.node: start.priority for start in starts} == priorities
    assert passed_over(starts, priorities) == []
    assert preferred(starts, priorities)


@pytest.mark.parametrize(
    "given",
    [
        "in the file",
        pytest.param("in an included file", marks=pytest.mark.long),
        pytest.param("by eligo prioritize --style vars", marks=pytest.mark.long),
    ],
)
def test_priorities_of_the_plan_take_the_place_of_those_in_the_file(given, tmp_path):
    """The plan is the truth: whoever made it knew what the file says."""
    flow = write_dag(tmp_path / "flow.dag", {"a": [], "b": [], "c": []}, "true")
    if given == "in the file":
        flow.write_text(f"{flow.read_text()}PRIORITY c 50\n")
    elif given == "in an included file":
        (tmp_path / "more.dag").write_text("PRIORITY c 50\nPRIORITY b 40\n")
        flow.write_text(f"{flow.read_text()}INCLUDE more.dag\n")
    else:
        assert main(["prioritize", str(flow), "--in-place", "--style", "vars"]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    _, outcome = complete(plan_of(flow, [7, 9, 8]))
    assert outcome.exit_status == 0
    starts = read_starts(tmp_path / "events.log")
    assert {start.node: start.priority for start in starts} == {"a": 7, "b": 9, "c": 8}
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


@pytest.mark.long
@pytest.mark.parametrize("kill", [False, True], ids=["gently", "at once"])
def test_stopped_and_gone_on_with(kill, tmp_path):
    """Stopped while one runs; gently, that one ends well. Later everything else runs, and what was done does not."""
    final = ["FINAL end work.sub", 'VARS end first="0" later="0" fails="-"'] if kill else []
    flow = write_flow(tmp_path, "quick-slow slow-next other-last", *final, slow=(3 if not kill else 60, 0, "-"))
    plan = plan_of(flow)
    slow = plan.dag.names.index("slow")
    with start(plan, "htcondor") as run:
        until(run, lambda events: slow in happened(events, STARTED))
        (run.terminate if kill else run.stop)()
        events = until(run)
        outcome = run.finish()
    assert (outcome.exit_status, outcome.failed, run.state.get("final")) == (1, [], None)
    assert happened(events, FAILED) + happened(events, AGAIN) == []
    assert (slow in happened(events, Happening.CANCELLED)) == kill
    assert (slow in happened(events, SUCCEEDED)) != kill
    assert run_in_pool(["condor_q", "-constraint", f'Iwd == "{tmp_path}"', "-af", "ClusterId"], tmp_path) == ""
    assert "next" not in times_run(tmp_path)
    done = [status == JobStatus.DONE for status in run.state.status]
    assert read_rescue(plan.document, tmp_path / "flow.dag.eligo" / "htcondor" / "1" / "flow.dag") == done
    events, outcome = complete(plan, resume=True)
    assert (outcome.exit_status, happened(events, FAILED), happened(events, AGAIN)) == (0, [], [])
    expected = dict.fromkeys(plan.dag.names, 1) | {"slow": 1 + kill}
    assert times_run(tmp_path) == (expected | {"end": 2} if kill else expected)  # DAGMan runs FINAL when removed, too


DRIVER = """
import sys
from pathlib import Path
from tests.engines.test_htcondor_engine import plan_of, until
from eligo.engines._run import start
with start(plan_of(Path(sys.argv[1])), "htcondor") as run:
    while not run.over:
        for event in run.watch(0.5):
            print(event.what.name, event.job, flush=True)
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """An Eligo in a process of its own."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "flow.dag")]
    env = os.environ | {"PYTHONPATH": str(root)}
    write_flow(tmp_path, "a-slow slow-b", slow=(4, 0, "-"))
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        yield process
        process.kill()


@pytest.mark.long
def test_killed_and_gone_on_with(driver, tmp_path):
    """Eligo is killed, DAGMan is not: going on means following it."""
    plan = plan_of(tmp_path / "flow.dag")
    slow = plan.dag.names.index("slow")
    for line in driver.stdout:
        if line == f"STARTED {slow}\n":
            break
    driver.kill()
    driver.wait(10)
    events, outcome = complete(plan, resume=True)
    assert outcome.exit_status == 0
    assert happened(events, Happening.ADOPTED) == [slow]
    assert Counter(happened(events, SUCCEEDED)) == {slow: 1, plan.dag.names.index("b"): 1}
    assert submissions(tmp_path) == ["1"]
    assert times_run(tmp_path) == {"a": 1, "b": 1, "slow": 1}


@pytest.mark.long
def test_a_submission_nobody_recorded(tmp_path):
    """Killed between the queue's word and ours: the DAGMan is found by its log, or by its mark in the queue."""
    plan = plan_of(write_flow(tmp_path, "a-b", a=(3, 0, "-")))
    with start(plan, "htcondor") as run:
        run.watch(0.1)
    log = tmp_path / "flow.dag.eligo" / "htcondor" / "1" / "flow.dag.dagman.log"
    log.rename(aside := log.with_name("aside"))
    with start(plan, "htcondor", resume=True) as run:
        run.watch(0.1)
    aside.rename(log)
    refused = pytest.raises(EngineError, match="another run of this workflow is in HTCondor's queue")
    with start(plan, "htcondor", folder=tmp_path / "elsewhere") as run, refused:
        run.watch(0.1)
    assert complete(plan, resume=True)[1].exit_status == 0
    assert submissions(tmp_path) == ["1"]
    assert times_run(tmp_path) == {"a": 1, "b": 1}


@pytest.mark.long
def test_a_worker_is_lost(tmp_path):
    """A job is thrown out in the middle, and runs again."""
    plan = plan_of(write_flow(tmp_path, "a-b", a=(60, 0, "-")))
    with start(plan, "htcondor") as run:
        until(run, lambda events: 0 in happened(events, STARTED))
        run_in_pool(["condor_vacate_job", "-fast", run.state.handle[0]], tmp_path)
        events = until(run)
        outcome = run.finish()
    assert outcome.exit_status == 0
    assert [(event.what, event.job, event.attempt) for event in events if event.job == 0] == [
        (AGAIN, 0, 1),
        (STARTED, 0, 2),
        (SUCCEEDED, 0, 2),
    ]
    assert "worker was lost" in next(event.text for event in events if event.what is AGAIN)
    assert times_run(tmp_path) == {"a": 2, "b": 1}


NASTY = [
    "$",
    "$$",
    "$(",
    "$$(",
    "$ENV(",
    ")",
    "(x)",
    "'",
    '"',
    "\\",
    " ",
    "\t",
    "#",
    "%d",
    "=",
    ";",
    "|",
    "ü",
    "\x7f",
    "",
]
NAMES = ["../../x", "a b", "$(x) 'q' \"", "new\nline", "x" * 10_000, "-force", "PARENT"]


@pytest.mark.long
def test_hostile_text(tmp_path):
    """Arguments, environment and paths arrive as they are, whatever they hold; names lead nowhere."""
    draw = random.Random(7)
    arguments = ["".join(draw.choices(NASTY, k=draw.randrange(8))) for _ in range(300)]
    (where := tmp_path / "it's $(a) $ #1").mkdir()
    out = where / 'out "$(x)" 1'
    value = "two  'words' \"and\" $(more) $$(x) \\"

    def task(job: int) -> Task:
        if job == 0:
            process = Process(("printf", r"%s\0", *arguments), str(where), stdout=str(out))
        else:
            process = Process(("env", "-0"), str(where), {"ELIGO_TEST": value}, inherit=job % 2 == 0)
        return Task(NAMES[job], (process,))

    dag = Dag.from_edges(NAMES, [0, 1], [1, 2])
    document = Document(dag, "edgelist", Source(str(tmp_path / "my flow.csv"), b""))
    end = Task("the\nend", (Process(("sh", "-c", "echo bad; exit 2"), str(where)),))
    plan = Plan(document, dag, np.arange(1, 1 + dag.n, dtype=np.int32), task, tmp_path, final=end)
    with start(plan, "htcondor") as run:
        until(run)
        outcome = run.finish()
        assert (outcome.done, outcome.exit_status, bool(outcome.final)) == (dag.n, 1, True)
        assert [path.read_text() for path in run.engine.logs(dag.n) if path.stat().st_size] == ["bad\n"]
        for job in range(1, dag.n):
            (log,) = [path for path in run.engine.logs(job) if path.stat().st_size]
            assert f"ELIGO_TEST={value}".encode() in log.read_bytes().split(b"\0")
            assert log.parent == run.state.folder / "logs"
            assert log.stat().st_mode & 0o077 == 0 or log.parent.stat().st_mode & 0o077 == 0
    assert out.read_bytes() == b"".join(argument.encode() + b"\0" for argument in arguments)


@pytest.mark.long
def test_abort(tmp_path):
    """At a status that the file names everything ends, what runs too, and the run with the status that it names."""
    flow = write_flow(tmp_path, "bad slow-next", "ABORT-DAG-ON bad 1 RETURN 2", slow=(60, 0, "-"), bad=(3, 0, "yes"))
    plan = plan_of(flow)
    events, outcome = complete(plan)
    assert (outcome.exit_status, outcome.failed[0][0], outcome.never) == (2, 0, 2)
    assert happened(events, Happening.CANCELLED) == [plan.dag.names.index("slow")]
    assert complete(plan, resume=True)[1].exit_status == 0


@pytest.mark.long
def test_a_dag_within_a_splice_and_logs_of_the_user(tmp_path):
    """Splices are flattened; the user's own log of states is followed from where it was."""
    write_flow(tmp_path, "a-b")
    (tmp_path / "flow.dag").rename(tmp_path / "part.dag")
    text = "SPLICE one part.dag\nSPLICE two part.dag\nPARENT one CHILD two\nJOBSTATE_LOG mine.log\n"
    (flow := tmp_path / "flow.dag").write_text(text)
    (tmp_path / "mine.log").write_text("1794833955 one.a JOB_SUCCESS 0 - - 1\n")  # of long ago
    events, outcome = complete(plan_of(flow))
    assert outcome.exit_status == 0
    assert happened(events, SUCCEEDED) == [0, 1, 2, 3]
    assert times_run(tmp_path) == {"one.a": 1, "one.b": 1, "two.a": 1, "two.b": 1}


@pytest.mark.long
def test_dagman_refuses_the_dag(tmp_path):
    """What it says is told, and the run is over: here it is older than the syntax."""
    flow = write_flow(tmp_path, "a-b", "TOLERANCE a 1")
    events, outcome = complete(plan_of(flow))
    assert (outcome.exit_status, outcome.never) == (1, 2)
    assert any("(line 9): ERROR: expected JOB" in event.text for event in events), events


@pytest.mark.long
def test_dagman_takes_our_rescue_dag(tmp_path):
    """With ours beside the DAG it runs only the rest; of what it writes itself we read the same."""
    flow = write_flow(tmp_path, "a-b b-c b-d", d=(0, 0, "yes"))
    document = open_document(flow)
    names = document.dag.names
    made = write_rescue(document, [name == "a" for name in names], failed=[names.index("b")])
    assert made.name == "flow.dag.rescue001"
    with pytest.raises(AssertionError, match=r"flow\.dag failed"):
        run_dag(flow, forced=False)
    assert times_run(tmp_path) == {"b": 1, "c": 1, "d": 1}
    assert read_rescue(document) == [name in "abc" for name in names]
    assert (tmp_path / "flow.dag.rescue002").exists()
    run_dag(flow, forced=False)
    assert times_run(tmp_path) == {"b": 1, "c": 1, "d": 2}


def test_no_htcondor(tmp_path, monkeypatch):
    flow = write_flow(tmp_path, "a")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EngineError, match="not in PATH"):
        start(plan_of(flow), "htcondor")
    assert not (tmp_path / "flow.dag.eligo" / "state.sqlite").exists()
