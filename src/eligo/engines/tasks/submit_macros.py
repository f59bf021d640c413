r"""Macros of a submit description: ``$(x)``, ``$(x:default)``, ``$ENV(x)``, ``$F...(x)`` and a few more functions.

They are replaced from the inside out, and a value's own macros with it, whenever the value is used. What is not defined
is nothing, as for condor_submit; ``$(DOLLAR)`` comes last, so that what it makes is no macro. ``$$(x)`` is filled in by
HTCondor from the machine it matched, and ``$RANDOM_CHOICE`` and its like would differ each time: both are refused.
Linear in the length of the result, which is bounded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from eligo.engines.tasks.submit_words import Unreadable

__all__ = ["Expander", "file_part"]

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
