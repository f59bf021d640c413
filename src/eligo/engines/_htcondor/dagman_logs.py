r"""The event log of a DAG's jobs, ``flow.dag.nodes.log``: where they ran, how they ended, what they used.

The log is text: a head line with the kind of event and the job's id, some lines of detail, then ``...`` on a line of
its own. The queue and the jobs' shadows append to it; DAGMan reads it and tells in its own log of states what it makes
of each event (``job_states.py``). We follow DAGMan's word on what happened, and look here for the details: events of
one kind and one id come in the same order in both. DAGMan reads before it writes, so what it told of is already here.

Files that others append to, read as they grow.

What DAGMan knows of each node when it ends: its file of node states.

``NODE_STATUS_FILE`` makes DAGMan write, as its last act, a list of records::

    [
      Type = "NodeStatus";
      Node = "fetch";
      NodeStatus = 6; /* "STATUS_ERROR" */
      StatusDetails = "PRE Script failed with status 1";
      ...
    ]

The file is replaced whole. A node that was in the queue when DAGMan was removed counts as failed there, with details
that say what it was.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import final

__all__ = [
    "GrowingFile",
    "Kind",
    "LoggedEvent",
    "NodeState",
    "NodeStatus",
    "NodesLog",
    "read_event",
    "read_node_states",
]

_CHUNK_BYTES = 1 << 24


class GrowingFile:
    r"""A text file that another program appends records to; a record that is not complete yet is left for later.

    Attributes
    ----------
    offset
        Where the first record begins that was not returned yet.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "log"
    ...     file = GrowingFile(path, "\n")
    ...     first = list(file.records())
    ...     _ = path.write_text("one\ntwo\nthr")
    ...     first, list(file.records()), file.offset
    ([], [('one', 4), ('two', 8)], 8)
    """

    def __init__(self, path: Path, end: str, offset: int = 0) -> None:
        self.path = path
        self.end = end.encode()
        self.offset = offset

    def records(self) -> Iterator[tuple[str, int]]:
        """Yield each new record, without its end, and where the next one begins."""
        while chunk := self._read():
            *complete, _ = chunk.split(self.end)
            for record in complete:
                self.offset += len(record) + len(self.end)
                yield record.decode("utf-8", "surrogateescape"), self.offset

    def text(self) -> str:
        """Return all new records, with their ends, as one text."""
        parts = []
        while chunk := self._read():
            self.offset += len(chunk)
            parts.append(chunk)
        return b"".join(parts).decode("utf-8", "replace")

    def _read(self) -> bytes:
        """Return what there is from `offset` to the last end of a record, at most some megabytes of it."""
        size = _CHUNK_BYTES
        try:
            with self.path.open("rb") as stream:
                while True:
                    stream.seek(self.offset)
                    data = stream.read(size)
                    last = data.rfind(self.end)
                    if last >= 0:
                        return data[: last + len(self.end)]
                    if len(data) < size:
                        return b""
                    size *= 2
        except FileNotFoundError:
            return b""


class Kind(IntEnum):
    """Kinds of events that we look at, by HTCondor's numbers."""

    SUBMIT = 0
    EXECUTE = 1
    EVICTED = 4
    TERMINATED = 5
    IMAGE_SIZE = 6
    SHADOW_EXCEPTION = 7
    ABORTED = 9
    HELD = 12
    POST_TERMINATED = 16
    DISCONNECTED = 22
    RECONNECT_FAILED = 24


_KINDS = frozenset(Kind)
_HEAD = re.compile(r"(\d{3}) \((\d+)\.(\d+)\.\d+\) ")
_SLOT = re.compile(r"^\tSlotName: (.+)$", re.MULTILINE)
_HOST = re.compile(r"on host: <?([^>?\n]+)")
_CODE = re.compile(r"^\t\(1\) Normal termination \(return value (-?\d+)\)", re.MULTILINE)
_SIGNAL = re.compile(r"^\t\(0\) Abnormal termination \(signal (\d+)\)", re.MULTILINE)
_USAGE = re.compile(r"^\t\tUsr (\d+) (\d+):(\d+):(\d+), Sys (\d+) (\d+):(\d+):(\d+)  -  Run Remote Usage", re.MULTILINE)
_MEMORY_MB = re.compile(r"^\t   Memory \(MB\) +: +(\d+) +\d+ +\d+", re.MULTILINE)
_RESIDENT_KB = re.compile(r"^\t(\d+)  -  ResidentSetSize of job \(KB\)", re.MULTILINE)


@final
@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event.

    Attributes
    ----------
    job
        Number of the cluster and of the process in it, as ``cluster.process``.
    slot
        Where it executes.
    exit_code
        128 + number for a signal.
    cpu_s, peak_bytes
        What it used.
    text
        Why, in HTCondor's words.
    """

    kind: Kind
    job: str
    slot: str = ""
    exit_code: int | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None
    text: str = ""


def read_event(record: str) -> LoggedEvent | None:
    r"""Return what an event says, or ``None`` if it is of a kind that does not matter here.

    Examples
    --------
    >>> event = read_event("001 (012.000.000) 2026-01-31 12:59:17 Job executing on host: x\n\tSlotName: slot2@a")
    >>> event.kind, event.job, event.slot
    (<Kind.EXECUTE: 1>, '12.0', 'slot2@a')
    """
    head = _HEAD.match(record)
    if head is None or int(head[1]) not in _KINDS:
        return None
    kind, job = Kind(int(head[1])), f"{int(head[2])}.{int(head[3])}"
    if kind is Kind.SUBMIT:
        return LoggedEvent(kind, job)
    if kind is Kind.EXECUTE:
        found = _SLOT.search(record) or _HOST.search(record)
        return LoggedEvent(kind, job, slot=found[1] if found else "")
    if kind is Kind.IMAGE_SIZE:
        return LoggedEvent(kind, job, peak_bytes=_number(_RESIDENT_KB, record, 1024))
    if kind in (Kind.TERMINATED, Kind.POST_TERMINATED):
        code, signal = _number(_CODE, record), _number(_SIGNAL, record, 1)
        peak = _number(_MEMORY_MB, record, 1 << 20) or None  # whole megabytes: 0 says nothing
        return LoggedEvent(kind, job, "", 128 + signal if signal else code, _cpu_s(record), peak)
    return LoggedEvent(kind, job, text=_reason(kind, record))


def _number(pattern: re.Pattern[str], record: str, unit: int = 1) -> int | None:
    found = pattern.search(record)
    return int(found[1]) * unit if found else None


def _cpu_s(record: str) -> float | None:
    found = _USAGE.search(record)
    if found is None:
        return None
    user, system = (
        ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
        for days, hours, minutes, seconds in (found.groups()[:4], found.groups()[4:])
    )
    return float(user + system)


def _reason(kind: Kind, record: str) -> str:
    lines = [line.strip() for line in record.split("\n")[1:]]
    if kind is Kind.EVICTED:  # the rest is what it used
        lines = [line for line in lines if line.startswith(("Error from", "Reason:"))]
    return next((line for line in lines if line), "")


class NodesLog:
    """The log of a DAG's jobs, read as far as it is there."""

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path, "\n...\n")
        self._waiting: dict[tuple[Kind, str], deque[LoggedEvent]] = defaultdict(deque)
        self._peaks: dict[str, int] = {}

    def read(self) -> None:
        """Take in what is new."""
        for event in self._events():
            if event.kind is not Kind.IMAGE_SIZE:
                self._waiting[event.kind, event.job].append(event)
            elif event.peak_bytes:
                self._peaks[event.job] = max(self._peaks.get(event.job, 0), event.peak_bytes)

    def _events(self) -> Iterator[LoggedEvent]:
        for record, _ in self._file.records():
            event = read_event(record)
            if event is not None and event.kind is not Kind.SUBMIT:
                yield event

    def take(self, kind: Kind, job: str) -> LoggedEvent:
        """Return the next event of this kind about a job of the queue; without details where there is none."""
        events = self._waiting.get((kind, job))
        if not events:
            return LoggedEvent(kind, job)
        event = events.popleft()
        if not events:
            del self._waiting[kind, job]
        return event

    def peak_bytes(self, job: str) -> int | None:
        """Return the largest size that was seen of a job of the queue while it ran."""
        return self._peaks.pop(job, None)


_RECORD = re.compile(
    r'^  Node = "((?:[^"\\]|\\.)*)";\n  NodeStatus = (\d+);[^\n]*\n  StatusDetails = "((?:[^"\\]|\\.)*)";', re.MULTILINE
)
_HEAD_CHARACTERS = 10_000
_INTERRUPTED = "Was STATUS_"


class NodeStatus(IntEnum):
    """Those of DAGMan's states that are an end."""

    OPEN = 0
    DONE = 5
    ERROR = 6


@final
@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of a node and, where it failed, why."""

    status: NodeStatus
    details: str = ""


def read_node_states(path: Path, dag: str) -> dict[str, NodeState]:
    r"""Return the state of each node by its name; nothing where there is no such file, or it is of another DAG.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "status"
    ...     record = '  DagFiles = {\n    "x.dag"\n  };\n  Node = "a";\n'
    ...     record += '  NodeStatus = 6; /* "STATUS_ERROR" */\n  StatusDetails = "why";\n'
    ...     _ = path.write_text(record)
    ...     read_node_states(path, "x.dag")
    {'a': NodeState(status=<NodeStatus.ERROR: 6>, details='why')}
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    if f'"{dag}"' not in text[:_HEAD_CHARACTERS]:
        return {}
    return {name: _state(int(status), details) for name, status, details in _RECORD.findall(text)}


def _state(status: int, details: str) -> NodeState:
    if status == NodeStatus.DONE:
        return NodeState(NodeStatus.DONE)
    if status == NodeStatus.ERROR and not details.startswith(_INTERRUPTED):
        return NodeState(NodeStatus.ERROR, details)
    return NodeState(NodeStatus.OPEN)
