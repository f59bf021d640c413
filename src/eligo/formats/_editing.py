r"""Write priorities into the workflow a person already has, and take them out again.

Each format that has a place for priorities offers

``instrument(document, priorities, wish) -> Instrumented``
    The file with a priority for every job (n for the first to run, down to 1).
``uninstrument(document) -> Instrumented``
    The file without what ``instrument`` put there, byte for byte as it was.

and may offer

``without_dependencies(source) -> Source``
    The file as ``uninstrument`` makes it, found without reading it as a workflow.

What we add can be told from what the user wrote: in text formats it stands in a marked block, in JSON and YAML it is
under a key of our own or marked as ours. So the result does not depend on how often it is done, and the user's lines
stay as they are. A priority that the user gave stays too, with a warning, unless ``wish.replace`` says otherwise; then
taking ours out brings the user's back.

Write dependencies into the workflow a person already has, and take them out again.

A memory limit adds dependencies; they go into the user's own file, which its engine then reads as ever. Each format
that has a place for dependencies offers

``add(document, tails, heads) -> Instrumented``
    The file, in which nothing is ours but perhaps priorities, with these dependencies too.
``original(source) -> (Source, warnings)``
    The file without those of ours, byte for byte as it was, found without understanding the workflow: ours may name
    jobs that are gone.

What is common to all is done here: pairs are put in order, each once, and left out where the file already has them.

Invariants: reading the result gives the dag that was read plus the added edges, with the same data, whatever rule on
edges it was read by (where the files imply the dependencies they still do: ours do not count as declared by the user).
The result depends on the user's file and the pairs alone: ours are taken out before others are added, and priorities of
ours may be written before or after.

Cost: O(bytes + m), and one more reading where the file has dependencies of ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Literal

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32
from eligo.data import job_numbers
from eligo.errors import EligoError
from eligo.formats import format_by_name
from eligo.formats._base import Document
from eligo.formats._source import Source

__all__ = [
    "DEPENDENCY_FORMATS",
    "INSTRUMENTED_FORMATS",
    "KEPT",
    "Change",
    "Instrumented",
    "Wish",
    "add_dependencies",
    "check_dependencies",
    "check_instrumented",
    "dependencies_of_ours",
    "instrument",
    "remove_dependencies",
    "reread",
    "uninstrument",
    "without_dependencies",
    "without_priorities",
]

INSTRUMENTED_FORMATS = {
    "dagman": "eligo.formats._dagman.priorities",
    "pegasus": "eligo.formats._pegasus.edits",
    "wfformat": "eligo.formats._wfformat.edits",
    "dot": "eligo.formats._dot.edits",
}
"""The module of each format that has a place for priorities."""

KEPT = "a priority that the file gives is kept: --replace puts ours in its place"
"""What is said, with its place, of a priority that the user gave."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How priorities are to be written.

    Attributes
    ----------
    style
        DAGMan only: ``priority`` for PRIORITY lines, ``vars`` for VARS lines that the submit files refer to.
    replace
        Whether ours take the place of priorities that the user gave.
    """

    style: Literal["priority", "vars"] = "priority"
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A file beside the workflow that changes with it, such as a submit file.

    Attributes
    ----------
    path
        Where it is.
    data
        Its whole new content.
    stated
        How the workflow names it: a path from the workflow's own directory, or an absolute one.
    made_from
        The content that the new one was made from.
    """

    path: str
    data: bytes
    stated: str
    made_from: bytes


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A workflow file with our priorities, or without them.

    Attributes
    ----------
    data
        The whole new content of the file.
    others
        Other files that must change with it.
    written
        How many jobs have a priority of ours now.
    kept
        How many jobs keep one that the user gave.
    warnings
        What the user should know, as sentences, with ``file:line:`` in front where there is a place.
    others_first
        Whether the others are to be written before the file itself, so that doing it again repairs what broke off: the
        file says that something of ours is in the others, and must do so as long as it is.
    """

    data: bytes
    others: tuple[Change, ...] = ()
    written: int = 0
    kept: int = 0
    warnings: tuple[str, ...] = ()
    others_first: bool = False


def instrument(document: Document, priorities: Int32, wish: Wish | None = None) -> Instrumented:
    """Return a workflow with priorities: `priorities[job]` is n for the job to run first, down to 1."""
    if len(priorities) != document.dag.n:
        raise EligoError(f"{len(priorities):,} priorities for {document.dag.n:,} jobs")
    result: Instrumented = _priority_module(document).instrument(document, priorities, wish or Wish())
    return result


def uninstrument(document: Document) -> Instrumented:
    """Return a workflow without the priorities that :func:`instrument` put there."""
    result: Instrumented = _priority_module(document).uninstrument(document)
    return result


def without_priorities(source: Source, format: str) -> Source:
    """Return a file without our priorities, where those could keep it from being read: they may be of jobs now gone.

    Whoever is about to write or to take out priorities reads the file so: ``open_document(path, original=True)``.
    """
    if format not in INSTRUMENTED_FORMATS:
        return source
    module = import_module(INSTRUMENTED_FORMATS[format])
    result: Source = module.without_priorities(source) if hasattr(module, "without_priorities") else source
    return result


def check_instrumented(document: Document) -> None:
    """Refuse a workflow whose format has no place for priorities."""
    if document.format not in INSTRUMENTED_FORMATS:
        raise EligoError(
            f"{document.source.path}: {document.format} has no place for priorities",
            hint=f"convert it first: eligo convert; formats that have: {', '.join(INSTRUMENTED_FORMATS)}",
        )


def _priority_module(document: Document) -> ModuleType:
    check_instrumented(document)
    return import_module(INSTRUMENTED_FORMATS[document.format])


DEPENDENCY_FORMATS = {
    "dagman": "eligo.formats._dagman.marked_block",
    "pegasus": "eligo.formats._pegasus.edits",
    "wfformat": "eligo.formats._wfformat.edits",
    "dot": "eligo.formats._dot.edits",
}
"""The module of each format that has a place for dependencies."""


def add_dependencies(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return a workflow in which job `tails[i]` must complete before job `heads[i]` starts; ours from before are gone.

    Returns
    -------
    Instrumented
        ``written`` counts the dependencies that are ours, ``kept`` those that the file has anyway.

    Raises
    ------
    CycleError
        With these dependencies jobs would wait for each other in a circle.
    EligoError
        The format, or the way in which the file is written, has no place for them.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\nJOB c c.sub\nPARENT a CHILD b\n"))
    >>> done = add_dependencies(document, np.array([0, 1], np.int32), np.array([1, 2], np.int32))
    >>> done.written, done.kept, done.data.splitlines()[-2]
    (1, 1, b'PARENT b CHILD c')
    """
    module = _dependency_module(document)
    plain, warnings = _plain(document)
    dag = plain.dag
    tails, heads = _pairs(tails, heads, dag.n)
    there = _core.has_edge(dag.succ_ptr, dag.succ, tails, heads).view(np.bool_)
    kept = int(np.count_nonzero(there))
    tails, heads = tails[~there], heads[~there]
    if not len(tails):
        return Instrumented(plain.source.data, kept=kept, warnings=warnings)
    Dag.from_edges(dag.names, np.concatenate([dag.tails, tails]), np.concatenate([dag.heads, heads]))  # or a cycle
    result: Instrumented = module.add(plain, tails, heads)
    return replace(result, kept=kept, warnings=(*warnings, *result.warnings))


def remove_dependencies(document: Document) -> Instrumented:
    r"""Return a workflow without the dependencies that :func:`add_dependencies` put there.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> source = Source("x.dag", b"JOB a a.sub\nJOB b b.sub")
    >>> done = add_dependencies(parse(source), np.array([0], np.int32), np.array([1], np.int32))
    >>> remove_dependencies(parse(Source("x.dag", done.data))).data == source.data
    True
    """
    source, warnings = _dependency_module(document).without_dependencies(document.source)
    return Instrumented(source.data, warnings=warnings)


def without_dependencies(source: Source, format: str) -> Source:
    """Return a file without our dependencies; whoever is about to limit it reads it so.

    That is what ``open_document(path, original=True, limited=False)`` does.
    """
    if format not in DEPENDENCY_FORMATS:
        return source
    plain: Source = import_module(DEPENDENCY_FORMATS[format]).without_dependencies(source)[0]
    return plain


def check_dependencies(document: Document) -> None:
    """Refuse a workflow whose format has no place for dependencies of ours."""
    if document.format not in DEPENDENCY_FORMATS:
        raise EligoError(
            f"{document.source.path}: {document.format} has no place for added dependencies",
            hint=f"convert it first: eligo convert; formats that have: {', '.join(DEPENDENCY_FORMATS)}",
        )


def dependencies_of_ours(document: Document) -> tuple[Int32, Int32]:
    r"""Return the edges of a document's dag that only our dependencies state, in order.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\n"))
    >>> done = add_dependencies(document, np.array([0], np.int32), np.array([1], np.int32))
    >>> dependencies_of_ours(reread(document, done.data))
    (array([0], dtype=int32), array([1], dtype=int32))
    """
    dag = document.dag
    none = np.empty(0, np.int32)
    if document.format not in DEPENDENCY_FORMATS:
        return none, none
    plain = _plain(document)[0].dag
    if plain is dag:
        return none, none
    ours = ~_core.has_edge(plain.succ_ptr, plain.succ, dag.tails, dag.heads).view(np.bool_)
    return dag.tails[ours], dag.heads[ours]


def reread(document: Document, data: bytes) -> Document:
    """Return the document of new content of the same file, for example to prioritise what was just limited.

    Our priorities are passed over in reading, as ``open_document(path, original=True)`` does. What a table of job data
    said of the jobs is kept, so the new file must have the same jobs.
    """
    source = Source(document.source.path, data)
    fresh = _parsed(source, document)
    old = document.dag
    known = {key: getattr(old, key) for key in ("time_s", "temp_bytes", "memory_bytes", "count", "data")}
    return replace(fresh, dag=fresh.dag.with_known(**known), source=source, origin=document.origin)


def _dependency_module(document: Document) -> ModuleType:
    check_dependencies(document)
    return import_module(DEPENDENCY_FORMATS[document.format])


def _plain(document: Document) -> tuple[Document, tuple[str, ...]]:
    """Return a document without dependencies of ours: itself, or the file read again without them."""
    source, warnings = _dependency_module(document).without_dependencies(document.source)
    if source.data == document.source.data:
        return document, warnings
    plain = replace(_parsed(source, document), source=source)
    if plain.dag.names != document.dag.names:
        raise EligoError(f"{source.path}: has other jobs without our dependencies", hint="run the command again")
    return plain, warnings


def _parsed(source: Source, document: Document) -> Document:
    return format_by_name(document.format).parse(without_priorities(source, document.format), document.edges)


def _pairs(tails: Int32, heads: Int32, n: int) -> tuple[Int32, Int32]:
    """Return pairs in order, each once."""
    tails, heads = job_numbers(tails, n), job_numbers(heads, n)
    if len(tails) != len(heads):
        raise EligoError(f"{len(tails):,} jobs to wait for and {len(heads):,} that wait")
    keys = np.unique(tails.astype(np.int64) * max(n, 1) + heads)
    return (keys // max(n, 1)).astype(np.int32), (keys % max(n, 1)).astype(np.int32)
