"""The keeper: the small process that starts jobs for us and outlives us; see ``native/eligo_job.c``.

Each Eligo starts its own, with a journal of its own. A lock on the journal is shared with the keeper, so that it is
held as long as either lives: a later Eligo that gets it knows that nobody is left who could start or record anything.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
from contextlib import suppress
from pathlib import Path

from eligo import _core
from eligo.engines.local.journal import Journal, Key, Record
from eligo.engines.plan import Process
from eligo.errors import EngineError

__all__ = ["PROGRAM", "Keeper", "KeeperLostError", "is_kept"]

PROGRAM = Path(_core.__file__).with_name("eligo-job")


class KeeperLostError(Exception):
    """The keeper is gone; what it started may still run."""


class Keeper:
    """A keeper and its journal."""

    def __init__(self, journal: Path) -> None:
        if not os.access(PROGRAM, os.X_OK):
            raise EngineError(f"{PROGRAM} is missing", hint="it belongs to eligo: install eligo again")
        self.journal = Journal(journal, create=True)
        fcntl.flock(self.journal.fd, fcntl.LOCK_SH)
        self._socket, theirs = socket.socketpair()
        with theirs:
            for fd in (self.journal.fd, theirs.fileno()):
                os.set_inheritable(fd, True)
            words = [str(PROGRAM), "keep", str(self.journal.fd), str(theirs.fileno())]
            self.pid = os.posix_spawn(PROGRAM, words, os.environ, setsid=True)
            os.set_inheritable(self.journal.fd, False)

    def start(self, key: Key, process: Process, log: Path) -> None:
        """Ask for a program to be started.

        Raises
        ------
        ValueError
            A word has a zero byte in it, which no program can be given.
        KeeperLostError
            There is nobody to ask.
        """
        data, count = _request(key, process, log)
        try:
            self._socket.sendall(struct.pack("=II", len(data), count) + data)
        except OSError as error:
            raise KeeperLostError from error

    def wait(self, timeout_s: float) -> None:
        """Wait until there is something new in the journal, but not longer.

        Raises
        ------
        KeeperLostError
            There is nobody left to write into it.
        """
        poll = select.poll()  # select() knows no files beyond the first 1,024 of a process
        poll.register(self._socket, select.POLLIN)
        ready = poll.poll(1000 * min(max(timeout_s, 0.0), 3600.0))
        try:
            lost = bool(ready) and not self._socket.recv(4096)
        except ConnectionError:  # it was killed with requests that it had not read
            lost = True
        if lost:
            raise KeeperLostError

    def read(self) -> list[Record]:
        """Return what is new in the journal."""
        return self.journal.read()

    def close(self) -> None:
        """Let the keeper go as soon as all that it started has ended; it is not waited for."""
        self._socket.close()
        self.journal.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)

    def wait_for_end(self) -> None:
        """Close, and wait for the keeper, which has nothing left to wait for itself."""
        self._socket.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self.journal.close()


def _request(key: Key, process: Process, log: Path) -> tuple[bytes, int]:
    files = (process.stdin or "", process.stdout or "", process.stderr or "")
    environment = (f"{name}={value}" for name, value in process.environment.items())
    inherit = "1" if process.inherit else ""
    words = [str(key), process.directory, *files, str(log), inherit, *process.argv, *environment]
    for word in words:
        if "\0" in word:
            raise ValueError(f"{word!r} has a zero byte")
    return b"".join(os.fsencode(word) + b"\0" for word in words), len(process.argv)


def is_kept(journal: Journal) -> bool:
    """Tell whether the keeper of an earlier journal, or the Eligo that started it, still lives."""
    try:
        fcntl.flock(journal.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(journal.fd, fcntl.LOCK_UN)
    return False
