"""A submit description as condor_submit takes it: conditions decided, includes read, the last word on each name.

A description is read once and used by many jobs. Nearly all are *straight*: assignments and one ``queue``; then what
they say is the same for every job, and only macros are filled in later. With ``if``, ``include``, or a value that names
itself (``x = $(x) more``) what is said depends on what was defined before, the job's VARS among them, and the
statements are gone through again for each job. What condor_submit would not understand is refused with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, final

from eligo.engines.tasks.submit_macros import Expander
from eligo.engines.tasks.submit_words import Unreadable
from eligo.errors import ParseError
from eligo.formats.dagman.lines import decode, read_lines
from eligo.formats.dagman.submit import statements

__all__ = ["HINT", "Description", "Said", "read_description"]

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
