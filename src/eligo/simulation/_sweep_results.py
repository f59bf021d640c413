"""What a sweep found, as a table that others can read: CSV or Parquet, by the suffix.

One row for each point of the sweep, strategy or ratio, and metric::

    interarrival,batch,of,metric,mean,median,sd,low,high,...
    1,16,prio,execution_time,31.2,31.1,0.4,30.4,32.1,...
    1,16,prio/fifo,execution_time,0.84,0.84,0.01,0.82,0.855,...

Where there is "no interval" the numbers are empty. What holds for all rows (workflow, seed, ...) stands in columns of
its own behind them, in each row. Comment lines would be shorter, but pandas and R read them only when told to, and
fail otherwise; columns need no telling, and survive when tables are joined. Parquet has the same columns, and the same
facts in the metadata of its schema.

Numbers are written so that they are read back exactly.

Columns as Parquet and back, through pyarrow, which is there only where it is asked for.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from typing import Any

from eligo.errors import EligoError, MissingExtraError
from eligo.formats._delimited_text import quote_field, split_table
from eligo.formats._source import Source, load, replace_file
from eligo.simulation._experiment import Ratios, Summaries, is_formula
from eligo.simulation._ratios import Summary
from eligo.simulation._simulate import few_samples_note, never_ended_hint, plain_summaries

__all__ = [
    "About",
    "Point",
    "Results",
    "check_parquet",
    "check_table_name",
    "parquet_bytes",
    "parquet_rows",
    "read_results",
    "write_results",
]


def check_parquet() -> None:
    """Fail early where pyarrow is missing.

    Raises
    ------
    MissingExtraError
        It is.
    """
    _pyarrow("pyarrow.parquet")


def _pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None


def parquet_bytes(columns: Mapping[str, list[Any]], facts: Mapping[str, str]) -> bytes:
    """Return a table as the bytes of a file, with facts in the metadata of its schema.

    Examples
    --------
    >>> data = parquet_bytes({"a": [1.5, None]}, {"by": "me"})
    >>> list(parquet_rows(Source("t.parquet", data), ["a"]))
    [(1, {'a': 1.5}), (2, {'a': None})]
    """
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    table = arrow.table(dict(columns))
    # A column in which all is empty would have no type, and readers of other languages stumble over that.
    schema = arrow.schema(
        [field.with_type(arrow.float64()) if arrow.types.is_null(field.type) else field for field in table.schema],
        metadata=dict(facts),
    )
    sink = arrow.BufferOutputStream()
    parquet.write_table(table.cast(schema), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def parquet_rows(source: Source, names: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each row, from 1, and its cells.

    Raises
    ------
    ParseError
        The file is damaged or lacks one of the columns `names`.
    """
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    try:
        table = parquet.read_table(arrow.BufferReader(source.data))
    except (arrow.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise source.error(None, f"is damaged Parquet: {reason}", hint="the file may be cut short") from None
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise source.error(None, f"there is no column {missing[0]}", hint="this is no table of a sweep of ours")
    yield from enumerate(table.select(list(names)).to_pylist(), 1)


SUFFIXES = (".csv", ".csv.gz", ".parquet")


@dataclass(frozen=True, slots=True)
class About:
    """What holds for all points of a sweep.

    Attributes
    ----------
    workflow
        A name for the workflow, such as its file; with ``./`` before it where spreadsheets would compute it.
    grid
        What was switched on beyond random arrivals, as JSON.
    memory
        The model of memory, or nothing.
    samples, runs, seed, common, against
        As for ``eligo.simulate``.
    version
        Of Eligo.
    """

    workflow: str
    grid: str
    memory: str
    samples: int
    runs: int
    seed: int
    common: bool
    against: str
    version: str

    def __post_init__(self) -> None:
        name = self.workflow.encode("utf-8", "replace").decode()
        object.__setattr__(self, "workflow", f"./{name}" if is_formula(name) else name)


@dataclass(frozen=True, slots=True)
class Point:
    """What was found on one grid; see ``Comparison``."""

    interarrival: float
    batch: float
    strategies: Summaries
    ratios: Ratios

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain values for ``json.dumps``; what is no finite number is ``None``."""
        return {
            "interarrival": self.interarrival,
            "batch": self.batch,
            "ratios": plain_summaries(self.ratios),
            "strategies": plain_summaries(self.strategies),
        }


@dataclass(frozen=True, slots=True)
class Results:
    """What a sweep found."""

    about: About
    points: tuple[Point, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about these numbers, in words."""
        few = few_samples_note(self.about.samples)
        notes = [few] if few else []
        never = sum(
            any(
                math.isinf(of["execution_time"].mean) or ("ended" in of and of["ended"].mean < 1)
                for of in point.strategies.values()
            )
            for point in self.points
        )
        if never:
            hint = never_ended_hint(_switched_on(self.about.grid))
            notes.append(f"at {never} of {len(self.points)} points some runs never ended: {hint}")
        return tuple(notes)

    def ratio(self, of: str, metric: str) -> list[tuple[float, float, Summary | None]]:
        """Return interarrival, batch and one ratio of each point.

        Raises
        ------
        EligoError
            There is no such ratio.
        """
        try:
            return [(point.interarrival, point.batch, point.ratios[of][metric]) for point in self.points]
        except KeyError:
            pairs = self.points[0].ratios
            there = [f"{metric} of {of}" for of, by_metric in pairs.items() for metric in by_metric]
            raise EligoError(f"there is no ratio {metric} of {of}", hint=f"there is {', '.join(there)}") from None

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain values for ``json.dumps``; what is no finite number is ``None``."""
        return {**asdict(self.about), "points": [point.facts() for point in self.points], "notes": [*self.notes]}


def _switched_on(grid: str) -> dict[str, Any]:
    """Return what a table says of the grid; it may have been written by anyone."""
    try:
        found = json.loads(grid)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


NUMBERS = Summary._fields
TABLE = ("interarrival", "batch", "of", "metric", *NUMBERS, *(field.name for field in fields(About)))
"""The columns, in this order."""

_TYPES: dict[str, type] = {field.name: {"int": int, "bool": bool}.get(str(field.type), str) for field in fields(About)}


def check_table_name(path: str | os.PathLike[str]) -> None:
    """Refuse, before hours of work, a name under which no table could be written.

    Examples
    --------
    >>> check_table_name("out.xlsx")
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: out.xlsx: the name does not tell what kind of table to write
    hint: end it in .csv, .csv.gz, .parquet
    """
    name = os.fspath(path)
    if not name.endswith(SUFFIXES):
        raise EligoError(
            f"{name}: the name does not tell what kind of table to write", hint=f"end it in {', '.join(SUFFIXES)}"
        )
    if name.endswith(".parquet"):
        check_parquet()


def write_results(results: Results, path: str | os.PathLike[str]) -> None:
    """Write a table, whole or not at all.

    Raises
    ------
    EligoError
        The name ends in neither ``.csv``, ``.csv.gz`` nor ``.parquet``, or the file cannot be written.
    MissingExtraError
        Parquet needs pyarrow.
    """
    check_table_name(path)
    rows = list(_rows(results))
    if os.fspath(path).endswith(".parquet"):
        columns = dict(zip(TABLE, map(list, zip(*rows, strict=True)), strict=True))
        replace_file(path, [parquet_bytes(columns, {"eligo": json.dumps(asdict(results.about))})])
    else:
        lines = (",".join(_cell(value) for value in row) + "\n" for row in rows)
        replace_file(path, [",".join(TABLE).encode() + b"\n", *(line.encode() for line in lines)])


def _rows(results: Results) -> Iterator[tuple[Any, ...]]:
    about = tuple(asdict(results.about).values())
    for point in results.points:
        parts: Iterable[tuple[str, Mapping[str, Summary | None]]] = [*point.strategies.items(), *point.ratios.items()]
        for of, by_metric in parts:
            for metric, summary in by_metric.items():
                numbers = summary if summary is not None else (None,) * len(NUMBERS)
                yield point.interarrival, point.batch, of, metric, *numbers, *about


def _cell(value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_field(value) if isinstance(value, str) else repr(value).removesuffix(".0")


def read_results(path: str | os.PathLike[str]) -> Results:
    """Read a table that :func:`write_results` wrote, exactly.

    Raises
    ------
    ParseError
        ``file:line: what is wrong``.
    MissingExtraError
        Parquet needs pyarrow.
    """
    source = load(path)
    table = _Table(source)
    for line, row in parquet_rows(source, TABLE) if source.data.startswith(b"PAR1") else _csv_rows(source):
        table.add(line, row)
    return table.results()


def _csv_rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = split_table(source)
    line, header = next(rows, (1, []))
    missing = [name for name in TABLE if name not in header]
    if missing:
        raise source.error(line, f"there is no column {missing[0]}", hint="this is no table of a sweep of ours")
    for line, cells in rows:
        if len(cells) != len(header):
            raise source.error(line, f"the line has {len(cells)} fields, the header {len(header)}")
        yield line, dict(zip(header, cells, strict=True))


class _Table:
    """Points as they come together from rows; lines are numbered for errors."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.about: About | None = None
        self.points: dict[tuple[float, float], Point] = {}

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        self._add_about(line, row)
        at = self._number(line, row, "interarrival"), self._number(line, row, "batch")
        if not all(0 < value < math.inf for value in at):
            raise self.source.error(line, "interarrival and batch must be above 0 and finite")
        point = self.points.setdefault(at, Point(*at, {}, {}))
        of, metric = row["of"], row["metric"]
        content: dict[str, dict[str, Any]] = point.ratios if "/" in of else point.strategies
        if metric in content.setdefault(of, {}):
            raise self.source.error(line, f"{metric} of {of} stands twice for this interarrival and batch")
        content[of][metric] = summary = self._summary(line, row)
        if summary is None and "/" not in of:
            raise self.source.error(line, f"{metric} of {of} has no numbers", hint="only ratios may lack them")

    def _add_about(self, line: int, row: Mapping[str, Any]) -> None:
        about = About(**{name: self._fact(line, row, name) for name in _TYPES})
        if self.about is None:
            self.about = about
        if about != self.about:
            name = next(name for name in _TYPES if getattr(about, name) != getattr(self.about, name))
            raise self.source.error(
                line,
                f"{name} is {getattr(about, name)!r}, but {getattr(self.about, name)!r} before",
                hint="a table holds one sweep: keep those of others in files of their own",
            )

    def _fact(self, line: int, row: Mapping[str, Any], name: str) -> Any:
        value = row[name]
        if not isinstance(value, str) or _TYPES[name] is str:
            return value
        try:
            return {"true": True, "false": False}[value.lower()] if _TYPES[name] is bool else int(value)
        except (KeyError, ValueError):
            kind = "true or false" if _TYPES[name] is bool else "a whole number"
            raise self.source.error(line, f"{name} must be {kind}, not {value[:40]!r}") from None

    def _number(self, line: int, row: Mapping[str, Any], name: str) -> float:
        try:
            return float(row[name])
        except (ValueError, TypeError):
            raise self.source.error(line, f"{name} must be a number, not {str(row[name])[:40]!r}") from None

    def _summary(self, line: int, row: Mapping[str, Any]) -> Summary | None:
        if all(row[name] in (None, "") for name in NUMBERS):
            return None
        return Summary(*(self._number(line, row, name) for name in NUMBERS))

    def results(self) -> Results:
        if self.about is None:
            raise self.source.error(None, "the table has no rows", hint="the sweep may not have ended")
        return Results(self.about, tuple(self.points.values()))
