"""JSON from strangers: every way in which it can be bad ends in a ParseError with a line.

The standard parser is fast and safe, but reports trouble in five different ways: its own error, ``RecursionError`` for
deep nesting, ``ValueError`` for integers of thousands of digits, ``nan`` for the literal ``NaN``, and silence for a
key that stands twice in one object, of which it keeps the last.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from eligo.formats.storage import Source

__all__ = ["load_json"]

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
