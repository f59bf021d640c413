"""From Nextflow's trace (``-with-trace``) to times and memory of jobs.

A trace has a row for each task: ``FASTQC (sample1)`` is a task of the process ``FASTQC``. Workflows are known to us in
two ways. In Nextflow's own graph a job is a process: then all tasks of it are one job, with the mean of their times,
the most memory of any, and how many they are. In a WfFormat file made from a run a job is a task, called by process and
number of the task (``NF.FASTQC_2`` is task 2 of ``NF:FASTQC``).

A job is looked for under the name of the task; process and number; the process; its last part, where only one process
of the trace has it. Tasks that failed or were given up do not count; those from the cache do. The time is ``realtime``,
without that in the queue; the memory ``peak_rss``. Nextflow writes for people (``1m 23s``, ``3.1 MB`` of 1024 kB) or,
with ``trace.raw``, in milliseconds and bytes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from eligo.dag import Dag
from eligo.formats._base import Notes
from eligo.formats._job_data import Row
from eligo.formats._source import Source

__all__ = ["is_nextflow_trace", "read_nextflow_trace"]

_TELLING = frozenset({"task_id", "hash", "native_id", "status", "realtime", "peak_rss"})
_GOOD = frozenset({"COMPLETED", "CACHED", ""})
_SCALES_S = {"ms": 0.001, "milli": 0.001, "millis": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_TIME_PART = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([a-z]+)")
_SIZE = re.compile(r"(\d+(?:\.\d*)?)\s*([KMGTPE]?)B?", re.IGNORECASE)
_RAW = re.compile(r"\d+(?:\.0*)?")
_Number = TypeVar("_Number", int, float)


@dataclass(slots=True)
class _Group:
    """The tasks of one job."""

    line: int
    tasks: int = 0
    times_s: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)


def is_nextflow_trace(data: bytes) -> bool:
    r"""Tell whether the first line is the header of a trace.

    Examples
    --------
    >>> is_nextflow_trace(b"task_id\thash\tname\tstatus\n"), is_nextflow_trace(b"job,time_s\n")
    (True, False)
    """
    keys = _header(data[:4000].partition(b"\n")[0].decode("utf-8-sig", "replace"))[1]
    return ("name" in keys or "process" in keys) and len(_TELLING.intersection(keys)) >= 2 and "job" not in keys


def read_nextflow_trace(source: Source, dag: Dag, notes: Notes) -> Iterator[Row]:
    r"""Yield what a trace says of the jobs of a workflow.

    Examples
    --------
    >>> trace = b"task_id\tname\tstatus\trealtime\tpeak_rss\n1\tALIGN (x)\tCOMPLETED\t1m 2s\t1.5 MB\n"
    >>> [row.cells for row in read_nextflow_trace(Source("t", trace), Dag.from_names([("ALIGN", "B")]), Notes())]
    [{'time_s': '62.0', 'memory_bytes': '1572864'}]
    """
    tasks = list(_tasks(source, notes))
    shorts = Counter(process.rpartition(":")[2] for process in {_process(cells) for _, cells in tasks})
    groups: dict[str, _Group] = {}
    unknown: dict[str, _Group] = {}
    for line, cells in tasks:
        name = _job(dag, cells, shorts)
        home, key = (groups, name) if name is not None else (unknown, cells.get("name") or _process(cells))
        group = home.setdefault(key, _Group(line))
        group.tasks += 1
        group.times_s += _known(_seconds, cells.get("realtime", ""), line, source)
        group.memory += _known(_bytes, cells.get("peak_rss", ""), line, source)
    together = sum(group.tasks for group in groups.values() if group.tasks > 1)
    if together:
        jobs = sum(group.tasks > 1 for group in groups.values())
        notes.add(
            source.path,
            None,
            f"{together:,} tasks of the trace belong to {jobs:,} jobs, which stand for processes: read are the mean "
            "time, the most memory and the number of the tasks of each",
        )
    for name, group in (groups | unknown).items():
        yield Row(name, _cells(group), lambda line=group.line: line)  # type: ignore[misc]


def _cells(group: _Group) -> dict[str, str]:
    cells = {}
    if group.times_s:
        cells["time_s"] = repr(round(math.fsum(group.times_s) / len(group.times_s), 6))
    most = max(group.memory, default=0)
    if most:
        cells["memory_bytes"] = str(most)
    if group.tasks > 1:
        cells["count"] = str(group.tasks)
    return cells


def _header(line: str) -> tuple[str, list[str]]:
    """Return what separates the columns, and their names."""
    separator = "\t" if "\t" in line else ";" if ";" in line else ","
    return separator, [key.strip(' "\r').lower() for key in line.split(separator)]


def _tasks(source: Source, notes: Notes) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of each task that succeeded. Nextflow quotes nothing, so nothing is unquoted here."""
    lines = source.text().rstrip().split("\n")
    separator, keys = _header(lines[0])
    for number, line in enumerate(lines[1:], 2):
        fields = [cell.strip() for cell in line.split(separator)]
        if not any(fields) or fields == keys:  # Nextflow may have appended to an older trace
            continue
        if len(fields) != len(keys):
            if number == len(lines):
                return  # cut short while it was written
            raise source.error(
                number,
                f"the line has {len(fields)} fields, the header {len(keys)}",
                hint="a name may hold what separates the fields: let Nextflow write it with tabs",
            )
        cells = dict(zip(keys, fields, strict=True))
        if cells.get("status", "").upper() in _GOOD and cells.get("exit", "") in ("", "-", "0"):
            yield number, cells
        else:
            notes.add(source.path, number, "a task of the trace did not succeed: not read")


def _process(cells: dict[str, str]) -> str:
    process = cells.get("process", "")
    return process if process not in ("", "-") else cells.get("name", "").partition(" (")[0]


def _job(dag: Dag, cells: dict[str, str], shorts: Counter[str]) -> str | None:
    """Return the name of the job of a task, if the workflow has it."""
    process = _process(cells)
    short = process.rpartition(":")[2]
    task = cells.get("task_id", "")
    candidates = [cells.get("name", ""), f"{process}_{task}", f"{process.replace(':', '.')}_{task}", process]
    candidates += [process.replace(":", "."), *([short] if shorts[short] == 1 else [])]
    return next((name for name in candidates if name and name in dag), None)


def _known(read: Callable[[str], _Number | None], text: str, line: int, source: Source) -> list[_Number]:
    if text in ("", "-"):
        return []
    value = read(text)
    if value is None:
        raise source.error(line, f"{text[:40]!r} is neither a time nor a size", hint="is this a trace of Nextflow?")
    return [value]


def _seconds(text: str) -> float | None:
    if _RAW.fullmatch(text):
        return float(text) / 1000
    at, total = 0, 0.0
    while at < len(text):
        part = _TIME_PART.match(text, at)
        if part is None or part[2] not in _SCALES_S:
            return None
        total += float(part[1]) * _SCALES_S[part[2]]
        at = part.end()
    return round(total, 6)


def _bytes(text: str) -> int | None:
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(float(match[1]) * 1024 ** (" KMGTPE".index(match[2].upper() or " ")))
