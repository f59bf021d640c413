"""What goes between Eligo and the workers: an order for each job there, events back. Small, and never the dag.

The record: one file in the folder of the run, with a byte for each job, where workers can see it.

Two things must not depend on the memory of any process. *A job that runs* has its byte locked, by the guard that
started it (``guard.py``): so not even a worker that lost its scheduler can run a job that another runs. *A job that
succeeded* has a 1 in its byte: so Dask, which computes again what was lost with a worker, does not run it again, and a
later Eligo takes it as done. Workers on machines that do not see the folder keep the second in the memory of the
scheduler, and have no locks (``job.py``).
"""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import final

from eligo.engines._attempts import AFTER, BEFORE
from eligo.engines._dask.supervisor import HEADER
from eligo.engines._plan import Task
from eligo.engines._run_folder import safe_name

__all__ = [
    "NAME",
    "JobFailedError",
    "Order",
    "OutdatedError",
    "UnfitError",
    "log_path",
    "open_record",
    "succeeded",
    "topic",
]


class JobFailedError(Exception):
    """A job failed, or was stopped; what there is to say of it was told before."""


class OutdatedError(Exception):
    """The Eligo that sent this has been replaced, has said that nothing more may start, or the worker is closing."""


class UnfitError(Exception):
    """The worker has another version of eligo."""


@final
@dataclass(frozen=True, slots=True)
class Order:
    """One job, in one turn of submitting.

    Attributes
    ----------
    version
        Of eligo.
    turn
        Counts how often an Eligo has begun to submit, or has forbidden what it had submitted.
    job
        Its index; the number of jobs for what runs when all else is over.
    folder
        Where record, logs and sandboxes are, if the worker sees it.
    attempt
        Which try is the first, from 1.
    counts
        How the run stood when this was sent, for those that ask: DAGMan's status, jobs failed, done, running, and all.

    Examples
    --------
    >>> from eligo.engines._plan import Process
    >>> task = Task("sum", (Process(("/usr/bin/sum", "-r", "data"), "/data/here"),))
    >>> order = Order("1.0", "5eed" * 8, 1, 7, task, "/data/here/flow.dag.eligo")
    >>> len(order.packed()) < 700, Order.unpack(order.packed()) == order
    (True, True)
    """

    version: str
    run_id: str
    turn: int
    job: int
    task: Task
    folder: str
    attempt: int = 1
    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def packed(self) -> bytes:
        """Return it as bytes, which neither the client nor the scheduler has to understand."""
        return pickle.dumps(self, protocol=5)

    @staticmethod
    def unpack(packed: bytes) -> Order:
        """Return what was packed."""
        order = pickle.loads(packed)
        assert isinstance(order, Order)
        return order


def topic(run_id: str) -> str:
    """Return the name under which a run's events are told at the scheduler.

    Examples
    --------
    >>> topic("5eed")
    'eligo-5eed'
    """
    return f"eligo-{run_id}"


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
