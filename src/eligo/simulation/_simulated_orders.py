"""Contenders: the strategies that are compared on a grid.

An *oblivious* strategy is a total order of the jobs: of the ELIGIBLE ones the first in it goes first (paper 002,
section 4.1). Any order will do; it need not put parents first. ``fifo``, ``lifo`` and ``random`` are not orders on a
grid: which job became ELIGIBLE first depends on what was done when, so their pools are simulated as they really evolve.

Orders from files, to be simulated beside our own: one job a line, or what ``eligo prioritize --json`` prints.

The first line is the job to go first. Blank lines and lines that begin with ``#`` are passed over. An order of a
strategy may be any, but it must have every job of the workflow once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Dag, Int32
from eligo.errors import EligoError, ParseError
from eligo.formats._source import load
from eligo.priority._prioritize import STRATEGIES, prioritize
from eligo.schedule import Schedule

__all__ = [
    "POOLS",
    "Contender",
    "contender",
    "read_order",
]

POOLS = ("fifo", "lifo", "random")
"""The strategies that look at the pool instead of an order."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A strategy, ready to be simulated; make one with :func:`contender`.

    Attributes
    ----------
    name
        What it is called in results; draws depend on it, unless random numbers are common.
    kind
        ``order``, or one of :data:`POOLS`.
    order
        All jobs, the one to go first in front; ``None`` unless the kind is ``order``.
    """

    name: str
    kind: str
    order: Int32 | None = None


def contender(dag: Dag, strategy: str | Schedule | ArrayLike, *, name: str | None = None, seed: int = 0) -> Contender:
    """Make a strategy ready for simulation.

    Parameters
    ----------
    strategy
        A strategy of ``prioritize``, a schedule of the dag, or any order of all its jobs.
    name
        What to call it; by default what the strategy is called, or ``order``.
    seed
        Passed on to ``prioritize``.

    Raises
    ------
    EligoError
        No such strategy, or not every job once.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> contender(dag, "prio").order.tolist(), contender(dag, "fifo").kind
    ([0, 1, 2], 'fifo')
    >>> contender(dag, [2, 1, 1])
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: an order must have every job once: job 'b' is there 2 times
    """
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            raise EligoError(f"no strategy is called {strategy!r}", hint=f"use one of {', '.join(STRATEGIES)}")
        if strategy in POOLS:
            return Contender(name or strategy, strategy)
        return Contender(name or strategy, "order", prioritize(dag, strategy, seed=seed).schedule.order)
    if isinstance(strategy, Schedule):
        strategy = strategy.order
    return Contender(name or "order", "order", _check_order(dag, np.asarray(strategy)))


def _check_order(dag: Dag, order: np.ndarray) -> Int32:
    if order.shape != (dag.n,):
        raise EligoError(f"an order must have every job once: it has {order.size:,} entries for {dag.n:,} jobs")
    if order.dtype.kind not in "iu" or (dag.n and (order.min() < 0 or order.max() >= dag.n)):
        raise EligoError(f"an order is made of the numbers of jobs, from 0 to {dag.n - 1}")
    times = np.bincount(order, minlength=dag.n)
    if np.any(times != 1):
        job = int(np.argmax(times > 1))
        raise EligoError(f"an order must have every job once: job {dag.names[job]!r} is there {times[job]} times")
    checked = order.astype(np.int32)
    checked.flags.writeable = False
    return checked


def read_order(path: str | os.PathLike[str], dag: Dag) -> Int32:
    r"""Read an order of the jobs of a dag.

    Raises
    ------
    ParseError
        A job that the workflow does not have, or that is there twice, with its line.
    EligoError
        Jobs are missing.

    Examples
    --------
    >>> import tempfile
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("c\na\nb\n")
    ...     file.flush()
    ...     read_order(file.name, dag).tolist()
    [2, 0, 1]
    """
    source = load(path)
    text = source.data.decode("utf-8", "replace")
    number = {name: job for job, name in enumerate(dag.names)}
    first_line: dict[str, int] = {}
    order = []
    for line, name in _from_json(source.path, text) if text.lstrip().startswith("{") else _from_lines(text):
        if name not in number:
            raise ParseError(source.path, line, f"the workflow has no job {name!r}", hint="write one job name a line")
        if name in first_line:
            raise ParseError(source.path, line, f"job {name!r} is there already, in line {first_line[name]}")
        first_line[name] = line
        order.append(number[name])
    if len(order) < dag.n:
        missing = [name for name in dag.names if name not in first_line]
        raise EligoError(
            f"{source.path}: {len(missing):,} of {dag.n:,} jobs are missing, such as {missing[0]!r}",
            hint="an order must have every job once",
        )
    return np.array(order, np.int32)


def _from_lines(text: str) -> Iterator[tuple[int, str]]:
    for line, name in enumerate(text.splitlines(), 1):
        if name.strip() and not name.startswith("#"):
            yield line, name.strip()


def _from_json(path: str, text: str) -> Iterator[tuple[int, str]]:
    try:
        order = json.loads(text)["order"]
    except json.JSONDecodeError as error:
        raise ParseError(path, error.lineno, f"this is not JSON: {error.msg}") from None
    except KeyError:
        raise ParseError(path, 1, "the JSON has no order", hint="eligo prioritize --json prints one") from None
    if not isinstance(order, list) or not all(isinstance(name, str) for name in order):
        raise ParseError(path, 1, "the order is not a list of job names")
    line = 1 + text[: text.index('"order"')].count("\n")
    return ((line, name) for name in order)
