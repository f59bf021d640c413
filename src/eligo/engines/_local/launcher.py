r"""The keeper: the small process that starts jobs for us and outlives us; see ``native/eligo_job.c``.

Each Eligo starts its own, with a journal of its own. A lock on the journal is shared with the keeper, so that it is
held as long as either lives: a later Eligo that gets it knows that nobody is left who could start or record anything.

The journal in which ``eligo-job`` records what started and what ended; see ``native/eligo_job.c`` for its lines.

A line counts only if it is whole and its check sum is right: a power cut may leave half of one, a full disk too.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from eligo import _core
from eligo.engines._plan import Process
from eligo.errors import EngineError

__all__ = [
    "PROGRAM",
    "Journal",
    "Keeper",
    "KeeperLostError",
    "Key",
    "Record",
    "is_kept",
    "parse_record",
]

_AT_ONCE = 1 << 20


class Key(NamedTuple):
    """Which step of which attempt of which job; a script that asked for another turn has several."""

    job: int
    attempt: int
    step: int
    turn: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))


class Record(NamedTuple):
    """One line: the start (``S``), the end (``E``) or the failure to start (``X``) of a step.

    Attributes
    ----------
    pid, ticks
        Of a start: the process, and when it was made.
    code, signal, text
        Of an end: exit status, or 128 + the signal that ended it; of a failure to start also why.
    begin_s, end_s
        Of an end, by the monotonic clock.
    """

    kind: str
    key: Key
    code: int = 0
    signal: int = 0
    pid: int = 0
    ticks: int = 0
    begin_s: float = 0.0
    end_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    text: str = ""


def parse_record(line: bytes) -> Record | None:
    r"""Read one line; ``None`` where it is damaged.

    Examples
    --------
    >>> text = b"E 7.1.0.0 3 1000000000 2500000000 40000 1024"
    >>> record = parse_record(b"%s %08x" % (text, zlib.crc32(text)))
    >>> record.key, record.code, record.end_s - record.begin_s, record.cpu_s, record.peak_bytes
    (Key(job=7, attempt=1, step=0, turn=0), 3, 1.5, 0.04, 1048576)
    >>> parse_record(text) is None
    True
    """
    text, _, seal = line.rpartition(b" ")
    if not text or seal != b"%08x" % zlib.crc32(text):
        return None
    kind, name, rest = text.decode("utf-8", "replace").split(" ", 2)
    key = Key(*map(int, name.split(".")))
    if kind == "X":
        code, why = rest.split(" ", 1)
        return Record(kind, key, int(code), text=why)
    numbers = [int(word) for word in rest.split()]
    if kind == "S":
        return Record(kind, key, pid=numbers[0], ticks=numbers[1])
    raw, begin, end, cpu, peak = numbers
    return Record(
        kind,
        key,
        code=raw if raw >= 0 else 128 - raw,
        signal=max(-raw, 0),
        begin_s=begin / 1e9,
        end_s=end / 1e9,
        cpu_s=cpu / 1e6,
        peak_bytes=peak * 1024,
    )


class Journal:
    """A journal as it is read while others write to it."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT | os.O_EXCL if create else 0)
        self.path = path
        self.fd = os.open(path, flags, 0o600)
        self._rest = b""
        self.position = 0

    def read(self) -> list[Record]:
        """Return the records that were added since the last call."""
        records: list[Record] = []
        while data := os.pread(self.fd, _AT_ONCE, self.position):
            self.position += len(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            records += [record for line in lines if (record := parse_record(line)) is not None]
        return records

    def close(self) -> None:
        """Close it; a lock that others still hold through the same opening stays."""
        os.close(self.fd)


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
