"""Pegasus DAX 1.8 to 3.6: workflows in XML, read only.

The file is streamed through expat, the parser below ElementTree: no tree is kept, and every error has its line.
Elements are matched by local name, since namespaces differ between versions (or are missing). A document type
declaration is refused as soon as it begins, before any entity in it could be defined, let alone expanded.

Jobs are the elements ``job``, ``dax`` and ``dag``, called by their ``id``. Dependencies are ``<child ref><parent
ref/></child>``. Files are the job's ``uses``: ``file`` up to version 2.1, ``name`` from 3.0, with ``link`` input,
output or inout; a use that has no link is neither read nor written. Times are the attribute ``runtime`` (synthetic
workflows) or the profile ``pegasus::runtime``; sizes the attribute ``size`` or ``<metadata key="size">``, of the use
or of a ``file`` element. ``jobCount`` and other counts are not believed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

from eligo.errors import ParseError
from eligo.formats._base import Document, EdgeRule
from eligo.formats._dag_builder import Draft
from eligo.formats._source import Source

__all__ = ["NAME", "TITLE", "DaxDetails", "DaxJob", "parse", "sniff"]

NAME = "dax"
TITLE = "Pegasus DAX (XML)"

_JOBS = frozenset({"job", "dax", "dag"})
_READS = frozenset({"input", "inout"})
_WRITES = frozenset({"output", "inout"})
_LINKS = _READS | _WRITES | {"none", "checkpoint", ""}
_PROLOGUE = re.compile(
    r"\s*+(?:(?:<\?(?:[^?]++|\?(?!>))*\?>|<!--(?:[^-]++|-(?!->))*-->"
    r"|<!DOCTYPE[^\[>]*+(?:\[(?:[^\]]++|\](?!\s*>))*\]\s*+)?>)\s*+)*<(?:[\w.-]+:)?adag[\s/>]"
)


@dataclass(frozen=True, slots=True)
class DaxJob:
    """What a job runs: its kind (``job``, ``dax`` or ``dag``) and the transformation, or the file of a sub-workflow."""

    kind: str
    transformation: str


@dataclass(frozen=True, slots=True)
class DaxDetails:
    """The version the file states, or nothing, and one entry for each job."""

    version: str
    jobs: tuple[DaxJob, ...]


def sniff(head: str) -> bool:
    """Tell whether the root element is ``adag``, whatever its namespace.

    Examples
    --------
    >>> sniff('<?xml version="1.0"?><!-- generated --><d:adag xmlns:d="urn:x">'), sniff("<html>")
    (True, False)
    """
    return _PROLOGUE.match(head.removeprefix("\ufeff")) is not None


def parse(source: Source, edges: EdgeRule | None) -> Document:
    """Read a DAX file.

    Examples
    --------
    >>> text = b'<adag><job id="a"/><job id="b"/><child ref="b"><parent ref="a"/></child></adag>'
    >>> parse(Source("two.dax", text), None).dag
    Dag(2 jobs, 1 edge)
    """
    handler = _Handler(source)
    handler.run()
    dag = handler.draft.build(edges)
    details = DaxDetails(handler.version, tuple(handler.jobs))
    return Document(dag, NAME, source, handler.draft.notes.texts(), details)


class _Handler:
    """Follows the elements as expat meets them."""

    def __init__(self, source: Source) -> None:
        self.draft = Draft(source)
        self.version = ""
        self.jobs: list[DaxJob] = []
        self._source = source
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.buffer_text = True
        self._depth = 0
        self._job = -1  # the job whose element is open
        self._child: str | None = None
        self._use: dict[str, Any] | None = None  # the open uses or file element
        self._wanted = ""  # which text is being gathered: "size" or "runtime"
        self._text: list[str] = []

    def run(self) -> None:
        try:
            self._parser.Parse(self._source.data, True)
        except expat.ExpatError as error:
            raise self._source.error(
                error.lineno, f"not well-formed XML: {expat.ErrorString(error.code)}", hint="the file may be cut short"
            ) from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not know or that expat cannot use
            raise self._source.error(1, f"unusable encoding: {error}", hint="save the file as UTF-8") from None

    def _refuse(self, *_: object) -> None:
        raise self._error("a document type declaration is not allowed", "remove the DOCTYPE: a DAX needs none")

    def _error(self, text: str, hint: str) -> ParseError:
        return self._source.error(self._line, text, hint=hint)

    @property
    def _line(self) -> int:
        return int(self._parser.CurrentLineNumber)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self._depth += 1
        if self._depth == 1:
            if tag != "adag":
                raise self._error(f"the root element is <{tag[:60]}>, not <adag>", "this is not a Pegasus DAX")
            self.version = attributes.get("version", "")
        elif tag == "uses" and self._job >= 0:
            self._use = attributes
        elif tag in _JOBS:
            self._start_job(tag, attributes)
        elif tag == "child":
            self._child = self._reference(attributes, "child")
        elif tag == "parent":
            if self._child is None:
                raise self._error("a <parent> outside any <child>", "write <child ref=...><parent ref=.../></child>")
            self.draft.join(self._reference(attributes, "parent"), self._child, self._line)
        elif tag == "file" and self._job < 0:
            self._use = attributes
        elif tag in ("metadata", "profile"):
            self._start_text(tag, attributes)

    def _start_job(self, tag: str, attributes: dict[str, str]) -> None:
        if self._job >= 0:
            raise self._error(f"a <{tag}> inside another job", "the element before it may not be closed")
        name = self.draft.text(attributes.get("id"), f"the id of a <{tag}>", self._line)
        self._job = self.draft.add_job(name, self._line)
        if "runtime" in attributes:
            self.draft.set_time(self._job, attributes["runtime"], self._line)
        self.jobs.append(DaxJob(tag, _transformation(tag, attributes)))

    def _reference(self, attributes: dict[str, str], tag: str) -> str:
        return self.draft.text(attributes.get("ref"), f"the ref of a <{tag}>", self._line)

    def _start_text(self, tag: str, attributes: dict[str, str]) -> None:
        key = attributes.get("key", "").lower()
        if tag == "metadata" and key == "size" and self._use is not None:
            self._wanted = "size"
        elif tag == "profile" and key == "runtime" and self._job >= 0 and self._use is None:
            self._wanted = "runtime" if attributes.get("namespace", "").lower() == "pegasus" else ""

    def _characters(self, text: str) -> None:
        if self._wanted:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        self._depth -= 1
        if self._wanted and tag in ("metadata", "profile"):
            self._end_text("".join(self._text))
            self._wanted, self._text = "", []
        elif tag == "uses" and self._use is not None:
            self._take(self._use)
            self._use = None
        elif tag == "file" and self._job < 0 and self._use is not None:
            self._state(self._use)
            self._use = None
        elif tag in _JOBS:
            self._job = -1
        elif tag == "child":
            self._child = None

    def _end_text(self, text: str) -> None:
        if self._wanted == "runtime":
            self.draft.set_time(self._job, text, self._line)
        elif self._use is not None:
            self._use.setdefault("size", text)

    def _state(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name") or attributes.get("file")
        if name and "size" in attributes:
            self.draft.uses.states(name, self.draft.size(attributes["size"], self._line))

    def _take(self, attributes: dict[str, str]) -> None:
        name = attributes.get("file") or attributes.get("name")
        if not name:
            raise self._error("a <uses> names no file", 'write file="..." (DAX 2) or name="..." (DAX 3)')
        link = attributes.get("link", "").lower()
        if link not in _LINKS:
            raise self._error(f"unknown link {link[:60]!r} of file {name[:200]!r}", "a link is input, output or inout")
        size = self.draft.size(attributes.get("size"), self._line)
        if link in _READS:
            self.draft.uses.reads(self._job, name, size)
        if link in _WRITES:
            self.draft.uses.writes(self._job, name, size)
        if not link:
            self.draft.note(self._line, "a <uses> without link is taken as neither read nor written")


def _transformation(tag: str, attributes: dict[str, str]) -> str:
    """Return ``namespace::name:version`` of a job, the file of a sub-workflow."""
    if tag != "job":
        return attributes.get("file") or attributes.get("name", "")
    space, version = attributes.get("namespace"), attributes.get("version")
    return (f"{space}::" if space else "") + attributes.get("name", "") + (f":{version}" if version else "")
