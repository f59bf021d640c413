"""What a report is about: a workflow with its orders, its memory, and how they were or would be executed.

Everything is found by the verbs that other commands use, so the page says what they say. What a workflow does not tell
(times, sizes) is left out, and remembered as *missing* together with what would supply it.

On so many workers, jobs take the times that are known, exactly, and fifo's queue is the one that really evolves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.graph import Bools, joined
from eligo.memory._footprint import Footprint
from eligo.priority._prioritize import Prioritized, prioritize
from eligo.schedule import Schedule
from eligo.trace import Trace

if TYPE_CHECKING:
    from eligo.memory._analyze import Analysis, CurvePoint
    from eligo.memory._limit import Limited
    from eligo.simulation._list_schedule import MemoryUse
    from eligo.simulation._sweep_results import Results

__all__ = ["STRATEGIES", "Again", "Findings", "MemoryFound", "Recorded", "Strategy", "Wish", "find"]
__all__ += ["footprint_or_reason", "not_shown"]

STRATEGIES = ("best", "fifo")
"""What stands side by side unless others are asked for."""

_MOST_WORKERS = 500


@final
@dataclass(frozen=True, slots=True, eq=False)
class Strategy:
    """One order of the jobs, and the execution that follows it.

    Attributes
    ----------
    name
        What was asked for, such as ``best``.
    chosen
        The strategy that made the order; another one only for ``best``.
    schedule
        The order.
    along, peak
        What is occupied while each job runs, one after the other, and at the end; and the most that ever is. ``None``
        where no sizes are known.
    trace, use
        What runs when on so many workers, and what is occupied then.
    """

    name: str
    chosen: str
    schedule: Schedule
    along: Int64 | None
    peak: int | None
    trace: Trace
    use: MemoryUse | None

    @property
    def label(self) -> str:
        """What it is called on the page."""
        return self.name if self.name == self.chosen else f"{self.name} ({self.chosen})"


@final
@dataclass(frozen=True, slots=True, eq=False)
class MemoryFound:
    """What is known of memory, or of disk.

    Attributes
    ----------
    analysis
        Worst peak, order of small peak and lower bound of the workflow as it is drawn: with the edges of a limit.
    limited
        The limit that is kept, where one was asked for.
    before
        The same without these edges.
    curve
        What limits cost.
    """

    analysis: Analysis
    limited: Limited | None
    before: Analysis
    curve: tuple[CurvePoint, ...]

    @property
    def footprint(self) -> Footprint:
        """What the jobs occupy."""
        return self.analysis.worst.footprint


@final
@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A run that took place: what ran when, what became of the jobs (0 waiting, 1 running, 2 done, 3 failed), where.

    `resume` is the command that goes on with it; `reasons` say of jobs why they failed; `goes_on` if it is not over.
    """

    trace: Trace
    status: Sequence[int]
    engine: str
    resume: str = ""
    reasons: Mapping[int, str] = field(default_factory=dict)
    goes_on: bool = False


@final
@dataclass(frozen=True, slots=True)
class Again:
    """How the same is asked for once more, for commands that can be pasted into a shell.

    Attributes
    ----------
    words
        The file and how to read it: ``flow.dot --job-data sizes.csv``.
    counting
        How memory is counted, if not by default: ``--model pebble``.
    writable
        Whether the format has a place for priorities and dependencies.
    runnable
        Whether it is said what the jobs run, and that is there.
    kept
        How many jobs have a priority in the file, which stays unless it is replaced.
    seed
        Of the strategy ``random``.
    """

    words: str = "FILE"
    counting: str = ""
    writable: bool = True
    runnable: bool = True
    kept: int = 0
    seed: int = 0


@final
@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """All that a page shows.

    Attributes
    ----------
    path, format
        What the user calls the workflow, and what kind of file it is.
    dag
        The workflow, with the edges that a limit added.
    plain
        The same without these edges: so it is drawn.
    strategies
        At least one; the first is the one that claims are about.
    best
        What is known of how good that one is.
    memory
        ``None`` where no sizes are known; then `without_memory` says what would supply them.
    workers
        On how many workers the strategies are executed.
    again
        How commands on this workflow begin.
    notes, order_note, simulation_note
        What else to say of the workflow, of the order and of the simulation, as sentences.
    warnings
        What was odd in the file.
    """

    path: str
    format: str
    dag: Dag
    plain: Dag
    strategies: tuple[Strategy, ...]
    best: Prioritized
    memory: MemoryFound | None
    without_memory: str
    workers: int
    simulation: Results | None
    recorded: Recorded | None
    again: Again
    notes: tuple[str, ...]
    order_note: str
    simulation_note: str
    warnings: tuple[str, ...]

    @property
    def timed(self) -> bool:
        """Whether executions are in seconds: some job takes some time."""
        return _is_timed(self.dag)

    @property
    def untimed(self) -> int:
        """How many jobs have no known time, where others have one."""
        times = self.dag.time_s
        return 0 if times is None or not self.timed else int(np.isnan(times).sum())

    @property
    def added(self) -> Bools:
        """For each edge of the dag whether a limit added it."""
        return ~joined(self.plain, self.dag.tails, self.dag.heads)


@final
@dataclass(frozen=True, slots=True)
class Wish:
    """What to find out, beyond the workflow itself.

    Attributes
    ----------
    strategies
        Of ``prioritize``, the one that claims are about first.
    workers
        By default as many as jobs are ready on average under fifo.
    curve
        How many limits to try; by default fewer for larger workflows.
    seed
        Of the strategy ``random``.
    """

    strategies: Sequence[str] = STRATEGIES
    workers: int | None = None
    curve: int | None = None
    seed: int = 0


def find(
    dag: Dag,
    wish: Wish,
    *,
    path: str = "",
    format: str = "",
    plain: Dag | None = None,
    footprint: Footprint | None = None,
    without_memory: str = "",
    limited: Limited | None = None,
    simulation: Results | None = None,
    recorded: Recorded | None = None,
    again: Again | None = None,
    notes: Sequence[str] = (),
    order_note: str = "",
    simulation_note: str = "",
    warnings: Sequence[str] = (),
    on_progress: Callable[[str], None] | None = None,
) -> Findings:
    """Find out all that a page shows of a workflow.

    Parameters
    ----------
    dag
        The workflow; where it was limited, with the edges of the limit.
    plain
        The same without edges that a limit added.
    footprint
        What its jobs occupy, without the edges of `limited`.
    without_memory
        Why there is no footprint, and what would help.
    again, notes, order_note, simulation_note, warnings
        As the findings have them.

    Examples
    --------
    >>> found = find(Dag.from_names([("a", "b"), ("a", "c")]), Wish(), path="fork.dag")
    >>> [strategy.label for strategy in found.strategies], found.best.claim, found.memory
    (['best (prio)', 'fifo'], 'ic-optimal', None)
    """
    tell = on_progress or (lambda _: None)
    tell("orders")
    best = prioritize(dag, wish.strategies[0], seed=wish.seed)
    workers = wish.workers or _workers_for(best.fifo)
    memory = None
    if footprint is not None:
        memory = _memory(footprint, limited, wish.curve, tell)
    strategies = []
    for name in dict.fromkeys(wish.strategies):
        tell(f"strategy {name}")
        chosen, schedule = _ordered(name, wish, best)
        trace = _on_workers(schedule, name, workers, wish.seed)
        strategies.append(_executed(name, chosen, schedule, trace, None if memory is None else memory.footprint))
    return Findings(
        path, format, dag, dag if plain is None else plain, tuple(strategies), best, memory, without_memory, workers,
        simulation, recorded, again or Again(), tuple(notes), order_note, simulation_note, tuple(warnings),
    )  # fmt: skip


def footprint_or_reason(dag: Dag, model: str | None = None) -> tuple[Footprint | None, str]:
    """Return what the jobs occupy, or the sentence that says why that is not shown.

    Examples
    --------
    >>> footprint_or_reason(Dag.from_edges(1))[1].partition(": ")[0]
    'Memory and disk are not shown'
    """
    from eligo.memory._models import footprint

    try:
        return footprint(dag, model), ""
    except EligoError as error:
        return None, not_shown(error.text)


def not_shown(why: str) -> str:
    """Return the sentence that says why memory is not on the page."""
    return f"Memory and disk are not shown: {why}."


def _workers_for(fifo: Schedule) -> int:
    """Return as many workers as jobs are ready on average in the order of today: there idle ones begin to show."""
    return min(max(round(fifo.area / (fifo.dag.n + 1)), 2), _MOST_WORKERS)


def _ordered(name: str, wish: Wish, best: Prioritized) -> tuple[str, Schedule]:
    """Return the strategy that a name leads to, and its order."""
    if name == wish.strategies[0]:
        return best.strategy, best.schedule
    if name == "fifo":
        return name, best.fifo
    other = prioritize(best.schedule.dag, name, seed=wish.seed)
    return other.strategy, other.schedule


def _executed(name: str, chosen: str, schedule: Schedule, trace: Trace, footprint: Footprint | None) -> Strategy:
    from eligo.simulation._list_schedule import memory_over_time

    use = None if footprint is None else memory_over_time(footprint, trace)
    return Strategy(name, chosen, schedule, *_along(footprint, schedule.order), trace, use)


def _on_workers(schedule: Schedule, name: str, workers: int, seed: int) -> Trace:
    """Execute an order, or a queue, on so many workers that stay; jobs take the times that are known."""
    from eligo.simulation._grid import Grid
    from eligo.simulation._runs import make_setup, trace_run
    from eligo.simulation._simulated_orders import POOLS, Contender

    dag = schedule.dag
    if dag.n == 0:
        return Trace.of(dag, [], [], workers=workers)
    who = Contender(name, name) if name in POOLS else Contender(name, "order", schedule.order)
    return trace_run(make_setup(dag, who, Grid(processors=workers, sd=0, own_times=_is_timed(dag)), seed=seed))


def _is_timed(dag: Dag) -> bool:
    return dag.time_s is not None and bool(np.nansum(dag.time_s) > 0)


def _along(footprint: Footprint | None, order: Int32) -> tuple[Int64 | None, int | None]:
    """Return what is occupied while each job runs and what is left at the end, and the most that ever is."""
    from eligo.memory._sequential import memory_along

    if footprint is None:
        return None, None
    all_along = memory_along(footprint, order)  # before the first job, then during and after each
    return np.append(all_along[1::2], all_along[-1]), int(all_along.max())


def _memory(
    footprint: Footprint, limited: Limited | None, points: int | None, tell: Callable[[str], None]
) -> MemoryFound:
    from eligo.memory._analyze import analyse, limit_curve, usual_points

    tell("memory")
    before = analyse(footprint)
    curve = limit_curve(footprint, before, usual_points(footprint.dag.n) if points is None else points, tell)
    return MemoryFound(before if limited is None else analyse(limited.footprint), limited, before, curve)
