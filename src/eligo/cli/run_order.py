"""Which job goes first: what the file says, what was asked for, else the best order.

A priority that stands in a DAGMan file stays, whoever wrote it: `eligo prioritize` or its owner. Jobs without one get
theirs from the best order, just as `eligo prioritize --in-place` would write it. A strategy that is asked for by name
orders all jobs anew.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from eligo.cli.messages import warn
from eligo.cli.progress import working
from eligo.cli.table import plural
from eligo.errors import EligoError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eligo.dag import Dag, Int32
    from eligo.formats.base import Document

__all__ = ["Order", "order_of"]


class Order(NamedTuple):
    """The priority of each job, and in a few words where it comes from."""

    priorities: Int32
    source: str


def order_of(document: Document, dag: Dag, args: argparse.Namespace) -> Order:
    """Return the priorities to run a workflow by; `dag` has the dependencies that a limit added."""
    import numpy as np

    path = document.source.path
    if args.strategy is not None:
        return Order(_ordered(dag, args.strategy), args.strategy)
    if document.format != "dagman":
        if args.keep_priorities:
            raise EligoError(f"{path}: --keep-priorities is for DAGMan files", hint="leave it out")
        return Order(_ordered(dag, "best"), "best")
    numbers, given = _in_file(document)
    if args.keep_priorities or (dag.n and given.all()):
        return Order(numbers, "as in the file")
    best = _ordered(dag, "best")
    kept = int(np.count_nonzero(given))
    if not kept:
        return Order(best, "best")
    those = "have a priority in the file, which stays" if kept > 1 else "has a priority in the file, which stays"
    warn([f"{path}: {plural(kept, 'job')} {those}; --strategy best orders all jobs"])
    return Order(np.where(given, numbers, best).astype(np.int32), "best, beside what the file gives")


def _ordered(dag: Dag, strategy: str) -> Int32:
    from eligo.priority.prioritizing import prioritize

    with working(f"ordering {dag.n:,} jobs"):
        return prioritize(dag, strategy).schedule.priorities


def _in_file(document: Document) -> tuple[Int32, NDArray[np.bool_]]:
    """Return what PRIORITY lines say: of each job the number, and whether there is one."""
    import numpy as np

    from eligo.formats.dagman.given import given_priorities

    details = document.details
    if not details.root.instances:
        given = given_priorities(details.root)
        return given.numbers(), given.jobs
    each = [details.job(job).priority for job in range(document.dag.n)]
    return np.array([one or 0 for one in each], np.int32), np.array([one is not None for one in each], np.bool_)
