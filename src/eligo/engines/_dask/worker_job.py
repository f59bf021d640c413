"""What a worker does: one task of Dask is one job, with its scripts and all its tries.

What happens is told to whoever listens to the run's topic at the scheduler, in order: this Eligo or, after a crash, the
next. Whether the job may begin is decided here: not if the sender was replaced (``register.py``); not while another
worker runs it, and not again if it has succeeded (``record.py``), for Dask computes again what was lost with a worker.
Workers that do not see the folder of the run keep successes in the memory of the scheduler, and have no locks.

The dependents of a job that failed must not run, which is what Dask does when a task raises.

While a program runs, the thread looks twice a second whether its worker is about to leave the cluster; the programs
are killed then, since Dask gives the job to another.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import eligo
from eligo.engines import _attempts as attempts
from eligo.engines import _sandbox as sandbox
from eligo.engines._attempts import AFTER, BEFORE, Attempt, Verdict, VerdictKind
from eligo.engines._dask.worker_jobs import (
    GRACE_S,
    Guarding,
    GuardLostError,
    Running,
    forbidden,
    guarding,
    keep_end,
    registered,
    send_signal,
)
from eligo.engines._dask.worker_messages import NAME, JobFailedError, Order, OutdatedError, UnfitError, log_path, topic
from eligo.engines._plan import Process

__all__ = ["run_order"]

TAIL = 4096
"""How many bytes of a job's output come back where its log cannot be written."""
_LOOK_S = 0.5
_BUSY_S = 0.1  # how often to look whether another worker has let go of a job
_GUARDS = 3  # how many guards may be killed under one job
_LEAVING = ("closing", "closed", "stopping", "stopped", "failed")


def run_order(packed: bytes) -> None:
    """Run a job; raises where it failed, so that Dask runs none that depends on it."""
    from distributed import get_worker

    order = Order.unpack(packed)
    if order.version != eligo.__version__:
        raise UnfitError(eligo.__version__)
    with registered(order) as running:
        running.attempt = order.attempt
        place = _Place(order, running, get_worker())
        for left in reversed(range(_GUARDS)):
            try:
                verdict = _run_allowed(place)
                break
            except GuardLostError:
                if not left:
                    raise
                place.tell("again", text="the process beside its worker that starts programs was killed")
    if verdict is None or verdict.exit_code != 0:
        raise JobFailedError(f"job {order.task.name!r:.200} {verdict.text if verdict else 'was stopped'}")


@dataclass(slots=True)
class _Place:
    """Where a job runs, and the way to tell of it."""

    order: Order
    running: Running
    worker: Any

    def tell(self, what: str, **facts: Any) -> None:
        """Tell of a job at the scheduler, in the order of what happens; and remember its end."""
        message = {"what": what, "job": self.order.job, "attempt": self.running.attempt, "slot": self.running.slot}
        message |= {"worker": self.worker.address, **facts}
        if what == "ended":
            keep_end(self.order, message)
        with suppress(Exception):  # a worker that lost its scheduler has nobody to tell
            self.worker.log_event(topic(self.order.run_id), message)

    def leave_if_unwanted(self) -> None:
        """Raise if the worker is about to leave the cluster; what it runs is killed."""
        from distributed import Reschedule

        if self.worker.status.name in _LEAVING:
            self.running.killed = True
            send_signal(self.running, signal.SIGKILL)
            raise Reschedule


def _run_allowed(place: _Place) -> Verdict | None:
    """Run a job unless it has succeeded before; ``None`` if it was stopped."""
    with _permission(place) as permission:
        if permission.done_before:
            place.tell("ended", kind=int(VerdictKind.SUCCEEDED), exit_code=0, found=True)
            return Verdict(VerdictKind.SUCCEEDED, 0)
        with ExitStack() as leave:
            return _Course(place, permission, leave).run()


@dataclass(slots=True)
class _Permission:
    """The permission to run a job, given by the record or, where that is not seen, by the scheduler's memory."""

    order: Order
    guard: Guarding
    lock: int
    seen: bool
    done_before: bool = False

    def keep_success(self) -> None:
        """See to it that the job never runs again, whoever is lost."""
        if self.seen:
            self.guard.ask("mark", self.lock, self.order.job)
        else:
            _scheduler_memory().set_metadata([topic(self.order.run_id), str(self.order.job)], True)


@contextmanager
def _permission(place: _Place) -> Iterator[_Permission]:
    """Wait until nobody else runs the job, and keep others from it."""
    order, guard = place.order, guarding()
    while True:
        place.leave_if_unwanted()
        lock, (what, *rest) = guard.ask("lock", f"{order.folder}/{NAME}", order.run_id, order.job)
        if what != "busy":
            break
        if place.running.killed or forbidden(order):
            place.tell("stopped")
            raise OutdatedError
        time.sleep(_BUSY_S)
    if what == "unseen":
        known = _scheduler_memory().get_metadata([topic(order.run_id), str(order.job)], default=False)
        yield _Permission(order, guard, lock, seen=False, done_before=bool(known))
        return
    try:
        yield _Permission(order, guard, lock, seen=True, done_before=bool(rest[0]))
    finally:
        guard.ask("unlock", lock, order.job)


def _scheduler_memory() -> Any:
    from distributed import get_client

    return get_client()


class _Course:
    """All tries of one job."""

    def __init__(self, place: _Place, permission: _Permission, leave: ExitStack) -> None:
        self._place, self._permission = place, permission
        self._order, self._running = place.order, place.running
        self._task = place.order.task
        self._cpu_s, self._peak_bytes = 0.0, 0
        self._text = ""
        self._kill_at: float | None = None
        self._signals: dict[int, int] = {}  # by step that a signal has ended: minus its number
        if permission.seen:
            self._folder = Path(self._order.folder)
        else:
            self._folder = Path(leave.enter_context(tempfile.TemporaryDirectory(prefix="eligo-")))

    def run(self) -> Verdict | None:
        """Try until it succeeds or there is no try left; ``None`` if it was stopped."""
        while True:
            begin = time.monotonic()
            self._place.tell("started")
            attempt = Attempt(self._task, self._running.attempt)
            self._try(attempt)
            verdict = attempt.verdict()
            text = f"{verdict.text}: {self._text}" if verdict and self._text and verdict.exit_code else ""
            facts = self._measured(begin) | {"text": text or (verdict.text if verdict else "")}
            if self._running.killed and (verdict is None or verdict.exit_code != 0):
                self._place.tell("stopped", **facts)
                return None
            assert verdict is not None
            facts |= {"exit_code": verdict.exit_code, "kind": int(verdict.kind)}
            if verdict.kind is not VerdictKind.AGAIN:
                if verdict.exit_code == 0:
                    self._permission.keep_success()  # before anybody hears of it
                self._place.tell("ended", **facts)
                return verdict
            self._place.tell("again", **facts)
            self._running.attempt += 1

    def _measured(self, begin: float) -> dict[str, Any]:
        facts = {"took_s": time.monotonic() - begin, "cpu_s": self._cpu_s, "peak_bytes": self._peak_bytes}
        return facts if self._permission.seen else facts | {"tail": self._tail()}

    def _tail(self) -> str:
        found = sorted(self._folder.rglob("*.log"))
        return "".join(path.read_bytes()[-TAIL:].decode(errors="replace") for path in found)[-TAIL:]

    def _try(self, attempt: Attempt) -> None:
        self._text = ""
        self._signals.clear()
        while (steps := attempt.next_steps()) and not self._running.killed:
            live: dict[int, tuple[int, int]] = {}  # by step: the number of the request, and of the process
            for step in steps:
                self._start(attempt, step, live)
            while live:
                self._wait(attempt, live)

    def _start(self, attempt: Attempt, step: int, live: dict[int, tuple[int, int]]) -> None:
        try:
            process = self._process(attempt, step)
        except (OSError, ValueError) as error:
            attempt.codes[step], self._text = 126, f"it cannot be started: {error}"
            return
        log = log_path(self._folder, self._order.job, self._task.name, step)
        program = {name: getattr(process, name) for name in ("directory", "inherit", "stdin", "stdout", "stderr")}
        program |= {"argv": process.argv, "environment": dict(process.environment), "log": str(log)}
        number, (what, *rest) = self._permission.guard.ask("start", self._permission.lock, program)
        if what == "not":
            attempt.codes[step], self._text = rest
            return
        live[step] = number, rest[0]
        self._running.programs.add(rest[0])
        if self._running.killed:  # just before we said that it runs
            send_signal(self._running, signal.SIGTERM)

    def _wait(self, attempt: Attempt, live: dict[int, tuple[int, int]]) -> None:
        """Wait a while for the first of the programs that run, and take note of how it ended."""
        step, (number, group) = next(iter(live.items()))
        answer = self._permission.guard.wait(number, _LOOK_S if len(live) == 1 else _LOOK_S / 10)
        if answer is None:
            live[step] = live.pop(step)  # the next one's turn
            self._place.leave_if_unwanted()
            self._kill_if_late()
            return
        del live[step]
        self._running.programs.discard(group)
        _, code, cpu_s, peak_bytes = answer
        if code < 0:
            self._signals[step] = code
            code = 128 - code
        self._cpu_s, self._peak_bytes = self._cpu_s + cpu_s, max(self._peak_bytes, peak_bytes)
        if not self._deferred(attempt, step, code, live):
            attempt.codes[step] = self._collected(attempt, step, code)
        if attempt.doomed and live and self._kill_at is None:
            self._kill_at = time.monotonic() + GRACE_S
            send_signal(self._running, signal.SIGTERM)

    def _kill_if_late(self) -> None:
        """Kill what was asked to end and has not."""
        if self._running.killed and self._kill_at is None:
            self._kill_at = time.monotonic() + GRACE_S
        if self._kill_at is not None and time.monotonic() >= self._kill_at:
            self._kill_at = None
            send_signal(self._running, signal.SIGKILL)

    def _deferred(self, attempt: Attempt, step: int, code: int, live: dict[int, tuple[int, int]]) -> bool:
        """Start a script again later that asks for it."""
        hook = {BEFORE: self._task.before, AFTER: self._task.after}.get(step)
        if hook is None or hook.defer_status is None or code != hook.defer_status:
            return False
        again = time.monotonic() + hook.defer_s
        while time.monotonic() < again and not self._running.killed:
            time.sleep(min(_LOOK_S, max(0.0, again - time.monotonic())))
            self._place.leave_if_unwanted()
        if not self._running.killed:
            self._start(attempt, step, live)
        return True

    def _process(self, attempt: Attempt, step: int) -> Process:
        """Return what to start for a step: scripts are filled in, sandboxes made."""
        status, failed, *_ = self._order.counts
        hook = {BEFORE: self._task.before, AFTER: self._task.after}.get(step)
        if hook is not None:
            return Process(attempts.words(hook, self._facts(attempt)), hook.directory)
        process = attempts.for_attempt(
            self._task.processes[step], attempt.number, dag_status=status, failed_count=failed
        )
        if process.sandbox is None:
            return process
        place = self._sandbox(attempt, step)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        sandbox.prepare(process.sandbox, place)
        return replace(process, directory=str(place))

    def _facts(self, attempt: Attempt) -> attempts.HookFacts:
        status, failed, done, running, jobs = self._order.counts
        numbers = range(len(self._task.processes))
        codes = tuple(self._signals.get(step, attempt.codes.get(step, 0)) for step in numbers)
        return attempts.HookFacts(
            job=self._task.name,
            attempt=attempt.number,
            max_retries=self._task.retries,
            exit_code=next((code for code in codes if code), 0),
            exit_codes=codes,
            before_code=attempt.codes.get(BEFORE),
            dag_status=status,
            failed_count=failed,
            done_count=done,
            queued_count=running,
            node_count=jobs,
            job_id=self._order.job + 1,
        )

    def _collected(self, attempt: Attempt, step: int, code: int) -> int:
        """Bring what a process made in its sandbox to where it belongs; returns its exit status, or another."""
        process = self._task.processes[step] if step >= 0 else None
        if process is None or process.sandbox is None:
            return code
        place = self._sandbox(attempt, step)
        try:
            sandbox.collect(process.sandbox, place, process.directory)
        except OSError as error:
            self._text = f"what it made cannot be brought from its sandbox: {error}"
            return code or 126
        shutil.rmtree(place, ignore_errors=True)
        return code

    def _sandbox(self, attempt: Attempt, step: int) -> Path:
        log = log_path(self._folder, self._order.job, self._task.name, step)
        return self._folder / "sandboxes" / f"{log.stem}.{attempt.number}.{step}"
