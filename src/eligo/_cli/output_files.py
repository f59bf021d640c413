"""Files that show who did what when, in a simulated run or a real one: checked before the work, which may take hours.

A file is written whole or not at all, and never over one that is something else.

Certificates that commands write: never over anything else, and never silently not.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eligo._cli.messages import say
from eligo._cli.progress import working
from eligo.errors import EligoError, InfeasibleError

if TYPE_CHECKING:
    from eligo.certificate import Certificate, MemoryCertificate
    from eligo.memory._footprint import Footprint
    from eligo.priority._prioritize import Prioritized
    from eligo.trace import Trace

__all__ = [
    "Shown",
    "bound_path",
    "check_picture",
    "check_pictures",
    "check_place",
    "check_target",
    "check_trace",
    "foreign",
    "holds_something",
    "show_trace",
    "write_certificate",
    "write_certificates",
]

_TRACES = (".json", ".json.gz")
_TRACE_START = b'{"traceEvents"'


def check_picture(path: str) -> None:
    """Refuse what is no name for a picture, and drawing where matplotlib is missing."""
    from eligo.report._style import new_figure, picture_kind

    picture_kind(path)
    new_figure(1, 1)  # says now, not after the work, that matplotlib is missing
    check_place(path)


def check_trace(path: str) -> None:
    """Refuse what is no name for a Chrome trace, and a file that is something else."""
    from eligo.formats._source import load

    if not path.endswith(_TRACES):
        raise EligoError(f"{path}: not a name for a Chrome trace", hint=f"end it in {' or '.join(_TRACES)}")
    check_place(path)
    if holds_something(path) and not load(path).data.startswith(_TRACE_START):
        raise foreign(path, "Chrome trace")


def check_place(path: str) -> None:
    """Refuse a directory, or a file in one that does not exist or may not be changed."""
    from eligo.formats._source import writing

    if Path(path).is_dir():
        raise EligoError(f"{path}: is a directory", hint="name a file to write")
    folder = Path(os.path.realpath(path)).parent
    with writing(path):
        if not folder.is_dir():
            raise FileNotFoundError
        if (not Path(path).exists() or Path(path).is_file()) and not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")


def holds_something(path: str | None) -> bool:
    """Tell whether there is a file that would be written over."""
    return path is not None and Path(path).is_file() and Path(path).stat().st_size > 0


def foreign(path: str, kind: str) -> EligoError:
    """Return the complaint that a file is there by mistake."""
    return EligoError(f"{path}: is there already, and is no {kind}", hint="choose another name, or move it away")


def check_pictures(args: argparse.Namespace) -> None:
    """Refuse what cannot be written of the pictures that are wanted."""
    if args.gantt is not None:
        check_picture(args.gantt)
    if args.chrome_trace is not None:
        check_trace(args.chrome_trace)


class Shown(NamedTuple):
    """A run to show.

    Attributes
    ----------
    trace, footprint
        What ran when, and what jobs occupy, if that is to be shown.
    title, what
        What stands above the picture, and how the run is called in messages.
    across
        What the times are called.
    limit
        What is not to be exceeded.
    """

    trace: Trace
    footprint: Footprint | None
    title: str
    what: str
    across: str = "time (s)"
    limit: int | None = None


def show_trace(shown: Shown, args: argparse.Namespace) -> None:
    """Draw a run, write it for viewers of traces, or both, as is wanted."""
    if args.gantt is None and args.chrome_trace is None:
        return
    from eligo.simulation._list_schedule import memory_over_time

    footprint, trace = shown.footprint, shown.trace
    memory = None if footprint is None else memory_over_time(footprint, trace)
    if args.gantt is not None:
        from eligo.report import plot_gantt, save

        resource, unit = ("", "") if footprint is None else (footprint.rules.resource, footprint.rules.unit)
        look = {"across": shown.across, "title": shown.title, "resource": resource, "unit": unit}
        save(plot_gantt(trace, memory=memory, limit=shown.limit, **look), args.gantt)
        say(f"{args.gantt}: {shown.what}")
    if args.chrome_trace is not None:
        from eligo.formats._chrome_trace import write_trace

        write_trace(trace, args.chrome_trace, name=shown.title, memory=memory)
        say(f"{args.chrome_trace}: {shown.what}; ui.perfetto.dev and chrome://tracing show it")


def check_target(path: str, file: str) -> None:
    """Refuse to write a certificate over anything but a certificate, before any work is done."""
    from eligo.certificate import load

    if path == "-":
        raise EligoError("a certificate is written to a file", hint="give a name, such as --certificate proof.json")
    target = Path(path)
    if not target.exists():
        return
    hint = "choose another name for the certificate, or remove that file"
    if file != "-" and Path(file).exists() and target.samefile(file):
        raise EligoError(f"{path} is the workflow itself", hint=hint)
    try:
        load(path)
    except EligoError:
        raise EligoError(f"{path} exists and is no certificate", hint=hint) from None


def write_certificate(
    certificate: Certificate | MemoryCertificate | None, path: str, *, proved: str = "", reason: str = ""
) -> int:
    """Write a certificate and say what it proves, or for what reason there is none; return the exit status."""
    if certificate is None:
        say(f"{path}: not written, since nothing is proved: {reason}")
        return 1
    certificate.save(path)
    say(f"{path}: certificate of {proved or certificate.claim}")
    return 0


def bound_path(path: str) -> str:
    """Return where the proof of the bound goes, beside the proof of a claim.

    Examples
    --------
    >>> bound_path("d.x/proof.json"), bound_path("proof.json.gz"), bound_path("d.x/proof")
    ('d.x/proof.bound.json', 'proof.bound.json.gz', 'd.x/proof.bound')
    """
    packed = ".gz" if path.endswith(".gz") else ""
    plain = Path(path.removesuffix(".gz"))
    return f"{plain.with_name(f'{plain.stem}.bound{plain.suffix}')}{packed}"


def write_certificates(found: Prioritized, path: str) -> int:
    """Write what proves the claim about an order and, where that is not the best possible, the bound."""
    bound = f"the bound: no order has an AREA above {found.area_bound:,}"
    if found.claim == "none-exists":
        no_order = "no-ic-optimal: no order is the best at every step"
        return max(
            _write_made(lambda: found.certificate, path, no_order),
            _write_made(lambda: found.bound_certificate, bound_path(path), bound),
        )
    return _write_made(lambda: found.certificate, path, "ic-optimal" if found.claim == "ic-optimal" else bound)


def _write_made(make: Callable[[], Certificate | None], path: str, proved: str) -> int:
    try:
        with working("writing the certificate"):
            certificate = make()
    except InfeasibleError as error:
        say(f"{path}: not written: {error}")
        return 1
    return write_certificate(certificate, path, proved=proved)
