"""What Slurm holds for us, and what may be done about it: let in, taken back, given up.

Invariant: a job has at most one submission here. One that leaves has either ended, or its file was taken back, so that
it cannot start; and then all that waits for it is taken back as well.

What jobs tell of themselves, in the order in which it happened.

Clocks of nodes differ, and a folder that is listed while files come into it may show a later one without an earlier
one. So a job is not told of before its parents: it waits for the next look.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from eligo.dag import Dag
from eligo.engines._slurm.exchange_dir import Box, End, Record, Start
from eligo.engines._slurm.ready_jobs import Backlog
from eligo.engines._slurm.recorder import Ledger
from eligo.engines._slurm.slurm_commands import Commands
from eligo.engines._slurm.submission import Entry
from eligo.engines._state import State

__all__ = [
    "Hearer",
    "Held",
    "hear",
]

_CANCEL_AT_ONCE = 500


class Held:
    """The submissions that are not over.

    Attributes
    ----------
    by_key, by_job
        The submissions.
    put_away
        Keys whose files can be tidied up once the state is on disk.
    final_over
        Whether there is no final task, or it is over.
    left
        When submissions left, by the monotonic clock.
    """

    def __init__(self, dag: Dag, state: State, box: Box, commands: Commands, ledger: Ledger) -> None:
        self.dag = dag
        self.box = box
        self.ledger = ledger
        self.by_key: dict[str, Entry] = {}
        self.by_job: dict[int, Entry] = {}
        self.put_away: list[str] = []
        self.final_over = False
        self.left: deque[float] = deque()
        self._state = state
        self._commands = commands
        self._tries: dict[int, int] = {int(job): count for job, count in (state.get("slurm_tries") or {}).items()}

    def begin(self, backlog: Backlog) -> None:
        """Set what is not submitted."""
        self.backlog = backlog

    def __len__(self) -> int:
        return len(self.by_key)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self.by_key.values()))

    def _is_final(self, entry: Entry) -> bool:
        return entry.job >= self.dag.n

    def enter(self, entry: Entry) -> None:
        """Take a submission in."""
        self.by_key[entry.key] = self.by_job[entry.job] = entry
        if not self._is_final(entry):
            self.backlog.hold(entry.job)

    def settle(self, entry: Entry, since: float) -> None:
        """Take note that a submission was in the queue at some time."""
        entry.since, entry.missing = since, 0
        if not self._is_final(entry):
            self.backlog.settle(entry.job)

    def _drop(self, entry: Entry) -> None:
        entry.dropped = True
        del self.by_key[entry.key]
        del self.by_job[entry.job]
        self.left.append(time.monotonic())

    def close(self, entry: Entry, *, succeeded: bool) -> None:
        """Let a submission go whose job is over; where it failed, take back what waits for it."""
        self._drop(entry)
        self.put_away.append(entry.key)
        self.count_tries(entry.job, 0)
        if self._is_final(entry):
            self.final_over = True
        elif succeeded:
            self.backlog.succeed(entry.job)
        else:
            self.backlog.fail(entry.job)
            self.withdraw(self.dag.children(entry.job).tolist())

    def give_back(self, entry: Entry) -> None:
        """Let a submission go whose job is to be submitted anew, and take back what waits for it."""
        if entry.cancelling:
            self.ledger.cancelled(entry)
        else:
            self.ledger.withdrawn(entry)
        self._drop(entry)
        self.put_away.append(entry.key)
        if not self._is_final(entry):
            self.backlog.give_back(entry.job)
            self.withdraw(self.dag.children(entry.job).tolist())

    def withdraw(self, jobs: Iterable[int]) -> None:
        """Take submissions back that have not begun, and all that wait for them."""
        stack, ids = list(jobs), []
        while stack:
            job = stack.pop()
            entry = self.by_job.get(job)
            if entry is None or not self.box.take_back(entry.key):
                continue
            self._drop(entry)
            self.ledger.withdrawn(entry)
            if entry.id:
                ids.append(entry.id)
            if not self._is_final(entry):
                self.backlog.give_back(job)
                stack += self.dag.children(job).tolist()
        self.cancel(ids)

    def cancel(self, ids: Sequence[str]) -> None:
        """Tell Slurm to end jobs, by their numbers."""
        for first in range(0, len(ids), _CANCEL_AT_ONCE):
            self._commands.start(["scancel", *ids[first : first + _CANCEL_AT_ONCE]], lambda _: None)

    def end_all(self) -> None:
        """Take back what has not begun, and end the rest; a later Eligo will know that we did."""
        self.withdraw(list(self.by_job))
        for entry in self:
            entry.cancelling = True
            self.ledger.submitted(entry)
            self.box.stop(entry.key)
        self._state.commit()
        self.cancel([entry.id for entry in self if entry.id])

    def count_tries(self, job: int, tries: int) -> None:
        """Keep how often a job was tried, for its next submission."""
        if tries != self._tries.get(job, 0):
            self._tries[job] = tries
            self._state.put("slurm_tries", {str(key): count for key, count in self._tries.items() if count})

    def tries(self, job: int) -> int:
        """Return how often a job was tried in earlier submissions."""
        return self._tries.get(job, 0)

    def accepted(self, entry: Entry, slurm_id: str) -> None:
        """Take note that Slurm took a submission."""
        if entry.dropped or entry.cancelling:
            self.cancel([slurm_id])
        if not entry.dropped:
            entry.id = slurm_id
            self.settle(entry, time.monotonic())
            self.ledger.submitted(entry)


class Hearer(Protocol):
    """Who is told what happened."""

    def started(self, entry: Entry, start: Start) -> None:
        """Take note that a job began, perhaps once more."""

    def ended(self, entry: Entry, record: Record, end: End) -> None:
        """Take note that a job is over."""


class _Told(NamedTuple):
    time: float
    number: int
    place: int
    happen: partial[None]


def hear(held: Held, hearer: Hearer) -> bool:
    """Tell what has happened since the last look; return whether anything has."""
    box = held.box
    claimed = set(box.claimed())  # listed first: whoever claimed by then had parents that had ended by then
    ended = set(box.ended()).difference(held.put_away)
    found = []
    for key in ended | claimed:
        entry = held.by_key.get(key)
        if entry is not None and (entry.running_since is None or key in ended):
            found.append(entry)
        elif entry is None and key in ended:
            box.put_away(key)  # it was noted before an earlier Eligo died
    found.sort(key=lambda entry: entry.number)  # parents come first
    over: set[int] = set()
    story: list[_Told] = []
    for entry in found:
        if entry.job < held.dag.n:
            parents = held.dag.parents(entry.job).tolist()
            if any(parent in held.by_job and parent not in over for parent in parents):
                continue
        record = box.record(entry.key)
        story += _news(entry, record, held, hearer)
        if record.end is not None:
            over.add(entry.job)
    for told in sorted(story, key=lambda told: told[:3]):
        told.happen()
    return bool(story)


def _news(entry: Entry, record: Record, held: Held, hearer: Hearer) -> list[_Told]:
    """Return what a job says of itself that has not been told of."""
    parts: list[tuple[float, partial[None]]] = [
        (start.time, partial(hearer.started, entry, start)) for start in record.starts[entry.starts :]
    ]
    parts += [(tried.end, partial(held.ledger.tried, entry, tried)) for tried in record.tries[entry.retried :]]
    parts.sort(key=lambda each: each[0])
    if record.end is not None:
        parts.append((record.end.time, partial(hearer.ended, entry, record, record.end)))
    latest = 0.0
    found = []
    for place, (when, happen) in enumerate(parts):
        latest = max(latest, when)
        found.append(_Told(latest, entry.number, place, happen))
    return found
