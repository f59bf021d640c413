"""HTCondor's event logs, in each of the three forms in which it writes them, as a sequence of events.

Text is the form that everyone has: events of a few lines, each ended by a line ``...``; the first line has number, job
and time, the rest is for people and read by a few patterns. JSON (one object after the other) and XML (one ``<c>``
after the other, with no element around them) hold the same as ClassAds. A log may be cut short anywhere: HTCondor
writes it while jobs run. Only what says when and how a job ran is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, final
from xml.parsers import expat

from eligo.formats.storage import Source

__all__ = ["Event", "is_condor_log", "read_events"]

_TIME = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?|\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?"
_HEAD = re.compile(rf"\s*(\d{{3}}) \((-?\d+)\.(-?\d+)\.(-?\d+)\) ({_TIME})")
_NODE = re.compile(r"^[ \t]*DAG Node: (.*?)\s*$", re.MULTILINE)
_END = re.compile(r"^[ \t]*\((?:1\) Normal termination \(return value (-?\d+)\)|(0)\) Abnormal)", re.MULTILINE)
_MEMORY = re.compile(
    r"^[ \t]*(?:(\d+)\s+-\s+MemoryUsage of job|Memory \(MB\)\s*:[ \t]*(\d+)[ \t]+\d+[ \t]+\d+\s*$)", re.MULTILINE
)
_DISK = re.compile(r"^[ \t]*Disk \(KB\)\s*:[ \t]*(\d+)[ \t]+\d+[ \t]+\d+\s*$", re.MULTILINE)
_BYTES = re.compile(r"^[ \t]*(\d+)\s+-\s+Run Bytes (Sent|Received) By Job", re.MULTILINE)
_SUBMITTED, _TERMINATED, _SIZE, _POST = 0, 5, 6, 16
_IN_JSON = re.compile(rb'\s*\{(?=.{0,8000}"MyType"\s*:).{0,8000}"EventTypeNumber"\s*:\s*\d', re.DOTALL)
_IN_XML = re.compile(rb'\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>\[]*>\s*)?(?:<(?:eventlog|classads)>\s*)?<c>\s*<a n="')
_PROLOGUE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>\[]*>\s*)?(?:<(?:eventlog|classads)>\s*)?")


@final
@dataclass(frozen=True, slots=True)
class Event:
    """One event of a job.

    Attributes
    ----------
    kind
        Its number: 0 submitted, 1 executing, 5 terminated, ...
    job
        Cluster, process and subprocess.
    time_s
        When, in seconds since some moment in the past; ``None`` if it cannot be read.
    node
        The DAG node, where the event names one.
    exit_code
        Of what terminated; -1 for a signal.
    memory_mib, disk_kib, sent_bytes, received_bytes
        What the job used and transferred, where the event says so.
    line
        Where it begins.
    """

    kind: int
    job: tuple[int, int, int]
    time_s: float | None
    node: str | None = None
    exit_code: int | None = None
    memory_mib: int | None = None
    disk_kib: int | None = None
    sent_bytes: int | None = None
    received_bytes: int | None = None
    line: int = 1


def is_condor_log(data: bytes) -> bool:
    r"""Tell whether these are the first bytes of an event log.

    Examples
    --------
    >>> is_condor_log(b"000 (12.000.000) 2026-01-31 10:00:00 Job submitted from host: <>\n"), is_condor_log(b"job,x")
    (True, False)
    """
    head = data[:8000].removeprefix(b"\xef\xbb\xbf")
    return any((_HEAD.match(head.decode("utf-8", "replace")), _IN_JSON.match(head), _IN_XML.match(head)))


def read_events(source: Source) -> Iterator[Event]:
    r"""Yield the events of a log in any form.

    Examples
    --------
    >>> log = b"001 (12.000.000) 01/31 10:00:00 Job executing on host: <>\n...\n"
    >>> [(event.kind, event.job) for event in read_events(Source("x.log", log))]
    [(1, (12, 0, 0))]
    """
    begin = source.data[:8000].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begin == b"{":
        return _from_json(source)
    return _from_xml(source) if begin == b"<" else _from_text(source)


def _from_text(source: Source) -> Iterator[Event]:
    line = 1
    whole = source.data.decode("utf-8-sig", "surrogateescape")
    for text in re.split(r"^\.\.\.[ \t\r]*(?:\n|\Z)", whole, flags=re.MULTILINE)[:-1]:  # the last is cut short
        head = _HEAD.match(text)
        if head is not None:
            kind, *job = (int(number) for number in head.groups()[:4])
            yield _event_of_text(text, kind, (job[0], job[1], job[2]), _seconds(head[5]), line)
        elif text.strip(" .\r\n\t"):
            raise source.error(
                line, "this is no event of HTCondor", hint="is the log damaged? Events end with a line ..."
            )
        line += text.count("\n") + 1


def _event_of_text(text: str, kind: int, job: tuple[int, int, int], time_s: float | None, line: int) -> Event:
    if kind in (_SUBMITTED, _POST):
        node = _NODE.search(text)
        return Event(kind, job, time_s, node and node[1], _end(text) if kind == _POST else None, line=line)
    if kind not in (_TERMINATED, _SIZE):
        return Event(kind, job, time_s, line=line)
    disk = _DISK.search(text)
    moved = {direction: int(number) for number, direction in _BYTES.findall(text)}
    return Event(
        kind,
        job,
        time_s,
        None,
        _end(text),
        max((int(usage or total) for usage, total in _MEMORY.findall(text)), default=None),
        None if disk is None else int(disk[1]),
        moved.get("Sent"),
        moved.get("Received"),
        line,
    )


def _end(text: str) -> int | None:
    end = _END.search(text)
    return None if end is None else -1 if end[1] is None else int(end[1])


def _seconds(text: str) -> float | None:
    """Return seconds since a moment of long ago; without a year, since one of a leap year."""
    if text[2:3] == "/":
        text = f"2000-{text[:2]}-{text[3:]}"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment.replace(tzinfo=None) - datetime(2000, 1, 1)).total_seconds()  # only differences count


def _from_json(source: Source) -> Iterator[Event]:
    text = source.data.decode("utf-8-sig", "surrogateescape")
    decoder = json.JSONDecoder()
    between = re.compile(r"[\s,\]\[]*(?:\.\.\.\s*)?")
    at, line, counted = between.match(text).end(), 1, 0  # type: ignore[union-attr]
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        try:
            entry, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if "}" not in text[at:]:
                return  # cut short while it was written
            raise source.error(line, "this is no event of HTCondor", hint="is the log damaged?") from None
        if isinstance(entry, dict):
            yield from _event_of_ad(entry, line)
        at = between.match(text, at).end()  # type: ignore[union-attr]


def _event_of_ad(entry: dict[str, Any], line: int) -> Iterator[Event]:
    kind = _whole(entry.get("EventTypeNumber"))
    if kind is None:
        return
    notes = _NODE.search(str(entry.get("LogNotes", "")))
    node = entry.get("DAGNodeName") or (notes and notes[1])
    ended = entry.get("TerminatedNormally")
    code = None if ended is None else _whole(entry.get("ReturnValue")) if str(ended).lower() in ("true", "t") else -1
    job = (_whole(entry.get(key)) or 0 for key in ("Cluster", "Proc", "Subproc"))
    yield Event(
        kind,
        (next(job), next(job), next(job)),
        _seconds(str(entry.get("EventTime", ""))),
        str(node) if node else None,
        code,
        _whole(entry.get("MemoryUsage")),
        _whole(entry.get("DiskUsage")),
        _whole(entry.get("SentBytes")),
        _whole(entry.get("ReceivedBytes")),
        line,
    )


def _whole(value: Any) -> int | None:
    try:
        return int(float(value)) if not isinstance(value, bool) and abs(float(value)) < 2**62 else None
    except (TypeError, ValueError):
        return None


def _from_xml(source: Source) -> Iterator[Event]:
    reader = _XmlReader()
    begin = _PROLOGUE.match(source.data.removeprefix(b"\xef\xbb\xbf")).end()  # type: ignore[union-attr]
    lines_before = source.data.count(b"\n", 0, begin)
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda tag, keys: reader.start(tag, keys, parser.CurrentLineNumber + lines_before)
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = None
    try:
        parser.Parse(b"<log>", False)
        parser.Parse(source.data.removeprefix(b"\xef\xbb\xbf")[begin:], False)  # never finished: it may be cut short
    except expat.ExpatError as error:
        if "</eventlog>" not in source.data[-20:].decode("ascii", "replace"):
            raise source.error(
                error.lineno + lines_before,
                f"not well-formed XML: {expat.ErrorString(error.code)}",
                hint="is the log damaged?",
            ) from None
    for line, entry in reader.entries:
        yield from _event_of_ad(entry, line)


class _XmlReader:
    """Collects the outer ClassAds: ``<c><a n="Cluster"><i>5</i></a></c>``."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, dict[str, str]]] = []
        self._depth = 0
        self._entry: dict[str, str] = {}
        self._line = 1
        self._key = ""
        self._text: list[str] = []

    def start(self, tag: str, keys: dict[str, str], line: int) -> None:
        self._depth += 1
        if self._depth == 2:
            self._entry, self._line = {}, line
        elif self._depth == 3:
            self._key, self._text = keys.get("n", ""), []
        elif self._depth == 4 and tag == "b":
            self._text = [keys.get("v", "")]

    def characters(self, text: str) -> None:
        if self._depth == 4:
            self._text.append(text)

    def end(self, tag: str) -> None:
        if self._depth == 3:
            self._entry[self._key] = "".join(self._text)
        elif self._depth == 2 and tag == "c":
            self.entries.append((self._line, self._entry))
        self._depth -= 1
