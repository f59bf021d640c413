"""From a workflow as it was read to the plan that engines run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np

from eligo.dag import Dag, Int32
from eligo.engines.plan import Plan
from eligo.engines.tasks.base import Maker
from eligo.errors import EngineError, ParseError
from eligo.formats.base import Document
from eligo.formats.storage import STDIN
from eligo.memory.footprint import Footprint

__all__ = ["make_plan"]

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
    >>> from eligo.formats.storage import Source
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
        from eligo.engines.tasks import template

        return template.maker(document, command)
    if document.format not in _KNOWN:
        raise ParseError(
            document.source.path,
            None,
            f"the format {document.format} does not say what its jobs run",
            hint="give a command for all of them: --command 'sleep {time_s}', or run DAGMan, WfFormat or Pegasus",
        )
    made = import_module(f"eligo.engines.tasks.{document.format}").maker(document)
    return made


def _home(document: Document) -> Path:
    path = document.source.path
    return Path.cwd() if path == STDIN else Path(path).absolute().parent
