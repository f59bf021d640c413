"""What goes between Eligo and the workers: an order for each job there, events back. Small, and never the dag."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import final

from eligo.engines.plan import Task

__all__ = ["JobFailedError", "Order", "OutdatedError", "UnfitError", "topic"]


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
    >>> from eligo.engines.plan import Process
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
