"""What prioritising gains on every kind of grid: the figure of Malewicz, Foster, Rosenberg and Wilde 2006, Fig. 6 to 9.

A panel for each metric, in it a section for each mean time between batches of workers, and in a section, from left to
right, ever larger mean batches. An upright segment is the 95 % interval of a ratio, the dot on it its median. Where
there is no interval, since a denominator was zero, nothing is drawn. Below 1 a strategy takes less time than the one it
is compared with, and stalls less; above 1 it makes better use of workers.

Several ratios stand side by side and differ in marks, not only in colour. One wild interval (a probability divided by
almost nothing) must not flatten all others: the scale follows the medians, and an arrowhead at the edge tells what goes
on beyond.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eligo.dag import Float64
from eligo.errors import EligoError
from eligo.report._style import COLOURS, GREY, MARKERS, new_figure, plain, shorten, styled, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eligo.simulation._sweep_results import Results

__all__ = ["METRICS", "Ratio", "plot_ratios"]

METRICS = {
    "execution_time": "execution time",
    "stalling": "probability of stalling",
    "utilization": "utilization",
    "idle_time": "time with idle workers",
    "peak_memory": "peak memory",
    "largest_peak": "largest peak",
    "allocations": "allocations",
    "ended": "share that ended",
}
"""What metrics are called; the first three are those of the paper."""

_SHOWN = ("execution_time", "stalling", "utilization")
_WIDTH_IN, _LEFT_IN, _RIGHT_IN, _PANEL_IN = 7.4, 0.72, 0.12, 1.75
_GAP_IN, _BOTTOM_IN = 0.16, 0.66
_SMALL_PT = 7.5
_APART = 0.8  # what sections keep free on both sides, in batches
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Ratio(NamedTuple):
    """The interval of one ratio at one point; ``nan`` or ``None`` where there is none."""

    interarrival: float
    batch: float
    of: str
    metric: str
    median: float | None
    low: float | None
    high: float | None


def plot_ratios(
    results: Results | Iterable[Any],
    *,
    of: str | Sequence[str] | None = None,
    metrics: Sequence[str] = _SHOWN,
    title: str = "",
    subtitle: str = "",
) -> Figure:
    """Return a panel for each metric, with the intervals of ratios for all mean times between and sizes of batches.

    Parameters
    ----------
    results
        What a sweep found, or rows of its table: objects or mappings with ``interarrival``, ``batch``, ``of``,
        ``metric``, ``median``, ``low`` and ``high``, such as :class:`Ratio`. Rows on one strategy alone are left out.
    of
        Which ratio to show, such as ``prio/fifo``, or which ones; all by default.
    title, subtitle
        By default the ratio, and the workflow with the numbers of samples and runs and the seed.

    Raises
    ------
    EligoError
        There is no such ratio.

    Examples
    --------
    >>> rows = [Ratio(1, size, "prio/fifo", "execution_time", 0.9, 0.8, 0.95) for size in (1, 16)]
    >>> [axes.get_ylabel() for axes in plot_ratios(rows).axes]
    ['execution time', 'probability of stalling', 'utilization']
    """
    rows = _rows(results)
    names = _chosen(rows, of)
    rows = [row for row in rows if row.of in names]
    if not metrics:
        raise EligoError("no metrics to draw", hint=f"name some of {', '.join(METRICS)}")
    times, sizes = sorted({row.interarrival for row in rows}), sorted({row.batch for row in rows})
    texts = title or ", ".join(names), subtitle or _about(results)
    with styled():
        figure, panels = _panels(len(metrics), texts, several=len(names) > 1)
        beyond = False
        for axes, metric in zip(panels, metrics, strict=True):
            _draw_sections(axes, len(times), len(sizes))
            values = [_values(rows, name, metric, times, sizes) for name in names]
            beyond |= _draw_ratios(axes, values)
            axes.set_ylabel(METRICS.get(metric, plain(metric)), parse_math=False)
            axes.yaxis.set_label_coords(-0.52 / (_WIDTH_IN - _LEFT_IN - _RIGHT_IN), 0.5)
        _name_sections(panels[0], times, len(sizes))
        _name_batches(panels, sizes, len(times))
        _explain(figure, panels[-1], names, beyond=beyond)
        return figure


def _rows(results: Results | Iterable[Any]) -> list[Ratio]:
    points = getattr(results, "points", None)
    if points is None:
        rows = [Ratio(*(_field(row, name) for name in Ratio._fields)) for row in results]  # type: ignore[union-attr]
        return [_checked(row) for row in rows if "/" in row.of]
    return [
        _checked(Ratio(point.interarrival, point.batch, of, metric, *_interval(summary)))
        for point in points
        for of, by_metric in point.ratios.items()
        for metric, summary in by_metric.items()
    ]


def _interval(summary: Any) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if summary is None else (summary.median, summary.low, summary.high)


def _field(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def _checked(row: Ratio) -> Ratio:
    """Return a row of numbers; what is no finite number is no interval."""
    numbers = [_number(value) for value in (row.median, row.low, row.high)]
    if not all(map(math.isfinite, numbers)):
        numbers = [math.nan] * 3
    point = float(row.interarrival), float(row.batch)
    if not all(0 < mean < math.inf for mean in point):
        raise EligoError(f"means must be above 0, not {point[0]:g} and {point[1]:g}")
    return Ratio(*point, str(row.of), str(row.metric), *numbers)


def _number(value: Any) -> float:
    return math.nan if value is None or value == "" else float(value)


def _chosen(rows: Sequence[Ratio], of: str | Sequence[str] | None) -> list[str]:
    there = list(dict.fromkeys(row.of for row in rows))
    if not there:
        raise EligoError("there are no ratios to draw", hint="compare two strategies or more")
    names = there if of is None else [of] if isinstance(of, str) else list(dict.fromkeys(of))
    for name in names:
        if name not in there:
            raise EligoError(f"there is no ratio {name}", hint=f"there is {', '.join(there)}")
    if not 0 < len(names) <= len(MARKERS):
        raise EligoError(f"{len(names)} ratios cannot be told apart", hint=f"choose 1 to {len(MARKERS)} of them")
    return names


def _about(results: Any) -> str:
    about = getattr(results, "about", None)
    if about is None:
        return ""
    parts = [about.workflow, f"p = {about.samples:,} samples of q = {about.runs:,} runs", f"seed {about.seed}"]
    if about.common:
        parts.append("common random numbers")
    return ", ".join(part for part in parts if part)


def _values(rows: Sequence[Ratio], of: str, metric: str, times: list[float], sizes: list[float]) -> Float64:
    """Return place, median, low and high of each interval there is, from left to right."""
    section, step = {time: i for i, time in enumerate(times)}, {size: i for i, size in enumerate(sizes)}
    wide = len(sizes) - 1 + 2 * _APART
    found = {
        _APART + section[row.interarrival] * wide + step[row.batch]: (row.median, row.low, row.high)
        for row in rows
        if row.of == of and row.metric == metric and not math.isnan(row.median or 0.0)
    }
    return np.array([(place, *found[place]) for place in sorted(found)], np.float64).reshape(-1, 4)


def _panels(count: int, texts: tuple[str, str], *, several: bool) -> tuple[Figure, list[Axes]]:
    title, subtitle = texts
    top = 0.62 + (0.26 if title else 0.0) + (0.2 if subtitle else 0.0)
    bottom = _BOTTOM_IN + (0.24 if several else 0.0)
    height = top + count * _PANEL_IN + (count - 1) * _GAP_IN + bottom
    figure = new_figure(_WIDTH_IN, height)
    panels: list[Axes] = []
    for i in range(count):
        low = bottom + (count - 1 - i) * (_PANEL_IN + _GAP_IN)
        wide = (_WIDTH_IN - _LEFT_IN - _RIGHT_IN) / _WIDTH_IN
        box = _LEFT_IN / _WIDTH_IN, low / height, wide, _PANEL_IN / height
        panels.append(figure.add_axes(box, sharex=panels[0] if panels else None))
        panels[-1].tick_params(labelbottom=i == count - 1)
    if title:
        look: dict[str, Any] = {"fontweight": "bold", "fontsize": 11, "ha": "center", "va": "center"}
        figure.text(0.5, 1 - 0.2 / height, shorten(plain(title), 80), parse_math=False, **look)
    if subtitle:
        look = {"fontsize": 9, "ha": "center", "va": "center"}
        at = 1 - (0.42 if title else 0.18) / height
        figure.text(0.5, at, shorten(plain(subtitle), 110), parse_math=False, **look)
    return figure, panels


def _draw_sections(axes: Axes, sections: int, steps: int) -> None:
    wide = steps - 1 + 2 * _APART
    axes.grid(visible=False, axis="x")
    axes.set_axisbelow(True)
    axes.set_xlim(0, sections * wide)
    for i in range(1, sections):
        axes.axvline(i * wide, color=GREY, linewidth=0.8, label="section")
    axes.axhline(1, color=GREY, linewidth=0.9, zorder=1.5, label="one")


def _draw_ratios(axes: Axes, values: Sequence[Float64]) -> bool:
    """Draw intervals and medians; tell whether some go on beyond the edges."""
    every = np.concatenate(values)
    if not len(every):
        look: dict[str, Any] = {"ha": "center", "va": "center", "bbox": {"facecolor": "white", "linewidth": 0}}
        axes.text(0.5, 0.5, "no interval", transform=axes.transAxes, color=GREY, **look)
        axes.set_ylim(0.9, 1.1)
        return False
    bottom, top = _range(every)
    axes.set_ylim(bottom, top)
    for i, (place, median, low, high) in enumerate(part.T for part in values):
        at = place + 0.7 * ((i + 0.5) / len(values) - 0.5)
        colour = COLOURS[i % len(COLOURS)]
        axes.vlines(
            at, np.clip(low, bottom, top), np.clip(high, bottom, top), colors=colour, linewidth=1.0, label="95 %"
        )
        look = {"linestyle": "none", "color": colour, "zorder": 3}
        seen = (median >= bottom) & (median <= top)
        axes.plot(at[seen], median[seen], label="median", **look, **_mark(i, len(values)))
        for edge, beyond, arrow in ((top, high > top, "^"), (bottom, low < bottom, "v")):
            if beyond.any():
                spots = np.full(np.count_nonzero(beyond), edge)
                axes.plot(at[beyond], spots, marker=arrow, markersize=3, clip_on=False, label="beyond", **look)
    return bool(np.any(every[:, 3] > top) or np.any(every[:, 2] < bottom))


def _mark(i: int, ratios: int) -> dict[str, Any]:
    size = 3.4 if ratios == 1 else 3.0
    return {"marker": MARKERS[i], "markersize": size, "markeredgewidth": 0.8} | (
        {"markerfacecolor": "white"} if i % 2 else {}
    )


def _range(values: Float64) -> tuple[float, float]:
    """Return from where to where to draw: all intervals, unless they reach much further than most medians."""
    _, median, low, high = values.T
    usual = max(float(np.quantile(np.abs(median - 1), 0.95)), 0.1)
    bottom, top = max(float(low.min()), 1 - 3 * usual), min(float(high.max()), 1 + 3 * usual)
    bottom, top = min(bottom, 0.97), max(top, 1.03)
    room = 0.06 * (top - bottom)
    return bottom - room if bottom > 0 else bottom - room / 2, top + room


def _name_sections(axes: Axes, times: list[float], steps: int) -> None:
    wide = steps - 1 + 2 * _APART
    names = _numbers(times, 10)
    room = (_WIDTH_IN - _LEFT_IN - _RIGHT_IN) / len(times)
    every = _stride([text_width(name) for name in names], room)
    for i in range(0, len(times), every):
        _above(axes, (i + 0.5) * wide, 0.09, names[i])
    _above(axes, len(times) * wide / 2, 0.3, "mean time between batches of workers")


def _above(axes: Axes, x: float, inches: float, text: str) -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "transform": axes.get_xaxis_transform()}
    axes.text(x, 1 + inches / _PANEL_IN, text, fontsize=9, parse_math=False, **look)


def _name_batches(panels: Sequence[Axes], sizes: list[float], sections: int) -> None:
    wide = len(sizes) - 1 + 2 * _APART
    names = _numbers(sizes, 2)
    room = (_WIDTH_IN - _LEFT_IN - _RIGHT_IN) / (sections * wide)
    every = _stride([text_width(name, _SMALL_PT) for name in names], room)
    needed = (max(text_width(name, _SMALL_PT) for name in names) + 0.05) / room
    ticks = {
        section * wide + _APART + i: names[i]
        for section in range(sections)
        for i in range(0, len(sizes), every)
        if i == 0 or i + needed <= wide or section == sections - 1  # there the names of the next section begin
    }
    for axes in panels:
        axes.set_xticks(list(ticks), list(ticks.values()), fontsize=_SMALL_PT)
        axes.tick_params(axis="x", length=2)
    panels[-1].set_xlabel("mean number of workers in a batch", labelpad=3, fontsize=9)


def _stride(widths: Sequence[float], room: float) -> int:
    """Return of how many names to write one, so that they stand apart."""
    every = 1
    while every < len(widths) and max(widths) + 0.05 > every * room:
        every *= 2
    return every


def _numbers(values: Sequence[float], base: int) -> list[str]:
    """Write numbers as powers where there are several and all are.

    Examples
    --------
    >>> _numbers([0.001, 0.01, 0.1, 1.0], 10), _numbers([1.0, 2.0], 2), _numbers([1, 2, 3], 2)
    (['10⁻³', '10⁻²', '10⁻¹', '10⁰'], ['1', '2'], ['1', '2', '3'])
    """
    powers = [round(math.log(value, base)) for value in values]
    exact = all(float(f"1e{k}") == v if base == 10 else base**k == v for k, v in zip(powers, values, strict=True))
    if len(values) > 2 and exact:
        return [f"{base}{str(k).translate(_SUPERSCRIPTS)}" for k in powers]
    return [f"{value:g}" for value in values]


def _explain(figure: Figure, axes: Axes, names: Sequence[str], *, beyond: bool) -> None:
    """Say below what dots and lines are, and which ratio is which."""
    height = figure.get_size_inches()[1]
    words = "dots: medians; lines: 95 % intervals; nothing where there is no interval"
    words += "; arrowheads: beyond the scale" if beyond else ""
    figure.text(0.5, 0.11 / height, words, ha="center", va="center", fontsize=_SMALL_PT, color=GREY)
    if len(names) > 1:
        from matplotlib.lines import Line2D

        samples = [Line2D([], [], color=COLOURS[i], linewidth=1.0, **_mark(i, 2)) for i in range(len(names))]
        legend = figure.legend(
            samples,
            [str(i) for i in range(len(names))],
            loc="center",
            bbox_to_anchor=(0.5, 0.32 / height),
            ncols=len(names),
        )
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set_text(shorten(plain(name), 120 // len(names)))
            text.set_parse_math(False)
