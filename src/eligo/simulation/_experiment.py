"""A contest: which strategies run against which, on which workflow, with how many samples and which random numbers.

Everything that one comparison, a sweep and advice have in common is checked and kept here, once. What differs between
them is only the grid, or on how many grids the contest is held.

A strategy's name is part of its random numbers (docs/simulation.md), so names must differ.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eligo.dag import Dag, Float64
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint
from eligo.schedule import Schedule
from eligo.simulation._grid import Grid
from eligo.simulation._ratios import Summary, ratio, summarize
from eligo.simulation._runs import COLUMNS, Setup, depth_of, make_setup
from eligo.simulation._simulated_orders import Contender, contender

__all__ = ["ENOUGH_SAMPLES", "Contest", "Ratios", "Strategies", "Summaries", "is_formula", "make_contest", "metrics_of"]

Strategies = str | Mapping[str, Any] | Sequence[Any]
"""Names (``"prio,fifo"`` or a list), schedules, orders; or a mapping from the names to use to any of these."""

Summaries = dict[str, dict[str, Summary]]
"""Strategy, then metric."""
Ratios = dict[str, dict[str, Summary | None]]
"""Two strategies (``prio/fifo``), then metric; ``None`` where there is no interval."""

ENOUGH_SAMPLES = 40
"""With fewer samples 2.5 % of them is less than one, and intervals are the whole range."""


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """Strategies that run against each other; made by :func:`make_contest`."""

    dag: Dag
    contenders: tuple[Contender, ...]
    against: str
    samples: int
    runs: int
    seed: int
    common: bool
    footprint: Footprint | None
    depth: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the strategies."""
        return tuple(each.name for each in self.contenders)

    def setups(self, grid: Grid) -> list[Setup]:
        """Return what to run on a grid, a setup for each strategy."""
        return [
            make_setup(
                self.dag, each, grid, seed=self.seed, common=self.common, footprint=self.footprint, depth=self.depth
            )
            for each in self.contenders
        ]

    def judge(self, grid: Grid, found: Mapping[str, Float64]) -> tuple[Summaries, Ratios]:
        """Summarize the samples of each strategy, and their ratios to the one that all others are held against."""
        metrics = metrics_of(grid, self.footprint)
        columns = {name: {metric: rows[:, COLUMNS.index(metric)] for metric in metrics} for name, rows in found.items()}
        strategies = {
            name: {metric: _summary(metric, values) for metric, values in by_metric.items()}
            for name, by_metric in columns.items()
        }
        ratios: Ratios = {
            f"{name}/{self.against}": {
                metric: ratio(values, columns[self.against][metric], paired=self.common)
                for metric, values in columns[name].items()
                if metric != "ended"
            }
            for name in self.names
            if name != self.against
        }
        return strategies, ratios


def _summary(metric: str, values: Float64) -> Summary:
    """Summarize samples; of the largest peaks none is cut away, since the question is what was ever reached."""
    found = summarize(values)
    return found._replace(high=float(values.max())) if metric == "largest_peak" else found


def metrics_of(grid: Grid, footprint: Footprint | None) -> tuple[str, ...]:
    """Return which of the columns say anything on a grid.

    Fixed processors are one batch, which cannot stall. Workers who leave are never idle. Without failures and copies
    there is one allocation a job. Where nobody is lost and workers keep coming, or stay, every run ends.

    Examples
    --------
    >>> metrics_of(Grid(), None)
    ('execution_time', 'stalling', 'utilization')
    >>> metrics_of(Grid(stay=True, lost=0.1), None)
    ('execution_time', 'stalling', 'utilization', 'idle_time', 'allocations', 'ended')
    >>> metrics_of(Grid(processors=4, fail=0.1), None)  # those who fail ask again
    ('execution_time', 'utilization', 'idle_time', 'allocations')
    """
    finite = grid.arrivals is not None and grid.arrivals.repeat_every is None
    counts = {
        "stalling": grid.processors is None,
        "idle_time": grid.staying,
        "peak_memory": footprint is not None,
        "largest_peak": footprint is not None,
        "allocations": grid.fail > 0 or grid.lost > 0 or grid.copies > 1 or grid.deadline is not None,
        "ended": grid.lost > 0 or (finite and not grid.stay),
    }
    return tuple(column for column in COLUMNS if counts.get(column, True))


def make_contest(
    dag: Dag,
    strategies: Strategies,
    *,
    samples: int,
    runs: int,
    seed: int = 0,
    common: bool = False,
    footprint: Footprint | None = None,
    against: str | None = None,
) -> Contest:
    """Check who runs against whom.

    Raises
    ------
    EligoError
        No jobs, no strategies, two of the same name or one that cannot be a name, no samples or runs.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b")])
    >>> contest = make_contest(dag, {"mine": [0, 1], "fifo": "fifo"}, samples=300, runs=50)
    >>> contest.names, contest.against
    (('mine', 'fifo'), 'fifo')
    """
    if not dag.n:
        raise EligoError("no jobs: nothing to simulate", hint="give a workflow with at least one job")
    samples, runs, seed = _whole("samples", samples, 1), _whole("runs", runs, 1), _whole("seed", seed, 0)
    contenders = tuple(_contenders(dag, strategies, seed))
    names = [each.name for each in contenders]
    if not names:
        raise EligoError("no strategies to compare", hint="give some, such as best,fifo")
    for name in names:
        if not name.isprintable() or not name.strip() or "/" in name:
            raise EligoError(f"{name!r} cannot be the name of a strategy", hint="give it letters, and no slash")
        if is_formula(name):
            raise EligoError(
                f"{name!r} cannot be the name of a strategy: spreadsheets would compute it",
                hint="let it begin with a letter",
            )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise EligoError(f"two strategies are called {twice!r}", hint="give each a name of its own")
    if against is None:
        against = "fifo" if "fifo" in names else names[-1]
    if against not in names:
        raise EligoError(f"{against!r} is not among the strategies", hint=f"take one of {', '.join(names)}")
    return Contest(dag, contenders, against, samples, runs, seed, bool(common), footprint, depth_of(dag))


def is_formula(text: str) -> bool:
    """Tell whether spreadsheets would take a cell of a table for something to compute, or even to run.

    Examples
    --------
    >>> is_formula("=1+1"), is_formula("a=1+1")
    (True, False)
    """
    return text.lstrip().startswith(("=", "+", "-", "@"))


def _whole(name: str, value: int, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise EligoError(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        hint = "300 samples of 50 runs are usual" if least else ""
        raise EligoError(f"{name} must be {least} or more, not {number}", hint=hint)
    return number


def _contenders(dag: Dag, strategies: Strategies, seed: int) -> Iterator[Contender]:
    if isinstance(strategies, Mapping):
        for name, strategy in strategies.items():
            yield contender(dag, strategy, name=name, seed=seed)
        return
    # One schedule, or one order, is meant as the only strategy.
    if isinstance(strategies, Schedule | Contender | np.ndarray):
        strategies = [strategies]
    elif isinstance(strategies, str):
        strategies = [name.strip() for name in strategies.split(",") if name.strip()]
    for strategy in strategies:
        yield strategy if isinstance(strategy, Contender) else contender(dag, strategy, seed=seed)
