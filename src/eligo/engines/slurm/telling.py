"""What jobs tell of themselves, in the order in which it happened.

Clocks of nodes differ, and a folder that is listed while files come into it may show a later one without an earlier
one. So a job is not told of before its parents: it waits for the next look.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, Protocol

from eligo.engines.slurm.box import End, Record, Start
from eligo.engines.slurm.entry import Entry
from eligo.engines.slurm.held import Held

__all__ = ["Hearer", "hear"]


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
