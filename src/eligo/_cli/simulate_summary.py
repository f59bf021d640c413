"""What is said of simulations: as facts for programs, and as tables and plain sentences for people.

A grid in words, for people: who comes when, how long jobs take, what goes wrong.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo._cli.memory_options import rules_rows
from eligo._cli.terminal import grid as columns
from eligo._cli.terminal import table
from eligo._humanize import amount, per_cent, plural, printable, seconds

if TYPE_CHECKING:
    from eligo.dag import Dag, Float64
    from eligo.formats._base import Document
    from eligo.memory._footprint import Footprint
    from eligo.simulation._advise import Advice, Look
    from eligo.simulation._grid import Grid, Throttle
    from eligo.simulation._ratios import Estimate, Summary
    from eligo.simulation._simulate import Comparison
    from eligo.simulation._sweep_results import Results

__all__ = [
    "Case",
    "advice_text",
    "comparison_text",
    "grid_rows",
    "largest_peak",
    "ratio_words",
    "sentence",
    "sweep_text",
    "times_unit",
]

_WORTH_SAYING = 0.005


def times_unit(value: float) -> str:
    """Return what times are counted in where jobs have none of their own.

    Examples
    --------
    >>> times_unit(1), times_unit(2.5)
    ('job time', 'job times')
    """
    return "job time" if value == 1 else "job times"


def grid_rows(grid: Grid, *, varies: bool = False) -> list[tuple[str, str, str]]:
    """Return a grid as rows of a table; in a sweep the random arrivals vary.

    Examples
    --------
    >>> from eligo.simulation._grid import Grid
    >>> for name, _, words in grid_rows(Grid()):
    ...     print(f"{name}: {words}")
    workers: batches of 16 on average, every 1 mean job time on average; each takes a job or leaves
    jobs: take 1 each, on average, with a standard deviation of 10 %
    """
    rows = [("workers", "", f"{_arrivals(grid, varies)}; {_manners(grid)}"), ("jobs", "", _times(grid))]
    fates = [words for words in _fates(grid) if words]
    held = _held_back(grid.throttle) if grid.throttle is not None else ""
    return rows + [(name, "", words) for name, words in (("failures", ", ".join(fates)), ("throttles", held)) if words]


def _arrivals(grid: Grid, varies: bool) -> str:
    if grid.processors is not None:
        return f"{grid.processors:,}, from the beginning to the end"
    if grid.arrivals is not None:
        again = grid.arrivals.repeat_every
        after = "then nobody" if again is None else f"again every {_time(grid, again)}"
        count = len(grid.arrivals.time)
        return f"{'1 batch' if count == 1 else f'{count:,} batches'} from a file, {after}"
    rule = {"nearest": "", "geometric": ", geometric"}.get(grid.rounding, f", rounded {grid.rounding}")
    if varies:
        return f"random batches{rule}"
    return f"batches of {grid.batch:,.6g} on average{rule}, every {_time(grid, grid.interarrival)} on average"


def _manners(grid: Grid) -> str:
    speeds = f", with speeds that differ (spread {grid.spread:g})" if grid.spread else ""
    return f"{'they stay and ask again' if grid.staying else 'each takes a job or leaves'}{speeds}"


def _times(grid: Grid) -> str:
    own = "take their own times" if grid.own_times else "take 1 each"
    if not grid.sd:
        return own
    sd, mean = per_cent(grid.sd).replace(".0", ""), _mean_factor(grid.sd)
    if mean < 1 + _WORTH_SAYING:
        return f"{own}, on average, with a standard deviation of {sd}"
    longer = f"take {mean:.3g} times their own times" if grid.own_times else f"take {mean:.3g} each"
    return f"{longer}, on average: normal with mean 1 and a standard deviation of {sd}, cut off at 0"


def _mean_factor(sd: float) -> float:
    """Return the mean of a normal distribution of mean 1 that is cut off at 0.

    Examples
    --------
    >>> _mean_factor(0.1), round(_mean_factor(1), 4)
    (1.0, 1.2876)
    """
    density = math.exp(-0.5 / sd**2) / math.sqrt(2 * math.pi)
    return 1 + sd * density / (1 - math.erfc(1 / (sd * math.sqrt(2))) / 2)


def _fates(grid: Grid) -> list[str]:
    return [
        f"{per_cent(grid.fail)} of allocations fail" if grid.fail else "",
        f"{per_cent(grid.lost)} of workers never come back" if grid.lost else "",
        f"written off after {grid.deadline:g} times the expected time" if grid.deadline is not None else "",
        f"each job given to {grid.copies:,} workers" if grid.copies > 1 else "",
    ]


def _held_back(throttle: Throttle) -> str:
    limits = 0 if throttle.category_max is None else len(throttle.category_max)
    words = [
        f"at most {throttle.max_jobs:,} in the queue or running" if throttle.max_jobs is not None else "",
        f"none sent while {throttle.max_idle:,} wait" if throttle.max_idle is not None else "",
        f"{'1 category' if limits == 1 else f'{limits:,} categories'} with a limit" if limits else "",
    ]
    return ", ".join(word for word in words if word)


def _time(grid: Grid, value: float) -> str:
    if grid.own_times:
        return f"{value:,.6g} s"
    return f"{value:,.6g} mean {times_unit(value)}"


_TITLES = {
    "execution_time": "execution time",
    "stalling": "stalling",
    "utilization": "utilization",
    "idle_time": "idle time",
    "peak_memory": "mean peak",
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

    def between(self, value: float) -> str:
        """Return a time between batches, in words."""
        return _duration(value) if self.grid.own_times else f"{value:,.6g} mean {times_unit(value)}"

    def heads(self, values: Sequence[float]) -> dict[float, str]:
        """Return times between batches as heads of a table."""
        if self.grid.own_times:
            heads = {value: _duration(value) for value in values}
            if len(set(heads.values())) == len(heads):
                return heads
        return {value: f"{value:,.6g}{' s' if self.grid.own_times else ''}" for value in values}

    def facts(self, found: dict[str, Any], largest_peak: float | None = None) -> dict[str, Any]:
        """Return what was found with what it is about, as plain values."""
        from eligo.simulation._sweep_journal import plain_grid

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


def _duration(value: float) -> str:
    from eligo.simulation._advise import duration

    return duration(value)


def comparison_text(case: Case, found: Comparison, remark: str = "") -> str:
    """Return what came of strategies on one grid, with a remark on that grid."""
    size = f"{plural(found.samples, 'sample')} of {plural(found.runs, 'run')} each"
    common = ", common random numbers" if found.common else ""
    rows = [*grid_rows(case.grid), ("simulated", "", f"{size}, seed {found.seed}{common}")]
    parts = [_titled(case, rows, remark), _means(case, found), *_ratio_tables(found)]
    lines = [
        sentence(pair, found.ratios[pair]["execution_time"], told, found.runs)
        for pair, told in found.estimates().items()
    ]
    lines += _memory_lines(case, max((found.values[name]["largest_peak"].max() for name in found.values), default=0))
    lines += [f"note: {note}" for note in found.notes]
    return "\n\n".join([*parts, _wrapped(lines)])


def _titled(case: Case, rows: Iterable[tuple[str, str, str]], remark: str = "") -> str:
    memory = [] if case.footprint is None else rules_rows(case.footprint)
    return table(case.title() + (f" ({remark})" if remark else ""), [*rows, *memory])


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
        of = "means of runs" if found.runs > 1 else "single runs"
        tables[-1] += f"\n  medians, with what 95 % of the ratios of {of} lie between{why}"
    return tables


def _named_columns(corner: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column, of names, begins at one place."""
    width = max(len(corner), *(len(row[0]) for row in rows))
    return columns((f"{corner:<{width}}", *titles), [(f"{row[0]:<{width}}", *row[1:]) for row in rows])


def ratio_words(found: Summary | None) -> str:
    """Return a median and its interval, with as many digits as the interval deserves.

    Examples
    --------
    >>> from eligo.simulation._ratios import Summary
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


def sentence(pair: str, quotients: Summary | None, told: Estimate | None, runs: int) -> str:
    """Return what a ratio of execution times means: which is faster by all runs, and how samples vary.

    Examples
    --------
    >>> from eligo.simulation._ratios import Estimate, Summary
    >>> quotients = Summary(0.84, 0.8411, 0.01, 0.8231, 0.8619)
    >>> print(sentence("prio/fifo", quotients, Estimate(0.84, 0.001, 100), 50))
    prio finishes in 0.840 ± 0.001 of the time of fifo (means of 50 runs vary from 0.82 to 0.86)
    """
    one, other = pair.split("/")
    if quotients is None or told is None:
        return f"{one} against {other}: no interval, since not every run has ended"
    low, high = (f"{value:,.{_digits(quotients)}f}" for value in (quotients.low, quotients.high))
    of = f"means of {runs:,} runs" if runs > 1 else "single runs"
    vary = f" ({of} vary from {low} to {high})" if quotients.sd > 0 else ""
    if not told.is_enough:
        few = "1 sample is" if told.samples == 1 else f"{told.samples} samples are"
        return f"{one} against {other}: {told.ratio:.2f}{vary}, but {few} too few to tell"
    if told.is_above:
        return f"{one} takes {told} times as long as {other}{vary}"
    apart = "" if told.is_below else f"{one} and {other} cannot be told apart: "
    return f"{apart}{one} finishes in {told} of the time of {other}{vary}"


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
        cells = _cells(found, pair)
        parts += [*_sweep_table(case, pair, cells), _wrapped(_sweep_sentences(case, pair, cells, about.runs))]
    lines = [*_memory_lines(case, largest_peak(found)), *(f"note: {note}" for note in found.notes)]
    return "\n\n".join([*parts, *([_wrapped(lines)] if lines else [])])


class _Cell(NamedTuple):
    """One ratio at one point of a sweep."""

    between: float
    batch: float
    quotients: Summary | None
    told: Estimate | None

    @property
    def words(self) -> str:
        if self.quotients is None or self.told is None:
            return "none "
        median = self.quotients.median
        digits = _digits(self.quotients) if median >= 100 else 2
        return f"{median:.{digits}f}{'*' if self.told.is_below or self.told.is_above else ' '}"


def _cells(found: Results, pair: str) -> list[_Cell]:
    from eligo.simulation._simulate import estimates_of

    return [
        _Cell(
            point.interarrival,
            point.batch,
            point.ratios[pair]["execution_time"],
            estimates_of(point.strategies, point.ratios, "execution_time", found.about.samples)[pair],
        )
        for point in found.points
    ]


def largest_peak(found: Results) -> float:
    """Return the largest peak of memory in a sweep; 0 where none was looked for."""
    peaks = [of.get("largest_peak") for point in found.points for of in point.strategies.values()]
    return max((peak.high for peak in peaks if peak is not None), default=0.0)


def _sweep_table(case: Case, pair: str, cells: Sequence[_Cell]) -> list[str]:
    """Return the medians, batches downwards and times between them across, where that fits a page."""
    heads = case.heads(list(dict.fromkeys(cell.between for cell in cells)))
    sizes = {batch: f"{batch:,.6g}" for batch in dict.fromkeys(cell.batch for cell in cells)}
    words = {(cell.between, cell.batch): cell.words for cell in cells}
    across, down, titles = heads, sizes, ("interarrival", "batch")
    if len(across) > _MOST_COLUMNS >= len(down):
        across, down, titles = sizes, heads, ("batch", "interarrival")
        words = {at[::-1]: word for at, word in words.items()}
    if len(across) > _MOST_COLUMNS or len(down) > _MOST_ROWS:
        return []
    rows = [(down[below], *(words[beside, below] for beside in across)) for below in down]
    told = f"  {pair}: execution time, medians; * where all runs together clearly tell a difference\n"
    return [told + columns((f"{titles[1]} \\ {titles[0]}", *(f"{head} " for head in across.values())), rows)]


def _sweep_sentences(case: Case, pair: str, cells: Sequence[_Cell], runs: int) -> list[str]:
    one, other = pair.split("/")
    known = [(cell.told, cell) for cell in cells if cell.told is not None]
    if not known:
        return [f"{one} against {other}: no interval at any point"]
    told, best = min(known, key=lambda each: each[0].ratio)
    gain = "largest gain" if told.ratio < 1 else "smallest loss"
    last = (
        f"{gain} with {case.between(best.between)} between batches of {best.batch:,.6g}: "
        f"{sentence(pair, best.quotients, told, runs)}"
    )
    if not told.is_enough:
        return [last]
    faster, slower = sum(told.is_below for told, _ in known), sum(told.is_above for told, _ in known)
    return [
        f"{one} is clearly faster than {other} at {faster:,} of {plural(len(cells), 'point')}, clearly slower at "
        f"{slower:,}",
        last,
    ]


def advice_text(case: Case, found: Advice, again: str) -> str:
    """Return a paragraph of advice, the grids that were tried, and the command that tries the best one again."""
    paragraph = textwrap.fill(printable(found.paragraph), _WIDTH, break_long_words=False)
    if not found.looks:
        return paragraph
    across, down = (sorted({look[axis] for look in found.looks}) for axis in (0, 1))
    cell = {(look.interarrival, look.batch): look for look in found.looks}
    rows = [(f"{batch:,.6g}", *(_look(cell.get((between, batch))) for between in across)) for batch in down]
    told = f"  {found.strategy}/{found.against}: execution time; * where 1 % or more is clearly gained or lost"
    told += "; . not tried\n" if len(cell) < len(across) * len(down) else "\n"
    heads = case.heads(across)
    shown = told + columns(("batch \\ interarrival", *(f"{heads[value]} " for value in across)), rows)
    return "\n\n".join([paragraph, shown, *_next_steps(case, found, again)])


def _next_steps(case: Case, found: Advice, again: str) -> list[str]:
    lines = []
    if again:
        which = {"hurts": "largest loss", "even": "best grid"}.get(found.verdict, "largest gain")
        lines.append(f"  {which} again: {printable(again)}")
    times = case.dag.time_s
    if times is not None and not case.grid.own_times and not all(map(math.isnan, times)):
        lines.append("  the workflow states times of jobs: --own-times takes these instead of 1 each")
    return ["\n".join(lines)] if lines else []


def _look(found: Look | None) -> str:
    if found is None:
        return ". "
    clear = "*" if found.pays or found.hurts else " "
    return f"{found.ratio:.2f}{clear}" if math.isfinite(found.ratio) else "none "
