"""From a workflow as it was read to the plan that engines run.

Which job goes first: what the file says, what was asked for, else the best order.

A priority that stands in a DAGMan file stays, whoever wrote it: `eligo prioritize` or its owner. Jobs without one get
theirs from the best order, just as `eligo prioritize --in-place` would write it. A strategy that is asked for by name
orders all jobs anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Dag, Int32
from eligo.engines._plan import Plan
from eligo.engines._tasks.task_maker import Maker
from eligo.errors import EligoError, EngineError, ParseError
from eligo.formats._base import Document
from eligo.formats._dagman.user_priorities import given_priorities
from eligo.formats._source import STDIN
from eligo.memory._footprint import Footprint
from eligo.priority._prioritize import prioritize

__all__ = [
    "Order",
    "make_plan",
    "order_of",
]

_KNOWN = ("dagman", "wfformat", "pegasus", "dax")
_REMEMBERED = 4096  # tasks: engines ask for one again while it runs


def make_plan(
    document: Document,
    *,
    dag: Dag | None = None,
    priorities: Int32 | Sequence[int] | None = None,
    command: str | None = None,
    footprint: Footprint | None = None,
    limit: int | None = None,
    delete_intermediate: bool = False,
) -> Plan:
    """Return what an engine is to do.

    Parameters
    ----------
    document
        The workflow.
    dag
        Its jobs with more dependencies, such as those that a limit added.
    priorities
        Of each job, the larger the sooner; all equal unless given, so that jobs start in the order of the file.
    command
        What each job runs, with words such as ``{time_s}`` filled in; instead of what the file says.
    footprint, limit
        What jobs occupy, and how much all together may.
    delete_intermediate
        Whether files that only feed other jobs go away after their last reader.

    Raises
    ------
    ParseError
        The file does not say what its jobs run.

    Examples
    --------
    >>> from eligo.formats._source import Source
    >>> document = Document(Dag.from_names([("a", "b")]), "dot", Source("x.dot", b""))
    >>> make_plan(document, command="echo {name}").task(1).processes[0].argv
    ('echo', 'b')
    """
    dag = document.dag if dag is None else dag
    if dag.n != document.dag.n:
        raise EngineError(f"the plan has {dag.n} jobs and the workflow {document.dag.n}", hint="give a dag of its jobs")
    made = _maker(document, command)
    given = np.zeros(dag.n, np.int32) if priorities is None else np.asarray(priorities, np.int32)
    return Plan(
        document,
        dag,
        given,
        lru_cache(_REMEMBERED)(made.task),
        _home(document),
        made.final,
        made.categories,
        footprint,
        limit,
        delete_intermediate,
        made.warnings,
        command,
    )


def _maker(document: Document, command: str | None) -> Maker:
    made: Maker
    if command is not None:
        from eligo.engines._tasks import command_template

        return command_template.maker(document, command)
    if document.format not in _KNOWN:
        raise ParseError(
            document.source.path,
            None,
            f"the format {document.format} does not say what its jobs run",
            hint="give a command for all of them: --command 'sleep {time_s}', or run DAGMan, WfFormat or Pegasus",
        )
    made = import_module(f"eligo.engines._tasks.{document.format}_tasks").maker(document)
    return made


def _home(document: Document) -> Path:
    path = document.source.path
    return Path.cwd() if path == STDIN else Path(path).absolute().parent


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
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
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
