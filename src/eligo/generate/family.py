"""How a family of dags describes itself: one record, from which the command line and the documentation are made.

The record sits beside the function that makes the dags and is registered when its module is imported. Names, types
and defaults of the parameters are read off the function's signature, so that they are stated once; the record adds a
sentence on the whole, one on each parameter, and an example.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from eligo.dag import Dag

__all__ = ["REGISTERED", "REQUIRED", "Family", "Parameter", "markdown_table", "register"]

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
