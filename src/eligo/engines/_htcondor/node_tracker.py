r"""The course of each job, as DAGMan tells it.

DAGMan's log of states (``JOBSTATE_LOG``, the file that Pegasus follows) has a line for every step of every node, in the
order in which DAGMan took note of them, with the time of the event in seconds since 1970::

    1794833955 fetch PRE_SCRIPT_STARTED - - - 1
    1794833956 fetch SUBMIT 9.0 - - 1
    1794833957 fetch EXECUTE 9.0 - - 1
    1794833958 fetch JOB_TERMINATED 9.0 - - 1
    1794833958 fetch JOB_SUCCESS 0 - - 1

It knows what no event log does: scripts that fail before there is a job, nodes of several processes, nodes whose last
word has a script. What it lacks is where a job ran and what it used; that comes from ``event_log.py``.

A node fails for good when its retries are used up; DAGMan does not say so here, and we count by its own rule. What
remains open when DAGMan ends (a description that could not be submitted, a script whose status might mean "skip")
is settled by the file of node states that it writes then (``node_states.py``).

When DAGMan ends everything, because we removed it or a node's status says so, the jobs that it takes out of the queue
have not failed: they were stopped, and wait. A FINAL node that DAGMan begins after we removed it is not the one that
ends the run: DAGMan has its way, but only a note tells of it.

Invariant: the same lines, read again from the first, lead to the same courses. So after a crash all lines are read
again, and only what comes after those that the state on disk knows is told and recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

from eligo.engines._attempts import ended_with
from eligo.engines._engine import Event, Happening
from eligo.engines._htcondor.dagman_logs import Kind, LoggedEvent, NodesLog
from eligo.engines._plan import Abort
from eligo.engines._state import JobStatus, State
from eligo.trace import ANYWHERE

__all__ = ["FINAL", "HOLD_REASON", "STOPPED", "Courses", "Rule"]

FINAL = -2
"""Stands for the FINAL node where a job's number is asked for."""

HOLD_REASON = "stopped by eligo"
"""What we say of jobs that we put on hold."""

STOPPED = "stopped while it ran"
"""What we say of jobs that had begun when the run was stopped."""

_SKIPPED = "skipped: the script before it said so"
_FINAL_TOO_SOON = "DAGMan runs it whenever it is removed; it runs again at the end of the run"
_REMOVED = -1000
"""At and below this, DAGMan's exit status of a job says that it has none: it was removed, or could not be submitted."""


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """What DAGMan does when a step of a node ends."""

    retries: int = 0
    unless_exit: int | None = None
    after: bool = False
    may_skip: bool = False
    abort: Abort | None = None


@final
@dataclass(slots=True)
class _Course:
    """How far a node has come."""

    phase: Literal["waiting", "before", "queued", "running", "ended", "after", "over"] = "waiting"
    attempts: int = 0
    failures: int = 0
    begun: bool = False
    """Whether its start was told, and no end since."""
    running: set[str] = field(default_factory=set)
    start_s: float = 0.0
    worker: int = ANYWHERE
    exit_code: int | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None
    noted: bool = False


class Courses:
    """Follows the nodes of one DAGMan.

    Parameters
    ----------
    numbers
        The number of each node's job, by name; `FINAL` for the FINAL node.
    rule
        Returns the rule of a job.
    state
        Where what happens is recorded, unless it is only read again.
    log
        Where details are.
    """

    def __init__(self, numbers: Mapping[str, int], rule: Callable[[int], Rule], state: State, log: NodesLog) -> None:
        self._numbers = numbers
        self._rule = rule
        self._state = state
        self._log = log
        self._began = float(state.get("began"))
        self._final = next((name for name, job in numbers.items() if job == FINAL), "")
        self._courses: dict[int, _Course] = {}
        self._done: set[int] = set()
        self._slots: dict[str, int] = {slot: number for number, slot in enumerate(state.get("htcondor_slots", []))}
        self._events: list[Event] = []
        self._silent = False
        self._removed = False
        self.stopped: set[int] = set()
        """Jobs that DAGMan took out of the queue since it ends everything; nothing more is to be known of them."""
        self.exit_code: int | None = None
        """Of DAGMan itself, once it said so."""
        self.aborting: Abort | None = None
        """Why DAGMan ends everything, where a node made it do so."""

    def take(self, line: str, *, silent: bool = False, removed: bool = False) -> list[Event]:
        """Follow one line, written after we `removed` DAGMan or before; unless `silent`, record and tell of it."""
        words = line.split()
        if len(words) < 4:
            return []
        self._silent, self._removed, self._events = silent, removed, []
        if words[2] == "***":
            if words[3] == "DAGMAN_FINISHED" and len(words) > 4:
                self.exit_code = int(words[4])
            return []
        job = self._numbers.get(words[1])
        step = _STEPS.get(words[2])
        if job is None or step is None or job in self._done:  # a DAGMan that recovers may repeat a line
            return []
        if job in self.stopped:  # a script after it may run all the same: it cannot make a success of it
            return []
        course = self._courses.setdefault(job, _Course())
        if job == FINAL and removed and course.phase == "waiting":
            self.stopped.add(FINAL)
            self.tell(Happening.NOTE, FINAL, self.time_s(int(words[0])), _FINAL_TOO_SOON)
            return self._events
        step(self, job, course, self.time_s(int(words[0])), words[3])
        return self._events

    def time_s(self, epoch_s: float) -> float:
        """Return a time of HTCondor's as seconds since the run began."""
        return max(0.0, epoch_s - self._began)

    @property
    def busy(self) -> list[int]:
        """The jobs of which something runs, a program or a script, or whose end DAGMan has yet to judge."""
        busy = ("before", "running", "ended", "after")
        return [job for job, course in self._courses.items() if course.phase in busy]

    def failed(self) -> list[int]:
        """Return the jobs that have failed for good."""
        return [job for job, course in self._courses.items() if course.phase == "over" and job != FINAL]

    def executing(self) -> list[int]:
        """Return the jobs of which a program runs or a script."""
        return [job for job in self.busy if job != FINAL]

    # ---- what is told and recorded ----

    def tell(self, what: Happening, job: int, time_s: float, text: str = "", **more: Any) -> None:
        """Add an event, unless all is only read again."""
        if self._silent:
            return
        if job == FINAL:
            job, text = -1, f"{self._final}: {text or what.name.lower()}"
        self._events.append(Event(what, job, time_s, text=text, **more))

    def record(self, job: int, **values: Any) -> None:
        """Put something down in the state, unless all is only read again; of FINAL only how it ended."""
        if self._silent:
            return
        if job == FINAL:
            status = values.get("status")
            words = {JobStatus.DONE: "done", JobStatus.FAILED: "failed", JobStatus.RUNNING: "running"}
            if status in words:
                self._state.put("final", {"status": words[status], "reason": values.get("reason", "")})
            return
        self._state.update(job, **values)

    def _worker(self, slot: str) -> int:
        if not slot:
            return ANYWHERE
        if slot not in self._slots:
            self._slots[slot] = len(self._slots)
            if not self._silent:
                self._state.put("htcondor_slots", list(self._slots))
        return self._slots[slot]

    # ---- the steps ----

    def _begin(self, job: int, course: _Course, time_s: float, handle: str = "") -> None:
        course.begun = True
        course.attempts += 1
        course.start_s = time_s
        course.exit_code = course.cpu_s = course.peak_bytes = None
        self.record(
            job, status=JobStatus.RUNNING, start_s=time_s, end_s=None, attempts=course.attempts, worker=course.worker,
            reason="", handle=handle,
        )  # fmt: skip
        self.tell(Happening.STARTED, job, time_s, worker=course.worker, attempt=course.attempts)

    def _before_started(self, job: int, course: _Course, time_s: float, _: str) -> None:
        if course.phase == "before":  # its script was not one that says "skip": the node failed, and is tried again
            self._fail(job, course, time_s, "the script before it failed", None)
        course.phase, course.worker = "before", ANYWHERE
        self._begin(job, course, time_s)

    def _before_succeeded(self, job: int, course: _Course, time_s: float, _: str) -> None:
        course.phase = "queued"

    def _before_failed(self, job: int, course: _Course, time_s: float, _: str) -> None:
        if self._ending and job != FINAL:  # DAGMan kills scripts, too
            self._stop_for_good(job, course, time_s)
        elif not self._rule(job).may_skip:
            self._fail(job, course, time_s, "the script before it failed", None)

    def _skipped(self, job: int, course: _Course, time_s: float, _: str) -> None:
        self._succeed(job, course, time_s, _SKIPPED)

    def _submitted(self, job: int, course: _Course, time_s: float, _: str) -> None:
        if course.phase in ("waiting", "before"):
            course.phase = "queued"

    def _not_submitted(self, job: int, course: _Course, time_s: float, _: str) -> None:
        if not course.noted:
            course.noted = True
            self.tell(Happening.NOTE, job, time_s, "HTCondor does not take its description; DAGMan tries again")

    def _executes(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        course.worker = self._worker(self._log.take(Kind.EXECUTE, handle).slot)
        first = not course.running
        course.running.add(handle)
        course.phase = "running"
        if not course.begun:
            self._begin(job, course, time_s, handle)
        elif first:  # a script ran before: from now on the worker is busy
            course.start_s = time_s
            self.record(job, start_s=time_s, worker=course.worker, handle=handle)

    def _terminated(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        event = self._log.take(Kind.TERMINATED, handle)
        course.running.discard(handle)
        if not course.running:
            course.phase = "ended"
        if event.exit_code or course.exit_code is None:
            course.exit_code = event.exit_code
        if event.cpu_s is not None:
            course.cpu_s = (course.cpu_s or 0.0) + event.cpu_s
        peaks = [size for size in (event.peak_bytes, self._log.peak_bytes(handle), course.peak_bytes) if size]
        course.peak_bytes = max(peaks, default=None)

    def _lost(self, kind: Kind) -> Callable[[int, _Course, float, str], None]:
        def step(job: int, course: _Course, time_s: float, handle: str) -> None:
            event = self._log.take(kind, handle)
            course.running.discard(handle)
            if course.phase == "running" and not course.running:
                self._wait_again(job, course, time_s, event)

        return step

    @property
    def _ending(self) -> bool:
        """Whether DAGMan ends everything."""
        return self._removed or self.aborting is not None

    def _stop(self, job: int, course: _Course, time_s: float) -> None:
        """Let a job wait that had begun, if it had: there was nothing wrong with it."""
        course.phase = "queued"
        if course.begun:
            course.begun = False
            end_s = max(time_s, course.start_s)
            self.record(job, status=JobStatus.WAITING, end_s=end_s, reason=STOPPED)
            self.tell(Happening.CANCELLED, job, end_s, STOPPED, worker=course.worker, attempt=max(1, course.attempts))

    def _stop_for_good(self, job: int, course: _Course, time_s: float) -> None:
        self._stop(job, course, time_s)
        self.stopped.add(job)

    def _wait_again(self, job: int, course: _Course, time_s: float, event: LoggedEvent) -> None:
        if self._ending and job != FINAL:
            self._stop(job, course, time_s)
            return
        course.phase, course.begun = "queued", False
        text = f"its worker was lost: {event.text}" if event.text else "its worker was lost"
        self.record(job, status=JobStatus.WAITING, end_s=max(time_s, course.start_s), reason=text)
        self.tell(Happening.AGAIN, job, time_s, text, worker=course.worker, attempt=course.attempts)

    def _evicted(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        self._lost(Kind.EVICTED)(job, course, time_s, handle)

    def _shadow_failed(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        self._lost(Kind.SHADOW_EXCEPTION)(job, course, time_s, handle)

    def _reconnect_failed(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        self._lost(Kind.RECONNECT_FAILED)(job, course, time_s, handle)

    def _disconnected(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        text = self._log.take(Kind.DISCONNECTED, handle).text
        self.tell(Happening.NOTE, job, time_s, f"its worker does not answer: {text}")

    def _held(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        text = self._log.take(Kind.HELD, handle).text
        course.running.discard(handle)
        if course.phase == "running" and not course.running:
            self._wait_again(job, course, time_s, LoggedEvent(Kind.HELD, handle, text="it was put on hold"))
        if not text.startswith(HOLD_REASON):
            self.tell(Happening.NOTE, job, time_s, f"on hold until condor_release {handle}: {text}")

    def _aborted(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        self._log.take(Kind.ABORTED, handle)
        course.running.discard(handle)
        if self._ending and job != FINAL:
            self._stop_for_good(job, course, time_s)
        elif not course.running:
            course.phase = "ended"

    def _job_succeeded(self, job: int, course: _Course, time_s: float, _: str) -> None:
        if self._rule(job).after:
            course.phase = "after"
        else:
            self._succeed(job, course, time_s)

    def _job_failed(self, job: int, course: _Course, time_s: float, word: str) -> None:
        status = int(word) if word.lstrip("-").isdigit() else None
        if status is None or status <= _REMOVED:
            course.exit_code, text = None, "it was removed from the queue"
        else:
            course.exit_code = status if status >= 0 else 128 - status
            text = ended_with(course.exit_code)
        if self._rule(job).after:
            course.phase = "after"
        else:
            self._fail(job, course, time_s, text, status)

    def _after_started(self, job: int, course: _Course, time_s: float, _: str) -> None:
        course.phase = "after"

    def _after_terminated(self, job: int, course: _Course, time_s: float, handle: str) -> None:
        course.exit_code = self._log.take(Kind.POST_TERMINATED, handle).exit_code

    def _after_succeeded(self, job: int, course: _Course, time_s: float, _: str) -> None:
        self._succeed(job, course, time_s)

    def _after_failed(self, job: int, course: _Course, time_s: float, _: str) -> None:
        code = course.exit_code
        if self._ending and job != FINAL:
            self._stop_for_good(job, course, time_s)
            return
        self._fail(job, course, time_s, f"the script after it {'failed' if code is None else ended_with(code)}", code)

    def _succeed(self, job: int, course: _Course, time_s: float, text: str = "") -> None:
        if not course.begun:  # a job that does nothing never begins
            self._begin(job, course, time_s)
        end_s = max(time_s, course.start_s)
        self.record(
            job, status=JobStatus.DONE, end_s=end_s, exit_code=0, reason=text, cpu_s=course.cpu_s,
            peak_bytes=course.peak_bytes,
        )  # fmt: skip
        self.tell(
            Happening.SUCCEEDED, job, end_s, text, worker=course.worker, attempt=max(1, course.attempts), exit_code=0
        )
        del self._courses[job]
        self._done.add(job)

    def _fail(self, job: int, course: _Course, time_s: float, text: str, status: int | None) -> None:
        rule = self._rule(job)
        course.failures += 1
        course.begun = False
        course.running.clear()
        if rule.abort is not None and status == rule.abort.exit_code:
            self.aborting = rule.abort
            text = f"{text}: the whole run ends at this status"
        again = course.failures <= rule.retries and self.aborting is None
        again = again and (status is None or status != rule.unless_exit)
        course.phase = "waiting" if again else "over"
        status_now = JobStatus.WAITING if again else JobStatus.FAILED
        end_s = max(time_s, course.start_s)
        self.record(
            job, status=status_now, end_s=end_s if course.attempts else None, exit_code=course.exit_code, reason=text,
            cpu_s=course.cpu_s, peak_bytes=course.peak_bytes,
        )  # fmt: skip
        what = Happening.AGAIN if again else Happening.FAILED
        self.tell(
            what, job, end_s, text, worker=course.worker, attempt=max(1, course.attempts), exit_code=course.exit_code
        )


_STEPS: dict[str, Callable[[Courses, int, _Course, float, str], None]] = {
    "PRE_SCRIPT_STARTED": Courses._before_started,
    "PRE_SCRIPT_SUCCESS": Courses._before_succeeded,
    "PRE_SCRIPT_FAILURE": Courses._before_failed,
    "PRESKIP": Courses._skipped,
    "SUBMIT": Courses._submitted,
    "SUBMIT_FAILURE": Courses._not_submitted,
    "EXECUTE": Courses._executes,
    "JOB_TERMINATED": Courses._terminated,
    "JOB_EVICTED": Courses._evicted,
    "SHADOW_EXCEPTION": Courses._shadow_failed,
    "JOB_RECONNECT_FAILED": Courses._reconnect_failed,
    "JOB_DISCONNECTED": Courses._disconnected,
    "JOB_HELD": Courses._held,
    "JOB_ABORTED": Courses._aborted,
    "JOB_SUCCESS": Courses._job_succeeded,
    "JOB_FAILURE": Courses._job_failed,
    "POST_SCRIPT_STARTED": Courses._after_started,
    "POST_SCRIPT_TERMINATED": Courses._after_terminated,
    "POST_SCRIPT_SUCCESS": Courses._after_succeeded,
    "POST_SCRIPT_FAILURE": Courses._after_failed,
}
