"""Gantt charts: what ran when, in lanes of workers, above what waited and ran, and what was occupied.

Lanes are those of ``eligo.lanes``: one for each worker, or, where these are unknown, too many or come for one job
only, as few as possible. How jobs are drawn, few or many, is told in ``job_bars``. Clocks of real machines begin with
the first job; other times are shown as they are.

Everything is placed in inches, so that it is known which names fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from eligo.graph import levels
from eligo.lanes import Lanes, lanes_of
from eligo.report.job_bars import MAX_BARS, MAX_LANES, Bars, Fill, draw_bars, merge_bars, shades
from eligo.report.lines import line_look, name_curves, worth_stepping
from eligo.report.memory_curves import Use, check_use, draw_uses
from eligo.report.style import new_figure, plain, shorten, styled
from eligo.trace import ANYWHERE, Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_gantt"]

_LEFT_IN, _PLOT_IN, _RIGHT_IN = 0.8, 6.2, 2.0
_LANE_IN, _LEAST_IN, _MOST_IN = 0.2, 0.8, 5.0
_STEPS = [1, 2, 5, 10]
_PANEL_IN, _GAP_IN, _BOTTOM_IN, _TOP_IN = 1.0, 0.2, 0.5, 0.15


def plot_gantt(
    trace: Trace,
    *,
    shade: ArrayLike | None = None,
    shade_name: str = "",
    kinds: Sequence[str] | None = None,
    memory: tuple[ArrayLike, ArrayLike] | None = None,
    limit: int | None = None,
    resource: str = "memory",
    unit: str = "bytes",
    across: str = "time (s)",
    title: str = "",
) -> Figure:
    """Return what ran when and where, with the numbers of jobs that were ELIGIBLE and that ran, and the memory.

    Parameters
    ----------
    shade, shade_name
        A number for each job, such as its priority, that its colour shows, and what that is called; levels by default.
    kinds
        A word for each job that its colour and hatching show instead.
    memory, limit
        Times and what is occupied from each of them on, such as a ``simulation.MemoryUse``; and what is not to be
        exceeded.
    resource, unit
        What is occupied, and what it is counted in.
    across
        What the times are called.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> trace = Trace.of(Dag.from_names([("a", "b"), ("a", "c")]), [0, 1, 1], [1, 2, 3], [0, 0, 1])
    >>> figure = plot_gantt(trace, memory=([0, 3], [5, 0]))
    >>> [axes.get_ylabel() for axes in figure.axes[:3]]
    ['worker', 'jobs', 'memory (bytes)']
    """
    use = None if memory is None else check_use(resource, *memory)
    with styled():
        fill = _fill(trace, shade, shade_name, kinds)
        lanes = lanes_of(trace)
        tall = min(max(_LANE_IN * len(lanes.worker), _LEAST_IN), _MOST_IN)
        figure, panels = _panels([tall, _PANEL_IN, *([_PANEL_IN] if use else [])], title)
        shift, begin, end = _span(trace)
        single = _draw_jobs(panels[0], trace, lanes, fill, (shift, begin, end, tall))
        _explain(panels[0], fill, unfinished=single and bool(np.any(np.isnan(trace.end_s[trace.order]))))
        _draw_counts(panels[1], trace, shift, begin)
        if use:
            _draw_memory(panels[2], (use[0] - shift, use[1]), limit, resource, unit)
        panels[0].set_xlim(begin, end + 0.004 * (end - begin))
        panels[-1].set_xlabel(plain(across), parse_math=False)
        return figure


def _fill(trace: Trace, shade: ArrayLike | None, name: str, kinds: Sequence[str] | None) -> Fill:
    if kinds is not None:
        return Fill.by_kind(kinds, trace.dag.n)
    if shade is not None:
        return Fill.by_number(shade, trace.dag.n, plain(name))
    return Fill.by_number(levels(trace.dag), trace.dag.n, "level")


def _panels(heights: Sequence[float], title: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels of these heights one above the other, which share their times."""
    top = _TOP_IN + (0.28 if title else 0.0)
    height = top + sum(heights) + _GAP_IN * (len(heights) - 1) + _BOTTOM_IN
    width = _LEFT_IN + _PLOT_IN + _RIGHT_IN
    figure = new_figure(width, height)
    panels: list[Axes] = []
    upper = height - top
    for tall in heights:
        box = _LEFT_IN / width, (upper - tall) / height, _PLOT_IN / width, tall / height
        panels.append(figure.add_axes(box, sharex=panels[0] if panels else None))
        panels[-1].tick_params(labelbottom=len(panels) == len(heights))
        panels[-1].set_axisbelow(True)
        upper -= tall + _GAP_IN
    if title:
        middle = (_LEFT_IN + _PLOT_IN / 2) / width
        look: dict[str, Any] = {"fontweight": "bold", "fontsize": 11, "ha": "center", "va": "center"}
        figure.text(middle, 1 - 0.22 / height, shorten(plain(title), 90), parse_math=False, **look)
    return figure, panels


def _span(trace: Trace) -> tuple[float, float, float]:
    """Return what to take from all times, and when the picture begins and ends."""
    times = trace.event_times()
    first, last = (float(times[0]), float(times[-1])) if len(times) else (0.0, 0.0)
    shift = first if trace.measured else 0.0
    begin, end = min(first - shift, 0.0), last - shift
    return shift, begin, end if end > begin else begin + 1.0


def _draw_jobs(axes: Axes, trace: Trace, lanes: Lanes, fill: Fill, place: tuple[float, float, float, float]) -> bool:
    """Draw each job by itself, or all merged; tell which."""
    from matplotlib.ticker import MaxNLocator

    shift, begin, end, tall = place
    count = max(len(lanes.worker), 1)
    order = trace.order.astype(np.int64)
    without = np.isnan(trace.end_s[order])
    over = np.where(without, end, trace.end_s[order] - shift)
    bars = Bars(order, trace.start_s[order] - shift, over, lanes.lane[order].astype(np.int64), without, count)
    single = len(order) <= MAX_BARS and count <= MAX_LANES
    if single:
        draw_bars(axes, bars, fill, trace.dag.names, inches=(_PLOT_IN / (end - begin), tall / count))
    else:
        extent = begin, end, count - 0.5, -0.5
        axes.imshow(merge_bars(bars, fill, begin, end), extent=extent, aspect="auto", interpolation="none")
        axes.grid(visible=False)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_ylabel("worker" if np.any(lanes.worker != ANYWHERE) else "slot")
    axes.grid(visible=False, axis="y")
    ticks = max(2, min(10, round(tall / 0.25)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=ticks, integer=True, steps=_STEPS))
    axes.yaxis.set_major_formatter(lambda lane, _: _lane_name(lanes, lane))
    return single


def _lane_name(lanes: Lanes, lane: float) -> str:
    if not (0 <= lane < len(lanes.worker)) or lane != int(lane):
        return ""
    owner = int(lanes.worker[int(lane)])
    if owner != ANYWHERE:
        return f"{owner:,}"
    return f"{int(lane):,}" if np.all(lanes.worker == ANYWHERE) else "?"


def _explain(axes: Axes, fill: Fill, *, unfinished: bool) -> None:
    """Say beside the lanes what colours mean."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    samples = [Patch(**look) for look in fill.samples()]
    names = list(fill.kinds)
    if unfinished:
        samples.append(Patch(facecolor="white", hatch="//////", edgecolor="black", linewidth=0.4))
        names.append("did not end")
    if fill.scale is not None:
        beside = axes.inset_axes((1.03, 0.0 if not unfinished else 0.3, 0.025, 1.0 if not unfinished else 0.7))
        bar = axes.figure.colorbar(ScalarMappable(Normalize(*fill.scale), shades()), cax=beside)
        bar.outline.set_visible(False)
        beside.grid(visible=False)
        bar.set_label(shorten(fill.name, 24), parse_math=False)
        whole = all(value == int(value) for value in fill.scale)
        bar.locator = MaxNLocator(nbins=5, integer=whole)
        bar.update_ticks()
    if names:
        place = (1.01, 0.24 if fill.scale is not None else 1.0)
        legend = axes.legend(
            samples,
            [str(i) for i in range(len(samples))],
            loc="upper left",
            bbox_to_anchor=place,
            borderpad=0,
            borderaxespad=0,
            fontsize=8,
        )
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set_text(shorten(plain(name), 18))
            text.set_parse_math(False)


def _draw_counts(axes: Axes, trace: Trace, shift: float, begin: float) -> None:
    from matplotlib.ticker import MaxNLocator

    time = np.concatenate([[begin], trace.event_times() - shift])
    last = np.flatnonzero(np.diff(time, append=np.inf))  # of all that happens at an instant, what remains
    for i, values in enumerate(trace.counts()):
        chosen = last[worth_stepping(time[last], values[last])]
        look = line_look(i, 2, len(last)) | {"marker": "", "linewidth": 1.6 - 0.4 * i}
        axes.plot(time[chosen], values[chosen], drawstyle="steps-post", **look)
    axes.set_ylabel("jobs")
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True, steps=_STEPS))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    name_curves(axes, ["ELIGIBLE", "running"], beside=True)


def _draw_memory(axes: Axes, use: Use, limit: int | None, resource: str, unit: str) -> None:
    from matplotlib.ticker import MaxNLocator

    named = draw_uses(axes, {"": use}, {"limit": limit}, resource=resource, unit=unit)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=unit != "bytes", steps=_STEPS))
    axes.yaxis.set_major_formatter("{x:,.4g}" if unit == "bytes" else "{x:,.0f}")
    if named:
        name_curves(axes, [name for _, name in named], [line for line, _ in named], beside=True)
