"""``eligo.run``: a workflow from its file to the end of its last job, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from eligo.dag import Dag, Int32
from eligo.engines.base import Event, Happening
from eligo.engines.ordering import order_of
from eligo.engines.planning import make_plan
from eligo.engines.running import Outcome, start
from eligo.errors import EligoError, warn_of
from eligo.formats import open_document
from eligo.formats.base import Document
from eligo.memory.verbs import limit

__all__ = ["run"]


def run(
    workflow: str | os.PathLike[str] | Document,
    engine: str = "local",
    *,
    command: str | None = None,
    strategy: str | None = None,
    priorities: Int32 | Sequence[int] | None = None,
    memory: int | None = None,
    model: str | None = None,
    resource: str | None = None,
    job_data: str | os.PathLike[str] | None = None,
    resume: bool = False,
    restart: bool = False,
    state: str | os.PathLike[str] | None = None,
    slots: int | None = None,
    options: Sequence[str] = (),
    delete_intermediate: bool = False,
    on_event: Callable[[Event], None] | None = None,
) -> Outcome:
    r"""Run the jobs of a workflow, and return what came of it.

    Parameters
    ----------
    workflow
        A file, or one that was read by ``formats.open_document``.
    engine
        ``local``, ``htcondor``, ``slurm``, ``dask`` or ``dask:ADDRESS``.
    command
        What each job runs, instead of what the file says.
    strategy, priorities
        How to order the jobs, or their order: the larger the sooner. Unless given, priorities in a DAGMan file stay,
        and other jobs are ordered by ``best``.
    memory
        What all jobs together may occupy, in bytes (pebbles). Priorities and dependencies that Eligo wrote into the
        file before are passed over then.
    model, resource
        How that is counted, as :func:`eligo.limit` has it.
    job_data
        Times and sizes that the file does not have, as :func:`eligo.read` takes them; for a file only.
    resume, restart
        Go on with what an earlier run left, or move that aside and begin anew.
    state
        Where the state is kept; beside the workflow unless given.
    slots, options
        How many jobs run at once, where that is ours to say, and words for the engine itself.
    delete_intermediate
        Whether files that only feed other jobs go away after their last reader.
    on_event
        Is told what happens. An exception in it, such as Ctrl-C, leaves the run; running jobs go on, and `resume` finds
        them.

    Raises
    ------
    ParseError, EngineError, InfeasibleError
        The workflow, or the table of `job_data`, cannot be run as it is: nothing was started.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     flow = Path(here, "flow.dot")
    ...     _ = flow.write_text("digraph { a -> b; a -> c }")
    ...     outcome = run(flow, command="sh -c 'exit 0'", slots=1)
    >>> outcome.done, outcome.exit_status, len(outcome.trace.order)
    (3, 0, 3)
    """
    if memory is None and (model is not None or resource is not None):
        raise EligoError("model and resource are for a limit", hint="give memory, too, or leave them out")
    document = _opened(workflow, job_data, limiting=memory is not None)
    if document is not workflow:
        warn_of(document.warnings)
    dag, held, most = document.dag, None, None
    if memory is not None:
        limited = limit(dag, memory, model=model, resource=resource)
        dag, held, most = limited.dag, limited.footprint, limited.limit
    plan = make_plan(
        document,
        dag=dag,
        priorities=order_of(document, dag, strategy).priorities if priorities is None else priorities,
        command=command,
        footprint=held,
        limit=most,
        delete_intermediate=delete_intermediate,
    )
    folder = None if state is None else Path(state)
    with start(plan, engine, folder=folder, resume=resume, restart=restart, slots=slots, options=options) as going:
        tell = on_event or (lambda _: None)
        for text in going.engine.doubts:
            tell(Event(Happening.NOTE, -1, going.state.now_s(), text=text))
        while not going.over:
            for event in going.watch(1.0):
                tell(event)
        return going.finish()


def _opened(
    workflow: str | os.PathLike[str] | Document, job_data: str | os.PathLike[str] | None, *, limiting: bool
) -> Document:
    """Return the workflow, read as ``eligo run`` reads it."""
    if isinstance(workflow, Dag):
        raise EligoError(
            "a Dag does not say what its jobs run, nor where the state of a run is to be",
            hint="give the file, or what eligo.formats.open_document(file) returns; eligo.write makes a file of a Dag",
        )
    if not isinstance(workflow, Document):
        return open_document(os.fspath(workflow), job_data=job_data, original=limiting, limited=not limiting)
    if job_data is not None:
        raise EligoError("the document has been read already", hint="give job_data to eligo.formats.open_document")
    return workflow
