"""The words of ``eligo simulate``: what they may be, and which of them contradict each other."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from eligo._cli.arguments import add_input, add_json, read_again
from eligo._cli.memory_options import MODEL_WORDS, add_model
from eligo._cli.prioritize_command import STRATEGIES
from eligo._cli.simulate_values import LARGEST, Entrant, axis, entrants, number, place, whole

if TYPE_CHECKING:
    from eligo.formats._base import Document
    from eligo.simulation._advise import Advice
    from eligo.simulation._grid import Grid

__all__ = [
    "DEFAULT",
    "ROUNDINGS",
    "add_words",
    "check_words",
    "grid_of",
    "grid_remark",
    "is_sweep",
    "repeating",
    "wants_advice",
]

ROUNDINGS = ("nearest", "up", "down", "geometric")
"""Stated here as well, so that --help need not load numpy; a test keeps them equal."""

DEFAULT = (Entrant("best"), Entrant("fifo"))
"""Who runs against whom where nothing is said."""

_RANDOM = ("interarrival", "batch", "sweep", "rounding")
_BEYOND = ("rounding", "sd", "arrivals", "repeat_every", "processors", "stay", "spread")
_FATES = ("fail", "lost", "deadline", "copies")
_THROTTLES = ("max_jobs", "max_idle", "categories")
_COMPARING = ("strategies", "against", "samples", "runs", "common", "interarrival", "batch", "sweep")
_DESCRIBING = (*_COMPARING, *_BEYOND, *_FATES, *_THROTTLES, "track_memory", *MODEL_WORDS)
_ONE_RUN = ("gantt", "chrome_trace", "run_number")
_OPTIONS = {"run_number": "--run", "out": "-o"}
_FIXED = ("own_times", "rounding", "sd", "stay", "spread", *_FATES, *_THROTTLES)
_NOT_ADVISED = {
    "it tries many grids of random batches": ("interarrival", "batch", "sweep", "processors", "arrivals", *_ONE_RUN),
    "it decides itself how many runs a grid needs": ("samples", "runs"),
    "it looks at times alone": ("track_memory",),
}

_MOST_POINTS = 10_000


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add all arguments."""
    add_input(parser)
    add_json(parser)
    _add_comparing(parser.add_argument_group("comparing"))
    _add_grid(parser.add_argument_group("grid of paper 002: who comes when"))
    _add_beyond(parser.add_argument_group("grid beyond paper 002, each off by default"))
    _add_fates(parser.add_argument_group("workers that fail, off by default"))
    _add_throttles(parser.add_argument_group("throttles of DAGMan, off by default"))
    memory = parser.add_argument_group("memory, off by default")
    memory.add_argument(
        "--track-memory",
        action="store_true",
        help="follow what the workflow occupies along each run, by the model below, and hold the largest peak against "
        "the worst peak that any execution can reach",
    )
    add_model(parser)
    _add_writing(parser.add_argument_group("writing"))
    parser.set_defaults(refuse=parser.error)


def _add_comparing(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--advice",
        action="store_true",
        help="look for the grids on which the first of two strategies pays, as with nothing but FILE, with other "
        "--strategies, or with grids on which workers stay, fail ...",
    )
    group.add_argument(
        "--strategies",
        type=entrants,
        metavar="S,...",
        help=f"who runs against whom (default: best,fifo): {', '.join(STRATEGIES)}; or NAME=@FILE for an order of your "
        "own, one job a line or as `eligo prioritize --json` prints it",
    )
    group.add_argument(
        "--against", metavar="S", help="which of them to divide by (default: fifo if it is there, else the last)"
    )
    group.add_argument(
        "--samples",
        type=whole(1, 1_000_000),
        metavar="P",
        help="samples of each strategy (default: 300); below 10 nothing is said to be clear",
    )
    group.add_argument(
        "--runs",
        type=whole(1, 1_000_000_000),
        metavar="Q",
        help="runs of which each sample is the mean (default: 50); more of them make intervals narrower",
    )
    group.add_argument(
        "--seed", type=whole(0, 2**64 - 1), default=0, metavar="N", help="of all random numbers (default: 0)"
    )
    group.add_argument(
        "--common",
        action="store_true",
        help="let all strategies meet the same workers and times, run by run, and divide matched samples only: "
        "narrower intervals",
    )
    group.add_argument(
        "--on",
        type=place,
        default="processes",
        metavar="WHERE",
        help="where to work: processes (default: all cores), processes:N, here (this process alone), or a Dask cluster "
        "by its scheduler, dask:tcp://HOST:PORT; results are the same everywhere",
    )


def _add_grid(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--interarrival",
        type=axis(10),
        metavar="X,...",
        help="mean time between batches of workers, in mean job times, or in seconds with --own-times (default: one "
        "mean job time). Several, such as 0.1,1,10 or 0.001..1000 by powers of ten, make a sweep; 1..64x4 goes by "
        "powers of four",
    )
    group.add_argument(
        "--batch",
        type=axis(2),
        metavar="X,...",
        help="mean number of workers in a batch (default: 16). Several, such as 8,16 or 1..65536 by powers of two, "
        "make a sweep",
    )
    group.add_argument(
        "--sweep",
        action="store_true",
        help="sweep over the 119 pairs of paper 002: --interarrival 0.001..1000 and --batch 1..65536, unless given",
    )


def _add_beyond(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--rounding",
        choices=ROUNDINGS,
        metavar="RULE",
        help="how sizes of batches become whole numbers: nearest (default), up, down, or geometric",
    )
    group.add_argument(
        "--own-times",
        action="store_true",
        help="let jobs take the times that the workflow states, in seconds, instead of 1 each; where one is unknown, "
        "the mean of the others",
    )
    group.add_argument(
        "--sd",
        type=number(0, 10),
        metavar="X",
        help="standard deviation of the factor by which the time of a job varies (default: 0.1)",
    )
    group.add_argument(
        "--arrivals",
        metavar="FILE",
        help="batches as they were seen instead of random ones: a CSV table with the columns time,workers",
    )
    group.add_argument(
        "--repeat-every",
        type=number(0, LARGEST, above=True),
        metavar="T",
        help="after which time --arrivals begin again (default: nobody comes after the last)",
    )
    group.add_argument(
        "--processors",
        type=whole(1, 10**9),
        metavar="P",
        help="so many workers from the beginning to the end, and nobody else",
    )
    group.add_argument(
        "--stay", action="store_true", help="workers wait where there is no job, and ask again after each job"
    )
    group.add_argument(
        "--spread",
        type=number(0, 3),
        metavar="X",
        help="speeds of workers differ: standard deviation of their logarithm",
    )


def _add_fates(group: argparse._ArgumentGroup) -> None:
    chance = number(0, 1, below=True)
    group.add_argument("--fail", type=chance, metavar="X", help="the chance that a worker fails at a job, and says so")
    group.add_argument("--lost", type=chance, metavar="X", help="the chance that a worker never comes back")
    group.add_argument(
        "--deadline",
        type=number(0, LARGEST, above=True),
        metavar="X",
        help="after which multiple of its expected time a job is given to another worker",
    )
    group.add_argument(
        "--copies", type=whole(1, 1000), metavar="K", help="give each job to so many workers; the first result counts"
    )


def _add_throttles(group: argparse._ArgumentGroup) -> None:
    count = whole(1, 2**31 - 1)
    group.add_argument(
        "--max-jobs", type=count, metavar="N", help="at most so many jobs in the queue or running (-maxjobs)"
    )
    group.add_argument("--max-idle", type=count, metavar="N", help="send none while so many wait in it (-maxidle)")
    group.add_argument("--categories", action="store_true", help="obey CATEGORY and MAXJOBS of the DAGMan file")


def _add_writing(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-o",
        dest="out",
        metavar="OUT",
        help="write a table of all points: .csv, .csv.gz or .parquet (extra parquet). Finished points of a sweep are "
        "kept in OUT.partial until it is complete: after an interruption the same command goes on from there",
    )
    group.add_argument(
        "--plot",
        metavar="OUT",
        help="draw the ratios of execution time, stalling and utilization: .svg, .png or .pdf; needs the extra figures",
    )
    group.add_argument(
        "--gantt",
        metavar="OUT",
        help="draw one run of the first of --strategies: who did what when, and memory if it is tracked: .svg, .png or "
        ".pdf; needs the extra figures",
    )
    group.add_argument(
        "--chrome-trace",
        metavar="OUT",
        help="write that run for Perfetto and chrome://tracing: .json or .json.gz; a mean job time is shown as 1 s",
    )
    group.add_argument(
        "--run", dest="run_number", type=whole(0, 2**53), metavar="N", help="which run these show (default: 0)"
    )


def wants_advice(args: argparse.Namespace) -> bool:
    """Tell whether advice is asked for, or nothing was said of the grid or of what to compare."""
    return bool(args.advice) or not _given(args, _DESCRIBING)


def is_sweep(args: argparse.Namespace) -> bool:
    """Tell whether several grids are asked for."""
    return bool(args.sweep) or any(len(values or ()) > 1 for values in (args.interarrival, args.batch))


def check_words(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other: these are wrong usage."""
    _check_advice(args)
    _check_arrivals(args)
    one_run = _given(args, _ONE_RUN)
    if one_run and wants_advice(args):
        args.refuse(f"{_option(one_run[0])} is about one grid: say which, for example --interarrival 1 --batch 16")
    if one_run and is_sweep(args):
        args.refuse(f"{_option(one_run[0])} is about one grid, not about a sweep")
    if one_run == ["run_number"]:
        args.refuse("--run says which run to show: it needs --gantt or --chrome-trace")
    if not args.track_memory:
        for name in _given(args, MODEL_WORDS):
            args.refuse(f"{_option(name)} is about memory: it needs --track-memory")
    if args.against is not None:
        names = [entrant.name for entrant in args.strategies or DEFAULT]
        if args.against not in names:
            args.refuse(f"--against {args.against!r} is not among the strategies: {', '.join(names)}")
    if args.plot is not None and len(args.strategies or DEFAULT) < 2:
        args.refuse("--plot draws ratios: it needs two strategies")
    for name in _given(args, ("out", "plot")):
        if args.processors is not None or args.arrivals is not None:
            args.refuse(f"{_option(name)} is for points by --interarrival and --batch: use --json with fixed workers")
    _check_input(args)
    _check_grid(args)


def _check_advice(args: argparse.Namespace) -> None:
    """Refuse what advice does not look at."""
    if not args.advice:
        return
    for why, names in _NOT_ADVISED.items():
        for name in _given(args, names):
            args.refuse(f"{_option(name)} cannot be with --advice: {why}")
    if args.strategies is not None and len(args.strategies) != 2:
        args.refuse("--advice holds one strategy against another: name two, for example --strategies prio,fifo")


def grid_remark(args: argparse.Namespace) -> str:
    """Return a remark on a grid that nobody asked for: it is one of many."""
    asked = _given(args, ("interarrival", "batch", "processors", "arrivals", "track_memory"))
    if asked or len(args.strategies or DEFAULT) != 2:
        return ""
    return "one grid; --advice looks at many"


def repeating(args: argparse.Namespace, found: Advice) -> str:
    """Return the command that simulates the grid with the largest gain again, else that with the largest loss."""
    point = found.worst if found.verdict == "hurts" else found.best
    if point is None:
        return ""
    names = [each.name if each.file is None else f"{each.name}=@{each.file}" for each in args.strategies or DEFAULT]
    words = ["--strategies", ",".join(names)]
    for name in _given(args, ("against", *_FIXED)):
        value = getattr(args, name)
        words += [_option(name)] if value is True else [_option(name), _plain(value)]
    words += ["--interarrival", _plain(point.interarrival), "--batch", _plain(point.batch), "--common"]
    # Advice has run it with the next seed, so that these are the numbers of the paragraph.
    words += ["--samples", str(found.samples), "--runs", str(found.runs), "--seed", str(found.seed + 1)]
    return f"eligo simulate {read_again(args.file, args)} {shlex.join(words)}"


def _plain(value: Any) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _check_arrivals(args: argparse.Namespace) -> None:
    """Refuse several ways for workers to come."""
    for fixed, words in (("processors", "are there from the beginning"), ("arrivals", "are those of the file")):
        for other in _given(args, [*_RANDOM, "arrivals"] if fixed == "processors" else _RANDOM):
            if getattr(args, fixed) is not None:
                args.refuse(f"{_option(other)} cannot be with --{fixed}: its workers {words}")
    if args.repeat_every is not None and args.arrivals is None:
        args.refuse("--repeat-every is about arrivals of a file: it needs --arrivals FILE")


def _check_input(args: argparse.Namespace) -> None:
    """Refuse to read two things from standard input."""
    orders = {f"@{entrant.file}": entrant.file for entrant in args.strategies or () if entrant.file is not None}
    named = {"FILE": args.file, "--arrivals": args.arrivals, "--job-data": args.job_data, **orders}
    if len(both := [option for option, path in named.items() if path == "-"]) > 1:
        args.refuse(f"only one of {' and '.join(both)} can be standard input")


def _check_grid(args: argparse.Namespace) -> None:
    """Refuse what no grid can be, before anything is read."""
    from eligo.errors import EligoError
    from eligo.simulation._grid import Grid

    axes = args.interarrival or (1.0,), args.batch or (16.0,)
    if len(axes[0]) * len(axes[1]) > _MOST_POINTS:
        args.refuse(f"{len(axes[0]) * len(axes[1]):,} points are too many for a sweep: {_MOST_POINTS:,} at most")
    try:
        for batch in axes[1]:
            Grid(interarrival=max(axes[0]), batch=batch, **_fixed(args))
    except EligoError as error:
        args.refuse(error.text)


def grid_of(document: Document, args: argparse.Namespace) -> Grid:
    """Return the grid that the words describe, for the workflow; of several its first.

    Where jobs have their own times and nothing else was said, the mean time between batches is their mean.
    """
    from dataclasses import replace

    from eligo.simulation._grid import Grid
    from eligo.simulation._grid_inputs import read_arrivals, throttle_of
    from eligo.simulation._runs import expected_times

    arrivals = None if args.arrivals is None else read_arrivals(args.arrivals, args.repeat_every)
    throttle = throttle_of(document, max_jobs=args.max_jobs, max_idle=args.max_idle, categories=args.categories)
    grid = Grid(arrivals=arrivals, throttle=throttle, **_fixed(args))
    mean = float(expected_times(document.dag, grid).mean()) if document.dag.n else 1.0
    interarrival = args.interarrival[0] if args.interarrival else mean or 1.0
    return replace(grid, interarrival=interarrival, batch=args.batch[0] if args.batch else 16.0)


def _fixed(args: argparse.Namespace) -> dict[str, Any]:
    """Return what words say of a grid without looking into a file."""
    names = ("rounding", "sd", "processors", "stay", "spread", *_FATES)
    own = {"own_times": True} if args.own_times else {}
    return {name: getattr(args, name) for name in _given(args, names)} | own


def _given(args: argparse.Namespace, names: Iterable[str]) -> list[str]:
    return [name for name in names if getattr(args, name) is not None and getattr(args, name) is not False]


def _option(name: str) -> str:
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")
