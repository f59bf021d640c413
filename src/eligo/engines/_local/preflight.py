"""What can be known before the first job starts: whether each could, and how many slots it takes.

Whether the disk of a run is full: then the keeper waits for space to record ends, and nothing seems to happen.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from eligo.engines._plan import Plan, Task
from eligo.engines._sandbox import Programs
from eligo.engines._state import JobStatus, State
from eligo.errors import ParseError

__all__ = [
    "Checked",
    "Disk",
    "check_tasks",
]


@final
@dataclass(frozen=True, slots=True)
class Checked:
    """What was found.

    Attributes
    ----------
    weight
        How many slots each job takes, the final one last.
    done
        The jobs that the workflow itself says are done, and that wait in the state.
    doubts
        Programs that are not there yet, in words: one for each, however many jobs use it.
    """

    weight: list[int]
    done: list[int]
    doubts: list[str]


def check_tasks(plan: Plan, state: State, slots: int) -> Checked:
    """Look at all tasks once.

    Raises
    ------
    ParseError
        A task cannot be run here, or the program of a job is missing that nothing comes before. Others may still be
        made by an earlier job, or by the script before.
    """
    found = Checked([], [], [])
    programs = Programs()
    doubted: dict[str, list[Task]] = {}
    parents = np.diff(plan.dag.pred_ptr).tolist()
    for job in range(plan.dag.n):
        task = plan.task(job)
        found.weight.append(_weight(task, slots))
        if state.status[job] == JobStatus.DONE:
            continue
        if task.done:
            found.done.append(job)
            continue
        if why := programs.missing(task):
            if not parents[job] and task.before is None:
                hint = "check the name and the permissions (chmod +x): the job could not start"
                raise ParseError(task.path, task.line, f"job {task.name!r}: {why}", hint=hint)
            doubted.setdefault(why, []).append(task)
    if plan.final is not None:
        found.weight.append(_weight(plan.final, slots))
    found.doubts.extend(_doubt(tasks, why) for why, tasks in doubted.items())
    return found


def _weight(task: Task, slots: int) -> int:
    return min(slots, max(1, task.cpus) * max(1, len(task.processes)))


def _doubt(tasks: list[Task], why: str) -> str:
    """Say what jobs lack that may still be made before they start."""
    first, more = tasks[0], len(tasks) - 1
    where = f"{first.path}:{first.line}: " if first.line else ""
    who = f"job {first.name!r} and {more:,} more" if more else f"job {first.name!r}"
    they = "they fail" if more else "it fails"
    return f"{where}{who}: {why}; {they} unless something that runs before makes it"


_LOOK_EVERY_S = 5.0
_LITTLE_SPACE = 64 * 1024


class Disk:
    """Looks at the disk now and then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._look_at = 0.0
        self._was_full = False

    def became_full(self) -> bool:
        """Tell, once, that there is no space left."""
        if time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + _LOOK_EVERY_S
        space = os.statvfs(self._folder)
        full = space.f_bavail * space.f_frsize < _LITTLE_SPACE
        before, self._was_full = self._was_full, full
        return full and not before
