"""Arguments that several commands share, with one wording."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from eligo.cli.messages import warn

if TYPE_CHECKING:
    from eligo.formats.base import Document

__all__ = ["READABLE", "WRITABLE", "add_input", "add_json", "add_target", "open_input", "read_again"]

# Stated here as well, so that --help need not load the formats; a test keeps them equal.
READABLE = ("dagman", "wfformat", "dax", "pegasus", "dot", "cws", "stg", "edgelist")
WRITABLE = ("dagman", "wfformat", "pegasus", "dot", "edgelist", "mermaid")


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add FILE and the options that say how to read it."""
    parser.add_argument("file", metavar="FILE", help="the workflow; - for standard input")
    reading = parser.add_argument_group("reading")
    reading.add_argument(
        "--from",
        dest="source_format",
        metavar="FORMAT",
        help=f"its format, if the content does not tell: {', '.join(READABLE)}",
    ).choices = READABLE
    reading.add_argument(
        "--edges",
        choices=["declared", "files", "both"],
        help="which dependencies count: those declared, those implied by the files that jobs read and write, or both "
        "(default: declared, or implied where none is declared)",
    )
    reading.add_argument(
        "--job-data",
        metavar="TABLE",
        help="times and sizes for jobs: a table (CSV or JSON: job, time_s, output_bytes, temp_bytes, memory_bytes, "
        "count), the folder of a run (FILE.eligo), an event log of HTCondor or a trace of Nextflow",
    )


def add_target(group: argparse._ArgumentGroup, remark: str = "") -> None:
    """Add --to."""
    group.add_argument(
        "--to",
        dest="target_format",
        metavar="FORMAT",
        help=f"its format, if the name does not tell: {', '.join(WRITABLE)}{remark}",
    ).choices = WRITABLE


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON on standard output")


def open_input(args: argparse.Namespace, *, original: bool = False, limited: bool = True) -> Document:
    """Read what `add_input` described, with warnings on standard error.

    If `original`, without priorities of ours; unless `limited`, without dependencies of ours.
    """
    from eligo.formats import open_document

    document = open_document(
        args.file,
        format=args.source_format,
        edges=args.edges,
        job_data=args.job_data,
        original=original,
        limited=limited,
    )
    warn(document.warnings)
    return document


def read_again(path: str, args: argparse.Namespace) -> str:
    """Return the words that read a file as FILE was read, for a command that can be pasted into a shell.

    Examples
    --------
    >>> args = argparse.Namespace(source_format="dagman", edges=None, job_data="my sizes.csv")
    >>> print(read_again("limited.txt", args))
    limited.txt --from dagman --job-data 'my sizes.csv'
    """
    given = {"--from": args.source_format, "--edges": args.edges, "--job-data": args.job_data}
    words = [[f"{name}={value}"] if value.startswith("-") else [name, value] for name, value in given.items() if value]
    return shlex.join([path, *(word for pair in words for word in pair)])
