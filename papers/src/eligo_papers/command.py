"""The command ``eligo-papers``: the tables and figures of the papers, computed here, beside what is printed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eligo._cli.arguments import build_parser
from eligo._cli.messages import guarded, say, terminable
from eligo._cli.progress import counting
from eligo._cli.simulate_values import whole
from eligo._cli.terminal import grid
from eligo._humanize import plural, printable
from eligo.errors import EligoError
from eligo_papers import __version__

if TYPE_CHECKING:
    from eligo_papers import Chapter, Reproduction

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "main", "run"]

DESCRIPTION = """
Compute the tables and figures of the papers that Eligo is built on, and write them beside the printed values, with a
sentence on each difference:

  000     Rosenberg and Yurkewych 2005: meshes, trees and FFT dags, eager and IC-optimal
  001     Cordasco, Malewicz and Rosenberg 2010: sums of dags, interleaved
  002     Malewicz, Foster, Rosenberg and Wilde 2006: prio against fifo on four workflows
  003     Cordasco, Malewicz and Rosenberg 2007: strands and duality
  004     Marchal, Simon and Vivien 2018: limits that every execution keeps
  beyond  our methods beside theirs, on the same instances
  all     all of these

DIR gets results.html for a browser, results.md, and a folder results with a page for each paper, its pictures (SVG) and
its tables (CSV). It also keeps the results of finished steps: after an interruption, the same command resumes.

Without --quick the experiments are as large as in the papers, and 002 takes many hours. With --quick they take minutes,
since they draw fewer samples and solve fewer integer programs.
"""
EXAMPLE = """
eligo-papers all --quick -o reproduced
eligo-papers 002 -o reproduced
eligo-papers 004 beyond --quick --data workflows -o reproduced
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: run(_parser().parse_args(words)), debug="--debug" in words)


def _parser() -> argparse.ArgumentParser:
    parser = build_parser("eligo-papers", DESCRIPTION, EXAMPLE)
    add_arguments(parser)
    parser.add_argument("--version", action="version", version=f"eligo-papers {__version__}", help="show the version")
    parser.add_argument("--debug", action="store_true", help="show the full traceback of an error")
    return parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("what", nargs="+", type=_study, metavar="WHAT", help="000, 001, 002, 003, 004, beyond or all")
    parser.add_argument(
        "-o", dest="out", metavar="DIR", required=True, help="folder for the pages; created if it does not exist"
    )
    parser.add_argument(
        "--quick", action="store_true", help="minutes instead of hours: fewer samples, smaller searches"
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="folder with real workflows, or with the memory papers' own graphs, to use as well (default: none)",
    )
    parser.add_argument(
        "--processes",
        type=whole(1, 1_000),
        metavar="N",
        help="number of steps to run at a time (default: one per core)",
    )
    parser.add_argument("--json", action="store_true", help="print all checks as JSON")


def _study(text: str) -> str:
    from eligo_papers.reproducing import names_of

    try:
        names_of(text)
    except EligoError as error:
        raise argparse.ArgumentTypeError(f"{error.text} ({error.hint})") from None
    return text


def run(args: argparse.Namespace) -> int:
    """Reproduce, write, and print what agrees."""
    from eligo.report._style import new_figure
    from eligo_papers import Settings, reproduce

    new_figure(1, 1)  # says now, not after the work, that matplotlib is missing
    settings = Settings("quick" if args.quick else "full", Path(args.data) if args.data is not None else None)
    with terminable(), _kept(args.out), counting("reproducing") as shares:

        def tell(share: float, step: str) -> None:
            shares.note = step
            shares.tell(share)

        found = reproduce(args.what, args.out, settings=settings, processes=args.processes, on_progress=tell)
    if args.json:
        print(json.dumps([_facts(chapter) for chapter in found.chapters], indent=2))
    else:
        print(_summary(found))
        say(f"{printable(str(found.pages[-1]))}: open it with a browser")
    return 0


@contextmanager
def _kept(folder: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        say(f"steps that are done are kept in {printable(folder)}: the same command resumes there")
        raise


def _facts(chapter: Chapter) -> dict[str, object]:
    return {"name": chapter.name, "title": chapter.title, "checks": [asdict(one) for one in chapter.checks]}


def _summary(found: Reproduction) -> str:
    from eligo_papers.chapter import VERDICTS

    rows = [
        [chapter.name, *(str(chapter.count(verdict)) for verdict in VERDICTS), chapter.title]
        for chapter in found.chapters
    ]
    checks = sum(len(chapter.checks) for chapter in found.chapters)
    table = grid(("", *VERDICTS.values(), "chapter"), rows, words=1)
    return f"{plural(checks, 'printed statement')} held against what comes out here\n{table}"
