r"""The job-data table: times and sizes for workflows whose format has none.

A CSV table with a column ``job`` and any of ``time_s``, ``output_bytes``, ``temp_bytes``, ``memory_bytes`` and
``count``, or the same as JSON: a list of objects, or an object of objects by job. Sizes may have units (``64GB``).
Jobs that the table does not name, and cells that are empty or ``NA``, keep what the workflow said. ``output_bytes`` is
one datum that all children of the job read, but not those that only wait for it because ``eligo limit`` made them; it
takes the place of all data that the job was said to produce. Where nothing is known of data otherwise, the outputs of
other jobs with children are unknown, not nothing.

In place of ``job`` a row may name a ``file``, with ``size_bytes``: then that file has this size, whoever makes it, and
its readers stay as they are. Where the sizes of all files of a job are stated so, its ``output_bytes`` is passed over.

Runs say the same in logs of their own: see :mod:`eligo.formats._condor_log` and :mod:`eligo.formats._nextflow_trace`. A
log is about what ran, not about this workflow, so jobs of it that the workflow does not have are only counted. The
folder of a run of ours (``FILE.eligo``) stands for the table in it.

What a table or a log says of one job, before it is held against the workflow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np

from eligo.dag import UNKNOWN, Dag, Data
from eligo.errors import EligoError, ParseError
from eligo.formats._base import Document, Notes
from eligo.formats._delimited_text import split_table
from eligo.formats._json_text import load_json
from eligo.formats._numbers import parse_count, parse_seconds, parse_size
from eligo.formats._source import Source, load

__all__ = [
    "TABLE_NAME",
    "Row",
    "attach",
    "open_table",
]


@final
@dataclass(frozen=True, slots=True)
class Row:
    """What is said of one job, or of one file; the line may have to be looked for, so it is a function.

    Attributes
    ----------
    name
        Of the job, or of the file.
    cells
        Columns of the job-data table and their text.
    is_file
        Whether it is about a file.
    """

    name: str
    cells: dict[str, str]
    line: Callable[[], int]
    is_file: bool = False


TABLE_NAME = "job-data.csv"
"""The table in the folder of a run."""

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
_FILE_SIZE = "size_bytes"


def open_table(path: str | PathLike[str]) -> Source:
    """Read a table or log, or, of the folder of a run, the table in it.

    Raises
    ------
    ParseError
        It cannot be read, or the folder has none.
    """
    folder = Path(path)
    if not folder.is_dir():
        return load(path)
    table = folder / TABLE_NAME
    if not table.is_file():
        raise ParseError(
            str(path),
            None,
            f"the folder has no {TABLE_NAME}",
            hint="name the folder of a run: eligo run makes FILE.eligo",
        )
    return load(table)


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
    rows, is_log = _rows(document, source, notes)
    dag = _with_rows(document, rows, source, notes, is_log=is_log)
    return replace(document, dag=dag, warnings=(*document.warnings, *notes.texts()))


def _rows(document: Document, source: Source, notes: Notes) -> tuple[Iterator[Row], bool]:
    """Return the rows by what the content is, and whether it is a log."""
    from eligo.formats._condor_log import is_condor_log
    from eligo.formats._nextflow_trace import is_nextflow_trace, read_nextflow_trace

    if is_condor_log(source.data):
        from eligo.formats._condor_log import read_condor_log

        return read_condor_log(source, notes), True
    if is_nextflow_trace(source.data):
        return read_nextflow_trace(source, document.dag, notes), True
    text = source.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return (_json_rows(source) if text in (b"{", b"[") else _csv_rows(source)), False


def _with_rows(document: Document, rows: Iterator[Row], source: Source, notes: Notes, *, is_log: bool) -> Dag:
    dag = document.dag
    columns: dict[str, dict[int, float]] = {key: {} for key in _PARSERS}
    files: dict[str, int] = {}
    seen: dict[int, Callable[[], int]] = {}
    others: list[Row] = []
    for row in rows:
        if row.is_file:
            _take_file(row, files, source)
            continue
        if is_log and row.name not in dag:
            others.append(row)
            continue
        job = _job(dag, row, source)
        if job in seen:
            raise source.error(
                row.line(), f"job {row.name!r} stands in the table twice", hint=f"the other is on line {seen[job]()}"
            )
        seen[job] = row.line
        for key, text in row.cells.items():
            if key not in _PARSERS:
                notes.add(source.path, None, f"column {key[:40]!r} is not known and not read")
            elif text.strip().lower() not in _MISSING:
                columns[key][job] = _number(key, text, row, source)
    if is_log:
        _judge_log(source, notes, len(seen), others)
    elif not seen and not files:
        notes.add(source.path, None, "the table names no job")
    outputs = {job: int(size) for job, size in columns["output_bytes"].items()}
    document = replace(document, dag=_with_sizes(dag, files, source, notes))
    return document.dag.with_known(
        time_s=_merged(dag.time_s, columns["time_s"], dag.n, np.nan),
        temp_bytes=_merged(dag.temp_bytes, columns["temp_bytes"], dag.n, UNKNOWN),
        memory_bytes=_merged(dag.memory_bytes, columns["memory_bytes"], dag.n, UNKNOWN),
        count=_merged(dag.count, columns["count"], dag.n, 1),
        data=_with_outputs(document, _not_by_file(dag, outputs, files)),
    )


def _judge_log(source: Source, notes: Notes, found: int, others: list[Row]) -> None:
    """Refuse a log that has nothing to do with the workflow; count what is not in it."""
    if not found:
        shown = f": it has no job {others[0].name[:60]!r}" if others else ", for no job in it succeeded or was named"
        raise source.error(
            others[0].line() if others else None,
            f"the log says nothing of this workflow{shown}",
            hint="is it the log of a run of this very workflow? Jobs must have the same names",
        )
    if others:
        text = f"job {others[0].name[:60]!r} of the log is not in the workflow: passed over"
        notes.add(source.path, others[0].line(), text, len(others))


def _take_file(row: Row, files: dict[str, int], source: Source) -> None:
    if row.name in files:
        raise source.error(row.line(), f"file {row.name[:100]!r} stands in the table twice", hint="keep one of them")
    wrong = next((key for key, text in row.cells.items() if key != _FILE_SIZE and text.strip()), None)
    if wrong is not None:
        raise source.error(
            row.line(),
            f"a row of file {row.name[:100]!r} has a {wrong[:40]}",
            hint="a file has a size_bytes, a job the rest",
        )
    text = row.cells.get(_FILE_SIZE, "")
    if text.strip().lower() not in _MISSING:
        files[row.name] = int(_number(_FILE_SIZE, text, row, source))


def _with_sizes(dag: Dag, files: dict[str, int], source: Source, notes: Notes) -> Dag:
    """Return the dag with data of the sizes that are stated by name."""
    if not files:
        return dag
    data = dag.data
    names = () if data is None or data.names is None else data.names
    missing = len(files) - len(files.keys() & set(names))
    if missing:
        notes.add(source.path, None, f"{missing:,} files of the table are not in the workflow: passed over")
    if data is None or not names:
        return dag
    sizes = [files.get(name, size) for name, size in zip(names, data.size_bytes.tolist(), strict=True)]
    return dag.with_known(data=replace(data, size_bytes=np.array(sizes, np.int64)))


def _not_by_file(dag: Dag, outputs: dict[int, int], files: dict[str, int]) -> dict[int, int]:
    """Return the outputs of jobs that are not known better, file by file."""
    data = dag.data
    if not files or data is None or data.names is None:
        return outputs
    known: dict[int, bool] = {}
    for job, name in zip(data.producer.tolist(), data.names, strict=True):
        known[job] = known.get(job, True) and name in files
    return {job: size for job, size in outputs.items() if not known.get(job, False)}


def _job(dag: Dag, row: Row, source: Source) -> int:
    if row.name in dag:
        return dag.index(row.name)
    # Close names are looked for among a few, since comparing with each of 10^6 would take minutes.
    close = get_close_matches(row.name[:100], dag.names[:1000], 1)
    hint = f"did you mean {close[0]!r}?" if close else "the table must use the job names of the workflow"
    raise source.error(row.line(), f"the workflow has no job {row.name[:100]!r}", hint=hint)


def _number(key: str, text: str, row: Row, source: Source) -> float:
    try:
        return _PARSERS.get(key, parse_size)(text)
    except EligoError as error:
        kind = "file" if row.is_file else "job"
        raise source.error(row.line(), f"{key} of {kind} {row.name[:100]!r}: {error.text}", hint=error.hint) from None


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
    from eligo.formats._editing import dependencies_of_ours  # which needs all formats, as few tables do

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


def _csv_rows(source: Source) -> Iterator[Row]:
    rows = split_table(source)
    header_line, header = next(rows, (1, []))
    keys = [field.lower() for field in header]
    if "job" not in keys and "file" not in keys:
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
        yield _named(cells, lambda line=line: line, source)  # type: ignore[misc]


def _named(cells: dict[str, str], line: Callable[[], int], source: Source) -> Row:
    """Make the row of a job or of a file."""
    job, file = cells.pop("job", ""), cells.pop("file", "")
    if not file:
        if not cells.get(_FILE_SIZE, "x"):
            del cells[_FILE_SIZE]  # the column is there for files
        return Row(job, cells, line)
    if job:
        raise source.error(line(), f"the row names a job and a file, {file[:100]!r}", hint="write a row for each")
    return Row(file, cells, line, is_file=True)


def _json_rows(source: Source) -> Iterator[Row]:
    table, repeated = load_json(source)
    if repeated:
        key = next(iter(repeated))
        raise source.error(source.line_of(f'"{key}"'), f"{key!r} stands twice in one object", hint="keep one of them")
    if isinstance(table, dict):
        entries = [(job, cells, False) for job, cells in table.items()]
    else:
        named = [(_popped_name(entry, source), entry) for entry in table]
        entries = [(name, entry, is_file) for (name, is_file), entry in named]
    for name, cells, is_file in entries:
        if not isinstance(cells, dict):
            raise source.error(_line_of(source, name), f"job {name[:100]!r} needs an object", hint=_HINT)
        texts = {str(key).lower(): _text(value, key, name, source) for key, value in cells.items()}
        yield Row(name, texts, lambda name=name: _line_of(source, name), is_file)  # type: ignore[misc]


def _popped_name(entry: Any, source: Source) -> tuple[str, bool]:
    """Take the name of the job or file out of an entry, and tell whether it is a file's."""
    key = "file" if isinstance(entry, dict) and "file" in entry and "job" not in entry else "job"
    name = entry.pop(key, None) if isinstance(entry, dict) else None
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise source.error(1, "an entry of the list does not name its job", hint='an entry reads {"job": "a", ...}')
    return str(name), key == "file"


def _text(value: Any, key: Any, job: str, source: Source) -> str:
    """Return a number as text, so that all go through the same exact readers."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise source.error(_line_of(source, job), f"{str(key)[:40]} of job {job[:100]!r} is not a number", hint=_HINT)
    return value if isinstance(value, str) else repr(value)


def _line_of(source: Source, job: str) -> int:
    return source.line_of(f'"{job}"')
