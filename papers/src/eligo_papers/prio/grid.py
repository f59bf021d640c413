"""Simulated grids: three orders of a workflow on the 7 x 17 grids of paper 002, section 4.

All orders meet the same workers and the same times of jobs, run by run. Every sample is the mean of q runs, and a ratio
of two orders has the paper's interval: all p * p quotients of samples, without the 2.5 % smallest and largest. Only p
of these pairs met the same workers, so the interval is as wide as with workers drawn anew for each order. The p matched
quotients tell much more: their spread gives the *standard error* of the ratio of the means of all runs. So one
simulation serves for what the paper shows and for what it cannot tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eligo.dag import Float64
from eligo.priority._prioritize import prioritize
from eligo.report._ratio_panels import Ratio
from eligo.simulation._grid import Grid
from eligo.simulation._grid_sweep import BATCHES, INTERARRIVALS
from eligo.simulation._ratios import Estimate, estimate, ratio, summarize
from eligo.simulation._simulate import simulate
from eligo_papers.chapter import Step, Table
from eligo_papers.prio.workflows import Source, Workflow, dag_of

__all__ = ["METRICS", "OURS", "SEED", "THEIRS", "Point", "all_numbers", "grid_of", "grid_steps", "matrix", "points_of"]
__all__ += ["power", "ratio_rows", "seconds_at", "simulate_points"]

SEED = 2006
METRICS = ("execution_time", "stalling", "utilization")
THEIRS, OURS = "prio-2006", "best"
_LONGEST_STEP_S = 600.0
_SLOWER = {1e-3: 3.3, 1e-2: 2.5, 1e-1: 2.0}


def simulate_points(
    source: Source,
    orders: Sequence[str],
    interarrivals: Sequence[float],
    batches: Sequence[float],
    *,
    samples: int,
    runs: int,
    seed: int,
    sd: float = 0.1,
) -> list[dict[str, Any]]:
    """Simulate a workflow on every grid, in the given orders and first in first out; return a record for each grid.

    Parameters
    ----------
    interarrivals, batches
        Mean times between and mean sizes of batches; each pair is a grid.
    samples, runs, seed
        p, q, and what all random numbers are a function of.
    sd
        By how much the times of jobs vary; 0.1 is the paper's.

    Examples
    --------
    >>> source = {"family": "airsn", "arguments": {"width": 8}}
    >>> found = simulate_points(source, ["prio-2006"], [1.0], [2.0], samples=20, runs=5, seed=1)
    >>> found[0]["batch"], list(found[0]["ratios"]), found[0]["estimates"]["prio-2006/fifo"][0] < 1
    (2.0, ['prio-2006/fifo'], True)
    """
    dag = dag_of(source)
    strategies: dict[str, Any] = {name: prioritize(dag, name).schedule for name in orders}
    strategies["fifo"] = "fifo"
    names = list(strategies)
    pairs = [(mine, theirs) for i, mine in enumerate(names) for theirs in reversed(names[i + 1 :])]
    points = []
    for interarrival in interarrivals:
        for batch in batches:
            grid = Grid(interarrival=interarrival, batch=batch, sd=sd)
            values = simulate(
                dag, strategies, grid=grid, samples=samples, runs=runs, seed=seed, common=True, on="here"
            ).values
            points.append(
                {
                    "interarrival": float(interarrival),
                    "batch": float(batch),
                    "ratios": {f"{x}/{y}": _ratios(values[x], values[y]) for x, y in pairs},
                    "estimates": {f"{x}/{y}": _matched(values[x], values[y]) for x, y in pairs},
                }
            )
    return points


def _ratios(mine: Mapping[str, Float64], theirs: Mapping[str, Float64]) -> dict[str, list[float] | None]:
    """Return median, low and high of each metric's ratio over all pairs of samples, as the paper has them."""
    found = {metric: ratio(mine[metric], theirs[metric]) for metric in METRICS}
    return {metric: None if one is None else [one.median, one.low, one.high] for metric, one in found.items()}


def _matched(mine: Mapping[str, Float64], theirs: Mapping[str, Float64]) -> list[float]:
    """Return the ratio of mean execution times and its standard error, from matched samples."""
    x, y = mine["execution_time"], theirs["execution_time"]
    found = estimate(summarize(x), summarize(y), ratio(x, y, paired=True), len(x))
    if found is None:
        raise ValueError("execution times are above 0")
    return [found.ratio, found.error]


@dataclass(frozen=True, slots=True)
class Point:
    """What came out on one grid.

    Attributes
    ----------
    intervals
        For each ratio of two orders and each metric median, low and high; ``None`` where a denominator was 0.
    estimates
        For each ratio the ratio of mean execution times with its standard error.
    """

    interarrival: float
    batch: float
    intervals: Mapping[str, Mapping[str, Sequence[float] | None]]
    estimates: Mapping[str, Estimate]


def points_of(records: Iterable[Mapping[str, Any]], samples: int) -> list[Point]:
    """Return what a step found, by interarrival and batch."""
    points = [
        Point(
            one["interarrival"],
            one["batch"],
            one["ratios"],
            {pair: Estimate(told[0], told[1], samples) for pair, told in one["estimates"].items()},
        )
        for one in records
    ]
    return sorted(points, key=lambda point: (point.interarrival, point.batch))


def seconds_at(workflow: Workflow, interarrival: float) -> float:
    """Return about how long a run takes: batches that come often are many."""
    return workflow.run_s * _SLOWER.get(interarrival, 1.0)


def grid_steps(workflow: Workflow) -> list[Step]:
    """Return the steps that simulate a workflow on all grids: one for each interarrival, more where that takes long."""
    steps = []
    for interarrival in INTERARRIVALS:
        a_grid_s = 3 * workflow.samples * workflow.runs * seconds_at(workflow, interarrival)
        most = max(1, min(len(BATCHES), int(_LONGEST_STEP_S / a_grid_s)))
        for first in range(0, len(BATCHES), most):
            some = BATCHES[first : first + most]
            part = f", batches {some[0]:g} to {some[-1]:g}" if most < len(BATCHES) else ""
            arguments = {
                "source": workflow.source,
                "orders": [OURS, THEIRS],
                "interarrivals": [interarrival],
                "batches": list(some),
                "samples": workflow.samples,
                "runs": workflow.runs,
                "seed": SEED,
            }
            name = f"simulate {workflow.name}, workers every {interarrival:g}{part}"
            steps.append(Step(name, simulate_points, arguments, weight=0.6 + a_grid_s * len(some)))
    return steps


def grid_of(found: Mapping[str, Any], workflow: Workflow) -> list[Point]:
    """Return all points of a workflow from the results of its steps."""
    return points_of((one for step in grid_steps(workflow) for one in found[step.name]), workflow.samples)


def ratio_rows(points: Iterable[Point], pairs: Sequence[str]) -> list[Ratio]:
    """Return rows for ``report.plot_ratios``.

    Examples
    --------
    >>> point = Point(1.0, 16.0, {"a/b": {"execution_time": [0.8, 0.7, 0.9], "stalling": None}}, {})
    >>> ratio_rows([point], ["a/b"])[1].median is None
    True
    """
    return [
        Ratio(point.interarrival, point.batch, pair, metric, *(interval or (None, None, None)))
        for point in points
        for pair in pairs
        for metric, interval in point.intervals[pair].items()
    ]


def power(base: int, value: float) -> str:
    """Return a power as text.

    Examples
    --------
    >>> power(2, 16.0), power(10, 0.001), power(2, 1.0)
    ('2^4', '10^-3', '2^0')
    """
    return f"{base}^{round(math.log(value, base))}"


def matrix(name: str, title: str, points: Sequence[Point], pair: str) -> Table:
    """Return a table of the ratios of execution times: batches down, interarrivals across."""
    times, sizes = sorted({one.interarrival for one in points}), sorted({one.batch for one in points})
    at = {(one.interarrival, one.batch): one for one in points}
    rows = [
        [power(2, size), *(_cell(at[time, size].intervals[pair]["execution_time"]) for time in times)] for size in sizes
    ]
    note = "Median, and the interval of the paper's kind, over all pairs of samples."
    return Table(name, title, ("batch \\ interarrival", *(power(10, time) for time in times)), rows, note)


def _cell(interval: Sequence[float] | None) -> str:
    if interval is None:
        return ""
    median, low, high = interval
    return f"{median:.3f} ({low:.2f} to {high:.2f})"


def all_numbers(name: str, title: str, points: Sequence[Point], pairs: Sequence[str]) -> Table:
    """Return every number that was simulated, a row for each grid and ratio."""
    header = ["interarrival", "batch", "ratio", "ratio of mean times", "standard error"]
    header += [f"{metric} {part}" for metric in METRICS for part in ("median", "low", "high")]
    rows = []
    for point in points:
        for pair in pairs:
            told = point.estimates[pair]
            row = [f"{point.interarrival:g}", f"{point.batch:g}", pair, f"{told.ratio:.5f}", f"{told.error:.5f}"]
            for metric in METRICS:
                row += [f"{value:.5f}" for value in point.intervals[pair][metric] or ()] or ["", "", ""]
            rows.append(row)
    return Table(name, title, header, rows)
