"""``eligo convert``: a workflow from one format to another."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from eligo._cli.arguments import add_input, add_target, open_input
from eligo._cli.messages import say, warn
from eligo._humanize import plural

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.formats._base import Document

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "elsewhere", "run"]

DESCRIPTION = """
Read a workflow and write it in another format, found by the name of OUT or given by --to.

Job names, dependencies, times and data go over wherever the new format has a place for them; what it has none for
is listed on standard error. What the jobs run does not go over, except from DAGMan to DAGMan: the file is copied byte
for byte or, with --flatten or --reduce, written as one file with submit files, VARS, scripts and all else it says of
its jobs. OUT is replaced whole or not at all.
"""
EXAMPLE = """
eligo convert montage.dax montage.json
eligo convert --to mermaid workflow.dag -
eligo convert --reduce big.dag reduced.dag     # without shortcuts
"""


# Formats whose files say what the jobs run; dax is not written.
_SAY_WHAT_RUNS = ("dagman", "wfformat", "pegasus", "dax")
_PROGRAMS_LOST = (
    "what the jobs run (programs, arguments, scripts) is not carried over, only names, dependencies, times and data"
)
_TABLE_LOST = "the times and sizes of --job-data are not written, the file keeps its own"
_ELSEWHERE = "submit files, splices and includes are named relative to the directory of {}: keep it there"
_NOT_FLAT = "--flatten changes nothing: only DAGMan to DAGMan has splices and includes to expand"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    parser.add_argument("out", metavar="OUT", help="the file to write; - for standard output")
    writing = parser.add_argument_group("writing")
    add_target(writing)
    writing.add_argument(
        "--reduce",
        action="store_true",
        help="leave out shortcuts: edges beside which a path leads (DAGMan to DAGMan: implies --flatten)",
    )
    writing.add_argument(
        "--flatten", action="store_true", help="DAGMan to DAGMan: expand splices and includes into one file"
    )


def run(args: argparse.Namespace) -> int:
    """Convert."""
    from eligo import graph
    from eligo.formats import format_for_writing, write
    from eligo.formats._source import replace_file

    target = format_for_writing(args.out, args.target_format).NAME
    document = open_input(args)
    dag = graph.remove_shortcuts(document.dag) if args.reduce else document.dag
    if document.format == target == "dagman":
        replace_file(args.out, [_flat(document, dag) if args.flatten or args.reduce else document.source.data])
        lost = [*([_TABLE_LOST] if args.job_data else []), *elsewhere(args.file, args.out)]
    else:
        lost = list(write(dag, args.out, format=target))
        if document.format in _SAY_WHAT_RUNS and target in _SAY_WHAT_RUNS:
            lost.insert(0, _PROGRAMS_LOST)
        if args.flatten:
            lost.append(_NOT_FLAT)
    warn(f"{'<stdout>' if args.out == '-' else args.out}: {text}" for text in lost)
    if args.out != "-":
        say(f"{args.out}: {plural(dag.n, 'job')}, {plural(dag.m, 'edge')}")
    return 0


def elsewhere(file: str, out: str) -> list[str]:
    """Return what to say of a DAG file that is written into another directory, where it will not find what it names."""
    if "-" in (file, out) or Path(file).resolve().parent == Path(out).resolve().parent:
        return []
    return [_ELSEWHERE.format(file)]


def _flat(document: Document, dag: Dag) -> bytes:
    from eligo.formats._dagman import flatten

    return flatten(document, dag).encode("utf-8", "surrogateescape")
