"""Arguments that several commands share, with one wording.

argparse with kinder words: wrong usage ends in a hint, and long lists of choices are not printed whole.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NoReturn

from eligo._cli.messages import USAGE, say, warn

if TYPE_CHECKING:
    from eligo.formats._base import Document

__all__ = [
    "READABLE",
    "WRITABLE",
    "Parser",
    "add_input",
    "add_json",
    "add_target",
    "build_parser",
    "open_input",
    "read_again",
]

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


_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)", re.DOTALL)
_UNKNOWN = "unrecognized arguments: "
_MANY = 12


class Parser(argparse.ArgumentParser):
    """A parser that suggests what may have been meant.

    Examples
    --------
    >>> parser = Parser(prog="eligo x")
    >>> _ = parser.add_argument("--levels")
    >>> parser.suggestion("unrecognized arguments: --levls 4")
    'did you mean --levels?'
    """

    passes_on = False
    """Whether words after ``--`` are for someone else: they become ``passed_on``, and all words ``words``."""

    def parse_known_args(  # type: ignore[override]
        self, args: Iterable[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse as argparse does, but for words that are passed on."""
        words = sys.argv[1:] if args is None else list(args)
        if not self.passes_on:
            return super().parse_known_args(words, namespace)
        at = words.index("--") if "--" in words else len(words)
        found, rest = super().parse_known_args(words[:at], namespace)
        found.passed_on, found.words = words[at + 1 :], words
        return found, rest

    def error(self, message: str) -> NoReturn:
        """Print the usage in short, what is wrong and a hint, and end with the status for wrong usage."""
        say(self._short_usage())
        choice = _CHOICE.search(message)
        if choice and choice[2].count(",") >= _MANY:
            message = message[: choice.start()] + f"unknown: {choice[1]!r}"
            say(f"{self.prog}: {message}")
            say(f"hint: {self.suggestion(choice[0])}")
        else:
            say(f"{self.prog}: {message}")
            say(f"hint: {self.suggestion(message)}")
        self.exit(USAGE)

    def _short_usage(self) -> str:
        """Return one line; all options at once would bury what is wrong."""
        named = [action.metavar or action.dest for action in self._get_positional_actions()]
        words = " ".join(name for name in named if isinstance(name, str) and name != argparse.SUPPRESS)
        return f"usage: {self.prog} {f'{words} ' if words else ''}[options], see {self.prog} --help"

    def suggestion(self, message: str) -> str:
        """Return the hint for an error of argparse."""
        import difflib

        near: list[str] = []
        if choice := _CHOICE.search(message):
            near = difflib.get_close_matches(choice[1], re.findall(r"[\w-]+", choice[2]), 1)
        elif message.startswith(_UNKNOWN):
            word = message.removeprefix(_UNKNOWN).split("=")[0].split()[0]
            near = difflib.get_close_matches(word, set(_options(self)), 1)
        return f"did you mean {near[0]}?" if near else f"{self.prog} --help explains the arguments"


def build_parser(prog: str, description: str, example: str) -> Parser:
    """Return a parser without arguments, whose help ends with examples."""
    return Parser(
        prog=prog,
        description=description.strip(),
        epilog="example:\n" + "\n".join(f"  {line}" for line in example.strip().splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a parser and of the commands under it."""
    for action in parser._actions:  # argparse has no public way to walk a parser
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            inner: Iterable[argparse.ArgumentParser] = action.choices.values()
            for one in inner:
                yield from _options(one)
