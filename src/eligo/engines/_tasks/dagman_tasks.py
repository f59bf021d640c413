"""What the nodes of a DAGMan file run, for engines that run them without HTCondor.

A node is read when it is asked for; its submit description is read once, whoever shares it. What only HTCondor can do,
such as SUBDAG, SERVICE or another universe, is refused when the node is asked for, with the line that asks for it, and
never ignored: so a plan can be made for any file, and an engine that hands it to HTCondor need not care.

Numbers that HTCondor would give: ``$(ClusterId)`` is the job's number in the file, from 1, on every try;
``$(DAGManJobId)`` is 0.

CATEGORY and MAXJOBS: how many jobs of a kind may run at once.

Jobs may be a million, so the lines about categories are looked for in the columns of the scan and only those are read.
Only where CATEGORY names ALL_NODES is every job asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import overload

import numpy as np

from eligo.dag import Int32
from eligo.engines._attempts import DAG_STATUS_MARK, FAILED_COUNT_MARK, RETRY_MARK, is_marked, misplaced
from eligo.engines._plan import Abort, Categories, Hook, Task
from eligo.engines._tasks.submit_commands import Unreadable, read_environment
from eligo.engines._tasks.submit_description import HINT, Description, read_description
from eligo.engines._tasks.submit_process import Job, Made, make
from eligo.engines._tasks.task_maker import Maker
from eligo.errors import ParseError
from eligo.formats._base import Document, Notes
from eligo.formats._dagman.commands import Script, read_mark
from eligo.formats._dagman.details import Details, NodeDetails
from eligo.formats._dagman.lines import logical_lines, read_command
from eligo.formats._dagman.parsed_dag import ALL_NODES, MarkRun, OddMark, Unit, directory_of, join_directory, walk
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._submit.submit_file import SubmitFiles, Submits

__all__ = [
    "categories",
    "maker",
]


def categories(document: Document) -> Categories | None:
    r"""Return the categories that have a limit, or ``None`` where no job is in one.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> text = b"JOB a a.sub\nJOB b a.sub\nCATEGORY b few\nMAXJOBS few 2\n"
    >>> found = categories(parse(Source("x.dag", text)))
    >>> found.of.tolist(), found.most.tolist()
    ([-1, 0], [2])
    """
    details = document.details
    assert isinstance(details, Details)
    most = details.maxjobs
    if not most:
        return None
    number = {name: i for i, name in enumerate(most)}
    of: Int32 = np.full(document.dag.n, -1, np.int32)
    for job, name in _every(details) if _for_all(details) else _stated(details):
        of[job] = number.get(name, -1)
    if not np.any(of >= 0):
        return None
    for name, i in number.items():
        if most[name] == 0 and np.any(of == i):
            raise _never(details, name)
    return Categories(of, np.array(list(most.values()), np.int32))


def _every(details: Details) -> Iterator[tuple[int, str]]:
    for job in range(details.root.count):
        name = details.job(job).category
        if name is not None:
            yield job, name


def _for_all(details: Details) -> bool:
    return any(
        isinstance(mark, OddMark) and mark.node == ALL_NODES and mark.kind is Keyword.CATEGORY
        for unit, *_ in walk(details.root)
        for mark in unit.marks
    )


def _stated(details: Details) -> Iterator[tuple[int, str]]:
    """Yield jobs and their categories in the order of the lines, so that the last one counts."""
    for unit, offset, prefix, _ in walk(details.root):
        for node, name in _of_unit(unit):
            yield offset + node, name if name.startswith("+") else prefix + name


def _of_unit(unit: Unit) -> Iterator[tuple[int, str]]:
    for mark in unit.marks:
        if isinstance(mark, OddMark):
            if mark.kind is Keyword.CATEGORY and mark.node >= 0:
                yield mark.node, str(mark.value)
            continue
        yield from _of_run(unit, mark)


def _of_run(unit: Unit, run: MarkRun) -> Iterator[tuple[int, str]]:
    file = unit.files[run.file]
    kinds = file.scan.mark_kind[run.first : run.first + len(run.nodes)]
    for i in np.flatnonzero(kinds == Keyword.CATEGORY).tolist():
        node = int(run.nodes[i])
        if node >= 0:
            text = read_command(file.source.data, int(file.scan.mark_at[run.first + i])).text
            yield node, str(read_mark(Keyword.CATEGORY, text)[1])


def _never(details: Details, name: str) -> ParseError:
    """Say where a category is given no job at all: DAGMan would wait for ever."""
    for source in details.sources:
        for line in logical_lines(source):
            if line.kind is Keyword.MAXJOBS and line.job in (name, name.rpartition("+")[2]):
                text = f"MAXJOBS {line.job} 0 lets none of its jobs ever run"
                return ParseError(source.path, line.line, text, hint="give a number from 1, or remove the line")
    return ParseError(details.sources[0].path, 1, f"MAXJOBS {name} 0 lets none of its jobs ever run")


_MOST_LOOKED_AT = 2000
"""How many descriptions are looked at for warnings before the first job is asked for."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETTINGS = {
    Keyword.CONFIG: "CONFIG is not read: it configures DAGMan",
    Keyword.DOT: "the DOT file is not written",
    Keyword.NODE_STATUS_FILE: "the node status file is not written; eligo status tells the same",
    Keyword.JOBSTATE_LOG: "the jobstate log is not written",
    Keyword.SET_JOB_ATTR: "SET_JOB_ATTR has no meaning outside HTCondor",
}


def maker(document: Document) -> Maker:
    r"""Return what the jobs of a DAGMan file run.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> text = b'JOB a {\n executable = /bin/echo\n arguments = $(word)\n}\nVARS a word="hello"\nRETRY a 3\n'
    >>> task = maker(parse(Source("/flow/x.dag", text))).task(0)
    >>> task.processes[0].argv, task.processes[0].directory, task.retries
    (('/bin/echo', 'hello'), '/flow', 3)
    """
    tasks = _Tasks(document)
    final = None
    try:
        final = tasks.final()
        tasks.settle()
        groups = categories(document)
        tasks.look()
    except ParseError as error:
        if document.dag.n == 0:
            raise
        tasks.refusal = error
        groups = None
    return Maker(tasks.task, final, groups, tasks.notes.texts())


class _Tasks:
    """Makes the tasks of a document."""

    def __init__(self, document: Document) -> None:
        details = document.details
        assert isinstance(details, Details)
        self.document, self.details = document, details
        self.notes = Notes()
        self.refusal: ParseError | None = None
        path = document.source.path
        self._home = os.path.abspath(directory_of(path) or ".")  # noqa: PTH100 - links stay as they are
        self._files = SubmitFiles(many=False)
        self._read: dict[tuple[str, str], tuple[Description, str]] = {}
        self._inline: dict[str, Description] = {}
        self._parents: dict[int, bool] = {}
        self._environment: dict[str, str] = {}
        self._surroundings: Mapping[str, str] = os.environ

    def task(self, index: int) -> Task:
        """Return what a job does."""
        if self.refusal is not None:
            raise self.refusal
        return self._task(self.details.job(index), index)

    def final(self) -> Task | None:
        """Return what runs last, and refuse nodes of other kinds outside the graph."""
        self._set_environment()
        found = None
        for node in self.details.others():
            if node.kind != "final":
                raise ParseError(node.path, node.line, f"a {node.kind.upper()} node needs HTCondor", hint=HINT)
            found = self._task(node, self.document.dag.n)
        return found

    def settle(self) -> None:
        """Take note of what is said of the DAG as a whole."""
        for setting in self.details.settings:
            if setting.kind in _SETTINGS:
                self.notes.add(setting.path, setting.line, _SETTINGS[setting.kind])
        if len(self.details.weak_edges[0]):
            for source in self.details.sources:
                for line in logical_lines(source):
                    if line.kind is Keyword.WEAK:
                        raise ParseError(source.path, line.line, "WEAK dependencies need HTCondor", hint=HINT)
            raise ParseError(self.document.source.path, 1, "WEAK dependencies need HTCondor", hint=HINT)

    def look(self) -> None:
        """Look at one job of each description for what has to be told; errors are left to who asks for the job."""
        left = _MOST_LOOKED_AT
        seen: set[tuple[int, str]] = set()
        for unit, offset, _, directory in walk(self.details.root):
            if (id(unit), directory) in seen:
                continue  # another use of the same splice
            seen.add((id(unit), directory))
            of = Submits(unit).of
            _, first = np.unique(of[of >= 0], return_index=True)
            for job in np.flatnonzero(of >= 0)[np.sort(first)][:left].tolist():
                with suppress(ParseError):
                    self.task(offset + job)
            left -= len(first)
            if left <= 0:
                break

    def _set_environment(self) -> None:
        """Take in the variables that ENV SET gives to scripts, and to jobs that ask for them."""
        for setting in self.details.settings:
            if setting.kind is not Keyword.ENV:
                continue
            word, _, rest = setting.text.strip().partition(" ")
            if word.upper() != "SET":
                continue  # ENV GET: everything of the caller's is there already
            try:
                found = read_environment(rest)
            except Unreadable as error:
                raise ParseError(
                    setting.path, setting.line, f"ENV SET: {error}", hint="write ENV SET A=1;B=2"
                ) from None
            if wrong := next((name for name in found if not _VARIABLE.fullmatch(name)), None):
                raise ParseError(setting.path, setting.line, f"ENV SET: {wrong!r} is no name of a variable")
            self._environment |= found
        if self._environment:
            self._surroundings = os.environ | self._environment

    def _task(self, node: NodeDetails, number: int) -> Task:
        _check(node)
        directory = join_directory(self._home, node.directory)
        made = Made(())
        if not node.noop and not node.done:
            description, directory = self._description(node)
            made = make(description, self._job(node, number, description, directory))
        if node.save_point_file is not None:
            self.notes.add(node.path, node.line, "SAVE_POINT_FILE is not written; --resume goes on where a run stopped")
        scripts = {script.when: self._hook(node, script, directory) for script in node.scripts}
        abort, retry = node.abort_dag_on, node.retry
        task = Task(
            node.name,
            made.processes,
            scripts.get("PRE"),
            scripts.get("POST"),
            retry.times if retry is not None else 0,
            _as_status(retry.unless_exit) if retry is not None else None,
            node.pre_skip,
            Abort(_as_status(abort.exit_code), abort.returns) if abort is not None else None,
            node.done,
            made.cpus,
            made.memory_bytes,
            made.disk_bytes,
            node.path,
            node.line,
        )
        return task if made.max_retries is None else _tried_by_htcondor(task, made.max_retries)

    def _job(self, node: NodeDetails, number: int, description: Description, directory: str) -> Job:
        before = {
            "job": node.name,
            "retry": RETRY_MARK,
            "dag_status": DAG_STATUS_MARK,
            "failed_count": FAILED_COUNT_MARK,
            "dagmanjobid": "0",
        }
        after: dict[str, str] = {}
        for var in node.vars:
            if "\0" in var.value:
                raise ParseError(node.path, node.line, f"the value of {var.name!r} in VARS has a zero byte")
            (after if var.prepend is False else before)[var.name.lower()] = var.value
        if self._asks_for_parents(description):
            before["dag_parent_names"] = self._parent_names(number)
        environment, surroundings = self._environment, self._surroundings
        place = (node.path, node.line)
        return Job(directory, before, after, number + 1, environment, surroundings, place, self.notes.add)

    def _asks_for_parents(self, description: Description) -> bool:
        key = id(description)  # descriptions are kept, so no two have the same
        if key not in self._parents:
            texts = [item.text.lower() for item in description.items]
            self._parents[key] = any("dag_parent_names" in text for text in texts)
            if any("$(cluster" in text for text in texts):
                self.notes.add(description.path, None, "$(ClusterId) is the job's number in the file, from 1")
        return self._parents[key]

    def _parent_names(self, number: int) -> str:
        dag = self.document.dag
        if number >= dag.n:
            return ""
        parents = np.sort(dag.pred[dag.pred_ptr[number] : dag.pred_ptr[number + 1]]).tolist()
        return ",".join([dag.names[parent] for parent in parents])

    def _description(self, node: NodeDetails) -> tuple[Description, str]:
        """Return a node's submit description, and the directory it is submitted from."""
        if node.inline is not None:
            return self._inside(node, node.inline), join_directory(self._home, node.directory)
        key = (node.directory, node.submit)
        if key not in self._read:
            self._read[key] = self._open(node)
        return self._read[key]

    def _open(self, node: NodeDetails) -> tuple[Description, str]:
        shown = join_directory(node.directory, node.submit)
        why = ""
        for base in dict.fromkeys((self._home, os.getcwd())):  # noqa: PTH109 - as text
            place = join_directory(base, shown)
            opened = self._files.open((place,))
            if not isinstance(opened, str):
                return read_description(place, opened.data), join_directory(base, node.directory)
            why = why or opened
        raise ParseError(
            node.path, node.line, f"the submit file {shown!r} {why}", hint="it is looked for beside the DAG file"
        )

    def _inside(self, node: NodeDetails, text: str) -> Description:
        if text not in self._inline:
            data = text.encode("utf-8", "surrogateescape")
            path, line = node.path, node.line + 1
            if node.submit:
                for source in self.details.sources:
                    if (at := source.data.find(data)) >= 0:
                        path, line = source.path, source.line_at(at)
                        break
            self._inline[text] = read_description(path, data, line)
        return self._inline[text]

    def _hook(self, node: NodeDetails, script: Script, directory: str) -> Hook:
        program, *arguments = [word for word in re.split("[ \t]+", script.command) if word]
        where = (node.path, node.line)
        if is_marked(script.command) or program.startswith("$"):
            raise ParseError(*where, f"the {script.when} script of {node.name!r} has no plain program")
        if word := misplaced(arguments, after=script.when == "POST"):
            raise ParseError(
                *where,
                f"the {script.when} script of {node.name!r} has the word {word}, at which DAGMan stops",
                hint="see the manual of DAGMan on SCRIPT for the words there are",
            )
        if script.debug_file:
            self.notes.add(*where, "the file of SCRIPT DEBUG is not written: what scripts say is in the run's own logs")
        path = join_directory(directory, program)
        prefix: tuple[str, ...] = ()
        if self._environment:
            if "=" in path:
                raise ParseError(*where, f"the script {path!r} has a = in its path, which ENV SET does not allow")
            prefix = ("/usr/bin/env", *(f"{name}={value}" for name, value in self._environment.items()))
        return Hook((*prefix, path, *arguments), directory, script.defer_status, script.defer_s or 0)


@overload
def _as_status(code: int) -> int: ...
@overload
def _as_status(code: None) -> None: ...
def _as_status(code: int | None) -> int | None:
    """Return an exit status as engines have it: DAGMan says -9 where a signal ended the job, they say 128 + 9."""
    return 128 - code if code is not None and -64 <= code < 0 else code


def _check(node: NodeDetails) -> None:
    """Refuse what only HTCondor can do."""
    what = ""
    if node.kind == "subdag":
        what = f"the SUBDAG {node.name!r} is run by a DAGMan of its own"
    elif node.tolerance is not None:
        what = f"TOLERANCE of {node.name!r} needs HTCondor"
    elif any(script.when == "HOLD" for script in node.scripts):
        what = f"{node.name!r} has a HOLD script, but only HTCondor holds jobs"
    elif "\0" in node.name:
        what = "the name of a job has a zero byte"
    if what:
        raise ParseError(node.path, node.line, what, hint=HINT)


def _tried_by_htcondor(task: Task, wish: tuple[int, str, int]) -> Task:
    """Let the job be tried again as its description asks for, where that is the same as RETRY."""
    times, path, line = wish
    if task.retries or task.before or task.after or task.abort or len(task.processes) != 1:
        raise ParseError(
            path, line, "max_retries together with RETRY, scripts, ABORT-DAG-ON or queue N", hint="use RETRY alone"
        )
    return replace(task, retries=times)
