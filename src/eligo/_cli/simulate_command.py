"""``eligo simulate``: strategies against each other on a grid that nobody can predict, before a job is submitted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eligo._cli.arguments import open_input
from eligo._cli.memory_options import footprint_of
from eligo._cli.messages import say, terminable, warn
from eligo._cli.progress import Shares, counting, working
from eligo._cli.simulate_options import (
    DEFAULT,
    add_words,
    check_words,
    grid_of,
    grid_remark,
    is_sweep,
    repeating,
    wants_advice,
)
from eligo._humanize import plural, printable
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo._cli.simulate_summary import Case
    from eligo.formats._base import Document
    from eligo.simulation._simulated_orders import Contender
    from eligo.simulation._sweep_results import Point, Results

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Run a workflow many times on simulated workers that come when they like, once with each strategy, and tell how much
sooner one ends than the other.

With nothing but FILE it looks for the grids on which prioritising pays, and says so in a paragraph; with --advice it
does so for other strategies, or where workers stay, fail ...

The grid is that of paper 002: workers come in batches, with random times between them (--interarrival, on average)
and random sizes (--batch). Each worker asks for one job; the strategy says which of those that are ready it gets, and
a worker for whom there is none leaves. Jobs take one unit of time each, more or less, or their own times
(--own-times). Much else can be switched on: workers that stay, differ, fail or never return, fixed processors, arrivals
from a file, DAGMan's throttles, memory.

execution time: when the last job is done.
stalling: the share of batches that found no job to run though jobs were left.
utilization: the share of workers' requests that got a job.

Each strategy is run P times Q times; a sample is the mean of Q runs. All runs together tell the ratio of two
strategies, with its standard error (0.838 ± 0.001); a difference is clear, and has a * in tables, if the ratio is more
than 4 of these away from 1 (somewhat more where samples are few). Tables also show the median over all pairs of
samples and the interval that 95 % of their ratios lie in: so much do means of Q runs vary. The same seed gives the same
results.
"""
EXAMPLE = """
eligo simulate workflow.dag                                   # for which grids does prioritising pay?
eligo simulate workflow.dag --advice --strategies critical-path,fifo --own-times
eligo simulate workflow.dag --interarrival 1 --batch 16
eligo simulate workflow.dag --strategies prio,critical-path,fifo --common --samples 100
eligo simulate workflow.dag --strategies mine=@order.txt,fifo --own-times --processors 64
eligo simulate workflow.dag --sweep -o sweep.csv --plot sweep.svg
eligo simulate workflow.dag --interarrival 0.1,1 --batch 4..64 --samples 100 --runs 20 -o small.csv
eligo simulate limited.yml --processors 32 --track-memory --gantt run.svg --chrome-trace run.json
eligo simulate workflow.dag --sweep -o sweep.parquet --on dask:tcp://127.0.0.1:8786
eligo simulate workflow.dag --batch 16 --json | jq '.ratios["best/fifo"].execution_time'
"""

_SAMPLES, _RUNS = 300, 50
_LONG_S = 600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_words(parser)


def run(args: argparse.Namespace) -> int:
    """Simulate, write, and print what was found."""
    from eligo._cli.simulate_output import check_targets

    check_words(args)
    check_targets(args)
    with working(f"reading {printable(args.file)}"):
        document = open_input(args)
    if not document.dag.n:
        raise EligoError(f"{document.source.path}: no jobs: nothing to simulate")
    case = _case(document, args)
    if wants_advice(args):
        return _advise(case, args)
    contenders = _contenders(case, args)
    if is_sweep(args):
        _sweep(case, contenders, args)
    else:
        _compare(case, contenders, args)
    return 0


def _case(document: Document, args: argparse.Namespace) -> Case:
    from eligo._cli.simulate_summary import Case
    from eligo.memory._worst_peak import worst_peak

    try:
        grid = grid_of(document, args)
    except EligoError as error:
        if type(error) is not EligoError or error.text.startswith(document.source.path):
            raise
        raise EligoError(f"{document.source.path}: {error.text}", hint=error.hint) from None
    if not args.track_memory:
        return Case(document, grid)
    footprint = footprint_of(document, args)
    with working(f"finding the worst peak of {document.dag.n:,} jobs"):
        return Case(document, grid, footprint, worst_peak(footprint, trials=0).bound)


def _contenders(case: Case, args: argparse.Namespace) -> list[Contender]:
    """Order the jobs by each strategy."""
    from eligo.simulation._simulated_orders import contender, read_order

    made = []
    with working(f"ordering {case.dag.n:,} jobs") as tell:
        for name, file in args.strategies or DEFAULT:
            tell(name)
            strategy: Any = name if file is None else read_order(file, case.dag)
            made.append(contender(case.dag, strategy, name=name, seed=args.seed))
    return made


def _options(case: Case, args: argparse.Namespace) -> dict[str, Any]:
    """Return what one comparison and a sweep have in common."""
    return {
        "grid": case.grid,
        "samples": args.samples or _SAMPLES,
        "runs": args.runs or _RUNS,
        "seed": args.seed,
        "common": args.common,
        "footprint": case.footprint,
        "against": args.against,
        "on": args.on,
    }


def _compare(case: Case, contenders: list[Contender], args: argparse.Namespace) -> None:
    """Compare strategies on one grid."""
    from eligo._cli.simulate_output import one_point, write_results_of, write_run
    from eligo._cli.simulate_summary import comparison_text
    from eligo.simulation._runs import make_setup
    from eligo.simulation._simulate import simulate

    path = case.document.source.path
    setup = make_setup(case.dag, contenders[0], case.grid, seed=args.seed, common=args.common, footprint=case.footprint)
    write_run(setup, args, path)
    with counting(f"simulating {case.dag.n:,} jobs") as shares:
        tell = _watched(shares, case, contenders, [(case.grid.interarrival, case.grid.batch)], args)
        found = simulate(case.dag, contenders, **_options(case, args), on_progress=tell)
    if args.out is not None or args.plot is not None:
        write_results_of(one_point(path, found, case.footprint), args)
    if args.json:
        peak = max(float(of["largest_peak"].max()) for of in found.values.values())
        _print_json(case.facts(found.facts(), peak))
    else:
        print(comparison_text(case, found, grid_remark(args)))


def _sweep(case: Case, contenders: list[Contender], args: argparse.Namespace) -> None:
    """Compare strategies on many grids; what is finished is kept."""
    from eligo._cli.simulate_output import write_results_of
    from eligo._cli.simulate_summary import largest_peak, sweep_text

    found = _swept(case, contenders, args)
    write_results_of(found, args, written=True)
    if args.json:
        _print_json(case.facts(found.facts(), largest_peak(found)))
    else:
        print(sweep_text(case, found))


def _swept(case: Case, contenders: list[Contender], args: argparse.Namespace) -> Results:
    from itertools import product

    from eligo.simulation._grid_sweep import BATCHES, INTERARRIVALS, sweep
    from eligo.simulation._runs import expected_times

    mean = float(expected_times(case.dag, case.grid).mean()) or 1.0
    between = args.interarrival or ([value * mean for value in INTERARRIVALS] if args.sweep else [mean])
    batches = args.batch or (BATCHES if args.sweep else [16.0])
    points = list(product(between, batches))
    with terminable(), _Kept(args.out, len(points)) as kept, counting(f"simulating {case.dag.n:,} jobs") as shares:
        watch = _watched(shares, case, contenders, points, args)

        def tell(share: float) -> None:
            kept.begin()
            shares.note = kept.words
            watch(share)

        return sweep(
            case.dag,
            contenders,
            **_options(case, args),
            interarrivals=between,
            batches=batches,
            save_to=args.out,
            workflow=case.document.source.path,
            on_progress=tell,
            on_point=kept.add,
        )


def _journal_of(out: str) -> str:
    from eligo.simulation._grid_sweep import journal_of

    return journal_of(out)


class _Kept:
    """How many points of a sweep are finished; says where they are, and how to go on, when it is interrupted."""

    def __init__(self, out: str | None, points: int) -> None:
        self._out = out
        self._points = points
        self._done: int | None = None

    def begin(self) -> None:
        """Count what an earlier sweep has left, once: when this is called, it is known to be of the same sweep."""
        if self._done is None:
            self._done = self._on_disk()

    def _on_disk(self) -> int:
        if self._out is None:
            return 0
        return Path(_journal_of(self._out)).read_bytes().count(b"\n") - 1  # the first line says which sweep it is

    def add(self, _: Point) -> None:
        """Count a point that is finished now."""
        self._done = (self._done or 0) + 1

    @property
    def words(self) -> str:
        """How many there are, in words."""
        return f"{self._done or 0:,} of {self._points:,} points"

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or self._done is None:
            return
        if self._out is None:
            say("finished points are not kept: -o OUT.csv would do that")
        elif Path(_journal_of(self._out)).is_file():
            self._done = self._on_disk()
            say(f"{self.words} are kept in {_journal_of(self._out)}: the same command goes on from there")


def _watched(
    shares: Shares,
    case: Case,
    contenders: Sequence[Contender],
    points: Sequence[tuple[float, float]],
    args: argparse.Namespace,
) -> Callable[[float], None]:
    """Return what takes note of the share that is done, and warns at the beginning of work that takes long."""
    warned = False

    def tell(share: float) -> None:
        nonlocal warned
        shares.tell(share)
        if not warned:
            warned = True
            _warn_if_long((1 - share) * _estimate_s(case, contenders, points, args), args)

    return tell


def _estimate_s(
    case: Case, contenders: Sequence[Contender], points: Sequence[tuple[float, float]], args: argparse.Namespace
) -> float:
    """Return roughly what all runs take on one core."""
    from eligo.simulation._runs import make_setup, seconds_per_run

    grids = [replace(case.grid, interarrival=between, batch=batch) for between, batch in points]
    once = sum(seconds_per_run(make_setup(case.dag, contenders[0], grid)) for grid in grids)
    return once * len(contenders) * (args.samples or _SAMPLES) * (args.runs or _RUNS)


def _warn_if_long(work_s: float, args: argparse.Namespace) -> None:
    from eligo._cli.progress import clock

    cores = _cores(args.on)
    if work_s / (cores or 1) <= _LONG_S:
        return
    where = f" on {plural(cores, 'core')}" if cores else " of one core, shared by the workers of the cluster"
    kept = "; -o OUT.csv keeps finished points" if is_sweep(args) and args.out is None else ""
    text = f"this will take about {clock(work_s / (cores or 1))}{where}: lower --samples or --runs for a quicker look"
    warn([text + kept])


def _cores(on: str) -> int:
    """Return on how many cores of this machine work is done, 0 for those of others."""
    if on.startswith("dask:"):
        return 0
    if on == "here":
        return 1
    from eligo.simulation._executors import cores

    return min(int(on.partition(":")[2] or cores()), cores())


def _advise(case: Case, args: argparse.Namespace) -> int:
    """Find the grids for which prioritising pays."""
    from eligo._cli.simulate_output import looked_at, write_results_of
    from eligo._cli.simulate_summary import advice_text
    from eligo.simulation._advise import advise

    two = _advised(case, args)
    with counting(f"trying grids for {case.dag.n:,} jobs") as shares:
        found = advise(case.dag, **two, grid=case.grid, seed=args.seed, on=args.on, on_progress=shares.tell)
    wanted = [out for out in (args.out, args.plot) if out is not None]
    if found.looks:
        path = case.document.source.path
        tried = f"{path}: {len(found.looks)} grids that were tried"
        write_results_of(looked_at(path, case.grid, found), args, subtitle=tried)
    else:
        for out in wanted:
            say(f"{out}: not written, since no grid was tried")
    if args.json:
        _print_json(case.facts({**found.facts(), "again": repeating(args, found) or None}))
    else:
        print(advice_text(case, found, repeating(args, found)))
    return 1 if wanted and not found.looks else 0


def _advised(case: Case, args: argparse.Namespace) -> dict[str, Any]:
    """Return which strategy is held against which, where these are not the usual ones."""
    if args.strategies is None and args.against is None:
        return {}
    two = _contenders(case, args)
    names = [each.name for each in two]
    theirs = names.index(args.against or ("fifo" if "fifo" in names else names[-1]))
    return {"strategy": two[1 - theirs], "against": two[theirs]}


def _print_json(facts: dict[str, Any]) -> None:
    from eligo._cli.prioritize_summary import json_lines

    sys.stdout.writelines(json_lines(facts))
    sys.stdout.write("\n")
