r"""What the tasks of a WfFormat file run: the program and the arguments that were recorded.

WfFormat is made for traces: what stands there is what some workflow system noted of a run. Three of them write it, each
in its own way, and a file is run only where what it says can be taken at its word:

* **Pegasus**: a program and a list of arguments, as the schema has it. An argument is one argument, blanks and all
  (``QD < 2.0 || FS > 60.0`` is one). The exception are options with their value in one string (``--percent-cpu 0.6``):
  no program takes a name with a blank in it for an option, so they are split as a shell would split them.
* **Makeflow**: the program is only a label, the arguments are the words of the command line. The redirections ``>``,
  ``2>`` and ``<`` are done here; what else needs a shell (``|``, ``>>``, ``*``) is refused.
* **Nextflow**: the program is a shell script of many lines, written for the containers and directories that Nextflow
  makes. It is refused.

Arguments that are one string and no list are a command line, and split. Jobs run in the directory of the file, where
the files that they name are looked for.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator
from os.path import join
from typing import Any

from eligo.engines._plan import Process, Task
from eligo.engines._tasks.task_maker import Maker, home_of, memory_to_ask_for, program_in
from eligo.errors import ParseError
from eligo.formats._base import Document, Notes
from eligo.formats._wfformat.reader import Command, WfDetails

__all__ = ["maker"]

_OPTION_AND_VALUE = re.compile(r"--?[A-Za-z][\w-]*\s+\S")
_REDIRECTIONS = {"<": "stdin", ">": "stdout", "1>": "stdout", "2>": "stderr"}
_SHELL = re.compile(r"[|&;<>()`]|\$[({\w]|[*?]|\[.*\]")
_HINT = "say what jobs shall run: --command 'sleep {time_s}'"


def maker(document: Document) -> Maker:
    """Return what the tasks of a file run.

    Examples
    --------
    >>> from eligo.formats._source import Source
    >>> from eligo.formats._wfformat.reader import parse
    >>> text = b'{"workflow": {"tasks": [{"name": "a", "command": {"program": "echo", "arguments": ["x y", "-n 5"]}}]}}'
    >>> maker(parse(Source("/w/one.json", text), None)).task(0).processes[0].argv
    ('echo', 'x y', '-n', '5')
    """
    details = document.details
    assert isinstance(details, WfDetails)
    reader = _Tasks(document, details)
    notes = Notes()
    split = sum(any(map(_OPTION_AND_VALUE.match, command.arguments)) for command in details.commands)
    if split and not reader.is_makeflow:
        notes.add(
            document.source.path,
            None,
            f"arguments of {split:,} tasks hold an option and its value in one string: taken as two",
        )
    return Maker(reader.task, warnings=notes.texts())


class _Tasks:
    """Makes the task of each job."""

    def __init__(self, document: Document, details: WfDetails) -> None:
        self.document = document
        self.details = details
        self.home = home_of(document)
        self.is_makeflow = _system(details.tree) == "makeflow"
        self.entries = _entries(details)

    def task(self, job: int) -> Task:
        dag = self.document.dag
        return Task(
            dag.names[job],
            (self.process(job),),
            cpus=_cores(self.entries[job]),
            memory_bytes=memory_to_ask_for(dag, job),
            path=self.document.source.path,
        )

    def process(self, job: int) -> Process:
        command = self.details.commands[job]
        if self.is_makeflow and command.arguments:
            return self.makeflow_process(job, command)
        if not command.program.strip():
            raise self.error(job, "names no program", _HINT)
        if re.search(r"\s", command.program):
            raise self.error(job, f"runs a shell script, not a program: {_shown(command.program)}", _HINT)
        stated = self.entries[job]
        stated = stated.get("command") or stated
        if isinstance(stated.get("arguments"), str):  # no list, as the schema has it, but a whole command line
            arguments = self.split(job, stated["arguments"])
        else:
            arguments = [word for argument in command.arguments for word in self.words(job, argument)]
        return Process((program_in(self.home, command.program), *arguments), self.home)

    def words(self, job: int, argument: str) -> list[str]:
        return self.split(job, argument) if _OPTION_AND_VALUE.match(argument) else [argument]

    def split(self, job: int, text: str) -> list[str]:
        try:
            return shlex.split(text)
        except ValueError as error:
            raise self.error(job, f"has arguments with open quotes: {_shown(text)}", "close them") from error

    def makeflow_process(self, job: int, command: Command) -> Process:
        argv: list[str] = []
        streams: dict[str, str] = {}
        words = iter(command.arguments)
        for word in words:
            stream = _REDIRECTIONS.get(word)
            if stream is None:
                if _SHELL.search(word):
                    raise self.error(job, f"has a command line for a shell: {_shown(word)}", _HINT)
                argv.append(word)
                continue
            target = next(words, "")
            if not target or stream in streams or _SHELL.search(target):
                raise self.error(job, f"has a redirection {word} to {_shown(target)}", _HINT)
            streams[stream] = join(self.home, target)  # noqa: PTH118 - an absolute one stays as it is
        if not argv:
            raise self.error(job, "names no program", _HINT)
        return Process((program_in(self.home, argv[0]), *argv[1:]), self.home, **streams)  # type: ignore[arg-type]

    def error(self, job: int, text: str, hint: str) -> ParseError:
        source, identity = self.document.source, self.details.ids[job]
        section = '"execution"' if b'"specification"' in source.data else '"workflow"'
        line = source.line_of(section, f'"{identity}"', '"command"')
        return source.error(line, f"task {_shown(self.document.dag.names[job])} {text}", hint=hint)


def _system(tree: dict[str, Any]) -> str:
    """Return the name of the system that ran the workflow, in small letters."""
    for key in ("runtimeSystem", "wms"):
        system = tree.get(key)
        if isinstance(system, dict) and isinstance(system.get("name"), str):
            return str(system["name"]).strip().lower()
    return ""


def _entries(details: WfDetails) -> list[dict[str, Any]]:
    """Return for each job the object that says how it ran; the reader has seen that all is in its place."""
    workflow = details.tree["workflow"]
    if "specification" in workflow:
        listed = (workflow.get("execution") or {}).get("tasks") or []
        first = {str(task["id"]): task for task in reversed(listed)}
        return [first.get(identity, {}) for identity in details.ids]
    return list(workflow["tasks" if "tasks" in workflow else "jobs"])


def _cores(entry: dict[str, Any]) -> int:
    for key in ("coreCount", "cores"):
        value = entry.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 1 <= value < 1e6:
            return math.ceil(value)
    return 1


def _shown(text: str) -> str:
    lines: Iterator[str] = iter(text.strip().splitlines())
    first = next(lines, "")
    return repr(first if len(first) <= 60 and next(lines, None) is None else f"{first[:57]}...")
