"""``eligo limit``: the few dependencies that keep every execution within a limit, written into the workflow itself."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo._cli import changes
from eligo._cli.arguments import add_input, add_json, read_again
from eligo._cli.limit_options import add_limit, limit_first
from eligo._cli.memory_options import MODEL_WORDS, add_model
from eligo._cli.messages import say, warn
from eligo._cli.progress import working
from eligo._humanize import plural, printable

if TYPE_CHECKING:
    from eligo._cli.limit_options import Limiting, Run
    from eligo.certificate import MemoryCertificate
    from eligo.formats._base import Document
    from eligo.formats._editing import Instrumented
    from eligo.formats._rewrite_files import Rewritten
    from eligo.memory._limit import Limited

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Add dependencies to a workflow so that no execution, sequential or parallel, ever occupies more memory or disk than a
limit, whatever the engine does; it stays free to choose among all others. The critical path is kept as short as
several methods can.

Without -o or --in-place nothing is written: a summary shows what the limit would cost. Dependencies go into DAGMan
files (PARENT lines in a marked block), Pegasus YAML, WfFormat and DOT; nothing else in the file changes, doing it twice
changes nothing, and --remove takes them out again. Files are changed all or none.

`eligo memory FILE` tells which limits can be kept. --certificate writes the proof that every execution of the limited
workflow keeps the limit, which `eligo verify` checks. `eligo prioritize FILE --memory SIZE` limits and prioritises.
"""
EXAMPLE = """
eligo limit workflow.yml --memory 64GB                     # what it would cost
eligo limit workflow.yml --memory 64GB -o limited.yml --certificate proof.json
eligo verify proof.json limited.yml
eligo limit workflow.dag --job-data sizes.csv --memory 30% --in-place --backup
eligo limit workflow.dag --in-place --remove
eligo limit trace.json --memory 12GB --processors 8,64 --plot memory.svg
"""

_WITH_ORDER = (None, "auto", "schedule", "respect-order")
_LIMITING = ("memory", "method", "order", "time_limit", "flatten", "certificate", "plot", "processors", *MODEL_WORDS)
_LARGEST_RUN = 200_000  # jobs up to which list scheduling is shown unasked
_PROCESSORS = (4, 16, 64)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    add_json(parser)
    limiting = parser.add_argument_group("limiting")
    add_limit(limiting, required=False)
    limiting.add_argument(
        "--order",
        metavar="FILE",
        help="a sequential order within the limit for schedule and respect-order to go by: job names, one a line",
    )
    limiting.add_argument("--time-limit", type=_seconds, metavar="SECONDS", help="of the method ilp")
    add_model(parser)
    writing = parser.add_argument_group("writing")
    changes.add_places(writing)
    writing.add_argument("--remove", action="store_true", help="take our dependencies out again")
    showing = parser.add_argument_group("showing")
    showing.add_argument("--certificate", metavar="OUT", help="write the proof that every execution keeps the limit")
    showing.add_argument(
        "--processors",
        type=_counts,
        metavar="P,...",
        help="for how many processors to show makespan and memory by list scheduling (default: 4, 16, 64 and as many "
        "as there are jobs)",
    )
    showing.add_argument(
        "--plot",
        metavar="OUT",
        help="draw memory over time without and with the limit, on the last of --processors: .svg, .png or .pdf; needs "
        "the extra figures",
    )
    parser.set_defaults(refuse=parser.error)


class _Case(NamedTuple):
    """The workflow: as it was read, what its new content is made from, what was found, and that new content."""

    document: Document
    work: Document
    found: Limiting | None = None
    changed: Instrumented | None = None
    certificate: MemoryCertificate | None = None

    def facts(self) -> dict[str, Any]:
        """Return all there is to tell, as plain values."""
        from eligo._cli.limit_options import limit_facts

        document = self.document
        facts: dict[str, Any] = {"file": document.source.path, "format": document.format}
        if self.found is not None:
            facts |= {"jobs": document.dag.n, "edges": document.dag.m, **limit_facts(self.found)}
        if self.changed is not None:
            facts |= {"written": self.changed.written, "changes": changes.has_changes(document, self.changed)}
        return facts


def run(args: argparse.Namespace) -> int:
    """Limit, write, and print the summary."""
    _check_words(args)
    _check_targets(args)
    case = _case(args)
    ready = [] if case.changed is None else [changes.Changed(case.document, case.work, case.changed)]
    plan = changes.plan_changes(ready, args)
    if case.found is not None:
        _show(case, case.found, args)
    done = plan.carry_out(backup=args.backup) if plan is not None else None
    try:
        _print(case, args)
    finally:  # whoever reads standard output may have gone, but the files have changed
        _tell(case, done, args)
    return 0


def _check_words(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other: these are wrong usage."""
    changes.check_places(args)
    if args.remove:
        changes.refuse_with_remove(args, _LIMITING, "dependencies")
    elif args.memory is None:
        args.refuse("a limit is needed: --memory SIZE, or --remove to take dependencies out")
    if args.order and args.method not in _WITH_ORDER:
        args.refuse(f"--order is for the methods schedule and respect-order: {args.method} goes by none")
    if args.time_limit is not None and args.method != "ilp":
        args.refuse("--time-limit is for the method ilp only: the others take a fixed amount of work")


def _check_targets(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, before any work is done."""
    from eligo._cli.output_files import check_target
    from eligo._cli.workflow_output import check_distinct

    named = {"FILE": args.file, "--order": args.order, "-o": args.out, "--certificate": args.certificate}
    check_distinct(named | {"--plot": args.plot})
    if args.certificate:
        check_target(args.certificate, args.file)
    if args.plot:
        from eligo.report._style import picture_kind

        picture_kind(args.plot)


def _case(args: argparse.Namespace) -> _Case:
    """Limit the workflow, and make its new content."""
    from eligo.formats._editing import check_dependencies, remove_dependencies

    with working(f"reading {printable(args.file)}"):
        document = changes.read_as_it_was(args, limited=False)
    changes.check_flatten(document, args)
    if args.remove or not changes.is_dry(args):
        check_dependencies(document)
    if args.remove:
        bare = remove_dependencies(document)
        warn(bare.warnings)
        return _Case(document, document, None, bare)
    work = changes.flat(document, args)
    found, changed = limit_first(work, args)
    with working("comparing"):
        found = found._replace(runs=_runs(found, args))
    certificate = _certificate(found.limited) if args.certificate else None
    return _Case(document, work, found, changed, certificate)


def _runs(found: Limiting, args: argparse.Namespace) -> tuple[Run, ...]:
    from eligo._cli.limit_options import run_both

    n = found.limited.dag.n
    if args.processors is not None:
        return run_both(found, args.processors)
    if n > _LARGEST_RUN and not args.plot:
        return ()
    return run_both(found, [*(count for count in _PROCESSORS if count < n), None])


def _certificate(limited: Limited) -> MemoryCertificate:
    from eligo.memory._analyze import certify
    from eligo.memory._lower_bound import lower_bound
    from eligo.memory._sequential import sequential

    with working("making the certificate"):
        lowest = sequential(limited.footprint)
        least = lower_bound(limited.footprint, limited.worst.ends)
        return certify(limited.worst, lowest.order, lowest.peak, least)


def _show(case: _Case, found: Limiting, args: argparse.Namespace) -> None:
    """Write the plot and the certificate that are wanted."""
    from eligo._cli.output_files import write_certificate

    if args.plot:
        _plot(case.document.source.path, found, args.plot)
    if case.certificate is not None:
        most = found.amount(found.limited.worst.bound)
        write_certificate(case.certificate, args.certificate, proved=f"a worst peak of {most} with these dependencies")


def _plot(path: str, found: Limiting, out: str) -> None:
    from eligo.report import plot_memory, save

    run, limited = found.runs[-1], found.limited
    figure = plot_memory(
        {"without a limit": run.before, "limited": run.after},
        limit=limited.limit,
        resource=limited.footprint.rules.resource,
        unit=limited.footprint.rules.unit,
        across="time (s)" if found.in_seconds else "time (steps)",
        title=path,
    )
    save(figure, out)
    count = "as many processors as jobs" if run.processors is None else plural(run.processors, "processor")
    say(f"{out}: {limited.footprint.rules.resource} over time on {count}")


def _print(case: _Case, args: argparse.Namespace) -> None:
    """Print the summary, on standard error where the workflow itself goes to standard output."""
    from eligo._cli.limit_options import limit_text
    from eligo._cli.prioritize_summary import json_lines

    stream = sys.stderr if args.out == "-" else sys.stdout
    if args.json:
        stream.writelines(json_lines(case.facts()))
        stream.write("\n")
    elif case.found is not None:
        print(limit_text(case.document.source.path, case.found), file=stream)


def _tell(case: _Case, done: Rewritten | None, args: argparse.Namespace) -> None:
    """Say what became of the file, and how to go on."""
    path = case.document.source.path
    if done is not None:
        changes.tell_of_files({args.out or path: _content(case)}, done)
        if case.found is not None and args.out != "-":
            _suggest(case, case.found, args)
        return
    if args.remove:
        has = changes.has_changes(case.document, case.changed)
        say(f"{path}: has {'' if has else 'no '}dependencies of ours")
    if args.plot or args.certificate:
        say("the workflow itself was not changed: --in-place or -o OUT writes the dependencies")
    else:
        say("nothing was written: --in-place or -o OUT does")


def _suggest(case: _Case, found: Limiting, args: argparse.Namespace) -> None:
    """Say which commands go on from here, so that they can be pasted."""
    out = read_again(args.out or case.document.source.path, args)
    if len(found.limited.tails):
        say(f"go on with: eligo prioritize {out}")
    if args.certificate:
        say(f"check with: eligo verify {shlex.quote(args.certificate)} {out}")
    if args.job_data and case.work is not case.document:
        say("--job-data: the flat file needs a table with the names that its jobs have now")


def _content(case: _Case) -> str:
    assert case.changed is not None
    if case.found is None:
        taken = changes.has_changes(case.document, case.changed)
        return "our dependencies are taken out" if taken else "has no dependencies of ours"
    if not len(case.found.limited.tails):
        return "needs no dependencies to keep the limit"
    return f"{plural(case.changed.written, 'dependency')} of ours"


def _seconds(text: str) -> float:
    from eligo.errors import EligoError
    from eligo.formats._numbers import parse_seconds

    try:
        return parse_seconds(text)
    except EligoError as error:
        raise argparse.ArgumentTypeError(error.text) from None


def _counts(text: str) -> list[int | None]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0 for word in words):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers of processors, such as 8,64")
    return [int(word) for word in words]
