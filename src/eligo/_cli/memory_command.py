"""``eligo memory``: how much any execution can occupy, how little one can do with, and what limits cost."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from eligo._cli.arguments import add_input, add_json, open_input
from eligo._cli.memory_options import add_model, footprint_of
from eligo._cli.messages import say
from eligo._cli.progress import working
from eligo._humanize import printable

if TYPE_CHECKING:
    from eligo._cli.memory_summary import Findings
    from eligo.dag import Int32, Int64
    from eligo.formats._base import Document
    from eligo.memory._footprint import Footprint

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Tell how much memory or disk the executions of a workflow occupy, whatever the engine does and however many workers
there are:

worst peak: no execution, sequential or parallel, ever occupies more; with shared files it may be an upper bound, and
then the largest peak of an execution that was found is told too.
one at a time: the peak of an order in which jobs run one after the other, the smallest that was found.
lower bound: no execution does with less.

Then which jobs and files make the worst peak, and what limits in between would cost: the critical path of the workflow
with the dependencies that `eligo limit` would add. Sizes come from the file or from --job-data. The same serves
memory and disk; on disk a file is taken to be deleted after its last reader has ended.
"""
EXAMPLE = """
eligo memory workflow.yml
eligo memory workflow.dag --job-data sizes.csv --resource disk --unread leave
eligo memory trace.json --certificate proof.json && eligo verify proof.json trace.json
eligo memory trace.json --curve 12 --plot limits.svg
eligo memory trace.json --plot-order along.svg
eligo memory trace.json --json | jq .worst_peak
"""

_MOST_POINTS = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    add_json(parser)
    add_model(parser)
    showing = parser.add_argument_group("showing")
    showing.add_argument(
        "--curve",
        type=_points,
        metavar="N",
        help="how many limits to try, 0 for none (default: 6 up to 2,000 jobs, 3 up to 50,000, none beyond)",
    )
    showing.add_argument(
        "--plot", metavar="OUT", help="draw what limits cost: .svg, .png or .pdf; needs the extra figures"
    )
    showing.add_argument(
        "--plot-order",
        metavar="OUT",
        help="draw what is occupied along the orders of prioritize, of fifo and of the smallest peak found, one job at "
        "a time, with the worst peak: .svg, .png or .pdf; needs the extra figures",
    )
    showing.add_argument("--certificate", metavar="OUT", help="write the proof of worst peak, order and lower bound")
    parser.set_defaults(refuse=parser.error)


def run(args: argparse.Namespace) -> int:
    """Analyse, and print what was found."""
    from eligo._cli.output_files import write_certificate

    _check_targets(args)
    with working(f"reading {printable(args.file)}"):
        document = open_input(args, original=True)
    found = _find(document, args)
    if args.plot:
        _plot(found, args.plot)
    if args.plot_order:
        _plot_order(found, args.plot_order)
    status = 0
    if args.certificate:
        with working("writing the certificate"):
            certificate = found.analysis.certificate
        status = write_certificate(
            certificate, args.certificate, proved="the worst peak, the order and the lower bound"
        )
    _print(found, args)
    return status


def _check_targets(args: argparse.Namespace) -> None:
    from eligo._cli.output_files import check_picture, check_target
    from eligo._cli.workflow_output import check_distinct

    if args.plot and args.curve == 0:
        args.refuse("--plot draws the curve: --curve 0 leaves nothing to draw")
    pictures = {"--plot": args.plot, "--plot-order": args.plot_order}
    check_distinct({"FILE": args.file, "--certificate": args.certificate, **pictures})
    if args.certificate:
        check_target(args.certificate, args.file)
    for path in pictures.values():
        if path:
            check_picture(path)


def _find(document: Document, args: argparse.Namespace) -> Findings:
    from eligo import graph
    from eligo._cli.memory_summary import Findings
    from eligo.formats._editing import dependencies_of_ours
    from eligo.memory._analyze import analyse, limit_curve
    from eligo.memory._lower_bound import least_memory_within

    footprint = footprint_of(document, args)
    dag = footprint.dag
    with working(f"analysing {dag.n:,} jobs"):
        analysis = analyse(footprint)
    with working("trying limits") as tell:
        curve = limit_curve(footprint, analysis, _wanted_points(dag.n, args), tell)
    path = graph.critical_path(dag).length
    within = max(least_memory_within(footprint, path), analysis.least.value)
    ours = len(dependencies_of_ours(document)[0])
    return Findings(document.source.path, document.format, analysis, curve, path, within, ours)


def _wanted_points(n: int, args: argparse.Namespace) -> int:
    from eligo.memory._analyze import usual_points

    if args.curve is not None:
        return int(args.curve)
    return usual_points(n) or (3 if args.plot else 0)


def _plot(found: Findings, out: str) -> None:
    from eligo._cli.memory_summary import curve_points
    from eligo.report import plot_limits, save

    analysis, rules = found.analysis, found.footprint.rules
    figure = plot_limits(
        curve_points(found.curve),
        worst_peak=analysis.worst.bound,
        sequential_peak=analysis.lowest.peak,
        lower_bound=analysis.least.value,
        critical_path=found.critical_path,
        in_seconds=found.in_seconds,
        resource=rules.resource,
        unit=rules.unit,
        title=found.path,
    )
    save(figure, out)
    say(f"{out}: critical path against limit")


def _plot_order(found: Findings, out: str) -> None:
    """Draw what is occupied, one job at a time, along the orders of prioritize, of fifo and of the smallest peak found.

    From x = t to x = t + 1 a curve shows what is occupied while the job runs that comes after t others: what it reads,
    holds and makes, and what is kept for jobs to come; in the simple model, where inputs make room for outputs, what is
    there once it has started. A curve begins, at x = 0, with what is there before the first job, and ends, at x = n,
    with what is left, so the largest of its values is the peak of its order. Orders that occupy the same at every step
    share a curve. The worst peak, which no execution exceeds, is a straight line.
    """
    from eligo.priority._prioritize import prioritize
    from eligo.report import plot_memory, save

    footprint, analysis = found.footprint, found.analysis
    with working(f"ordering {footprint.dag.n:,} jobs"):
        prioritized = prioritize(footprint.dag)
    orders = {
        "prioritize": prioritized.schedule.order,
        "fifo": prioritized.fifo.order,
        "smallest peak": analysis.lowest.order,
    }
    uses = _uses(footprint, orders)
    figure = plot_memory(
        uses,
        worst_peak=analysis.worst.bound,
        resource=footprint.rules.resource,
        unit=footprint.rules.unit,
        across="jobs executed",
        title=found.path,
    )
    save(figure, out)
    peaks = "; ".join(f"{names}: up to {found.amount(int(size.max()))}" for names, (_, size) in uses.items())
    say(f"{out}: {footprint.rules.resource} along orders, one job at a time; {peaks}")


def _uses(footprint: Footprint, orders: dict[str, Int32]) -> dict[str, tuple[Int64, Int64]]:
    """Return numbers of executed jobs and what is occupied from each on; equal ones once, under all their names."""
    import numpy as np

    from eligo.memory._sequential import memory_along

    executed = np.array([0, *range(footprint.dag.n + 1)])
    groups: list[tuple[list[str], Int64]] = []
    for name, order in orders.items():
        along = memory_along(footprint, order)
        size = np.concatenate([along[:1], along[1::2], along[-1:]])  # before all, during each, after all
        same = next((names for names, other in groups if np.array_equal(size, other)), None)
        if same is None:
            groups.append(([name], size))
        else:
            same.append(name)
    return {", ".join(names): (executed, size) for names, size in groups}


def _print(found: Findings, args: argparse.Namespace) -> None:
    from eligo._cli.eligibility_curve import Look
    from eligo._cli.memory_summary import memory_facts, memory_text
    from eligo._cli.prioritize_summary import json_lines

    if args.json:
        sys.stdout.writelines(json_lines(memory_facts(found)))
        sys.stdout.write("\n")
        return
    print(memory_text(found, Look.of(sys.stdout)))


def _points(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 4 or int(text) > _MOST_POINTS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of limits from 0 to {_MOST_POINTS:,}")
    return int(text)
