"""The Dask engine: every job a task with its priority and its dependencies, on somebody's cluster or one of our own.

Problem: Dask forgets. A client that dies takes its tasks along, though what runs goes on; a worker that dies takes
results along, and Dask computes them again; a worker that lost its scheduler may still run what another was given.

Idea: Dask decides *when and where* a job runs: it has the whole graph, in which the tasks carry nothing but the order
to run a job. *Whether* it runs is decided on the worker (``job.py``), with a record on disk that says what has
succeeded and what runs. What happened is told through events at the scheduler, and only from these is the state
written; a task's result is not used.

Invariant: at most one Eligo's tasks can start, that with the latest *turn*. Taking the turn is one question to all
workers, whose answer is what runs and what has ended; everything else can be submitted.

Cost: a few thousand jobs are sent in one message. Priorities are kept among the tasks that wait at one worker; Dask
gives a job to a worker as soon as it could run, so between workers they are kept roughly.

What cannot be promised, since nobody can ask: where a machine cannot see the folder of the run and is cut off from the
network while its job runs on, Dask has the job run elsewhere before the first one is over (until its worker sees that
it is cut off, and kills it).

The graph that a scheduler is given: tasks that carry orders, and wait for each other.

Dask sends a task to where its inputs are. For jobs, whose inputs are files, that would be wrong: the children of one
job would all wait at one worker while others idle, until Dask notices and moves some of them. Tasks that *produce data*
are spread instead, and those for which no worker is free wait at the scheduler by priority, which is what we want.
Where dask is too old to be told so, its usual rule holds.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import eligo
from eligo.engines._dask.cluster import Cluster, find_address, load
from eligo.engines._dask.recorder import Ledger
from eligo.engines._dask.throttle import Releasing
from eligo.engines._dask.worker_jobs import end_jobs, forget, survey
from eligo.engines._dask.worker_messages import (
    JobFailedError,
    Order,
    OutdatedError,
    UnfitError,
    log_path,
    open_record,
    succeeded,
    topic,
)
from eligo.engines._engine import Engine, Event
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError
from eligo.simulation._dask_executor import unfit

__all__ = [
    "Dask",
    "entry",
    "make_task",
]


def entry() -> Callable[..., None]:
    """Return what a task calls; a local function is sent as code, so that the scheduler needs no eligo."""

    def run(packed: bytes, *parents: Any, **_: Any) -> None:
        from eligo.engines._dask.worker_job import run_order

        run_order(packed)

    return run


def make_task(key: str, run: Callable[..., None], packed: bytes, parents: Iterable[Any]) -> Any:
    """Return a task that waits for `parents`, which are futures, or keys of the same graph."""
    try:
        from dask.task_spec import Task, TaskRef
    except ImportError:
        return (run, packed, *parents)
    references = [TaskRef(getattr(parent, "key", parent)) for parent in parents]
    return Task(key, run, packed, *references, _data_producer=True)  # older ones hand it on to `run`


_A_GRAPH = 2000  # jobs in a message
_SETTLE_S = 0.02  # what an event may wait for others to share a sync with
_LOOK_S = 1.0  # how often to look after workers
_LOST = "several workers were lost while it ran"
_PATIENCE = 10  # looks at a task whose job failed before we do without the event that tells of it
_LOSSES = 2  # with how many a job may be lost before it is to blame


class Dask(Engine):
    """Runs a plan on Dask.

    Parameters
    ----------
    address
        Of a scheduler (``tcp://...``, ``tls://...``), or the file that a scheduler writes; without it a cluster is
        started on this machine, and ended in the end.
    slots
        How many workers a cluster of our own has, of one thread each; as many as there are cores unless given.
    """

    NAME = "dask"

    def __init__(
        self,
        plan: Plan,
        state: State,
        options: Sequence[str] = (),
        *,
        address: str | None = None,
        slots: int | None = None,
    ) -> None:
        super().__init__(plan, state, options)
        load()
        if options:
            raise EngineError(
                f"the dask engine has no options of its own: {' '.join(options)}",
                hint="leave out what follows --; -j N says how many workers a local cluster has",
            )
        self._wanted_slots = slots
        self._run_id: str = state.get("run_id")
        self._folder = str(state.folder.resolve())
        self._many_cores = sum(plan.task(job).cpus > 1 for job in range(plan.dag.n))  # also: can each be made?
        self._ledger = Ledger(plan, state)
        self._futures: dict[int, Any] = {}
        self._adopted: set[int] = set()
        self._expected: set[int] = set()  # what runs, says a worker, of which we have not heard yet
        self._turn: int = state.get("dask_turn", 0)
        self._round = 0
        self._unheard: Counter[int] = Counter()
        self._stopping = False
        self._forbade = False
        self._final_sent = False
        self._next_look = 0.0
        self._begun = False
        self._cluster = None if address is None else Cluster(find_address(address))
        self._releasing: Releasing | None = None
        self._rank: list[int] = plan.ranks().tolist()
        self._no_workers = False

    @property
    def slots(self) -> int:
        """How many threads the cluster has."""
        return sum(self._cluster.threads.values()) if self._cluster else 0

    @property
    def over(self) -> bool:
        """Whether nothing runs and nothing will."""
        ledger = self._ledger
        if not self._begun or ledger.events or ledger.running or self._expected or not self._there.events.empty():
            return False
        return self._stopping or (self._all_over and ledger.final_over)

    @property
    def _all_over(self) -> bool:
        return self._ledger.left == 0 or self._ledger.aborted

    @property
    def _there(self) -> Cluster:
        assert self._cluster is not None
        return self._cluster

    # Beginning

    def submit(self) -> None:
        """Send all jobs that are not done, after taking over what an earlier run left."""
        state, plan = self.state, self.plan
        self._cluster = self._cluster or Cluster(None, self._wanted_slots)
        self._there.listen(topic(self._run_id), state.now_s)
        self._record = open_record(state.folder, self._run_id)
        for job in range(plan.dag.n):
            if state.status[job] == JobStatus.WAITING and plan.task(job).done:
                state.update(job, status=JobStatus.DONE, reason="done before, says the workflow")
                self._ledger.left -= 1
        self._take_over()
        done = [status == JobStatus.DONE for status in state.status]
        self._ledger.ended.clear()
        self._releasing = Releasing(plan, done, sorted(job for job in self._adopted if job < plan.dag.n))
        if self._many_cores:
            self._ledger.note(f"Dask gives every job one thread: {self._many_cores:,} jobs ask for more")
        state.put("workers", max(self.slots, self._ledger.seen))
        state.commit(sync=True)
        self._begun = True
        self._send(self._releasing.take())

    def _take_turn(self) -> dict[str, dict[str, Any]]:
        """Forbid all workers to begin what was sent before, and return what they know."""
        self._turn += 1
        self.state.put("dask_turn", self._turn)
        self.state.commit()
        return self._there.ask_all(survey, self._run_id, self._turn)

    def _take_over(self) -> None:
        """Take note of what runs and what has ended since somebody wrote the state."""
        state, ledger = self.state, self._ledger
        known = self._take_turn()
        for message in [message for answer in known.values() for message in answer["ended"]]:
            job = message["job"]
            begun = job == self.plan.dag.n or state.status[job] == JobStatus.RUNNING
            if message["exit_code"] == 0 or begun:  # a failure that was told before may be tried again now
                ledger.take(state.now_s(), message)
        for job in succeeded(self._record, self.plan.dag.n + (self.plan.final is not None)):
            ledger.succeeded_unseen(job)
        for worker, answer in known.items():
            for job, (slot, attempt) in answer["running"].items():
                ledger.adopt(job, worker, slot, attempt)
        self._adopted = set(ledger.running)
        self._final_sent = self.plan.dag.n in self._adopted
        for job, status in enumerate(state.status):
            if status == JobStatus.RUNNING and job not in ledger.running:
                ledger.lost(job, "nobody saw how it ended: it runs again")
                state.repeats(job)

    def _send(self, jobs: Sequence[int]) -> None:
        for first in range(0, len(jobs), _A_GRAPH):
            chunk = jobs[first : first + _A_GRAPH]
            run = entry()
            inside = {job: self._key(job) for job in chunk}
            graph = {
                key: make_task(key, run, self._order(job), self._parents(job, inside)) for job, key in inside.items()
            }
            n = self.plan.dag.n
            futures = self._there.send(graph, {key: n - self._rank[job] for job, key in inside.items()})
            self._futures |= {job: futures[key] for job, key in inside.items()}

    def _key(self, job: int) -> str:
        return f"eligo-{self._run_id}-{self._turn}.{self._round}-{job}"

    def _parents(self, job: int, inside: dict[int, str]) -> Iterator[Any]:
        """Return what a task waits for: keys of the same message, futures of earlier ones; none of what is done."""
        dag = self.plan.dag
        for parent in dag.pred[dag.pred_ptr[job] : dag.pred_ptr[job + 1]].tolist():
            if parent in inside:
                yield inside[parent]
            elif parent in self._futures:
                yield self._futures[parent]

    def _order(self, job: int) -> bytes:
        task = self.task(job)
        tried = 0 if job == self.plan.dag.n else self.state.attempts[job]
        order = Order(eligo.__version__, self._run_id, self._turn, job, task, self._folder, tried + 1, self._counts())
        return order.packed()

    def _counts(self) -> tuple[int, int, int, int, int]:
        """Return how the run stands, as `Order` has it."""
        ledger, n = self._ledger, self.plan.dag.n
        status = 3 if ledger.aborted else 2 if ledger.failed else 0
        return status, ledger.failed, n - ledger.left - ledger.failed - len(ledger.doomed), len(ledger.running), n

    # The loop

    def watch(self, timeout_s: float) -> list[Event]:
        """Return what happened; all of it is on disk."""
        deadline = time.monotonic() + timeout_s
        while True:
            self._hear(min(deadline, self._next_look) - time.monotonic())
            if time.monotonic() >= self._next_look:
                self._look()
            self._settle()
            ledger = self._ledger
            if ledger.events or self.over or time.monotonic() >= deadline:
                events, ledger.events = ledger.events, []
                return events

    def _hear(self, seconds: float) -> None:
        """Take note of all that was told, after waiting for the first at most so long."""
        heard = self._there.events
        with suppress(queue.Empty):
            self._take(*heard.get(timeout=max(0.0, seconds)))
            until = time.monotonic() + _SETTLE_S
            while True:
                self._take(*heard.get(timeout=max(0.0, until - time.monotonic())))

    def _take(self, time_s: float, message: dict[str, Any]) -> None:
        self._expected.discard(message["job"])
        self._ledger.take(time_s, message)

    def _settle(self) -> None:
        """Put what is known on disk, then let go what follows from it."""
        ledger = self._ledger
        self.state.put("workers", max(self.slots, ledger.seen)) if ledger.events else None
        self.state.commit(sync=True)
        ended, ledger.ended = ledger.ended, []
        stopped, ledger.stopped = ledger.stopped, []
        for job, has_succeeded in ended:
            self._futures.pop(job, None)
            self._adopted.discard(job)
            if self._releasing is not None:
                self._releasing.ended(job, succeeded=has_succeeded)
        if any(not has_succeeded for _, has_succeeded in ended):
            for job in self._ledger.doomed & self._futures.keys():
                del self._futures[job]
        for job in stopped:
            self._expected.discard(job)
            if not self._forbade:
                self._again(job)
        if ledger.aborted and not self._forbade:
            self._forbid(kill=True)
        if not self._forbade and self._releasing is not None:
            self._send(self._releasing.take())
        self._finish()

    def _again(self, job: int) -> None:
        """Send a job that an earlier Eligo had sent, and that is lost."""
        if job in self._adopted:
            self._adopted.discard(job)
            if job == self.plan.dag.n:
                self._final_sent = False
            elif self._releasing is not None:
                self._releasing.again(job)

    def _finish(self) -> None:
        """Run the final task when all else is over."""
        ledger = self._ledger
        busy = ledger.running or self._expected
        if ledger.final_over or self._final_sent or self._stopping or busy or not self._all_over:
            return
        self._final_sent = True
        n = self.plan.dag.n
        key = self._key(n)
        self._futures[n] = self._there.send({key: make_task(key, entry(), self._order(n), [])}, {key: n + 1})[key]

    # Looking after the cluster

    def _look(self) -> None:
        """See which workers are gone, and which tasks Dask has given up."""
        workers = self._there.look()
        if workers is not None:
            for job, worker in list(self._ledger.running.items()):
                if worker not in workers:
                    self._ledger.lost(job, "its worker was lost: it runs again")
                    self._again(job)
            if not workers and not self._no_workers:
                self._ledger.note(f"no workers: start some with dask worker {self._there.address}")
            self._no_workers = not workers
        erred = [job for job, future in self._futures.items() if future.status in ("error", "cancelled", "lost")]
        if erred:
            self._hear(0.0)
            self._look_at_erred(erred)
        self._next_look = time.monotonic() + max(_LOOK_S, len(self._futures) / 1e5)

    def _look_at_erred(self, erred: list[int]) -> None:
        """See why tasks were given up, parents first: mostly because a job failed, of which we have heard or will.

        Dask also gives up what was only *waiting* at several workers that were lost. That is sent again.
        """
        place = np.empty(self.plan.dag.n + 1, np.int64)
        place[self.plan.dag.order] = np.arange(self.plan.dag.n)
        place[self.plan.dag.n] = self.plan.dag.n
        innocent = []
        for job in sorted(erred, key=place.__getitem__):
            if job in self._ledger.doomed or self._ledger_knows(job):
                continue
            text = self._why_given_up(self._futures[job])
            if text is None:
                self._unheard[job] += 1
                if self._unheard[job] < _PATIENCE:
                    return  # let us hear of it first
                text = "it failed, and nothing else was heard of it"
            if text == _LOST and self._ledger.losses[job] < _LOSSES:
                innocent.append(job)
            else:
                self._ledger.give_up(job, text)
        for job in innocent:
            del self._futures[job]
        if innocent and not self._forbade:
            self._round += 1
            self._send(innocent)

    def _why_given_up(self, future: Any) -> str | None:
        """Say why Dask has given up a task, or ``None`` where its job failed, of which an event tells more."""
        if future.status != "error":
            raise EngineError(
                "the tasks of this run were taken from the Dask scheduler, or it was restarted",
                hint="the state of the run is safe: go on with --resume",
            )
        try:
            error = future.exception(timeout=10)
        except Exception:
            raise self._there.lost() from None
        if isinstance(error, JobFailedError):
            return None
        if isinstance(error, OutdatedError):
            raise EngineError("another Eligo has taken this run over", hint="eligo status shows how it goes on")
        if isinstance(error, UnfitError):
            raise unfit("a worker", str(error))
        if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "eligo":
            raise unfit("a worker", None)
        return _LOST if type(error).__name__ == "KilledWorker" else f"its worker could not run it: {error!r:.500}"

    def _ledger_knows(self, job: int) -> bool:
        if job == self.plan.dag.n:
            return self._ledger.final_over
        return self.state.status[job] in (JobStatus.DONE, JobStatus.FAILED)

    # Stopping

    def cancel(self, *, kill: bool = False) -> None:
        """Start nothing new; with `kill` also end what runs."""
        self._stopping = True
        if self._begun:
            self._forbid(kill=kill)

    def _forbid(self, *, kill: bool) -> None:
        """Let no worker begin anything that was sent; with `kill` end what runs."""
        first, self._forbade = not self._forbade, True
        if first:
            known = self._take_turn()
            runs = {job for answer in known.values() for job in answer["running"]}
            self._expected = {job for job in runs - self._ledger.running.keys() if not self._ledger_knows(job)}
            waiting = [future for job, future in self._futures.items() if job not in runs | self._ledger.running.keys()]
            self._there.cancel(waiting)
            self._futures = {job: self._futures[job] for job in self._futures if job in runs}
        if kill:
            self._there.on_workers(end_jobs, self._run_id)

    # Afterwards

    def logs(self, job: int) -> list[Path]:
        """Return the files with what a job printed."""
        name = self.task(job).name
        ours = log_path(self.state.folder, job, name)
        kept = sorted(ours.parent.glob(f"{ours.stem.replace('[', '[[]')}*.log"))
        return [*super().logs(job), *(path for path in kept if path.is_file())]

    def close(self) -> None:
        """Let go of the cluster; what runs there goes on, but not on one of our own."""
        if self._cluster is None:
            return
        if self._begun and self.over:
            with suppress(Exception):
                self._cluster.on_workers(forget, self._run_id)
                self._cluster.client.set_metadata([topic(self._run_id)], None)
        self._futures.clear()
        self._cluster.close()
        self._cluster = None
