"""A memory limit as people write it, and the limited workflow it leads to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from eligo.cli import changing
from eligo.cli.memory_options import footprint_of
from eligo.cli.progress import working
from eligo.errors import EligoError, InfeasibleError, ParseError
from eligo.words import amount, short

if TYPE_CHECKING:
    from fractions import Fraction

    from eligo.cli.limit_summary import Limiting
    from eligo.dag import Int32
    from eligo.formats.base import Document
    from eligo.formats.instrumenting import Instrumented
    from eligo.memory.footprint import Footprint
    from eligo.memory.limiting import Limited

__all__ = ["METHODS", "LimitWish", "add_limit", "limit_first", "limited_by", "read_order"]

METHODS = ("auto", "schedule", "min-levels", "respect-order", "max-size", "max-min-size", "ilp")
"""Stated here as well, so that --help need not load numpy; a test keeps them equal."""


class LimitWish(NamedTuple):
    """A limit as it was asked for: an amount, or a share of the way from the best sequential peak to the worst peak."""

    size: int | None
    share: Fraction | None
    text: str

    @classmethod
    def parse(cls, text: str) -> LimitWish:
        """Read ``64GB``, ``1.5e9`` or ``60%``.

        Examples
        --------
        >>> LimitWish.parse("2kB").size, LimitWish.parse("60 %").share
        (2000, Fraction(3, 5))
        """
        from fractions import Fraction

        from eligo.formats.sizes import parse_size

        try:
            if not text.rstrip().endswith("%"):
                return cls(parse_size(text), None, text)
            share = Fraction(text.rstrip()[:-1].strip()) / 100 if len(text) < 20 else Fraction(-1)
        except EligoError as error:
            raise argparse.ArgumentTypeError(f"{error.text}: write 64GB, 512MiB, 1.5e9 or 60%") from None
        except (ValueError, ZeroDivisionError):
            share = Fraction(-1)
        if not 0 <= share <= 1:
            raise argparse.ArgumentTypeError(f"{text!r} is no share from 0% to 100%")
        return cls(None, share, text)

    def amount(self, footprint: Footprint) -> int:
        """Return the limit itself."""
        if self.size is not None:
            if footprint.rules.unit != "bytes" and not self.text.strip().isdigit():
                raise EligoError(
                    f"the limit {self.text!r} is no number of {footprint.rules.unit}", hint="write it without a unit"
                )
            return self.size
        from eligo.memory.sequential import sequential
        from eligo.memory.worst_peak import worst_peak

        assert self.share is not None
        lowest, worst = sequential(footprint).peak, worst_peak(footprint, trials=0).bound
        return lowest + int(self.share * (worst - lowest))


def add_limit(group: argparse._ArgumentGroup, *, required: bool) -> None:
    """Add --memory and --method."""
    group.add_argument(
        "--memory",
        type=LimitWish.parse,
        metavar="SIZE",
        required=required,
        help="the limit: 64GB, 512MiB, 1.5e9 (pebbles: 12), or 60%% of the way from the best sequential peak (0%%) to "
        "the worst peak (100%%); of disk, too, where that is the resource",
    )
    group.add_argument(
        "--method",
        choices=METHODS,
        metavar="METHOD",
        help="auto (default): the shortest critical path that several of the others reach; schedule: memory is handed "
        "on as in a parallel schedule within the limit; respect-order: along a sequential order within the limit; "
        "min-levels, max-size, max-min-size: step by step, may fail; ilp: the shortest critical path, for small "
        "workflows; needs the extra solver",
    )


def limit_first(work: Document, args: argparse.Namespace) -> tuple[Limiting, Instrumented | None]:
    """Return what keeps the limit that is wished for, and the workflow with these dependencies where it is wanted."""
    from eligo.cli.limit_summary import Limiting
    from eligo.formats.dependencies import DEPENDENCY_FORMATS, add_dependencies
    from eligo.memory.worst_peak import worst_peak

    footprint = footprint_of(work, args)
    limited = limited_by(work, footprint, args)
    found = Limiting(worst_peak(footprint, trials=0), limited)
    if changing.is_dry(args) and (work.format not in DEPENDENCY_FORMATS or work.dag.n > changing.LARGEST_TRIAL):
        return found, None
    text = f"writing {len(limited.tails):,} dependencies"
    return found, changing.attempt(args, lambda: add_dependencies(work, limited.tails, limited.heads), text)


def limited_by(document: Document, footprint: Footprint, args: argparse.Namespace) -> Limited:
    """Limit a workflow; a limit that cannot be kept is an error that says which can."""
    from eligo.memory.limiting import limit

    order = None
    with working(f"limiting {footprint.dag.n:,} jobs") as status:
        most = args.memory.amount(footprint)
        if getattr(args, "order", None):
            order = read_order(args.order, footprint)
        try:
            return limit(
                footprint,
                most,
                method=args.method or "auto",
                order=order,
                time_limit_s=getattr(args, "time_limit", None),
                on_progress=status,
            )
        except InfeasibleError as error:
            hint, unit = error.hint, footprint.rules.unit
            if error.reachable is not None and error.reachable > most and unit == "bytes":
                size, proved = amount(error.reachable, unit), hint.endswith("no smaller one is")
                hint = f"--memory {error.reachable} ({size}) is the smallest known to be reachable"
                hint += ", and no smaller one is" if proved else ""
            raise InfeasibleError(
                f"{document.source.path}: {error.text}", hint=hint, reachable=error.reachable
            ) from None


def read_order(path: str, footprint: Footprint) -> Int32:
    """Read an order of the jobs: their names, one a line, parents before children.

    Raises
    ------
    ParseError
        A job is not known, stands there twice or before one of its parents, or is missing.
    """
    import numpy as np

    from eligo.formats.storage import load

    dag = footprint.dag
    source = load(path)
    place = np.full(dag.n, -1, np.int64)
    lines = [line.strip() for line in source.data.decode("utf-8", "surrogateescape").splitlines()]
    for number, name in enumerate(lines, 1):
        if not name:
            continue
        if name not in dag:
            raise ParseError(path, number, f"the workflow has no job {short(name)!r}", hint="one job name a line")
        job = dag.index(name)
        if place[job] >= 0:
            raise ParseError(path, number, f"job {short(name)!r} stands here twice", hint="each job once")
        place[job] = number
    missing = [dag.names[job] for job in np.flatnonzero(place < 0)]
    if missing:
        text = f"1 job is missing: {short(missing[0])!r}"
        if len(missing) > 1:
            text = f"{len(missing):,} jobs are missing, the first of them {short(missing[0])!r}"
        raise ParseError(path, None, text, hint="each job once")
    early = np.flatnonzero(place[dag.tails] > place[dag.heads])
    if len(early):
        tail, head = int(dag.tails[early[0]]), int(dag.heads[early[0]])
        raise ParseError(
            path,
            int(place[head]),
            f"job {short(dag.names[head])!r} stands before {short(dag.names[tail])!r}, which it waits for",
            hint="parents come before their children",
        )
    return np.argsort(place).astype(np.int32)
