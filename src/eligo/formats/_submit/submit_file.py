"""HTCondor submit descriptions: what a job asks for and how many processes it queues.

A description is a list of ``name = value``, last one wins, names in any case, with ``$(name)`` expanded when used. Here
are the parts that say something of a job before it runs: ``request_memory`` (in MiB unless it has a unit),
``request_disk`` (in KiB) and ``queue``. Values that are ClassAd expressions stay unknown: only HTCondor can evaluate
them. ``include`` is not followed and ``if`` is not evaluated; both are noted, since they may change what is found.

Which submit description each job has, every description once, however many jobs share it.

A million jobs with one submit file are one description; whether two names are one file, by a symbolic link or another
spelling, is found when the file is opened. Costs a few array operations a stretch of plain JOB lines, and some
microseconds a description that is really looked at.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eligo.dag import MAX_BYTES, Int32, Int64
from eligo.formats._dagman.lines import decode, read_lines
from eligo.formats._dagman.parsed_dag import Unit, directory_of, join_directory
from eligo.formats._dagman.tokens import Keyword, Malformed
from eligo.formats._data_edges import distinct
from eligo.formats._source import Source

__all__ = [
    "MACRO",
    "Inside",
    "Queue",
    "Statement",
    "Submit",
    "SubmitDescription",
    "SubmitFile",
    "SubmitFiles",
    "Submits",
    "check_description",
    "expand",
    "read_size",
    "read_submit",
    "statements",
]

_ASSIGN = re.compile(r"([^\s=:]+)\s*=\s*(.*)", re.DOTALL)
_HERE = re.compile(r"([A-Za-z0-9_./]+)\s*@=\s*(.*)")
_IF = re.compile(r":?\s*(if|elif|else|endif)(\s|$)", re.IGNORECASE)
_KEYWORD = re.compile(r"@?(include|use|error|warning)\b[^=:]*:", re.IGNORECASE)
_QUEUE = re.compile(r"queue(\s+.*)?$", re.IGNORECASE | re.DOTALL)
_OPEN_LIST = re.compile(r"\b(in|from|matching)\b\s*(\[[^\]]*\]\s*)?\([^)]*$", re.IGNORECASE)
_BEFORE_EQUALS = re.compile(r"([^\s=:]*)\s*(=)")
# What nearly all are: comments, blank lines and assignments without continuation or words that mean something else.
_PLAIN_BODY = re.compile(
    rb"([ \t\r]*(#[^\\\n]*|(?!(if|elif|else|endif|queue)\b)[a-z0-9_./]+[ \t]*=[^\\\n]*)?\n)*", re.IGNORECASE
)
_LEGAL_NAME = re.compile(r"[A-Za-z0-9_./]+")
MACRO = re.compile(r"\$\(([A-Za-z0-9_.]+)(?::([^()]*))?\)")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([KMGTP]?)(I?B?)", re.IGNORECASE)
_UNIT = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_MAX_EXPANSION = 10_000


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue statement.

    Attributes
    ----------
    each
        How many processes it makes of each item, as written; may hold macros.
    items
        How many items it goes through; 1 where it names none, ``None`` where that cannot be told.
    file
        The file whose lines are the items, where it names one.
    """

    each: str = "1"
    items: int | None = 1
    file: str = ""


@dataclass(frozen=True, slots=True)
class SubmitDescription:
    """A submit description.

    Attributes
    ----------
    values
        By name in lower case, as written.
    queues
        Its queue statements; none means one process, as DAGMan takes it.
    oddities
        What was found but not followed.
    """

    values: Mapping[str, str]
    queues: tuple[Queue, ...] = ()
    oddities: tuple[str, ...] = ()


def read_submit(data: bytes) -> SubmitDescription:
    r"""Read a submit description, leniently: what is not understood is left out.

    Examples
    --------
    >>> submit = read_submit(b"request_memory = 2 GB\nqueue 10\n")
    >>> submit.values["request_memory"], submit.queues
    ('2 GB', (Queue(each='10', items=1, file=''),))
    """
    values: dict[str, str] = {}
    queues: list[Queue] = []
    oddities: dict[str, None] = {}
    for statement in statements(data):
        if statement.kind == "set":
            values[statement.name] = statement.text
        elif statement.kind == "queue":
            queues.append(_queue(statement.text))
        elif statement.kind == "if":
            oddities["if is not evaluated: all its branches are taken as said"] = None
        else:
            oddities[f"{statement.name} is not followed"] = None
    return SubmitDescription(values, tuple(queues), tuple(oddities))


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a submit description.

    Attributes
    ----------
    begin, end
        Its bytes, all its lines.
    kind
        ``set`` for an assignment, ``queue``, ``if`` for what begins, parts or ends a condition, ``use`` for the rest.
    name
        In lower case: what is set, which word of a condition it is, or what is used; ``+x`` is ``my.x``.
    text
        The value, or what follows ``queue``, with the lines of items that belong to it.
    """

    begin: int
    end: int
    kind: Literal["set", "queue", "if", "use"]
    name: str
    text: str = ""


def statements(data: bytes) -> Iterator[Statement]:
    r"""Yield the statements of a submit description, leniently: what is not understood is left out.

    Examples
    --------
    >>> [(s.begin, s.end, s.kind, s.name, s.text) for s in statements(b"# two\nPriority = 3\nqueue 10\n")]
    [(6, 19, 'set', 'priority', '3'), (19, 28, 'queue', 'queue', '10')]
    """
    lines = _texts(data)
    for begin, line_end, text in lines:
        end = line_end
        if found := _IF.match(text):
            yield Statement(begin, end, "if", found[1].lower())
        elif found := _HERE.fullmatch(text):
            name, close = found[1].lower(), f"@{found[2]}"
            inside, end = _until(lines, end, close.__eq__)
            yield Statement(begin, end, "set", name, "\n".join(line for line in inside if line != close))
        elif found := _QUEUE.match(text):
            rest = (found[1] or "").strip()
            if _OPEN_LIST.search(rest):
                inside, end = _until(lines, end, lambda line: ")" in line)
                rest = "\n".join((rest, *inside))
            yield Statement(begin, end, "queue", "queue", rest)
        elif _KEYWORD.match(text):
            yield Statement(begin, end, "use", text.split()[0].lower().strip(":"))
        elif found := _ASSIGN.match(text):
            name = found[1].lower()
            yield Statement(begin, end, "set", f"my.{name[1:]}" if name[0] == "+" else name, found[2])


_Line = tuple[int, int, str]


def _texts(data: bytes) -> Iterator[_Line]:
    for begin, end, raw in read_lines(data):
        if raw.strip() and not raw.startswith(b"#"):
            yield begin, end, decode(raw)


def _until(lines: Iterator[_Line], at: int, is_last: Callable[[str], bool]) -> tuple[list[str], int]:
    """Return the lines up to the last one, and where that ends; `at` where there are none."""
    parts: list[str] = []
    for _, end, text in lines:
        at = end
        parts.append(text)
        if is_last(text):
            break
    return parts, at


_QUEUE_FORM = re.compile(r"(.*?)\b(in|from|matching)\b(.*)", re.IGNORECASE | re.DOTALL)


def _queue(text: str) -> Queue:
    found = _QUEUE_FORM.fullmatch(text)
    if found is None:
        return Queue(text or "1")
    words = found[1].split()
    each = words[0] if words and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*,?", words[0]) else "1"
    what = re.sub(r"^\s*\[[^\]]*\]\s*", "", found[3]).strip()
    sliced = what != found[3].strip()
    if found[2].lower() == "matching":
        return Queue(each, None)
    if not what.startswith("("):
        return Queue(each, None, "" if sliced or what.endswith("|") else what)
    if sliced:
        return Queue(each, None)
    parts = what[1:].partition(")")[0].split("\n")
    if found[2].lower() == "from":
        return Queue(each, sum(1 for part in parts if part.strip()))
    return Queue(each, len(re.split(r"[\s,]+", " ".join(parts).strip())) if " ".join(parts).strip() else 0)


def expand(text: str, values: Mapping[str, str]) -> str | None:
    """Return a value with its macros expanded, or ``None`` where one is unknown or goes round in circles.

    Examples
    --------
    >>> expand("$(base)0$(unit:M)", {"base": "$(two)4", "two": "2"})
    '240M'
    """
    for _ in range(50):
        if "$(" not in text:
            return text
        unknown = False

        def value_of(found: re.Match[str]) -> str:
            nonlocal unknown
            value = values.get(found[1].lower(), found[2])
            if value is None:
                unknown = True
                return ""
            return value

        replaced = MACRO.sub(value_of, text)
        if unknown or replaced == text or len(replaced) > _MAX_EXPANSION:
            return None
        text = replaced
    return None


def read_size(text: str, default_unit: str) -> int | None:
    """Return a size in bytes, or ``None`` for what is not a plain number with perhaps a unit.

    Examples
    --------
    >>> read_size("1024", "M"), read_size("1.5 GB", "M"), read_size("2*1024", "M")
    (1073741824, 1610612736, None)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or len(found[1]) > 30:
        return None
    unit = found[2].upper()
    if not unit:
        unit = "" if found[3] else default_unit
    size = int(float(found[1]) * 1024 ** _UNIT[unit])
    return size if size < MAX_BYTES else None


def check_description(source: Source, begin: int, end: int) -> None:
    """Refuse a description inside a DAG file that HTCondor's own parser refuses when it reads the DAG."""
    if _PLAIN_BODY.fullmatch(source.data, begin, end):
        return
    depth, here = 0, None
    for at, _, raw in read_lines(source.data, begin, end):
        text = decode(raw)
        if not raw.strip() or raw.startswith(b"#"):
            continue
        if here is not None:
            here = None if text == f"@{here}" else here
            continue
        if found := _IF.match(text):
            word = found[1].lower()
            depth += (word == "if") - (word == "endif")
            if depth < 0 or (depth == 0 and word in ("elif", "else")):
                raise source.error(source.line_at(at), f"{word} without if in a submit description", hint="remove it")
        elif depth == 0:
            if found := _HERE.fullmatch(text):
                here = found[2]
            elif not _is_assignment(text):
                raise source.error(
                    source.line_at(at),
                    "a line of a submit description is not name = value",
                    hint="descriptions inside a DAG file take no queue statement; it is implied",
                )
    if here is not None:
        raise Malformed(f"a value that begins with @={here} is not closed", f"close it with a line @{here}")


def _is_assignment(text: str) -> bool:
    if found := _KEYWORD.match(text):
        return found[1].lower() == "warning"
    found = _BEFORE_EQUALS.match(text)
    if found is None or found[1].lower() == "queue":
        return False
    name = found[1]
    if name[:1] in ("+", "-"):
        return True
    return _LEGAL_NAME.fullmatch(name) is not None


_MAX_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Inside:
    """A description inside a DAG file: the number of the file and the bytes."""

    file: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class SubmitFile:
    """A submit file that is there.

    Attributes
    ----------
    path
        As it was found.
    key
        The same for all paths that lead to it.
    """

    path: str
    key: tuple[int, int] | str
    data: bytes


@dataclass(frozen=True, slots=True)
class Submit:
    """A description, inside the DAG or in a file that is given by where it may be, in the order of looking."""

    number: int
    place: Inside | tuple[str, ...]


class Submits:
    r"""The submit descriptions of a unit without splices.

    Attributes
    ----------
    of
        The number of each job's description; -1 for a SUBDAG, which has none.
    total
        How many there are.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> document = parse(Source("d/x.dag", b"JOB a j.sub\nJOB b j.sub\nJOB c {\nexecutable = x\n}\n"))
    >>> submits = Submits(document.details.root)
    >>> submits.of.tolist(), [submit.place for submit in submits.each()]
    ([0, 0, 1], [('d/j.sub', 'j.sub'), Inside(file=0, begin=32, end=47)])
    """

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._base = directory_of(unit.files[0].source.path)
        self.of: Int32 = np.full(unit.count, -1, np.int32)
        self.total = 0
        self._chunks: list[tuple[int, Int32] | Inside | tuple[str, str]] = []
        self._order: Int64 | None = None
        for run in unit.nodes:
            if run.odd is None:
                self._add_plain(run.file, run.first, run.position, run.count)
            elif run.odd.kind is not Keyword.SUBDAG:
                line = run.odd
                self._chunks.append(
                    Inside(run.file, *line.body) if line.body is not None else (line.directory, line.submit)
                )
                self.of[run.position] = self.total
                self.total += 1

    def _add_plain(self, file: int, first: int, position: int, count: int) -> None:
        submits = self._unit.files[file].scan.job_submit[first : first + count]
        used = distinct(submits)
        self._chunks.append((file, used))
        self.of[position : position + count] = np.searchsorted(used, submits) + self.total
        self.total += len(used)

    def each(self, most: int | None = None) -> Iterator[Submit]:
        """Yield the descriptions in the order of their numbers; `most` of them at most."""
        return (Submit(number, place) for number, place in enumerate(islice(self._places(), most)))

    def _places(self) -> Iterator[Inside | tuple[str, ...]]:
        for chunk in self._chunks:
            if isinstance(chunk, Inside):
                yield chunk
            elif isinstance(chunk[0], str):
                yield self._place(*chunk)
            else:
                file = self._unit.files[chunk[0]]
                for some in np.array_split(chunk[1], len(chunk[1]) // 1000 + 1):  # a name is made when it is asked for
                    directories = file.scan.submit_directory[some].tolist()
                    for number, name in zip(directories, file.scan.submit_names(some), strict=True):
                        yield self._place(file.directories[number], name)

    def _place(self, directory: str, name: str) -> Inside | tuple[str, ...]:
        if name in self._unit.descriptions:
            return Inside(*self._unit.descriptions[name])
        inside = join_directory(self._unit.directory, join_directory(directory, name))
        outside = join_directory(self._base, inside)
        return (inside,) if inside == outside else (outside, inside)

    def counts(self) -> Int64:
        """Return how many jobs have each description."""
        return np.bincount(self.of[self.of >= 0], minlength=self.total)

    def jobs_of(self, number: int) -> Int64:
        """Return the jobs that have a description."""
        if self._order is None:
            self._order = np.argsort(self.of, kind="stable")
        bounds = np.array([number, number + 1], self.of.dtype)  # plain ints would make NumPy convert the whole column
        first, last = np.searchsorted(self.of, bounds, sorter=self._order).tolist()
        return self._order[first:last]

    def jobs_among(self, numbers: list[int]) -> NDArray[np.bool_]:
        """Tell of each job whether its description is one of these."""
        chosen = np.zeros(self.total + 1, np.bool_)  # the last, for -1, is never chosen
        chosen[numbers] = True
        return chosen[self.of]


class SubmitFiles:
    """Opens submit files. Of `many`, most may be missing: then the files of each directory are listed once.

    Examples
    --------
    >>> SubmitFiles(many=False).open(("/no/such/file.sub",))
    'is not there'
    """

    def __init__(self, many: bool) -> None:
        self._many = many
        self._listed: dict[str, frozenset[str] | None] = {}

    def open(self, places: tuple[str, ...]) -> SubmitFile | str:
        """Read the first of several files that is there, or say why none can be read."""
        for path in places:
            if self._many and not self._is_listed(path):
                continue
            try:
                status = Path(path).stat()
                if not stat.S_ISREG(status.st_mode):
                    continue
                if status.st_size > _MAX_BYTES:
                    return f"is larger than {_MAX_BYTES >> 20} MiB"
                # Names of one file share a key, hard links apart: replacing one of those leaves the other as it is.
                key = (status.st_dev, status.st_ino) if status.st_nlink == 1 else os.path.realpath(path)
                return SubmitFile(path, key, Path(path).read_bytes())
            except (FileNotFoundError, NotADirectoryError, ValueError):
                continue
            except OSError as error:
                return f"cannot be read ({error.strerror})"
        return "is not there"

    def _is_listed(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if folder not in self._listed:
            self._listed[folder] = _names_in(f"{folder}/" if path.startswith("/") else folder or ".")
        names = self._listed[folder]
        return names is None or name in names


def _names_in(folder: str) -> frozenset[str] | None:
    """Return what is in a directory, or ``None`` for one that may be entered but not listed."""
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return frozenset()
    except OSError:
        return None
