"""What was asked of which keeper: the tables by which a later Eligo finds what an earlier one left running.

Before a step is asked for, it stands in the file as begun; so whatever runs is known. A step that has ended keeps its
exit status there until its job is over, so that what was done of a job is not done again: where Eligo dies between a
job and the script after it, only the script is left to run.

Whether a process of long ago still runs: its number may be another's by now.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from eligo.engines._local.launcher import Key
from eligo.engines._state import State

__all__ = [
    "Epoch",
    "Steps",
    "boot_id",
    "leader_lives",
    "session_lives",
]

_PROC = Path("/proc")


def boot_id() -> str:
    """Return what is different each time the machine starts; nothing where the system does not tell."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def session_lives(pid: int, ticks: int) -> bool:
    """Tell whether a process that led a session lives, or any other of its session.

    Parameters
    ----------
    pid, ticks
        The number of the process, and when it was made, in the kernel's count.

    Examples
    --------
    >>> import subprocess
    >>> with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
    ...     made = int(_stat(child.pid)[19])
    ...     print(session_lives(child.pid, made), session_lives(child.pid, made + 1))
    ...     child.kill()
    True False
    >>> session_lives(child.pid, made)
    False
    """
    if not _PROC.is_dir():
        return _answers(pid)
    leader = _stat(pid)
    if leader:
        if leader[0] not in "ZX":
            return int(leader[19]) == ticks
        if int(leader[19]) != ticks:
            return False
    return any(
        fields and fields[0] not in "ZX" and int(fields[3]) == pid
        for fields in (_stat(int(entry.name)) for entry in _PROC.iterdir() if entry.name.isdigit())
    )


def leader_lives(pid: int, ticks: int) -> bool:
    """Tell whether the process itself lives, whatever else there is of its session.

    Examples
    --------
    >>> leader_lives(os.getpid(), -1)
    False
    """
    if not _PROC.is_dir():
        return _answers(pid)
    leader = _stat(pid)
    return bool(leader) and leader[0] not in "ZX" and int(leader[19]) == ticks


def _stat(pid: int) -> list[str]:
    """Return the fields after the name, from the state on; nothing where there is no such process."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS epochs (id INTEGER PRIMARY KEY, host TEXT NOT NULL, boot TEXT NOT NULL, "
    "base_s REAL NOT NULL, over INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS steps (job INTEGER, attempt INTEGER, step INTEGER, turn INTEGER NOT NULL, "
    "epoch INTEGER NOT NULL, code INTEGER, PRIMARY KEY (job, attempt, step)) WITHOUT ROWID",
)


class Epoch(NamedTuple):
    """The time of one keeper.

    Attributes
    ----------
    host, boot
        Where it ran, and since which start of that machine.
    base_s
        The moment of the run at which the monotonic clock was 0.
    """

    number: int
    host: str
    boot: str
    base_s: float

    @property
    def is_here(self) -> bool:
        """Whether it ran on this machine."""
        return self.host == os.uname().nodename

    @property
    def may_live(self) -> bool:
        """Whether the machine has not been started anew since."""
        return self.boot == boot_id()


class Steps:
    """The two tables, as a part of the state: changes are written with its next commit."""

    def __init__(self, state: State) -> None:
        self._connection = state.connection
        for statement in _SCHEMA:
            self._connection.execute(statement)
        self._begun: list[tuple[int, int, int, int, int]] = []
        self._ended: list[tuple[int, int, int, int]] = []
        self._forgotten: list[tuple[int]] = []
        self._epochs: list[tuple[int, str, str, float]] = []
        self._over: list[tuple[int]] = []
        self._last = self._connection.execute("SELECT coalesce(max(id), 0) FROM epochs").fetchone()[0]
        state.join(self)

    def new_epoch(self, base_s: float) -> Epoch:
        """Begin the time of a new keeper."""
        self._last += 1
        epoch = Epoch(self._last, os.uname().nodename, boot_id(), base_s)
        self._epochs.append(epoch)
        return epoch

    def open_epochs(self) -> list[Epoch]:
        """Return the times of earlier keepers that were not closed."""
        rows = self._connection.execute("SELECT id, host, boot, base_s FROM epochs WHERE over = 0 ORDER BY id")
        return [Epoch(*row) for row in rows]

    def known(self) -> dict[Key, tuple[int, int | None]]:
        """Return the epoch and the exit status of each step of a job that is not over."""
        rows = self._connection.execute("SELECT job, attempt, step, turn, epoch, code FROM steps")
        return {Key(*key): (epoch, code) for *key, epoch, code in rows}

    def begin(self, key: Key, epoch: int) -> None:
        """Take note that a step is about to be asked for."""
        self._begun.append((*key, epoch))

    def end(self, key: Key, code: int) -> None:
        """Take note of the exit status of a step."""
        self._ended.append((code, *key[:3]))

    def forget(self, job: int) -> None:
        """Take note that a job is over, or has to begin anew."""
        self._forgotten.append((job,))

    def close_epoch(self, number: int) -> None:
        """Take note that all that a keeper started has ended."""
        self._over.append((number,))

    @property
    def changed(self) -> bool:
        """Whether there is something to write."""
        return bool(self._begun or self._ended or self._forgotten or self._epochs or self._over)

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it. A job's old steps go before its new ones come."""
        connection.executemany("INSERT INTO epochs (id, host, boot, base_s) VALUES (?, ?, ?, ?)", self._epochs)
        statement = "UPDATE steps SET code = ? WHERE job = ? AND attempt = ? AND step = ?"
        connection.executemany(statement, self._ended)
        connection.executemany("DELETE FROM steps WHERE job = ?", self._forgotten)
        connection.executemany("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, NULL)", self._begun)
        connection.executemany("UPDATE epochs SET over = 1 WHERE id = ?", self._over)

    def clear(self) -> None:
        """Take note that it was written."""
        for rows in (self._begun, self._ended, self._forgotten, self._epochs, self._over):
            rows.clear()


def journal_path(folder: Path, epoch: int) -> Path:
    """Return the journal of a keeper.

    Examples
    --------
    >>> journal_path(Path("flow.eligo"), 3).as_posix()
    'flow.eligo/journal.3'
    """
    return folder / f"journal.{epoch}"


def journals_in(folder: Path) -> set[int]:
    """Return the keepers whose journals are in a folder; other files there, such as ``journal.tex``, are not ours."""
    ends = (path.name.removeprefix("journal.") for path in folder.glob("journal.*"))
    return {int(end) for end in ends if re.fullmatch("[1-9][0-9]*", end)}


def closed(folder: Path, epochs: Iterable[int]) -> None:
    """Remove the journals of keepers whose time is over."""
    for number in epochs:
        journal_path(folder, number).unlink(missing_ok=True)
