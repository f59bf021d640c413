"""What this engine cannot do is said before the first job is submitted."""

from __future__ import annotations

from typing import NamedTuple

from eligo.engines.hooks import HookFacts
from eligo.engines.plan import Plan, Task
from eligo.engines.slurm.commands import ask
from eligo.engines.slurm.hook_words import hook_words
from eligo.engines.slurm.options import UserOptions
from eligo.engines.slurm.script import LAUNCHER, job_script
from eligo.engines.slurm.submitting import Refusal, how_refused, request
from eligo.errors import EngineError, ParseError

__all__ = ["Checked", "check_plan", "check_requests"]


class Checked(NamedTuple):
    """Jobs that the file says are done, and the tasks that ask for most memory and most cores."""

    done: list[int]
    largest: list[Task]


def check_plan(plan: Plan) -> Checked:
    """Look at every task.

    Raises
    ------
    ParseError
        One asks for what cannot be done on Slurm.
    """
    done = []
    memory, cpus = Task(""), Task("")
    for job in range(plan.dag.n):
        task = plan.task(job)
        _check(task)
        if task.done:
            done.append(job)
        if (task.memory_bytes or 0) > (memory.memory_bytes or 0):
            memory = task
        if task.cpus > cpus.cpus:
            cpus = task
    if plan.final is not None:
        _check(plan.final)
    return Checked(done, [task for task in (memory, cpus) if task.name])


def _check(task: Task) -> None:
    for process in task.processes:
        if process.sandbox is not None:
            raise ParseError(
                task.path,
                task.line,
                f"job {task.name!r} wants its files transferred, which is not done on Slurm",
                hint="use paths on a file system that all nodes share, and should_transfer_files = NO",
            )
    job_script(task, log="", words=hook_words(HookFacts(task.name)))


def check_requests(largest: list[Task], options: UserOptions) -> None:
    """Let Slurm say whether it could ever run the largest jobs, and whether it knows the user's options.

    Raises
    ------
    EngineError, ParseError
        It could not, or does not.
    """
    for task in (Task(""), *largest):
        answer = ask(["sbatch", "--test-only", *request(task, options), str(LAUNCHER)])
        if answer.code == 0 or how_refused(answer.trouble) != Refusal.FOR_GOOD:
            continue
        if not task.name:
            raise EngineError(f"sbatch refuses: {answer.trouble}", hint="see the options after --")
        raise ParseError(
            task.path,
            task.line,
            f"job {task.name!r} asks for more than Slurm can give: {answer.trouble}",
            hint="sinfo -o '%P %c %m' shows the cores and the memory (MB) of nodes",
        )
