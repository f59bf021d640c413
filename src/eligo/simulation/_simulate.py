"""The main verb: strategies side by side on one grid, with honest statistics.

Malewicz et al. 2006, section 4.2. Each strategy is run p*q times; the mean of q runs is a *sample*. The ratio of two
strategies is the distribution of x/y over all p*p pairs of samples, without its 2.5 % smallest and largest values. With
*common* random numbers the strategies meet the same workers and the same times, run by run, and only matched samples
are divided: the same ratio, with narrower intervals.

Results are a function of the arguments alone: where the work is done, and by how many, changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eligo.dag import Dag, Float64
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint
from eligo.simulation._executors import collect, open_place
from eligo.simulation._experiment import ENOUGH_SAMPLES, Contest, Ratios, Strategies, Summaries, make_contest
from eligo.simulation._grid import Grid
from eligo.simulation._ratios import Estimate, Summary, estimate
from eligo.simulation._runs import COLUMNS

__all__ = [
    "Comparison",
    "check_kinds",
    "estimates_of",
    "few_samples_note",
    "never_ended_hint",
    "plain_summaries",
    "simulate",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """How strategies did on one grid.

    Attributes
    ----------
    strategies
        For each strategy, and each metric, the summary of its p samples.
    ratios
        For each other strategy over `against` (``prio/fifo``), and each metric, the summary of the ratio; ``None``
        where there is no interval, since something was divided by 0 or did not end.
    against
        The strategy that the others are held against.
    grid, samples, runs, seed, common
        What was asked for.
    values
        For each strategy, and each of ``COLUMNS``, the p samples themselves.
    notes
        What to know about these numbers, in words.
    """

    strategies: Summaries
    ratios: Ratios
    against: str
    grid: Grid
    samples: int
    runs: int
    seed: int
    common: bool
    values: Mapping[str, Mapping[str, Float64]]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        found = [f"{pair} {of}" for pair, of in self.estimates().items()]
        told = ", ".join(found) or ", ".join(self.strategies)
        return f"<Comparison: {told}; {self.samples} x {self.runs} runs, seed {self.seed}>"

    def estimates(self, metric: str = "execution_time") -> dict[str, Estimate | None]:
        """Return for each pair the ratio of means and its standard error; ``None`` where there is no ratio.

        Examples
        --------
        >>> dag = Dag.from_edges(9, [4, 4, 4, 4], [5, 6, 7, 8])
        >>> found = simulate(dag, "prio,fifo", grid=Grid(batch=1), samples=40, runs=50, on="here")
        >>> found.estimates()["prio/fifo"].is_below  # clearly faster
        True
        """
        return estimates_of(self.strategies, self.ratios, metric, self.samples)

    def facts(self) -> dict[str, Any]:
        """Return all of it but the samples as plain values for ``json.dumps``; what is no finite number is ``None``."""
        return {
            "interarrival": float(self.grid.interarrival) if self.grid.random_arrivals else None,
            "batch": float(self.grid.batch) if self.grid.random_arrivals else None,
            "samples": self.samples,
            "runs": self.runs,
            "seed": self.seed,
            "common": self.common,
            "against": self.against,
            "estimates": {pair: told and told._asdict() for pair, told in self.estimates().items()},
            "ratios": plain_summaries(self.ratios),
            "strategies": plain_summaries(self.strategies),
            "notes": list(self.notes),
        }


def plain_summaries(found: Mapping[str, Mapping[str, Summary | None]]) -> dict[str, dict[str, Any]]:
    """Return summaries of strategies or ratios as plain values, without infinities, which JSON has no word for.

    Examples
    --------
    >>> endless = Summary(mean=2.0, median=1.5, sd=0.5, low=1.0, high=float("inf"))
    >>> plain_summaries({"fifo": {"execution_time": endless}})
    {'fifo': {'execution_time': {'mean': 2.0, 'median': 1.5, 'sd': 0.5, 'low': 1.0, 'high': None}}}
    """
    return {of: {metric: _plain(summary) for metric, summary in by_metric.items()} for of, by_metric in found.items()}


def _plain(summary: Summary | None) -> dict[str, float | None] | None:
    if summary is None:
        return None
    return {name: float(value) if math.isfinite(value) else None for name, value in summary._asdict().items()}


def estimates_of(strategies: Summaries, ratios: Ratios, metric: str, samples: int) -> dict[str, Estimate | None]:
    """Return for each pair the ratio of means of a metric, with its standard error."""
    found = {}
    for pair, by_metric in ratios.items():
        mine, theirs = (strategies[name][metric] for name in pair.split("/"))
        found[pair] = estimate(mine, theirs, by_metric[metric], samples)
    return found


def never_ended_hint(switched_on: Mapping[str, Any]) -> str:
    """Return what to do where runs never end, by what of a grid is switched on.

    Examples
    --------
    >>> never_ended_hint({"lost": 0.1})
    'give a deadline, so that jobs of lost workers are given to others, or copies'
    >>> never_ended_hint({"processors": 4, "lost": 0.1, "deadline": 3.0})
    'give more processors, or lose none of them'
    """
    lost = bool(switched_on.get("lost"))
    hints = {
        "give a deadline, so that jobs of lost workers are given to others, or copies": lost
        and switched_on.get("deadline") is None,
        "give more processors, or lose none of them": lost and switched_on.get("processors") is not None,
        "let arrivals begin again (--repeat-every), or give more of them": switched_on.get("arrivals") is not None,
    }
    return "; ".join(hint for hint, fits in hints.items() if fits) or "let workers come for longer"


def few_samples_note(samples: int) -> str:
    """Return what to know where samples are few, if they are.

    Examples
    --------
    >>> few_samples_note(1)
    'with 1 sample there are no 2.5 % to cut away: intervals are the whole range (take 40 or more)'
    """
    if samples >= ENOUGH_SAMPLES:
        return ""
    return (
        f"with {samples} sample{'s' * (samples != 1)} there are no 2.5 % to cut away: intervals are the whole range "
        f"(take {ENOUGH_SAMPLES} or more)"
    )


def check_kinds(dag: Dag, grid: Grid | None) -> None:
    """Refuse what is no dag or no grid, with a hint: a file or a number is a likely mistake."""
    if not isinstance(dag, Dag):
        hint = "read the file first, as in simulate(eligo.read('workflow.dag'))"
        raise EligoError(f"a dag is needed, not {type(dag).__name__}: {dag!r:.60}", hint=hint)
    if grid is not None and not isinstance(grid, Grid):
        hint = "make one, as in eligo.Grid(interarrival=1, batch=16)"
        raise EligoError(f"a grid is needed, not {type(grid).__name__}: {grid!r:.60}", hint=hint)


def simulate(
    dag: Dag,
    strategies: Strategies = ("best", "fifo"),
    *,
    grid: Grid | None = None,
    samples: int = 300,
    runs: int = 50,
    seed: int = 0,
    common: bool = False,
    footprint: Footprint | None = None,
    against: str | None = None,
    on: str = "processes",
    on_progress: Callable[[float], None] | None = None,
) -> Comparison:
    """Run strategies on a grid that nobody can predict, and compare them.

    Parameters
    ----------
    strategies
        Names of strategies, schedules, or orders of the jobs; a mapping gives them names of your own.
    grid
        Who comes when, and what goes wrong; by default batches of 16 workers on average, once in a mean job time.
    samples, runs
        p samples, each the mean of q runs.
    seed
        Of all random numbers. The same seed gives the same results, wherever they are computed.
    common
        Whether all strategies meet the same random numbers, which narrows intervals.
    footprint
        What jobs occupy, for peaks of memory; see ``eligo.footprint``.
    against
        The strategy to divide by: by default fifo if it is among them, else the last.
    on
        Where to work: ``processes`` (all cores), ``processes:N``, ``here``, or ``dask:ADDRESS``.
    on_progress
        Called with the share of the work that is done, from 0 to 1.

    Raises
    ------
    EligoError
        The dag is empty, there are no strategies or two of the same name, or samples or runs are below 1.
    EngineError
        The place of work refuses or disappears.

    Examples
    --------
    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> found = simulate(dag, samples=40, runs=10, on="here")
    >>> list(found.strategies), list(found.ratios)
    (['best', 'fifo'], ['best/fifo'])
    >>> found.ratios["best/fifo"]["utilization"].median > 0.9
    True
    """
    check_kinds(dag, grid)
    contest = make_contest(
        dag, strategies, samples=samples, runs=runs, seed=seed, common=common, footprint=footprint, against=against
    )
    grid = Grid() if grid is None else grid
    found: dict[str, Float64] = {}
    if on_progress is not None:
        on_progress(0.0)
    with open_place(on) as place:
        for number, rows in collect(place, contest.setups(grid), samples, runs, on_progress):
            found[contest.names[number]] = rows
    return _comparison(contest, grid, {name: found[name] for name in contest.names})


def _comparison(contest: Contest, grid: Grid, found: dict[str, Float64]) -> Comparison:
    summaries, ratios = contest.judge(grid, found)
    return Comparison(
        summaries,
        ratios,
        contest.against,
        grid,
        contest.samples,
        contest.runs,
        contest.seed,
        contest.common,
        {name: dict(zip(COLUMNS, rows.T, strict=True)) for name, rows in found.items()},
        tuple(_notes(contest, grid, found)),
    )


def _notes(contest: Contest, grid: Grid, found: dict[str, Float64]) -> list[str]:
    few = few_samples_note(contest.samples)
    notes = [few] if few else []
    total = contest.samples * contest.runs
    for name, rows in found.items():
        never = total - round(float(rows[:, COLUMNS.index("ended")].mean()) * total)
        if never:
            notes.append(f"{never:,} of {total:,} runs of {name} never ended: {_hint_for(grid)}")
    return notes


def _hint_for(grid: Grid) -> str:
    ends = grid.arrivals is not None and grid.arrivals.repeat_every is None
    return never_ended_hint(grid.extensions | {"arrivals": grid.arrivals if ends else None})
