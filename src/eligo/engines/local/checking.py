"""What can be known before the first job starts: whether each could, and how many slots it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from eligo.engines.plan import Plan, Task
from eligo.engines.programs import Programs
from eligo.engines.state import JobStatus, State
from eligo.errors import ParseError

__all__ = ["Checked", "check_tasks"]


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
