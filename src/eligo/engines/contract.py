"""The test that every engine passes. Write yours by it::

    from eligo.engines.contract import EngineContract

    class TestMine(EngineContract):
        def make(self, plan, state):
            return MyEngine(plan, state)

and run it with pytest, which gives each test an empty folder. Whatever an engine is, it must run all jobs, each after
its parents; tell of each thing once, and only when it is in the state on disk; go on after failures; try again as often
as asked; hand arguments on unchanged; never repeat a recorded success; stop when told, and go on later.

What the engine says is compared with what the jobs themselves wrote; see ``contract_jobs.py``. Override what your
engine cannot do otherwise, and nothing else.
"""

from __future__ import annotations

import json
import time
import unittest
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import numpy as np

from eligo.engines.base import Engine, Event, Happening
from eligo.engines.contract_jobs import NEVER_SUCCEEDS, Job, Story, plan_of_tasks
from eligo.engines.plan import Plan
from eligo.engines.state import JobStatus, State

__all__ = ["EngineContract", "Watched"]

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
