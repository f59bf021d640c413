"""A job on its way: the attempt, what of it runs, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from eligo.engines.attempts import AFTER, BEFORE, Attempt, Verdict
from eligo.engines.local.journal import Key, Record

__all__ = ["Course"]


@final
@dataclass(slots=True, eq=False)
class Course:
    """A job between its start and the verdict of one attempt.

    Attributes
    ----------
    worker
        The first of its slots.
    in_flight
        The steps that were begun and have not ended.
    again_at
        Steps that asked for another turn, and when that is, by the monotonic clock.
    turns
        How many turns such a step has had.
    signals
        Of processes that a signal ended, which one.
    kill_at
        When steps that are unwanted are killed, by the monotonic clock.
    ended
        Whether we were told to end it: then it has neither succeeded nor failed.
    texts
        Of steps that could not be started, why.
    losses
        How often a step of it was lost while we watched.
    """

    job: int
    attempt: Attempt
    worker: int
    start_s: float
    in_flight: set[int] = field(default_factory=set)
    again_at: dict[int, float] = field(default_factory=dict)
    turns: dict[int, int] = field(default_factory=dict)
    signals: dict[int, int] = field(default_factory=dict)
    kill_at: float | None = None
    ended: bool = False
    end_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    texts: dict[int, str] = field(default_factory=dict)
    losses: int = 0

    def key(self, step: int) -> Key:
        """Return the name of a step of this attempt."""
        return Key(self.job, self.attempt.number, step, self.turns.get(step, 0))

    def steps_due(self, now: float) -> list[int]:
        """Return the steps that are to be started now."""
        if self.ended or (self.attempt.doomed and self.in_flight):
            return []
        steps = [step for step in self.attempt.next_steps() if step not in self.in_flight]
        return [step for step in steps if self.again_at.get(step, now) <= now]

    @property
    def unwanted(self) -> list[int]:
        """The steps in flight that are to be ended: all where we were told to, processes beside one that failed.

        A script after the job is none of these: it may make good what went wrong.
        """
        return [step for step in sorted(self.in_flight) if self.ended or (self.attempt.doomed and step >= 0)]

    def measure(self, record: Record, end_s: float) -> None:
        """Take over what a record says of an ended step."""
        self.end_s = max(self.end_s, end_s)
        self.cpu_s += record.cpu_s
        self.peak_bytes = max(self.peak_bytes, record.peak_bytes)
        if record.signal:
            self.signals[record.key.step] = record.signal
        if record.text:
            self.texts[record.key.step] = record.text

    def reason(self, verdict: Verdict) -> str:
        """Return why it came to this, in words, with what could not be started."""
        if not verdict.exit_code:
            return verdict.text
        counts = AFTER if AFTER in self.attempt.codes else BEFORE if self.attempt.codes.get(BEFORE) else None
        own = [text for step, text in sorted(self.texts.items()) if step == counts or (counts is None and step >= 0)]
        other = [
            f"the job itself: {text}" for step, text in sorted(self.texts.items()) if step >= 0 and counts == AFTER
        ]
        return ": ".join([verdict.text, *own[:1]]) + "".join(f"; {text}" for text in other[:1])
