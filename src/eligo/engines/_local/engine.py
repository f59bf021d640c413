"""The local engine: runs jobs on this machine, as many at once as it has slots, by priority, and survives being killed.

Problem: thousands of short or long jobs on one machine, of which none may be lost, run twice at the same time, or run
again once its success is known, although Eligo itself may be killed at any moment.

Idea: three parties. The *state* (SQLite) knows what was begun and what is done. The *keeper* (a small process in C)
starts programs and records their ends in a journal, also when we are gone. *We* choose what runs next. What is to
start is committed as begun, then asked of the keeper; what the journal says is over is committed as done. Successes are
synced to the disk in groups: at the latest after a moment, and at once when slots would stay empty, since children may
only start when their parents' success is on disk.

Invariant: whatever runs was begun in the state before; so whoever comes later finds it, see ``orphans.py``.

Cost: O(log n) a job for the queue, O(degree) for its children, a commit without a sync for each round of the loop.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eligo.engines._attempts import AFTER, BEFORE, Attempt, Verdict, VerdictKind
from eligo.engines._engine import Engine, Event, Happening
from eligo.engines._intermediate_files import Cleaning
from eligo.engines._local.dispatcher import Floor
from eligo.engines._local.launch_steps import Steps
from eligo.engines._local.launcher import Key, Record
from eligo.engines._local.launchers import Keepers
from eligo.engines._local.preflight import Disk, check_tasks
from eligo.engines._local.recorder import Telling
from eligo.engines._local.recovery import Lost, adopt
from eligo.engines._local.running_job import Counts, Course, Launching
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError

__all__ = ["Local"]

_SETTLE_S = 0.02  # what a success may wait for others to share a sync with
_ORPHANS_S = 0.1  # how often to look after those of earlier keepers
_GRACE_S = 10.0  # from SIGTERM to SIGKILL
_MOST_LOSSES = 20  # of one try: a job may itself be what kills its keeper; 20 accidents in a row are none


class Local(Engine):
    """Runs a plan on this machine.

    Parameters
    ----------
    slots
        How many jobs run at once at most; as many as there are cores unless given. A job that asks for several cores
        takes as many slots.
    presume_dead
        Whether to take for granted that nothing of an earlier run still runs on another machine.
    """

    NAME = "local"
    CLEANS = True

    def __init__(
        self,
        plan: Plan,
        state: State,
        options: Sequence[str] = (),
        *,
        slots: int | None = None,
        presume_dead: bool = False,
    ) -> None:
        super().__init__(plan, state, options)
        if options:
            raise EngineError(
                f"the local engine has no options of its own: {' '.join(options)}", hint="leave out what follows --"
            )
        slots = slots or len(os.sched_getaffinity(0))
        self._presume_dead = presume_dead
        self._telling = Telling(plan, state)
        self._checked = check_tasks(plan, state, slots)
        self._floor = Floor(plan, slots, self._checked.weight)
        self._steps = Steps(state)
        self._launching = Launching(state.folder)
        self._keepers = Keepers(state, self._steps)
        self._courses: dict[int, Course] = {}
        self._due: set[int] = set()
        self._settling: list[Event] = []
        self._settle_at = 0.0
        self._stopping = False
        self._aborted = False
        self._cleaning: Cleaning | None = None
        self._failed = self._done = 0
        self._disk = Disk(state.folder)
        self._replaced = 0
        self._begun = False
        self._final_over = plan.final is None
        self._final_tries = 0

    @property
    def slots(self) -> int:
        """How many jobs run at once at most."""
        return self._floor.slots

    @property
    def doubts(self) -> list[str]:
        """Programs that are not there yet."""
        return self._checked.doubts

    @property
    def occupied(self) -> int | None:
        """What running jobs and their data occupy, where there is a limit."""
        return self._floor.occupied

    def logs(self, job: int) -> list[Path]:
        """Return the files with what a job printed, as far as they are there."""
        task = self.task(job)
        steps = [*range(len(task.processes)), AFTER, BEFORE]
        ours = [self._launching.log(Key(job, 1, step), task) for step in steps]
        return super().logs(job) + [path for path in ours if path.is_file()]

    @property
    def over(self) -> bool:
        """Whether nothing runs and nothing will."""
        if not self._begun or self._courses or self._settling or self._telling:
            return False
        return self._stopping or (self._final_over and not self._can_start())

    # Starting

    def submit(self) -> None:
        """Start, or go on where the state says the run stopped."""
        plan, state = self.plan, self.state
        state.put("workers", max(self.slots, state.get("workers") or 0))
        for job in self._checked.done:
            state.update(job, status=JobStatus.DONE, reason="done before, says the workflow")
        self._adopt()
        done = np.array([status == JobStatus.DONE for status in state.status], np.bool_)
        self._cleaning = Cleaning(plan, state)
        self._done = int(done.sum())
        self._failed = sum(status == JobStatus.FAILED for status in state.status)
        waiting = [job for job, status in enumerate(state.status) if status == JobStatus.WAITING]
        self._floor.open(done, waiting, self._courses)
        final = state.get("final") or {}
        self._final_over = self._final_over or (bool(done.all()) and final.get("status") == "done")
        self._begun = True

    def _adopt(self) -> None:
        """Take over what earlier keepers started."""
        found = adopt(self.plan, self.state, self._steps, self._floor)
        self._courses = found.courses
        self._due.update(found.courses)
        for course in found.courses.values():
            self._telling.tell(Happening.ADOPTED, course, "it was started by the earlier run")
        self._final_over = self._final_over or self.plan.dag.n in found.courses
        self._keepers.open(found.in_flight, presume_dead=self._presume_dead)

    # The loop

    def watch(self, timeout_s: float) -> list[Event]:
        """Start what can start, and return what happened."""
        deadline = time.monotonic() + timeout_s
        while True:
            self._round()
            if self._telling or self.over:
                self.state.commit()  # a retry or a stop may have changed it and started nothing
                return self._telling.hear()
            if time.monotonic() >= deadline:
                return []
            self._keepers.wait(min(deadline, self._next_moment()))

    def _round(self) -> None:
        self._hear()
        if self._disk.became_full():
            self._telling.note(f"{self.state.folder}: the disk is full: the ends of jobs wait for space")
        self._kill_late_ones()
        self._launch()
        if self._settling and (self._floor.free > 0 or time.monotonic() >= self._settle_at):
            self._settle()
            self._launch()
        if not self._courses and not self._settling and not self._can_start():
            self._finish()

    def _hear(self) -> None:
        """Take in what started, what ended, and what nobody saw end."""
        for record, end_s in self._keepers.records():
            course = self._courses[record.key.job]
            if record.kind != "S":
                self._step_ended(course, record, end_s)
            elif record.key.step in course.unwanted:
                self._keepers.signal(signal.SIGTERM, record.key)
        for lost in self._keepers.lost():
            self._run_again(lost)
        self._keepers.close_earlier()
        if self._keepers.replaced > self._replaced:
            self._replaced = self._keepers.replaced
            self._telling.note("the process that starts jobs was killed: another has taken its place")

    def _next_moment(self) -> float:
        moments = [at for job in self._due for at in self._courses[job].again_at.values()]
        if self._settling:
            moments.append(self._settle_at)
        moments += [course.kill_at for course in self._courses.values() if course.kill_at is not None]
        return min(moments, default=float("inf"))

    def _can_start(self) -> bool:
        if self._stopping or self._aborted or not len(self._floor):
            return False
        return bool(self._courses) or not self._floor.is_stuck

    # Starting steps

    def _launch(self) -> None:
        """Begin what is due of running jobs, and new jobs on free slots."""
        now = time.monotonic()
        batch: list[tuple[Course, int]] = []
        for job in sorted(self._due):
            course = self._courses[job]
            batch += [(course, step) for step in course.steps_due(now)]
            if not course.again_at:
                self._due.discard(job)
        final_runs = self.plan.dag.n in self._courses  # found running, while jobs that had failed wait for another try
        while not (self._stopping or self._aborted or final_runs) and (found := self._floor.take()) is not None:
            course = self._start(found)
            batch += [(course, step) for step in course.steps_due(now)]
            if not course.attempt.next_steps():
                self._conclude_if_over(course)
        if batch:
            self._begin(batch)

    def _start(self, job: int) -> Course:
        number = self.state.attempts[job] + 1 if job < self.plan.dag.n else self._final_tries + 1
        start_s = self.state.now_s()
        course = Course(job, Attempt(self.task(job), number), self._floor.start(job), start_s)
        self._courses[job] = course
        self._telling.record(
            job, status=JobStatus.RUNNING, attempts=number, start_s=start_s, end_s=None, worker=course.worker, reason=""
        )
        self._telling.tell(Happening.STARTED, course)
        return course

    def _begin(self, batch: list[tuple[Course, int]]) -> None:
        """Commit steps as begun, then ask the keeper for them."""
        keys = [course.key(step) for course, step in batch]
        self._keepers.begin(keys)
        for course, step in batch:
            course.in_flight.add(step)
            course.again_at.pop(step, None)
        for (course, _), key in zip(batch, keys, strict=True):
            try:
                process = self._launching.process(key, course, self._counts())
                self._keepers.start(key, process, self._launching.log(key, course.attempt.task))
            except (ValueError, OSError) as error:
                self._keepers.drop(key)
                failure = Record("X", key, 126, text=f"it cannot be started: {error}")
                self._step_ended(course, failure, self.state.now_s())

    def _counts(self) -> Counts:
        return Counts(len(self.state.status), self._done, self._failed, len(self._courses), self._aborted)

    # Ends

    def _step_ended(self, course: Course, record: Record, end_s: float) -> None:
        key, attempt = record.key, course.attempt
        course.in_flight.discard(key.step)
        course.measure(record, end_s)
        try:
            self._launching.collect(key, attempt.task, self._counts())
        except OSError as error:
            record = record._replace(code=record.code or 126)
            if record.kind != "X":  # what never started made nothing: why it did not says more
                course.texts[key.step] = f"what it made cannot be brought from its sandbox: {error}"
        hook = {BEFORE: attempt.task.before, AFTER: attempt.task.after}.get(key.step)
        if hook is not None and hook.defer_status is not None and record.code == hook.defer_status:
            course.again_at[key.step] = time.monotonic() + hook.defer_s
            course.turns[key.step] = key.turn + 1
            self._due.add(course.job)
            return
        attempt.codes[key.step] = record.code
        if course.unwanted and course.kill_at is None:
            self._terminate(course)
        elif not course.unwanted:
            course.kill_at = None
        self._conclude_if_over(course)
        if course.job in self._courses:
            self._steps.end(key, record.code)
            self._due.add(course.job)

    def _conclude_if_over(self, course: Course) -> None:
        if course.in_flight:
            return
        verdict = course.attempt.verdict()
        if course.ended and (verdict is None or verdict.kind is not VerdictKind.SUCCEEDED):
            self._cancelled(course)
        elif verdict is not None:
            self._conclude(course, verdict)

    def _conclude(self, course: Course, verdict: Verdict) -> None:
        job, kind = course.job, verdict.kind
        text = course.reason(verdict)
        succeeded = kind is VerdictKind.SUCCEEDED or (kind is VerdictKind.ABORT and verdict.exit_code == 0)
        again = kind is VerdictKind.AGAIN
        status = JobStatus.DONE if succeeded else JobStatus.WAITING if again else JobStatus.FAILED
        self._failed += status == JobStatus.FAILED
        self._done += status == JobStatus.DONE
        self._leave(course, succeeded=succeeded)
        self._telling.record(
            job,
            status,
            end_s=max(course.end_s, course.start_s),
            exit_code=verdict.exit_code,
            cpu_s=course.cpu_s,
            peak_bytes=course.peak_bytes or None,
            reason=text,
        )
        if again:
            if job < self.plan.dag.n:
                self._floor.again(job)
            else:
                self._final_over, self._final_tries = False, course.attempt.number
            self._telling.tell(Happening.AGAIN, course, text, exit_code=verdict.exit_code)
            return
        if job == self.plan.dag.n:
            self._final_over = not self._can_start()  # after what is still to run it runs again
        happening = Happening.SUCCEEDED if succeeded else Happening.FAILED
        if not self._settling:
            self._settle_at = time.monotonic() + _SETTLE_S
        self._settling.append(self._telling.event(happening, course, text, exit_code=verdict.exit_code))
        if kind is VerdictKind.ABORT:
            self._abort(course, verdict)

    def _leave(self, course: Course, *, succeeded: bool) -> None:
        """Let a job go from the floor."""
        del self._courses[course.job]
        self._due.discard(course.job)
        self._steps.forget(course.job)
        self._floor.end(course.job, course.worker, succeeded=succeeded)

    def _cancelled(self, course: Course) -> None:
        self._leave(course, succeeded=False)
        self._telling.record(
            course.job, status=JobStatus.WAITING, attempts=course.attempt.number - 1, start_s=None, reason="stopped"
        )
        self._telling.tell(Happening.CANCELLED, course)

    def _settle(self) -> None:
        """Put successes and failures on the disk, tell of them, and let children go."""
        self.state.commit(sync=True)
        settled, self._settling = self._settling, []
        self._telling.all(settled)
        for event in settled:
            if event.what is Happening.SUCCEEDED and event.job >= 0:
                self._floor.settle(event.job)
                self._clean(event.job)
            elif event.job >= 0:
                self._floor.give_up(event.job)

    def _clean(self, job: int) -> None:
        assert self._cleaning is not None
        self._cleaning.succeeded(job)
        while self._cleaning.troubles:
            self._telling.note(self._cleaning.troubles.pop(0))

    # The last things

    def _finish(self) -> None:
        """Run the final task when all else is over, then put all on the disk."""
        if not self._final_over and not self._stopping:
            self._final_over = True
            course = self._start(self.plan.dag.n)
            self._begin([(course, step) for step in course.steps_due(time.monotonic())])
            self._conclude_if_over(course)
            return
        if len(self._floor) and not self._stopping and not self._aborted:
            self._telling.note(
                f"{len(self._floor)} jobs cannot start within the limits of memory or of their categories; data of "
                "failed jobs may be in the way"
            )
            self._stopping = True
        self.state.commit(sync=True)

    def _abort(self, course: Course, verdict: Verdict) -> None:
        abort = course.attempt.task.abort
        assert abort is not None
        self._aborted = True
        self.state.put("abort_status", verdict.exit_code if abort.returns is None else abort.returns)
        self._telling.note(f"job {course.attempt.task.name!r} ends the whole run: {verdict.text}")
        self._end_all()

    def cancel(self, *, kill: bool = False) -> None:
        """Start nothing new; with `kill` also end what runs."""
        self._stopping = True
        if kill:
            self._end_all()

    def _end_all(self) -> None:
        for course in list(self._courses.values()):
            course.ended = True
            self._terminate(course)
            self._conclude_if_over(course)  # it may be between two steps

    def _terminate(self, course: Course) -> None:
        """Ask what runs of a job to end, and see to it that it does."""
        course.kill_at = time.monotonic() + _GRACE_S
        self._signal(course, signal.SIGTERM)

    def _kill_late_ones(self) -> None:
        now = time.monotonic()
        for course in self._courses.values():
            if course.kill_at is not None and now >= course.kill_at:
                course.kill_at = now + _GRACE_S
                self._signal(course, signal.SIGKILL)

    def _signal(self, course: Course, number: signal.Signals) -> None:
        for step in course.unwanted:
            self._keepers.signal(number, course.key(step))

    def _run_again(self, lost: Lost) -> None:
        """Let a step run again of which nobody knows how it ended."""
        course = self._courses[lost.key.job]
        course.in_flight.discard(lost.key.step)
        self._due.add(course.job)
        if course.ended or self._stopping:
            course.ended = True
            self._conclude_if_over(course)
        elif lost.ran and course.losses == _MOST_LOSSES:
            text = "nobody saw how it ended, time after time"
            self._step_ended(course, Record("X", lost.key, 126, text=text), self.state.now_s())
        elif lost.ran:
            course.losses += 1
            self.state.repeats(lost.key.job)
            self._telling.tell(Happening.AGAIN, course, "nobody saw how it ended: it runs again")

    def close(self) -> None:
        """Let go of the keeper; what it started runs on."""
        self._keepers.close()
