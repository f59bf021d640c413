"""The ledger: turns what workers tell into the state of the run and the events of the engine.

Messages of one worker come in their order; those of different workers so that a job's end comes before the start of
what depends on it, since all pass through the scheduler. The same may be told twice, after a crash or when Dask ran a
task again: what is done stays done, and is told once.

Clocks of machines differ. A job's end is the moment at which we hear of it, its start is as much earlier as the worker
says it took, but not before its parents' ends.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from eligo.engines._attempts import VerdictKind
from eligo.engines._dask.worker_messages import log_path
from eligo.engines._engine import Event, Happening
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State

__all__ = ["Ledger"]


class Ledger:
    """What is known of each job.

    Attributes
    ----------
    running
        The address of the worker of each job that runs, by its index; what runs at last has the number of jobs.
    doomed
        Jobs that cannot run, since one that they depend on has failed.
    left
        How many jobs are neither done, nor failed, nor doomed.
    ended
        Jobs that have ended since somebody asked, and whether they have succeeded.
    losses
        With how many workers each job was lost.
    aborted
        Whether a job has ended the whole run.
    """

    def __init__(self, plan: Plan, state: State) -> None:
        self._plan, self._state = plan, state
        self._final = plan.dag.n
        self._children = plan.dag.succ_ptr.tolist(), plan.dag.succ.tolist()
        self._parents = plan.dag.pred_ptr.tolist(), plan.dag.pred.tolist()
        self._numbers: dict[tuple[str, int], int] = {}
        self.running: dict[int, str] = {}
        self.events: list[Event] = []
        self.ended: list[tuple[int, bool]] = []
        self.stopped: list[int] = []
        self.aborted = False
        self.final_over = plan.final is None or (state.get("final") or {}).get("status") == "done"
        self.left = sum(status != JobStatus.DONE for status in state.status)
        self.failed = 0
        self.losses: Counter[int] = Counter()
        self.doomed: set[int] = set()

    def take(self, time_s: float, message: dict[str, Any]) -> None:
        """Take note of what a worker tells."""
        job = message["job"]
        if self._is_over(job):
            self.running.pop(job, None)
            return
        getattr(self, f"_take_{message['what']}")(job, time_s, message)

    def _is_over(self, job: int) -> bool:
        if job == self._final:
            return self.final_over
        return self._state.status[job] in (JobStatus.DONE, JobStatus.FAILED)

    def adopt(self, job: int, worker: str, slot: int, attempt: int) -> None:
        """Take note that a job runs which an earlier Eligo had sent."""
        if self._is_over(job):
            return
        self.running[job] = worker
        number, time_s = self.number(worker, slot), self._state.now_s()
        start_s = None if job == self._final else self._state.start_s[job]
        self._update(
            job,
            status=JobStatus.RUNNING,
            start_s=time_s if start_s is None else start_s,
            worker=number,
            attempts=attempt,
            reason="",
        )
        self._tell(Happening.ADOPTED, job, time_s, number, attempt=attempt, text="it was started by the earlier run")

    def lost(self, job: int, text: str) -> None:
        """Take note that a job runs no more, and nobody knows how it ended."""
        self.running.pop(job, None)
        self.losses[job] += 1
        if job == self._final:
            return
        self._update(job, status=JobStatus.WAITING, start_s=None, worker=-1)
        self._tell(Happening.AGAIN, job, self._state.now_s(), attempt=max(1, self._state.attempts[job]), text=text)

    def succeeded_unseen(self, job: int) -> None:
        """Take note of a success of which only the record knows."""
        if not self._is_over(job):
            self._take_ended(job, self._state.now_s(), {"exit_code": 0, "kind": 0, "found": True})

    def give_up(self, job: int, text: str) -> None:
        """Take note that a job failed of which no worker tells."""
        self._take_ended(job, self._state.now_s(), {"exit_code": None, "kind": int(VerdictKind.FAILED), "text": text})

    def _take_started(self, job: int, time_s: float, message: dict[str, Any]) -> None:
        worker, attempt = message["worker"], message["attempt"]
        if self.running.get(job, worker) != worker:
            self.lost(job, "its worker was lost: another runs it")
        self.running[job] = worker
        number = self.number(worker, message["slot"])
        values = {"start_s": time_s, "end_s": None, "worker": number, "attempts": attempt, "reason": ""}
        self._update(job, status=JobStatus.RUNNING, **values)
        self._tell(Happening.STARTED, job, time_s, number, attempt=attempt)

    def _take_again(self, job: int, time_s: float, message: dict[str, Any]) -> None:
        number, text = self.number(message["worker"], message["slot"]), message.get("text", "")
        self._keep_tail(job, message)
        self._update(job, exit_code=message.get("exit_code"), reason=text)
        told = {"attempt": message["attempt"], "text": text, "exit_code": message.get("exit_code")}
        self._tell(Happening.AGAIN, job, time_s, number, **told)

    def _take_stopped(self, job: int, time_s: float, message: dict[str, Any]) -> None:
        """Take note that a job was stopped, or did not get as far as starting."""
        self._keep_tail(job, message)
        self.stopped.append(job)
        if self.running.pop(job, None) is None or job == self._final:
            return
        number, attempt = self.number(message["worker"], message["slot"]), message["attempt"]
        self._update(job, status=JobStatus.WAITING, start_s=None, attempts=attempt - 1, reason="stopped")
        self._tell(Happening.CANCELLED, job, time_s, number, attempt=attempt)

    def _take_ended(self, job: int, time_s: float, message: dict[str, Any]) -> None:
        self.running.pop(job, None)
        code, text = message["exit_code"], message.get("text", "")
        succeeded = code == 0
        if message.get("found"):
            text = "it had succeeded before"
        number = self.number(message["worker"], message["slot"]) if "worker" in message else -1
        attempt = message.get("attempt", 1)
        self._keep_tail(job, message)
        self._update(
            job,
            status=JobStatus.DONE if succeeded else JobStatus.FAILED,
            start_s=self._start(job, time_s, message.get("took_s")),
            end_s=time_s,
            worker=number,
            attempts=attempt,
            exit_code=code,
            cpu_s=message.get("cpu_s"),
            peak_bytes=message.get("peak_bytes") or None,
            reason=text,
        )
        what = Happening.SUCCEEDED if succeeded else Happening.FAILED
        self._tell(what, job, time_s, number, attempt=attempt, text=text, exit_code=code)
        if job == self._final:
            self.final_over = True
            return
        self.left -= 1
        self.ended.append((job, succeeded))
        if not succeeded:
            self.failed += 1
            self._doom(job)
        if message["kind"] == VerdictKind.ABORT:
            self._abort(job, code, text)

    def _start(self, job: int, time_s: float, took_s: float | None) -> float:
        """Return when a job started that has ended now."""
        known = None if job == self._final else self._state.start_s[job]
        start = time_s - took_s if took_s is not None else time_s if known is None else known
        if job < self._final:
            ptr, parents = self._parents
            ends = (self._state.end_s[parent] for parent in parents[ptr[job] : ptr[job + 1]])
            start = max([start, *(end for end in ends if end is not None)])
        return min(max(start, 0.0), time_s)

    def _doom(self, job: int) -> None:
        """Find the jobs that cannot run any more; each is found once in a whole run."""
        ptr, children = self._children
        stack = [job]
        while stack:
            at = stack.pop()
            for child in children[ptr[at] : ptr[at + 1]]:
                if child not in self.doomed and self._state.status[child] not in (JobStatus.DONE, JobStatus.FAILED):
                    self.doomed.add(child)
                    self.left -= 1
                    stack.append(child)

    def _abort(self, job: int, code: int, text: str) -> None:
        task = self._plan.task(job)
        assert task.abort is not None
        self.aborted = True
        self._state.put("abort_status", code if task.abort.returns is None else task.abort.returns)
        self.note(f"job {task.name!r} ends the whole run: {text}")

    def number(self, worker: str, slot: int) -> int:
        """Return the number of a thread of a worker, in the order in which we hear of them."""
        return self._numbers.setdefault((worker, slot), len(self._numbers))

    @property
    def seen(self) -> int:
        """How many threads of workers we have heard of."""
        return len(self._numbers)

    def _keep_tail(self, job: int, message: dict[str, Any]) -> None:
        """Write what a job printed where its worker could not."""
        if message.get("tail"):
            path = log_path(self._state.folder, job, self._plan.task_of(job).name)
            path.touch(mode=0o600)
            path.write_text(message["tail"], encoding="utf-8")

    def _update(self, job: int, **values: Any) -> None:
        if job < self._final:
            self._state.update(job, **values)
        elif "status" in values:
            status = JobStatus(values["status"]).name.lower()
            self._state.put("final", {"status": status, "reason": values.get("reason", "")})

    def _tell(
        self,
        what: Happening,
        job: int,
        time_s: float,
        worker: int = -1,
        *,
        attempt: int = 1,
        text: str = "",
        exit_code: int | None = None,
    ) -> None:
        if job == self._final:
            assert self._plan.final is not None
            text = f"{self._plan.final.name}: {text or what.name.lower()}"
            job = -1
        self.events.append(Event(what, job, time_s, worker, attempt, exit_code, text))

    def note(self, text: str) -> None:
        """Tell something that is about no job."""
        self.events.append(Event(Happening.NOTE, -1, self._state.now_s(), text=text))
