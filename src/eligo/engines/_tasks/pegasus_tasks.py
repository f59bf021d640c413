"""What the jobs of a Pegasus workflow run, without Pegasus: those whose programs and files are on this machine.

A job names a transformation, which the catalogues turn into a path (see ``pegasus_catalogs``), arguments, standard
streams and profiles. What is made of them:

* **Arguments.** Pegasus joins them with blanks into a command line, so ``-n 5`` is two words there, and quotes quote.
  Each is split so, without a shell; a file is one word, its name.
* **Where it runs.** In the directory of the workflow, where files are looked for and left under their names. A job that
  reads a file which the replica catalogue says is elsewhere on this machine runs in a sandbox, with all its inputs, and
  its outputs are brought from there to the directory of the workflow. A file that is to be had from afar is refused.
* **Profiles.** ``env`` is set, ``pegasus: cores, memory, diskspace`` and ``condor: request_*`` are asked for,
  ``dagman: RETRY`` is done; scripts of ``dagman`` are refused, and all others are named in a warning. Where several
  places say something, that of the transformation on its site counts before that of the transformation, of the site, of
  the job and of the workflow, as Pegasus documents it.

Sub-workflows, containers and transformations without a path here are refused, with the line.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

from eligo.engines._plan import Process, Sandbox, Task
from eligo.engines._tasks.pegasus_catalogs import Catalogs, Program, mappings, part
from eligo.engines._tasks.task_maker import Maker, home_of, memory_to_ask_for
from eligo.errors import ParseError
from eligo.formats._base import Document, Notes, YamlMapping
from eligo.formats._numbers import shown
from eligo.formats._pegasus.reader import PegasusDetails

__all__ = ["make_from_tree", "maker"]

_HINT = "describe it under transformationCatalog, or in transformations.yml beside the workflow; or give --command"
_MIB, _KIB = 1024**2, 1024
_USED = {
    "pegasus": frozenset({"runtime", "cores", "memory", "diskspace"}),
    "condor": frozenset({"request_cpus", "request_memory", "request_disk", "priority"}),
    "dagman": frozenset({"retry", "priority"}),
}
_SCRIPTS = ("pre", "post", "abort-dag-on", "noop")


def maker(document: Document) -> Maker:
    r"""Return what the jobs of a workflow run.

    Examples
    --------
    >>> from eligo.formats._pegasus.reader import parse
    >>> from eligo.formats._source import Source
    >>> text = b'''pegasus: '5.0'
    ... transformationCatalog:
    ...   transformations: [{name: say, sites: [{name: local, type: installed, pfn: /bin/echo}]}]
    ... jobs: [{id: a, name: say, arguments: [-n 5, {lfn: f.a}], uses: []}]
    ... '''
    >>> maker(parse(Source("/w/x.yml", text), None)).task(0).processes[0].argv
    ('/bin/echo', '-n', '5', 'f.a')
    """
    details = document.details
    assert isinstance(details, PegasusDetails)
    kinds = [job.kind for job in details.jobs]
    return make_from_tree(document, details.tree, kinds, [job.transformation for job in details.jobs])


def make_from_tree(document: Document, tree: YamlMapping, kinds: list[str], transformations: list[str]) -> Maker:
    """Return what jobs run, from the tree of a workflow and the kind and transformation of each job."""
    tasks = _Tasks(document, tree, kinds, transformations)
    return Maker(tasks.task, warnings=tasks.warnings())


class _Tasks:
    """Makes the task of each job."""

    def __init__(self, document: Document, tree: YamlMapping, kinds: list[str], transformations: list[str]) -> None:
        self.document, self.source, self.tree = document, document.source, tree
        self.kinds, self.transformations = kinds, transformations
        self.home = home_of(document)
        self.jobs = [*mappings(tree, "jobs", self.source)]
        self.catalogs = Catalogs(document, tree, self.home)
        self.programs = {name: self.catalogs.program(name) for name in set(transformations)}
        self.made = {str(use.get("lfn")) for job in self.jobs for use in self.uses(job, "output", "inout")}

    def uses(self, job: YamlMapping, *kinds: str) -> Iterator[YamlMapping]:
        return (use for use in mappings(job, "uses", self.source) if use.get("type") in kinds)

    # Warnings, which are about the whole workflow ---------------------------------------------------------------

    def warnings(self) -> tuple[str, ...]:
        notes = Notes()
        for holder in (self.tree, *self.jobs):
            if holder.get("hooks"):
                notes.add(self.source.path, holder.line, "hooks are not run")
        for _, profiles, line, path in self.all_profiles():
            for space, keys in profiles.items():
                if space == "env" or not isinstance(keys, YamlMapping):
                    continue
                for key in keys:
                    if not _is_of_use(space, key, keys[key]):
                        notes.add(path, line, f"the profile {shown(f'{space}.{key}')} is of no use here")
        for name in dict.fromkeys(self.transformations):
            program = self.programs[name]
            if program is not None and program.requires:
                text = f"what {shown(name)} requires is not put beside it: {shown(program.requires[0])}"
                notes.add(program.where[0].path, program.where[1], text)
        if self.catalogs.has_patterns:
            notes.add(self.source.path, None, "regular expressions of the replica catalogue are not used")
        return notes.texts()

    def all_profiles(self) -> Iterator[tuple[str, YamlMapping, int, str]]:
        for holder in (self.tree, *self.jobs):
            yield "", part(holder, "profiles", self.source), holder.line, self.source.path
        for name in dict.fromkeys(self.transformations):
            program = self.programs[name]
            for profiles in program.profiles if program is not None else ():
                yield name, profiles, program.where[1], program.where[0].path  # type: ignore[union-attr]

    # Tasks ------------------------------------------------------------------------------------------------------

    def error(self, line: int, text: str, hint: str) -> ParseError:
        return self.source.error(line, text, hint=hint)

    def task(self, number: int) -> Task:
        job, name = self.jobs[number], self.document.dag.names[number]
        program = self.program(number, job, name)
        stack = (*program.profiles, part(job, "profiles", self.source), part(self.tree, "profiles", self.source))
        self.refuse_scripts(stack, job, name)
        memory = self.number(stack, ("pegasus", "memory"), ("condor", "request_memory"))
        disk_mib = self.number(stack, ("pegasus", "diskspace"))
        disk_kib = self.number(stack, ("condor", "request_disk"))
        return Task(
            name,
            (self.process(job, program, stack),),
            retries=self.number(stack, ("dagman", "retry")) or 0,
            cpus=max(self.number(stack, ("pegasus", "cores"), ("condor", "request_cpus")) or 1, 1),
            memory_bytes=memory_to_ask_for(self.document.dag, number) if memory is None else memory * _MIB,
            disk_bytes=disk_mib * _MIB if disk_mib is not None else None if disk_kib is None else disk_kib * _KIB,
            path=self.source.path,
            line=job.line,
        )

    def program(self, number: int, job: YamlMapping, name: str) -> Program:
        if self.kinds[number] != "job":
            raise self.error(
                job.line,
                f"job {shown(name)} is a workflow of its own ({self.kinds[number]})",
                "run its file by itself, or let Pegasus run the whole",
            )
        wanted = self.transformations[number]
        if not wanted:
            raise self.error(job.line, f"job {shown(name)} names no transformation", _HINT)
        program = self.programs[wanted]
        if program is None:
            raise self.error(job.line, f"the transformation {shown(wanted)} of job {shown(name)} is not known", _HINT)
        if not program.path:
            text = f"the transformation {shown(wanted)} of job {shown(name)} has no path here: {program.why_not}"
            raise self.error(job.line, text, _HINT)
        return program

    def process(self, job: YamlMapping, program: Program, stack: tuple[YamlMapping, ...]) -> Process:
        streams = {stream: self.stream(job, stream) for stream in ("stdin", "stdout", "stderr")}
        inputs = [(str(use.get("lfn")), self.input(use)) for use in self.uses(job, "input", "inout")]
        elsewhere = dict(inputs)
        sandbox = None
        if any(path != self.place(lfn, job.line) for lfn, path in inputs):
            written = {streams["stdout"], streams["stderr"]}
            outputs = [str(use.get("lfn")) for use in self.uses(job, "output", "inout")]
            kept = [lfn for lfn in dict.fromkeys(outputs) if lfn not in written]
            sandbox = Sandbox(tuple(elsewhere.items()), tuple((lfn, self.place(lfn, job.line)) for lfn in kept))
        where = {
            stream: elsewhere.get(lfn, self.place(lfn, job.line)) if stream == "stdin" else self.place(lfn, job.line)
            for stream, lfn in streams.items()
            if lfn is not None
        }
        return Process(
            (program.path, *self.arguments(job)),
            self.home,
            self.environment(stack),
            stdin=where.get("stdin"),
            stdout=where.get("stdout"),
            stderr=where.get("stderr"),
            sandbox=sandbox,
        )

    def stream(self, job: YamlMapping, key: str) -> str | None:
        value = job.get(key)
        if isinstance(value, YamlMapping):
            value = value.get("lfn")
        if value is not None and not isinstance(value, str):
            raise self.error(job.line, f"{key} is {shown(value)}, not a file", "name a file")
        return value or None

    def place(self, lfn: str, line: int) -> str:
        """Return where a file is, in the directory of the workflow."""
        if not lfn or lfn.startswith("/") or ".." in lfn.split("/") or "\0" in lfn:
            raise self.error(
                line, f"the file {shown(lfn)} is outside the directory of the workflow", "name it otherwise"
            )
        return os.path.normpath(os.path.join(self.home, lfn))  # noqa: PTH118

    def input(self, use: YamlMapping) -> str:
        lfn = str(use.get("lfn"))
        place = self.place(lfn, use.line)
        if lfn in self.made:
            return place
        path, address = self.catalogs.replica(lfn)
        if path is None and address and not os.path.exists(place):  # noqa: PTH110
            raise self.error(
                use.line, f"the file {shown(lfn)} is at {shown(address)}", f"bring it to this machine first, as {place}"
            )
        return path or place

    def arguments(self, job: YamlMapping) -> Iterator[str]:
        for argument in job.get("arguments") or ():
            if isinstance(argument, dict):
                yield str(argument.get("lfn"))
                continue
            try:
                yield from shlex.split("" if argument is None else str(argument))
            except ValueError:
                raise self.error(job.line, f"open quotes in the argument {shown(argument)}", "close them") from None

    def environment(self, stack: tuple[YamlMapping, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for profiles in reversed(stack):
            for key, value in part(profiles, "env", self.source).items():
                if not key or "=" in key or "\0" in f"{key}{value}" or isinstance(value, (dict, list)):
                    text = f"{shown(key)} cannot be set in an environment"
                    raise self.error(profiles.line, text, "write env as NAME: value")
                found[key] = "" if value is None else str(value)
        return found

    def number(self, stack: tuple[YamlMapping, ...], *places: tuple[str, str]) -> int | None:
        """Return a whole number of the profiles: of the first place that has it."""
        for profiles in stack:
            for space, key in places:
                value = _lower(part(profiles, space, self.source)).get(key)
                if isinstance(value, str) and _is_whole(value):
                    return int(value)
        return None

    def refuse_scripts(self, stack: tuple[YamlMapping, ...], job: YamlMapping, name: str) -> None:
        for profiles in stack:
            for key in _lower(part(profiles, "dagman", self.source)):
                if key.partition(".")[0] in _SCRIPTS:
                    text = f"job {shown(name)} has the profile dagman.{key[:40]}, which only DAGMan does"
                    raise self.error(job.line, text, "let Pegasus run the workflow, or take the profile out")


def _is_of_use(space: str, key: str, value: Any) -> bool:
    """Tell whether a profile is heeded, or refused in time."""
    if key.lower().partition(".")[0] in _SCRIPTS and space == "dagman":
        return True
    return key.lower() in _USED.get(space, ()) and (key.lower() in ("runtime", "priority") or _is_whole(value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, str) and value.strip().isdigit() and value.isascii() and len(value) <= 15


def _lower(keys: YamlMapping) -> dict[str, Any]:
    return {key.lower(): value for key, value in keys.items()}
