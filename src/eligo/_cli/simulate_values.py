"""Values of the options of ``eligo simulate``: strategies, axes of a sweep, numbers, places of work."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

from eligo._cli.prioritize_command import STRATEGIES

__all__ = ["LARGEST", "Entrant", "axis", "entrants", "number", "place", "whole"]

LARGEST = 1e12
"""Of means and times, as for a grid."""

_MOST_VALUES = 1_000


class Entrant(NamedTuple):
    """A strategy as it was named: one of ours, or an order from a file."""

    name: str
    file: str | None = None


def _wrong(text: str) -> NoReturn:
    raise argparse.ArgumentTypeError(text)


def entrants(text: str) -> tuple[Entrant, ...]:
    r"""Read a list of strategies.

    Examples
    --------
    >>> entrants("prio,mine=@old/order.txt,fifo")
    (Entrant(name='prio', file=None), Entrant(name='mine', file='old/order.txt'), Entrant(name='fifo', file=None))
    """
    entrants = tuple(_entrant(word.strip()) for word in text.split(","))
    names = [entrant.name for entrant in entrants]
    for name in names:
        if names.count(name) > 1:
            _wrong(f"two strategies are called {name!r}: give each a name of its own, as in NAME=@FILE")
    return entrants


def _entrant(word: str) -> Entrant:
    if word in STRATEGIES:
        return Entrant(word)
    import difflib

    name, _, file = word.partition("=@") if "=@" in word and not word.startswith("@") else ("", "", word[1:])
    if not (name or word.startswith("@")):
        near = difflib.get_close_matches(word, STRATEGIES, 1)
        meant = (
            f"did you mean {near[0]}?" if near else f"there are {', '.join(STRATEGIES)}, and NAME=@FILE for your own"
        )
        _wrong(f"no strategy is called {word!r}: {meant}")
    name = name or Path(file).stem
    if not file:
        _wrong(f"{word!r} names no file: write NAME=@FILE")
    if name in STRATEGIES:
        _wrong(f"{name!r} is a strategy of ours: give the order in {file!r} another name, as in mine=@{file}")
    if not re.fullmatch(r"[\w.][\w.+-]{0,39}", name):  # what begins with + or - is a formula to spreadsheets
        _wrong(
            f"{name!r} is no name for a strategy: use letters, digits, . and _, then also + and -, as in mine=@{file}"
        )
    return Entrant(name, file)


def axis(factor: int) -> Callable[[str], tuple[float, ...]]:
    """Return what reads a list of numbers above 0 and ranges of them, by powers of `factor`.

    Examples
    --------
    >>> axis(10)("0.001..1000"), axis(2)("1,8..64x4")
    ((0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0), (1.0, 8.0, 32.0))
    """

    def read(text: str) -> tuple[float, ...]:
        try:
            values = [value for word in text.split(",") for value in _range(word.strip(), factor)]
        except argparse.ArgumentTypeError as error:
            if repr(text) in str(error):
                raise
            _wrong(f"{error}: {text!r}")
        if len(values) > _MOST_VALUES:
            _wrong(f"{len(values):,} values are too many: {_MOST_VALUES:,} at most")
        if twice := [value for value in values if values.count(value) > 1]:
            _wrong(f"{twice[0]:g} stands twice in {text!r}")
        return tuple(values)

    return read


def _range(word: str, factor: int) -> list[float]:
    from fractions import Fraction

    first, dots, rest = word.partition("..")
    last, _, step = rest.partition("x")
    positive = number(0, LARGEST, above=True)
    if not dots:
        return [positive(first)]
    if not (first and last):
        _wrong_range(word)
    low, high, by = positive(first), positive(last), positive(step or str(factor))
    if not (low <= high and by >= 1.01):
        _wrong_range(word)
    count = min(int((math.log(high) - math.log(low)) / math.log(by) + 1e-9), _MOST_VALUES)
    # Exact, so that a range has the same numbers as a list: random numbers depend on them to the last bit.
    return [float(Fraction(first) * Fraction(step or factor) ** power) for power in range(count + 1)]


def _wrong_range(word: str) -> NoReturn:
    _wrong(f"{word!r} is no range: write FIRST..LAST, or FIRST..LASTxFACTOR with a factor above 1, as in 1..64x4")


def number(least: float, most: float, *, above: bool = False, below: bool = False) -> Callable[[str], float]:
    """Return what reads a number between two others, or above the one and below the other.

    Examples
    --------
    >>> number(0, 1, below=True)("0.25")
    0.25
    """

    def read(text: str) -> float:
        try:
            value = float(text) if len(text) <= 40 and re.fullmatch(r"[-+0-9.eE]+", text) else math.nan
        except ValueError:
            value = math.nan
        if not (least <= value <= most) or (above and value == least) or (below and value == most):
            largest = f"{most:g}" if most < LARGEST else "1e12"
            first = f"{'above' if above else 'from'} {least:g}"
            last = f"{'to below' if below else 'and at most' if above else 'to'} {largest}"
            _wrong(f"{text!r} is no number {first} {last}")
        return value

    return read


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number between two others.

    Examples
    --------
    >>> whole(1, 9)("7")
    7
    """

    def read(text: str) -> int:
        if not (re.fullmatch("[0-9]{1,20}", text) and least <= int(text) <= most):
            _wrong(f"{text!r} is no whole number from {least:,} to {most:,}")
        return int(text)

    return read


def place(text: str) -> str:
    """Return the name of a place of work, if it is one.

    Examples
    --------
    >>> place("processes:4")
    'processes:4'
    """
    if not re.fullmatch(r"here|processes(:[1-9][0-9]{0,3})?|dask:\S+", text):
        _wrong(f"{text!r} is no place to work: use processes, processes:N, here, or dask:tcp://HOST:PORT")
    return text
