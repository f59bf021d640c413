"""Files that ``eligo simulate`` writes beside what it prints: checked before the work, written whole or not at all."""

from __future__ import annotations

import argparse
import math
import os
from typing import TYPE_CHECKING

from eligo._cli.messages import say
from eligo._cli.output_files import (
    Shown,
    check_picture,
    check_pictures,
    check_place,
    foreign,
    holds_something,
    show_trace,
)
from eligo._cli.workflow_output import check_distinct
from eligo._humanize import plural
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo.memory._footprint import Footprint
    from eligo.simulation._advise import Advice, Look
    from eligo.simulation._grid import Grid
    from eligo.simulation._runs import Setup
    from eligo.simulation._simulate import Comparison
    from eligo.simulation._sweep_results import Results

__all__ = ["check_targets", "looked_at", "one_point", "write_results_of", "write_run"]

_DRAWN = ("execution_time", "stalling", "utilization")
_NINETY_FIVE = 1.96  # standard errors to either side


def check_targets(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, before any work is done: that may take hours."""
    from eligo.simulation._grid_sweep import journal_of
    from eligo.simulation._sweep_results import check_table_name

    orders = {f"@{entrant.file}": entrant.file for entrant in args.strategies or () if entrant.file is not None}
    read = {"FILE": args.file, "--job-data": args.job_data, "--arrivals": args.arrivals, **orders}
    written = {"-o OUT": args.out, "--plot": args.plot, "--gantt": args.gantt, "--chrome-trace": args.chrome_trace}
    kept = {} if args.out is None else {"-o OUT (finished points)": journal_of(args.out)}
    check_distinct(_each_once(read) | written | kept)
    if args.out is not None:
        check_table_name(args.out)
        check_place(args.out)
        _refuse_foreign(args.out)
    if args.plot is not None:
        check_picture(args.plot)
    check_pictures(args)


def _each_once(read: dict[str, str | None]) -> dict[str, str | None]:
    """Return files that are read, each once: one may serve several things, but nothing is written over it."""
    seen: dict[str, str] = {}
    there = {name: path for name, path in read.items() if path not in (None, "-")}
    return {name: path for name, path in there.items() if seen.setdefault(os.path.realpath(path or ""), name) == name}


def _refuse_foreign(out: str) -> None:
    """Refuse to write over a file that is no such table: it is there by mistake."""
    from eligo.simulation._sweep_results import read_results

    if holds_something(out):
        try:
            read_results(out)
        except EligoError:
            raise foreign(out, "table of a sweep") from None


def one_point(path: str, found: Comparison, footprint: Footprint | None) -> Results:
    """Return a comparison on one grid as the table of a sweep that has one point."""
    from eligo.simulation._grid_sweep import about_of
    from eligo.simulation._sweep_results import Point, Results

    point = Point(float(found.grid.interarrival), float(found.grid.batch), found.strategies, found.ratios)
    return Results(about_of(path, found, found.grid, footprint), (point,))


def looked_at(path: str, grid: Grid, found: Advice) -> Results:
    """Return the grids that advice looked at as a table: ratios, their standard errors, 95 % to both sides of each."""
    import json

    import eligo
    from eligo.simulation._ratios import Summary
    from eligo.simulation._sweep_journal import plain_grid
    from eligo.simulation._sweep_results import About, Point, Results

    pair = f"{found.strategy}/{found.against}"

    def point(look: Look) -> Point:
        off, summary = _NINETY_FIVE * look.error, None
        if math.isfinite(look.ratio):
            summary = Summary(look.ratio, look.ratio, look.error, max(look.ratio - off, 0.0), look.ratio + off)
        return Point(look.interarrival, look.batch, {}, {pair: {"execution_time": summary}})

    about = About(
        workflow=path,
        grid=json.dumps(plain_grid(grid)),
        memory="",
        samples=min(look.runs for look in found.looks),
        runs=1,
        seed=found.seed,
        common=True,
        against=found.against,
        version=eligo.__version__,
    )
    return Results(about, tuple(map(point, found.looks)))


def write_results_of(results: Results, args: argparse.Namespace, *, written: bool = False, subtitle: str = "") -> None:
    """Write the table and the plot that are wanted; a sweep has `written` its table before."""
    from eligo.simulation._sweep_results import write_results

    if args.out is not None:
        if not written:
            write_results(results, args.out)
        say(f"{args.out}: {plural(len(results.points), 'point')}")
    if args.plot is not None:
        _plot(results, args.plot, subtitle)


def _plot(results: Results, out: str, subtitle: str) -> None:
    from eligo.report import save
    from eligo.report._ratio_panels import plot_ratios

    there = {metric for point in results.points for of in point.ratios.values() for metric in of}
    metrics = [metric for metric in _DRAWN if metric in there]
    save(plot_ratios(results, metrics=metrics, subtitle=subtitle), out)
    say(f"{out}: ratios of {', '.join(metric.replace('_', ' ') for metric in metrics)}")


def write_run(setup: Setup, args: argparse.Namespace, path: str) -> None:
    """Write what shows one run of one strategy."""
    if args.gantt is None and args.chrome_trace is None:
        return
    from eligo.simulation._runs import trace_run

    number, name = args.run_number or 0, setup.contender.name
    across = "time (s)" if setup.grid.own_times else "time (mean job times)"
    title, what = f"{path}: {name}, run {number}", f"run {number} of {name}"
    show_trace(Shown(trace_run(setup, number), setup.footprint, title, what, across), args)
