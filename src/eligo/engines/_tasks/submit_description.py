r"""A submit description as condor_submit takes it: conditions decided, includes read, the last word on each name.

A description is read once and used by many jobs. Nearly all are *straight*: assignments and one ``queue``; then what
they say is the same for every job, and only macros are filled in later. With ``if``, ``include``, or a value that names
itself (``x = $(x) more``) what is said depends on what was defined before, the job's VARS among them, and the
statements are gone through again for each job. What condor_submit would not understand is refused with its line.

Macros of a submit description: ``$(x)``, ``$(x:default)``, ``$ENV(x)``, ``$F...(x)`` and a few more functions.

They are replaced from the inside out, and a value's own macros with it, whenever the value is used. What is not defined
is nothing, as for condor_submit; ``$(DOLLAR)`` comes last, so that what it makes is no macro. ``$$(x)`` is filled in by
HTCondor from the machine it matched, and ``$RANDOM_CHOICE`` and its like would differ each time: both are refused.
Linear in the length of the result, which is bounded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, final

from eligo.engines._tasks.submit_commands import Unreadable
from eligo.errors import ParseError
from eligo.formats._dagman.lines import decode, read_lines
from eligo.formats._submit.submit_file import statements

__all__ = [
    "HINT",
    "Description",
    "Expander",
    "Said",
    "file_part",
    "read_description",
]

_MACRO = re.compile(r"\$([A-Za-z_]*)\(([^()]*)\)")
_BODY = re.compile(r"([A-Za-z0-9_.]+)(?::(.*))?", re.DOTALL)
_DOLLAR = re.compile(r"\$\(DOLLAR\)", re.IGNORECASE)
_MOST_DEPTH = 40
_MOST_CHARACTERS = 1_000_000
_MOST_MACROS = 100_000
_FOR_HTCONDOR = frozenset({"REAL", "STRING", "EVAL", "RANDOM_CHOICE", "RANDOM_INTEGER"})
_CLOCK = frozenset({"submit_time", "year", "month", "day"})


class Expander:
    """Expands values under one set of definitions.

    Parameters
    ----------
    values
        What is defined, by name in lower case.
    environment
        What ``$ENV`` looks into.
    directory
        Where relative paths begin, for ``$Ff``.
    undefined
        Told of each name that is not defined.

    Examples
    --------
    >>> Expander({"a": "$(b)1", "b": "x/y.txt"}).expand("$(a) $(c:none) $Fn(b) $(DOLLAR)(a)")
    'x/y.txt1 none y $(a)'
    """

    def __init__(
        self,
        values: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
        directory: Callable[[], str] = str,
        undefined: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.values = values
        self._environment = os.environ if environment is None else environment
        self._directory = directory
        self._undefined = undefined
        self._left = _MOST_MACROS

    def expand(self, text: str) -> str:
        """Return a text with its macros replaced.

        Raises
        ------
        Unreadable
            It cannot be expanded outside HTCondor, or goes round in circles.
        """
        if "$" not in text:
            return text
        self._left = _MOST_MACROS
        text = self._expand(text, 0)
        return _DOLLAR.sub("$", text) if "$" in text else text

    def _expand(self, text: str, depth: int) -> str:
        if depth > _MOST_DEPTH:
            raise Unreadable("its macros go round in circles")
        while "$" in text:
            if "$$(" in text or "$$[" in text:
                raise Unreadable("$$(...) is filled in by HTCondor from the machine it matched")
            replaced = _MACRO.sub(lambda found: self._replace(found[1], found[2], found[0], depth), text)
            if len(replaced) > _MOST_CHARACTERS:
                raise Unreadable("its macros grow beyond all bounds")
            if replaced == text:
                break
            text = replaced
        return text

    def _replace(self, function: str, body: str, whole: str, depth: int) -> str:
        self._left -= 1
        if self._left < 0:
            raise Unreadable("its macros grow beyond all bounds")
        if function:
            return self._call(function, body, whole, depth)
        known = self.values.get(body.lower())
        if known is None:
            found = _BODY.fullmatch(body)
            if found is None:
                return whole
            name = found[1].lower()
            known = self.values.get(name) or found[2]  # a default is for what is empty, too
            if known is None:
                return whole if name == "dollar" else self._missing(name)
        return self._expand(known, depth + 1) if "$" in known else known

    def _missing(self, name: str) -> str:
        if name in _CLOCK:
            raise Unreadable(f"$({name}) changes from one submission to the next")
        self._undefined(name)
        return ""

    def _call(self, function: str, body: str, whole: str, depth: int) -> str:
        name = function.upper()
        known = {"ENV": self._variable, "INT": self._int, "CHOICE": self._choose, "SUBSTR": self._cut}
        if name in known:
            return known[name](body, depth)
        if name in ("BASENAME", "DIRNAME"):
            return file_part("nx" if name == "BASENAME" else "p", self._value(body, depth))
        if function[0] == "F" and not set(function[1:]) - set("fpdnxqab"):
            return file_part(function[1:], self._value(body, depth), self._directory)
        if function[0] == "F" or name in _FOR_HTCONDOR:
            raise Unreadable(f"${function}(...) is for HTCondor to evaluate")
        return whole

    def _variable(self, body: str, _depth: int) -> str:
        name, colon, default = body.partition(":")
        return self._environment.get(name.strip(), default if colon else "UNDEFINED")

    def _int(self, body: str, depth: int) -> str:
        return str(self._number(body, depth))

    def _value(self, name: str, depth: int) -> str:
        """Return the value of the macro that a function names."""
        known = self.values.get(name.strip().lower(), "")
        return self._expand(known, depth + 1)

    def _number(self, text: str, depth: int) -> int:
        text = text.strip()
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            text = self._value(text, depth).strip()
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", text):
            raise Unreadable("a number is expected, and only HTCondor evaluates expressions")
        return int(text)

    def _choose(self, body: str, depth: int) -> str:
        index, *items = body.split(",")
        if len(items) == 1:
            items = self._value(items[0], depth).split(",")
        number = self._number(index, depth)
        if not 0 <= number < len(items):
            raise Unreadable(f"$CHOICE has no item {number}")
        return items[number].strip()

    def _cut(self, body: str, depth: int) -> str:
        name, *places = body.split(",")
        text = self._value(name, depth)
        if not 1 <= len(places) <= 2:
            raise Unreadable("$SUBSTR takes a name, a start and perhaps a length")
        start = self._number(places[0], depth)
        start = max(0, start + len(text)) if start < 0 else start
        length = self._number(places[1], depth) if len(places) == 2 else len(text)
        return text[start : start + length] if length >= 0 else text[start:length]


def file_part(options: str, path: str, directory: Callable[[], str] = str) -> str:
    """Return parts of a path, as ``$F`` with these options: all from the first part that is asked for to the last.

    Examples
    --------
    >>> [file_part(options, "some/dir/file.tar.gz") for options in ("", "p", "d", "n", "x", "nx", "dx", "db")]
    ['some/dir/file.tar.gz', 'some/dir/', 'dir/', 'file.tar', '.gz', 'file.tar.gz', 'dir/file.tar.gz', 'dir']
    """
    path = path.strip()
    if "f" in options:
        path = path if path.startswith("/") else f"{directory()}/{path}"
    base = path.rfind("/") + 1
    dot = path.rfind(".", base)
    dot = len(path) if dot < 0 else dot
    begins = {"p": 0, "d": path.rfind("/", 0, max(base - 1, 0)) + 1, "n": base, "x": dot}
    ends = {"p": base, "d": base, "n": dot, "x": len(path)}
    parts = [part for part in "pdnx" if part in options]
    if parts:
        path = path[begins[parts[0]] : ends[parts[-1]]]
    if "b" in options:
        path = path[:-1] if path.endswith("/") else path.removeprefix(".") if parts == ["x"] else path
    if "q" in options:
        quote = "'" if "a" in options else '"'
        path = f"{quote}{path}{quote}"
    return path


HINT = "only HTCondor can do this: run it there with --engine htcondor"
_CONDITION = re.compile(r":?\s*(if|elif|else|endif)\b\s*(.*)", re.IGNORECASE | re.DOTALL)
_INCLUDE = re.compile(r"@?include\s*([^:]*):\s*(.*)", re.IGNORECASE | re.DOTALL)
_OTHER = re.compile(r"@?(\w+)\b[^:]*:\s*(.*)", re.DOTALL)
_VERSION = re.compile(r"version\s*(>=|<=|==|!=|>|<)\s*([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_OUR_VERSION = (25, 0, 0)
_MOST_INCLUDES = 20
_MAX_BYTES = 2**24


@final
@dataclass(frozen=True, slots=True)
class Item:
    """One statement: an assignment, a ``queue``, a word of a condition or another command, with its line."""

    kind: Literal["set", "queue", "if", "use"]
    name: str
    text: str
    line: int


@final
@dataclass(frozen=True, slots=True)
class Said:
    """What a description comes to for a job.

    Attributes
    ----------
    values
        As written, by name in lower case.
    places
        The file and the line of each.
    queue
        What follows ``queue``, and its line; ``None`` where there is no such statement.
    """

    values: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    queue: tuple[str, int] | None = None
    warnings: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """A description as it was read.

    Attributes
    ----------
    path
        The file it is in.
    line
        Where it begins there.
    straight
        What it says for every job, unless that depends on the job.
    memo
        For whoever makes processes of it: what is the same for all jobs.
    """

    path: str
    items: tuple[Item, ...]
    straight: Said | None
    line: int = 1
    memo: dict[str, Any] = field(default_factory=dict)

    def said(self, before: Mapping[str, str], directory: str) -> Said:
        """Return what it says where `before` is defined already, with included files named from `directory`."""
        return self.straight or _Reading(dict(before), directory).go(self)

    def where(self, said: Said, name: str) -> tuple[str, int]:
        """Return the place of a name, or the description's own."""
        return said.places.get(name, (self.path, self.line))


def read_description(path: str, data: bytes, first_line: int = 1) -> Description:
    r"""Read a description.

    Examples
    --------
    >>> said = read_description("x.sub", b"Executable = a\nexecutable = b\nqueue 2\n").straight
    >>> said.values, said.queue
    ({'executable': 'b'}, ('2', 3))
    >>> read_description("x.sub", b"executable\n")
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: x.sub:1: this is not name = value
    hint: condor_submit would not take it either
    """
    if b"\0" in data:
        raise ParseError(path, first_line + data[: data.find(b"\0")].count(b"\n"), "a zero byte is no text")
    items = tuple(_items(path, data, first_line))
    return Description(path, items, _straight(path, items), first_line)


def _items(path: str, data: bytes, first_line: int) -> Iterator[Item]:
    line, counted, covered = first_line, 0, 0
    found = {statement.begin: statement for statement in statements(data)}
    for begin, _, raw in read_lines(data):
        line, counted = line + data.count(b"\n", counted, begin), begin
        if begin < covered or not raw.strip() or raw.startswith(b"#"):
            continue
        statement = found.get(begin)
        if statement is None:
            raise ParseError(
                path, line, "this is not name = value", hint="condor_submit would not take it either"
            )  # fmt: skip
        covered = statement.end
        text = statement.text if statement.kind in ("set", "queue") else decode(raw).strip()
        yield Item(statement.kind, statement.name, text, line)


def _straight(path: str, items: tuple[Item, ...]) -> Said | None:
    said = Said()
    queue = None
    for item in items:
        if item.kind in ("if", "use"):
            return None
        if item.kind == "queue":
            queue = _only_queue(path, queue, item)
        elif f"$({item.name})" in item.text.lower():
            return None
        elif queue is None:
            said.values[item.name] = item.text
            said.places[item.name] = (path, item.line)
    return Said(said.values, said.places, queue)


def _only_queue(path: str, queue: tuple[str, int] | None, item: Item) -> tuple[str, int]:
    if queue is not None:
        raise ParseError(path, item.line, "a second queue statement", hint="a job of a DAG has one; remove the others")
    return item.text, item.line


class _Reading:
    """Goes through the statements of a description for one job."""

    def __init__(self, values: dict[str, str], directory: str) -> None:
        self._values = values
        self._directory = directory
        self._said = Said()
        self._queue: tuple[str, int] | None = None
        self._warnings: list[str] = []
        self._depth = 0

    def go(self, description: Description) -> Said:
        self._all(description)
        return Said(self._said.values, self._said.places, self._queue, tuple(self._warnings))

    def _all(self, description: Description) -> None:
        path = description.path
        open_ifs: list[tuple[bool, bool]] = []  # whether this branch is taken, and whether one was
        for item in description.items:
            taken = all(taken for taken, _ in open_ifs)
            if item.kind == "if":
                self._condition(path, item, open_ifs)
            elif not taken:
                continue
            elif item.kind == "queue":
                self._queue = _only_queue(path, self._queue, item)
            elif item.kind == "use":
                self._use(path, item)
            elif self._queue is None:
                self._set(path, item)
        if open_ifs:
            raise ParseError(path, description.items[-1].line, "an if has no endif", hint="close it with endif")

    def _set(self, path: str, item: Item) -> None:
        text = item.text
        if f"$({item.name})" in text.lower():
            old = self._values.get(item.name, "")
            text = re.sub(re.escape(f"$({item.name})"), lambda _: old, text, flags=re.IGNORECASE)
        self._values[item.name] = self._said.values[item.name] = text
        self._said.places[item.name] = (path, item.line)

    def _condition(self, path: str, item: Item, open_ifs: list[tuple[bool, bool]]) -> None:
        found = _CONDITION.fullmatch(item.text)
        word, text = (found[1].lower(), found[2]) if found else (item.name, "")
        if word == "if":
            reached = all(taken for taken, _ in open_ifs)
            holds = reached and self._holds(path, item.line, text)
            open_ifs.append((holds, holds or not reached))
            return
        if not open_ifs:
            raise ParseError(path, item.line, f"{word} without if", hint="remove it, or write the if")
        _, was = open_ifs.pop()
        if word == "endif":
            return
        holds = not was and (word == "else" or self._holds(path, item.line, text))
        open_ifs.append((holds, was or holds))

    def _holds(self, path: str, line: int, text: str) -> bool:
        text = text.strip()
        if text.startswith("!"):
            return not self._holds(path, line, text[1:])
        answer = self._simple(path, line, text)
        if answer is None:
            raise ParseError(path, line, f"the condition {text!r} is too much for Eligo", hint=HINT)
        return answer

    def _simple(self, path: str, line: int, text: str) -> bool | None:
        words = text.split(None, 1)
        if words and words[0].lower() == "defined":
            name = words[1].strip().lower() if len(words) > 1 else ""
            return bool(self._values.get(self._filled(path, line, name), "")) if name else False
        if found := _VERSION.fullmatch(text):
            return _compare(found)
        word = self._filled(path, line, text).strip().lower()
        if word in ("true", "yes", "t", "y"):
            return True
        if word in ("false", "no", "f", "n", ""):
            return False
        return float(word) != 0 if _NUMBER.fullmatch(word) else None

    def _filled(self, path: str, line: int, text: str) -> str:
        try:
            return Expander(self._values).expand(text)
        except Unreadable as error:
            raise ParseError(path, line, str(error), hint=HINT) from None

    def _use(self, path: str, item: Item) -> None:
        include = _INCLUDE.fullmatch(item.text)
        other = _OTHER.fullmatch(item.text)
        if include is not None:
            self._include(path, item.line, include[1].strip().lower(), self._filled(path, item.line, include[2]))
        elif item.name.startswith("warning"):
            self._warnings.append(f"{path}:{item.line}: {other[2] if other else item.text}")
        elif item.name.startswith("error"):
            raise ParseError(path, item.line, other[2] if other else "the description says it is an error")
        else:
            raise ParseError(path, item.line, f"{item.name} takes what HTCondor's configuration says", hint=HINT)

    def _include(self, path: str, line: int, option: str, name: str) -> None:
        name = name.strip()
        if option.startswith("command") or name.endswith("|"):
            raise ParseError(
                path, line, "include command runs a program", hint="put what it prints into a file, and include that"
            )
        if option not in ("", "ifexist"):
            raise ParseError(path, line, f"include {option} is unknown", hint="write include : file")
        if self._depth >= _MOST_INCLUDES:
            raise ParseError(
                path, line, "files include each other too deeply", hint="look for one that includes itself"
            )
        place = name if name.startswith("/") else f"{self._directory}/{name}"
        try:
            if option and not Path(place).exists():
                return
            with Path(place).open("rb") as stream:
                data = stream.read(_MAX_BYTES)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ParseError(path, line, f"the included file {name!r} cannot be read: {why}") from None
        self._depth += 1
        self._all(read_description(place, data))
        self._depth -= 1


def _compare(found: re.Match[str]) -> bool:
    """Compare the version we stand for with one that may leave out its last parts."""
    stated = tuple(int(part) for part in found.groups()[1:] if part is not None)
    ours = _OUR_VERSION[: len(stated)]
    tests: dict[str, Callable[[], bool]] = {
        ">=": lambda: ours >= stated, "<=": lambda: ours <= stated, "==": lambda: ours == stated,
        "!=": lambda: ours != stated, ">": lambda: ours > stated, "<": lambda: ours < stated,
    }  # fmt: skip
    return tests[found[1]]()
