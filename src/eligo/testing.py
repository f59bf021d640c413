"""The test that every engine passes. Write yours by it::

    from eligo.testing import EngineContract

    class TestMine(EngineContract):
        def make(self, plan, state):
            return MyEngine(plan, state)

and run it with pytest, which gives each test an empty folder. Whatever an engine is, it must run all jobs, each after
its parents; tell of each thing once, and only when it is in the state on disk; go on after failures; try again as often
as asked; hand arguments on unchanged; never repeat a recorded success; stop when told, and go on later.

What the engine says is compared with what the jobs themselves wrote; see ``contract_jobs.py``. Override what your
engine cannot do otherwise, and nothing else.

Small workflows for the contract test: jobs that write down themselves when they start and end.

What an engine says of itself proves little. So each job appends ``S name process`` when it begins and ``E name
process`` when it ends to one file, and the test reads that.
"""

from __future__ import annotations

import json
import sys
import time
import unittest
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple, final

import numpy as np

from eligo.dag import Dag
from eligo.engines._engine import Engine, Event, Happening
from eligo.engines._plan import Plan, Process, Task
from eligo.engines._state import JobStatus, State
from eligo.formats._base import Document
from eligo.formats._source import Source

__all__ = [
    "EngineContract",
    "Entry",
    "Job",
    "Story",
    "Watched",
    "make_dag",
    "plan_of_tasks",
    "write_dagman",
]

_STEP = """\
#!/bin/sh
# LOG NAME SECONDS FAILURES: sleeps, and fails so many times before it succeeds
echo "S $2 $$" >> "$1"
tries=$(grep -c "^S $2 " "$1")
if [ ! -e "$1.hurry" ]; then sleep "$3" || exit 143; fi
echo "E $2 $$" >> "$1"
[ "$tries" -gt "$4" ]
"""
_TELL = """\
import json, os, sys
with open(sys.argv[1] + ".part", "w", encoding="utf-8", errors="surrogateescape") as stream:
    json.dump({"argv": sys.argv[2:], "cwd": os.getcwd(), "env": os.environ.get("CONTRACT")}, stream)
os.replace(sys.argv[1] + ".part", sys.argv[1])
"""
NEVER_SUCCEEDS = 1000


@final
@dataclass(frozen=True, slots=True)
class Job:
    """A job of the contract: what it does by its story, or the program it runs instead."""

    name: str
    parents: tuple[str, ...] = ()
    seconds: float = 0.0
    failures: int = 0
    retries: int = 0
    priority: int = 0
    tells: tuple[str, ...] = field(default=())


class Entry(NamedTuple):
    """One line that a job wrote: ``S`` or ``E``, its name, its process."""

    kind: str
    name: str
    process: str


class Story:
    r"""The file that all jobs write to, and the scripts by which they do.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     story = Story(Path(here))
    ...     _ = story.log.write_text("S a 7\nE a 7\nS b 8\n")
    ...     story.runs("a"), story.ends("b"), story.position("S", "b")
    (1, 0, 2)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "story"
        self.step = folder / "step.sh"
        self.tell = folder / "tell.py"
        self.step.write_text(_STEP)
        self.step.chmod(0o755)
        self.tell.write_text(_TELL)

    def argv(self, job: Job) -> tuple[str, ...]:
        """Return what a job runs."""
        if job.tells:
            return (sys.executable, str(self.tell), str(self.told(job.name)), *job.tells)
        return (str(self.step), str(self.log), job.name, f"{job.seconds:g}", str(job.failures))

    def told(self, name: str) -> Path:
        """Return where a job says which arguments it got."""
        return self.folder / f"told-{name}.json"

    def hurry(self) -> None:
        """Let no job sleep from now on."""
        Path(f"{self.log}.hurry").touch()

    def entries(self) -> list[Entry]:
        """Return what was written so far, whole lines only."""
        if not self.log.exists():
            return []
        lines = self.log.read_text().split("\n")[:-1]
        return [Entry(*line.split(" ")) for line in lines]

    def runs(self, name: str) -> int:
        """Return how often a job began."""
        return sum(entry.kind == "S" and entry.name == name for entry in self.entries())

    def ends(self, name: str) -> int:
        """Return how often a job came to its end."""
        return sum(entry.kind == "E" and entry.name == name for entry in self.entries())

    def position(self, kind: str, name: str) -> int:
        """Return which line says so for the first time."""
        return next(i for i, entry in enumerate(self.entries()) if entry[:2] == (kind, name))


def make_dag(jobs: Sequence[Job]) -> Dag:
    """Return the dag of some jobs, in their order."""
    edges = [(parent, job.name) for job in jobs for parent in job.parents]
    return Dag.from_names(edges, jobs=[job.name for job in jobs])


def _priorities(jobs: Sequence[Job]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([job.priority for job in jobs], np.int32)


def plan_of_tasks(story: Story, jobs: Sequence[Job]) -> Plan:
    """Return a plan whose tasks are made here, for engines that run tasks whatever file they are from."""
    dag = make_dag(jobs)
    path = story.folder / "flow.dot"
    path.write_text("digraph {}\n")

    def task(index: int) -> Task:
        job = jobs[index]
        process = Process(story.argv(job), str(story.folder), {"CONTRACT": "a 'b' $(c)"})
        return Task(job.name, (process,), retries=job.retries, path=str(path))

    return Plan(Document(dag, "dot", Source(str(path), b"")), dag, _priorities(jobs), task, story.folder)


def write_dagman(story: Story, jobs: Sequence[Job]) -> Path:
    """Write a DAGMan file, for engines that need one; make the plan of it with ``make_plan``."""
    path = story.folder / "flow.dag"
    lines = []
    for job in jobs:
        program, *arguments = story.argv(job)
        lines += [f"JOB {job.name} {job.name}.sub", f"PRIORITY {job.name} {job.priority}"]
        lines += [f"RETRY {job.name} {job.retries}"] if job.retries else []
        lines += [f"PARENT {' '.join(job.parents)} CHILD {job.name}"] if job.parents else []
        (story.folder / f"{job.name}.sub").write_text(_submit_file(story, job.name, program, arguments))
    path.write_text("\n".join([*lines, ""]))
    return path


def _submit_file(story: Story, name: str, program: str, arguments: Sequence[str]) -> str:
    words = " ".join("'" + word.replace("'", "''") + "'" for word in arguments)
    quoted = words.replace('"', '""').replace("$", "$(DOLLAR)")
    return (
        f"executable = {program}\ntransfer_executable = false\nshould_transfer_files = no\n"
        f'arguments = "{quoted}"\ninitialdir = {story.folder}\n'
        f"output = {name}.out\nerror = {name}.err\nlog = {name}.log\n"
        "environment = \"CONTRACT='a ''b'' $(DOLLAR)(c)'\"\nqueue\n"
    )


_AFTERWARDS = {
    Happening.STARTED: {JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED, JobStatus.WAITING},
    Happening.ADOPTED: {JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED, JobStatus.WAITING},
    Happening.SUCCEEDED: {JobStatus.DONE},
    Happening.FAILED: {JobStatus.FAILED},
    Happening.AGAIN: {JobStatus.WAITING, JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED},
    Happening.CANCELLED: {JobStatus.WAITING},
}
"""What the state may say by the time that the last event of a job is told: it may know more, never less."""


class Watched:
    """An engine under watch: every event is checked against the state on disk when it is told."""

    def __init__(self, engine: Engine, patience_s: float) -> None:
        self.engine = engine
        self.is_open = True
        self.events: list[Event] = []
        self._patience_s = patience_s
        self._ran_before = {job for job, status in enumerate(engine.state.status) if status == JobStatus.RUNNING}

    def watch(self, timeout_s: float = 0.5) -> list[Event]:
        """Return what happened, after a look at the state."""
        events = self.engine.watch(timeout_s)
        last = {event.job: event for event in events if event.job >= 0}
        with State.open(self.engine.state.folder, reading=True) as state:
            for job, event in last.items():
                status = JobStatus(state.status[job])
                assert status in _AFTERWARDS[event.what], f"told {event}, and on disk it is {status.name}"
                assert state.attempts[job] >= event.attempt or event.what is Happening.CANCELLED, (
                    f"not on disk: {event}"
                )
        self.events += events
        return events

    def until(self, wanted: Callable[[], bool]) -> None:
        """Watch until something is so."""
        deadline = time.monotonic() + self._patience_s
        while not wanted():
            assert time.monotonic() < deadline, f"nothing came of it in time; told so far: {self.events}"
            assert not self.engine.over or wanted(), f"it is over before that; told: {self.events}"
            self.watch(0.2)

    def finish(self) -> None:
        """Watch until all is over, then check that it hangs together."""
        self.until(lambda: self.engine.over)
        assert self.watch(0.0) == [], "it is over, and yet it tells more"
        told = Counter((event.what, event.job, event.attempt) for event in self.events if event.job >= 0)
        assert not [what for what, times in told.items() if times > 1], "something is told twice"
        for job in range(self.engine.plan.dag.n):
            self._check_order(job)

    def _check_order(self, job: int) -> None:
        kinds = [event.what for event in self.events if event.job == job]
        starts = (Happening.STARTED, Happening.ADOPTED)
        begun = job in self._ran_before and not {*starts} & {*kinds[:1]}  # an earlier engine told of its start
        for kind in kinds:
            if kind in starts:
                assert not begun, f"job {job} starts twice in a row: {kinds}"
                begun = True
            else:
                assert begun, f"job {job} ends before it starts: {kinds}"
                begun = False
        ends = [kind for kind in kinds if kind in (Happening.SUCCEEDED, Happening.FAILED, Happening.CANCELLED)]
        assert len(ends) <= 1, f"job {job} ends more than once: {kinds}"

    def leave(self) -> None:
        """Close the engine and its state, as a process that ends does; twice is harmless."""
        self.engine.close()
        self.engine.state.close()
        self.is_open = False

    def give_up(self) -> None:
        """After a failure: leave as little behind as an engine can that is broken."""
        with suppress(Exception):
            self.engine.cancel(kill=True)
            self.engine.watch(1.0)
        with suppress(Exception):
            self.engine.close()
        self.engine.state.close()

    def of(self, what: Happening) -> list[int]:
        """Return the jobs of all events of a kind, in the order in which they were told."""
        return [event.job for event in self.events if event.what is what]


class EngineContract:
    """Subclass this in your tests, and give `make`."""

    PATIENCE_S: ClassVar[float] = 60.0
    """How long to wait for anything."""
    LONG_S: ClassVar[float] = 120.0
    """How long a job takes that is not meant to end by itself."""
    ARGUMENTS: ClassVar[tuple[str, ...]] = (
        *("two words", "it's", 'say "x"', "", "$(touch x)", "`touch x`", "$HOME", "%d", "back\\slash", "*", "-n", ";"),
        *("grüße 🎈", "tab\there", "line\nbreak", "a=b", "#", "{x}", "&& false", "|", ">x"),
    )
    """What must arrive at a job as it is."""

    def make(self, plan: Plan, state: State) -> Engine:
        """Return the engine."""
        raise NotImplementedError("give your engine: def make(self, plan, state)")

    def make_single(self, plan: Plan, state: State) -> Engine:
        """Return the engine with room for one job at a time; engines that cannot skip what needs it."""
        raise unittest.SkipTest("how to get one slot is not said: give make_single")

    def plan(self, story: Story, jobs: Sequence[Job]) -> Plan:
        """Return the plan for some jobs."""
        return plan_of_tasks(story, jobs)

    # What the tests share

    def _begin(self, folder: Path, *jobs: Job, single: bool = False) -> tuple[Watched, Story]:
        story = Story(folder)
        plan = self.plan(story, jobs)
        home = folder / "run.eligo"
        home.mkdir(mode=0o700)
        path = plan.document.source.path
        state = State.create(home, plan.document.dag, run_id=f"{time.time_ns():x}", workflow=path, engine="contract")
        return self._watched(plan, state, single=single), story

    def _watched(self, plan: Plan, state: State, *, single: bool = False) -> Watched:
        engine = self.make_single(plan, state) if single else self.make(plan, state)
        state.put("engine", engine.NAME)
        state.commit()
        watched = Watched(engine, self.PATIENCE_S)
        self._made = [*getattr(self, "_made", []), watched]
        return watched

    def _go_on(self, before: Watched) -> Watched:
        """Return a new engine on the state that an earlier one left."""
        plan, folder = before.engine.plan, before.engine.state.folder
        before.leave()
        return self._watched(plan, State.open(folder))

    def teardown_method(self) -> None:
        """Let go of what a failed test left; pytest calls this after each."""
        for watched in getattr(self, "_made", []):
            if watched.is_open:
                watched.give_up()

    # The tests

    def test_runs_every_job_once_and_after_its_parents(self, tmp_path: Path) -> None:
        """Three levels with a join, and a job that needs nobody: ``a -> b, c -> d``, ``e``."""
        jobs = (Job("a"), Job("b", ("a",)), Job("c", ("a",), 0.2), Job("d", ("b", "c")), Job("e"))
        watched, story = self._begin(tmp_path, *jobs)
        watched.engine.submit()
        watched.finish()
        assert watched.engine.state.status == [JobStatus.DONE] * 5, watched.events
        for job in jobs:
            assert (story.runs(job.name), story.ends(job.name)) == (1, 1), f"{job.name} did not run once"
            for parent in job.parents:
                assert story.position("E", parent) < story.position("S", job.name), f"{job.name} before {parent}"
        _check_trace(watched)
        watched.leave()
        watched.leave()

    def test_the_rest_goes_on_when_a_job_fails(self, tmp_path: Path) -> None:
        """Job ``bad`` fails: what needs it never runs, what does not need it does, and the reason is kept."""
        jobs = (
            Job("bad", failures=NEVER_SUCCEEDS),
            Job("b", ("bad",)),
            Job("c", ("b",)),
            Job("d", (), 0.5),
            Job("e", ("d",)),
        )
        watched, story = self._begin(tmp_path, *jobs)
        watched.engine.submit()
        watched.finish()
        state = watched.engine.state
        done, failed, waiting = JobStatus.DONE, JobStatus.FAILED, JobStatus.WAITING
        assert state.status == [failed, waiting, waiting, done, done], watched.events
        assert state.reason[0], "nobody says why it failed"
        assert watched.of(Happening.FAILED) == [0]
        assert [story.runs(job.name) for job in jobs] == [1, 0, 0, 1, 1]
        assert watched.engine.over
        watched.leave()

    def test_tries_again_as_often_as_asked(self, tmp_path: Path) -> None:
        """One job succeeds at its third try, another never; each failure but the last is told as a new try."""
        jobs = (
            Job("late", failures=2, retries=2),
            Job("never", failures=NEVER_SUCCEEDS, retries=1),
            Job("c", ("late",)),
        )
        watched, story = self._begin(tmp_path, *jobs)
        watched.engine.submit()
        watched.finish()
        assert watched.engine.state.status == [JobStatus.DONE, JobStatus.FAILED, JobStatus.DONE], watched.events
        assert [story.runs(job.name) for job in jobs] == [3, 2, 1]
        assert watched.engine.state.attempts == [3, 2, 1]
        assert Counter(watched.of(Happening.AGAIN)) == {0: 2, 1: 1}
        watched.leave()

    def test_arguments_arrive_unchanged(self, tmp_path: Path) -> None:
        """Whatever a shell, a format or a protocol might take for its own."""
        watched, story = self._begin(tmp_path, Job("a", tells=self.ARGUMENTS))
        watched.engine.submit()
        watched.finish()
        assert watched.engine.state.status == [JobStatus.DONE], watched.events
        told = json.loads(story.told("a").read_text("utf-8"))
        assert told["argv"] == list(self.ARGUMENTS)
        assert told["env"] == "a 'b' $(c)"
        assert Path(told["cwd"]).resolve() == tmp_path.resolve()
        watched.leave()

    def test_what_is_done_never_runs_again(self, tmp_path: Path) -> None:
        """A recorded success counts, whoever recorded it."""
        watched, story = self._begin(tmp_path, Job("a"), Job("b", ("a",)), Job("c", ("b",)))
        plan, state = watched.engine.plan, watched.engine.state
        watched.engine.close()
        watched.is_open = False
        for job in (0, 1):
            state.update(job, status=JobStatus.DONE, start_s=0.0, end_s=0.0, attempts=1)
        state.commit(sync=True)
        watched = self._watched(plan, state)
        watched.engine.submit()
        watched.finish()
        assert state.status == [JobStatus.DONE] * 3
        assert [story.runs(name) for name in "abc"] == [0, 0, 1]
        assert watched.of(Happening.SUCCEEDED) == [2]
        watched.leave()

    def test_cancel_lets_running_jobs_end(self, tmp_path: Path) -> None:
        """Once told to stop, nothing starts; a later engine does the rest."""
        watched, story = self._begin(tmp_path, Job("a", (), 1.0), Job("b", ("a",)), Job("c", ("b",)))
        watched.engine.submit()
        watched.until(lambda: story.runs("a") == 1)
        watched.engine.cancel()
        watched.finish()
        assert (story.ends("a"), story.runs("b")) == (1, 0), watched.events
        assert watched.engine.state.status == [JobStatus.DONE, JobStatus.WAITING, JobStatus.WAITING]
        watched = self._go_on(watched)
        watched.engine.submit()
        watched.finish()
        assert [story.runs(name) for name in "abc"] == [1, 1, 1]
        watched.leave()

    def test_cancel_with_kill_ends_running_jobs(self, tmp_path: Path) -> None:
        """They have neither succeeded nor failed; a later engine runs them from their start."""
        watched, story = self._begin(tmp_path, Job("a", (), self.LONG_S), Job("b", ("a",)))
        watched.engine.submit()
        watched.until(lambda: story.runs("a") == 1 and watched.of(Happening.STARTED) == [0])
        assert watched.watch(0.05) == []  # nothing to tell, and it does not wait for the end of the job
        watched.engine.cancel(kill=True)
        watched.finish()
        assert story.ends("a") == 0, "it went on to its end"
        assert watched.engine.state.status == [JobStatus.WAITING] * 2, watched.events
        assert watched.of(Happening.CANCELLED) == [0]
        story.hurry()
        watched = self._go_on(watched)
        watched.engine.submit()
        watched.finish()
        assert watched.engine.state.status == [JobStatus.DONE] * 2, watched.events
        assert (story.runs("a"), story.ends("a"), story.runs("b")) == (2, 1, 1)
        watched.leave()

    def test_another_engine_takes_over_what_runs(self, tmp_path: Path) -> None:
        """The first one is gone in the middle; its job is never run twice at the same time, nor lost."""
        watched, story = self._begin(tmp_path, Job("a", (), 1.5), Job("b", ("a",)))
        watched.engine.submit()
        watched.until(lambda: story.runs("a") == 1)
        watched = self._go_on(watched)
        watched.engine.submit()
        watched.finish()
        assert watched.engine.state.status == [JobStatus.DONE] * 2, watched.events
        kinds = [entry.kind for entry in story.entries() if entry.name == "a"]
        assert story.ends("a") >= 1
        assert "SS" not in "".join(kinds) or Happening.AGAIN in {event.what for event in watched.events}, kinds
        assert story.runs("b") == 1
        watched.leave()

    def test_the_higher_priority_starts_first(self, tmp_path: Path) -> None:
        """Among jobs that wait together for one slot; of equals the one that stands first."""
        order = {"a": 1, "b": 5, "c": 3, "d": 5, "e": 4}
        jobs = [Job(name, ("gate",), priority=priority) for name, priority in order.items()]
        watched, story = self._begin(tmp_path, Job("gate", (), 0.2, priority=9), *jobs, single=True)
        watched.engine.submit()
        watched.finish()
        started = [entry.name for entry in story.entries() if entry.kind == "S"]
        self.check_priorities(started, order)
        watched.leave()

    def check_priorities(self, started: list[str], order: dict[str, int]) -> None:
        """Say whether an order is by priority; engines that do not keep the order of equals may ask for less."""
        assert started == ["gate", *sorted(order, key=lambda name: (-order[name], name))], started


def _check_trace(watched: Watched) -> None:
    trace = watched.engine.collect()
    assert trace.dag is watched.engine.plan.dag
    assert bool(np.all(np.isfinite(trace.start_s))), "not every start is known"
    assert bool(np.all(trace.end_s >= trace.start_s)), "a job ends before it starts, or its end is not known"
    state = watched.engine.state
    for event in watched.events:
        if event.what is Happening.SUCCEEDED:
            assert trace.end_s[event.job] == state.end_s[event.job]
    assert sorted(watched.of(Happening.SUCCEEDED)) == list(range(trace.dag.n)), "not every success was told"
    assert sorted(watched.of(Happening.STARTED)) == list(range(trace.dag.n)), "not every start was told"
    ends = {event.job: i for i, event in enumerate(watched.events) if event.what is Happening.SUCCEEDED}
    for i, event in enumerate(watched.events):
        if event.what is Happening.STARTED:
            assert all(ends[parent] < i for parent in trace.dag.parents(event.job).tolist()), "told out of order"
