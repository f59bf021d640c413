"""A job on its way: the attempt, what of it runs, and what was measured.

From a step of a task to the process that a keeper starts: scripts filled in, sandboxes made, logs named.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, final

from eligo.engines import _attempts as attempts
from eligo.engines import _sandbox as sandbox
from eligo.engines._attempts import AFTER, BEFORE, Attempt, Verdict
from eligo.engines._local.launcher import Key, Record
from eligo.engines._plan import Hook, Process, Task
from eligo.engines._run_folder import safe_name

__all__ = [
    "Counts",
    "Course",
    "Launching",
]


@final
@dataclass(slots=True, eq=False)
class Course:
    """A job between its start and the verdict of one attempt.

    Attributes
    ----------
    worker
        The first of its slots.
    in_flight
        The steps that were begun and have not ended.
    again_at
        Steps that asked for another turn, and when that is, by the monotonic clock.
    turns
        How many turns such a step has had.
    signals
        Of processes that a signal ended, which one.
    kill_at
        When steps that are unwanted are killed, by the monotonic clock.
    ended
        Whether we were told to end it: then it has neither succeeded nor failed.
    texts
        Of steps that could not be started, why.
    losses
        How often a step of it was lost while we watched.
    """

    job: int
    attempt: Attempt
    worker: int
    start_s: float
    in_flight: set[int] = field(default_factory=set)
    again_at: dict[int, float] = field(default_factory=dict)
    turns: dict[int, int] = field(default_factory=dict)
    signals: dict[int, int] = field(default_factory=dict)
    kill_at: float | None = None
    ended: bool = False
    end_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    texts: dict[int, str] = field(default_factory=dict)
    losses: int = 0

    def key(self, step: int) -> Key:
        """Return the name of a step of this attempt."""
        return Key(self.job, self.attempt.number, step, self.turns.get(step, 0))

    def steps_due(self, now: float) -> list[int]:
        """Return the steps that are to be started now."""
        if self.ended or (self.attempt.doomed and self.in_flight):
            return []
        steps = [step for step in self.attempt.next_steps() if step not in self.in_flight]
        return [step for step in steps if self.again_at.get(step, now) <= now]

    @property
    def unwanted(self) -> list[int]:
        """The steps in flight that are to be ended: all where we were told to, processes beside one that failed.

        A script after the job is none of these: it may make good what went wrong.
        """
        return [step for step in sorted(self.in_flight) if self.ended or (self.attempt.doomed and step >= 0)]

    def measure(self, record: Record, end_s: float) -> None:
        """Take over what a record says of an ended step."""
        self.end_s = max(self.end_s, end_s)
        self.cpu_s += record.cpu_s
        self.peak_bytes = max(self.peak_bytes, record.peak_bytes)
        if record.signal:
            self.signals[record.key.step] = record.signal
        if record.text:
            self.texts[record.key.step] = record.text

    def reason(self, verdict: Verdict) -> str:
        """Return why it came to this, in words, with what could not be started."""
        if not verdict.exit_code:
            return verdict.text
        counts = AFTER if AFTER in self.attempt.codes else BEFORE if self.attempt.codes.get(BEFORE) else None
        own = [text for step, text in sorted(self.texts.items()) if step == counts or (counts is None and step >= 0)]
        other = [
            f"the job itself: {text}" for step, text in sorted(self.texts.items()) if step >= 0 and counts == AFTER
        ]
        return ": ".join([verdict.text, *own[:1]]) + "".join(f"; {text}" for text in other[:1])


_SUFFIX = {BEFORE: ".pre", AFTER: ".post"}
_A_SHELF = 1000  # logs in a directory: file systems, and people, do not like many more


class Counts(NamedTuple):
    """How the run stands, for scripts that ask."""

    jobs: int
    done: int
    failed: int
    running: int
    aborted: bool

    @property
    def status(self) -> int:
        """As DAGMan has it: 0 while all is well, 2 once a job has failed, 3 when the run was aborted."""
        return 3 if self.aborted else 2 if self.failed else 0


class Launching:
    """Knows where the files of a run are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()  # the keeper changes its directory
        self._shelves: set[Path] = set()
        self._boxed: dict[Key, Process] = {}  # those in sandboxes, as they were started

    def process(self, key: Key, course: Course, counts: Counts) -> Process:
        """Return what to start for a step."""
        attempt = course.attempt
        hook = {BEFORE: attempt.task.before, AFTER: attempt.task.after}.get(key.step)
        if hook is not None:
            return _script(hook, course, counts)
        process = attempts.for_attempt(
            attempt.task.processes[key.step], attempt.number, dag_status=counts.status, failed_count=counts.failed
        )
        if process.sandbox is None:
            return process
        place = self._sandbox(key, attempt.task)
        self._boxed[key] = process
        sandbox.prepare(process.sandbox, place)
        return replace(process, directory=str(place))

    def collect(self, key: Key, task: Task, counts: Counts) -> None:
        """Bring what a process made in its sandbox to where it belongs, and remove the sandbox; safe to repeat.

        What an earlier Eligo started is filled in as the run stands now.
        """
        if key.step < 0 or task.processes[key.step].sandbox is None:
            return
        process = self._boxed.pop(key, None) or attempts.for_attempt(
            task.processes[key.step], key.attempt, dag_status=counts.status, failed_count=counts.failed
        )
        assert process.sandbox is not None
        place = self._sandbox(key, task)
        if place.is_dir():
            sandbox.collect(process.sandbox, place, process.directory)
            shutil.rmtree(place, ignore_errors=True)

    def log(self, key: Key, task: Task) -> Path:
        """Return where the output of a step goes that has no other place."""
        shelf = self._folder / "logs" / str(key.job // _A_SHELF)
        if shelf not in self._shelves:
            for folder in (shelf.parent, shelf):
                folder.mkdir(mode=0o700, exist_ok=True)
            self._shelves.add(shelf)
        number = f".{key.step}" if key.step > 0 else ""
        return shelf / f"{safe_name(key.job, task.name)}{_SUFFIX.get(key.step, number)}.log"

    def _sandbox(self, key: Key, task: Task) -> Path:
        place = self._folder / "sandboxes" / f"{safe_name(key.job, task.name)}.{key.attempt}.{key.step}"
        for folder in (place.parent, place):
            folder.mkdir(mode=0o700, exist_ok=True)
        return place


def _script(hook: Hook, course: Course, counts: Counts) -> Process:
    attempt = course.attempt
    numbers = range(len(attempt.task.processes))
    codes = tuple(-course.signals[step] if step in course.signals else attempt.codes.get(step, 0) for step in numbers)
    facts = attempts.HookFacts(
        job=attempt.task.name,
        attempt=attempt.number,
        max_retries=attempt.task.retries,
        exit_code=next((code for code in codes if code), 0),
        exit_codes=codes,
        before_code=attempt.codes.get(BEFORE),
        dag_status=counts.status,
        failed_count=counts.failed,
        done_count=counts.done,
        queued_count=counts.running,
        node_count=counts.jobs,
        job_id=course.job + 1,
    )
    return Process(attempts.words(hook, facts), hook.directory)
