"""What a run saw, as the table that ``--job-data`` reads: the next prioritisation knows times and sizes by it.

Only jobs that have succeeded count, with what their last try took. Sizes stand there twice: as ``output_bytes`` of each
job of which all files were seen, and file by file, which says more: whoever reads the table for the same workflow keeps
its files with their readers, and only learns how large they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from eligo.dag import OUTSIDE
from eligo.engines.plan import Plan
from eligo.engines.state import JobStatus, State
from eligo.formats.table import quote_field
from eligo.replacing import replace_whole

__all__ = ["write_table"]

_HEADER = "job,file,time_s,memory_bytes,output_bytes,size_bytes\n"


def write_table(path: Path, state: State, plan: Plan) -> None:
    """Write the table of the jobs that are done, in place of an older one, whole or not at all."""
    rows = _rows(state, plan)
    replace_whole(path, iter(lambda: "".join(islice(rows, 10_000)).encode(), b""))


def _rows(state: State, plan: Plan) -> Iterator[str]:
    yield _HEADER
    made = _files_of_jobs(plan)
    for job, name in enumerate(plan.dag.names):
        if state.status[job] != JobStatus.DONE or not _fits(name):
            continue
        cells = [_time(state, job), _number(state.peak_bytes[job]), _output(state, made.get(job, []))]
        if any(cells):
            yield f"{quote_field(name)},,{','.join(cells)},\n"
    for file, size in sorted(state.files.items()):
        if _fits(file):
            yield f",{quote_field(file)},,,,{size}\n"


def _files_of_jobs(plan: Plan) -> dict[int, list[str]]:
    data = plan.dag.data
    made: dict[int, list[str]] = {}
    if data is not None and data.names is not None:
        for name, job in zip(data.names, data.producer.tolist(), strict=True):
            if job != OUTSIDE:
                made.setdefault(job, []).append(name)
    return made


def _fits(name: str) -> bool:
    """Tell whether a name can stand in a text file; a few that only bytes can write cannot."""
    return bool(name) and "\0" not in name and name.encode("utf-8", "ignore").decode() == name


def _time(state: State, job: int) -> str:
    start, end = state.start_s[job], state.end_s[job]
    return "" if start is None or end is None or end < start else f"{end - start:.6f}".rstrip("0").rstrip(".")


def _number(value: int | None) -> str:
    return "" if value is None or value < 0 else str(value)


def _output(state: State, files: list[str]) -> str:
    """Return the size of all files of a job, or nothing where one was not seen."""
    sizes = [state.files.get(file) for file in files]
    known = [size for size in sizes if size is not None]
    return str(sum(known)) if known and len(known) == len(sizes) else ""
