"""The guard: a small process beside each Dask worker that starts the jobs' programs and ends them with the worker.

Problem: a worker may be killed at any moment, by its nanny for instance. Dask then gives its tasks to others. If the
programs lived on, a job would run twice at the same time.

Idea: the worker asks this process to start programs. Between them is a socket; when the worker dies, however it dies,
the operating system closes it, and the guard kills all that it started, and all that those started: it is the
*subreaper* of its programs, so whoever loses his parent becomes a child of the guard. If the guard itself is killed,
the operating system kills its programs (``PR_SET_PDEATHSIG``). A process of its own is needed, since neither can be had
safely from a process with threads, which a worker is.

Invariant: while a program of a job runs, the job's byte of the record (``record.py``) is locked, if there is one here:
the programs inherit the lock, and it is freed when the last of them is gone, or when the worker says that the job is
over.

Messages are lists in JSON after their length in four bytes. From the worker: ``lock``, ``start``, ``signal``, ``mark``,
``unlock``; each has a number first, and the answers carry it. Runs by its path with ``python -I -S``, so it imports
little and nothing of ours (about 15 ms, once a worker). Cost: a fork a program, about a millisecond. Linux has all of
this; elsewhere jobs are ended with their worker, but not with their guard, and there are no locks.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

NOT_STARTED = 127
"""The exit status of what could not be started, as shells have it."""
HEADER = 64
"""Where the bytes of jobs begin in a record."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


class Guard:
    """Starts programs, tells how they ended, and outlives nobody."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._programs: dict[int, tuple[int, str | None]] = {}  # by process number: the request's number and the log
        self._locks: dict[int, int] = {}  # by the number of the request: an open record
        self._control: Callable[[int, int], None] | None = None
        if sys.platform == "linux":
            self._control = ctypes.CDLL(None).prctl
            self._control(_PR_SET_CHILD_SUBREAPER, 1)

    def serve(self) -> None:
        """Do what the worker asks until it is gone."""
        wake, woken = socket.socketpair()
        for end in (wake, woken, self._channel):
            end.setblocking(False)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _go_on)  # not SIG_IGN, which programs would inherit
        self._channel.setblocking(True)
        selector = selectors.DefaultSelector()
        selector.register(self._channel, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is wake:
                    wake.recv(4096)
                elif not self._answer():
                    self.end_all()
                    return
            self._reap()

    def _answer(self) -> bool:
        message = receive(self._channel)
        if message is None:
            return False
        what, number, *rest = message
        with suppress(BrokenPipeError, ConnectionResetError):  # seen as the end when we read next
            send(self._channel, [number, *getattr(self, f"do_{what}")(number, *rest)])
        return True

    def do_lock(self, number: int, path: str, run_id: str, job: int) -> list[Any]:
        """Lock a job's byte: ``locked`` with what it says, ``busy``, or ``unseen`` where the record is not here."""
        try:
            record = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return ["unseen"]
        if os.pread(record, HEADER, 0).rstrip(b"\0\n") != run_id.encode():
            os.close(record)
            return ["unseen"]
        try:
            _lock_byte(record, HEADER + job)
        except (BlockingIOError, PermissionError):
            os.close(record)
            return ["busy"]
        except OSError:
            pass  # a file system without locks: what the byte says is still true
        self._locks[number] = record
        return ["locked", os.pread(record, 1, HEADER + job) == b"\1"]

    def do_mark(self, number: int, lock: int, job: int) -> list[Any]:
        """Write into a job's byte that it has succeeded."""
        os.pwrite(self._locks[lock], b"\1", HEADER + job)
        return ["marked"]

    def do_unlock(self, number: int, lock: int, job: int) -> list[Any]:
        """Free a job's byte."""
        record = self._locks.pop(lock)
        with suppress(OSError):  # closing is not enough: what the job left behind may have it open
            _lock_byte(record, HEADER + job, kind=fcntl.F_UNLCK)
        os.close(record)
        return ["unlocked"]

    def do_start(self, number: int, lock: int | None, program: dict[str, Any]) -> list[Any]:
        """Start a program in a session of its own: ``started`` with its number, or ``not`` with why."""
        log = program["log"]
        try:
            with _Files() as files:
                directory = program["directory"]
                if not os.path.isdir(directory):  # noqa: PTH112 - pathlib would take long to load
                    raise NotADirectoryError(f"the directory {directory!r} is not there on {os.uname().nodename}")
                kept = (self._locks[lock],) if lock in self._locks else ()
                stdin = files.open(program["stdin"] or os.devnull, os.O_RDONLY)
                stdout, stderr = files.outputs(program["stdout"], program["stderr"], log)
                environment = {**os.environ, **program["environment"]} if program["inherit"] else program["environment"]
                child = subprocess.Popen(
                    program["argv"],
                    cwd=directory,
                    env=environment,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                    pass_fds=kept,
                    preexec_fn=self._tie_to(os.getpid()),  # noqa: PLW1509 - there are no threads here
                )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return ["not", NOT_STARTED if isinstance(error, FileNotFoundError) else 126, f"it could not start: {error}"]
        child.returncode = 0  # we wait for it ourselves
        self._programs[child.pid] = number, log
        return ["started", child.pid]

    def _tie_to(self, guard: int) -> Callable[[], None] | None:
        control = self._control
        if control is None:
            return None

        def tie() -> None:
            control(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != guard:  # which died before that
                os._exit(137)

        return tie

    def do_signal(self, number: int, group: int, which: int) -> list[Any]:
        """Send a signal to all processes of a program that has not ended."""
        if group in self._programs:
            _kill_group(group, which)
        return ["sent"]

    def _reap(self) -> None:
        """Tell of programs that ended, by minus the signal where one did it; nobody asks of orphans."""
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid not in self._programs:
                continue
            number, log = self._programs.pop(pid)
            _kill_group(pid, signal.SIGKILL)  # what it left behind, as HTCondor does
            if log is not None:
                with suppress(OSError):
                    if os.stat(log).st_size == 0:  # noqa: PTH116
                        os.unlink(log)  # noqa: PTH108
            code = os.waitstatus_to_exitcode(status)
            peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            with suppress(BrokenPipeError, ConnectionResetError):
                ended = [number, "ended", code, used.ru_utime + used.ru_stime, peak]
                send(self._channel, ended)

    def end_all(self) -> None:
        """Kill every descendant: whoever loses his parent becomes our child, so going on until none is left will do."""
        for pid in self._programs:
            _kill_group(pid, signal.SIGKILL)
        while True:
            for child in _children():
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(0.005)


class _Files:
    """Files that are open until a program has been started."""

    def __enter__(self) -> _Files:
        self._open: list[int] = []
        return self

    def __exit__(self, *_: object) -> None:
        for number in self._open:
            os.close(number)

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        self._open.append(os.open(path, flags | os.O_CLOEXEC, mode))
        return self._open[-1]

    def outputs(self, stdout: str | None, stderr: str | None, log: str) -> tuple[int, int]:
        """Open what is written to; the two are one file where they have one path."""
        flags = os.O_WRONLY | os.O_CREAT
        kept = self.open(log, flags | os.O_APPEND, 0o600) if stdout is None or stderr is None else -1
        out = kept if stdout is None else self.open(stdout, flags | os.O_TRUNC)
        if stderr is None:
            return out, kept
        return out, out if stderr == stdout else self.open(stderr, flags | os.O_TRUNC)


def _lock_byte(record: int, place: int, kind: int = fcntl.F_WRLCK) -> None:
    """Lock a byte for an open file rather than a process, so that programs inherit it."""
    if hasattr(fcntl, "F_OFD_SETLK"):
        fcntl.fcntl(record, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", kind, os.SEEK_SET, place, 1, 0))


def _kill_group(group: int, which: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, which)


def _children() -> Iterator[int]:
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as listed:  # noqa: PTH123
        yield from map(int, listed.read().split())


def _go_on(*_: object) -> None:
    """Do nothing: that a signal came is all that matters."""


def send(channel: socket.socket, message: list[Any]) -> None:
    """Send a message whole."""
    data = json.dumps(message).encode()
    channel.sendall(len(data).to_bytes(4, "little") + data)


def receive(channel: socket.socket) -> list[Any] | None:
    """Return the next message, or ``None`` where the other side is gone."""
    length = _receive(channel, 4)
    data = _receive(channel, int.from_bytes(length, "little")) if length else None
    return None if data is None else list(json.loads(data))


def _receive(channel: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        try:
            part = channel.recv(size - len(data))
        except ConnectionResetError:
            return None
        if not part:
            return None
        data += part
    return bytes(data)


if __name__ == "__main__":
    Guard(socket.socket(fileno=0)).serve()
