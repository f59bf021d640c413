"""Pegasus 5.0 workflows in YAML (or in JSON, which is YAML).

``jobs`` lists the jobs, ``jobDependencies``, before or after it or absent, the children of each. A job is called by its
``id``; a sub-workflow (``pegasusWorkflow``, ``condorWorkflow``, ``dax``, ``dag``) is one job like any other. Files are
the job's ``uses``, by ``lfn``, with ``type`` input, output or inout; their sizes are text under ``metadata``, of the
use or of the replica catalogue. Times are the profile ``pegasus: runtime`` in seconds, memory ``pegasus: memory`` or
``condor: request_memory`` in MiB.

Writing: see :mod:`eligo.formats._pegasus.writer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eligo.formats._base import Document, EdgeRule, YamlList, YamlMapping
from eligo.formats._dag_builder import Draft
from eligo.formats._numbers import shown
from eligo.formats._pegasus.writer import generate
from eligo.formats._source import Source

__all__ = ["NAME", "TITLE", "PegasusDetails", "PegasusJob", "generate", "parse", "sniff"]

NAME = "pegasus"
TITLE = "Pegasus 5 YAML"

_KINDS = frozenset({"job", "pegasusWorkflow", "condorWorkflow", "dax", "dag"})
_STRUCTURE = frozenset({"jobs", "jobDependencies", "id", "uses", "children", "lfn", "type"})
_READS = frozenset({"input", "inout"})
_WRITES = frozenset({"output", "inout"})
_LINKS = _READS | _WRITES | {"none", "checkpoint"}
_VERSION_KEY = re.compile(r"""^["']?pegasus["']?\s*:\s*["']?\d|[,{]\s*"pegasus"\s*:\s*"?\d""", re.MULTILINE)
_JOBS_KEY = re.compile(r"""^["']?jobs["']?\s*:""", re.MULTILINE)
_ONLY_HERE = re.compile(
    r"""^[ \t]*(?:- )?["']?(?:jobDependencies|transformationCatalog|replicaCatalog|lfn)["']?\s*:""", re.M
)
_MIB = 1024**2


@dataclass(frozen=True, slots=True)
class PegasusJob:
    """What a job runs: its type, the transformation (or the file of a sub-workflow) and the arguments as text."""

    kind: str
    transformation: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PegasusDetails:
    """The stated version, one entry for each job, the ids by which the file knows the jobs, and the parsed file."""

    version: str
    jobs: tuple[PegasusJob, ...]
    ids: tuple[str, ...]
    tree: YamlMapping


def sniff(head: str) -> bool:
    r"""Tell whether there is a ``pegasus`` version, or ``jobs`` beside what only Pegasus has.

    Examples
    --------
    >>> sniff("# mine\nname: x\npegasus: '5.0'\njobs: []\n"), sniff("jobs:\n  build:\n    steps: []\n")
    (True, False)
    """
    text = head.removeprefix("\ufeff")
    if text.lstrip().startswith("<"):
        return False
    return bool(_VERSION_KEY.search(text) or (_JOBS_KEY.search(text) and _ONLY_HERE.search(text)))


def parse(source: Source, edges: EdgeRule | None) -> Document:
    r"""Read a Pegasus workflow.

    Examples
    --------
    >>> text = b"pegasus: '5.0'\njobs: [{id: a}, {id: b}]\njobDependencies: [{id: a, children: [b]}]"
    >>> parse(Source("two.yml", text), None).dag
    Dag(2 jobs, 1 edge)
    """
    from eligo.formats._yaml_text import load_yaml  # here, since other formats' files are sniffed without it

    plain, ours = _without_ours(source)
    tree, repeated = load_yaml(plain)
    reader = _Reader(source, tree)
    reader.check_repeated(repeated)
    reader.read()
    reader.add_ours(ours)
    dag = reader.draft.build(edges, original=reader.originals, named=reader.named)
    details = PegasusDetails(reader.version, tuple(reader.jobs), tuple(reader.ids), reader.tree)
    return Document(dag, NAME, source, reader.draft.notes.texts(), details, edges)


def _without_ours(source: Source) -> tuple[Source, dict[str, list[str]]]:
    """Part the dependencies that we added from the user's file, which mostly has none."""
    if b"e\0l\0i\0g\0o" not in source.data and b"eligo" not in source.data:
        return source, {}
    from eligo.formats._pegasus.edits import split

    return split(source)


class _Reader:
    """Walks the parsed YAML; every value is checked where it is first touched."""

    def __init__(self, source: Source, tree: object) -> None:
        self.source = source
        self.draft = Draft(source)
        self.tree = self.mapping(tree, "the file", 1)
        self.ids: list[str] = []
        self.jobs: list[PegasusJob] = []
        self.originals: dict[str, str] = {}
        self.named = True
        version = self.tree.get("pegasus")
        self.version = version if isinstance(version, str) else ""
        if not self.version.startswith("5"):
            self.draft.note(self.tree.line, f"the Pegasus version is {shown(version)}, not 5: read as if it were")

    def check_repeated(self, repeated: dict[str, int]) -> None:
        for key, line in repeated.items():
            if key in _STRUCTURE:
                raise self.source.error(
                    line, f"the key {shown(key)} stands twice in one mapping", hint="remove one: only one can count"
                )
        if repeated:
            first, line = next(iter(repeated.items()))
            kinds = f"{len(repeated):,} keys stand" if len(repeated) > 1 else "a key stands"
            self.draft.note(line, f"{kinds} twice in one mapping, such as {shown(first)}: the last counts")

    def mapping(self, value: object, what: str, line: int) -> YamlMapping:
        if not isinstance(value, YamlMapping):
            seen = "is missing" if value is None else f"is {shown(value)}, not a mapping"
            raise self.source.error(
                line, f"{what} {seen}", hint="this is not Pegasus YAML: see docs/formats/pegasus.md"
            )
        return value

    def items(self, value: object, what: str, line: int) -> YamlList:
        if value is None:
            return YamlList(line)
        if not isinstance(value, YamlList):
            raise self.source.error(line, f"{what} is {shown(value)}, not a list", hint="begin each entry with '- '")
        return value

    def mappings(self, value: object, what: str, line: int) -> Iterator[YamlMapping]:
        entries = self.items(value, what, line)
        for entry in entries:
            yield self.mapping(entry, f"an entry of {what}", entries.line)

    def part(self, holder: YamlMapping, key: str) -> YamlMapping:
        """Return a mapping inside a mapping, an empty one where it is absent."""
        value = holder.get(key)
        return YamlMapping(holder.line) if value is None else self.mapping(value, key, holder.line)

    def read(self) -> None:
        if "jobs" not in self.tree:
            raise self.source.error(self.tree.line, "there are no jobs", hint="the file may be cut short")
        own = self.part(self.tree, "x-eligo")
        for entry in self.mappings(own.get("fileNames"), "fileNames", own.line):
            file = self.draft.text(entry.get("lfn"), "an lfn", entry.line)
            self.originals[file] = self.draft.text(entry.get("name"), "a file name", entry.line)
        self.named = own.get("unnamedFiles") != "true"
        for job in self.mappings(self.tree["jobs"], "jobs", self.tree.line):
            self.read_job(job)
        for replica in self.mappings(
            self.part(self.tree, "replicaCatalog").get("replicas"), "replicas", self.tree.line
        ):
            if isinstance(replica.get("lfn"), str):
                self.draft.uses.states(replica["lfn"], self.size(replica))
        self.read_dependencies()

    def read_job(self, job: YamlMapping) -> None:
        identity = self.draft.text(job.get("id"), "the id of a job", job.line)
        own = self.part(job, "x-eligo")
        name = self.draft.text(own.get("name", identity), "the name of a job", job.line)
        number = self.draft.add_job(name, job.line)
        self.ids.append(identity)
        kind = job.get("type") or "job"
        if not isinstance(kind, str) or kind not in _KINDS:
            self.draft.note(job.line, f"a job's type is {shown(kind)}: taken as one job")
        for use in self.mappings(job.get("uses"), "uses", job.line):
            self.read_use(number, use)
        self.read_profiles(number, self.part(job, "profiles"), exact="memoryInBytes" in own)
        for key, column in (("memoryInBytes", self.draft.memory), ("tempBytes", self.draft.temporary)):
            if own.get(key) is not None:
                column[number] = self.draft.quantity(number, own[key], own.line)
        if own.get("count") is not None:
            self.draft.counts[number] = max(self.draft.quantity(number, own["count"], own.line), 0)
        arguments = self.items(job.get("arguments"), "arguments", job.line)
        self.jobs.append(
            PegasusJob(kind if isinstance(kind, str) else "job", _transformation(job), tuple(map(_argument, arguments)))
        )

    def read_use(self, job: int, use: YamlMapping) -> None:
        file = self.draft.text(use.get("lfn"), "the lfn of a use", use.line)
        link = use.get("type")
        if link is None:
            self.draft.note(use.line, "a use without type is taken as neither read nor written")
        elif not isinstance(link, str) or link not in _LINKS:
            raise self.source.error(
                use.line, f"unknown type {shown(link)} of file {shown(file)}", hint="a type is input, output or inout"
            )
        size = self.size(use)
        if link in _READS:
            self.draft.uses.reads(job, file, size)
        if link in _WRITES:
            self.draft.uses.writes(job, file, size)

    def size(self, holder: YamlMapping) -> int | None:
        stated = self.part(holder, "metadata").get("size", holder.get("size"))
        return self.draft.size(stated, holder.line)

    def read_profiles(self, job: int, profiles: YamlMapping, *, exact: bool) -> None:
        pegasus, condor = self.part(profiles, "pegasus"), self.part(profiles, "condor")
        if pegasus.get("runtime") is not None:
            self.draft.set_time(job, pegasus["runtime"], pegasus.line)
        for profile, key in ((pegasus, "memory"), (condor, "request_memory")):
            stated = None if exact else profile.get(key)  # we wrote it to the byte elsewhere
            if isinstance(stated, str) and stated.strip().isdigit() and len(stated) < 20:
                self.draft.memory[job] = self.draft.quantity(job, stated, profile.line, unit=_MIB)
                break
            if stated is not None:
                self.draft.note(profile.line, f"the {key} of a job is no number of MiB: ignored")

    def read_dependencies(self) -> None:
        number = {identity: job for job, identity in enumerate(self.ids)}
        if len(number) < len(self.ids):
            raise self.source.error(self.tree.line, "two jobs have the same id", hint="ids are unique")
        for entry in self.mappings(self.tree.get("jobDependencies"), "jobDependencies", self.tree.line):
            parent = self.referred(entry.get("id"), number, entry.line)
            children = self.items(entry.get("children"), "children", entry.line)
            for child in children:
                self.draft.join(parent, self.referred(child, number, children.line), entry.line)

    def add_ours(self, ours: dict[str, list[str]]) -> None:
        number = {identity: job for job, identity in enumerate(self.ids)} if ours else {}
        for parent, children in ours.items():
            for child in children:
                for identity in (parent, child):
                    if identity not in number:
                        raise self.source.error(
                            self.source.line_of("eligo", identity),
                            f"eligo made a dependency of job {shown(identity)}, which is not there any more",
                            hint="eligo limit replaces such dependencies, eligo limit --remove takes them out",
                        )
                self.draft.add_ours(number[parent], number[child])

    def referred(self, value: object, number: dict[str, int], line: int) -> int:
        identity = self.draft.text(value, "the id of a dependency", line)
        if identity not in number:
            raise self.source.error(
                line, f"there is no job called {shown(identity)}", hint="a dependency names a job that is not defined"
            )
        return number[identity]


def _transformation(job: YamlMapping) -> str:
    """Return ``namespace::name:version`` of a job, the file of a sub-workflow."""
    space, name, version = (
        value if isinstance(value, str) else "" for value in map(job.get, ("namespace", "name", "version"))
    )
    if not name and isinstance(job.get("file"), str):
        return str(job["file"])
    return (f"{space}::" if space else "") + name + (f":{version}" if version else "")


def _argument(value: Any) -> str:
    """Return an argument as text; a file stands for its name."""
    if isinstance(value, dict):
        value = value.get("lfn")
    return value if isinstance(value, str) else ""
