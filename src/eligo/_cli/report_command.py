"""``eligo report``: one page to look at, with the workflow, its order, its memory and the pebble game played."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from eligo._cli.arguments import add_input, open_input, read_again
from eligo._cli.changes import LARGEST_TRIAL
from eligo._cli.limit_options import add_limit, limited_by
from eligo._cli.memory_options import MODEL_WORDS, add_model, footprint_of, model_again, without_ours
from eligo._cli.messages import say, warn
from eligo._cli.prioritize_command import STRATEGIES
from eligo._cli.progress import working
from eligo._cli.run_options import resuming
from eligo._cli.simulate_values import whole
from eligo._humanize import amount, plural, printable, short
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo.formats._base import Document
    from eligo.memory._footprint import Footprint
    from eligo.memory._limit import Limited
    from eligo.report._page.findings import Again, Findings, Recorded
    from eligo.simulation._sweep_results import Results

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Make one page to look at, and to send to others: what the workflow is, what was found and what to do next; the workflow
drawn, with equal jobs folded; the pebble game played step by step, two strategies side by side; plots and tables. The
page needs no network and nothing beside it: any browser opens it from disk.

With --memory the page is about the workflow within that limit, with the added dependencies in their own colour. With
--simulation it shows the results of a sweep that `eligo simulate --sweep -o TABLE` wrote, with --run what really ran
when. What the workflow does not tell (times, sizes) is left out, and the page says which file would add it.
"""
EXAMPLE = """
eligo report workflow.dag -o report.html
eligo report workflow.yml --memory 64GB -o limited.html
eligo report workflow.dag --strategies best,fifo,critical-path --workers 40 -o report.html
eligo simulate workflow.dag --sweep -o sweep.csv && eligo report workflow.dag --simulation sweep.csv -o report.html
eligo run workflow.dag && eligo report workflow.dag --run -o report.html
"""

_SUFFIXES = (".html", ".htm")
_MOST_STRATEGIES = 6
_MOST_WORKERS = 1_000_000
_OTHER_RUN = "--run DIR names the folder of a run of this very workflow"
_LONGEST_WORDS = 1_000  # of a command to paste


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    parser.add_argument(
        "-o", dest="out", metavar="PAGE", required=True, help="the page to write, - for standard output"
    )
    showing = parser.add_argument_group("what it shows")
    showing.add_argument(
        "--strategies",
        type=_strategies,
        default=("best", "fifo"),
        metavar="S,...",
        help=f"up to six, the first two side by side (default: best,fifo): {', '.join(STRATEGIES)}",
    )
    showing.add_argument(
        "--workers",
        type=whole(1, _MOST_WORKERS),
        metavar="N",
        help="how many workers execute them (default: as many as jobs are ready on average under fifo, at most 500)",
    )
    showing.add_argument(
        "--seed", type=whole(0, 2**63 - 1), default=0, metavar="N", help="of the strategy random (default: 0)"
    )
    showing.add_argument(
        "--curve",
        type=whole(0, 1_000),
        metavar="N",
        help="how many limits to try, 0 for none (default: 6 up to 2,000 jobs, 3 up to 50,000, none beyond)",
    )
    showing.add_argument("--simulation", metavar="TABLE", help="results of `eligo simulate -o TABLE`: .csv or .parquet")
    showing.add_argument(
        "--run",
        nargs="?",
        const="",
        metavar="DIR",
        help="show the run of this workflow, whose state is in DIR (default: FILE.eligo)",
    )
    add_limit(parser.add_argument_group("limiting"), required=False)
    add_model(parser)
    parser.set_defaults(refuse=parser.error)


def run(args: argparse.Namespace) -> int:
    """Find out what there is to show, and write the page."""
    from eligo.formats._source import replace_file
    from eligo.report._page.render import render

    _check(args)
    with working(f"reading {printable(args.file)}"):
        document = open_input(args, original=True, limited=args.memory is None)
    simulation, note = _simulation(args)
    recorded = _recorded(document, args)
    found = _find(document, args, simulation=simulation, simulation_note=note, recorded=recorded)
    with working(f"drawing {found.dag.n:,} jobs"):
        page = render(found)
    replace_file(args.out, [page])
    if args.out != "-":
        say(f"{args.out}: {plural(found.dag.n, 'job')}, {amount(len(page), 'bytes')}; open it with a browser")
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, before any work is done."""
    from eligo._cli.output_files import check_place, foreign, holds_something
    from eligo._cli.workflow_output import check_distinct
    from eligo.formats._source import writing
    from eligo.report._page.render import PAGE_START

    if args.method is not None and args.memory is None:
        args.refuse("--method is for a limit: it needs --memory SIZE")
    check_distinct(
        {"FILE": args.file, "--job-data": args.job_data, "--simulation": args.simulation, "-o PAGE": args.out}
    )
    if args.out == "-":
        return
    if not args.out.lower().endswith(_SUFFIXES):
        raise EligoError(f"{args.out}: not a name for a page", hint=f"end it in {' or '.join(_SUFFIXES)}")
    check_place(args.out)
    if holds_something(args.out):
        with writing(args.out), Path(args.out).open("rb") as stream:
            ours = stream.read(len(PAGE_START)) == PAGE_START
        if not ours:
            raise foreign(args.out, "page of ours")


def _find(
    document: Document,
    args: argparse.Namespace,
    *,
    simulation: Results | None = None,
    simulation_note: str = "",
    recorded: Recorded | None = None,
) -> Findings:
    """Find out all that a page shows of a workflow, as the options say."""
    from eligo._cli.info_command import nodes_outside
    from eligo.formats import format_by_name
    from eligo.report._page.findings import Wish, find

    footprint, limited, without = _footprint(document, args)
    outside = [f"Outside the graph: {count} {kind}." for kind, count in nodes_outside(document).items()]
    dag = document.dag if limited is None else limited.dag
    with working(f"looking at {dag.n:,} jobs") as tell:
        return find(
            dag,
            Wish(args.strategies, args.workers, args.curve, args.seed),
            path=document.source.path,
            format=format_by_name(document.format).TITLE,
            plain=without_ours(document),
            footprint=footprint,
            without_memory=without,
            limited=limited,
            simulation=simulation,
            recorded=recorded,
            again=_again(document, args),
            notes=outside,
            simulation_note=simulation_note,
            warnings=document.warnings,
            on_progress=tell,
        )


def _again(document: Document, args: argparse.Namespace) -> Again:
    """Return how commands on this workflow begin; a name that cannot be shown as it is cannot be pasted either."""
    from eligo.engines._make_plan import make_plan
    from eligo.formats._editing import INSTRUMENTED_FORMATS
    from eligo.report._page.findings import Again

    file = f"./{args.file}" if args.file.startswith("-") else args.file
    words = read_again("FILE" if args.file == "-" else file, args)
    if printable(words) != words or len(words) > _LONGEST_WORDS:
        words = "FILE"
    runnable = document.dag.n > 0
    try:
        programs = [process.argv[0] for process in make_plan(document).task_of(0).processes] if runnable else []
        runnable = runnable and all(shutil.which(program) for program in programs)
    except EligoError:
        runnable = False
    writable = document.format in INSTRUMENTED_FORMATS and args.file != "-"
    return Again(words, model_again(args), writable, runnable, _kept(document) if writable else 0, args.seed)


def _kept(document: Document) -> int:
    """Return how many jobs have a priority in the file that is not ours."""
    import numpy as np

    from eligo.formats._editing import Wish, instrument

    if document.dag.n > LARGEST_TRIAL:
        return 0
    try:
        return instrument(document, np.arange(document.dag.n, 0, -1, dtype=np.int32), Wish()).kept
    except EligoError:
        return 0


def _footprint(document: Document, args: argparse.Namespace) -> tuple[Footprint | None, Limited | None, str]:
    """Return what jobs occupy, the limit that is kept, and, where sizes are not known, what would supply them."""
    from eligo.report._page.findings import not_shown

    wanted = args.memory is not None or any(getattr(args, name) is not None for name in MODEL_WORDS)
    try:
        footprint = footprint_of(document, args)
    except EligoError as error:
        if wanted:
            raise
        why = error.text.removeprefix(f"{document.source.path}: ")
        return None, None, not_shown(f"{why}. To add them, {error.hint}")
    limited = None if args.memory is None else limited_by(document, footprint, args)
    return footprint, limited, ""


def _simulation(args: argparse.Namespace) -> tuple[Results | None, str]:
    """Return the results of a sweep, and what to say where it is of another file."""
    if args.simulation is None:
        return None, ""
    from eligo.simulation._sweep_results import read_results

    results = read_results(args.simulation)
    if Path(results.about.workflow).name == Path(args.file).name:
        return results, ""
    warn([f"{args.simulation}: is about {printable(results.about.workflow)}, not {args.file}"])
    return results, f"This table is about another file: {printable(short(Path(results.about.workflow).name))}."


def _recorded(document: Document, args: argparse.Namespace) -> Recorded | None:
    if args.run is None:
        return None
    from eligo.engines._run_folder import default_folder, holder
    from eligo.engines._state import JobStatus, State
    from eligo.report._page.findings import Recorded

    if args.file == "-" and not args.run:
        raise EligoError("standard input has no run beside it", hint=_OTHER_RUN)
    with State.open(Path(args.run) if args.run else default_folder(args.file), reading=True) as state:
        try:
            state.check_workflow(document.dag, args.file)
        except EligoError as error:  # whose hint is for those who run it
            raise EligoError(error.text, hint=_OTHER_RUN) from None
        resume = printable(resuming(state.get("words") or [args.file]))
        reasons = {job: state.reason[job] for job, status in enumerate(state.status) if status == JobStatus.FAILED}
        engine = str(state.get("engine"))
        trace, goes_on = state.trace(document.dag), holder(state.folder) is not None
        return Recorded(trace, tuple(state.status), engine, resume, reasons, goes_on)


def _strategies(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in STRATEGIES:
            raise argparse.ArgumentTypeError(f"there is no strategy {name!r}: take some of {', '.join(STRATEGIES)}")
    if len(names) > _MOST_STRATEGIES:
        raise argparse.ArgumentTypeError(f"{len(names)} strategies are too many to look at: take up to six")
    return names
