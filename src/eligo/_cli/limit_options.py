"""A memory limit as people write it, and the limited workflow it leads to.

What is said of a limited workflow: what it keeps, what that costs, and what list scheduling makes of it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo._cli import changes
from eligo._cli.memory_options import footprint_of, rules_rows
from eligo._cli.progress import working
from eligo._cli.terminal import grid, table
from eligo._humanize import amount, growth, length, named, plural, seconds, short
from eligo.errors import EligoError, InfeasibleError, ParseError

if TYPE_CHECKING:
    from fractions import Fraction

    from eligo.dag import Int32
    from eligo.formats._base import Document
    from eligo.formats._editing import Instrumented
    from eligo.memory._footprint import Footprint
    from eligo.memory._limit import Limited
    from eligo.memory._worst_peak import WorstPeak
    from eligo.simulation import MemoryUse

__all__ = [
    "METHODS",
    "LimitWish",
    "Limiting",
    "Run",
    "add_limit",
    "limit_facts",
    "limit_first",
    "limit_text",
    "limited_by",
    "read_order",
    "run_both",
]

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

        from eligo.formats._numbers import parse_size

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
        from eligo.memory._sequential import sequential
        from eligo.memory._worst_peak import worst_peak

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
    from eligo.formats._editing import DEPENDENCY_FORMATS, add_dependencies
    from eligo.memory._worst_peak import worst_peak

    footprint = footprint_of(work, args)
    limited = limited_by(work, footprint, args)
    found = Limiting(worst_peak(footprint, trials=0), limited)
    if changes.is_dry(args) and (work.format not in DEPENDENCY_FORMATS or work.dag.n > changes.LARGEST_TRIAL):
        return found, None
    text = f"writing {len(limited.tails):,} dependencies"
    return found, changes.attempt(args, lambda: add_dependencies(work, limited.tails, limited.heads), text)


def limited_by(document: Document, footprint: Footprint, args: argparse.Namespace) -> Limited:
    """Limit a workflow; a limit that cannot be kept is an error that says which can."""
    from eligo.memory._limit import limit

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

    from eligo.formats._source import load

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


_MOST_EDGES = 3


class Run(NamedTuple):
    """List scheduling on some processors (``None``: as many as jobs), without the limit and with it."""

    processors: int | None
    makespan_before: float
    makespan_after: float
    before: MemoryUse
    after: MemoryUse


class Limiting(NamedTuple):
    """A workflow and what keeps its executions within a limit.

    Attributes
    ----------
    before
        The worst peak without a limit.
    limited
        What came out.
    runs
        What list scheduling makes of both.
    """

    before: WorstPeak
    limited: Limited
    runs: tuple[Run, ...] = ()

    @property
    def in_seconds(self) -> bool:
        """Whether paths are in seconds, or in jobs."""
        return self.limited.dag.time_s is not None

    def amount(self, value: int) -> str:
        """Return an amount in words."""
        return amount(value, self.limited.footprint.rules.unit)

    def length(self, value: float) -> str:
        """Return the length of a path in words."""
        return length(value, self.in_seconds)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the added dependencies by name."""
        limited, names = self.limited, self.limited.dag.names
        return [(names[u], names[v]) for u, v in zip(limited.tails.tolist(), limited.heads.tolist(), strict=True)]


def run_both(found: Limiting, processors: Iterable[int | None]) -> tuple[Run, ...]:
    """Run a workflow without and with its added dependencies by list scheduling."""
    from eligo.simulation import list_schedule, memory_over_time

    footprint = found.before.footprint
    runs = []
    for count in processors:
        traces = list_schedule(footprint.dag, count), list_schedule(found.limited.dag, count)
        before, after = (memory_over_time(footprint, trace) for trace in traces)
        runs.append(Run(count, traces[0].makespan_s, traces[1].makespan_s, before, after))
    return tuple(runs)


def limit_facts(found: Limiting) -> dict[str, Any]:
    """Return all that is known, as plain values."""
    limited, rules = found.limited, found.limited.footprint.rules
    return {
        "model": rules.model,
        "resource": rules.resource,
        "unread": rules.unread,
        "inputs": rules.inputs,
        "unit": rules.unit,
        "limit": limited.limit,
        "worst_peak_before": found.before.bound,
        "worst_peak": limited.worst.bound,
        "critical_path_before": limited.critical_path_before,
        "critical_path_after": limited.critical_path_after,
        "critical_path_bound": limited.critical_path_bound,
        "critical_path_unit": "s" if found.in_seconds else "jobs",
        "method": limited.method,
        "tried": dict(limited.tried),
        "assumptions": list(limited.footprint.assumptions),
        "list_scheduling": [_run_facts(run) for run in found.runs],
        "added_edges": [list(pair) for pair in found.pairs()],
    }


def _run_facts(run: Run) -> dict[str, Any]:
    return {
        "processors": run.processors,
        "makespan_before": run.makespan_before,
        "makespan_after": run.makespan_after,
        "peak_before": run.before.peak,
        "peak_after": run.after.peak,
    }


def limit_text(path: str, found: Limiting) -> str:
    """Return the summary for people."""
    dag = found.limited.dag
    edges = dag.m - len(found.limited.tails)
    rows = [*rules_rows(found.limited.footprint), *_rows(found)]
    text = table(f"{path}: {plural(dag.n, 'job')}, {plural(edges, 'edge')}", rows)
    return f"{text}\n\n{_run_table(found)}" if found.runs else text


def _rows(found: Limiting) -> list[tuple[str, str, str]]:
    limited = found.limited
    before, after = limited.critical_path_before, limited.critical_path_after
    pairs = [f"{short(tail)} > {short(head)}" for tail, head in found.pairs()[:_MOST_EDGES]]
    path = f"{growth(before, after)}: {found.length(before)} before; {_least(found)}"
    shown = named(pairs, len(limited.tails), _MOST_EDGES) if pairs else "every execution keeps the limit as it is"
    return [
        ("limit", found.amount(limited.limit), ""),
        ("worst peak", found.amount(limited.worst.bound), f"{found.amount(found.before.bound)} before"),
        ("added edges", f"{len(limited.tails):,}", shown),
        ("critical path", found.length(after), path),
        ("method", limited.method, _tried(found)),
    ]


def _least(found: Limiting) -> str:
    limited = found.limited
    if limited.critical_path_after <= limited.critical_path_bound:
        return "no limited workflow has a shorter one"
    bound = limited.critical_path_bound
    # A path has a whole number of jobs; the bound comes from a computation in floating point.
    return f"within the limit none is below {found.length(bound if found.in_seconds else math.ceil(bound - 1e-9))}"


def _tried(found: Limiting) -> str:
    limited = found.limited
    others = [
        f"{name} {'failed' if path is None else found.length(path)}"
        for name, path in limited.tried.items()
        if name != limited.method
    ]
    return f"others: {', '.join(others)}" if others else ""


def _run_table(found: Limiting) -> str:
    """Return the makespans and peaks of list scheduling."""
    titles = ("processors", "makespan before", "after", "", "peak before", "after")
    cells = [
        (
            "as many as jobs" if run.processors is None else f"{run.processors:,}",
            _time(run.makespan_before, found),
            _time(run.makespan_after, found),
            growth(run.makespan_before, run.makespan_after),
            found.amount(run.before.peak),
            found.amount(run.after.peak),
        )
        for run in found.runs
    ]
    return f"  list scheduling, the longest remaining path first\n{grid(titles, cells)}"


def _time(value: float, found: Limiting) -> str:
    """Return a time; where none is known, each job takes a step."""
    return seconds(value) if found.in_seconds else f"{value:,.6g} steps"
