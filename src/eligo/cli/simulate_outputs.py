"""Files that ``eligo simulate`` writes beside what it prints: checked before the work, written whole or not at all."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from eligo.cli.messages import say
from eligo.cli.outputs import check_distinct
from eligo.cli.table import plural
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo.memory.footprint import Footprint
    from eligo.simulation.advising import Advice, Look
    from eligo.simulation.comparing import Comparison
    from eligo.simulation.grid import Grid
    from eligo.simulation.results import Results
    from eligo.simulation.runs import Setup

__all__ = ["check_targets", "looked_at", "one_point", "write_results_of", "write_run"]

_DRAWN = ("execution_time", "stalling", "utilization")
_TRACES = (".json", ".json.gz")
_NINETY_FIVE = 1.96  # standard errors to either side
_TRACE_START = b'{"traceEvents"'


def check_targets(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, before any work is done: that may take hours."""
    from eligo.simulation.results import check_table_name
    from eligo.simulation.sweeping import journal_of

    orders = {f"@{entrant.file}": entrant.file for entrant in args.strategies or () if entrant.file is not None}
    read = {"FILE": args.file, "--job-data": args.job_data, "--arrivals": args.arrivals, **orders}
    written = {"-o OUT": args.out, "--plot": args.plot, "--gantt": args.gantt, "--chrome-trace": args.chrome_trace}
    kept = {} if args.out is None else {"-o OUT (finished points)": journal_of(args.out)}
    check_distinct(_each_once(read) | written | kept)
    if args.out is not None:
        check_table_name(args.out)
    for picture in (args.plot, args.gantt):
        if picture is not None:
            _check_picture(picture)
    if args.chrome_trace is not None and not args.chrome_trace.endswith(_TRACES):
        raise EligoError(
            f"{args.chrome_trace}: not a name for a Chrome trace", hint=f"end it in {' or '.join(_TRACES)}"
        )
    for path in written.values():
        if path is not None:
            _check_place(path)
    _refuse_foreign(args)


def _each_once(read: dict[str, str | None]) -> dict[str, str | None]:
    """Return files that are read, each once: one may serve several things, but nothing is written over it."""
    seen: dict[str, str] = {}
    there = {name: path for name, path in read.items() if path not in (None, "-")}
    return {name: path for name, path in there.items() if seen.setdefault(os.path.realpath(path or ""), name) == name}


def _check_picture(path: str) -> None:
    from eligo.report.style import new_figure, picture_kind

    picture_kind(path)
    new_figure(1, 1)  # says now, not after the work, that matplotlib is missing


def _check_place(path: str) -> None:
    """Refuse a directory, or a file in one that does not exist or may not be changed."""
    from eligo.formats.storage import writing

    if Path(path).is_dir():
        raise EligoError(f"{path}: is a directory", hint="name a file to write")
    folder = Path(os.path.realpath(path)).parent
    with writing(path):
        if not folder.is_dir():
            raise FileNotFoundError
        if (not Path(path).exists() or Path(path).is_file()) and not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")


def _refuse_foreign(args: argparse.Namespace) -> None:
    """Refuse to write over a file that is no such table or trace: it is there by mistake."""
    from eligo.formats.storage import load
    from eligo.simulation.results import read_results

    if _holds_something(args.out):
        try:
            read_results(args.out)
        except EligoError:
            raise _foreign(args.out, "table of a sweep") from None
    if _holds_something(args.chrome_trace) and not load(args.chrome_trace).data.startswith(_TRACE_START):
        raise _foreign(args.chrome_trace, "Chrome trace")


def _holds_something(path: str | None) -> bool:
    return path is not None and Path(path).is_file() and Path(path).stat().st_size > 0


def _foreign(path: str, kind: str) -> EligoError:
    return EligoError(f"{path}: is there already, and is no {kind}", hint="choose another name, or move it away")


def one_point(path: str, found: Comparison, footprint: Footprint | None) -> Results:
    """Return a comparison on one grid as the table of a sweep that has one point."""
    from eligo.simulation.results import Point, Results
    from eligo.simulation.sweeping import about_of

    point = Point(float(found.grid.interarrival), float(found.grid.batch), found.strategies, found.ratios)
    return Results(about_of(path, found, found.grid, footprint), (point,))


def looked_at(path: str, grid: Grid, found: Advice) -> Results:
    """Return the grids that advice looked at as a table: ratios, their standard errors, 95 % to both sides of each."""
    import json

    import eligo
    from eligo.simulation.journal import plain_grid
    from eligo.simulation.ratios import Summary
    from eligo.simulation.results import About, Point, Results

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
    from eligo.simulation.results import write_results

    if args.out is not None:
        if not written:
            write_results(results, args.out)
        say(f"{args.out}: {plural(len(results.points), 'point')}")
    if args.plot is not None:
        _plot(results, args.plot, subtitle)


def _plot(results: Results, out: str, subtitle: str) -> None:
    from eligo.report import save
    from eligo.report.ratio_panels import plot_ratios

    there = {metric for point in results.points for of in point.ratios.values() for metric in of}
    metrics = [metric for metric in _DRAWN if metric in there]
    save(plot_ratios(results, metrics=metrics, subtitle=subtitle), out)
    say(f"{out}: ratios of {', '.join(metric.replace('_', ' ') for metric in metrics)}")


def write_run(setup: Setup, args: argparse.Namespace, path: str) -> None:
    """Write what shows one run of one strategy."""
    if args.gantt is None and args.chrome_trace is None:
        return
    from eligo.formats.chrome_trace import write_trace
    from eligo.report import plot_gantt, save
    from eligo.simulation.memory_use import memory_over_time
    from eligo.simulation.runs import trace_run

    number, name, footprint = args.run_number or 0, setup.contender.name, setup.footprint
    trace = trace_run(setup, number)
    memory = None if footprint is None else memory_over_time(footprint, trace)
    title = f"{path}: {name}, run {number}"
    if args.gantt is not None:
        resource, unit = ("", "") if footprint is None else (footprint.rules.resource, footprint.rules.unit)
        across = "time (s)" if setup.grid.own_times else "time (mean job times)"
        save(plot_gantt(trace, memory=memory, across=across, title=title, resource=resource, unit=unit), args.gantt)
        say(f"{args.gantt}: run {number} of {name}")
    if args.chrome_trace is not None:
        write_trace(trace, args.chrome_trace, name=title, memory=memory)
        say(f"{args.chrome_trace}: run {number} of {name}; ui.perfetto.dev and chrome://tracing show it")
