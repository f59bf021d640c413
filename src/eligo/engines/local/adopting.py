"""The jobs that an earlier run had begun: what is known of their steps, and which of these may still be in flight."""

from __future__ import annotations

import time
from typing import NamedTuple

from eligo.engines.attempts import Attempt
from eligo.engines.local.course import Course
from eligo.engines.local.floor import Floor
from eligo.engines.local.journal import Key
from eligo.engines.local.steps import Steps
from eligo.engines.plan import Plan
from eligo.engines.state import JobStatus, State

__all__ = ["Adopted", "adopt"]


class Adopted(NamedTuple):
    """The courses of these jobs, by their numbers, and the steps in flight, by the epochs of their keepers."""

    courses: dict[int, Course]
    in_flight: dict[int, list[Key]]


def adopt(plan: Plan, state: State, steps: Steps, floor: Floor) -> Adopted:
    """Take over what earlier keepers started; jobs that were begun without a step wait again."""
    found = Adopted({}, {})
    looked_after = {epoch.number for epoch in steps.open_epochs()}
    for key, (epoch, code) in steps.known().items():
        course = found.courses.get(key.job)
        if course is None:
            course = found.courses[key.job] = _course(plan, state, floor, key)
        course.turns[key.step] = key.turn
        if code is not None:
            course.attempt.codes[key.step] = code
        elif epoch in looked_after:  # else it was found to be over, and we died before it was begun anew
            course.in_flight.add(key.step)
            found.in_flight.setdefault(epoch, []).append(key)
    for course in found.courses.values():
        if course.unwanted:
            course.kill_at = time.monotonic()
    for job, status in enumerate(state.status):
        if status == JobStatus.RUNNING and job not in found.courses:
            state.update(job, status=JobStatus.WAITING)
    return found


def _course(plan: Plan, state: State, floor: Floor, key: Key) -> Course:
    start_s = state.start_s[key.job] if key.job < plan.dag.n else None
    attempt = Attempt(plan.task_of(key.job), key.attempt)
    return Course(key.job, attempt, floor.adopt(key.job), state.now_s() if start_s is None else start_s)
