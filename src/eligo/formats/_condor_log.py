"""From HTCondor's event logs to times and sizes of jobs.

A job of the dag is a DAG node: DAGMan notes its name when it submits. A node may be submitted again (RETRY), each time
as a new cluster; the last time that succeeded counts. Of each process of that cluster the last time that it executed
counts, by the clock, from its start to its end: what was evicted or held before was lost. Of several processes the
longest time counts, and the memory of all, since they may run at the same time. Whether a node succeeded is what its
POST script says, where the log tells; else all processes must have ended with 0.

* ``memory_bytes``: the most that was seen (HTCondor's MB are MiB). Jobs of a second are often over before anything was
  measured: then 0 is said, and taken as unknown.
* ``output_bytes``: what file transfer sent back. ``temp_bytes``: the disk that its sandbox took while it ran. Both only
  where files were transferred.

HTCondor's event logs, in each of the three forms in which it writes them, as a sequence of events.

Text is the form that everyone has: events of a few lines, each ended by a line ``...``; the first line has number, job
and time, the rest is for people and read by a few patterns. JSON (one object after the other) and XML (one ``<c>``
after the other, with no element around them) hold the same as ClassAds. A log may be cut short anywhere: HTCondor
writes it while jobs run. Only what says when and how a job ran is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, final
from xml.parsers import expat

from eligo.formats._base import Notes
from eligo.formats._job_data import Row
from eligo.formats._source import Source

__all__ = [
    "Event",
    "is_condor_log",
    "read_condor_log",
    "read_events",
]

_TIME = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?|\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?"
_HEAD = re.compile(rf"\s*(\d{{3}}) \((-?\d+)\.(-?\d+)\.(-?\d+)\) ({_TIME})")
_NODE = re.compile(r"^[ \t]*DAG Node: (.*?)\s*$", re.MULTILINE)
_END = re.compile(r"^[ \t]*\((?:1\) Normal termination \(return value (-?\d+)\)|(0)\) Abnormal)", re.MULTILINE)
_MEMORY = re.compile(
    r"^[ \t]*(?:(\d+)\s+-\s+MemoryUsage of job|Memory \(MB\)\s*:[ \t]*(\d+)[ \t]+\d+[ \t]+\d+\s*$)", re.MULTILINE
)
_DISK = re.compile(r"^[ \t]*Disk \(KB\)\s*:[ \t]*(\d+)[ \t]+\d+[ \t]+\d+\s*$", re.MULTILINE)
_BYTES = re.compile(r"^[ \t]*(\d+)\s+-\s+Run Bytes (Sent|Received) By Job", re.MULTILINE)
_SUBMIT_LINE, _TERMINATED_LINE, _SIZE_LINE, _POST_LINE = 0, 5, 6, 16
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
    if kind in (_SUBMIT_LINE, _POST_LINE):
        node = _NODE.search(text)
        return Event(kind, job, time_s, node and node[1], _end(text) if kind == _POST_LINE else None, line=line)
    if kind not in (_TERMINATED_LINE, _SIZE_LINE):
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


_SUBMITTED, _EXECUTING, _EVICTED, _TERMINATED, _SIZE, _EXCEPTION = 0, 1, 4, 5, 6, 7
_ABORTED, _HELD, _POST, _LOST, _CLUSTER = 9, 12, 16, 24, 35
_STOPPED = frozenset({_EVICTED, _EXCEPTION, _HELD, _LOST})
_MIB, _KIB = 1024**2, 1024


@dataclass(slots=True)
class _Process:
    """What is known of one process of a cluster."""

    start_s: float | None = None
    time_s: float | None = None
    memory_mib: int = 0
    disk_kib: int = 0
    sent: int = 0
    received: int = 0
    exit_code: int | None = None


@dataclass(slots=True)
class _Try:
    """One time that a node was submitted."""

    line: int
    processes: dict[tuple[int, int, int], _Process] = field(default_factory=dict)
    after_code: int | None = None

    @property
    def succeeded(self) -> bool:
        if self.after_code is not None:
            return self.after_code == 0
        return all(process.exit_code == 0 for process in self.processes.values())

    def cells(self) -> dict[str, str]:
        processes = self.processes.values()
        times = [process.time_s for process in processes if process.time_s is not None]
        cells = {"time_s": repr(max(times))} if times else {}
        memory = [process.memory_mib for process in processes]
        if all(memory):
            cells["memory_bytes"] = str(sum(memory) * _MIB)
        if any(process.sent or process.received for process in processes):
            cells["output_bytes"] = str(sum(process.sent for process in processes))
            cells["temp_bytes"] = str(sum(process.disk_kib for process in processes) * _KIB)
        return cells


def read_condor_log(source: Source, notes: Notes) -> Iterator[Row]:
    r"""Yield what a log says of each DAG node that succeeded.

    Examples
    --------
    >>> log = b'''000 (7.000.000) 2026-01-31 10:00:00 Job submitted from host: <>
    ...     DAG Node: a
    ... ...
    ... 001 (7.000.000) 2026-01-31 10:00:05 Job executing on host: <>
    ... ...
    ... 005 (7.000.000) 2026-01-31 10:01:05 Job terminated.
    ... 	(1) Normal termination (return value 0)
    ... ...
    ... '''
    >>> [(row.name, row.cells) for row in read_condor_log(Source("x.log", log), Notes())]
    [('a', {'time_s': '60.0'})]
    """
    log = _Log()
    for event in read_events(source):
        log.take(event)
    if log.backwards:
        text = "a job ended before it began, by the clocks of the log: its time is not read"
        notes.add(source.path, log.backwards[0], text, len(log.backwards))
    for node, tries in log.tries.items():
        good = next((one for one in reversed(tries) if one.succeeded), None)
        if good is None:
            notes.add(source.path, tries[-1].line, "a node of the log never succeeded: not read")
        else:
            yield Row(node, good.cells(), lambda line=good.line: line)  # type: ignore[misc]


class _Log:
    """Follows the events."""

    def __init__(self) -> None:
        self.tries: dict[str, list[_Try]] = {}
        self.backwards: list[int] = []
        self._open: dict[tuple[str, int], _Try] = {}
        self._node_of: dict[tuple[int, int, int], str] = {}

    def take(self, event: Event) -> None:
        if event.kind == _SUBMITTED and event.node is not None:
            self._submit(event, event.node)
        elif event.kind == _POST and event.node in self.tries:
            self.tries[event.node][-1].after_code = event.exit_code
        else:
            process = self._process(event)
            if process is not None:
                self._change(process, event)

    def _submit(self, event: Event, node: str) -> None:
        attempt = self._open.get((node, event.job[0]))
        if attempt is None or event.job in attempt.processes:  # two logs in one may have the same numbers
            attempt = self._open[node, event.job[0]] = _Try(event.line)
            self.tries.setdefault(node, []).append(attempt)
        attempt.processes[event.job] = _Process()
        self._node_of[event.job] = node

    def _process(self, event: Event) -> _Process | None:
        node = self._node_of.get(event.job)
        return None if node is None else self._open[node, event.job[0]].processes.get(event.job)

    def _change(self, process: _Process, event: Event) -> None:
        if event.kind == _EXECUTING:
            process.start_s, process.memory_mib = event.time_s, 0
        elif event.kind in _STOPPED:
            process.start_s = None
        elif event.kind == _ABORTED:
            process.exit_code = -1
        elif event.kind in (_SIZE, _TERMINATED):
            process.memory_mib = max(process.memory_mib, event.memory_mib or 0)
            if event.kind == _TERMINATED:
                self._end(process, event)

    def _end(self, process: _Process, event: Event) -> None:
        process.exit_code = event.exit_code
        process.disk_kib = event.disk_kib or 0
        process.sent, process.received = event.sent_bytes or 0, event.received_bytes or 0
        if process.start_s is not None and event.time_s is not None:
            if event.time_s >= process.start_s:
                process.time_s = event.time_s - process.start_s
            else:
                self.backwards.append(event.line)
