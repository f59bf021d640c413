"""``eligo.run``: a workflow from its file to the end of its last job, in one call.

A run from its beginning to its end, on any engine: new, resumed or started afresh.

The folder of the run is beside the workflow. A new run needs one without a state. A resumed one takes the state that is
there: jobs that are done stay done, jobs that failed are tried again. A run that starts afresh moves the old folder
aside, whatever is in it, and never deletes anything.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

from eligo.dag import Dag, Int32
from eligo.engines._engine import Engine, Event, Happening, check_engine, make_engine
from eligo.engines._intermediate_files import Cleaning
from eligo.engines._make_plan import make_plan, order_of
from eligo.engines._plan import Plan
from eligo.engines._rescue import read_rescue, write_rescue
from eligo.engines._run_folder import Folder, default_folder, write_table
from eligo.engines._state import FILE_NAME, JobStatus, State
from eligo.errors import EligoError, EngineError, warn_of
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._source import STDIN
from eligo.memory._api import limit
from eligo.simulation._list_schedule import peak_of_trace
from eligo.trace import Trace

__all__ = [
    "TABLE_NAME",
    "WITH_QUEUES",
    "Outcome",
    "Run",
    "run",
    "start",
]

TABLE_NAME = "job-data.csv"
WITH_QUEUES = ("htcondor", "slurm")
"""Engines in whose queues jobs wait, and go on, while nobody watches."""


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    Attributes
    ----------
    done
        How many jobs are done, earlier ones too.
    failed
        Jobs that failed, and why.
    never
        How many jobs did not run: because they need one that failed, or because the run was stopped.
    repeated
        Jobs that ran again although they may have succeeded before, since nobody saw how they ended.
    cancelled
        Whether we were told to stop.
    final
        What became of the task that runs at the end, in words, where it failed; else nothing.
    exit_status
        0 only if every job has succeeded, and the final task.
    rescue
        The rescue DAG that was written, where the workflow is one of DAGMan.
    table
        The times and sizes seen, for ``--job-data``.
    peak
        Where there was a limit: the most that was occupied at one time along the trace, by the sizes that the plan
        knows. Nobody measured it, and of each job only the last try is in the trace.
    """

    done: int
    failed: list[tuple[int, str]]
    never: int
    repeated: list[int]
    cancelled: bool
    final: str
    exit_status: int
    trace: Trace
    rescue: Path | None
    table: Path
    peak: int | None = None


def start(
    plan: Plan,
    engine: str = "local",
    *,
    folder: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    slots: int | None = None,
    options: Sequence[str] = (),
    presume_dead: bool = False,
) -> Run:
    """Begin a run, or go on with one; nothing is started unless all of it can be.

    Parameters
    ----------
    engine
        ``local``, ``htcondor``, ``slurm``, ``dask`` or ``dask:ADDRESS``.
    folder
        Where the state is kept; beside the workflow unless given.
    resume, restart
        Go on with what an earlier run left, or move that aside and begin anew.
    slots
        How many jobs run at once, where that is ours to say.
    options
        Words for the engine itself.
    presume_dead
        Whether nothing that an earlier run started, on another machine or in a queue, can still run.

    Raises
    ------
    EngineError
        There is a state already and neither `resume` nor `restart`, or none to resume; another run goes on; the state
        is damaged or of another workflow; the engine is not there.
    ParseError
        The workflow asks for something that the engine cannot do.
    """
    name = check_engine(engine)
    path = plan.document.source.path
    folder = default_folder(path) if folder is None else folder
    held, aside = Folder(folder, None if path == STDIN else Path(path)), None
    try:
        if restart and _has_state(folder):
            held, aside = _moved_aside(held, folder, path, presume_dead=presume_dead)
        state = _state(plan, name, folder, resume=resume)
        try:
            made = make_engine(engine, plan, state, options, slots, presume_dead=presume_dead)
            return Run(made, held)
        except BaseException:
            _leave_nothing(state, new=not state.get("submitted"))
            raise
    except BaseException:
        held.close()
        if aside is not None:  # nothing was begun: all is as it was
            shutil.rmtree(folder, ignore_errors=True)
            aside.rename(folder)
        raise


def _may_have_rescue(document: Document) -> bool:
    """Tell whether there is a place beside the workflow for rescue DAGs; any workflow may come by standard input."""
    return document.format == "dagman" and document.source.path != STDIN


def _has_state(folder: Path) -> bool:
    return (folder / FILE_NAME).exists()


def _state(plan: Plan, engine: str, folder: Path, *, resume: bool) -> State:
    path = plan.document.source.path
    if not _has_state(folder):
        done = None
        if resume:
            done = read_rescue(plan.document) if _may_have_rescue(plan.document) else None
            if done is None:
                raise EngineError(f"{folder}: there is nothing to resume", hint="leave --resume out to start a run")
        state = State.create(folder, plan.document.dag, run_id=secrets.token_hex(8), workflow=path, engine=engine)
        for job, is_done in enumerate(done or []):
            if is_done:
                state.update(job, status=JobStatus.DONE, reason="done before, says the rescue DAG")
        return state
    state = State.open(folder)
    try:
        _check(state, plan, engine, resume=resume)
    except BaseException:
        state.close()
        raise
    for job, status in enumerate(state.status):
        if status == JobStatus.FAILED:
            state.update(job, status=JobStatus.WAITING, attempts=0)
    for fact in ("abort_status", "exit_status"):
        state.put(fact, None)
    final = (state.get("final") or {}).get("status")
    if final == "failed" or (final == "done" and state.counts()[JobStatus.DONE] < len(state.status)):
        state.put("final", None)  # it runs once more, after the jobs that are left
    return state


def _check(state: State, plan: Plan, engine: str, *, resume: bool) -> None:
    state.check_workflow(plan.document.dag, plan.document.source.path)
    counts = state.counts()
    if not resume:
        done = f"{counts[JobStatus.DONE]:,} of {len(state.status):,} jobs done"
        raise EngineError(
            f"{state.folder}: there is a run of this workflow already, with {done}",
            hint="--resume goes on with it, --restart begins anew and keeps the old folder under another name",
        )
    if state.get("engine") != engine:
        if counts[JobStatus.RUNNING]:
            raise EngineError(
                f"{state.folder}: {_jobs(counts[JobStatus.RUNNING])} may still run on {state.get('engine')}",
                hint=f"resume there, so that none runs twice: --engine {state.get('engine')}",
            )
        state.put("engine", engine)


def _moved_aside(held: Folder, folder: Path, workflow: str, *, presume_dead: bool) -> tuple[Folder, Path]:
    """Give an old folder another name, unless something that it started may still run; return the new one, and that."""
    with suppress(EngineError), State.open(folder, reading=True) as old:
        running = old.counts()[JobStatus.RUNNING]
        queued = old.get("engine") in WITH_QUEUES and old.get("submitted") and old.get("exit_status") is None
        if (running or queued) and not presume_dead:
            raise _StillRunningError(folder, _jobs(running) if running else "jobs in its queue")
    number = 1
    while (aside := Path(f"{folder}.{number}")).exists():
        number += 1
    try:
        folder.rename(aside)
    except OSError as error:
        hint = "use another place with --state DIR"
        raise EngineError(f"{folder}: it cannot be moved aside: {error.strerror}", hint=hint) from error
    held.close()
    return Folder(folder, None if workflow == STDIN else Path(workflow)), aside


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count:,} jobs"


class _StillRunningError(EligoError):
    def __init__(self, folder: Path, what: str) -> None:
        super().__init__(
            f"{folder}: {what} of the earlier run may still run",
            hint="--resume takes them over; once it has, Ctrl-C twice ends them; if you know that none runs, give "
            "--presume-dead too",
        )


def _leave_nothing(state: State, *, new: bool) -> None:
    """Take the state of a run away that never began, so that the next try needs no --resume."""
    state.close()
    if new:
        for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"):
            (state.folder / name).unlink(missing_ok=True)


class Run:
    """A run that goes on. Use it in a ``with`` statement: leaving it lets others in, and lets running jobs run on.

    Examples
    --------
    >>> import tempfile
    >>> from eligo.dag import Dag
    >>> from eligo.engines._make_plan import make_plan
    >>> from eligo.formats import open_document
    >>> with tempfile.TemporaryDirectory() as here:
    ...     _ = Path(here, "x.dot").write_text("digraph { a -> b }")
    ...     plan = make_plan(open_document(f"{here}/x.dot"), command="true")
    ...     with start(plan) as run:
    ...         while not run.over:
    ...             events = run.watch(1.0)
    ...         outcome = run.finish()
    >>> outcome.done, outcome.failed, outcome.exit_status
    (2, [], 0)
    """

    def __init__(self, engine: Engine, folder: Folder) -> None:
        self.engine = engine
        self.state = engine.state
        self._folder = folder
        self._stopped = False
        self._submitted = False
        self._cleaning: Cleaning | None = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def over(self) -> bool:
        """Whether nothing runs any more and nothing will."""
        return self._submitted and self.engine.over

    def watch(self, timeout_s: float) -> list[Event]:
        """Return what happened, waiting for it at most so long; the first call starts the run."""
        if not self._submitted:
            self.state.put("submitted", True)
            self.state.commit()
            self.engine.submit()
            self._submitted = True
            self._cleaning = None if self.engine.CLEANS else Cleaning(self.engine.plan, self.state)
        events = self.engine.watch(timeout_s)
        return events if self._cleaning is None else self._cleaned(events, self._cleaning)

    def _cleaned(self, events: list[Event], cleaning: Cleaning) -> list[Event]:
        for event in events:
            if event.what is Happening.SUCCEEDED and event.job >= 0:
                cleaning.succeeded(event.job)
        self.state.commit()
        notes = [Event(Happening.NOTE, -1, self.state.now_s(), text=text) for text in cleaning.troubles]
        cleaning.troubles.clear()
        return events + notes

    def stop(self) -> None:
        """Start nothing new."""
        self._stopped = True
        self.engine.cancel()

    def terminate(self) -> None:
        """End what runs."""
        self._stopped = True
        self.engine.cancel(kill=True)

    def finish(self) -> Outcome:
        """Write what is left to write, and say what the run came to."""
        state, plan = self.state, self.engine.plan
        table = state.folder / TABLE_NAME
        write_table(table, state, plan)
        failed = [(job, state.reason[job]) for job, status in enumerate(state.status) if status == JobStatus.FAILED]
        done = [status == JobStatus.DONE for status in state.status]
        final = state.get("final") or {}
        final_failed = final.get("reason") or "failed" if final.get("status") == "failed" else ""
        complete = all(done) and not final_failed
        abort = state.get("abort_status")
        status = 0 if complete else abort or 1
        state.put("exit_status", status)
        state.commit(sync=True)
        trace = self.engine.collect()
        return Outcome(
            done=sum(done),
            failed=failed,
            never=len(done) - sum(done) - len(failed),
            repeated=sorted(set(state.get("repeated", []))),
            cancelled=self._stopped,
            final=final_failed,
            exit_status=status,
            trace=trace,
            rescue=self._rescue(done, [job for job, _ in failed], complete=complete),
            table=table,
            peak=None if plan.footprint is None else peak_of_trace(plan.footprint, trace),
        )

    def _rescue(self, done: list[bool], failed: list[int], *, complete: bool) -> Path | None:
        """Write a rescue DAG beside the workflow, so that DAGMan could go on by itself; an older one of ours goes."""
        document = self.engine.plan.document
        if not _may_have_rescue(document):
            return None
        if old := self.state.get("rescue"):
            with suppress(OSError):  # as condor_submit_dag -force does: else DAGMan would leave jobs out the next time
                Path(old).rename(f"{old}.old")
        rescue = None if complete else write_rescue(document, done, failed=failed)
        self.state.put("rescue", None if rescue is None else str(rescue.absolute()))
        self.state.commit()
        return rescue

    def close(self) -> None:
        """Let go of everything; what runs goes on."""
        try:
            self.engine.close()
        finally:
            self.state.close()
            self._folder.close()


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
