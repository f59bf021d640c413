"""``eligo prioritize``: the order that keeps most jobs ready to run, as priorities in the workflow itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo._cli import changes
from eligo._cli.arguments import add_input, add_json
from eligo._cli.limit_options import add_limit, limit_first
from eligo._cli.memory_options import MODEL_WORDS, add_model
from eligo._cli.messages import say, warn
from eligo._cli.progress import working
from eligo._humanize import plural, printable
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo._cli.eligibility_curve import Look
    from eligo._cli.limit_options import Limiting
    from eligo.dag import Dag
    from eligo.formats._base import Document
    from eligo.formats._editing import Instrumented
    from eligo.formats._rewrite_files import Rewritten
    from eligo.priority._prioritize import Prioritized

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Order the jobs of a workflow so that as many as possible are ELIGIBLE (ready to run) at every moment, and write the
order into the workflow as priorities: n for the job to run first, down to 1.

Without -o or --in-place nothing is written: a summary shows what would be gained over fifo, and warnings tell what
writing would meet with. Priorities go into DAGMan files (PRIORITY lines in a marked block at the end), Pegasus YAML,
WfFormat and DOT; nothing else in the file changes, doing it twice changes nothing, and --remove takes them out again.
A priority that you gave yourself stays, with a warning, unless --replace is given. Files are changed all or none.

fifo: jobs in the order in which they become ready, which is what engines do today; like all our orders it has jobs
without children last, which makes the comparison a cautious one.

With --memory SIZE dependencies are added first that keep every execution within a memory limit, as `eligo limit` does,
and the jobs are ordered under these; both are written. `eligo limit --remove` takes the dependencies out again.

AREA is the number of ELIGIBLE jobs, summed over all steps. An order is IC-optimal if no other keeps more jobs
ELIGIBLE, after any number of steps; not every workflow has one. The gap says how far the order can be from the best
AREA at most; --certificate writes the proof, which `eligo verify` checks.
"""
EXAMPLE = """
eligo prioritize workflow.dag                        # what would be gained
eligo prioritize workflow.dag --in-place --backup
eligo prioritize montage.yml -o montage-prio.yml --certificate proof.json
eligo prioritize workflow.dag --in-place --remove
eligo prioritize montage.yml --memory 64GB -o montage-limited.yml
eligo prioritize workflow.dag --json | jq .gap
eligo prioritize workflow.dag --plot gain.svg --dot pictures && dot -Tsvg pictures/blocks.dot -o blocks.svg
"""

# Stated here as well, so that --help need not load numpy; a test keeps them equal.
STRATEGIES = ("best", "prio", "area", "prio-2006", "exact", "fifo", "lifo", "critical-path", "random")

_SHOWN = ("certificate", "plot", "dot")
_ORDERING = ("strategy", "style", "replace", "flatten", "weigh_times", "seed", "certificate", "plot", "dot")
_LIMITING = ("method", *MODEL_WORDS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    add_json(parser)
    ordering = parser.add_argument_group("ordering")
    ordering.add_argument(
        "--strategy",
        choices=STRATEGIES,
        metavar="S",
        help="best (default): the first of prio, area, prio-2006 and fifo with the largest AREA, or what exact search "
        "finds beyond; prio: by the theory, block by block; area: greedy, for a large AREA; prio-2006: as first "
        "published; exact: by exact search, small workflows only. To compare with: fifo: as jobs become ready; lifo: "
        "the newest ready job first; critical-path: the longest remaining path first; random: any ready job",
    )
    ordering.add_argument(
        "--weigh-times",
        action="store_true",
        help="of jobs that are equally good, first the one with the longest path of known times behind it",
    )
    ordering.add_argument("--seed", type=int, metavar="N", help="of the strategy random (default: 0)")
    add_limit(parser.add_argument_group("limiting first"), required=False)
    add_model(parser)
    _add_writing(parser.add_argument_group("writing"))
    showing = parser.add_argument_group("showing")
    showing.add_argument("--certificate", metavar="OUT", help="write the proof of what is said of the order")
    showing.add_argument(
        "--plot",
        metavar="OUT",
        help="draw ELIGIBLE jobs against FIFO and the bound, and the difference to FIFO: .svg, .png or .pdf; needs "
        "the extra figures",
    )
    showing.add_argument(
        "--dot",
        metavar="DIR",
        help="write three graphs for graphviz into a directory: dag.dot with the jobs in order, blocks.dot with the "
        "blocks as clusters, superdag.dot with how the blocks follow each other",
    )
    parser.set_defaults(refuse=parser.error)


def _add_writing(writing: argparse._ArgumentGroup) -> None:
    changes.add_places(writing)
    writing.add_argument(
        "--style",
        choices=["priority", "vars"],
        help="DAGMan: priority (default) for PRIORITY lines; vars for VARS that the submit files refer to, which are "
        "changed too, or written beside OUT",
    )
    writing.add_argument("--replace", action="store_true", help="put ours in the place of priorities you gave yourself")
    writing.add_argument("--remove", action="store_true", help="take our priorities out again; yours come back")
    writing.add_argument(
        "--recursive",
        action="store_true",
        help="DAGMan: also the DAGs of SUBDAG EXTERNAL, each prioritised on its own; written with --in-place only",
    )


class _Case(NamedTuple):
    """One workflow file: as it was read, what its new content is made from, its order, and that new content."""

    document: Document
    work: Document
    found: Prioritized | None = None
    changed: Instrumented | None = None
    limiting: Limiting | None = None

    def facts(self) -> dict[str, Any]:
        """Return all there is to tell, as plain values."""
        from eligo._cli.limit_options import limit_facts
        from eligo._cli.prioritize_summary import order_facts

        source = self.document.source
        facts: dict[str, Any] = {"file": source.path, "format": self.document.format}
        if self.found is not None:
            facts |= order_facts(self.found)
        if self.limiting is not None:
            facts["memory"] = limit_facts(self.limiting)
        if self.changed is not None:
            facts |= {"written": self.changed.written, "kept": self.changed.kept, "changes": self.has_changes}
        return facts

    @property
    def has_changes(self) -> bool:
        """Whether the new content is not the old one."""
        return changes.has_changes(self.document, self.changed)


def run(args: argparse.Namespace) -> int:
    """Order, write, and print the summary."""
    from eligo._cli.prioritize_summary import write_pictures

    _check_words(args)
    _check_targets(args)
    cases = [_case(document, args) for document in _documents(args)]
    if len(cases) > 1 and not args.remove:
        _warn_of_subdags(args)
    ready = [changes.Changed(case.document, case.work, case.changed) for case in cases if case.changed is not None]
    plan = changes.plan_changes(ready, args, refers=args.style == "vars")
    status = write_pictures(cases[0].document, cases[0].found, args) if cases[0].found is not None else 0
    if args.certificate and cases[0].limiting is not None:
        say(f"{args.certificate}: about the order only; eligo limit --certificate proves that the limit is kept")
    done = plan.carry_out(backup=args.backup) if plan is not None else None
    try:
        _print(cases, args)
    finally:  # whoever reads standard output may have gone, but the files have changed
        _tell(cases, done, args)
    return status


def _check_words(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other: these are wrong usage."""
    changes.check_places(args)
    if args.recursive and args.out is not None:
        args.refuse("--recursive changes the sub-DAGs where they are: use --in-place instead of -o")
    if args.seed is not None and args.seed < 0:
        args.refuse("--seed is a number from 0 on")
    if args.remove:
        changes.refuse_with_remove(args, (*_ORDERING, "memory", *_LIMITING), "priorities")
    if args.memory is None:
        for name in _LIMITING:
            if getattr(args, name) is not None:
                args.refuse(f"--{name} is for a limit: it needs --memory SIZE")
    elif args.recursive:
        args.refuse("--memory limits one workflow, not its sub-DAGs: leave --recursive out")


def _check_targets(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, before any work is done."""
    from eligo._cli.output_files import check_target
    from eligo._cli.workflow_output import check_distinct, check_graphs, graph_paths

    named = {"FILE": args.file, "-o": args.out, "--certificate": args.certificate, "--plot": args.plot}
    check_distinct(named | graph_paths(args.dot))
    if args.certificate:
        check_target(args.certificate, args.file)
    if args.plot:
        from eligo.report._style import picture_kind

        picture_kind(args.plot)
    if args.dot:
        check_graphs(args.dot)


def _documents(args: argparse.Namespace) -> Iterator[Document]:
    """Yield the workflow and, where wanted, those it runs as SUBDAGs."""
    with working(f"reading {printable(args.file)}"):
        document = changes.read_as_it_was(args, limited=args.memory is None)
    _check_format(document, args)
    yield document
    if not args.recursive:
        return
    from eligo.formats._base import Notes
    from eligo.formats._dagman.priorities import follow_subdags

    notes = Notes()
    inner = argparse.Namespace(**vars(args) | {"source_format": "dagman", "edges": None, "job_data": None})

    def read(path: str) -> Document:
        inner.file = path
        return changes.read_as_it_was(inner)

    yield from follow_subdags(document, read, notes)
    warn(notes.texts())


def _warn_of_subdags(args: argparse.Namespace) -> None:
    text = "DAGMan adds the priority of a SUBDAG node to those of its jobs, so these may overtake jobs of the outer DAG"
    warn([text])
    shown = [f"--{name}" for name in _SHOWN if getattr(args, name)]
    if shown:
        warn([f"{', '.join(shown)}: about the outer DAG only"])


def _check_format(document: Document, args: argparse.Namespace) -> None:
    """Refuse what the format of the workflow has no place for, before any work is done."""
    from eligo.formats._editing import check_dependencies, check_instrumented

    path = document.source.path
    if document.format != "dagman":
        if args.style == "vars":
            raise EligoError(f"{path}: --style vars is for DAGMan files", hint="leave it out")
        if args.recursive:
            raise EligoError(f"{path}: --recursive is for DAGMan files, only these have SUBDAGs", hint="leave it out")
    changes.check_flatten(document, args)
    if args.remove or not changes.is_dry(args):
        check_instrumented(document)
        if args.memory is not None:
            check_dependencies(document)


def _case(document: Document, args: argparse.Namespace) -> _Case:
    """Order the jobs of one workflow, and make its new content."""
    from eligo.formats._editing import INSTRUMENTED_FORMATS, Wish, instrument, uninstrument

    if args.remove:
        bare = uninstrument(document)
        warn(bare.warnings)
        return _Case(document, document, None, bare)
    work, limiting = changes.flat(document, args), None
    if args.memory is not None:
        work, limiting = _limited(work, args)
    found = _order(work.dag, args)
    if changes.is_dry(args) and (document.format not in INSTRUMENTED_FORMATS or work.dag.n > changes.LARGEST_TRIAL):
        return _Case(document, work, found, None, limiting)
    changed = changes.attempt(
        args,
        lambda: instrument(work, found.schedule.priorities, Wish(args.style or "priority", args.replace)),
        f"writing priorities of {work.dag.n:,} jobs",
    )
    return _Case(document, work, found, changed, limiting)


def _limited(work: Document, args: argparse.Namespace) -> tuple[Document, Limiting]:
    """Return a workflow with the dependencies that keep its limit, as a file that has them would be read."""
    from eligo.formats._editing import reread

    limiting, changed = limit_first(work, args)
    if changed is None:
        return replace(work, dag=limiting.limited.dag), limiting
    return reread(work, changed.data), limiting


def _order(dag: Dag, args: argparse.Namespace) -> Prioritized:
    from eligo.priority._prioritize import prioritize

    if args.weigh_times and dag.time_s is None:
        warn(["--weigh-times changes nothing: no job's time is known; --job-data TABLE supplies them"])
    if args.seed is not None and args.strategy != "random":
        warn(["--seed changes nothing: only the strategy random has one"])
    with working(f"ordering {dag.n:,} jobs"):
        return prioritize(dag, args.strategy or "best", weigh_times=args.weigh_times, seed=args.seed or 0)


def _tell(cases: list[_Case], done: Rewritten | None, args: argparse.Namespace) -> None:
    """Say what became of the files."""
    if done is not None:
        changes.tell_of_files({args.out or case.document.source.path: _content(case) for case in cases}, done)
        return
    for case in cases if args.remove else ():
        say(f"{case.document.source.path}: has {'' if case.has_changes else 'no '}priorities of ours")
    if any(getattr(args, name) for name in _SHOWN):
        say("the workflow itself was not changed: --in-place or -o OUT writes the priorities")
    else:
        say("nothing was written: --in-place or -o OUT does")


def _content(case: _Case) -> str:
    assert case.changed is not None
    if case.found is None:
        return "our priorities are taken out" if case.has_changes else "has no priorities of ours"
    own = f", {plural(case.changed.kept, 'job')} with a priority of yours" if case.changed.kept else ""
    added = ""
    if case.limiting is not None:
        count = len(case.limiting.limited.tails)
        added = f", {plural(count, 'added dependency')}" if count else ", no dependencies needed to keep the limit"
    return f"{plural(case.changed.written, 'job')} with a priority of ours{own}{added}"


def _print(cases: list[_Case], args: argparse.Namespace) -> None:
    """Print the summaries, on standard error where the workflow itself goes to standard output."""
    from eligo._cli.eligibility_curve import Look
    from eligo._cli.prioritize_summary import json_lines

    stream = sys.stderr if args.out == "-" else sys.stdout
    if args.json:
        main, *others = [case.facts() for case in cases]
        stream.writelines(json_lines(main | {"subdags": others} if args.recursive else main))
        stream.write("\n")
        return
    texts = [text for case in cases for text in _texts(case, Look.of(stream))]
    if texts:
        print("\n\n".join(texts), file=stream)


def _texts(case: _Case, look: Look) -> Iterator[str]:
    """Yield the summaries of one file: of its limit, and of its order."""
    from eligo._cli.limit_options import limit_text
    from eligo._cli.prioritize_summary import order_text

    path = case.document.source.path
    if case.limiting is not None:
        yield limit_text(path, case.limiting)
    if case.found is not None:
        yield order_text(path, case.found, look, case.changed.kept if case.changed else 0)
