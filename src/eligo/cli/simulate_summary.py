"""What is said of simulations: as facts for programs, and as tables and plain sentences for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo.cli.amounts import amount, seconds
from eligo.cli.memory_options import rules_rows
from eligo.cli.messages import printable
from eligo.cli.simulate_grids import grid_rows, times_unit
from eligo.cli.table import grid as columns
from eligo.cli.table import per_cent, plural, table

if TYPE_CHECKING:
    from eligo.dag import Dag, Float64
    from eligo.formats.base import Document
    from eligo.memory.footprint import Footprint
    from eligo.simulation.advising import Advice, Look
    from eligo.simulation.comparing import Comparison
    from eligo.simulation.grid import Grid
    from eligo.simulation.ratios import Summary
    from eligo.simulation.results import Results

__all__ = ["Case", "advice_text", "comparison_text", "largest_peak", "ratio_words", "sentence", "sweep_text"]

_TITLES = {
    "execution_time": "execution time",
    "stalling": "stalling",
    "utilization": "utilization",
    "idle_time": "idle time",
    "peak_memory": "peak memory",
    "largest_peak": "largest peak",
    "allocations": "allocations",
    "ended": "ended",
}
_OF_002 = ("execution_time", "stalling", "utilization")
_WIDTH = 100
_HOURS_S = 7_200  # from here on seconds are told in hours too
_MOST_COLUMNS, _MOST_ROWS = 10, 40


class Case(NamedTuple):
    """A workflow and the grid it is simulated on.

    Attributes
    ----------
    document
        The workflow as it was read.
    grid
        Who comes when; of a sweep, all but that.
    footprint, worst_peak
        What jobs occupy and the most that any execution does, if memory is tracked.
    """

    document: Document
    grid: Grid
    footprint: Footprint | None = None
    worst_peak: int = 0

    @property
    def dag(self) -> Dag:
        """The jobs."""
        return self.document.dag

    def title(self) -> str:
        """Return what the workflow is, in words."""
        return f"{self.document.source.path}: {plural(self.dag.n, 'job')}, {plural(self.dag.m, 'edge')}"

    def facts(self, found: dict[str, Any], largest_peak: float | None = None) -> dict[str, Any]:
        """Return what was found with what it is about, as plain values."""
        from eligo.simulation.journal import plain_grid

        facts: dict[str, Any] = {
            "file": self.document.source.path,
            "format": self.document.format,
            "jobs": self.dag.n,
            "edges": self.dag.m,
            "unit": "s" if self.grid.own_times else "mean job time",
        }
        facts |= {**found, "grid": plain_grid(self.grid), "memory": None}
        if self.footprint is not None:
            rules = self.footprint.rules
            facts["memory"] = {
                "model": rules.model,
                "resource": rules.resource,
                "unit": rules.unit,
                "largest_peak": None if largest_peak is None else int(largest_peak),
                "worst_peak": self.worst_peak,
            }
        return facts


def comparison_text(case: Case, found: Comparison) -> str:
    """Return what came of strategies on one grid."""
    size = f"{plural(found.samples, 'sample')} of {plural(found.runs, 'run')} each"
    common = ", common random numbers" if found.common else ""
    rows = [*grid_rows(case.grid), ("simulated", "", f"{size}, seed {found.seed}{common}")]
    parts = [_titled(case, rows), _means(case, found), *_ratio_tables(found)]
    lines = [sentence(pair, by_metric["execution_time"]) for pair, by_metric in found.ratios.items()]
    lines += _memory_lines(case, max((found.values[name]["largest_peak"].max() for name in found.values), default=0))
    lines += [f"note: {note}" for note in found.notes]
    return "\n\n".join([*parts, _wrapped(lines)])


def _titled(case: Case, rows: Iterable[tuple[str, str, str]]) -> str:
    memory = [] if case.footprint is None else rules_rows(case.footprint)
    return table(case.title(), [*rows, *memory])


def _means(case: Case, found: Comparison) -> str:
    """Return a row of means for each strategy."""
    metrics = list(next(iter(found.strategies.values())))
    titles = [_TITLES[metric] for metric in metrics]
    rows = [
        (name, *(_mean(case, metric, by_metric[metric].mean, found.values[name][metric]) for metric in metrics))
        for name, by_metric in found.strategies.items()
    ]
    return _named_columns("mean", titles, rows)


def _mean(case: Case, metric: str, value: float, values: Float64) -> str:
    if not math.isfinite(value):
        return "never ends"
    if metric in ("stalling", "utilization", "ended"):
        return per_cent(value)
    if metric in ("peak_memory", "largest_peak") and case.footprint is not None:
        return amount(round(value if metric == "peak_memory" else float(values.max())), case.footprint.rules.unit)
    if metric == "allocations":
        return f"{value:,.1f}"
    if not case.grid.own_times:
        return f"{value:,.4g} {times_unit(value)}"
    return seconds(value) if value >= _HOURS_S else f"{value:,.4g} s"


def _ratio_tables(found: Comparison) -> list[str]:
    """Return medians of ratios with their intervals: the metrics of paper 002, and all others below."""
    tables = []
    there = [metric for metric in next(iter(found.ratios.values()), {}) if metric != "largest_peak"]
    for metrics in ([m for m in there if m in _OF_002], [m for m in there if m not in _OF_002]):
        if metrics:
            rows = [(pair, *(ratio_words(of[metric]) for metric in metrics)) for pair, of in found.ratios.items()]
            tables.append(_named_columns("ratio", [_TITLES[metric] for metric in metrics], rows))
    if tables:
        none = any(of[metric] is None for of in found.ratios.values() for metric in there)
        why = "; no interval where something is divided by 0, or never ended" if none else ""
        tables[-1] += f"\n  medians, with what 95 % of the ratios lie between{why}"
    return tables


def _named_columns(corner: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column, of names, begins at one place."""
    width = max(len(corner), *(len(row[0]) for row in rows))
    return columns((f"{corner:<{width}}", *titles), [(f"{row[0]:<{width}}", *row[1:]) for row in rows])


def ratio_words(found: Summary | None) -> str:
    """Return a median and its interval, with as many digits as the interval deserves.

    Examples
    --------
    >>> from eligo.simulation.ratios import Summary
    >>> ratio_words(Summary(0.84, 0.8411, 0.01, 0.8231, 0.8619)), ratio_words(None)
    ('0.84 (0.82 to 0.86)', 'no interval')
    >>> ratio_words(Summary(1.0, 0.99951, 0.0, 0.99921, 1.00012))
    '0.9995 (0.9992 to 1.0001)'
    """
    if found is None:
        return "no interval"
    median, low, high = (f"{value:,.{_digits(found)}f}" for value in (found.median, found.low, found.high))
    return f"{median} ({low} to {high})"


def _digits(found: Summary) -> int:
    apart = found.high - found.low
    if found.median >= 100:
        return 0
    return 2 if apart >= 0.02 or apart == 0 else 3 if apart >= 0.002 else 4


def sentence(pair: str, found: Summary | None) -> str:
    """Return what a ratio of execution times means.

    Examples
    --------
    >>> from eligo.simulation.ratios import Summary
    >>> sentence("prio/fifo", Summary(0.84, 0.8411, 0.01, 0.8231, 0.8619))
    'prio finishes in 0.84 (0.82 to 0.86) of the time of fifo'
    """
    one, other = pair.split("/")
    words = ratio_words(found)
    if found is None:
        return f"{one} against {other}: {words}, since not every run has ended"
    if found.high < 1:
        return f"{one} finishes in {words} of the time of {other}"
    if found.low > 1:
        return f"{one} takes {words} times as long as {other}"
    return f"{one} and {other} cannot be told apart: {one} finishes in {words} of the time of {other}"


def _memory_lines(case: Case, largest: float) -> list[str]:
    """Hold the largest peak that was seen against the most that any execution can reach."""
    if case.footprint is None:
        return []
    unit, resource = case.footprint.rules.unit, case.footprint.rules.resource
    seen, worst = amount(int(largest), unit), amount(case.worst_peak, unit)
    lines = [f"largest peak of {resource} in all runs: {seen}; no execution can exceed {worst}"]
    if case.grid.copies > 1 or case.grid.deadline is not None:
        lines.append("note: that bound does not count twice the scratch space of a job that two workers run at once")
    return lines


def _wrapped(lines: Iterable[str]) -> str:
    return "\n".join(
        textwrap.fill(printable(line), _WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
        for line in lines
    )


def sweep_text(case: Case, found: Results) -> str:
    """Return what came of a sweep: for each ratio of execution times a table of its medians, and a sentence."""
    about = found.about
    size = f"{plural(about.samples, 'sample')} of {plural(about.runs, 'run')} each, seed {about.seed}"
    rows = [("points", f"{len(found.points):,}", size), *grid_rows(case.grid, varies=True)]
    parts = [_titled(case, rows)]
    for pair in found.points[0].ratios:
        points = found.ratio(pair, "execution_time")
        parts += [*_sweep_table(case, pair, points), _wrapped(_sweep_sentences(case, pair, points))]
    lines = [*_memory_lines(case, largest_peak(found)), *(f"note: {note}" for note in found.notes)]
    return "\n\n".join([*parts, *([_wrapped(lines)] if lines else [])])


def largest_peak(found: Results) -> float:
    """Return the largest peak of memory in a sweep; 0 where none was looked for."""
    peaks = [of.get("largest_peak") for point in found.points for of in point.strategies.values()]
    return max((peak.high for peak in peaks if peak is not None), default=0.0)


_Points = Sequence[tuple[float, float, "Summary | None"]]


def _sweep_table(case: Case, pair: str, points: _Points) -> list[str]:
    """Return the medians, batches downwards and times between them across, where that fits a page."""
    across, down = list(dict.fromkeys(point[0] for point in points)), list(dict.fromkeys(point[1] for point in points))
    titles = [f"interarrival{' (s)' if case.grid.own_times else ''}", "batch"]
    turned = len(across) > _MOST_COLUMNS >= len(down)
    if turned:
        across, down, titles = down, across, titles[::-1]
    if len(across) > _MOST_COLUMNS or len(down) > _MOST_ROWS:
        return []
    cell = {(batch, between) if turned else (between, batch): summary for between, batch, summary in points}
    rows = [(f"{below:,.6g}", *(_cell(cell[beside, below]) for beside in across)) for below in down]
    told = f"  {pair}: execution time, medians; * where 95 % of the ratios lie on one side of 1\n"
    return [told + columns((f"{titles[1]} \\ {titles[0]}", *(f"{value:,.6g} " for value in across)), rows)]


def _cell(found: Summary | None) -> str:
    if found is None:
        return "none "
    return f"{found.median:.{_digits(found) if found.median >= 100 else 2}f}{'*' if _is_clear(found) else ' '}"


def _is_clear(found: Summary | None) -> bool:
    return found is not None and (found.high < 1 or found.low > 1)


def _sweep_sentences(case: Case, pair: str, points: _Points) -> list[str]:
    one, other = pair.split("/")
    known = [(summary, between, batch) for between, batch, summary in points if summary is not None]
    if not known:
        return [f"{one} against {other}: no interval at any point"]
    faster = sum(summary.high < 1 for summary, *_ in known)
    slower = sum(summary.low > 1 for summary, *_ in known)
    best = min(known, key=lambda point: point[0].median)
    unit = "s" if case.grid.own_times else f"mean {times_unit(best[1])}"
    return [
        f"{one} is clearly faster than {other} at {faster:,} of {plural(len(points), 'point')}, clearly slower at "
        f"{slower:,}",
        f"best with {best[1]:,.6g} {unit} between batches of {best[2]:,.6g}: {sentence(pair, best[0])}",
    ]


def advice_text(case: Case, found: Advice) -> str:
    """Return a paragraph of advice, and the grids that were tried."""
    paragraph = textwrap.fill(printable(found.paragraph), _WIDTH, break_long_words=False)
    if not found.looks:
        return paragraph
    across, down = (sorted({look[axis] for look in found.looks}) for axis in (0, 1))
    cell = {(look.interarrival, look.batch): look for look in found.looks}
    rows = [(f"{batch:,.6g}", *(_look(cell.get((between, batch))) for between in across)) for batch in down]
    told = f"  {found.strategy}/{found.against}: execution time; * where 1 % or more is clearly gained or lost\n"
    corner = f"batch \\ interarrival{' (s)' if found.seconds else ''}"
    shown = told + columns((corner, *(f"{value:,.6g} " for value in across)), rows)
    return f"{paragraph}\n\n{shown}"


def _look(found: Look | None) -> str:
    if found is None:
        return ". "
    clear = "*" if found.pays or found.hurts else " "
    return f"{found.ratio:.2f}{clear}" if math.isfinite(found.ratio) else "none "
