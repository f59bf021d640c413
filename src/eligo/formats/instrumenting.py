"""Write priorities into the workflow a person already has, and take them out again.

Each format that has a place for priorities offers

``instrument(document, priorities, wish) -> Instrumented``
    The file with a priority for every job (n for the first to run, down to 1).
``uninstrument(document) -> Instrumented``
    The file without what ``instrument`` put there, byte for byte as it was.

and may offer

``original(source) -> Source``
    The file as ``uninstrument`` makes it, found without reading it as a workflow.

What we add can be told from what the user wrote: in text formats it stands in a marked block, in JSON and YAML it is
under a key of our own or marked as ours. So the result does not depend on how often it is done, and the user's lines
stay as they are. A priority that the user gave stays too, with a warning, unless ``wish.replace`` says otherwise; then
taking ours out brings the user's back.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Literal

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats.base import Document
from eligo.formats.storage import Source

__all__ = ["INSTRUMENTED_FORMATS", "KEPT", "Change", "Instrumented", "Wish"]
__all__ += ["check_instrumented", "instrument", "uninstrument", "without_priorities"]

INSTRUMENTED_FORMATS = {
    "dagman": "eligo.formats.dagman.instrument",
    "pegasus": "eligo.formats.pegasus_priorities",
    "wfformat": "eligo.formats.wfformat_priorities",
    "dot": "eligo.formats.dot.priorities",
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
    result: Instrumented = _module(document).instrument(document, priorities, wish or Wish())
    return result


def uninstrument(document: Document) -> Instrumented:
    """Return a workflow without the priorities that :func:`instrument` put there."""
    result: Instrumented = _module(document).uninstrument(document)
    return result


def without_priorities(source: Source, format: str) -> Source:
    """Return a file without our priorities, where those could keep it from being read: they may be of jobs now gone.

    Whoever is about to write or to take out priorities reads the file so: ``open_document(path, original=True)``.
    """
    if format not in INSTRUMENTED_FORMATS:
        return source
    module = import_module(INSTRUMENTED_FORMATS[format])
    result: Source = module.original(source) if hasattr(module, "original") else source
    return result


def check_instrumented(document: Document) -> None:
    """Refuse a workflow whose format has no place for priorities."""
    if document.format not in INSTRUMENTED_FORMATS:
        raise EligoError(
            f"{document.source.path}: {document.format} has no place for priorities",
            hint=f"convert it first: eligo convert; formats that have: {', '.join(INSTRUMENTED_FORMATS)}",
        )


def _module(document: Document) -> ModuleType:
    check_instrumented(document)
    return import_module(INSTRUMENTED_FORMATS[document.format])
