"""Places of work: who simulates the runs, this process, all cores of this machine, or a Dask cluster.

Work is a list of *setups* (a strategy on a grid) and a list of *blocks*: so many runs of one of them, from a number on.
What comes of a block depends on nothing else, so it does not matter who does it, when, or whether it was begun before
by somebody who got lost. A place therefore owes its caller only two things: each block once, in any order, and a clear
error where it cannot go on. What it has already yielded stays with the caller.

Setups are large (they hold the dag) and blocks are small, so a place sends all setups once to whoever works there, as
one pickle, in which those of one dag share it. Blocks are sent as workers become free, a few ahead: whoever is lost
takes only those along, and they are done again.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self, final

from eligo.dag import Float64
from eligo.errors import EligoError
from eligo.simulation import runs

__all__ = ["Block", "Here", "Place", "RunBlock", "cores", "open_place"]

RunBlock = Callable[[Any, int, int, int], Float64]
"""Simulates (setup, first run, runs, group) and returns a row for each group: ``runs.run_block``, or a test's."""

_MOST_PROCESSES = 1024


class Block(NamedTuple):
    """Runs of one setup: `count` of them from number `first` on, averaged over `group` successive ones each."""

    setup: int
    first: int
    count: int  # type: ignore[assignment]  # as much as tuple.count is worth here
    group: int


class Place(ABC):
    """Where work is done, as long as the context is open."""

    @abstractmethod
    def work(self, setups: Sequence[Any], blocks: Sequence[Block]) -> Iterator[tuple[int, Float64]]:
        """Yield the number of each block and its rows, as blocks are done, in any order.

        Closing the iterator cancels what is left.

        Raises
        ------
        EngineError
            The place refuses, or was lost.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of everything: nobody works here any more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@final
class Here(Place):
    """The process that asks, one block after the other."""

    def __init__(self, run: RunBlock = runs.run_block) -> None:
        self._run = run

    def work(self, setups: Sequence[Any], blocks: Sequence[Block]) -> Iterator[tuple[int, Float64]]:
        """Yield the blocks in their order."""
        for number, (setup, *block) in enumerate(blocks):
            yield number, self._run(setups[setup], *block)

    def close(self) -> None:
        """Do nothing: there is nobody else."""


def open_place(on: str = "processes") -> Place:
    """Return the place of work that a text names, to be used in a ``with`` statement.

    Parameters
    ----------
    on
        ``processes`` for all cores of this machine, ``processes:N`` for so many, ``here`` for this process alone, or
        ``dask:ADDRESS`` for a Dask cluster by the address of its scheduler, such as ``dask:tcp://127.0.0.1:8786``.

    Raises
    ------
    EligoError
        No such place.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.simulation.contenders import contender
    >>> from eligo.simulation.grid import Grid
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> setup = runs.make_setup(dag, contender(dag, "fifo"), Grid(processors=2, sd=0))
    >>> with open_place("here") as place:
    ...     [(number, rows[:, 0].tolist()) for number, rows in place.work([setup], [Block(0, 0, 4, 2)])]
    [(0, [2.0, 2.0])]
    """
    kind, _, rest = on.partition(":")
    if on == "here":
        return Here()
    if kind == "processes":
        from eligo.simulation.place_processes import Processes

        return Processes(cores() if on == kind else _number(rest))
    if kind == "dask" and rest:
        from eligo.simulation.place_dask import DaskCluster

        return DaskCluster(rest)
    raise EligoError(
        f"no place of work is called {on!r}",
        hint="use processes, processes:N, here, or dask:ADDRESS such as dask:tcp://127.0.0.1:8786",
    )


def _number(text: str) -> int:
    if not (re.fullmatch("[0-9]{1,4}", text) and 1 <= int(text) <= _MOST_PROCESSES):
        raise EligoError(
            f"{text!r} is not a number of processes", hint=f"give 1 to {_MOST_PROCESSES:,}, as in processes:4"
        )
    return int(text)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not everywhere
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
