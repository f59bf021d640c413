"""Sweeps: the same contest on many grids, from workers that come all the time to workers that hardly ever come.

Malewicz et al. 2006 (section 4.2) vary the mean time between batches over 10^-3 .. 10^3 mean job times and the mean
size of a batch over 2^0 .. 2^16: 119 pairs, the default here. Where jobs have times of their own, the default times
between batches are multiplied by their mean.

All points go to the place of work at once, so that no core waits for the last block of a point. Points that take
little work go first: results come early, and an interruption finds many points finished. A finished point goes into the
journal (``journal.py``); the same call goes on from there, and its results are those of a sweep that was never
interrupted, to the last bit, since every point is a function of its parameters and the seed alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import product

import eligo
from eligo.dag import Dag, Float64
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint
from eligo.simulation._executors import collect, open_place
from eligo.simulation._experiment import Contest, Strategies, make_contest
from eligo.simulation._grid import Grid
from eligo.simulation._runs import expected_times, seconds_per_run
from eligo.simulation._simulate import Comparison, check_kinds
from eligo.simulation._sweep_journal import Journal, identity, plain_grid
from eligo.simulation._sweep_results import About, Point, Results, check_table_name, write_results

__all__ = ["BATCHES", "INTERARRIVALS", "about_of", "journal_of", "sweep"]

INTERARRIVALS = tuple(10.0**power for power in range(-3, 4))
BATCHES = tuple(2.0**power for power in range(17))

_At = tuple[float, float]


def journal_of(save_to: str | os.PathLike[str]) -> str:
    """Return where finished points are kept while a table is not complete.

    Examples
    --------
    >>> journal_of("out.csv")
    'out.csv.partial'
    """
    return f"{os.fspath(save_to)}.partial"


def sweep(
    dag: Dag,
    strategies: Strategies = ("best", "fifo"),
    *,
    interarrivals: Sequence[float] | None = None,
    batches: Sequence[float] | None = None,
    grid: Grid | None = None,
    samples: int = 300,
    runs: int = 50,
    seed: int = 0,
    common: bool = False,
    footprint: Footprint | None = None,
    against: str | None = None,
    on: str = "processes",
    save_to: str | os.PathLike[str] | None = None,
    workflow: str = "",
    on_progress: Callable[[float], None] | None = None,
    on_point: Callable[[Point], None] | None = None,
) -> Results:
    """Compare strategies on many grids.

    Parameters
    ----------
    interarrivals, batches
        Mean times between batches and mean sizes of batches; every pair is a point. By default those of paper 002.
    grid
        All else about the grids.
    save_to
        Where to write the table (``.csv``, ``.csv.gz`` or ``.parquet``). Until it is complete, finished points are kept
        beside it, in ``SAVE_TO.partial``: the same call after an interruption computes only the others.
    workflow
        A name for the workflow, for the table.
    on_progress
        Called with the share of the work that is done, from 0 to 1, by what runs are thought to take. The first call
        tells what is there already.
    on_point
        Called with each point that is finished now, in whatever order.
    strategies, samples, runs, seed, common, footprint, against, on
        As for ``simulate``.

    Raises
    ------
    EligoError
        As for ``simulate``; also where the journal is of another sweep, or the table cannot be written.
    EngineError
        The place of work refuses or disappears. Finished points are kept.

    Examples
    --------
    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> found = sweep(dag, interarrivals=[1], batches=[1, 2], samples=40, runs=2, on="here")
    >>> [(point.interarrival, point.batch) for point in found.points]
    [(1.0, 1.0), (1.0, 2.0)]
    """
    check_kinds(dag, grid)
    contest = make_contest(
        dag, strategies, samples=samples, runs=runs, seed=seed, common=common, footprint=footprint, against=against
    )
    grid = Grid() if grid is None else grid
    axes = _axes(contest, grid, interarrivals, batches)
    points = {at: replace(grid, interarrival=at[0], batch=at[1]) for at in product(*axes)}
    if save_to is None:
        journal = None
    else:
        check_table_name(save_to)
        journal = Journal(journal_of(save_to), identity(contest, grid, *axes))
    with journal or nullcontext():
        found = dict(journal.finished) if journal is not None else {}
        with closing(_missing(contest, points, dict(found), on, on_progress)) as missing:
            for point in missing:
                if journal is not None:
                    journal.add(point)
                found[point.interarrival, point.batch] = point
                if on_point is not None:
                    on_point(point)
        results = Results(about_of(workflow, contest, grid, footprint), tuple(found[at] for at in points))
        if journal is not None and save_to is not None:
            write_results(results, save_to)
            journal.remove()
    return results


def _axes(
    contest: Contest, grid: Grid, interarrivals: Sequence[float] | None, batches: Sequence[float] | None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if not grid.random_arrivals:
        raise EligoError(
            "a sweep varies when workers come: it cannot have fixed processors or arrivals from a file",
            hint="leave these out, or simulate one grid",
        )
    if interarrivals is None:
        mean = float(expected_times(contest.dag, grid).mean())
        if not mean > 0:
            raise EligoError("all jobs take no time at all", hint="state interarrivals, or let jobs take 1 each")
        interarrivals = [value * mean for value in INTERARRIVALS]
    return _axis("interarrivals", interarrivals), _axis("batches", BATCHES if batches is None else batches)


def _axis(name: str, values: Sequence[float]) -> tuple[float, ...]:
    axis = tuple(float(value) for value in values)
    if not axis:
        raise EligoError(f"a sweep over no {name}", hint="give at least one")
    if len(set(axis)) < len(axis):
        twice = next(value for value in axis if axis.count(value) > 1)
        raise EligoError(f"{twice:g} stands twice among the {name}")
    return axis


def about_of(workflow: str, asked: Contest | Comparison, grid: Grid, footprint: Footprint | None) -> About:
    """Return what stands in each row of a table."""
    rules = None if footprint is None else footprint.rules
    return About(
        workflow=workflow,
        grid=json.dumps(plain_grid(grid)),
        memory="" if rules is None else f"{rules.model} {rules.resource}",
        samples=asked.samples,
        runs=asked.runs,
        seed=asked.seed,
        common=asked.common,
        against=asked.against,
        version=eligo.__version__,
    )


def _missing(
    contest: Contest,
    points: dict[_At, Grid],
    found: dict[_At, Point],
    on: str,
    on_progress: Callable[[float], None] | None,
) -> Generator[Point, None, None]:
    """Yield the points that are not found yet, as they are finished."""
    setups = {at: contest.setups(grid) for at, grid in points.items()}
    seconds = {at: sum(map(seconds_per_run, of_point)) for at, of_point in setups.items()}
    todo = sorted((at for at in points if at not in found), key=lambda at: seconds[at])
    before = sum(seconds[at] for at in points if at in found) / sum(seconds.values())

    def tell(share: float) -> None:
        if on_progress is not None:
            on_progress(before + (1 - before) * share)

    tell(0.0 if todo else 1.0)
    if not todo:
        return
    names = contest.names
    rows: dict[_At, dict[str, Float64]] = {at: {} for at in todo}
    with open_place(on) as place:
        work = [setup for at in todo for setup in setups[at]]
        for number, samples in collect(place, work, contest.samples, contest.runs, tell):
            at, name = todo[number // len(names)], names[number % len(names)]
            rows[at][name] = samples
            if len(rows[at]) == len(names):
                ready = rows.pop(at)
                yield Point(*at, *contest.judge(points[at], {name: ready[name] for name in names}))
