"""How a family of dags describes itself: one record, from which the command line and the documentation are made.

The record sits beside the function that makes the dags and is registered when its module is imported. Names, types
and defaults of the parameters are read off the function's signature, so that they are stated once; the record adds a
sentence on the whole, one on each parameter, and an example.

What a generator refuses: parameters out of range, and dags that would not fit any memory.

Sizes are computed from the parameters and checked before anything is allocated.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from eligo.dag import Dag
from eligo.errors import EligoError

__all__ = [
    "MAX_EDGES",
    "MAX_JOBS",
    "REGISTERED",
    "REQUIRED",
    "Family",
    "Parameter",
    "at_least",
    "at_least_each",
    "fits",
    "markdown_table",
    "register",
    "within",
]

REQUIRED = inspect.Parameter.empty
"""The default of a parameter that has none."""

REGISTERED: dict[str, Family] = {}
"""The families of all modules imported so far."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a family.

    Attributes
    ----------
    name
        As in Python; the flag has hyphens for underscores.
    kind
        ``int``, ``float``, ``bool`` or ``str``: of the value, or of each of them.
    default
        ``REQUIRED`` where there is none.
    help
        One line.
    choices
        The only values allowed; empty where all are.
    many
        Whether the value is a sequence of one or more.
    positional
        Whether the command line takes it without a flag.
    """

    name: str
    kind: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    many: bool = False
    positional: bool = False

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Family:
    """A family of dags: its name, the function that makes one, and what a user should read.

    Attributes
    ----------
    name
        On the command line.
    make
        The function; its keywords are the parameters.
    summary
        One line.
    help
        One line for each parameter.
    example
        The words after ``eligo generate`` in an example.
    positional
        Parameters that the command line takes without a flag, in this order.

    Examples
    --------
    >>> from eligo.generate import FAMILIES
    >>> [(p.flag, p.kind.__name__, p.default) for p in FAMILIES["mesh"].parameters()]
    [('--levels', 'int', 5), ('--dim', 'int', 2), ('--expansion', 'bool', False)]
    """

    name: str
    make: Callable[..., Dag]
    summary: str
    help: Mapping[str, str]
    example: str
    positional: tuple[str, ...] = field(default=())

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters in the order of the signature."""
        hints = get_type_hints(self.make)
        return tuple(
            self._parameter(name, hints[name], parameter.default)
            for name, parameter in inspect.signature(self.make).parameters.items()
        )

    def _parameter(self, name: str, hint: Any, default: Any) -> Parameter:
        if get_origin(hint) in (Union, UnionType):
            hint = next(part for part in get_args(hint) if part is not type(None))
        positional = name in self.positional
        if get_origin(hint) is Literal:
            return Parameter(name, str, default, self.help[name], get_args(hint), positional=positional)
        if get_args(hint):  # Sequence[int] or Sequence[str]
            return Parameter(name, get_args(hint)[0], default, self.help[name], many=True, positional=positional)
        return Parameter(name, hint, default, self.help[name], positional=positional)


def register(*families: Family) -> None:
    """Make families known by their names.

    Examples
    --------
    >>> register(REGISTERED["mesh"])
    Traceback (most recent call last):
        ...
    ValueError: two families are called 'mesh'
    """
    for family in families:
        if family.name in REGISTERED:
            raise ValueError(f"two families are called {family.name!r}")
        REGISTERED[family.name] = family


def markdown_table(families: Iterable[Family]) -> list[str]:
    """Return the lines of the documentation's table of families.

    Examples
    --------
    >>> markdown_table([REGISTERED["chain"]])[2]
    '| `chain` | jobs in a row | `--length` 10 |'
    """
    lines = ["| family | is | parameters and defaults |", "|---|---|---|"]
    for family in families:
        parameters = ", ".join(map(_cell, family.parameters()))
        lines.append(f"| `{family.name}` | {family.summary} | {parameters} |")
    return lines


def _cell(parameter: Parameter) -> str:
    if parameter.positional:
        return f"{parameter.name.upper()}{' ...' * parameter.many}"
    if parameter.kind is bool:
        return f"`{parameter.flag}`"
    return f"`{parameter.flag}` {parameter.default}"


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
