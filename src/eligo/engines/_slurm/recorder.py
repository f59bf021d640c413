"""What became of the jobs, in the state and as events: the one place of the engine that writes either.

Times come from the clocks of the nodes. They are brought into the time of the run, and never lie before its beginning
or after now, whatever those clocks say. Workers are slots: on each node the lowest that is free when a job starts
there.
"""

from __future__ import annotations

from typing import Any

from eligo.engines._attempts import ended_with
from eligo.engines._engine import Event, Happening
from eligo.engines._plan import Plan
from eligo.engines._slurm.exchange_dir import End, Record, Start, Try
from eligo.engines._slurm.submission import Entry
from eligo.engines._state import JobStatus, State
from eligo.trace import ANYWHERE

__all__ = ["Ledger"]

_STEPS = {"before": "the script before it ", "after": "the script after it ", "process": ""}


class Ledger:
    """What became of the jobs."""

    def __init__(self, plan: Plan, state: State) -> None:
        self._plan = plan
        self._state = state
        self._n = plan.dag.n
        self._began = float(state.get("began", 0.0))
        self.events: list[Event] = []
        self._lanes: dict[str, list[int]] = state.get("slurm_lanes") or {}  # of each node: its workers
        self._busy: set[int] = set()
        self._workers = int(state.get("workers") or 0)

    def handles(self) -> dict[int, str]:
        """Return what was noted of submissions that were not known to be over."""
        found = {job: handle for job, handle in enumerate(self._state.handle) if handle}
        if self._plan.final is not None and (handle := (self._state.get("final") or {}).get("handle")):
            found[self._n] = handle
        return found

    def _record(self, job: int, **values: Any) -> None:
        if job < self._n:
            self._state.update(job, **values)
            return
        old = self._state.get("final") or {}
        if "status" in values:
            old |= {"status": JobStatus(values["status"]).name.lower(), "reason": values.get("reason", "")}
        self._state.put("final", old | {"handle": values.get("handle", old.get("handle", ""))})

    def submitted(self, entry: Entry) -> None:
        """Note a submission: before it is made, and again when more is known of it."""
        self._record(entry.job, handle=entry.handle())

    def withdrawn(self, entry: Entry) -> None:
        """Note that a submission will not start."""
        self._record(entry.job, handle="")

    def when(self, time: float) -> float:
        """Bring a calendar time into the time of the run."""
        return min(max(0.0, time - self._began), self._state.now_s())

    def _event(self, what: Happening, entry: Entry, time_s: float, text: str = "", code: int | None = None) -> None:
        job = entry.job
        if job >= self._n:
            job, text = -1, f"{self._plan.task_of(job).name}: {text or what.name.lower()}"
        self.events.append(Event(what, job, time_s, entry.worker, entry.attempt, code, text))

    def note(self, text: str) -> None:
        """Tell of something that is about no job."""
        self.events.append(Event(Happening.NOTE, -1, self._state.now_s(), text=text))

    def started(self, entry: Entry, start: Start) -> None:
        """Note that a job began to run."""
        entry.worker = self._take_lane(start.node)
        entry.starts += 1
        entry.start_s = self.when(start.time)
        self._record(
            entry.job,
            status=JobStatus.RUNNING,
            start_s=entry.start_s,
            end_s=None,
            worker=entry.worker,
            attempts=entry.attempt,
            handle=entry.handle(),
        )
        self._event(Happening.STARTED, entry, entry.start_s)

    def take_up(self, entry: Entry) -> bool:
        """Give a submission of an earlier Eligo what was known of it, and tell of it, where it was running."""
        if entry.job >= self._n or self._state.status[entry.job] != JobStatus.RUNNING:
            return False
        entry.worker = self._state.worker[entry.job]
        entry.start_s = self._state.start_s[entry.job] or 0.0
        self._busy.add(entry.worker)
        self._event(Happening.ADOPTED, entry, self._state.now_s())
        return True

    def _take_lane(self, node: str) -> int:
        lanes = self._lanes.setdefault(node, [])
        free = next((lane for lane in lanes if lane not in self._busy), None)
        if free is None:
            free = sum(map(len, self._lanes.values()))
            lanes.append(free)
            if free >= self._workers:
                self._workers = free + 1
                self._state.put("workers", self._workers)
            self._state.put("slurm_lanes", self._lanes)
        self._busy.add(free)
        return free

    def _leave(self, entry: Entry) -> None:
        self._busy.discard(entry.worker)
        entry.running_since = None

    def tried(self, entry: Entry, tried: Try) -> None:
        """Note a try that failed, and was not the last."""
        text = f"{_STEPS.get(tried.step, '')}{ended_with(tried.code)}"
        self._event(Happening.AGAIN, entry, self.when(tried.end), text, tried.code)
        entry.retried += 1
        entry.start_s = self.when(tried.end)
        self._record(entry.job, attempts=entry.attempt, start_s=entry.start_s, handle=entry.handle())
        self._event(Happening.STARTED, entry, entry.start_s)

    def again(self, entry: Entry, text: str, *, gone: bool = False) -> None:
        """Note that a job is no longer running, and will be tried again: as it is in the queue, unless it is `gone`."""
        self._event(Happening.AGAIN, entry, self._state.now_s(), text)
        entry.lost += 1
        self._leave(entry)
        entry.worker = ANYWHERE
        self._record(
            entry.job, status=JobStatus.WAITING, start_s=None, reason=text, handle="" if gone else entry.handle()
        )

    def cancelled(self, entry: Entry) -> None:
        """Note that a job was ended because we said so."""
        if entry.running_since is not None:
            self._event(Happening.CANCELLED, entry, self._state.now_s())
        self._leave(entry)
        done = entry.attempt - 1
        self._record(
            entry.job, status=JobStatus.WAITING, start_s=None, attempts=done, worker=-1, reason="stopped", handle=""
        )

    def ended(self, entry: Entry, record: Record, end: End) -> bool:
        """Note that a job is over as it says itself, and return whether it succeeded."""
        succeeded = end.ok or end.code == 0
        text = f"{_STEPS.get(end.step, '')}{ended_with(end.code)}"
        if end.kind == "skipped":
            text = f"skipped: {text}"
        elif end.kind == "abort":
            text = f"{text if end.code else 'it succeeded'}: the whole run ends at this status"
        elif succeeded:
            text = ""
        code = 0 if end.ok else end.code
        begin = self.when(end.begin)
        last = max(begin, self.when(end.time))
        self._close(entry, succeeded, begin, last, exit_code=code, reason=text, cpu_s=record.cpu_s)
        return succeeded

    def failed(self, entry: Entry, text: str, code: int | None = None) -> None:
        """Note that a job is over, and did not say so itself."""
        now = self._state.now_s()
        ran = entry.running_since is not None
        self._close(entry, False, entry.start_s if ran else None, now if ran else None, exit_code=code, reason=text)

    def _close(self, entry: Entry, succeeded: bool, start_s: float | None, end_s: float | None, **values: Any) -> None:
        self._record(
            entry.job,
            status=JobStatus.DONE if succeeded else JobStatus.FAILED,
            start_s=start_s,
            end_s=end_s,
            attempts=entry.attempt,
            handle="",
            **values,
        )
        what = Happening.SUCCEEDED if succeeded else Happening.FAILED
        time_s = self._state.now_s() if end_s is None else end_s
        self._event(what, entry, time_s, values["reason"], values["exit_code"])
        self._leave(entry)
