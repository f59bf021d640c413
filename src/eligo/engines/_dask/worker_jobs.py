"""The register of a worker: which jobs run in its process and which have ended, for as long as it lives.

An Eligo that comes after a crash asks all workers for their registers (`survey`). By the same question it forbids them
to begin anything that an earlier one had sent, so that the answer stays true: nothing that it does not name will start.
The functions that have a run's id as their first argument are called on workers by ``Client.run``.

The worker's side of the guard: threads that ask it to start programs, and wait for their ends.

One guard serves all threads of a worker. It is started when the first job comes, and again if somebody killed it: what
it had started is dead then, and whoever waits for it is told so.
"""

from __future__ import annotations

import itertools
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eligo.engines._dask import supervisor
from eligo.engines._dask.worker_messages import Order, OutdatedError

__all__ = [
    "GRACE_S",
    "GuardLostError",
    "Guarding",
    "Running",
    "end_jobs",
    "forbidden",
    "forget",
    "guarding",
    "keep_end",
    "registered",
    "send_signal",
    "survey",
]


class GuardLostError(Exception):
    """The guard was killed, and all that it had started."""


class Guarding:
    """A guard and the way to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", str(Path(supervisor.__file__).resolve())],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        self._channel = ours
        self._sending = threading.Lock()
        self._numbers = itertools.count()
        self._answers: dict[int, queue.SimpleQueue[list[Any]]] = {}
        self.alive = True
        self._listener = threading.Thread(target=self._listen, daemon=True, name="eligo-guard")
        self._listener.start()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def ask(self, what: str, *rest: Any) -> tuple[int, list[Any]]:
        """Ask for something, and return the number of the question with the first answer."""
        number = next(self._numbers)
        self._answers[number] = queue.SimpleQueue()
        try:
            with self._sending:
                supervisor.send(self._channel, [what, number, *rest])
        except OSError:
            raise GuardLostError from None
        answer = self._take(number, None)
        assert answer is not None
        if what != "start" or answer[0] == "not":
            self._answers.pop(number, None)
        return number, answer

    def wait(self, number: int, seconds: float) -> list[Any] | None:
        """Return how a program that was started has ended, or ``None`` if it has not yet."""
        answer = self._take(number, seconds)
        if answer is not None:
            self._answers.pop(number, None)
        return answer

    def _take(self, number: int, seconds: float | None) -> list[Any] | None:
        answers = self._answers[number]
        if not self.alive and answers.empty():
            raise GuardLostError
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            return None
        if not answer:
            raise GuardLostError
        return answer

    def _listen(self) -> None:
        while (message := supervisor.receive(self._channel)) is not None:
            number, *answer = message
            if (answers := self._answers.get(number)) is not None:
                answers.put(answer)
        self.alive = False
        for answers in list(self._answers.values()):
            answers.put([])
        self._process.wait()
        self._channel.close()

    def close(self) -> None:
        """Let go of the guard, which ends all that it had started."""
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._listener.join()


_ONE = threading.Lock()
_now: Guarding | None = None


def guarding() -> Guarding:
    """Return the guard of this process."""
    global _now  # noqa: PLW0603 - there is one for all threads
    with _ONE:
        if _now is None or not _now.alive:
            _now = Guarding()
        return _now


GRACE_S = 5.0
"""Between asking a program to end and killing it."""


@dataclass(slots=True, eq=False)
class Running:
    """A job that runs in this process, in the lowest slot that was free."""

    slot: int
    attempt: int = 1
    killed: bool = False
    programs: set[int] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)


_lock = threading.Lock()
_running: dict[tuple[str, int], Running] = {}
_ended: dict[str, dict[int, dict[str, Any]]] = {}
_turns: dict[str, int] = {}


def survey(run_id: str, turn: int) -> dict[str, Any]:
    """Forbid what has a turn before `turn`, and return what runs (slot and attempt) and how what has ended did."""
    with _lock:
        _turns[run_id] = max(turn, _turns.get(run_id, 0))
        running = {job: (it.slot, it.attempt) for (run, job), it in _running.items() if run == run_id}
        return {"running": running, "ended": list(_ended.get(run_id, {}).values())}


def forbidden(order: Order) -> bool:
    """Whether an order came from an Eligo that was replaced, or that said since then that nothing more may start."""
    with _lock:
        return order.turn < _turns.get(order.run_id, 0)


def forget(run_id: str) -> None:
    """Forget how the jobs of a run have ended, which is known elsewhere."""
    with _lock:
        _ended.pop(run_id, None)


def keep_end(order: Order, message: dict[str, Any]) -> None:
    """Remember how a job ended, until somebody who heard of it says otherwise."""
    with _lock:
        _ended.setdefault(order.run_id, {})[order.job] = message


def end_jobs(run_id: str) -> None:
    """Ask the programs of a run to end, and kill them if they do not."""
    with _lock:
        mine = [it for (run, _), it in _running.items() if run == run_id]
        for it in mine:
            it.killed = True
    for it in mine:
        send_signal(it, signal.SIGTERM)


def send_signal(running: Running, which: signal.Signals) -> None:
    """Send a signal to all programs of a job."""
    with suppress(GuardLostError):
        for group in list(running.programs):
            guarding().ask("signal", group, int(which))


@contextmanager
def registered(order: Order) -> Iterator[Running]:
    """Enter a job into the register, after whatever runs it here already has ended.

    Raises
    ------
    OutdatedError
        It was forbidden meanwhile.
    """
    key = order.run_id, order.job
    while True:
        with _lock:
            if order.turn < _turns.get(order.run_id, 0):
                raise OutdatedError
            other = _running.get(key)
            if other is None:
                taken = {it.slot for it in _running.values()}
                mine = _running[key] = Running(next(slot for slot in range(len(taken) + 1) if slot not in taken))
                break
        other.over.wait()
    try:
        yield mine
    finally:
        with _lock:
            del _running[key]
        mine.over.set()
