"""What is written down and told of a job; of the final task, which is no job of the dag, in another place."""

from __future__ import annotations

from typing import Any

from eligo.engines._engine import Event, Happening
from eligo.engines._local.running_job import Course
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State

__all__ = ["Telling"]

_ENDS = (Happening.SUCCEEDED, Happening.FAILED, Happening.AGAIN)


class Telling:
    """Collects events, and records what they are about."""

    def __init__(self, plan: Plan, state: State) -> None:
        self._n = plan.dag.n
        self._state = state
        self._events: list[Event] = []

    def __len__(self) -> int:
        """How many events nobody has heard of."""
        return len(self._events)

    def hear(self) -> list[Event]:
        """Return what nobody has heard of."""
        events, self._events = self._events, []
        return events

    def record(self, job: int, status: JobStatus, **values: Any) -> None:
        """Write down what became of a job, with the next commit."""
        if job < self._n:
            self._state.update(job, status=status, **values)
        else:
            self._state.put("final", {"status": status.name.lower(), "reason": values.get("reason", "")})

    def event(self, what: Happening, course: Course, text: str = "", exit_code: int | None = None) -> Event:
        """Return an event that is not told yet."""
        job = course.job if course.job < self._n else -1
        time_s = course.end_s if what in _ENDS and course.end_s else self._state.now_s()
        words = text if job >= 0 else f"{course.attempt.task.name}: {text or what.name.lower()}"
        return Event(what, job, time_s, course.worker, course.attempt.number, exit_code, words)

    def tell(self, what: Happening, course: Course, text: str = "", exit_code: int | None = None) -> None:
        """Tell what happened to a job."""
        self._events.append(self.event(what, course, text, exit_code))

    def note(self, text: str) -> None:
        """Tell something that is about no job."""
        self._events.append(Event(Happening.NOTE, -1, self._state.now_s(), text=text))

    def all(self, events: list[Event]) -> None:
        """Tell events that had to wait."""
        self._events += events
