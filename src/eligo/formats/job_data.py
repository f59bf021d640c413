r"""The job-data table: times and sizes for workflows whose format has none.

A CSV table with a column ``job`` and any of ``time_s``, ``output_bytes``, ``temp_bytes``, ``memory_bytes`` and
``count``, or the same as JSON: a list of objects, or an object of objects by job. Sizes may have units (``64GB``).
Jobs that the table does not name, and cells that are empty or ``NA``, keep what the workflow said. ``output_bytes`` is
one datum that all children of the job read, but not those that only wait for it because ``eligo limit`` made them; it
takes the place of all data that the job was said to produce. Where nothing is known of data otherwise, the outputs of
other jobs with children are unknown, not nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from eligo.dag import UNKNOWN, Dag, Data
from eligo.errors import EligoError
from eligo.formats.base import Document, Notes
from eligo.formats.sizes import parse_count, parse_seconds, parse_size
from eligo.formats.storage import Source
from eligo.formats.strict_json import load_json
from eligo.formats.table import split_table

__all__ = ["attach"]

_PARSERS: dict[str, Callable[[str], float]] = {
    "time_s": parse_seconds,
    "output_bytes": parse_size,
    "temp_bytes": parse_size,
    "memory_bytes": parse_size,
    "count": parse_count,
}
_COLUMNS = ", ".join(_PARSERS)
_MISSING = frozenset(["", "na", "n/a"])  # R writes NA, spreadsheets N/A
_HINT = f"a table has a column job and some of {_COLUMNS}"


@dataclass(frozen=True, slots=True)
class _Row:
    """What a table says of one job; the line may have to be looked for, so it is a function."""

    job: str
    cells: dict[str, str]
    line: Callable[[], int]


def attach(document: Document, source: Source) -> Document:
    r"""Return the document with the times and sizes of a table.

    Raises
    ------
    ParseError
        The table is malformed, or names a job that the workflow does not have, or one twice.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b")])
    >>> table = Source("t.csv", b"job,time_s,output_bytes\na,1.5,2kB\n")
    >>> known = attach(Document(dag, "dot", Source("a.dot", b"")), table).dag
    >>> known.time_s, known.data.size_bytes
    (array([1.5, nan]), array([2000]))
    """
    notes = Notes()
    text = source.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    rows = _json_rows(source) if text in (b"{", b"[") else _csv_rows(source)
    dag = _with_rows(document, rows, source, notes)
    return replace(document, dag=dag, warnings=(*document.warnings, *notes.texts()))


def _with_rows(document: Document, rows: Iterator[_Row], source: Source, notes: Notes) -> Dag:
    dag = document.dag
    columns: dict[str, dict[int, float]] = {key: {} for key in _PARSERS}
    seen: dict[int, Callable[[], int]] = {}
    for row in rows:
        job = _job(dag, row, source)
        if job in seen:
            raise source.error(
                row.line(), f"job {row.job!r} stands in the table twice", hint=f"the other is on line {seen[job]()}"
            )
        seen[job] = row.line
        for key, text in row.cells.items():
            if key not in _PARSERS:
                notes.add(source.path, None, f"column {key[:40]!r} is not known and not read")
            elif text.strip().lower() not in _MISSING:
                columns[key][job] = _number(key, text, row, source)
    if not seen:
        notes.add(source.path, None, "the table names no job")
    return dag.with_known(
        time_s=_merged(dag.time_s, columns["time_s"], dag.n, np.nan),
        temp_bytes=_merged(dag.temp_bytes, columns["temp_bytes"], dag.n, UNKNOWN),
        memory_bytes=_merged(dag.memory_bytes, columns["memory_bytes"], dag.n, UNKNOWN),
        count=_merged(dag.count, columns["count"], dag.n, 1),
        data=_with_outputs(document, {job: int(size) for job, size in columns["output_bytes"].items()}),
    )


def _job(dag: Dag, row: _Row, source: Source) -> int:
    if row.job in dag:
        return dag.index(row.job)
    # Close names are looked for among a few, since comparing with each of 10^6 would take minutes.
    close = get_close_matches(row.job[:100], dag.names[:1000], 1)
    hint = f"did you mean {close[0]!r}?" if close else "the table must use the job names of the workflow"
    raise source.error(row.line(), f"the workflow has no job {row.job[:100]!r}", hint=hint)


def _number(key: str, text: str, row: _Row, source: Source) -> float:
    try:
        return _PARSERS[key](text)
    except EligoError as error:
        raise source.error(row.line(), f"{key} of job {row.job[:100]!r}: {error.text}", hint=error.hint) from None


def _merged(old: Any, stated: dict[int, float], n: int, missing: float) -> Any:
    if not stated:
        return old
    values = (np.full(n, missing, np.float64 if np.isnan(missing) else np.int64) if old is None else old).copy()
    values[list(stated)] = list(stated.values())
    return values


def _with_outputs(document: Document, outputs: dict[int, int]) -> Data | None:
    """Return the data with one shared output for each job of `outputs`, after those of the other jobs."""
    dag = document.dag
    if not outputs:
        return dag.data
    from eligo.formats.dependencies import dependencies_of_ours  # which needs all formats, as few tables do

    ours = set(zip(*(ends.tolist() for ends in dependencies_of_ours(document)), strict=True))
    old = dag.data if dag.data is not None else Data.build([], [], [])
    kept = np.flatnonzero(~np.isin(old.producer, list(outputs))).tolist()
    if dag.data is None:  # then the table is all that is known of outputs, and it may be silent on some
        outputs = outputs | dict.fromkeys(set(dag.tails.tolist()) - set(outputs), UNKNOWN)
    jobs = sorted(outputs)
    names = None
    if old.names is not None:
        names = [old.names[datum] for datum in kept] + [f"output of {dag.names[job]}" for job in jobs]
    return Data.build(
        [*old.size_bytes[kept].tolist(), *(outputs[job] for job in jobs)],
        [*old.producer[kept].tolist(), *jobs],
        [
            *(old.readers_of(datum).tolist() for datum in kept),
            *([child for child in dag.children(job).tolist() if (job, child) not in ours] for job in jobs),
        ],
        names,
    )


def _csv_rows(source: Source) -> Iterator[_Row]:
    rows = split_table(source)
    header_line, header = next(rows, (1, []))
    keys = [field.lower() for field in header]
    if "job" not in keys:
        raise source.error(header_line, "the table has no column job", hint=_HINT)
    repeated = next((key for place, key in enumerate(keys) if key and key in keys[:place]), None)
    if repeated is not None:
        raise source.error(header_line, f"column {repeated!r} stands twice", hint=_HINT)
    for line, fields in rows:
        if len(fields) > len(keys):
            raise source.error(
                line, f"the line has {len(fields)} fields, the header {len(keys)}", hint="quote fields that hold commas"
            )
        named = zip(keys, fields, strict=False)
        cells = {key: field for key, field in named if key or field}  # spreadsheets add columns without a name
        yield _Row(cells.pop("job", ""), cells, lambda line=line: line)  # type: ignore[misc]


def _json_rows(source: Source) -> Iterator[_Row]:
    table, repeated = load_json(source)
    if repeated:
        key = next(iter(repeated))
        raise source.error(source.line_of(f'"{key}"'), f"{key!r} stands twice in one object", hint="keep one of them")
    if isinstance(table, dict):
        entries = [(job, cells) for job, cells in table.items()]
    else:
        entries = [(_popped_job(entry, source), entry) for entry in table]
    for job, cells in entries:
        if not isinstance(cells, dict):
            raise source.error(_line_of(source, job), f"job {job[:100]!r} needs an object", hint=_HINT)
        texts = {str(key).lower(): _text(value, key, job, source) for key, value in cells.items()}
        yield _Row(job, texts, lambda job=job: _line_of(source, job))  # type: ignore[misc]


def _popped_job(entry: Any, source: Source) -> str:
    job = entry.pop("job", None) if isinstance(entry, dict) else None
    if isinstance(job, bool) or not isinstance(job, str | int):
        raise source.error(1, "an entry of the list does not name its job", hint='an entry reads {"job": "a", ...}')
    return str(job)


def _text(value: Any, key: Any, job: str, source: Source) -> str:
    """Return a number as text, so that all go through the same exact readers."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise source.error(_line_of(source, job), f"{str(key)[:40]} of job {job[:100]!r} is not a number", hint=_HINT)
    return value if isinstance(value, str) else repr(value)


def _line_of(source: Source, job: str) -> int:
    return source.line_of(f'"{job}"')
