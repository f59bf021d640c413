r"""Arrivals as they were seen, from a table: when each batch of workers came, and how many.

::

    time,workers
    # the first morning
    0,12
    0.5,3

A CSV table with a header, in the order of time; further columns are not read. Times are in the unit of the job times.

The throttles that a DAGMan file asks for: how many jobs of each CATEGORY may be in the queue at once.
"""

from __future__ import annotations

import math
import os

import numpy as np

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats._base import Document
from eligo.formats._dagman.details import Details
from eligo.formats._delimited_text import split_table
from eligo.formats._source import Source, load
from eligo.simulation._grid import ArrivalTrace, Throttle

__all__ = [
    "read_arrivals",
    "throttle_of",
]

_COLUMNS = ("time", "workers")
_HINT = "the first line names the columns: time,workers"
_LARGEST = 1e12


def read_arrivals(path: str | os.PathLike[str], repeat_every: float | None = None) -> ArrivalTrace:
    r"""Read arrivals from a CSV file, packed with gzip or not, or from ``-``.

    Parameters
    ----------
    repeat_every
        After which time all of it begins again; ``None`` for nobody after the last.

    Raises
    ------
    ParseError
        ``file:line: what is wrong``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "arrivals.csv")
    ...     with open(name, "w") as stream:
    ...         _ = stream.write("time,workers\n0,12\n0.5,3\n")
    ...     read_arrivals(name).workers.tolist()
    [12, 3]
    """
    return parse_arrivals(load(path), repeat_every)


def parse_arrivals(source: Source, repeat_every: float | None = None) -> ArrivalTrace:
    r"""Take arrivals from the bytes of a table.

    Examples
    --------
    >>> parse_arrivals(Source("a.csv", b"time,workers\n0,12\n-1,3\n"))
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: a.csv:3: time must be a number from 0 to 1e12, not '-1'
    """
    rows = split_table(source)
    line, header = next(rows, (1, []))
    places = [_place(source, line, header, name) for name in _COLUMNS]
    times: list[float] = []
    workers: list[int] = []
    for line, cells in rows:
        if len(cells) != len(header):
            raise source.error(line, f"the line has {len(cells)} fields, the header {len(header)}")
        time, many = (cells[place] for place in places)
        times.append(_time(source, line, time))
        workers.append(_workers(source, line, many))
        if len(times) > 1 and times[-1] < times[-2]:
            raise source.error(line, f"time {times[-1]:g} comes after {times[-2]:g}", hint="sort the lines by time")
    if not times:
        raise source.error(None, "there are no arrivals", hint="give a line for each batch of workers")
    try:
        return ArrivalTrace.of(times, workers, repeat_every)
    except EligoError as error:
        raise source.error(None, error.text, hint=error.hint) from None


def _place(source: Source, line: int, header: list[str], name: str) -> int:
    names = [field.lower() for field in header]
    if names.count(name) != 1:
        wrong = "there is no column" if name not in names else "there are two columns"
        raise source.error(line, f"{wrong} {name}", hint=_HINT)
    return names.index(name)


def _time(source: Source, line: int, text: str) -> float:
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not 0 <= value <= _LARGEST:
        raise source.error(line, f"time must be a number from 0 to 1e12, not {text[:40]!r}")
    return value


def _workers(source: Source, line: int, text: str) -> int:
    plain = text.removesuffix(".0")  # as programs print whole floats
    if not (plain.isdigit() and plain.isascii() and len(plain) <= 13 and int(plain) <= _LARGEST):
        raise source.error(line, f"workers must be a whole number from 0 to 1e12, not {text[:40]!r}")
    return int(plain)


def throttle_of(
    document: Document, *, max_jobs: int | None = None, max_idle: int | None = None, categories: bool = False
) -> Throttle | None:
    r"""Return what holds jobs of a workflow back, or ``None`` where nothing does.

    Parameters
    ----------
    max_jobs, max_idle
        As ``-maxjobs`` and ``-maxidle`` of ``condor_submit_dag``.
    categories
        Whether to obey CATEGORY and MAXJOBS in the file.

    Raises
    ------
    EligoError
        There are no categories with a limit in the file.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> text = b"JOB a a.sub\nJOB b b.sub\nCATEGORY b big\nMAXJOBS big 2\n"
    >>> throttle = throttle_of(parse(Source("x.dag", text), None), categories=True)
    >>> throttle.category.tolist(), throttle.category_max.tolist()
    ([-1, 0], [2])
    """
    category, most = _categories(document) if categories else (None, None)
    if max_jobs is None and max_idle is None and category is None:
        return None
    return Throttle(max_jobs, max_idle, category, most)


def _categories(document: Document) -> tuple[Int32, Int32]:
    details, path = document.details, document.source.path
    limits = details.maxjobs if isinstance(details, Details) else {}
    if not isinstance(details, Details) or not limits:
        raise EligoError(f"{path}: no category has a limit", hint="a DAGMan file limits one by MAXJOBS category number")
    number = {name: place for place, name in enumerate(limits)}
    own = (details.job(job).category for job in range(document.dag.n))
    category = np.array([-1 if name is None else number.get(name, -1) for name in own], np.int32)
    most = np.array([min(limit, 2**31 - 1) for limit in limits.values()], np.int32)
    return category, most
