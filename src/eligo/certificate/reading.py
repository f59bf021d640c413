"""Reading values of which nothing is known: each function returns what it names, or says what is wrong.

Numbers are Python integers of any size until they have been compared with their limits; ``True`` is not 1 here, and a
float is never a whole number.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["distinct", "fields", "flag", "integers", "pairs", "shown", "whole"]

_SHOWN = 40


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long.

    Examples
    --------
    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    if type(value) is int and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, (str, list, tuple)):
        value = value[: _SHOWN + 1]
    if type(value) in (list, tuple, dict):
        return f"a {'list' if type(value) is not dict else 'mapping'}"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def fields(value: object, what: str, *names: str, **optional: Any) -> list[Any]:
    """Return the values under exactly these keys of a mapping; the last ones may be left out, and have a value then.

    Examples
    --------
    >>> fields({"jobs": [1], "witness": {}}, "block 3", "witness", "jobs")
    [{}, [1]]
    >>> fields({"jobs": [1]}, "block 3", "jobs", "witness")
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: block 3 has no 'witness'
    """
    if type(value) is not dict:
        raise CertificateError(f"{what} must be a mapping, not {shown(value)}")
    for name in names:
        if name not in value:
            raise CertificateError(f"{what} has no {name!r}")
    for key in value:
        if key not in names and key not in optional:
            raise CertificateError(f"{what} has an unknown key {shown(key)}")
    return [value[name] for name in names] + [value.get(name, absent) for name, absent in optional.items()]


def whole(value: object, what: str, least: int, most: int) -> int:
    """Return a whole number within limits.

    Examples
    --------
    >>> whole(True, "dim", 0, 9)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: dim must be a whole number from 0 to 9, not True
    """
    if type(value) is not int or not least <= value <= most:
        raise CertificateError(f"{what} must be a whole number from {least} to {most}, not {shown(value)}")
    return value


def flag(value: object, what: str) -> bool:
    """Return a value that must be true or false."""
    if type(value) is not bool:
        raise CertificateError(f"{what} must be true or false, not {shown(value)}")
    return value


def integers(value: object, what: str, least: int, most: int) -> Int64:
    """Return a list of whole numbers within limits as an array.

    Examples
    --------
    >>> integers([0, 10**30], "positions", 0, 5)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: positions must be whole numbers from 0 to 5, not a number of 100 bits
    """
    if type(value) is not list:
        raise CertificateError(f"{what} must be a list, not {shown(value)}")
    if not set(map(type, value)) <= {int}:
        wrong = next(one for one in value if type(one) is not int)
        raise CertificateError(f"{what} must be whole numbers, not {shown(wrong)}")
    if value and not (least <= min(value) and max(value) <= most):
        wrong = next(one for one in value if not least <= one <= most)
        raise CertificateError(f"{what} must be whole numbers from {least} to {most}, not {shown(wrong)}")
    return np.array(value, np.int64)


def distinct(value: object, what: str, below: int) -> Int64:
    """Return a list of different whole numbers from 0 to below a limit.

    Examples
    --------
    >>> distinct([2, 0], "jobs", 3)
    array([2, 0])
    >>> distinct([2, 0, 2], "jobs", 3)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: jobs name 2 twice
    """
    numbers = integers(value, what, 0, below - 1)
    counts = np.bincount(numbers, minlength=1)
    if counts.max() > 1:
        raise CertificateError(f"{what} name {int(np.argmax(counts > 1))} twice")
    return numbers


def pairs(value: object, what: str, below: int) -> Int64:
    """Return a list of pairs of whole numbers from 0 to below a limit, one a row.

    Examples
    --------
    >>> pairs([[0, 1]], "dropped arcs", 2)
    array([[0, 1]])
    """
    if type(value) is not list:
        raise CertificateError(f"{what} must be a list, not {shown(value)}")
    if not set(map(type, value)) <= {list} or not set(map(len, value)) <= {2}:
        raise CertificateError(f"{what} must be a list of pairs")
    return integers(list(chain.from_iterable(value)), what, 0, below - 1).reshape(-1, 2)
