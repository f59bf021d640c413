r"""Text in HTCondor's submit language that means exactly what it says.

A description is lines of ``name = value``. In values, ``$(x)`` and ``$FUNCTION(x)`` are replaced when the job is
submitted, and ``$$(x)`` when it is matched with a machine. Both have a way out: ``$(DOLLAR)`` is a dollar sign, and
``$$(DOLLARDOLLAR)`` two that stay two. Arguments and environment are lists of words in double quotes; in them, single
quotes keep blanks together, and either quote is doubled to stand for itself.

What the language has no way to write is refused: ends of lines, values that end in a blank or a backslash, and paths
with ``$$``, which HTCondor uses both before and after matching.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["UnwritableError", "environment", "plain_value", "words"]

_DOLLARS = re.compile(r"\$\$|\$")
_NO_LINE = re.compile(r"[\x00\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_VARIABLE = re.compile(r"[^\s='\"]+")


class UnwritableError(ValueError):
    """A value has no form in the submit language; the text says why."""


def words(values: Iterable[str]) -> str:
    r"""Return the value of ``arguments`` for these words.

    Examples
    --------
    >>> print(words(["a b", "it's", '"', "$(x)", "$$(y)"]))
    "'a b' 'it''s' '""' '$(DOLLAR)(x)' '$$(DOLLARDOLLAR)(y)'"
    >>> words(["two\nlines"])
    Traceback (most recent call last):
        ...
    eligo.engines.htcondor.submit_text.UnwritableError: HTCondor has no place for the end of a line in 'two\nlines'
    """
    return f'"{" ".join(map(_word, values))}"'


def environment(variables: Mapping[str, str]) -> str:
    r"""Return the value of ``environment`` for these variables.

    Examples
    --------
    >>> print(environment({"A": "1", "B": "x y"}))
    "'A=1' 'B=x y'"
    """
    for name in variables:
        if not _VARIABLE.fullmatch(name):
            raise UnwritableError(f"HTCondor has no place for a variable that is called {name!r}")
    return words(f"{name}={value}" for name, value in variables.items())


def _word(value: str) -> str:
    quoted = _on_one_line(value).replace("'", "''").replace('"', '""')
    return f"'{_literal(quoted)}'"


def plain_value(value: str) -> str:
    r"""Return the value of a command that takes the rest of the line, such as ``output``.

    Examples
    --------
    >>> plain_value("/a b/$(x)")
    '/a b/$(DOLLAR)(x)'
    """
    if value != value.strip() or value.endswith("\\") or value.startswith('"'):
        raise UnwritableError(f"HTCondor has no place for a value with such an end: {value!r}")
    if "$$" in value:
        raise UnwritableError(f"HTCondor has no place for $$ in {value!r}")
    return _on_one_line(value).replace("$", "$(DOLLAR)")


def _on_one_line(value: str) -> str:
    if _NO_LINE.search(value):
        raise UnwritableError(f"HTCondor has no place for the end of a line in {value!r}")
    return value


def _literal(value: str) -> str:
    return _DOLLARS.sub(lambda found: "$$(DOLLARDOLLAR)" if len(found[0]) == 2 else "$(DOLLAR)", value)
