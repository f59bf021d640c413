"""The record: one file in the folder of the run, with a byte for each job, where workers can see it.

Two things must not depend on the memory of any process. *A job that runs* has its byte locked, by the guard that
started it (``guard.py``): so not even a worker that lost its scheduler can run a job that another runs. *A job that
succeeded* has a 1 in its byte: so Dask, which computes again what was lost with a worker, does not run it again, and a
later Eligo takes it as done. Workers on machines that do not see the folder keep the second in the memory of the
scheduler, and have no locks (``job.py``).
"""

from __future__ import annotations

import os
from pathlib import Path

from eligo.engines.attempts import AFTER, BEFORE
from eligo.engines.dask.guard import HEADER
from eligo.engines.folder import safe_name

__all__ = ["NAME", "log_path", "open_record", "succeeded"]

NAME = "dask.record"


def open_record(folder: Path, run_id: str) -> Path:
    """Return the record of a run, made where there is none of this run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = open_record(Path(folder), "5eed")
    ...     succeeded(path, 3)
    []
    """
    path = folder / NAME
    head = run_id.encode().ljust(HEADER - 1, b"\0") + b"\n"
    if not path.exists() or path.read_bytes()[:HEADER] != head:
        fresh = folder / f"{NAME}.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(head)
        fresh.replace(path)
    return path


def succeeded(path: Path, n: int) -> list[int]:
    """Return the jobs of which the record says that they have succeeded."""
    return [job for job, mark in enumerate(path.read_bytes()[HEADER : HEADER + n]) if mark == 1]


_SUFFIX = {BEFORE: ".pre", AFTER: ".post"}
_A_SHELF = 1000  # logs in a directory


def log_path(folder: Path, job: int, name: str, step: int = 0) -> Path:
    """Return where the output of a step of a job goes that has no other place; its directory is made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log_path(Path(folder), 1234, "../a b").relative_to(folder).as_posix()
    'logs/1/1234-.._a_b.log'
    """
    shelf = folder / "logs" / str(job // _A_SHELF)
    shelf.mkdir(mode=0o700, parents=True, exist_ok=True)
    return shelf / f"{safe_name(job, name)}{_SUFFIX.get(step, f'.{step}' if step else '')}.log"
