"""The engine that hands a workflow to DAGMan and follows it.

DAGMan knows how to run a DAG, and survives much by itself: it lives in HTCondor's queue, not in our process. So there
is little to do but to give it the DAG with our priorities, to read its logs, and to see to it that there is never more
than one DAGMan for a workflow:

* a submission is put down in the state before it is made, and the job that DAGMan is in the queue bears the run's mark;
* whoever resumes waits for a submission that may still be under way, then looks for DAGMan in its log and in the queue;
* where it lives, it is followed on; where it does not, what it did is read from its logs, and another gets a rescue DAG
  with what is done. A recorded success never runs again, since DAGMan is told of every one.

Stopping has two strengths. A halt file keeps DAGMan from starting more; what it has put into the queue and does not run
yet is put on hold, and when nothing runs any more DAGMan is removed. Or it is removed at once: its jobs go with it.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import final

from eligo.engines._engine import Engine, Event, Happening
from eligo.engines._htcondor.condor_queue import Queue, check_options, find_queue, submit_lock
from eligo.engines._htcondor.dag_files import Annotated, Described, Nodes, Place, log_paths
from eligo.engines._htcondor.dagman_process import KEY, Record, Submission
from eligo.engines._htcondor.node_tracker import FINAL, HOLD_REASON
from eligo.engines._intermediate_files import FilesSeen
from eligo.engines._plan import Plan
from eligo.engines._rescue import rescue_text
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError, ParseError
from eligo.formats._dagman.priorities import refuse_if_running

__all__ = ["HTCondor"]

_POLL_S = 0.2
_ASK_S = 1.0
_QUIET_S = 30.0
_APPEAR_S = 30.0
_PLAIN = re.compile(r"[A-Za-z0-9_./@,:-]+")


@final
class HTCondor(Engine):
    """Runs a plan by DAGMan; `options` are those of ``condor_submit_dag``.

    Raises
    ------
    ParseError
        A task asks for what HTCondor has no place for.
    EngineError
        HTCondor is not there, or an option would break the run.
    """

    NAME = "htcondor"

    def __init__(self, plan: Plan, state: State, options: Sequence[str] = ()) -> None:
        super().__init__(plan, state, options)
        self._options = check_options(options)
        self._queue: Queue = find_queue()
        self._native = plan.document.format == "dagman" and plan.command is None
        self._nodes: Nodes = Annotated(plan) if self._native else Described(plan, state.folder.absolute())
        self._submission: Submission | None = None
        self._files: FilesSeen | None = None
        self._pending: list[Event] = []
        self._over = False
        self._stopping = False
        self._kill = False
        self._removed = False
        self._unanswered = False
        self._asked = 0.0
        self._heard = time.monotonic()

    @cached_property
    def slots(self) -> int:
        """How many jobs the pool can run at once; others may use it, too."""
        return self._queue.slots()

    # ---- submitting and going on ----

    def submit(self) -> None:
        """Hand the DAG to DAGMan, or go on with the DAGMan that has it."""
        if self._stopping:
            return
        done = [job for job, status in enumerate(self.state.status) if status == JobStatus.DONE]
        self._files = FilesSeen(self.plan, done, since=self.state.get("began"))
        self._delete(self._files.left_over())
        kept = self.state.get(KEY)
        if kept is not None and self._go_on(Record(**kept)):
            return
        if self._complete():
            self._over = True
            return
        self._refuse_others()
        self._submit_anew(1 if kept is None else kept["number"] + 1)

    def _complete(self) -> bool:
        final = self.state.get("final") or {}
        return all(status == JobStatus.DONE for status in self.state.status) and (
            self._nodes.final is None or final.get("status") == "done"
        )

    def _go_on(self, record: Record) -> bool:
        """Follow an earlier submission; tell whether it still lives. If not, all that it did is in the state."""
        if record.settled:
            return False
        submission = Submission(record, self.plan.home, self._nodes, self.state)
        with submit_lock(submission.place.file(".submitting")):
            self._find(submission)
        if submission.cluster is None:
            return False
        if submission.record.removed is not None and not submission.ended:
            self._see_off(submission)
        submission.read_again()
        if not submission.ended:
            self._attach(submission)
            return True
        self._clear_queue(submission.cluster)
        self._pending += map(self._tried_again, [*submission.read(), *submission.settle()])
        self.state.commit(sync=True)
        return False

    def _see_off(self, submission: Submission) -> None:
        """Wait a while for a DAGMan to go that we meant to remove, unless it was not removed after all."""
        if self._queue.clusters(f"ClusterId == {submission.cluster} && JobStatus =!= 3"):
            submission.removing(really=False)
            return
        deadline = time.monotonic() + _APPEAR_S
        while not submission.ended and time.monotonic() < deadline:
            time.sleep(_POLL_S)
            submission.read_life()

    def _tried_again(self, event: Event) -> Event:
        """Return what is to be told of what happened while nobody watched: what failed then is tried again now."""
        if event.what is not Happening.FAILED or event.job < 0:
            return event
        self.state.update(event.job, status=JobStatus.WAITING, attempts=0)
        return replace(event, what=Happening.AGAIN)

    def _find(self, submission: Submission) -> None:
        """Look whether a submission came to be and lives; its log knows, and where that ends too soon the queue."""
        submission.read_life()
        if submission.ended:
            return
        mark = f"{self._mark} && EligoRound == {submission.record.number}"
        clusters = self._queue.clusters(mark)
        if clusters:
            submission.cluster = clusters[0]
        elif submission.cluster is not None:
            submission.read_life()  # it may have ended meanwhile
            submission.ended = True

    def _attach(self, submission: Submission) -> None:
        self._submission = submission
        submission.halt_file.unlink(missing_ok=True)
        ours = f'DAGManJobId == {submission.cluster} && JobStatus == 5 && HoldReason == "{HOLD_REASON}"'
        if self._queue.clusters(ours):
            self._queue.act("release", ours, "")
        now = self.state.now_s()
        for job in submission.courses.executing():
            self._pending.append(
                Event(Happening.ADOPTED, job, now, self.state.worker[job], max(1, self.state.attempts[job]))
            )
        for job in submission.courses.failed():
            text = "failed before; DAGMan goes on with the others, and --resume after its end tries this one again"
            self.state.update(job, status=JobStatus.FAILED)
            self._pending.append(Event(Happening.NOTE, job, now, text=text))

    def _clear_queue(self, cluster: int) -> None:
        """Wait until no job of a DAGMan that has gone is left: what we start next would run beside it."""
        mine = f"DAGManJobId == {cluster}"
        deadline = time.monotonic() + _APPEAR_S
        while self._queue.clusters(mine):
            self._queue.act("rm", mine, "eligo: their DAGMan is gone")
            if time.monotonic() > deadline:
                raise EngineError(
                    f"jobs of an earlier DAGMan ({cluster}) do not leave the queue",
                    hint=f"see condor_q -constraint '{mine}'; when they are gone, go on with --resume",
                )
            time.sleep(1.0)

    @property
    def _mark(self) -> str:
        return f'EligoRun == "{self.state.get("run_id")}"'

    @property
    def _flow(self) -> str:
        path = os.path.realpath(self.plan.home / Path(self.plan.document.source.path).name)
        return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]

    def _refuse_others(self) -> None:
        """Refuse to run what another DAGMan runs: of a plain condor_submit_dag, or of a run that was moved aside."""
        if self._native and self.plan.document.source.path != "-":
            refuse_if_running(self.plan.document.source.path)
        others = self._queue.clusters(f'EligoFlow == "{self._flow}"')
        if others:
            raise EngineError(
                f"another run of this workflow is in HTCondor's queue (DAGMan {others[0]})",
                hint=f"go on with that one, or remove it first: condor_rm {others[0]}",
            )

    def _submit_anew(self, number: int) -> None:
        place = self._place(number)
        for folder in (place.folder.parent, place.folder):
            folder.mkdir(mode=0o700, exist_ok=True)
        logs = self._nodes.write(place)
        done = [self._nodes.names[job] for job, status in enumerate(self.state.status) if status == JobStatus.DONE]
        if done:
            text = rescue_text(place.dag, self.plan.dag.n, done)
            place.file(".rescue001").write_bytes(text.encode("utf-8", "surrogateescape"))
        states = self.plan.home / logs.job_states
        begin = states.stat().st_size if states.exists() else 0  # a log of the user's may have older lines
        self.state.put("final", None)  # it runs again
        record = Record(number, str(place.folder), place.name, logs.job_states, logs.node_states, begin, begin)
        record.keep(self.state)
        self.state.commit(sync=True)
        submission = Submission(record, self.plan.home, self._nodes, self.state)
        with submit_lock(place.file(".submitting")) as lock:
            self._queue.submit(place.dag, self.plan.home, self._all_options(number), lock)
        self._await(submission)
        self._submission = submission
        now = self.state.now_s()
        texts = [*self._nodes.warnings, f"DAGMan is job {submission.cluster} in HTCondor's queue"]
        self._pending += [Event(Happening.NOTE, -1, now, text=text) for text in texts]

    def _await(self, submission: Submission) -> None:
        deadline = time.monotonic() + _APPEAR_S
        submission.read_life()
        while submission.cluster is None:
            self._find(submission)
            if submission.cluster is None and time.monotonic() > deadline:
                raise EngineError("DAGMan was submitted, but is not in the queue", hint="check condor_history")
            time.sleep(0.05)

    def _all_options(self, number: int) -> list[tuple[str, str | None]]:
        marks = [f'+EligoRun="{self.state.get("run_id")}"', f"+EligoRound={number}", f'+EligoFlow="{self._flow}"']
        options = [*self._options, *(("-append", mark) for mark in marks)]
        if not any(name.lower() == "-batch-name" for name, _ in self._options):
            name = re.sub(r"[^A-Za-z0-9_.-]+", "_", Path(self.plan.document.source.path).name)[:60]
            options.append(("-batch-name", f"eligo-{name}"))
        return options

    def _place(self, number: int) -> Place:
        """Return the folder of a submission: in that of the run, unless DAGMan could not be told of it."""
        home = self.plan.home
        folder = self.state.folder.absolute() / self.NAME / str(number)
        name = os.path.relpath(folder, home) if folder.is_relative_to(home) else str(folder)
        if _PLAIN.fullmatch(name):
            return Place(folder, home, name)
        name = f".eligo-{self.state.get('run_id')}/{number}"
        return Place(home / name, home, name)

    # ---- watching ----

    def watch(self, timeout_s: float) -> list[Event]:
        """Return what happened."""
        deadline = time.monotonic() + timeout_s
        while True:
            events, self._pending = [*self._pending, *self._poll()], []
            if events or self._over:
                self.state.commit(sync=True)
                self._look_at_files(events)
                return events
            left = deadline - time.monotonic()
            if left <= 0:
                self.state.commit()
                return []
            time.sleep(min(_POLL_S, left))

    def _look_at_files(self, events: Sequence[Event]) -> None:
        """Take note of the sizes of what jobs left behind, and delete what nobody will read again if we may."""
        assert self._files is not None
        for event in events:
            if event.what is Happening.SUCCEEDED and event.job >= 0:
                for name, size in self._files.after(event.job):
                    self.state.saw_file(name, size)
                self._delete(self._files.deletable(event.job))
        self.state.commit()

    def _delete(self, paths: Sequence[Path]) -> None:
        for path in paths if self.plan.delete_intermediate else ():
            try:
                path.unlink()
            except OSError as error:
                text = f"{path} cannot be deleted: {error.strerror}"
                self._pending.append(Event(Happening.NOTE, -1, self.state.now_s(), text=text))

    def _poll(self) -> list[Event]:
        submission = self._submission
        if submission is None or self._over:
            return []
        submission.read_life()
        events = submission.read()  # after the look at its life: if that has ended, these are all
        if events:
            self._heard = time.monotonic()
        try:
            return events + self._look_at_queue(submission)
        except EngineError as error:  # a queue that is restarted does not answer for a while; DAGMan does not need us
            silent, self._unanswered = self._unanswered, True
            return events if silent else [*events, Event(Happening.NOTE, -1, self.state.now_s(), text=error.text)]

    def _look_at_queue(self, submission: Submission) -> list[Event]:
        """Do what needs the queue, now and then; most of the time that is nothing."""
        quiet = time.monotonic() - self._heard > _QUIET_S
        if not (submission.ended or self._stopping or quiet) or time.monotonic() - self._asked < _ASK_S:
            return []
        self._asked = time.monotonic()
        if submission.ended:
            events = self._end(submission)
        else:
            events = []
            if self._kill:
                self._remove(submission)
            elif self._stopping and not self._removed:
                self._stop_gently(submission)
            if quiet:
                self._heard = time.monotonic()
                self._find(submission)
        self._unanswered = False
        return events

    def _end(self, submission: Submission) -> list[Event]:
        mine = f"DAGManJobId == {submission.cluster}"
        if self._queue.clusters(mine):  # they go when DAGMan does, which may take a moment
            self._queue.act("rm", mine, "eligo: their DAGMan is gone")
            return []
        events = submission.settle()
        abort = submission.courses.aborting
        if abort is not None:
            self.state.put("abort_status", abort.exit_code if abort.returns is None else abort.returns)
        if not (self._complete() or JobStatus.FAILED in self.state.status or self._stopping):
            text = f"DAGMan ended before all was done: see {submission.place.file('.dagman.out')}"
            if submission.record.removed is not None:
                text = "the DAGMan that was stopped has ended; --resume gives the rest to another"
            events.append(Event(Happening.NOTE, -1, self.state.now_s(), text=text))
        self._over = True
        return events

    @property
    def over(self) -> bool:
        """Whether DAGMan has left the queue, with all its jobs."""
        return self._over and not self._pending

    # ---- stopping ----

    def cancel(self, *, kill: bool = False) -> None:
        """Let DAGMan start nothing new; with `kill` remove it and its jobs."""
        self._stopping = True
        self._kill = self._kill or kill
        self._asked = 0.0
        if self._submission is None:
            self._over = True
        elif not kill:
            self._submission.halt_file.touch(mode=0o600)

    def _remove(self, submission: Submission) -> None:
        if not self._removed:
            submission.removing()
            self._queue.act("rm", f"ClusterId == {submission.cluster}", HOLD_REASON)
            self._removed = True

    def _stop_gently(self, submission: Submission) -> None:
        """Hold what waits in the queue; when nothing runs any more, let DAGMan go."""
        mine = f"DAGManJobId == {submission.cluster}"
        if self._queue.clusters(f"{mine} && JobStatus == 1"):
            self._queue.act("hold", f"{mine} && JobStatus == 1", HOLD_REASON)
        elif not submission.courses.busy and not self._queue.clusters(f"{mine} && JobStatus =!= 5"):
            self._remove(submission)

    def logs(self, job: int) -> list[Path]:
        """Return the files with what a job printed."""
        found: list[Path] = []
        with suppress(ParseError):  # HTCondor runs jobs that we do not understand
            found = super().logs(job)
        if self._native:
            return found
        number = job if job < self.plan.dag.n else FINAL
        out, err = log_paths(self.state.folder, number, self.task(job).name)
        return found + [path for path in (err, out) if path.is_file()]
