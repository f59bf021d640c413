"""The folder of a run, beside the workflow, and the locks that keep a second run away.

``workflow.dag.eligo/`` holds the state, the logs of jobs and whatever else an engine keeps. It is private: commands may
carry secrets. Two locks are held while a run goes on, both freed by the operating system when its process dies: one in
the folder, so that two runs cannot share a state, and one on the workflow file, so that two runs with different folders
cannot run the same jobs. Names of jobs become names of files only through :func:`safe_name`.

What a run saw, as the table that ``--job-data`` reads: the next prioritisation knows times and sizes by it.

Only jobs that have succeeded count, with what their last try took. Sizes stand there twice: as ``output_bytes`` of each
job of which all files were seen, and file by file, which says more: whoever reads the table for the same workflow keeps
its files with their readers, and only learns how large they are.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from eligo._atomic_files import replace_whole
from eligo.dag import OUTSIDE
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError
from eligo.formats._delimited_text import quote_field
from eligo.formats._source import STDIN

__all__ = [
    "Folder",
    "default_folder",
    "holder",
    "safe_name",
    "write_table",
]

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 80


def default_folder(workflow: str) -> Path:
    """Return where the state of a workflow is unless one says otherwise.

    Examples
    --------
    >>> default_folder("here/flow.dag").as_posix()
    'here/flow.dag.eligo'
    """
    if workflow in ("-", STDIN):
        raise EngineError("a workflow from standard input has no place for its state", hint="give one: --state DIR")
    return Path(f"{workflow}.eligo")


def safe_name(number: int, name: str) -> str:
    """Return a file name for a job that no name of a job can lead elsewhere; different jobs have different ones.

    Examples
    --------
    >>> safe_name(7, "../../etc/passwd")
    '7-.._.._etc_passwd'
    """
    return f"{number}-{_UNSAFE.sub('_', name)[:_LONGEST]}"


def holder(path: Path) -> str | None:
    """Return who runs in a folder, as its lock says; ``None`` where nobody does.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     with Folder(Path(here)):
    ...         during = holder(Path(here))
    ...     during == f"{os.getpid()} on {os.uname().nodename}", holder(Path(here))
    (True, None)
    """
    try:
        with (path / "lock").open() as stream:
            text = stream.read().strip()
            try:
                fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return text or "unknown"
    except OSError:
        pass  # no lock, or one that cannot be asked
    return None


class Folder:
    """The folder of a run, locked for one process.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here, Folder(Path(here) / "flow.dag.eligo") as folder:
    ...     Folder(folder.path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    eligo.errors.EngineError: ...flow.dag.eligo: a run goes on here (process ...)
    hint: eligo status shows it; wait until it is over, or stop it with Ctrl-C in its terminal
    """

    def __init__(self, path: Path, workflow: Path | None = None) -> None:
        self.path = path
        self._held: list[IO[Any]] = []
        try:
            path.mkdir(mode=0o700, exist_ok=True)
            _check_no_links(path)
            self._lock(path / "lock", "a+", f"{path}: a run goes on here")
            if workflow is not None and workflow.is_file():
                self._lock(workflow, "r", f"{workflow}: a run of this workflow goes on")
        except OSError as error:
            self.close()
            hint = "a run needs a folder of its own: --state DIR"
            if not path.parent.exists():
                hint = f"make {path.parent} first"
            raise EngineError(f"{path}: {error.strerror or error}", hint=hint) from error
        except BaseException:
            self.close()
            raise
        self._sign()

    def _lock(self, path: Path, mode: str, text: str) -> None:
        stream = path.open(mode)
        self._held.append(stream)
        try:
            _take(stream)
        except BlockingIOError:
            holder = self._holder()
            raise EngineError(
                f"{text}{holder}",
                hint="eligo status shows it; wait until it is over, or stop it with Ctrl-C in its terminal",
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF) or mode == "a+":
                raise  # the lock of the folder is needed; that of the workflow only where its file system has locks

    def _holder(self) -> str:
        with suppress(OSError):
            if text := (self.path / "lock").read_text().strip():
                return f" (process {text})"
        return ""

    def _sign(self) -> None:
        """Say in the lock who holds it, for people."""
        stream = self._held[0]
        stream.truncate(0)
        stream.write(f"{os.getpid()} on {os.uname().nodename}\n")
        stream.flush()

    def sub(self, *names: str) -> Path:
        """Return a folder within, made where it is missing."""
        path = self.path.joinpath(*names)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def close(self) -> None:
        """Let others in."""
        while self._held:
            self._held.pop().close()

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_no_links(path: Path) -> None:
    """Refuse a folder through which we would write elsewhere: it may have come with somebody else's workflow."""
    found = next((entry for entry in path.iterdir() if entry.is_symlink()), None)
    if found is not None:
        hint = "Eligo has made none: remove it, or use another place with --state DIR"
        raise EngineError(f"{found}: there is a symbolic link in the folder of a run", hint=hint)


def _take(stream: IO[Any], tries: int = 5) -> None:
    """Lock a file for us alone; `holder` may have it for a moment, which is no run."""
    for left in reversed(range(tries)):
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not left:
                raise
            time.sleep(0.02)


_HEADER = "job,file,time_s,memory_bytes,output_bytes,size_bytes\n"


def write_table(path: Path, state: State, plan: Plan) -> None:
    """Write the table of the jobs that are done, in place of an older one, whole or not at all."""
    rows = _rows(state, plan)
    replace_whole(path, iter(lambda: "".join(islice(rows, 10_000)).encode(), b""))


def _rows(state: State, plan: Plan) -> Iterator[str]:
    yield _HEADER
    made = _files_of_jobs(plan)
    for job, name in enumerate(plan.dag.names):
        if state.status[job] != JobStatus.DONE or not _fits(name):
            continue
        cells = [_time(state, job), _number(state.peak_bytes[job]), _output(state, made.get(job, []))]
        if any(cells):
            yield f"{quote_field(name)},,{','.join(cells)},\n"
    for file, size in sorted(state.files.items()):
        if _fits(file):
            yield f",{quote_field(file)},,,,{size}\n"


def _files_of_jobs(plan: Plan) -> dict[int, list[str]]:
    data = plan.dag.data
    made: dict[int, list[str]] = {}
    if data is not None and data.names is not None:
        for name, job in zip(data.names, data.producer.tolist(), strict=True):
            if job != OUTSIDE:
                made.setdefault(job, []).append(name)
    return made


def _fits(name: str) -> bool:
    """Tell whether a name can stand in a text file; a few that only bytes can write cannot."""
    return bool(name) and "\0" not in name and name.encode("utf-8", "ignore").decode() == name


def _time(state: State, job: int) -> str:
    start, end = state.start_s[job], state.end_s[job]
    return "" if start is None or end is None or end < start else f"{end - start:.6f}".rstrip("0").rstrip(".")


def _number(value: int | None) -> str:
    return "" if value is None or value < 0 else str(value)


def _output(state: State, files: list[str]) -> str:
    """Return the size of all files of a job, or nothing where one was not seen."""
    sizes = [state.files.get(file) for file in files]
    known = [size for size in sizes if size is not None]
    return str(sum(known)) if known and len(known) == len(sizes) else ""
