"""What earlier keepers left: steps that still run, that ended unseen, or of which nobody will ever know.

A step that was asked for is, at any later moment, in one of these cases:

* its end is in the journal: it is taken from there;
* its keeper lives (the lock on the journal is held): the end will be there, we wait;
* the keeper is gone, but the process or one of its session lives: we wait until it is gone; the end stays unknown;
* all are gone: the step never started (no start in the journal), or its end is unknown. It has to run again.

So nothing runs twice at the same time, and what must run again is known to be over.

The jobs that an earlier run had begun: what is known of their steps, and which of these may still be in flight.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from eligo.engines._attempts import Attempt
from eligo.engines._local.dispatcher import Floor
from eligo.engines._local.launch_steps import Epoch, Steps, journal_path, leader_lives, session_lives
from eligo.engines._local.launcher import Journal, Key, Record, is_kept
from eligo.engines._local.running_job import Course
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError

__all__ = [
    "Adopted",
    "Lost",
    "Orphans",
    "adopt",
]

_LATE_S = 5.0
"""How long after its process is gone a living keeper may take to record an end."""


class Lost(NamedTuple):
    """A step that has to run again, and whether it may have run."""

    key: Key
    ran: bool


class Orphans:
    """The steps of one earlier keeper whose ends are not known."""

    def __init__(self, epoch: Epoch, folder: Path, steps: Iterable[Key], *, presume_dead: bool = False) -> None:
        self.epoch = epoch
        self.waiting = set(steps)
        self._started: dict[Key, Record] = {}
        self._gone_since: dict[Key, float] = {}
        self._journal: Journal | None = None
        with suppress(FileNotFoundError):
            self._journal = Journal(journal_path(folder, epoch.number))
        self._dead = presume_dead or not (epoch.may_live or not epoch.is_here)
        if self.waiting and not epoch.is_here and not presume_dead:
            raise EngineError(
                f"{len(self.waiting)} steps of the earlier run were in flight on {epoch.host}, "
                "and from here nobody can tell whether they still run",
                hint=f"go on there, or, if {epoch.host} is down, give --presume-dead",
            )

    def read(self) -> list[Record]:
        """Return the ends that are known by now."""
        records = self._journal.read() if self._journal is not None else []
        self._started.update((record.key, record) for record in records if record.kind == "S")
        ends = [record for record in records if record.kind != "S" and record.key in self.waiting]
        self.waiting.difference_update(record.key for record in ends)
        return ends

    def lost(self) -> list[Lost]:
        """Return the steps that are over without an end; call after :meth:`read`."""
        if not self.waiting:
            return []
        kept = not self._dead and self._journal is not None and is_kept(self._journal)
        if not kept and self._journal is not None and self._missed_a_record():
            return []  # it was written just before the keeper left
        found = [Lost(key, key in self._started) for key in sorted(self.waiting) if self._is_over(key, kept)]
        self.waiting.difference_update(lost.key for lost in found)
        return found

    def _missed_a_record(self) -> bool:
        assert self._journal is not None
        return os.fstat(self._journal.fd).st_size > self._journal.position

    def _is_over(self, key: Key, kept: bool) -> bool:
        if self._dead:
            return True
        started = self._started.get(key)
        if started is None:
            return not kept
        if session_lives(started.pid, started.ticks):
            self._gone_since.pop(key, None)
            if not kept and not leader_lives(started.pid, started.ticks):
                self._send(started, signal.SIGKILL)  # what a job leaves behind its keeper would have ended
            return False
        since = self._gone_since.setdefault(key, time.monotonic())
        return not kept or time.monotonic() - since > _LATE_S

    def send(self, number: signal.Signals, keys: Iterable[Key]) -> None:
        """Send a signal to steps that run."""
        for key in keys:
            started = self._started.get(key)
            if key in self.waiting and started is not None and session_lives(started.pid, started.ticks):
                self._send(started, number)

    def _send(self, started: Record, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(started.pid, number)

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()


class Adopted(NamedTuple):
    """The courses of these jobs, by their numbers, and the steps in flight, by the epochs of their keepers."""

    courses: dict[int, Course]
    in_flight: dict[int, list[Key]]


def adopt(plan: Plan, state: State, steps: Steps, floor: Floor) -> Adopted:
    """Take over what earlier keepers started; jobs that were begun without a step wait again."""
    found = Adopted({}, {})
    looked_after = {epoch.number for epoch in steps.open_epochs()}
    for key, (epoch, code) in steps.known().items():
        course = found.courses.get(key.job)
        if course is None:
            course = found.courses[key.job] = _course(plan, state, floor, key)
        course.turns[key.step] = key.turn
        if code is not None:
            course.attempt.codes[key.step] = code
        elif epoch in looked_after:  # else it was found to be over, and we died before it was begun anew
            course.in_flight.add(key.step)
            found.in_flight.setdefault(epoch, []).append(key)
    for course in found.courses.values():
        if course.unwanted:
            course.kill_at = time.monotonic()
    for job, status in enumerate(state.status):
        if status == JobStatus.RUNNING and job not in found.courses:
            state.update(job, status=JobStatus.WAITING)
    return found


def _course(plan: Plan, state: State, floor: Floor, key: Key) -> Course:
    start_s = state.start_s[key.job] if key.job < plan.dag.n else None
    attempt = Attempt(plan.task_of(key.job), key.attempt)
    return Course(key.job, attempt, floor.adopt(key.job), state.now_s() if start_s is None else start_s)
