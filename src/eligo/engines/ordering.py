"""Which job goes first: what the file says, what was asked for, else the best order.

A priority that stands in a DAGMan file stays, whoever wrote it: `eligo prioritize` or its owner. Jobs without one get
theirs from the best order, just as `eligo prioritize --in-place` would write it. A strategy that is asked for by name
orders all jobs anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Dag, Int32
from eligo.errors import EligoError
from eligo.formats.base import Document
from eligo.formats.dagman.given import given_priorities
from eligo.priority.prioritizing import prioritize

__all__ = ["Order", "order_of"]


class Order(NamedTuple):
    """The priority of each job, in a few words where it comes from, and how many come from the file beside ours."""

    priorities: Int32
    source: str
    kept: int = 0


def order_of(document: Document, dag: Dag, strategy: str | None = None, *, keep: bool = False) -> Order:
    r"""Return the priorities to run a workflow by.

    Parameters
    ----------
    dag
        Its jobs, with the dependencies that a limit added.
    strategy
        Orders all jobs, whatever the file says.
    keep
        Whether to take only what the file says; a job without a priority has 0 then.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> from eligo.formats.storage import Source
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\nPRIORITY b 7\n"), None)
    >>> order_of(document, document.dag).priorities.tolist()
    [2, 7]
    >>> order_of(document, document.dag, keep=True).priorities.tolist()
    [0, 7]
    """
    if strategy is not None:
        return Order(_ordered(dag, strategy), strategy)
    if document.format != "dagman":
        if keep:
            raise EligoError(f"{document.source.path}: --keep-priorities is for DAGMan files", hint="leave it out")
        return Order(_ordered(dag, "best"), "best")
    numbers, given = _in_file(document)
    if keep or (dag.n and given.all()):
        return Order(numbers, "as in the file")
    best, kept = _ordered(dag, "best"), int(np.count_nonzero(given))
    if not kept:
        return Order(best, "best")
    return Order(np.where(given, numbers, best).astype(np.int32), "best, beside what the file gives", kept)


def _ordered(dag: Dag, strategy: str) -> Int32:
    return prioritize(dag, strategy).schedule.priorities


def _in_file(document: Document) -> tuple[Int32, NDArray[np.bool_]]:
    """Return what PRIORITY lines say: of each job the number, and whether there is one."""
    details = document.details
    if not details.root.instances:
        given = given_priorities(details.root)
        return given.numbers(), given.jobs
    each = [details.job(job).priority for job in range(document.dag.n)]
    return np.array([one or 0 for one in each], np.int32), np.array([one is not None for one in each], np.bool_)
