"""What commands that change a workflow share: where the new one goes, how the old one is read, what is said of it.

A command makes a case of every file: the document as it was read, the one that its new content was made from (the same,
or without splices), and the new content. Without -o and --in-place nothing is written, but what writing would meet with
is found out all the same, and told as warnings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from eligo._cli.arguments import open_input
from eligo._cli.messages import say, warn
from eligo._cli.progress import working
from eligo.errors import EligoError, ParseError

if TYPE_CHECKING:
    from eligo._cli.workflow_output import Plan
    from eligo.formats._base import Document
    from eligo.formats._editing import Instrumented
    from eligo.formats._rewrite_files import Rewritten

__all__ = ["LARGEST_TRIAL", "Changed", "add_places", "attempt", "check_flatten", "check_places", "flat", "has_changes"]
__all__ += ["is_dry", "plan_changes", "read_as_it_was", "refuse_with_remove", "tell_of_files", "warn_of_refusal"]

LARGEST_TRIAL = 200_000  # jobs up to which new content is made only for its warnings


class Changed(NamedTuple):
    """One file that changes: as it was read, what its new content was made from, and that content."""

    document: Document
    work: Document
    content: Instrumented


def add_places(writing: argparse._ArgumentGroup) -> None:
    """Add -o, --in-place, --backup and --flatten."""
    where = writing.add_mutually_exclusive_group()
    where.add_argument(
        "-o", "--out", metavar="OUT", help="the file to write, in the format of FILE; - for standard output"
    )
    where.add_argument("--in-place", action="store_true", help="change FILE itself; refused while DAGMan runs it")
    writing.add_argument("--backup", action="store_true", help="keep what is replaced as NAME.bak, NAME.bak.2, ...")
    writing.add_argument("--flatten", action="store_true", help="DAGMan: expand splices and includes into one file")


def check_places(args: argparse.Namespace) -> None:
    """Refuse places that contradict each other: these are wrong usage."""
    if args.in_place and args.file == "-":
        args.refuse("standard input cannot be changed in place: give -o OUT")
    if args.json and args.out == "-":
        args.refuse("--json and -o - both write to standard output: give -o a file")
    if args.backup and args.out is None and not args.in_place:
        args.refuse("--backup keeps what is replaced: it needs --in-place or -o OUT")


def refuse_with_remove(args: argparse.Namespace, names: Sequence[str], what: str) -> None:
    """Refuse options that have no meaning beside --remove."""
    for name in names:
        if getattr(args, name) not in (None, False):
            args.refuse(f"--remove only takes {what} out: --{name.replace('_', '-')} has no meaning with it")


def is_dry(args: argparse.Namespace) -> bool:
    """Whether nothing is to be written."""
    return args.out is None and not args.in_place


def read_as_it_was(args: argparse.Namespace, *, limited: bool = True) -> Document:
    """Read a workflow without our priorities and, unless `limited`, without our dependencies.

    Where only these are damaged, one that is not written can be read with them.
    """
    try:
        return open_input(args, original=True, limited=limited)
    except ParseError:
        if not is_dry(args) or args.remove or args.file == "-":
            raise
        try:
            return open_input(args)
        except EligoError:
            pass  # the first error tells more
        raise


def check_flatten(document: Document, args: argparse.Namespace) -> None:
    """Refuse to flatten what has no splices."""
    if args.flatten and document.format != "dagman":
        raise EligoError(
            f"{document.source.path}: --flatten is for DAGMan files, only these have splices and includes",
            hint="leave it out",
        )


def flat(document: Document, args: argparse.Namespace) -> Document:
    """Return a DAG as it is or, where wanted, without splices and includes; one that has none keeps its comments."""
    if not args.flatten or len(document.details.sources) == 1:
        return document
    from eligo._cli.workflow_output import refuse_to_flatten
    from eligo.formats._dagman.priorities import flattened

    if args.in_place:
        refuse_to_flatten(document.source.path, backup=args.backup)
    done, dag = flattened(document), document.dag
    known = {key: getattr(dag, key) for key in ("time_s", "temp_bytes", "memory_bytes", "count", "data")}
    return replace(done, dag=done.dag.with_known(**known))  # what a table said of the jobs


def attempt(args: argparse.Namespace, make: Callable[[], Instrumented], text: str) -> Instrumented | None:
    """Make new content; where it is for its warnings only, a refusal is one of them."""
    try:
        with working(text):
            content = make()
    except EligoError as error:
        if not is_dry(args):
            raise
        warn_of_refusal(error)
        return None
    warn(content.warnings)
    return content


def warn_of_refusal(error: EligoError) -> None:
    """Foretell what would be said if something was written."""
    warn([f"writing would be refused: {error}"])


def has_changes(document: Document, content: Instrumented | None) -> bool:
    """Whether new content is not the old one."""
    return content is not None and (bool(content.others) or content.data != document.source.data)


def plan_changes(cases: Sequence[Changed], args: argparse.Namespace, *, refers: bool = False) -> Plan | None:
    """Return what is to be written, if anything; whatever is a reason not to is found here.

    Parameters
    ----------
    refers
        Whether submit files refer to the DAG's VARS.
    """
    from eligo._cli.workflow_output import Wanted, plan_file, plan_in_place

    if args.out is not None:
        document, work, content = cases[0]
        return plan_file(Wanted(args.file, args.out, args.backup, refers), document, work, content)
    try:
        plan = plan_in_place([(case.document, case.content) for case in cases])
    except EligoError as error:
        if args.in_place:
            raise
        warn_of_refusal(error)
        return None
    return plan if args.in_place else None


def tell_of_files(contents: Mapping[str, str], done: Rewritten) -> None:
    """Say what became of the files, the workflows first.

    Parameters
    ----------
    contents
        By path what each workflow has now, in words.
    """
    for path, text in contents.items():
        name = "<stdout>" if path == "-" else path
        say(f"{name}: {text}" + ("; nothing to change" if path in done.unchanged else ""))
    for path, kept in done.written.items():
        if path not in contents:
            say(f"{path}: changed with it")
        if kept is not None:
            say(f"{path}: the old one is kept as {kept}")
