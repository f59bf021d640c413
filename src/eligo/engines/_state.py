"""The state of a run: one SQLite file that survives whatever happens to us.

Problem: Eligo may be killed at any moment, the machine may lose power, the disk may be full. Afterwards it must be
known which jobs have succeeded, and nothing may be known that is not so.

Idea: a row for each job, in memory and in the file. Changes are made in memory and written by :meth:`State.commit`, all
or none. A commit comes in two strengths. A plain one is handed to the operating system: it outlives our own death,
which is all that is needed to know what was *started*. A commit with ``sync=True`` is on the disk when it returns, with
all that were before it: it outlives the machine's. Engines let the children of a job start, and tell of its success,
after a synced commit only; and since one sync serves all commits before it, they need not sync once a job.

SQLite has no check sums of its own, and a status that a bad disk turned into "done" would be believed: so each row
carries one. A file with a wrong one is refused, as is one that SQLite finds damaged, and left alone.

The file is in WAL mode, so that ``eligo status`` can read while a run writes. One process writes: see ``folder.py``.
Times are seconds since the run began, by a clock that never goes back; what passed while nobody ran counts as well,
as far as the calendar clock can be trusted.

The SQLite file of a run's state: how it is made, opened and checked, and what its complaints mean.

It is made under another name and then renamed, so that there is a whole one or none. It is checked through a connection
that cannot write, so that a file which is refused stays as it is.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from eligo.dag import Dag, Float64, Int32, Int64
from eligo.errors import EngineError
from eligo.trace import ANYWHERE, Trace

__all__ = [
    "COLUMNS",
    "FILE_NAME",
    "PUT",
    "TYPE_OF",
    "UPDATE",
    "VERSION",
    "JobStatus",
    "Part",
    "State",
    "check_version",
    "check_whole",
    "connect",
    "explained",
    "fingerprint",
    "make",
    "seal_of",
    "storable",
]

FILE_NAME = "state.sqlite"
VERSION = 1
COLUMNS = ("status", "attempts", "start_s", "end_s", "worker", "exit_code", "cpu_s", "peak_bytes", "reason", "handle")
_SCHEMA = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE jobs (
    job INTEGER PRIMARY KEY, name TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
    start_s REAL, end_s REAL, worker INTEGER NOT NULL DEFAULT -1, exit_code INTEGER, cpu_s REAL, peak_bytes INTEGER,
    reason TEXT NOT NULL DEFAULT '', handle TEXT NOT NULL DEFAULT '', seal INTEGER NOT NULL
);
CREATE TABLE files (
    name TEXT PRIMARY KEY, size_bytes INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""
_FRESH = (0, 0, None, None, -1, None, None, None, "", "")
UPDATE = f"UPDATE jobs SET {', '.join(f'{name} = ?' for name in COLUMNS)}, seal = ? WHERE job = ?"
PUT = "INSERT OR REPLACE INTO run VALUES (?, ?, ?)"
TYPE_OF = dict(zip(COLUMNS, (int, int, float, float, int, int, float, int, str, str), strict=True))
_PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 10000;"


def make(folder: Path, dag: Dag, known: dict[str, Any]) -> None:
    """Make the file of a run whose jobs all wait, in a folder that has none."""
    path, new = folder / FILE_NAME, folder / f"{FILE_NAME}.new"
    if path.exists():
        raise FileExistsError(errno.EEXIST, "there is one already")
    for leftover in folder.glob(f"{FILE_NAME}.new*"):  # of an Eligo that was killed here
        leftover.unlink()
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        _fill(connection, dag, known)
    new.rename(path)
    _sync_folder(folder)


def connect(path: Path, *, reading: bool = False) -> sqlite3.Connection:
    """Open a file, for reading only if so."""
    if reading:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        connection.execute("PRAGMA busy_timeout = 10000")
        return connection
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(_PRAGMAS)
    return connection


def _fill(connection: sqlite3.Connection, dag: Dag, known: dict[str, Any]) -> None:
    connection.execute("PRAGMA journal_mode = WAL")  # now: to change it later is a write that a kill can interrupt
    connection.execute("BEGIN")
    for statement in _SCHEMA.split(";\n"):
        connection.execute(statement)
    rows = ((job, name, seal_of((job, name, *_FRESH))) for job, name in enumerate(map(storable, dag.names)))
    connection.executemany("INSERT INTO jobs (job, name, seal) VALUES (?, ?, ?)", rows)
    facts = [(key, json.dumps(value)) for key, value in known.items()]
    connection.executemany(PUT, [(*fact, seal_of(fact)) for fact in facts])
    connection.execute("COMMIT")


def storable(name: str) -> str:
    """Return a name as SQLite can keep it: what no UTF-8 can write, such as a byte of another encoding, is escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


def seal_of(row: Sequence[Any]) -> int:
    """Return the check sum of a row."""
    return zlib.crc32("\x1f".join(map(str, row)).encode())


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse the file of another version."""
    version = connection.execute("SELECT value FROM run WHERE key = 'version'").fetchone()
    if version is None or version[0] != str(VERSION):
        raise EngineError(
            f"{path}: the state is of version {version and version[0]}, and this Eligo reads {VERSION}",
            hint="go on with the Eligo that began the run, or start afresh with --restart, which keeps it",
        )


def check_whole(connection: sqlite3.Connection) -> None:
    """Refuse a file that SQLite finds damaged."""
    answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        raise sqlite3.DatabaseError(str(answer).splitlines()[-1])


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if any(words in text for words in ("no such table", "no such column", "decode")):
            raise _damaged(path, error) from error
        if "full" in text:
            hint = "free some space, then go on with --resume"
        elif "readonly" in text or "unable to open" in text:
            hint = "check the permissions, or use another place with --state DIR"
        else:
            hint = "a file system without locks cannot hold the state: use another place with --state DIR"
        raise EngineError(f"{path}: the state cannot be written: {text}", hint=hint) from error
    except (sqlite3.DatabaseError, ValueError) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        raise EngineError(
            f"{path}: the state cannot be written: {error.strerror}", hint="use another place with --state DIR"
        ) from error


def _damaged(path: Path, error: Exception) -> EngineError:
    return EngineError(
        f"{path}: the state is damaged: {error}",
        hint="it is left as it is; --restart starts afresh and keeps it, or bring the file back from a backup",
    )


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Part(Protocol):
    """Tables of an engine that are written together with the state."""

    @property
    def changed(self) -> bool:
        """Whether there is something to write."""
        ...

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it, within a transaction."""
        ...

    def clear(self) -> None:
        """Take note that it was written."""
        ...


class JobStatus(IntEnum):
    """Where a job stands."""

    WAITING = 0
    RUNNING = 1
    DONE = 2
    FAILED = 3


def fingerprint(dag: Dag) -> str:
    """Return what two workflows have in common only if their jobs and declared dependencies are the same.

    Examples
    --------
    >>> one, other = Dag.from_names([("a", "b")]), Dag.from_names([("a", "c")])
    >>> fingerprint(one) == fingerprint(one), fingerprint(one) == fingerprint(other)
    (True, False)
    """
    found = hashlib.sha256()
    for name in dag.names:
        data = name.encode("utf-8", "surrogateescape")
        found.update(b"%d:%s" % (len(data), data))
    for ends in (dag.tails, dag.heads):
        found.update(ends.astype("<i4").tobytes())
    return found.hexdigest()


class State:
    """The state of a run, in memory and on disk.

    Attributes
    ----------
    folder
        Where all files of the run are.
    names
        Of the jobs.
    status, attempts, start_s, end_s, worker, exit_code, cpu_s, peak_bytes, reason, handle
        Of each job, as lists; times and numbers are ``None`` where unknown. Change them by :meth:`update` only.
    files
        Size of each file that was seen, by its path.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        rows = connection.execute(f"SELECT job, name, {', '.join(COLUMNS)}, seal FROM jobs ORDER BY job").fetchall()
        facts = connection.execute("SELECT key, value, seal FROM run").fetchall()
        for row in (*rows, *facts):
            if row[-1] != seal_of(row[:-1]):
                raise sqlite3.DatabaseError(f"the check sum of {row[0]!r} is wrong")
        rows = [row[1:-1] for row in rows]
        columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(1 + len(COLUMNS))]
        self.names: list[str] = columns[0]
        self.status: list[int] = columns[1]
        self.attempts: list[int] = columns[2]
        self.start_s: list[float | None] = columns[3]
        self.end_s: list[float | None] = columns[4]
        self.worker: list[int] = columns[5]
        self.exit_code: list[int | None] = columns[6]
        self.cpu_s: list[float | None] = columns[7]
        self.peak_bytes: list[int | None] = columns[8]
        self.reason: list[str] = columns[9]
        self.handle: list[str] = columns[10]
        self.files: dict[str, int] = dict(connection.execute("SELECT name, size_bytes FROM files"))
        self._run: dict[str, str] = {key: value for key, value, _ in facts}
        self._lists = [getattr(self, name) for name in COLUMNS]
        self._dirty: set[int] = set()
        self._dirty_files: dict[str, tuple[int, int]] = {}
        self._dirty_run: set[str] = set()
        self._unsynced = False
        self._parts: list[Part] = []
        self._base_s, self._begin = self._elapsed(), time.monotonic()

    @classmethod
    def create(cls, folder: Path, dag: Dag, **facts: Any) -> State:
        """Make the state of a new run in a folder that has none; `facts` are kept for :meth:`get`.

        Examples
        --------
        >>> import tempfile
        >>> dag = Dag.from_names([("a", "b")])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with State.create(Path(folder), dag, engine="local") as state:
        ...         state.update(0, status=JobStatus.DONE, start_s=0.0, end_s=1.5)
        ...         state.commit(sync=True)
        ...     with State.open(Path(folder)) as state:
        ...         state.get("engine"), state.status, state.end_s
        ('local', [2, 0], [1.5, None])
        """
        path = folder / FILE_NAME
        known = {"version": VERSION, "fingerprint": fingerprint(dag), "began": time.time(), **facts}
        with explained(path):
            make(folder, dag, known)
            return cls(folder, connect(path))

    @classmethod
    def open(cls, folder: Path, *, reading: bool = False) -> State:
        """Open the state of an earlier run, or, if only `reading`, of one that goes on.

        Raises
        ------
        EngineError
            There is none, it is damaged, or of another version. The file stays as it is.
        """
        path = folder / FILE_NAME
        if not path.is_file():
            raise EngineError(f"{path}: there is no state of a run", hint="eligo run FILE starts one")
        with explained(path):
            if path.stat().st_size == 0:  # SQLite would take it for a new one, and remove the log beside it
                raise sqlite3.DatabaseError("it is empty")
            connection = connect(path, reading=True)  # which cannot change what will be refused
            try:
                check_version(connection, path)
                state = cls(folder, connection)
                if reading:
                    return state
                check_whole(connection)
            except BaseException:
                connection.close()
                raise
            connection.close()
            state.connection = connect(path)
            return state

    def check_workflow(self, dag: Dag, path: str) -> None:
        """Refuse the state of another workflow, or of this one before its jobs or dependencies were changed."""
        if self.get("fingerprint") == fingerprint(dag):
            return
        old, new = set(self.names), set(map(storable, dag.names))
        differ = sorted(old ^ new)
        what = f"job {differ[0]!r} is in one of them only" if differ else "their dependencies or the order differ"
        raise EngineError(
            f"{self.folder / FILE_NAME}: the state is not of {path} as it is now: {what}",
            hint="--restart starts afresh and keeps the old state, --state DIR uses another place",
        )

    def get(self, key: str, default: Any = None) -> Any:
        """Return one of the facts of the run."""
        return json.loads(self._run[key]) if key in self._run else default

    def put(self, key: str, value: Any) -> None:
        """Change one of the facts of the run, with the next commit."""
        self._run[key] = json.dumps(value)
        self._dirty_run.add(key)

    def repeats(self, job: int) -> None:
        """Take note that a job runs again of which nobody saw how it ended: it may have succeeded before."""
        self.put("repeated", [*self.get("repeated", []), job])

    def update(self, job: int, **values: Any) -> None:
        """Change what is known of a job, with the next commit."""
        for name, value in values.items():
            getattr(self, name)[job] = None if value is None else TYPE_OF[name](value)
        self._dirty.add(job)

    def saw_file(self, name: str, size_bytes: int, *, deleted: bool = False) -> None:
        """Take note of the size of a file, or that we deleted it, with the next commit."""
        name = storable(name)
        self.files[name] = size_bytes
        self._dirty_files[name] = (size_bytes, int(deleted))

    def join(self, part: Part) -> None:
        """Let an engine's own tables be written in the same commits."""
        self._parts.append(part)

    @property
    def _changed(self) -> bool:
        return bool(self._dirty or self._dirty_run or self._dirty_files or any(part.changed for part in self._parts))

    @property
    def unsynced(self) -> bool:
        """Whether something was changed or committed that a power cut could still take away."""
        return self._unsynced or self._changed

    def commit(self, *, sync: bool = False) -> None:
        """Write all changes, in one piece; with `sync` they are on the disk afterwards, and all before them.

        Raises
        ------
        EngineError
            They cannot be written; they are kept in memory, and another commit may succeed.
        """
        if not (self.unsynced if sync else self._changed):
            return
        if sync:  # a commit without a change would not be synced
            self.put("synced", time.time())
        with explained(self.folder / FILE_NAME), self._strength(sync=sync):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                self._write(self.connection)
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        self._dirty.clear()
        self._dirty_run.clear()
        self._dirty_files.clear()
        for part in self._parts:
            part.clear()
        self._unsynced = not sync

    @contextmanager
    def _strength(self, *, sync: bool) -> Iterator[None]:
        if not sync:
            yield
            return
        self.connection.execute("PRAGMA synchronous = FULL")
        try:
            yield
        finally:
            self.connection.execute("PRAGMA synchronous = NORMAL")

    def _write(self, connection: sqlite3.Connection) -> None:
        if self._dirty:
            rows = [(job, self.names[job], *(column[job] for column in self._lists)) for job in sorted(self._dirty)]
            connection.executemany(UPDATE, [(*row[2:], seal_of(row), row[0]) for row in rows])
        if self._dirty_run:
            facts = [(key, self._run[key]) for key in sorted(self._dirty_run)]
            connection.executemany(PUT, [(*fact, seal_of(fact)) for fact in facts])
        if self._dirty_files:
            files = [(name, *values) for name, values in sorted(self._dirty_files.items())]
            connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", files)
        for part in self._parts:
            if part.changed:
                part.write(connection)

    def now_s(self) -> float:
        """Return the seconds since the run began; never less than anything that was recorded before."""
        return self.at_s(time.monotonic())

    def at_s(self, monotonic_s: float) -> float:
        """Return a moment of the monotonic clock as seconds since the run began."""
        return self._base_s + (monotonic_s - self._begin)

    def never_before(self, base_s: float) -> None:
        """Let the run be at `base_s` at least when the monotonic clock was 0, as an earlier Eligo found.

        Where the calendar clock was set back since, that knows better.
        """
        self._base_s += max(0.0, base_s - self.at_s(0.0))

    def _elapsed(self) -> float:
        latest = max((t for times in (self.start_s, self.end_s) for t in times if t is not None), default=0.0)
        return max(latest, time.time() - float(self.get("began", time.time())))

    def trace(self, dag: Dag) -> Trace:
        """Return what ran when: of each job its last try, and of jobs that are running only the start."""
        start, end = (_floats(times) for times in (self.start_s, self.end_s))
        running = np.array(self.status, np.int64) == JobStatus.RUNNING
        end = np.where(running | np.isnan(start), np.nan, end)
        return Trace.of(dag, start, end, _ints(self.worker), workers=self.get("workers") or None, measured=True)

    def counts(self) -> dict[JobStatus, int]:
        """Return how many jobs have each status."""
        found = np.bincount(np.array(self.status, np.int64), minlength=len(JobStatus)).tolist()
        return {status: found[status] for status in JobStatus}

    def close(self) -> None:
        """Close the file; what was not committed is lost."""
        self.connection.close()

    def __enter__(self) -> State:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _floats(values: Iterable[float | None]) -> Float64:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _ints(values: Iterable[int | None]) -> Int32 | Int64:
    return np.array([ANYWHERE if value is None else value for value in values], np.int64)
