"""What a generator refuses: parameters out of range, and dags that would not fit any memory.

Sizes are computed from the parameters and checked before anything is allocated.
"""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any, cast

from eligo.errors import EligoError

__all__ = ["MAX_EDGES", "MAX_JOBS", "at_least", "at_least_each", "fits", "within"]

MAX_JOBS = 50_000_000
"""More jobs than any workflow has, and about what 16 GB hold."""

MAX_EDGES = 400_000_000
"""Likewise."""


def at_least(least: int, **values: Any) -> None:
    """Refuse a value that is no whole number or lies below `least`.

    Examples
    --------
    >>> at_least(1, levels=3, dim=2)
    >>> at_least(1, levels=0)
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: levels must be at least 1, not 0
    hint: choose a larger value
    """
    for name, value in values.items():
        try:
            number = operator.index(value)
        except TypeError:
            raise EligoError(f"{name} must be a whole number, not {value!r}", hint="leave out the fraction") from None
        if number < least:
            raise EligoError(f"{name} must be at least {least}, not {number}", hint="choose a larger value")


def at_least_each(least: int, name: str, values: Any) -> None:
    """Refuse a list that is empty or holds a value below `least`.

    Examples
    --------
    >>> at_least_each(2, "degrees", [4, 1])
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: each of degrees must be at least 2, not 1
    hint: choose a larger value
    """
    if len(values) == 0:
        raise EligoError(f"{name} must hold at least one number", hint="give one or more whole numbers")
    at_least(least, **{f"each of {name}": min(values, key=operator.index)} if _whole(values) else {name: values})


def _whole(values: Any) -> bool:
    return all(hasattr(value, "__index__") for value in values)


def within(low: float, high: float, **values: Any) -> None:
    """Refuse a value that is no number or lies outside the closed interval.

    Examples
    --------
    >>> within(0, 1, density=1.5)
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: density must lie between 0 and 1, not 1.5
    hint: choose another value
    """
    for name, value in values.items():
        if not isinstance(value, Real) or not low <= cast(float, value) <= high:
            raise EligoError(
                f"{name} must lie between {low:g} and {high:g}, not {value!r}", hint="choose another value"
            )


def fits(jobs: float, edges: float = 0) -> None:
    """Refuse a dag that is too large, before memory is taken.

    Examples
    --------
    >>> fits(10**6, 10**7)
    >>> fits(10**9)
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: this dag would have 1,000,000,000 jobs; the limit is 50,000,000
    hint: choose smaller parameters
    """
    for count, most, what in ((jobs, MAX_JOBS, "jobs"), (edges, MAX_EDGES, "edges")):
        if count > most:
            shown = f"{int(count):,}" if count < 10**18 else "over 10^18"
            raise EligoError(
                f"this dag would have {shown} {what}; the limit is {most:,}", hint="choose smaller parameters"
            )
