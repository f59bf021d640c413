"""What is said of a limited workflow: what it keeps, what that costs, and what list scheduling makes of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo.cli.memory_options import rules_rows
from eligo.cli.table import grid, table
from eligo.words import amount, growth, length, named, plural, seconds, short

if TYPE_CHECKING:
    from eligo.memory.limiting import Limited
    from eligo.memory.worst_peak import WorstPeak
    from eligo.simulation import MemoryUse

__all__ = ["Limiting", "Run", "limit_facts", "limit_text", "run_both"]

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
