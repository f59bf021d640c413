"""The SQLite file of a run's state: how it is made, opened and checked, and what its complaints mean.

It is made under another name and then renamed, so that there is a whole one or none. It is checked through a connection
that cannot write, so that a file which is refused stays as it is.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from eligo.dag import Dag
from eligo.errors import EngineError

__all__ = ["COLUMNS", "FILE_NAME", "PUT", "TYPE_OF", "UPDATE", "VERSION", "check_version", "check_whole", "connect"]
__all__ += ["explained", "make", "seal_of", "storable"]

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
