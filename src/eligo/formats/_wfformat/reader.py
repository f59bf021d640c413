"""WfFormat 0.1 to 1.6: workflow traces in JSON (WfCommons, formerly WorkflowHub).

Up to 1.4 a task is one object under ``workflow.jobs`` or ``workflow.tasks``, with its files inside it; since 1.5
``workflow.specification`` says what there is to do and ``workflow.execution`` how it went, joined on the task's id.
The shape decides, not the stated version, which is only noted where it is not known.

* A job is called by its id (1.5) or, before, by its name, because that is how parents refer to it. Where names repeat
  (Nextflow) it is name, underscore, id: what 1.5 made of it.
* References are looked up as ids first in 1.5 and as names first before, then the other way.
* Parents and children are united; either may be missing. Those that a task lists as added by us are no declared ones.
* A file is known by its id (1.5), or by path and name: the base name alone is not unique.
* ``memoryInBytes`` counts, else ``memory`` in kB of 1024 bytes.

Writing: see :mod:`eligo.formats._wfformat.writer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eligo.dag import UNKNOWN
from eligo.formats._base import Document, EdgeRule
from eligo.formats._dag_builder import Draft
from eligo.formats._json_text import load_json
from eligo.formats._numbers import shown
from eligo.formats._source import Source
from eligo.formats._wfformat.writer import generate

__all__ = ["ADDED", "NAME", "TITLE", "Command", "WfDetails", "generate", "parse", "sniff", "unique_names"]

NAME = "wfformat"
TITLE = "WfFormat (JSON)"
ADDED = "addedByEligo"
"""The key of a task that lists which of its parents and children are ours; see ``wfformat_dependencies``."""

_KNOWN = frozenset({"0.1", "0.2", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"})
_STRUCTURE = frozenset(
    {
        "workflow",
        "specification",
        "execution",
        "tasks",
        "jobs",
        "files",
        "parents",
        "children",
        "inputFiles",
        "outputFiles",
    }
    | {"id", "name"}
)
_SNIFF = re.compile(r'"workflow"\s*:\s*\{')
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Command:
    """What a task runs; empty where the file does not say."""

    program: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WfDetails:
    """The stated version, one command for each job, the ids by which the file knows the jobs, and the parsed file."""

    version: str
    commands: tuple[Command, ...]
    ids: tuple[str, ...]
    tree: dict[str, Any]


def sniff(head: str) -> bool:
    """Tell whether this is a JSON object with a ``workflow`` in it.

    Examples
    --------
    >>> sniff('{"name": "x", "workflow": {"tasks": []}}'), sniff('{"workflow": "x"}')
    (True, False)
    """
    return head.lstrip("\ufeff \t\r\n").startswith("{") and _SNIFF.search(head) is not None


def parse(source: Source, edges: EdgeRule | None) -> Document:
    """Read a WfFormat file of any version.

    Examples
    --------
    >>> text = b'{"workflow": {"jobs": [{"name": "a"}, {"name": "b", "parents": ["a"], "runtime": 2.5}]}}'
    >>> dag = parse(Source("two.json", text), None).dag
    >>> dag, dag.time_s
    (Dag(2 jobs, 1 edge), array([nan, 2.5]))
    """
    tree, repeated = load_json(source)
    reader = _Reader(source, tree)
    reader.check_repeated(repeated)
    workflow = reader.mapping(reader.tree.get("workflow"), "workflow", reader.at('"workflow"'))
    if "specification" in workflow:
        reader.read_parted(workflow)
    else:
        reader.read_whole(workflow)
    dag = reader.draft.build(edges, original=reader.originals, named=reader.named)
    details = WfDetails(reader.version, tuple(reader.commands), tuple(reader.ids), reader.tree)
    return Document(dag, NAME, source, reader.draft.notes.texts(), details, edges)


class _Reader:
    """Walks the parsed JSON; every value is checked where it is first touched."""

    def __init__(self, source: Source, tree: object) -> None:
        self.source = source
        self.draft = Draft(source)
        self.tree = self.mapping(tree, "the file", lambda: 1)
        self.ids: list[str] = []
        self.commands: list[Command] = []
        self.originals: dict[str, str] = {}
        self.named = True
        version = self.tree.get("schemaVersion", "")
        self.version = version if isinstance(version, str) else shown(version)
        if self.version not in _KNOWN:
            stated = f"version {self.version!r} is not known" if self.version else "no version is stated"
            self.draft.note(self.at('"schemaVersion"'), f"{stated}: read by its shape")

    def check_repeated(self, repeated: dict[str, int]) -> None:
        for key in repeated:
            if key in _STRUCTURE:
                raise self.source.error(
                    self.source.line_of(*[json.dumps(key)] * 2),
                    f"the key {shown(key)} stands twice in one object",
                    hint="remove one: only one can count",
                )
        if repeated:
            first = next(iter(repeated))
            self.draft.note(
                self.at(*[json.dumps(first)] * 2),
                f"{sum(repeated.values()):,} times a key, such as {shown(first)}, stands twice in one object: "
                "the last counts",
            )

    # Where things stand -------------------------------------------------------------------------------------------

    def at(self, *needles: str) -> Callable[[], int]:
        return lambda: self.source.line_of(*needles)

    def at_task(self, name: str, section: str = '"workflow"', key: str = "") -> Callable[[], int]:
        """Return how to find the line of a task, or of a key in it, in a file whose parser gives no positions."""

        def find() -> int:
            data = self.source.data
            start = max(data.find(section.encode()), 0)
            quoted = {json.dumps(name), json.dumps(name, ensure_ascii=False)}
            texts = b"|".join(re.escape(text.encode("utf-8", "surrogateescape")) for text in sorted(quoted))
            found = re.compile(rb'"(?:id|name)"\s*:\s*(?:' + texts + rb")").search(data, start)
            if found is None:
                return self.source.line_at(start)
            inside = data.find(json.dumps(key).encode(), found.end()) if key else -1
            return self.source.line_at(inside if inside >= 0 else found.start())

        return find

    # Checked access -----------------------------------------------------------------------------------------------

    def mapping(self, value: object, what: str, line: Callable[[], int]) -> dict[str, Any]:
        if not isinstance(value, dict):
            seen = "is missing" if value is None else f"is {shown(value)}, not an object"
            raise self.source.error(line(), f"{what} {seen}", hint="this is not WfFormat: see docs/formats/wfformat.md")
        return value

    def items(self, value: object, what: str, line: Callable[[], int]) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.source.error(line(), f"{what} is {shown(value)}, not a list", hint="write [...] around it")
        return value

    def names(self, task: dict[str, Any], key: str, line: Callable[[], int]) -> Iterator[str]:
        for value in self.items(task.get(key), key, line):
            yield self.draft.text(value, f"an entry of {key}", line)

    # Version 1.5 --------------------------------------------------------------------------------------------------

    def read_parted(self, workflow: dict[str, Any]) -> None:
        line = self.at('"specification"')
        specification = self.mapping(workflow["specification"], "specification", line)
        if "tasks" not in specification:
            raise self.source.error(line(), "specification has no tasks", hint="the file may be cut short")
        tasks = self.tasks(specification["tasks"])
        own = self.own_key(specification, line)
        for given, task in zip(_own_names(tasks), tasks, strict=True):
            name = self.draft.text(task.get("id"), "the id of a task", self.at('"specification"', '"tasks"'))
            at = self.at_task(name)
            self.draft.add_job(name if given is None else self.draft.text(given, "the name of a task", at), at)
            self.ids.append(name)
            self.commands.append(Command())
        number = {name: job for job, name in enumerate(self.ids)}
        if len(number) < len(self.ids):  # tasks that we renamed may still share an id
            raise self.source.error(line(), "two tasks have the same id", hint="ids are unique")
        self.read_sizes(specification, own)
        labels = [task.get("name") for task in tasks]
        self.join(tasks, number, unique_names(labels))
        for job, task in enumerate(tasks):
            at = self.at_task(self.ids[job])
            for file in self.names(task, "inputFiles", at):
                self.draft.uses.reads(job, file)
            for file in self.names(task, "outputFiles", at):
                self.draft.uses.writes(job, file)
            self.read_own(job, task, at)
        self.read_execution(workflow, number)

    def tasks(self, value: object) -> list[dict[str, Any]]:
        line = self.at('"workflow"', '"tasks"')
        return [
            self.mapping(task, f"task number {i}", line) for i, task in enumerate(self.items(value, "tasks", line), 1)
        ]

    def own_key(self, holder: dict[str, Any], line: Callable[[], int]) -> dict[str, Any]:
        own = holder.get("eligo")
        return self.mapping(own, "eligo", line) if own is not None else {}

    def read_sizes(self, specification: dict[str, Any], own: dict[str, Any]) -> None:
        line = self.at('"specification"', '"files"')
        for file in self.items(specification.get("files"), "files", line):
            entry = self.mapping(file, "an entry of files", line)
            name = self.draft.text(entry.get("id"), "the id of a file", line)
            at = self.at_task(name, key="sizeInBytes")
            self.draft.uses.states(name, self.draft.size(entry.get("sizeInBytes"), at))
        renamed = self.mapping(own.get("fileNames", {}), "fileNames", line)
        self.originals = {file: self.draft.text(name, "a file name", line) for file, name in renamed.items()}
        self.named = own.get("unnamedFiles") is not True

    def read_own(self, job: int, task: dict[str, Any], at: Callable[[], int]) -> None:
        own = self.own_key(task, at)
        for key, column in (("memoryInBytes", self.draft.memory), ("tempBytes", self.draft.temporary)):
            if own.get(key) is not None:
                column[job] = self.draft.quantity(job, own[key], at)
        if own.get("count") is not None:
            self.draft.counts[job] = max(self.draft.quantity(job, own["count"], at), 0)

    def read_execution(self, workflow: dict[str, Any], number: dict[str, int]) -> None:
        if workflow.get("execution") is None:
            return
        line = self.at('"execution"')
        execution = self.mapping(workflow["execution"], "execution", line)
        seen: set[int] = set()
        for value in self.items(execution.get("tasks"), "tasks", line):
            task = self.mapping(value, "a task of execution", line)
            name = self.draft.text(task.get("id"), "the id of a task", line)
            job = number.get(name)
            if job is None or job in seen:
                fault = "lacks" if job is None else "has already given"
                self.draft.note(None, f"execution lists tasks that the specification {fault}: ignored")
                continue
            seen.add(job)
            self.read_measures(job, task, '"execution"')

    # Versions 0.1 to 1.4 ------------------------------------------------------------------------------------------

    def read_whole(self, workflow: dict[str, Any]) -> None:
        key = "tasks" if "tasks" in workflow else "jobs"
        if key not in workflow:
            raise self.source.error(
                self.at('"workflow"')(),
                "workflow has no tasks, jobs or specification",
                hint="the file may be cut short",
            )
        tasks = self.tasks(workflow[key])
        line = self.at('"workflow"', f'"{key}"')
        names = [self.draft.text(task.get("name", task.get("id")), "the name of a task", line) for task in tasks]
        ids = [str(task["id"]) if isinstance(task.get("id"), (str, int)) else "" for task in tasks]
        repeat = len(set(names)) < len(names)
        for name, identity in zip(names, ids, strict=True):
            self.draft.add_job(f"{name}_{identity}" if repeat and identity else name, self.at_task(name))
            self.ids.append(name)
            self.commands.append(Command())
        self.join(tasks, unique_names(names), unique_names(ids))
        for job, task in enumerate(tasks):
            self.read_files(job, task)
            self.read_measures(job, task, '"workflow"')

    def read_files(self, job: int, task: dict[str, Any]) -> None:
        at = self.at_task(self.ids[job], key="files")
        for value in self.items(task.get("files"), "files", at):
            file = self.mapping(value, "an entry of files", at)
            name = _path(file.get("path"), self.draft.text(file.get("name", file.get("id")), "the name of a file", at))
            size = self.draft.size(file.get("sizeInBytes", file.get("size")), at)
            link = file.get("link")
            if link in ("input", "inout"):
                self.draft.uses.reads(job, name, size)
            if link in ("output", "inout"):
                self.draft.uses.writes(job, name, size)
            if link not in ("input", "output", "inout"):
                raise self.source.error(
                    at(), f"unknown link {shown(link)} of file {shown(name)}", hint="a link is input or output"
                )

    # Both ---------------------------------------------------------------------------------------------------------

    def join(self, tasks: list[dict[str, Any]], first: dict[str, int], second: dict[str, int]) -> None:
        for job, task in enumerate(tasks):
            at = self.at_task(self.ids[job])
            added = task.get(ADDED)
            for key in ("parents", "children"):
                listed = added.get(key) if isinstance(added, dict) else None
                ours = set(map(str, listed)) if isinstance(listed, list) else set()
                others = {self.referred(name, first, second, at): name in ours for name in self.names(task, key, at)}
                for other, is_ours in sorted(others.items()):
                    ends = (other, job) if key == "parents" else (job, other)
                    if is_ours:
                        self.draft.add_ours(*ends)
                    else:
                        self.draft.join(*ends, at)

    def referred(self, name: str, first: dict[str, int], second: dict[str, int], at: Callable[[], int]) -> int:
        job = first.get(name, second.get(name, UNKNOWN))
        if job == UNKNOWN:
            raise self.source.error(
                at(), f"there is no task called {shown(name)}", hint="a parent or child must be a task of the file"
            )
        if job < UNKNOWN:
            raise self.source.error(at(), f"several tasks are called {shown(name)}", hint="refer to the task by its id")
        return job

    def read_measures(self, job: int, task: dict[str, Any], section: str) -> None:
        """Read what was measured of a task: the same keys in all versions but for their old spellings."""
        name = self.ids[job]
        for key in ("runtimeInSeconds", "runtime"):
            if task.get(key) is not None:
                self.draft.set_time(job, task[key], self.at_task(name, section, key))
                break
        for key, unit in (("memoryInBytes", 1), ("memory", _KIB)):
            if task.get(key) is not None:
                at = self.at_task(name, section, key)
                self.draft.memory[job] = self.draft.quantity(job, task[key], at, unit=unit)
                break
        command = task.get("command")
        if command is None:
            command = {key: task[key] for key in ("program", "arguments") if key in task}
        self.commands[job] = self.command(command, self.at_task(name, section, "command"))

    def command(self, value: object, at: Callable[[], int]) -> Command:
        command = self.mapping(value, "command", at)
        program = command.get("program")
        arguments = command.get("arguments")
        if isinstance(arguments, str):
            arguments = [arguments]
        return Command(
            program if isinstance(program, str) else "",
            tuple(str(item) for item in self.items(arguments, "arguments", at) if isinstance(item, (str, int, float))),
        )


def _own_names(tasks: list[dict[str, Any]]) -> Iterator[object]:
    """Yield the name that Eligo gave each task where WfFormat had no place for it, else ``None``."""
    for task in tasks:
        own = task.get("eligo")
        yield own.get("name") if isinstance(own, dict) else None


def unique_names(names: Sequence[Any]) -> dict[str, int]:
    """Map names to jobs, those that several jobs share to a number below ``UNKNOWN``.

    Examples
    --------
    >>> unique_names(["a", "b", "a"])
    {'a': -2, 'b': 1}
    """
    jobs: dict[str, int] = {}
    for job, name in enumerate(names):
        if isinstance(name, str) and name:
            jobs[name] = UNKNOWN - 1 if name in jobs else job
    return jobs


def _path(folder: object, name: str) -> str:
    if not isinstance(folder, str) or not folder or name.startswith("/"):
        return name
    return f"{folder}{name}" if folder.endswith("/") else f"{folder}/{name}"
