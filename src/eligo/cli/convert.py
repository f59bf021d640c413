"""``eligo convert``: a workflow from one format to another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eligo.cli.arguments import add_input, add_target, open_input
from eligo.cli.messages import say, warn

if TYPE_CHECKING:
    from eligo.formats.base import Document

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Read a workflow and write it in another format, found by the name of OUT or given by --to.

Job names, dependencies, times and data go over wherever the new format has a place for them; what it has none for
is listed on standard error. DAGMan to DAGMan copies the file byte for byte, unless --flatten or --reduce asks for
changes. OUT is replaced whole or not at all.
"""
EXAMPLE = """
eligo convert montage.dax montage.json
eligo convert --to mermaid workflow.dag -
eligo convert --reduce big.dag reduced.dag     # without shortcuts
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    parser.add_argument("out", metavar="OUT", help="the file to write; - for standard output").complete = "file"  # type: ignore[attr-defined]
    writing = parser.add_argument_group("writing")
    add_target(writing)
    writing.add_argument("--reduce", action="store_true", help="leave out shortcuts: edges beside which a path leads")
    writing.add_argument(
        "--flatten", action="store_true", help="DAGMan to DAGMan: expand splices and includes into one file"
    )


def run(args: argparse.Namespace) -> int:
    """Convert."""
    from eligo import graph
    from eligo.formats import format_for_writing, write
    from eligo.formats.storage import replace_file

    target = format_for_writing(args.out, args.target_format).NAME
    document = open_input(args)
    dag = document.dag
    if document.format == target == "dagman" and not args.reduce:
        replace_file(args.out, [_flat(document) if args.flatten else document.source.data])
    else:
        dag = graph.remove_shortcuts(dag) if args.reduce else dag
        warn(f"{args.out}: {text}" for text in write(dag, args.out, format=target))
    if args.out != "-":
        say(f"{args.out}: {dag.n:,} jobs, {dag.m:,} edges")
    return 0


def _flat(document: Document) -> bytes:
    from eligo.formats.dagman import flatten

    return flatten(document).encode("utf-8", "surrogateescape")
