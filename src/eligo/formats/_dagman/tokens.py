"""Words, numbers and quoted values of a DAGMan line, exactly as HTCondor's own reader takes them.

DAGMan cuts its lines with C's ``strtok`` at blanks and tabs only and reads numbers with ``strtol`` into 32 bits: a
prefix counts, ``3abc`` is 3, and what is too large wraps round. To agree with it on every file, so do we.

The commands of the DAGMan language, numbered as the compiled scanner numbers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

__all__ = [
    "NODE_KEYWORDS",
    "Keyword",
    "Malformed",
    "Var",
    "Words",
    "fold",
    "is_whole_number",
    "keyword_of",
    "nearest_command",
    "read_integer",
    "read_vars",
]

_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_NAME = re.compile(r"[A-Za-z0-9_+.]*")
_SPACE = re.compile(r"[ \t\n\v\f\r]*")
_PLAIN = re.compile(r'[^"\\]*')
_PAIR = re.compile(r'([+]?[A-Za-z0-9_.]+)[ \t\n\v\f\r]*=[ \t\n\v\f\r]*"([^"\\]*)"')
_BLANKS = re.compile(r"[ \t]*")
_WORD = re.compile(r"[ \t]*([^ \t]*)")
_MAYBE_QUOTED = re.compile(r'[ \t]*(?:"+([^"]*)|([^ \t]*))')
_LONG_MAX = 2**63 - 1


class Malformed(Exception):  # noqa: N818 - not an error of its own: it becomes a ParseError where file and line are known
    """A line does not follow the grammar."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


class Words:
    """The words of one line, one after the other.

    Examples
    --------
    >>> words = Words('JOB a  "my file.sub" NOOP')
    >>> words.next(), words.next(), words.next_maybe_quoted(), words.next(), words.next()
    ('JOB', 'a', 'my file.sub', 'NOOP', '')
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next(self) -> str:
        """Return the next word, or nothing at the end."""
        found = _WORD.match(self._text, self._at)
        assert found is not None  # it matches nothing, too
        self._at = found.end() + 1
        return found[1]

    def next_maybe_quoted(self) -> str:
        """Return the next word, or all between two double quotes."""
        found = _MAYBE_QUOTED.match(self._text, self._at)
        assert found is not None
        self._at = found.end() + 1
        return found[found.lastindex or 0]

    def rest(self) -> str:
        """Return all that is left, without the one separator after the last word."""
        return self._text[self._at :]

    def rest_trimmed(self) -> str:
        """Return all that is left, without leading blanks and tabs."""
        self._at = _end(_BLANKS, self._text, self._at)
        return self.rest()

    def left(self) -> list[str]:
        """Return the words that are left."""
        return [word for word in self.rest().replace("\t", " ").split(" ") if word]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def read_integer(word: str) -> int | None:
    """Return the number a word begins with as C puts it into 32 bits, or ``None`` if it begins with none.

    Examples
    --------
    >>> read_integer("3abc"), read_integer("-7"), read_integer("x"), read_integer("4294967295")
    (3, -7, None, -1)
    """
    found = _NUMBER.match(word)
    if found is None:
        return None
    digits = found[1] if len(found[1]) <= 20 else found[1][0] + "9" * 20  # as large as matters
    value = max(-_LONG_MAX - 1, min(int(digits), _LONG_MAX))
    return (value + 2**31) % 2**32 - 2**31


def is_whole_number(word: str) -> bool:
    """Tell whether a word is a number and nothing else."""
    return _NUMBER.fullmatch(word) is not None


def fold(word: str) -> str:
    """Return a word in upper case, as C's strcasecmp sees it: only ASCII letters have two cases."""
    return word.upper() if word.isascii() else word


@dataclass(frozen=True, slots=True)
class Var:
    """One ``name="value"`` of a VARS line.

    Attributes
    ----------
    prepend
        Whether it is set before the submit description, which may then override it, or after; ``None`` where the line
        leaves that to DAGMan's configuration (which prepends by default).
    """

    name: str
    value: str
    prepend: bool | None = None


def read_vars(text: str) -> tuple[Var, ...]:
    r"""Read what follows the job's name, and one separator, on a VARS line.

    Examples
    --------
    >>> read_vars('x="1" y = "a \\"b\\""')
    (Var(name='x', value='1', prepend=None), Var(name='y', value='a "b"', prepend=None))
    """
    prepend = None
    for word, meaning in (("PREPEND", True), ("APPEND", False)):
        if text.startswith(word):
            prepend, text = meaning, text[len(word) :]
            break
    pairs = tuple(Var(name, value, prepend) for name, value in _pairs(text))
    if not pairs:
        raise Malformed("VARS gives no value", 'write VARS job name="value" ...')
    return pairs


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    at = _end(_SPACE, text, 0)
    while at < len(text):
        if plain := _PAIR.match(text, at):
            name, value, at = plain[1], plain[2], plain.end()
        else:
            name, value, at = _odd_pair(text, at)
        if name.lower().startswith("queue"):
            raise Malformed(f"the name {name!r} in VARS begins with queue", "choose another name")
        yield f"My.{name[1:]}" if name[0] == "+" else name, value
        at = _end(_SPACE, text, at)


def _odd_pair(text: str, at: int) -> tuple[str, str, int]:
    """Read a name and a value that has escapes, and where they end, or say what is wrong."""
    found = _NAME.match(text, at)
    name = found[0] if found else ""
    if not name or name == "+":
        raise Malformed(f"{text[at]!r} cannot begin a name in VARS", "names are letters, digits, _ and .")
    if "+" in name[1:]:
        raise Malformed(f"the name {name!r} in VARS has a + inside", "only the first character may be +")
    at = _end(_SPACE, text, at + len(name))
    if not text.startswith("=", at):
        hint = f"one blank, not more, before {name}" if name in ("PREPEND", "APPEND") else f'write {name}="value"'
        raise Malformed(f"the name {name!r} in VARS is not followed by =", hint)
    at = _end(_SPACE, text, at + 1)
    if not text.startswith('"', at):
        raise Malformed(f"the value of {name!r} in VARS is not in double quotes", f'write {name}="value"')
    return name, *_quoted(text, at + 1)


def _quoted(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    while True:
        end = _end(_PLAIN, text, at)
        parts.append(text[at:end])
        at = end
        if at >= len(text):
            raise Malformed("a value in VARS has no closing double quote", 'a quote inside a value is written \\"')
        if text[at] == '"':
            return "".join(parts), at + 1
        if text[at + 1 : at + 2] not in ("\\", '"'):
            raise Malformed(
                f"the escape \\{text[at + 1 : at + 2]} in VARS is unknown",
                'only \\" and \\\\ are; write a backslash twice',
            )
        parts.append(text[at + 1])
        at += 2


class Keyword(IntEnum):
    """A command; ``UNKNOWN`` is a first word that is none."""

    JOB = 0
    PARENT = 1
    VARS = 2
    PRIORITY = 3
    RETRY = 4
    CATEGORY = 5
    SCRIPT = 6
    PRE_SKIP = 7
    ABORT_DAG_ON = 8
    SUBDAG = 9
    FINAL = 10
    PROVISIONER = 11
    SERVICE = 12
    SPLICE = 13
    INCLUDE = 14
    SUBMIT_DESCRIPTION = 15
    WEAK = 16
    TOLERANCE = 17
    DONE = 18
    MAXJOBS = 19
    CONFIG = 20
    DOT = 21
    NODE_STATUS_FILE = 22
    JOBSTATE_LOG = 23
    SAVE_POINT_FILE = 24
    SET_JOB_ATTR = 25
    ENV = 26
    REJECT = 27
    CONNECT = 28
    PIN_IN = 29
    PIN_OUT = 30
    UNKNOWN = 255

    def __bool__(self) -> bool:
        """Every command is something, the one numbered 0 too."""
        return True


NODE_KEYWORDS = frozenset({Keyword.JOB, Keyword.SUBDAG, Keyword.FINAL, Keyword.PROVISIONER, Keyword.SERVICE})
"""The commands that define a node."""

_LONGEST = 40
_WRITTEN = {"ABORT_DAG_ON": "ABORT-DAG-ON", "SUBMIT_DESCRIPTION": "SUBMIT-DESCRIPTION"}
_BY_NAME = {keyword.name: keyword for keyword in Keyword if keyword is not Keyword.UNKNOWN}


def keyword_of(word: str) -> Keyword:
    """Return the command a word stands for, whatever its case; ``-`` and ``_`` are the same.

    Examples
    --------
    >>> keyword_of("abort-dag-on").name, keyword_of("Edge").name
    ('ABORT_DAG_ON', 'UNKNOWN')
    """
    if not word.isascii():
        return Keyword.UNKNOWN
    return _BY_NAME.get(word.upper().replace("-", "_"), Keyword.UNKNOWN)


def nearest_command(word: str) -> str:
    """Return the command that somebody may have meant by a word that is none; nothing where none is near.

    Examples
    --------
    >>> nearest_command("Priorty"), nearest_command("ABORTDAGON"), nearest_command("EDGE")
    ('PRIORITY', 'ABORT-DAG-ON', '')
    """
    import difflib

    asked = word[:_LONGEST].upper().replace("-", "_")
    near = [name for name in difflib.get_close_matches(asked, _BY_NAME, 1, 0.75) if name != asked]
    return _WRITTEN.get(near[0], near[0]) if near else ""
