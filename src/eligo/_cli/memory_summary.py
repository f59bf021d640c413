"""What is said of a workflow's memory: as facts for programs, and as a few lines with a curve for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eligo._cli.memory_options import rules_rows
from eligo._cli.terminal import grid, table
from eligo._humanize import amount, growth, length, named, per_cent, plural, printable, short

if TYPE_CHECKING:
    from eligo._cli.eligibility_curve import Look
    from eligo.dag import Int32
    from eligo.memory._analyze import Analysis, CurvePoint
    from eligo.memory._footprint import Footprint

__all__ = ["Findings", "curve_points", "memory_facts", "memory_text"]

_MOST_JOBS = 5
_MOST_DATA = 5
_BAR = 20


class Findings(NamedTuple):
    """All that was found out about a file.

    Attributes
    ----------
    path, format
        The file.
    analysis
        Worst peak, order of small peak, lower bound.
    curve
        What limits cost.
    critical_path, within
        Without a limit, and the least that whoever finishes in that time occupies.
    ours
        How many of the dependencies were added by us.
    """

    path: str
    format: str
    analysis: Analysis
    curve: tuple[CurvePoint, ...]
    critical_path: float
    within: int
    ours: int

    @property
    def footprint(self) -> Footprint:
        """What the jobs occupy."""
        return self.analysis.worst.footprint

    @property
    def in_seconds(self) -> bool:
        """Whether paths are in seconds, or in jobs."""
        return self.footprint.dag.time_s is not None

    def amount(self, value: int) -> str:
        """Return an amount in words."""
        return amount(value, self.footprint.rules.unit)


def memory_facts(found: Findings) -> dict[str, Any]:
    """Return all that is known, as plain values."""
    footprint, (worst, lowest, least) = found.footprint, _parts(found.analysis)
    dag, rules = footprint.dag, footprint.rules
    names = np.array(dag.names, dtype=object)
    return {
        "file": found.path,
        "format": found.format,
        "jobs": dag.n,
        "edges": dag.m,
        "added_edges": found.ours,
        "model": rules.model,
        "resource": rules.resource,
        "unread": rules.unread,
        "inputs": rules.inputs,
        "unit": rules.unit,
        "worst_peak": worst.bound,
        "exact": worst.exact,
        "attained_peak": worst.attained,
        "attained_is_worst": worst.is_true,
        "sequential_peak": lowest.peak,
        "sequential_method": lowest.method,
        "sequential_proved": _is_least(found),
        "sequential_peaks": dict(lowest.candidates),
        "lower_bound": least.value,
        "lower_bound_job": None if least.job is None else dag.names[least.job],
        "critical_path": found.critical_path if found.in_seconds else int(found.critical_path),
        "critical_path_unit": "s" if found.in_seconds else "jobs",
        "least_within_critical_path": found.within,
        "assumptions": list(footprint.assumptions),
        "curve": [_point(point) for point in found.curve],
        "present": [
            {"name": _datum(footprint, datum), "size": int(footprint.size[datum])} for datum in worst.present.tolist()
        ],
        "cut": names[worst.started].tolist(),
        "ended": names[worst.ended].tolist(),
        "order": names[lowest.order].tolist(),
    }


def _point(point: CurvePoint) -> dict[str, Any]:
    return {
        "limit": point.limit,
        "critical_path": point.critical_path,
        "method": point.method,
        "added_edges": point.edges,
        "worst_peak": point.worst_peak,
    }


def memory_text(found: Findings, look: Look) -> str:
    """Return the summary for people."""
    dag = found.footprint.dag
    ours = f", {found.ours:,} of them added by eligo limit" if found.ours else ""
    rows = [*rules_rows(found.footprint), *_rows(found)]
    parts = [table(f"{found.path}: {plural(dag.n, 'job')}, {plural(dag.m, 'edge')}{ours}", rows)]
    parts.append("\n".join(_peak_lines(found)))
    if found.curve:
        parts.append("\n".join(_curve_lines(found, look)))
    return "\n\n".join(part for part in parts if part)


def _parts(analysis: Analysis) -> tuple[Any, Any, Any]:
    return analysis.worst, analysis.lowest, analysis.least


def _rows(found: Findings) -> list[tuple[str, str, str]]:
    worst, lowest, least = _parts(found.analysis)
    dag = found.footprint.dag
    order = "no order needs less" if _is_least(found) else "the best order that was found"
    where = "" if least.job is None else f" while job {short(dag.names[least.job])} runs"
    path = length(found.critical_path, found.in_seconds)
    return [
        ("worst peak", found.amount(worst.bound), f"no execution exceeds it{_reached(found)}"),
        ("one at a time", found.amount(lowest.peak), f"{order}, by {lowest.method}"),
        ("lower bound", found.amount(least.value), f"every execution occupies as much{where}"),
        ("at full speed", found.amount(found.within), f"at least, to finish within the critical path's {path}"),
    ]


def _reached(found: Findings) -> str:
    """Tell how close to the worst peak executions come."""
    worst = found.analysis.worst
    if worst.exact:
        return ", and one reaches it"
    attained, bound = found.amount(worst.attained), found.amount(worst.bound)
    if attained == bound:
        attained = f"{found.amount(worst.bound - worst.attained)} less"
    return f"; by search, the most that one reaches is {attained}" if worst.is_true else f"; one reaches {attained}"


def _peak_lines(found: Findings) -> list[str]:
    """Tell which jobs and data make the peak."""
    worst = found.analysis.worst
    footprint, dag = found.footprint, found.footprint.dag
    if worst.attained == 0:
        return []
    count = int(worst.started.sum())
    have = "has" if count == 1 else "have"
    lines = [f"  at the peak of {found.amount(worst.attained)}, {plural(count, 'job')} {have} started"]
    running = np.flatnonzero(worst.started & ~worst.ended)
    if len(running):
        held = footprint.needs[running]  # with inputs, which others may read too
        first = np.argsort(-held, kind="stable")[:_MOST_JOBS]
        names = [f"{short(dag.names[running[i]])} ({found.amount(int(held[i]))})" for i in first]
        each = ", each with all that it reads and makes" if footprint.k else ""
        lines.append(f"  running        {named(names, len(running), _MOST_JOBS)}{each}")
    present = worst.present
    for place, datum in enumerate(present[:_MOST_DATA].tolist()):
        size = int(footprint.size[datum])
        share = per_cent(size / worst.attained)
        head = "occupied by" if place == 0 else ""
        lines.append(f"  {head:<14} {found.amount(size):>10} {share:>11}   {short(_datum(footprint, datum))}")
    rest = int(footprint.size[present[_MOST_DATA:]].sum())
    if rest:
        count = len(present) - _MOST_DATA
        lines.append(f"  {'':<14} {found.amount(rest):>10} {per_cent(rest / worst.attained):>11}   {count:,} more")
    scratch = worst.attained - int(footprint.size[present].sum())
    if scratch:
        head = "occupied by" if not len(present) else ""
        what = "what running jobs use" if not len(present) else "scratch space of running jobs"
        lines.append(f"  {head:<14} {found.amount(scratch):>10} {per_cent(scratch / worst.attained):>11}   {what}")
    return [printable(line) for line in lines]


def _datum(footprint: Footprint, datum: int) -> str:
    """Return what a datum is called: by its name, else by who makes and who reads it."""
    dag = footprint.dag
    number, producer = int(footprint.datum[datum]), int(footprint.producer[datum])
    if number >= 0 and dag.data is not None and dag.data.names is not None:
        return dag.data.names[number]
    made = "from outside" if producer < 0 else dag.names[producer]
    readers: Int32 = footprint.readers_of(datum)
    if len(readers) == 0:
        return made
    return f"{made} > {dag.names[int(readers[0])]}" + (f" and {len(readers) - 1:,} more" if len(readers) > 1 else "")


def _curve_lines(found: Findings, look: Look) -> list[str]:
    """Return a table of limits with bars for the critical path, and a sentence of advice."""
    if len(found.curve) == 1:
        return [_no_choice(found)]
    before, longest = found.critical_path, max(point.critical_path for point in found.curve)
    block = "█" if look.braille else "#"
    cells = [
        (
            found.amount(point.limit),
            length(point.critical_path, found.in_seconds),
            growth(before, point.critical_path),
            f"{point.edges:,}",
            point.method,
            block * max(1, round(_BAR * point.critical_path / longest)) if longest else "",
        )
        for point in found.curve
    ]
    titles = ("limit", "critical path", "", "added edges", "method", "")
    return [grid(titles, cells, words=2), *_advice(found)]


def _no_choice(found: Findings) -> str:
    """Tell why no limit was tried."""
    worst, lowest, _ = _parts(found.analysis)
    if lowest.peak < worst.bound:
        peak = f"{lowest.peak:,} {found.footprint.rules.unit}"
        return f"  the smallest limit known to be reachable is {peak}, so close to the worst peak that none was tried"
    if _is_least(found):
        return "  no smaller limit can be kept: even one job at a time reaches the worst peak"
    return "  no limit below the worst peak is known to be reachable"


def _is_least(found: Findings) -> bool:
    """Whether it is proved that no order of the jobs has a smaller peak, and so no limit below it can be kept."""
    _, lowest, least = _parts(found.analysis)
    return bool(lowest.proved or lowest.peak == least.value)


def _advice(found: Findings) -> list[str]:
    from eligo.memory._analyze import advised

    best = advised(found.curve)
    if best is None or best.limit >= found.analysis.worst.bound:
        return (
            ["  advice: every limit that was tried makes the critical path more than 5 % longer"]
            if len(found.curve) > 1
            else []
        )
    size = found.amount(best.limit).replace(" ", "").removesuffix("pebbles").removesuffix("pebble")
    cost = growth(found.critical_path, best.critical_path)
    return [f"  advice: limit to {found.amount(best.limit)}: critical path {cost}; eligo limit FILE --memory {size}"]


def curve_points(found: Sequence[CurvePoint]) -> list[tuple[int, float, str]]:
    """Return the points as ``report.plot_limits`` takes them."""
    words = {"none": "nothing to add"}
    return [(point.limit, point.critical_path, words.get(point.method, point.method)) for point in found]
