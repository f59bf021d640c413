"""The worker's side of the guard: threads that ask it to start programs, and wait for their ends.

One guard serves all threads of a worker. It is started when the first job comes, and again if somebody killed it: what
it had started is dead then, and whoever waits for it is told so.
"""

from __future__ import annotations

import itertools
import queue
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from eligo.engines.dask import guard

__all__ = ["GuardLostError", "Guarding", "guarding"]


class GuardLostError(Exception):
    """The guard was killed, and all that it had started."""


class Guarding:
    """A guard and the way to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", str(Path(guard.__file__).resolve())],
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
                guard.send(self._channel, [what, number, *rest])
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
        while (message := guard.receive(self._channel)) is not None:
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
