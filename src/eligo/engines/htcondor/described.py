"""A DAG of our own for workflows that DAGMan cannot read: a submit description for each job, from its task.

Names of jobs are hostile text, so nodes are called ``j0``, ``j1``, ... by the numbers of the jobs; all else of a task
goes through ``submit_text.py``. Jobs run in their own directories on a file system that the workers share: the
workflow does not say which files a job needs, so none could be transferred. What DAGMan and the submit language have no
place for is refused before anything starts.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from eligo.engines.folder import safe_name
from eligo.engines.htcondor.courses import FINAL, Rule
from eligo.engines.htcondor.nodes import DAG_NAME, Logs, Place
from eligo.engines.htcondor.submit_text import UnwritableError, environment, plain_value, words
from eligo.engines.plan import Hook, Plan, Process, Task
from eligo.errors import ParseError
from eligo.formats.dagman.dependencies import parent_lines
from eligo.formats.dagman.priority_lines import priority_lines
from eligo.formats.storage import replace_file

__all__ = ["Described", "log_paths"]

_FINAL_NAME = "final"
_SELDOM_S = 86_400
_INHERITED = "PATH, HOME, LANG"


def log_paths(folder: Path, job: int, name: str) -> tuple[Path, Path]:
    """Return where the output and the errors of a job go that names no files for them."""
    stem = folder / "logs" / safe_name(job, name)
    return stem.with_name(f"{stem.name}.out"), stem.with_name(f"{stem.name}.err")


class Described:
    """A DAG of our own.

    Raises
    ------
    ParseError
        A task asks for what HTCondor has no place for.
    """

    warnings: tuple[str, ...] = ()

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self.names = [f"j{job}" for job in range(plan.dag.n)]
        self.final = None if plan.final is None else _FINAL_NAME
        for job in range(plan.dag.n):
            self._texts(job, plan.task(job), "")
        if plan.final is not None:
            self._texts(FINAL, plan.final, "")

    def _name(self, job: int) -> str:
        return _FINAL_NAME if job == FINAL else self.names[job]

    def rule(self, job: int) -> Rule:
        """Return what DAGMan does when a step of a node ends."""
        task = self._plan.final if job == FINAL else self._plan.task(job)
        assert task is not None
        return Rule(task.retries, task.unless_exit, task.after is not None, task.skip_code is not None, task.abort)

    def write(self, place: Place) -> Logs:
        """Write the DAG and the descriptions; they may hold secrets, and nobody else may read them."""
        logs = Logs(f"{place.dag}.jobstate.log", f"{place.dag}.node-states")
        for folder in (place.folder / "jobs", self._folder / "logs"):
            folder.mkdir(mode=0o700, exist_ok=True)
        parts = (part.encode("utf-8", "surrogateescape") for part in self._dag(place, logs))
        replace_file(place.folder / DAG_NAME, parts)
        return logs

    def _dag(self, place: Place, logs: Logs) -> Iterator[str]:
        plan = self._plan
        yield f"JOBSTATE_LOG {logs.job_states}\nNODE_STATUS_FILE {logs.node_states} {_SELDOM_S}\n"
        for job in range(plan.dag.n):
            yield self._node(job, plan.task(job), place)
        if plan.final is not None:
            yield self._node(FINAL, plan.final, place)
        yield priority_lines(self.names, plan.priorities, b"\n").decode()
        if plan.categories is not None:
            yield from self._categories()
        yield parent_lines(self.names, plan.dag.tails, plan.dag.heads, b"\n").decode()

    def _categories(self) -> Iterator[str]:
        categories = self._plan.categories
        assert categories is not None
        for number, most in enumerate(categories.most.tolist()):
            yield f"MAXJOBS c{number} {most}\n"
        for name, number in zip(self.names, categories.of.tolist(), strict=True):
            if number >= 0:
                yield f"CATEGORY {name} c{number}\n"

    def _node(self, job: int, task: Task, place: Place) -> str:
        """Write the description of a job, and return its lines in the DAG."""
        description, lines = self._texts(job, task, place.name)
        path = place.folder / "jobs" / f"{self._name(job)}.sub"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(description.encode("utf-8", "surrogateescape"))
        return lines

    def _texts(self, job: int, task: Task, folder: str) -> tuple[str, str]:
        try:
            description = self._description(job, task) if task.processes else "executable = /bin/true\nqueue\n"
            return description, "".join(self._lines(job, task, folder))
        except UnwritableError as error:
            path = task.path or self._plan.document.source.path
            raise ParseError(path, task.line, f"job {task.name[:100]!r} cannot run on HTCondor: {error}") from None

    def _lines(self, job: int, task: Task, folder: str) -> Iterator[str]:
        name, keyword = self._name(job), "FINAL" if job == FINAL else "JOB"
        yield f"{keyword} {name} {folder}/jobs/{name}.sub{' NOOP' * (not task.processes)}{' DONE' * task.done}\n"
        for when, hook in (("PRE", task.before), ("POST", task.after)):
            if hook is not None:
                yield _script(when, name, hook, self._plan.home)
        if task.retries:
            unless = "" if task.unless_exit is None else f" UNLESS-EXIT {task.unless_exit}"
            yield f"RETRY {name} {task.retries}{unless}\n"
        if task.skip_code is not None:
            yield f"PRE_SKIP {name} {task.skip_code}\n"
        if task.abort is not None:
            returns = "" if task.abort.returns is None else f" RETURN {task.abort.returns}"
            yield f"ABORT-DAG-ON {name} {task.abort.exit_code}{returns}\n"

    def _description(self, job: int, task: Task) -> str:
        if len(task.processes) > 1:
            raise UnwritableError("it has several processes, which a submit description of ours has no place for")
        (process,) = task.processes
        if process.sandbox is not None:
            raise UnwritableError("it wants files transferred, which only a submit description of its own can ask for")
        return "".join(f"{line}\n" for line in self._commands(job, task, process))

    def _commands(self, job: int, task: Task, process: Process) -> Iterator[str]:
        out, err = log_paths(self._folder, job, task.name)
        yield f"executable = {plain_value(_program(process.argv[0]))}"
        yield f"arguments = {words(process.argv[1:])}"
        if process.environment:
            yield f"environment = {environment(process.environment)}"
        if process.inherit:
            yield f"getenv = {_INHERITED}"
        yield f"initialdir = {plain_value(process.directory)}"
        if process.stdin is not None:
            yield f"input = {plain_value(process.stdin)}"
        yield f"output = {plain_value(process.stdout or str(out))}"
        yield f"error = {plain_value(process.stderr or str(err))}"
        yield "should_transfer_files = no"
        yield f"request_cpus = {task.cpus}"
        if task.memory_bytes is not None:
            yield f"request_memory = {max(1, -(-task.memory_bytes // 2**20))}"
        if task.disk_bytes is not None:
            yield f"request_disk = {max(1, -(-task.disk_bytes // 1024))}"
        yield "queue"


@lru_cache(maxsize=1000)
def _program(name: str) -> str:
    """Return the path of a program; HTCondor does not look for it in PATH."""
    found = shutil.which(name)
    if found is None:
        what = "is not an executable file" if "/" in name else "is not in PATH"
        raise UnwritableError(f"its program {name!r} {what}")
    return str(Path(found).absolute())


def _script(when: str, name: str, hook: Hook, home: Path) -> str:
    for word in hook.argv:
        if not word or word.split() != [word] or word.endswith("\\") or '"' in word:
            raise UnwritableError(f"DAGMan has no place for {word!r} in a script's command")
    if Path(hook.directory) != home:
        raise UnwritableError(f"DAGMan would run its script in {home}, not in {hook.directory}")
    defer = "" if hook.defer_status is None else f"DEFER {hook.defer_status} {hook.defer_s} "
    return f"SCRIPT {defer}{when} {name} {' '.join(hook.argv)}\n"
