"""From a step of a task to the process that a keeper starts: scripts filled in, sandboxes made, logs named."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from eligo.engines import hooks, sandbox
from eligo.engines.attempts import AFTER, BEFORE
from eligo.engines.folder import safe_name
from eligo.engines.local.course import Course
from eligo.engines.local.journal import Key
from eligo.engines.plan import Hook, Process, Task

__all__ = ["Counts", "Launching"]

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
        process = hooks.for_attempt(
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
        process = self._boxed.pop(key, None) or hooks.for_attempt(
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
    facts = hooks.HookFacts(
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
    return Process(hooks.words(hook, facts), hook.directory)
