"""From what was read to a dag: names in full, edges in one numbering, and what is known of the jobs.

What jobs ask for: memory, disk and processes from their submit descriptions, times from their VARS.

Descriptions are shared: a file is read once, whatever the number of jobs that name it, and a file that is not there is
no error, for DAGMan itself does not need it to read a DAG. Where a value holds ``$(x)``, the x of each job's VARS
decides; jobs with the same values are settled together. Beside ``request_memory`` and ``request_disk``, three variables
are read as this package's own writer gives them: ``time_s``, ``memory_bytes`` and ``temp_bytes``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eligo.dag import MAX_BYTES, MAX_SECONDS, UNKNOWN, Dag, Float64, Int64
from eligo.errors import CycleError
from eligo.formats._base import Notes
from eligo.formats._dagman.commands import read_node
from eligo.formats._dagman.details import Details
from eligo.formats._dagman.lines import read_command
from eligo.formats._dagman.parsed_dag import (
    ALL_NODES,
    DagFile,
    MarkRun,
    NodeRun,
    OddMark,
    Unit,
    directory_of,
    join_directory,
    stated_edges,
    walk,
)
from eligo.formats._dagman.tokens import Keyword, Var
from eligo.formats._data_edges import distinct
from eligo.formats._submit.submit_file import MACRO, SubmitDescription, expand, read_size, read_submit

__all__ = [
    "Columns",
    "Shelf",
    "assemble",
    "columns_of",
]

_MANY = 256
_MAX_SUBMIT_BYTES = 2**24
_NOTHING = SubmitDescription({})


@dataclass(slots=True)
class Columns:
    """What is known of the jobs of a unit, splices left out; ``None`` where nothing is."""

    time_s: Float64 | None = None
    memory_bytes: Int64 | None = None
    temp_bytes: Int64 | None = None
    count: Int64 | None = None


class Shelf:
    """Submit files by path, each read at most once, and the directories they were looked for in."""

    def __init__(self, base: str, notes: Notes) -> None:
        self.base = base
        self._notes = notes
        self._read: dict[str, SubmitDescription] = {}
        self._inside: dict[tuple[int, int], SubmitDescription] = {}

    def read(self, directory: str, names: list[str]) -> list[SubmitDescription]:
        """Return the descriptions in files that are named from a directory; empty ones for files that are not there."""
        if len(names) <= _MANY:
            return [self._one(directory, name) for name in names]
        listed: dict[str, frozenset[str]] = {}
        found = []
        for name in names:
            folder, _, file = name.rpartition("/")
            if folder not in listed:
                places = self._places(directory, f"{folder}/" if folder else "")
                listed[folder] = frozenset().union(*map(_files_in, places))
            found.append(self._one(directory, name) if file in listed[folder] else _NOTHING)
        return found

    def _places(self, directory: str, name: str) -> tuple[str, ...]:
        inside = join_directory(directory, name)
        outside = join_directory(self.base, inside)
        return (inside,) if inside == outside else (outside, inside)

    def inside(self, unit: Unit, file: int, begin: int, end: int) -> SubmitDescription:
        """Return a description that is written into a DAG file."""
        key = (file, begin)
        if key not in self._inside:
            self._inside[key] = read_submit(unit.files[file].source.data[begin:end])
        return self._inside[key]

    def _one(self, directory: str, name: str) -> SubmitDescription:
        for path in self._places(directory, name):
            if path not in self._read:
                self._read[path] = self._load(path)
            if self._read[path] is not _NOTHING:
                return self._read[path]
        return _NOTHING

    def _load(self, path: str) -> SubmitDescription:
        try:
            if not Path(path).is_file() or Path(path).stat().st_size > _MAX_SUBMIT_BYTES:
                return _NOTHING
            description = read_submit(Path(path).read_bytes())
        except OSError:
            return _NOTHING
        for oddity in description.oddities:
            self._notes.add(path, None, oddity)
        return description

    def lines_in(self, directory: str, name: str) -> int | None:
        """Return how many items a file of items holds, or ``None`` where it cannot be read."""
        for path in self._places(directory, name):
            try:
                if Path(path).is_file() and Path(path).stat().st_size <= _MAX_SUBMIT_BYTES:
                    lines = Path(path).read_bytes().splitlines()
                    return sum(1 for line in lines if line.strip() and not line.lstrip().startswith(b"#"))
            except OSError:
                continue
        return None


def _files_in(folder: str) -> frozenset[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return frozenset(entry.name for entry in entries)
    except (OSError, ValueError):
        return frozenset()


def columns_of(unit: Unit, shelf: Shelf) -> Columns:
    """Return what is known of a unit's own jobs."""
    variables = _Variables(unit)
    columns = Columns(time_s=variables.times())
    for users in _users(unit, shelf):
        _settle(columns, variables, shelf, users)
    for name in ("memory_bytes", "temp_bytes"):
        if variables.has(name):
            exact = _whole_numbers(variables.values(name))
            known = _column(columns, name, unit.count)
            known[exact >= 0] = exact[exact >= 0]
    return columns


@dataclass(frozen=True, slots=True)
class _Users:
    """The jobs that share a submit description: their numbers, the directory it is in, and the description."""

    positions: NDArray[Any]
    directory: str
    description: SubmitDescription


def _users(unit: Unit, shelf: Shelf) -> Iterable[_Users]:
    """Yield the jobs of each submit description."""
    for run in unit.nodes:
        file = unit.files[run.file]
        if run.odd is not None:
            yield from _odd_user(unit, shelf, run, file)
            continue
        submits = file.scan.job_submit[run.first : run.first + run.count]
        used = distinct(submits)
        directories = [file.directories[number] for number in file.scan.submit_directory[used].tolist()]
        descriptions = _described(unit, shelf, directories, file.scan.submit_names(used))
        place_of = {directory: join_directory(unit.directory, directory) for directory in set(directories)}
        if len(used) == 1:
            yield _Users(np.arange(run.position, run.position + run.count), place_of[directories[0]], descriptions[0])
            continue
        order = np.argsort(submits, kind="stable")
        bounds = np.searchsorted(submits[order], used)
        for i, begin in enumerate(bounds.tolist()):
            if descriptions[i] is not _NOTHING:
                end = int(bounds[i + 1]) if i + 1 < len(bounds) else len(order)
                yield _Users(order[begin:end] + run.position, place_of[directories[i]], descriptions[i])
        if any(description is _NOTHING for description in descriptions):
            empty = np.array([description is _NOTHING for description in descriptions])
            of_job = empty[np.searchsorted(used, submits)]
            yield _Users(np.flatnonzero(of_job) + run.position, unit.directory, _NOTHING)


def _described(unit: Unit, shelf: Shelf, directories: list[str], names: list[str]) -> list[SubmitDescription]:
    paths = [join_directory(directory, name) for directory, name in zip(directories, names, strict=True)]
    if not unit.descriptions:
        return shelf.read(unit.directory, paths)
    inside = unit.descriptions
    return [
        shelf.inside(unit, *inside[name]) if name in inside else shelf.read(unit.directory, [path])[0]
        for name, path in zip(names, paths, strict=True)
    ]


def _odd_user(unit: Unit, shelf: Shelf, run: NodeRun, file: DagFile) -> Iterable[_Users]:
    line = run.odd or read_node(read_command(file.source.data, run.at))
    position = np.array([run.position])
    directory = join_directory(unit.directory, line.directory)
    if line.kind is Keyword.SUBDAG:
        return
    if line.body is not None:
        yield _Users(position, directory, shelf.inside(unit, run.file, *line.body))
    elif line.submit in unit.descriptions:
        yield _Users(position, directory, shelf.inside(unit, *unit.descriptions[line.submit]))
    else:
        yield _Users(position, directory, shelf.read(directory, [line.submit])[0])


class _Variables:
    """The VARS of a unit's jobs, one column a variable, made when asked for."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self.count = unit.count
        self._files = {mark.file for mark in unit.marks if isinstance(mark, MarkRun)}
        self._odd = [mark for mark in unit.marks if isinstance(mark, OddMark) and mark.kind is Keyword.VARS]
        plain = {name.lower() for file in self._files for name in unit.files[file].scan.var_names}
        self.names = plain | {var.name.lower() for mark in self._odd for var in _vars(mark)}
        self._columns: dict[tuple[str, bool], NDArray[Any]] = {}

    def has(self, name: str) -> bool:
        """Tell whether any job has this variable."""
        return name in self.names

    def values(self, name: str, appended: bool = False) -> NDArray[Any]:
        """Return each job's value of a variable, or ``None``; `appended` ones override the submit description."""
        key = (name, appended)
        if key not in self._columns:
            self._columns[key] = self._collect(name, appended)
        return self._columns[key]

    def _collect(self, name: str, appended: bool) -> NDArray[Any]:
        column = np.full(self._unit.count, None, object)
        texts = {file: self._unit.files[file].scan.texts(name.upper()) for file in self._files}
        for mark in self._unit.marks:
            if isinstance(mark, OddMark):
                self._put_odd(column, mark, name, appended)
            elif not appended:
                marks, values = texts[mark.file]
                first, last = np.searchsorted(marks, (mark.first, mark.first + len(mark.nodes))).tolist()
                nodes = mark.nodes[marks[first:last] - mark.first]
                inside = nodes >= 0
                column[nodes[inside]] = np.array(values[first:last], object)[inside]
        return column

    def _put_odd(self, column: NDArray[Any], mark: OddMark, name: str, appended: bool) -> None:
        if mark.kind is not Keyword.VARS:
            return
        for var in _vars(mark):
            if var.name.lower() == name and (var.prepend is False) == appended:
                if mark.node == ALL_NODES:
                    column[: mark.count] = var.value
                elif mark.node >= 0:
                    column[mark.node] = var.value

    def times(self) -> Float64 | None:
        """Return ``time_s`` of each job."""
        if not self.has("time_s"):
            return None
        if self._odd:
            return np.array([_time(value) for value in self.values("time_s").tolist()], np.float64)
        times = np.full(self._unit.count, np.nan)
        numbers = {file: self._unit.files[file].scan.numbers("TIME_S") for file in self._files}
        for mark in self._unit.marks:
            if isinstance(mark, MarkRun):
                marks, values = numbers[mark.file]
                first, last = np.searchsorted(marks, (mark.first, mark.first + len(mark.nodes))).tolist()
                nodes = mark.nodes[marks[first:last] - mark.first]
                times[nodes[nodes >= 0]] = values[first:last][nodes >= 0]
        return times


def _vars(mark: OddMark) -> tuple[Var, ...]:
    return mark.value if isinstance(mark.value, tuple) else ()


def _time(value: str | None) -> float:
    try:
        time = float(value) if value is not None else np.nan
    except ValueError:
        return np.nan
    return time if 0 <= time < MAX_SECONDS else np.nan


def _whole_numbers(values: NDArray[Any]) -> Int64:
    return np.array([_whole_number(value) for value in values.tolist()], np.int64).reshape(-1)


def _whole_number(value: str | None) -> int:
    if value is None or not value.isascii() or not value.isdigit() or len(value) > 19 or int(value) >= MAX_BYTES:
        return UNKNOWN
    return int(value)


def _column(columns: Columns, name: str, count: int) -> Int64:
    if getattr(columns, name) is None:
        setattr(columns, name, np.full(count, 1 if name == "count" else UNKNOWN, np.int64))
    known: Int64 = getattr(columns, name)
    return known


def _settle(columns: Columns, variables: _Variables, shelf: Shelf, users: _Users) -> None:
    """Fill in what the jobs of one description ask for."""
    positions, description = users.positions, users.description
    for request, column, default in (("request_memory", "memory_bytes", "M"), ("request_disk", "temp_bytes", "K")):
        if request in description.values or variables.has(request):
            sizes = _evaluate(f"$({request})", variables, users, partial(read_size, default_unit=default))
            known = _column(columns, column, variables.count)
            known[positions] = [UNKNOWN if size is None else size for size in sizes]
    if description.queues:
        total = np.zeros(len(positions), np.int64)
        for queue in description.queues:
            items = shelf.lines_in(users.directory, queue.file) if queue.file else queue.items
            each = _evaluate(queue.each, variables, users, _count)
            total += np.array([1 if number is None or items is None else number * items for number in each], np.int64)
        if np.any(total != 1):
            _column(columns, "count", variables.count)[positions] = total


def _count(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _evaluate(text: str, variables: _Variables, users: _Users, read: Callable[[str], int | None]) -> list[int | None]:
    """Return the value of a text for each job; equal variables are worked out once."""
    positions, description = users.positions, users.description
    needed = _needed(text, description, variables)
    if not needed:
        value = expand(text, description.values)
        return [read(value) if value is not None else None] * len(positions)
    before = [variables.values(name)[positions].tolist() for name in needed]
    after = [variables.values(name, appended=True)[positions].tolist() for name in needed]
    known: dict[tuple[Any, ...], int | None] = {}
    results = []
    for key in zip(*before, *after, strict=True):
        if key not in known:
            first, last = zip(needed, key, strict=False), zip(needed, key[len(needed) :], strict=True)
            values = {name: value for name, value in first if value is not None}
            values |= description.values
            values |= {name: value for name, value in last if value is not None}
            expanded = expand(text, values)
            known[key] = read(expanded) if expanded is not None else None
        results.append(known[key])
    return results


def _needed(text: str, description: SubmitDescription, variables: _Variables) -> list[str]:
    """Return the variables that a text depends on, through the description's own values too."""
    seen: dict[str, None] = {}
    todo = [text]
    while todo:
        for found in MACRO.finditer(todo.pop()):
            name = found[1].lower()
            if name not in seen:
                seen[name] = None
                todo.append(description.values.get(name, ""))
    return [name for name in seen if variables.has(name)]


def assemble(unit: Unit, notes: Notes) -> Dag:
    """Return the dag of a unit, its splices expanded."""
    main = unit.files[0].source
    names = _names(unit)
    if any("+" in use.name for here, *_ in walk(unit) for use in here.instances) and len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise main.error(None, f"two jobs are called {twice!r} once splices are expanded", hint="rename a splice")
    tails, heads = stated_edges(unit)
    shelf = Shelf(directory_of(main.path), notes)
    known = _known(unit, {}, shelf)
    try:
        return Dag.from_edges(
            names, tails, heads, time_s=known.time_s, temp_bytes=known.temp_bytes, memory_bytes=known.memory_bytes,
            count=known.count,
        )  # fmt: skip
    except CycleError as error:
        raise _located(unit, error) from None


def _names(unit: Unit) -> list[str]:
    if len(unit.nodes) == 1 and not unit.instances:
        return unit.names_of(unit.nodes[0])
    names = [""] * unit.count
    for here, offset, prefix, _ in walk(unit):
        for run in here.nodes:
            own = here.names_of(run)
            begin = offset + run.position
            names[begin : begin + run.count] = [prefix + name for name in own] if prefix else own
    return names


def _known(unit: Unit, made: dict[int, Columns], shelf: Shelf) -> Columns:
    """Gather the columns of all units; an inner one's own jobs overwrite the gap the outer one left."""
    if not unit.instances:
        return columns_of(unit, shelf)
    whole = Columns()
    for here, offset, *_ in walk(unit):
        if id(here) not in made:
            made[id(here)] = columns_of(here, shelf)
        for name in ("time_s", "memory_bytes", "temp_bytes", "count"):
            part = getattr(made[id(here)], name)
            if part is not None:
                if getattr(whole, name) is None:
                    unknown = np.nan if name == "time_s" else 1 if name == "count" else -1
                    setattr(whole, name, np.full(unit.count, unknown, part.dtype))
                getattr(whole, name)[offset : offset + here.count] = part
    return whole


def _located(unit: Unit, error: CycleError) -> CycleError:
    """Add the line of an edge of the cycle, where one line of one file states it."""
    details = Details(unit)
    ring = error.cycle
    names = _names(unit)
    number = {name: i for i, name in enumerate(names)}
    for parent, child in zip(ring, (*ring[1:], *ring[:1]), strict=True):
        found = details.edge_line(number[parent], number[child])
        if found is not None:
            return CycleError(ring, path=found[0], line=found[1])
    return CycleError(ring, path=unit.files[0].source.path)
