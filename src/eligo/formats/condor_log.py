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
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eligo.formats.base import Notes
from eligo.formats.condor_events import Event, read_events
from eligo.formats.job_rows import Row
from eligo.formats.storage import Source

__all__ = ["read_condor_log"]

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
