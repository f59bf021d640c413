r"""JSON from strangers: every way in which it can be bad ends in a ParseError with a line.

The standard parser is fast and safe, but reports trouble in five different ways: its own error, ``RecursionError`` for
deep nesting, ``ValueError`` for integers of thousands of digits, ``nan`` for the literal ``NaN``, and silence for a
key that stands twice in one object, of which it keeps the last.

Where the members of a JSON object and the items of a JSON list stand in the text.

The standard parser tells values, not places, but it can be asked for one value at a time: it then says where that
value ends. So the objects that matter are walked here, a regular expression a member, and every value that does not
matter is skipped at the parser's own speed. The text must be JSON that the parser has accepted before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from eligo.formats._source import Source
from eligo.formats._text_edits import Edit

__all__ = [
    "Member",
    "Path",
    "Spacing",
    "elements",
    "is_object",
    "items",
    "load_json",
    "member",
    "members",
    "removals",
]

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_DEEP = 200
_MANY_DIGITS = re.compile(r"[0-9]{4300}")


def load_json(source: Source) -> tuple[Any, dict[str, int]]:
    r"""Return the value, and of each key that stood twice in one object how often that happened.

    Raises
    ------
    ParseError
        It is not JSON, or not JSON that anyone can have meant.

    Examples
    --------
    >>> load_json(Source("a.json", b'{"a": 1, "a": [2]}'))
    ({'a': [2]}, {'a': 1})
    >>> load_json(Source("a.json", b'{"a":\n NaN}'))
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: a.json:2: NaN is not a JSON number
    hint: leave out what is not known
    """
    text = source.text()
    repeated: dict[str, int] = {}

    def make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    repeated[key] = repeated.get(key, 0) + 1
                seen.add(key)
        return made

    def refuse(literal: str) -> NoReturn:
        raise source.error(
            source.line_of(literal), f"{literal} is not a JSON number", hint="leave out what is not known"
        )

    try:
        return json.loads(text, object_pairs_hook=make_object, parse_constant=refuse), repeated
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        hint = "the file may be cut short" if cut else "check the syntax around this line"
        raise source.error(error.lineno, f"not JSON: {error.msg}", hint=hint) from None
    except RecursionError:
        raise source.error(
            _deep_line(text), "nested too deeply", hint="a workflow nests a dozen levels, not hundreds"
        ) from None
    except ValueError:  # more digits than Python converts
        found = _MANY_DIGITS.search(text)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        raise source.error(line, "a number has thousands of digits", hint="no quantity needs so many") from None


def _deep_line(text: str) -> int:
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > _DEEP:
            return text.count("\n", 0, token.start()) + 1
    return 1


_decode = json.JSONDecoder().raw_decode
_BLANK = re.compile(r"[ \t\r\n]*+")
_KEY = re.compile(r'[{,][ \t\r\n]*+("[^"\\]*+(?:\\.[^"\\]*+)*")[ \t\r\n]*+:[ \t\r\n]*+')
_FIRST_VALUE = re.compile(r"\[([ \t\r\n]*+)[^\]]")
_FIRST_KEY = re.compile(r'\{([ \t\r\n]*+)"')
_COLON = re.compile(r'"[ \t\r\n]*+:([ \t]*+)')

Path = tuple[str, ...]
"""The keys that lead from the whole file to a value."""


class Member(NamedTuple):
    """A key and its value: where each begins, where the value ends, and where the member before it ends."""

    key: str
    after: int
    start: int
    value_start: int
    end: int
    value: Any


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def members(text: str, at: int) -> Iterator[Member]:
    """Yield the members of the object whose brace stands at `at`; `after` is the brace's end for the first.

    Examples
    --------
    >>> [member[:5] for member in members('[{"a": 1, "b":[2]}]', 1)]
    [('a', 2, 2, 7, 8), ('b', 8, 10, 14, 17)]
    """
    after = at + 1
    while found := _KEY.match(text, at):
        value, end = _decode(text, found.end())
        yield Member(json.loads(found[1]), after, found.start(1), found.end(), end, value)
        after, at = end, _skip(text, end)


def elements(text: str, at: int) -> Iterator[Member]:
    """Yield the elements of the list whose bracket stands at `at`, as members without a key.

    Examples
    --------
    >>> [element[1:] for element in elements("[1, [2]]", 0)]
    [(1, 1, 1, 2, 1), (2, 4, 4, 7, [2])]
    """
    after = at + 1
    at = _skip(text, after)
    while text[at] != "]":
        value, end = _decode(text, at)
        yield Member("", after, at, at, end, value)
        after, at = end, _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def is_object(text: str) -> bool:
    """Tell whether a text is JSON, and an object.

    Examples
    --------
    >>> is_object('{"a": 1}'), is_object("{a: 1}"), is_object("[]")
    (True, False, False)
    """
    if not text.lstrip().startswith("{"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def items(text: str, *paths: Path) -> Iterator[tuple[Path, int, int, Any]]:
    """Yield every item of the lists that paths of keys lead to, in the order of the text: path, start, end and value.

    Examples
    --------
    >>> list(items('{"a": {"b": [1, {}]}, "c": [2]}', ("a", "b"), ("d",)))
    [(('a', 'b'), 13, 14, 1), (('a', 'b'), 16, 18, {})]
    """
    on_the_way = {path[:depth] for path in paths for depth in range(len(path))}
    yield from _walk(text, _skip(text, 0), (), on_the_way, frozenset(paths))


def _walk(
    text: str, at: int, path: Path, on_the_way: set[Path], lists: frozenset[Path]
) -> Generator[tuple[Path, int, int, Any], None, int]:
    """Yield the items below one value and return where it ends."""
    if path in lists and text[at] == "[":
        at = _skip(text, at + 1)
        while text[at] != "]":
            value, end = _decode(text, at)
            yield path, at, end, value
            at = _skip(text, end)
            at = _skip(text, at + 1) if text[at] == "," else at
        return at + 1
    if path in on_the_way and text[at] == "{":
        while found := _KEY.match(text, at):
            end = yield from _walk(text, found.end(), (*path, json.loads(found[1])), on_the_way, lists)
            at = _skip(text, end)
        return at + 1 if text[at] == "}" else _skip(text, at + 1) + 1
    return _decode(text, at)[1]


def member(text: str, start: int, end: int, key: str) -> Member | None:
    """Return the member that counts, the last one, of an object known to have one of this key.

    Most objects say the key's text once and escape nothing: then that is where the member stands.

    Examples
    --------
    >>> found = member('{"a": {"b": 1}, "b": 2}', 0, 23, "b")
    >>> found.value, found.start
    (2, 16)
    """
    quoted = json.dumps(key)
    at = text.find(quoted, start, end)
    if at >= 0 and text.find(quoted, at + 1, end) < 0 and text.find("\\", start, end) < 0:
        before = text[start:at].rstrip()
        after = start + len(before) - (before[-1] == ",")
        found = _KEY.match(text, start + len(before) - 1)
        if found:
            value, stop = _decode(text, found.end())
            return Member(key, after, at, found.end(), stop, value)
    last = None
    for each in members(text, start):
        last = each if each.key == key else last
    return last


def removals(text: str, start: int, gone: Iterable[Member]) -> Iterator[Edit]:
    """Yield the edits that take members out of the object, or elements out of the list, that begins at `start`.

    The commas that it needs no more go with them.

    Examples
    --------
    >>> text = '{"a": 1, "b": 2, "c": 3}'
    >>> a, b, c = members(text, 0)
    >>> list(removals(text, 0, [c, b])), list(removals(text, 0, [a, b]))
    ([Edit(7, 15, ''), Edit(15, 23, '')], [Edit(1, 9, ''), Edit(9, 17, '')])
    """
    first = start + 1  # where a member begins that has none before it, or none that stays
    for each in sorted(gone, key=lambda member: member.start):
        if each.after != first:
            yield Edit(each.after, each.end, "")
            continue
        first = each.end
        at = _skip(text, each.end)
        yield Edit(each.start, _skip(text, at + 1) if text[at] == "," else each.end, "")


class Spacing:
    r"""How a file sets its members apart, so that what is added looks like the rest.

    Examples
    --------
    >>> Spacing('{"a": 1}').member('{"a": 1}', 0, "b", [2, 3]), Spacing('{"a":1}').member('{"a":1}', 0, "b", [2, 3])
    (', "b": [2, 3]', ',"b":[2,3]')
    >>> Spacing('{\n "a": 1\n}').member('{\n "a": 1\n}', 0, "b", None)
    ',\n "b": null'
    """

    def __init__(self, text: str) -> None:
        colon = _COLON.search(text)
        blank = colon[1] if colon else ""
        self._blank = " " if blank else ""
        self._write = json.JSONEncoder(ensure_ascii=False, separators=(f",{self._blank}", f":{blank}")).encode
        self._colon = f":{blank}"

    def member(self, text: str, start: int, key: str, value: Any) -> str:
        """Return a member to stand after another one in the object that begins at `start`."""
        first = _FIRST_KEY.match(text, start)
        between = first[1] if first and "\n" in first[1] else self._blank
        return f',{between}"{key}"{self._colon}{self._write(value)}'

    def value(self, value: Any) -> str:
        """Return the text of a value."""
        return self._write(value)

    def appended(self, text: str, start: int, end: int, added: Mapping[str, Any]) -> Edit:
        """Return the edit that puts members behind the others of the object from `start` to `end`.

        Examples
        --------
        >>> Spacing("{}").appended("{ }", 0, 3, {"a": 1}), Spacing("").appended('{"x":{} }', 0, 9, {"a": 1, "b": 2})
        (Edit(1, 1, '"a":1'), Edit(7, 7, ',"a":1,"b":2'))
        """
        at = start + len(text[start : end - 1].rstrip())
        pieces = "".join(self.member(text, start, key, value) for key, value in added.items())
        return Edit(at, at, pieces[1:].lstrip() if at == start + 1 else pieces)

    def prepended(self, text: str, start: int, added: Mapping[str, Any]) -> Edit:
        """Return the edit that puts members before the others of the object at `start`, which has some.

        Examples
        --------
        >>> Spacing('{"x": 1}').prepended('{"x": 1}', 0, {"a": 1, "b": 2})
        Edit(1, 1, '"a": 1, "b": 2, ')
        """
        first = _FIRST_KEY.match(text, start)
        assert first
        between = first[1] if "\n" in first[1] else self._blank
        at = first.end() - 1
        pieces = (f'"{key}"{self._colon}{self._write(value)},{between}' for key, value in added.items())
        return Edit(at, at, "".join(pieces))

    def extended(self, text: str, start: int, end: int, values: Iterable[Any]) -> Edit:
        """Return the edit that puts values behind the others of the list from `start` to `end`.

        Examples
        --------
        >>> Spacing("[]").extended("[ ]", 0, 3, [1, 2]), Spacing('{"a": []}').extended("[1 ]", 0, 4, [2])
        (Edit(1, 1, '1,2'), Edit(2, 2, ', 2'))
        """
        at = start + len(text[start : end - 1].rstrip())
        first = _FIRST_VALUE.match(text, start)
        between = first[1] if first and "\n" in first[1] else self._blank
        pieces = "".join(f",{between}{self._write(value)}" for value in values)
        return Edit(at, at, pieces[1:].lstrip() if at == start + 1 else pieces)
