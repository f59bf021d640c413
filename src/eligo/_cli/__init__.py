"""The command line: finds the command, imports only its module, and turns errors into messages.

The frame is written by hand above argparse, so that ``eligo --help`` imports nothing but this file; each command has
an argparse parser of its own. A command module offers ``DESCRIPTION``, ``EXAMPLE``, ``add_arguments(parser)`` and
``run(args) -> exit status``. Data goes to standard output, messages to standard error. Exit status: 0 done, 1 the
data or the run failed, 2 usage.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing would cost a third of the time of `eligo --help`
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["COMMANDS", "command_parser", "main"]

COMMANDS = {
    "prioritize": "order the jobs so that most are ready to run, and write that into the workflow",
    "memory": "how much any execution can occupy at worst, how little one can do with, what limits cost",
    "limit": "add the dependencies that keep every execution within a memory limit",
    "simulate": "how much sooner the workflow ends if prioritised, on workers that nobody can predict",
    "report": "a page to look at and to send: the workflow drawn, played and explained",
    "run": "run the jobs on this machine, HTCondor, Slurm or Dask; go on after a crash",
    "status": "where a run stands, from another terminal",
    "info": "size, shape, critical path, known data and best possible order of a workflow",
    "convert": "write a workflow in another format",
    "generate": "make a workflow of a known family: meshes, trees, AIRSN, Montage, random ...",
    "verify": "check a certificate against the workflow it is about",
    "completion": "print a completion script for a shell",
}

_MOVED = {"reproduce": "install eligo-papers and use the command eligo-papers"}
"""Commands that are elsewhere now, and the hint for whoever types them."""

_HELP = """\
usage: eligo [--help] [--version] COMMAND [--debug] ...

Eligo reads the workflow you have: HTCondor DAGMan, Pegasus, WfFormat, DOT (also of Snakemake and Nextflow), ... It
orders the jobs so that workers always find one to run, writes that order into the workflow as priorities, and proves
how good it is. It tells how much memory or disk any execution can occupy, and adds the dependencies that keep all of
them within a limit. It simulates them before a job is submitted, and makes a page of all that to look at. It runs them,
here or on the engine you have, and goes on where it stopped if it is killed. It describes, converts and generates
workflows.

commands:
{commands}

options:
  -h, --help   show this help; `eligo COMMAND --help` explains a command, with examples
  --version    show the version
  --debug      after a command: show the full traceback of an error

FILE may be `-` for standard input; gzip is unpacked whatever the name. Data goes to standard output, messages to
standard error. Exit status: 0 done, 1 the data or the run failed, 2 wrong usage.

example:
  eligo prioritize workflow.dag
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words[:1]
    words = words[debug:]
    if not words or words[0] in ("-h", "--help", "help"):
        if len(words) > 1 and words[1] in COMMANDS:
            words = [words[1], "--help"]
        else:
            commands = "\n".join(f"  {name:<12} {text}" for name, text in COMMANDS.items())
            return _show(_HELP.format(commands=commands)) or (0 if words else 2)
    if words[0] == "--version":
        from eligo import __version__

        return _show(f"eligo {__version__}\n")
    if words[0] not in COMMANDS:
        from eligo._cli.messages import usage_error

        if words[0] in _MOVED:
            return usage_error(f"unknown command {words[0]!r}", hint=_MOVED[words[0]])
        kind = "option" if words[0].startswith("-") else "command"
        return usage_error(f"unknown {kind} {words[0]!r}", [*COMMANDS, "--help", "--version", "--debug"], words[0])
    from eligo._cli.messages import guarded

    return guarded(lambda: _run(words), debug=debug or "--debug" in words)


def _show(text: str) -> int:
    """Print without what a command needs: this is all that `eligo --help` runs."""
    try:
        print(text, end="", flush=True)
    except OSError as error:
        from eligo._cli.messages import output_lost

        return output_lost(error)
    return 0


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command."""
    from eligo._cli.arguments import build_parser

    module = _module(name)
    parser = build_parser(f"eligo {name}", module.DESCRIPTION, module.EXAMPLE)
    module.add_arguments(parser)
    parser.add_argument("--debug", action="store_true", help="show the full traceback of an error")
    return parser


def _run(words: list[str]) -> int:
    args = command_parser(words[0]).parse_args(words[1:])
    status: int = _module(words[0]).run(args)
    return status


def _module(name: str) -> ModuleType:
    from importlib import import_module

    return import_module(f"eligo._cli.{name}_command")
