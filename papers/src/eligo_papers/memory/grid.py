"""Limits and orders together, on a grid: dependencies that keep a limit, then an order of the jobs under them.

Three ways to run a workflow within a limit of memory on workers that nobody can predict:

* ``ours``: the dependencies of ``auto``, the jobs ordered by ``best``;
* ``fifo``: the same dependencies, jobs first in, first out;
* ``theirs``: the dependencies of 004 (MinLevels, or RespectOrder where that fails), first in, first out.

They are simulated on the grid of paper 002 with the times that the jobs have: batches of workers arrive at random, each
worker asks for one job. All three meet the same workers and the same times, run by run, so that ratios are of matched
samples. The memory of every run is followed: none may exceed the limit.

Workflows are taken as people have them here, with files that count once (the model ``files``), not as the emulation of
004, in which nodes without work would need a worker of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eligo.dag import Dag
from eligo.errors import InfeasibleError
from eligo.memory._footprint import Footprint
from eligo.memory._limit import Limited, limit
from eligo.memory._models import footprint
from eligo.memory._sequential import sequential
from eligo.priority._prioritize import prioritize
from eligo.simulation._grid import Grid
from eligo.simulation._ratios import estimate, ratio, summarize
from eligo.simulation._simulate import simulate
from eligo_papers.memory.gallery import WORKFLOWS, workflow
from eligo_papers.memory.graphs import Reference, load
from eligo_papers.memory.runs import bound_of, peaks

__all__ = ["GRIDS", "WAYS", "compare_on_grids", "grid_of"]

GRIDS = ((0.1, 1.0), (1.0, 4.0), (1.0, 16.0), (10.0, 16.0))
"""Mean times between batches, in mean job times, and mean sizes of batches."""
WAYS = ("ours/theirs", "ours/fifo", "fifo/theirs")


class _Effort(NamedTuple):
    """How much is simulated."""

    samples: int
    runs: int
    seed: int


def compare_on_grids(
    graphs: Sequence[Reference], bounds: Sequence[float], samples: int, runs: int, seed: int
) -> list[dict[str, Any]]:
    """Run workflows within limits on several grids.

    Returns
    -------
    list
        For each graph and bound: what the limit is, whose dependencies are ``theirs``, the AREA of both orders on our
        dag, and for each of ``GRIDS`` the ratios of the execution times (``[ratio, standard error, clearly below,
        clearly above]``) and the largest peak of any run.

    Examples
    --------
    >>> (found,) = compare_on_grids([["DAGGEN sparse", 12]], [0.5], samples=10, runs=2, seed=0)
    >>> found["theirs"], [grid["peak"] <= found["limit"] for grid in found["grids"]]
    ('min-levels', [True, True, True, True])
    """
    found, effort = [], _Effort(samples, runs, seed)
    for reference in graphs:
        print_ = _as_people_have_it(reference)
        low, high = peaks(print_)
        lowest = sequential(print_) if low < high else None
        for at in bounds if low < high else ():
            most = bound_of(low, high, at)
            ours = limit(print_, most, lowest=lowest)
            theirs = _theirs(print_, most)
            best = prioritize(ours.dag, "best")
            record: dict[str, Any] = {
                "graph": reference,
                "at": at,
                "limit": most,
                "theirs": theirs.method,
                "areas": [best.schedule.area, best.fifo.area],
                "paths": [ours.critical_path_after, theirs.critical_path_after],
                "grids": [],
            }
            chosen = {
                "ours": (ours.dag, {"order": best.schedule}),
                "fifo": (ours.dag, ["fifo"]),
                "theirs": (theirs.dag, ["fifo"]),
            }
            for sort in GRIDS:
                record["grids"].append(_on_grid(print_, chosen, sort, effort))
            found.append(record)
    return found


def grid_of(dag: Dag, sort: tuple[float, float]) -> Grid:
    """Return a grid on which jobs take the times that they have.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b")], time_s=[10, 30])
    >>> grid_of(dag, (0.5, 4)).interarrival
    10.0
    """
    mean = 1.0 if dag.time_s is None else float(np.nanmean(dag.time_s))
    return Grid(interarrival=sort[0] * mean, batch=sort[1], own_times=True)


def _as_people_have_it(reference: Reference) -> Footprint:
    if not isinstance(reference, str) and reference[0] in WORKFLOWS:
        return footprint(workflow(str(reference[0]), int(reference[1])), "files", unread="leave")
    return footprint(load(reference))


def _theirs(print_: Footprint, most: int) -> Limited:
    """Return what whoever follows 004 would do: its better heuristic, and where that fails the one that never does."""
    try:
        return limit(print_, most, method="min-levels")
    except InfeasibleError:
        return limit(print_, most, method="respect-order")


def _on_grid(
    print_: Footprint, chosen: dict[str, tuple[Dag, Any]], sort: tuple[float, float], effort: _Effort
) -> dict[str, Any]:
    times, peak = {}, 0.0
    for way, (dag, strategies) in chosen.items():
        comparison = simulate(
            dag,
            strategies,
            grid=grid_of(dag, sort),
            samples=effort.samples,
            runs=effort.runs,
            seed=effort.seed,
            common=True,
            footprint=print_.on(dag),
            on="here",
        )
        (values,) = comparison.values.values()
        times[way] = values["execution_time"]
        peak = max(peak, float(values["largest_peak"].max()))
    ratios = {}
    for way in WAYS:
        mine, other = way.split("/")
        told = estimate(
            summarize(times[mine]),
            summarize(times[other]),
            ratio(times[mine], times[other], paired=True),
            effort.samples,
        )
        if told is None or not math.isfinite(told.ratio):
            raise AssertionError("every run ends on these grids, after some time")
        ratios[way] = [told.ratio, told.error, told.is_below, told.is_above]
    return {"ratios": ratios, "peak": peak}
