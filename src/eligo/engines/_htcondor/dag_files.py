r"""What DAGMan is given: a DAG file of ours, whatever the workflow was written in.

Two modules make one: ``annotated.py`` from a DAG of the user's, ``described.py`` from anything else. Either way the
file lies in the folder of the run, DAGMan runs in the directory of the workflow, from which relative paths count, and
the file asks for two logs by which the run is followed.

The user's own DAG, with our priorities and with the dependencies that a limit added.

The user's file is never changed: ours is a copy of it. Where the DAG has splices, whose jobs a DAG file has no name
for, it is one file without them (``_dagman/writer.py``). The priorities of the plan are the truth: whoever made it
knew what the user's file says, so in the copy they take the place of those there. Submit files are not copied: one that
refers to a variable of ours (``eligo prioritize --style vars``) gets it, and one with a priority of its own has its
way, with a warning.

A DAG of our own for workflows that DAGMan cannot read: a submit description for each job, from its task.

Names of jobs are hostile text, so nodes are called ``j0``, ``j1``, ... by the numbers of the jobs; all else of a task
goes through ``submit_text.py``. Jobs run in their own directories on a file system that the workers share: the
workflow does not say which files a job needs, so none could be transferred. What DAGMan and the submit language have no
place for is refused before anything starts.

Text in HTCondor's submit language that means exactly what it says.

A description is lines of ``name = value``. In values, ``$(x)`` and ``$FUNCTION(x)`` are replaced when the job is
submitted, and ``$$(x)`` when it is matched with a machine. Both have a way out: ``$(DOLLAR)`` is a dollar sign, and
``$$(DOLLARDOLLAR)`` two that stay two. Arguments and environment are lists of words in double quotes; in them, single
quotes keep blanks together, and either quote is doubled to stand for itself.

What the language has no way to write is refused: ends of lines, values that end in a blank or a backslash, and paths
with ``$$``, which HTCondor uses both before and after matching.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol, final

import numpy as np

from eligo.engines._htcondor.node_tracker import FINAL, Rule
from eligo.engines._plan import Abort, Hook, Plan, Process, Task
from eligo.engines._run_folder import safe_name
from eligo.errors import ParseError
from eligo.formats._base import Document
from eligo.formats._dagman.details import Details
from eligo.formats._dagman.marked_block import parent_lines, take_out
from eligo.formats._dagman.priorities import flattened
from eligo.formats._dagman.priority_styles import priority_lines
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._dagman.user_priorities import given_priorities
from eligo.formats._editing import Wish, add_dependencies, instrument, reread
from eligo.formats._source import load, replace_file

__all__ = [
    "DAG_NAME",
    "Annotated",
    "Described",
    "Logs",
    "Nodes",
    "Place",
    "UnwritableError",
    "environment",
    "log_paths",
    "plain_value",
    "words",
]

DAG_NAME = "flow.dag"


@final
@dataclass(frozen=True, slots=True)
class Place:
    """A folder for one submission.

    Attributes
    ----------
    folder
        Where it is.
    home
        Where DAGMan runs.
    name
        The folder as DAGMan is told of it: a path from `home`, or an absolute one, without blanks.
    """

    folder: Path
    home: Path
    name: str

    @property
    def dag(self) -> str:
        """The DAG file as DAGMan is told of it."""
        return f"{self.name}/{DAG_NAME}"

    def file(self, ending: str) -> Path:
        """Return a file that bears the DAG's name and an ending."""
        return self.folder / f"{DAG_NAME}{ending}"


@final
@dataclass(frozen=True, slots=True)
class Logs:
    """The files by which a submission is followed, as paths from where DAGMan runs.

    Attributes
    ----------
    job_states
        A line for every step of every node.
    node_states
        What DAGMan knows of each node when it ends.
    """

    job_states: str
    node_states: str


class Nodes(Protocol):
    """The nodes of a DAG for DAGMan.

    Attributes
    ----------
    names
        Of each job's node.
    final
        The name of the FINAL node.
    warnings
        What the user should know, as sentences.
    """

    names: list[str]
    final: str | None
    warnings: tuple[str, ...]

    def rule(self, job: int) -> Rule:
        """Return what DAGMan does when a step of a node ends."""

    def write(self, place: Place) -> Logs:
        """Write the DAG and what belongs to it."""


_SELDOM_S = 86_400
"""DAGMan writes the states of all nodes at its end anyway; on the way nobody looks."""


class Annotated:
    """A DAG of the user's for DAGMan.

    Raises
    ------
    ParseError
        The file has marks of ours that were changed by hand.
    """

    def __init__(self, plan: Plan) -> None:
        base = plan.document
        root = _details(base).root
        if any(use.unit.count for use in root.instances) or given_priorities(root).included:
            base = flattened(base)
        warnings: tuple[str, ...] = ()
        if not _same_edges(base, plan):
            limited = add_dependencies(base, plan.dag.tails, plan.dag.heads)
            base, warnings = reread(base, limited.data), limited.warnings
        style: Literal["priority", "vars"] = "vars" if _submit_files_refer(plan.document) else "priority"
        made = instrument(base, plan.priorities, Wish(style, replace=True))
        self._data = made.data
        self._details = _details(base)
        self.names = list(base.dag.names)
        self.final = next((node.name for node in self._details.others() if node.kind == "final"), None)
        own = [f"{change.path}: a priority that it gives overrides ours in the queue" for change in made.others]
        self.warnings = (*warnings, *made.warnings, *own)

    def rule(self, job: int) -> Rule:
        """Return what DAGMan does when a step of a node ends."""
        node = self._details.job(job) if job >= 0 else next(n for n in self._details.others() if n.kind == "final")
        retry, abort = node.retry, node.abort_dag_on
        return Rule(
            retries=retry.times if retry else 0,
            unless_exit=retry.unless_exit if retry else None,
            after=any(script.when.upper() == "POST" for script in node.scripts),
            may_skip=node.pre_skip is not None,
            abort=Abort(abort.exit_code, abort.returns) if abort else None,
        )

    def write(self, place: Place) -> Logs:
        """Write the copy, which asks for the logs that the user's file does not ask for."""
        given = {setting.kind: setting.text.split()[0] for setting in reversed(self._details.settings) if setting.text}
        logs = Logs(
            given.get(Keyword.JOBSTATE_LOG, f"{place.dag}.jobstate.log"),
            given.get(Keyword.NODE_STATUS_FILE, f"{place.dag}.node-states"),
        )
        head = "# A copy that eligo made for one run, with these lines for its logs.\n"
        if Keyword.JOBSTATE_LOG not in given:
            head += f"JOBSTATE_LOG {logs.job_states}\n"
        if Keyword.NODE_STATUS_FILE not in given:
            head += f"NODE_STATUS_FILE {logs.node_states} {_SELDOM_S}\n"
        replace_file(place.folder / DAG_NAME, [head.encode(), self._data])
        return logs


def _details(document: Document) -> Details:
    assert isinstance(document.details, Details)
    return document.details


def _submit_files_refer(document: Document) -> bool:
    """Tell whether priorities of ours are in the submit files; a document may have been read without ours."""
    path = document.source.path
    return take_out(document.source).beyond or (Path(path).is_file() and take_out(load(path)).beyond)


def _same_edges(document: Document, plan: Plan) -> bool:
    ours, theirs = plan.dag, document.dag
    return np.array_equal(ours.succ_ptr, theirs.succ_ptr) and np.array_equal(ours.succ, theirs.succ)


_DOLLARS = re.compile(r"\$\$|\$")
_NO_LINE = re.compile(r"[\x00\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_VARIABLE = re.compile(r"[^\s='\"]+")


class UnwritableError(ValueError):
    """A value has no form in the submit language; the text says why."""


def words(values: Iterable[str]) -> str:
    r"""Return the value of ``arguments`` for these words.

    Examples
    --------
    >>> print(words(["a b", "it's", '"', "$(x)", "$$(y)"]))
    "'a b' 'it''s' '""' '$(DOLLAR)(x)' '$$(DOLLARDOLLAR)(y)'"
    >>> words(["two\nlines"])
    Traceback (most recent call last):
        ...
    eligo.engines._htcondor.dag_files.UnwritableError: HTCondor has no place for the end of a line in 'two\nlines'
    """
    return f'"{" ".join(map(_word, values))}"'


def environment(variables: Mapping[str, str]) -> str:
    r"""Return the value of ``environment`` for these variables.

    Examples
    --------
    >>> print(environment({"A": "1", "B": "x y"}))
    "'A=1' 'B=x y'"
    """
    for name in variables:
        if not _VARIABLE.fullmatch(name):
            raise UnwritableError(f"HTCondor has no place for a variable that is called {name!r}")
    return words(f"{name}={value}" for name, value in variables.items())


def _word(value: str) -> str:
    quoted = _on_one_line(value).replace("'", "''").replace('"', '""')
    return f"'{_literal(quoted)}'"


def plain_value(value: str) -> str:
    r"""Return the value of a command that takes the rest of the line, such as ``output``.

    Examples
    --------
    >>> plain_value("/a b/$(x)")
    '/a b/$(DOLLAR)(x)'
    """
    if value != value.strip() or value.endswith("\\") or value.startswith('"'):
        raise UnwritableError(f"HTCondor has no place for a value with such an end: {value!r}")
    if "$$" in value:
        raise UnwritableError(f"HTCondor has no place for $$ in {value!r}")
    return _on_one_line(value).replace("$", "$(DOLLAR)")


def _on_one_line(value: str) -> str:
    if _NO_LINE.search(value):
        raise UnwritableError(f"HTCondor has no place for the end of a line in {value!r}")
    return value


def _literal(value: str) -> str:
    return _DOLLARS.sub(lambda found: "$$(DOLLARDOLLAR)" if len(found[0]) == 2 else "$(DOLLAR)", value)


_FINAL_NAME = "final"

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
