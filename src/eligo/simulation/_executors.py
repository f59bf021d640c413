"""Places of work: who simulates the runs, this process, all cores of this machine, or a Dask cluster.

Work is a list of *setups* (a strategy on a grid) and a list of *blocks*: so many runs of one of them, from a number on.
What comes of a block depends on nothing else, so it does not matter who does it, when, or whether it was begun before
by somebody who got lost. A place therefore owes its caller only two things: each block once, in any order, and a clear
error where it cannot go on. What it has already yielded stays with the caller.

Setups are large (they hold the dag) and blocks are small, so a place sends all setups once to whoever works there, as
one pickle, in which those of one dag share it. Blocks are sent as workers become free, a few ahead: whoever is lost
takes only those along, and they are done again.

p samples of q runs of many setups, cut into blocks of work that any place may do in any order.

A block should take long enough that handing it out costs nothing, and be short enough that all cores are busy to the
end and that little is lost with a worker: about a second, or less where a setup has little to do. Where a whole sample
fits, blocks are whole samples and the kernel averages them; where it does not, every run comes back, and samples are
averaged here, run after run. Which of the two depends on the setup and on q alone, never on the place, so that results
are the same to the last bit everywhere.

A setup's rows are kept from its first block until it is complete: p rows, or p*q of them where runs are long.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from types import TracebackType
from typing import Any, NamedTuple, Self, final

import numpy as np

from eligo.dag import Float64
from eligo.errors import EligoError
from eligo.simulation import _runs as runs
from eligo.simulation._runs import COLUMNS, Setup, seconds_per_run

__all__ = [
    "Block",
    "Here",
    "Place",
    "RunBlock",
    "collect",
    "cores",
    "cut",
    "open_place",
]

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
    >>> from eligo.simulation._simulated_orders import contender
    >>> from eligo.simulation._grid import Grid
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
        from eligo.simulation._process_executor import Processes

        return Processes(cores() if on == kind else _number(rest))
    if kind == "dask" and rest:
        from eligo.simulation._dask_executor import DaskCluster

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


_LONGEST_S = 1.0
_SHORTEST_S = 0.1
_PARTS = 32  # into so many blocks a setup is cut, unless they would be too long or too short
_TIME, _LARGEST_PEAK = COLUMNS.index("execution_time"), COLUMNS.index("largest_peak")


def cut(setup: int, seconds: float, samples: int, runs: int) -> list[Block]:
    """Cut the p*q runs of one setup into blocks.

    Parameters
    ----------
    setup
        Its number.
    seconds
        What one run takes, about.

    Examples
    --------
    >>> [block[1:] for block in cut(0, 0.0009, 5, 50)]
    [(0, 100, 50), (100, 100, 50), (200, 50, 50)]
    >>> cut(3, 0.8, 1, 2)
    [Block(setup=3, first=0, count=1, group=1), Block(setup=3, first=1, count=1, group=1)]
    """
    total = samples * runs
    group = runs if seconds * runs <= _LONGEST_S else 1
    wish = min(max(seconds * total / _PARTS, _SHORTEST_S), _LONGEST_S)
    count = group * max(int(min(wish / max(seconds * group, 1e-12), total)), 1)
    return [Block(setup, first, min(count, total - first), group) for first in range(0, total, count)]


def collect(
    place: Place,
    setups: Sequence[Setup],
    samples: int,
    runs: int,
    on_share: Callable[[float], None] | None = None,
) -> Iterator[tuple[int, Float64]]:
    """Yield the number of each setup and its p samples, a row each, as they are complete.

    Setups are begun in the order in which they are given. Each row is a mean of q runs, by ``COLUMNS``.

    Parameters
    ----------
    on_share
        Called after each block with the share of the work that is done, weighed by what runs are thought to take.
    """
    seconds = [seconds_per_run(setup) for setup in setups]
    blocks = [block for number, one in enumerate(seconds) for block in cut(number, one, samples, runs)]
    left = np.bincount([block.setup for block in blocks], minlength=len(setups))
    total = sum(seconds) * samples * runs
    done = 0.0
    rows: dict[int, Float64] = {}
    with closing(_closable(place.work(setups, blocks))) as finished:
        for number, found in finished:
            setup, first, count, group = blocks[number]
            if setup not in rows:
                rows[setup] = np.empty((samples * runs // group, len(COLUMNS)))
            rows[setup][first // group : (first + count) // group] = found
            left[setup] -= 1
            done += count * seconds[setup]
            if on_share is not None:
                on_share(min(done / total, 1.0))
            if not left[setup]:
                whole = rows.pop(setup)
                yield setup, whole if group == runs else _means(whole, runs)


def _closable(finished: Iterator[tuple[int, Float64]]) -> Generator[tuple[int, Float64], None, None]:
    """Give any iterator what generators have, a way to close it: that is how the rest of the work is called off."""
    yield from finished


def _means(rows: Float64, runs: int) -> Float64:
    """Average the runs of each sample as the kernel does, one after the other: the sum depends on nothing else.

    Of execution times only those of runs that ended count.
    """
    by_sample = rows.reshape(-1, runs, rows.shape[1]).copy()
    largest, times = by_sample[:, :, _LARGEST_PEAK].max(axis=1), by_sample[:, :, _TIME]
    times[np.isinf(times)] = 0
    total = np.zeros((len(by_sample), rows.shape[1]))
    for run in range(runs):
        total += by_sample[:, run]
    means: Float64 = total / runs
    means[:, _LARGEST_PEAK] = largest
    ended = total[:, COLUMNS.index("ended")]
    means[:, _TIME] = np.divide(total[:, _TIME], ended, out=np.full(len(total), np.inf), where=ended > 0)
    return means
