"""The words of ``eligo run``: what they may be, and which of them contradict each other."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from eligo._cli.arguments import add_input
from eligo._cli.limit_options import add_limit
from eligo._cli.memory_options import MODEL_WORDS, add_model
from eligo._cli.prioritize_command import STRATEGIES

__all__ = ["ENGINES", "READING", "add_pictures", "add_words", "check_words", "folder_of", "resuming"]

ENGINES = ("local", "htcondor", "slurm", "dask")
"""The engines by name; ``dask:ADDRESS`` is one as well. Stated here as well, so that --help need not load numpy."""

READING = ("source_format", "edges", "job_data")
"""The options that say how to read a workflow."""

_ONCE = ("--resume", "--restart", "--presume-dead", "--dry-run", "--json")
_MOST_SLOTS = 100_000


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add all arguments."""
    add_input(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print every event as a line of JSON on standard output; the last sums up",
    )
    _add_engine(parser.add_argument_group("where it runs"))
    _add_ordering(parser.add_argument_group("ordering"))
    add_limit(parser.add_argument_group("limiting first"), required=False)
    add_model(parser)
    _add_going_on(parser.add_argument_group("going on"))
    _add_watch(parser.add_argument_group("showing it as it runs"))
    add_pictures(parser.add_argument_group("showing it afterwards"), ", and memory under a limit")
    parser.passes_on = True  # type: ignore[attr-defined]
    parser.set_defaults(refuse=parser.error)


def _add_engine(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--engine",
        type=_engine,
        default="local",
        metavar="E",
        help="local (default): this machine; htcondor: a pool, through DAGMan; slurm: a cluster, through sbatch; dask: "
        "workers that are started here; dask:ADDRESS: an existing cluster, such as dask:tcp://10.0.0.1:8786. Words "
        "after -- are options of the engine",
    )
    group.add_argument(
        "-j",
        "--slots",
        type=_slots,
        metavar="N",
        help="how many jobs run at once, here or on workers that are started here (default: the number of cores)",
    )
    group.add_argument(
        "--command",
        metavar="WORDS",
        help="what each job runs, for workflows that do not say: 'sleep {time_s}'; {name}, {index} and what is "
        "known of a job are filled in; there is no shell. Where a workflow does say, nothing of that is done: no "
        "scripts, no retries, no FINAL",
    )
    group.add_argument(
        "--delete-intermediate",
        action="store_true",
        help="delete files that only feed other jobs once the last of these has succeeded",
    )


def _add_ordering(group: argparse._ArgumentGroup) -> None:
    who = group.add_mutually_exclusive_group()
    who.add_argument(
        "--strategy",
        choices=STRATEGIES,
        metavar="S",
        help=f"order all jobs anew by one of {', '.join(STRATEGIES)} (default: a priority that a DAGMan file gives "
        "stays; all other jobs are ordered by best)",
    )
    who.add_argument(
        "--keep-priorities",
        action="store_true",
        help="order nothing: jobs have the priority that a DAGMan file gives, and 0 where it gives none",
    )


def _add_going_on(group: argparse._ArgumentGroup) -> None:
    again = group.add_mutually_exclusive_group()
    again.add_argument(
        "--resume", action="store_true", help="go on where an earlier run stopped: what has succeeded is not run again"
    )
    again.add_argument("--restart", action="store_true", help="start afresh; what is known of the earlier run is kept")
    group.add_argument(
        "--presume-dead",
        action="store_true",
        help="with --resume or --restart: jobs that an earlier run left where nobody can be asked are taken to be over",
    )
    group.add_argument(
        "--state", metavar="DIR", help="where the state and the logs of the run are (default: FILE.eligo beside FILE)"
    )
    group.add_argument("--log", metavar="FILE", help="a line for each event is added to it (default: run.log in DIR)")
    group.add_argument("--dry-run", action="store_true", help="check everything, say what would run, and start nothing")


def _add_watch(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--watch",
        type=_port,
        metavar="PORT",
        help="serve a page that follows the run, to browsers on this machine only, at an address that is printed; 0 "
        "for any port that is free",
    )


def add_pictures(group: argparse._ArgumentGroup, more: str = "") -> None:
    """Add what shows who did what when."""
    group.add_argument(
        "--gantt",
        metavar="OUT",
        help=f"draw what ran when and where{more}: .svg, .png or .pdf; needs the extra figures",
    )
    group.add_argument(
        "--trace",
        "--chrome-trace",
        dest="chrome_trace",
        metavar="OUT",
        help="write that for Perfetto and chrome://tracing: .json or .json.gz",
    )


def check_words(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other: these are wrong usage."""
    if args.memory is None:
        for name in ("method", *MODEL_WORDS):
            if getattr(args, name) is not None:
                args.refuse(f"--{name} is for a limit: it needs --memory SIZE")
    if args.presume_dead and not (args.resume or args.restart):
        args.refuse("--presume-dead is about jobs of an earlier run: it needs --resume or --restart")
    if args.slots is not None and args.engine not in ("local", "dask"):
        args.refuse(f"--slots is for local and for dask workers that are started here: {args.engine} has its own")
    if args.log == "-":
        args.refuse("--log needs the name of a file; --json prints events on standard output")
    if args.command is not None:
        try:
            if not shlex.split(args.command):
                args.refuse("--command names no program")
        except ValueError as error:
            args.refuse(f"--command: {error}")


def resuming(words: Sequence[str]) -> str:
    """Return the command that goes on with a run, so that it can be pasted into a shell.

    Examples
    --------
    >>> resuming(["my flow.dag", "--restart", "--json", "-j", "2", "--", "-maxidle", "9"])
    "eligo run --resume 'my flow.dag' -j 2 -- -maxidle 9"
    """
    before, rest = _split(words)
    kept = [word for word in before if word not in _ONCE]
    return shlex.join(["eligo", "run", "--resume", *kept, *rest])


def folder_of(args: argparse.Namespace) -> Path:
    """Return where the state of a run is."""
    from eligo.engines._run_folder import default_folder

    return Path(args.state) if args.state is not None else default_folder(args.file)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    at = list(words).index("--") if "--" in words else len(words)
    return list(words[:at]), list(words[at:])


def _engine(text: str) -> str:
    name, colon, address = text.partition(":")
    if name not in ENGINES or (colon and (name != "dask" or not address)):
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(ENGINES)}, dask:ADDRESS")
    return text


def _slots(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8 and 0 < int(text) <= _MOST_SLOTS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs from 1 to {_MOST_SLOTS:,}")
    return int(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65_536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 0 to 65535")
    return int(text)
