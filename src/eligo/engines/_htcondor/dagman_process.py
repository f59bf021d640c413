"""One DAGMan and its files, from its submission to its end.

Each submission of a run has a folder of its own, so that no file of an earlier one is ever taken for one of this. What
happened is read from the logs; how far they were read is kept in the state, in the same commit as what they told, so
nothing is told twice and nothing is left out.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import final

from eligo.engines._engine import Event, Happening
from eligo.engines._htcondor.dag_files import Nodes, Place
from eligo.engines._htcondor.dagman_logs import GrowingFile, NodesLog, NodeStatus, read_node_states
from eligo.engines._htcondor.node_tracker import FINAL, STOPPED, Courses
from eligo.engines._state import JobStatus, State

__all__ = ["Record", "Submission"]

KEY = "htcondor"
_EVENT = re.compile(r"(\d{3}) \((\d+)\.")
_SUBMITTED, _TERMINATED, _ABORTED, _HELD = 0, 5, 9, 12
_COMPLAINT = re.compile(
    r"^\S+ \S+ ((?:\S+ \(line \d+\): )?(?:ERROR|Error|Failed|submit error)\b(?!: the following job\(s\) failed).*)$",
    re.MULTILINE,
)
_MOST_COMPLAINTS = 20
_SCRIPT_BEFORE = re.compile(r"PRE Script failed with status (-?\d+)")


@final
@dataclass(frozen=True, slots=True)
class Record:
    """What the state keeps of a submission.

    Attributes
    ----------
    number
        Which submission of the run it is, from 1.
    folder, name
        Where its files are, and how DAGMan was told of that.
    job_states, node_states
        The logs, as paths from the directory of the workflow.
    begin, seen
        Where its lines begin in the log of states, and how far they are known.
    heard
        How far what DAGMan says in words is known.
    removed
        Where its lines ended in the log of states when we removed it.
    settled
        Whether it has left the queue, and all that it did is in the state.
    """

    number: int
    folder: str
    name: str
    job_states: str
    node_states: str
    begin: int = 0
    seen: int = 0
    heard: int = 0
    removed: int | None = None
    settled: bool = False

    def place(self, home: Path) -> Place:
        """Return its folder."""
        return Place(Path(self.folder), home, self.name)

    def keep(self, state: State) -> None:
        """Put it down, with the next commit."""
        state.put(KEY, asdict(self))


class Submission:
    """Follows one DAGMan.

    Attributes
    ----------
    cluster
        DAGMan's number in the queue, once its log tells it.
    ended
        Whether DAGMan has left the queue.
    """

    def __init__(self, record: Record, home: Path, nodes: Nodes, state: State) -> None:
        self.record = record
        self.place = record.place(home)
        self._state = state
        self._names = nodes.names
        numbers = {name: job for job, name in enumerate(nodes.names)}
        self._has_final = nodes.final is not None
        if nodes.final is not None:
            numbers[nodes.final] = FINAL
        self._numbers = numbers
        self._life = GrowingFile(self.place.file(".dagman.log"), "\n...\n")
        self._nodes_log = NodesLog(self.place.file(".nodes.log"))
        self._steps = GrowingFile(home / record.job_states, "\n", record.begin)
        self.courses = Courses(numbers, nodes.rule, state, self._nodes_log)
        self.cluster: int | None = None
        self.ended = False
        self._notes: list[str] = []
        self._messages = GrowingFile(self.place.file(".dagman.out"), "\n", record.heard)
        self._said: set[str] = set()

    @property
    def halt_file(self) -> Path:
        """While this file is there, DAGMan starts nothing."""
        return self.place.file(".halt")

    def read_life(self) -> None:
        """Look whether DAGMan was submitted, is held, has ended."""
        for record, _ in self._life.records():
            found = _EVENT.match(record)
            kind = int(found[1]) if found else -1
            if found and kind == _SUBMITTED:
                self.cluster = int(found[2])
            elif kind in (_TERMINATED, _ABORTED):
                self.ended = True
            elif kind == _HELD:
                reason = record.partition("\n")[2].strip().split("\n")[0]
                self._notes.append(f"DAGMan is on hold until condor_release {self.cluster}: {reason}")

    def read_again(self) -> None:
        """Follow the lines that the state knows, without a word."""
        self._nodes_log.read()
        if self.record.seen <= self._steps.offset:
            return
        for line, offset in self._steps.records():
            self.courses.take(line, silent=True, removed=self._removed_before(offset))
            if offset >= self.record.seen:
                self._steps.offset = offset
                return

    def read(self) -> list[Event]:
        """Return what is new, and put it into the state."""
        events = [Event(Happening.NOTE, -1, self._state.now_s(), text=text) for text in self._notes]
        self._notes.clear()
        events += self._complaints()
        lines = list(self._steps.records())
        if lines:
            self._nodes_log.read()  # after the lines: whatever they tell of is there
        for line, offset in lines:
            events += self.courses.take(line, removed=self._removed_before(offset))
        if lines or events:
            seen = lines[-1][1] if lines else self.record.seen
            self.record = replace(self.record, seen=seen, heard=self._messages.offset)
            self.record.keep(self._state)
        return events

    def removing(self, *, really: bool = True) -> None:
        """Put down that we remove DAGMan, before we do; or that it did not come to that."""
        if really == (self.record.removed is not None):
            return
        path = self.place.home / self.record.job_states
        size = path.stat().st_size if path.exists() else self.record.begin
        self.record = replace(self.record, removed=size if really else None)
        self.record.keep(self._state)
        self._state.commit()

    def _removed_before(self, offset: int) -> bool:
        """Tell whether a line that ends there was written after we removed DAGMan."""
        return self.record.removed is not None and offset > self.record.removed

    def settle(self) -> list[Event]:
        """Return what DAGMan's end says of the jobs that were still open, and put it into the state."""
        now = self._state.now_s()
        events: list[Event] = []
        for name, found in read_node_states(self._state_file(), self.place.dag).items():
            job = self._numbers.get(name)
            if job in self.courses.stopped:
                continue
            if job == FINAL:
                self._settle_final(found.status, found.details)
            elif job is not None and found.status is NodeStatus.DONE:
                events += self._settle_done(job, now)
            elif job is not None and found.status is NodeStatus.ERROR:
                events += self._settle_failed(job, found.details, now)
        for job, status in enumerate(self._state.status):
            if status == JobStatus.RUNNING:
                self._state.update(job, status=JobStatus.WAITING, end_s=now, reason=STOPPED)
                events.append(Event(Happening.CANCELLED, job, now, text=STOPPED))
        final = (self._state.get("final") or {}).get("status")
        if final == "running":
            self._settle_final(NodeStatus.ERROR, "it was stopped")
        elif final is None and self._has_final and all(status == JobStatus.DONE for status in self._state.status):
            self._settle_final(NodeStatus.ERROR, "the run was stopped before it")  # or all would seem to be well
        self.record = replace(self.record, settled=True)
        self.record.keep(self._state)
        return events

    def _state_file(self) -> Path:
        return self.place.home / self.record.node_states

    def _settle_final(self, status: NodeStatus, details: str) -> None:
        if status is not NodeStatus.OPEN:
            word = "done" if status is NodeStatus.DONE else "failed"
            self._state.put("final", {"status": word, "reason": details})

    def _settle_done(self, job: int, now: float) -> list[Event]:
        if self._state.status[job] == JobStatus.DONE:
            return []
        begun = self._state.start_s[job] is not None
        self._state.update(job, status=JobStatus.DONE, exit_code=0, end_s=now if begun else None, reason="")
        return [Event(Happening.SUCCEEDED, job, now, exit_code=0)] if begun else []  # the file says that it is done

    def _settle_failed(self, job: int, details: str, now: float) -> list[Event]:
        script = _SCRIPT_BEFORE.match(details)
        reason = f"the script before it ended with status {script[1]}" if script else details
        if self._state.status[job] == JobStatus.FAILED:
            if script:  # until now only that it failed was known
                self._state.update(job, reason=reason, exit_code=int(script[1]))
            return []
        end_s = None if self._state.start_s[job] is None else now
        self._state.update(job, status=JobStatus.FAILED, end_s=end_s, reason=reason)
        return [Event(Happening.FAILED, job, now, attempt=max(1, self._state.attempts[job]), text=reason)]

    def _complaints(self) -> list[Event]:
        """Return what DAGMan says goes wrong, each once: most often a description that the queue does not take."""
        said = self._messages.text()
        if self.record.removed is not None:  # of its hasty end there is nothing to learn
            return []
        new = [text for text in dict.fromkeys(_COMPLAINT.findall(said)) if text not in self._said]
        new = new[: _MOST_COMPLAINTS - len(self._said)]
        self._said.update(new)
        now = self._state.now_s()
        return [Event(Happening.NOTE, -1, now, text=f"DAGMan says: {text}") for text in new]
