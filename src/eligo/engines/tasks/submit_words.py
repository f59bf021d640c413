r"""The two syntaxes of ``arguments`` and ``environment`` in a submit description.

*New*, where the value begins with a double quote: all between it and the closing one, a doubled quote standing for one;
inside, white space parts words, single quotes keep it, a doubled single quote within them is one, and a word may be
quoted in parts: ``"a 'b c' d""e f'g h'i"`` is ``a``, ``b c``, ``d"e``, ``fg hi``.

*Old* otherwise. Arguments are parted by white space, and nothing quotes; a double quote is written ``\"``. Environment
entries are parted by semicolons; blanks before a name do not count, all other characters stand for themselves.
"""

from __future__ import annotations

import re

__all__ = ["Unreadable", "read_arguments", "read_environment"]

_SPACE = " \t\n\r"
_BLANKS = re.compile(f"[{_SPACE}]+")
_PLAIN = re.compile(f"[^'{_SPACE}]*")


class Unreadable(Exception):  # noqa: N818 - it becomes a ParseError where file and line are known
    """A value follows neither syntax."""


def read_arguments(value: str, *, new_only: bool = False) -> tuple[str, ...]:
    r"""Return the arguments a value stands for.

    Parameters
    ----------
    new_only
        Whether the old syntax is not allowed, as for ``arguments2``.

    Examples
    --------
    >>> read_arguments("\"one 'two words' '' 'it''s' \"\"4\"\"\""), read_arguments(r'a \"b\"')
    (('one', 'two words', '', "it's", '"4"'), ('a', '"b"'))
    """
    text = value.strip(_SPACE)
    if text.startswith('"'):
        return tuple(_split(_unquote(text)))
    if new_only:
        raise Unreadable("the value is not in double quotes")
    return tuple(word for word in _BLANKS.split(_unescape(text)) if word)


def read_environment(value: str, *, new_only: bool = False) -> dict[str, str]:
    r"""Return the variables a value sets.

    Examples
    --------
    >>> read_environment("a=1; b=x=y;"), read_environment("\"a=1 b='it''s'\"")
    ({'a': '1', 'b': 'x=y'}, {'a': '1', 'b': "it's"})
    """
    text = value.strip(_SPACE)
    if text.startswith('"'):
        entries = _split(_unquote(text))
    elif new_only:
        raise Unreadable("the value is not in double quotes")
    else:
        entries = [entry.lstrip(_SPACE) for entry in re.split("[;\n]", text)]
    found: dict[str, str] = {}
    for entry in entries:
        name, equals, content = entry.partition("=")
        if not entry:
            continue
        if not equals or not name:
            raise Unreadable(f"{entry!r} is not NAME=value")
        found[name] = content
    return found


def _unescape(text: str) -> str:
    """Return a value of the old syntax with its double quotes; an escape never is two characters of one word."""
    parts = text.split(r"\"")
    if any('"' in part for part in parts):
        raise Unreadable('a double quote is not escaped; write \\" or put the whole value in double quotes')
    return '"'.join(parts)


def _unquote(text: str) -> str:
    """Return what stands between the outer double quotes."""
    parts = text[1:].split('""')
    for i, part in enumerate(parts):
        if '"' in part:
            last, _, rest = part.partition('"')
            if rest or i + 1 < len(parts):
                raise Unreadable("something follows the closing double quote; a double quote inside is written twice")
            return '"'.join((*parts[:i], last))
    raise Unreadable("the double quote at the beginning is not closed")


def _split(text: str) -> list[str]:
    if "'" not in text:
        return [word for word in _BLANKS.split(text) if word]
    words: list[str] = []
    parts: list[str] | None = None
    at = 0
    while at < len(text):
        if text[at] in _SPACE:
            if parts is not None:
                words.append("".join(parts))
            parts = None
            at += 1
            continue
        parts = [] if parts is None else parts
        if text[at] == "'":
            end = _closing(text, at + 1)
            parts.append(text[at + 1 : end].replace("''", "'"))
            at = end + 1
        else:
            plain = _PLAIN.match(text, at)
            assert plain is not None  # it matches nothing, too
            parts.append(plain[0])
            at = plain.end()
    return words if parts is None else [*words, "".join(parts)]


def _closing(text: str, at: int) -> int:
    while (end := text.find("'", at)) >= 0:
        if not text.startswith("''", end):
            return end
        at = end + 2
    raise Unreadable("a single quote is not closed")
