"""Gantt charts: what ran when, in lanes of workers, above what waited and ran, and what was occupied.

Lanes are those of ``eligo.trace``: one for each worker, or, where these are unknown, too many or come for one job
only, as few as possible. How jobs are drawn, few or many, is told in ``job_bars``. Clocks of real machines begin with
the first job; other times are shown as they are.

Everything is placed in inches, so that it is known which names fit.

The jobs of a trace as bars in lanes, or merged where there are more than can be seen.

Bars are filled from dark to light by a number of each job, or by its kind; kinds differ in hatching too. A job that has
not ended is an open bar to the end. Names stand in bars that are large enough.

A picture has only so many dots. Where jobs or lanes are too many to be told apart, bars are merged into a table of
fields, about a dot each: its colour is the mean of the jobs in it, as strong as the share of the field's time and
lanes that they occupy. Each job adds to a field exactly what of it lies inside, by sums of differences along the row,
so that the table shows how busy every place was, whatever the numbers. Only what takes next to no time is given a
quarter of a field, lest it vanish. The table has one size, so no file grows with the trace. Cost: O(n + fields).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo.dag import Float64, Int64
from eligo.errors import EligoError
from eligo.graph import levels
from eligo.report._memory_curves import Use, check_use, draw_uses
from eligo.report._style import (
    BLACK,
    line_look,
    name_curves,
    new_figure,
    plain,
    shorten,
    styled,
    text_width,
    worth_stepping,
)
from eligo.trace import ANYWHERE, Lanes, Trace, lanes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "MAX_BARS",
    "MAX_LANES",
    "Bars",
    "Fill",
    "draw_bars",
    "merge_bars",
    "plot_gantt",
]

MAX_BARS = 3_000
"""With more jobs than this, bars are merged."""

MAX_LANES = 120
"""With more lanes than this, too."""

_COLUMNS, _ROWS = 930, 500
_SMALLEST = 0.25
_NAME_PT, _NAME_LETTERS, _MOST_NAMES = 6.5, 12, 500
_MOST_KINDS = 8
# The last is for all other kinds. Those next to each other differ in lightness, and hatches tell the rest apart.
_KINDS = ["#332288", "#e69f00", "#009e73", "#f0e442", "#cc3311", "#56b4e9", "#cc79a7", "#dddddd"]
_HATCHES = ["", "", "....", "", "xxxx", "////", "\\\\\\\\", "ooo"]


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Where jobs are drawn: from when to when, in which lane, and which of them have no end."""

    job: Int64
    start: Float64
    end: Float64
    lane: Int64
    open: NDArray[np.bool_]
    lanes: int


@dataclass(frozen=True, slots=True, eq=False)
class Fill:
    """How jobs are filled: colour and hatch of each, and what they mean, kinds or a scale from low to high."""

    colour: Float64
    hatch: Int64
    kinds: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    name: str = ""

    @classmethod
    def by_number(cls, numbers: ArrayLike, n: int, name: str) -> Fill:
        """Colour n jobs from dark to light by their numbers."""
        value = np.asarray(numbers)
        if value.shape != (n,) or value.dtype.kind not in "iuf" or not np.all(np.abs(value) < 1e300):
            raise EligoError(f"a shade must be one number for each of the {n} jobs")
        low, high = (float(value.min()), float(value.max())) if n else (0.0, 0.0)
        place = (value - low) / (high - low) if high > low else np.full(n, 0.5)
        return cls(shades()(place)[:, :3], np.zeros(n, np.int64), scale=(low, high) if high > low else None, name=name)

    @classmethod
    def by_kind(cls, words: Sequence[str], n: int) -> Fill:
        """Colour n jobs by their kinds, the most frequent each in a way of its own."""
        if len(words) != n:
            raise EligoError(f"there are kinds for {len(words)} jobs, not for {n}")
        names, first, of, counts = np.unique(
            np.array(words, object), return_index=True, return_inverse=True, return_counts=True
        )
        frequent = np.lexsort((first, -counts))
        shown = frequent if len(frequent) <= _MOST_KINDS else frequent[: _MOST_KINDS - 1]
        shown = shown[np.argsort(first[shown])]
        look = np.full(len(names), _MOST_KINDS - 1)
        look[shown] = np.arange(len(shown))
        kinds = tuple(str(names[kind]) for kind in shown)
        if len(names) > _MOST_KINDS:
            kinds = (*kinds, f"{len(names) - len(shown)} others")
        return cls(_rgb(_KINDS)[look[of]].reshape(n, 3), look[of].reshape(n), kinds=kinds)

    def samples(self) -> list[dict[str, Any]]:
        """Return how a bar of each kind looks."""
        pairs = zip(_KINDS, _HATCHES, strict=True)
        looks = [{"facecolor": colour, "hatch": hatch, "edgecolor": BLACK, "linewidth": 0.4} for colour, hatch in pairs]
        return looks[: len(self.kinds)]


def shades() -> Any:
    """Return the colours from dark to light, which differ as much in print without colour."""
    from matplotlib import colormaps

    return colormaps["cividis"]


def _rgb(colours: Sequence[str]) -> Float64:
    from matplotlib.colors import to_rgb

    return np.array([to_rgb(colour) for colour in colours])


def draw_bars(axes: Axes, bars: Bars, fill: Fill, names: Sequence[str], *, inches: tuple[float, float]) -> None:
    """Draw each job as a bar.

    Parameters
    ----------
    names
        The names of all jobs.
    inches
        How many inches a unit of time is wide, and a lane high.
    """
    from matplotlib.collections import PolyCollection

    corners = np.empty((len(bars.job), 4, 2))
    corners[:, [0, 3], 0], corners[:, [1, 2], 0] = bars.start[:, None], bars.end[:, None]
    corners[:, [0, 1], 1], corners[:, [2, 3], 1] = bars.lane[:, None] - 0.42, bars.lane[:, None] + 0.42
    wide_in = (bars.end - bars.start) * inches[0]
    # A frame must not fill a narrow bar; without duration, it is all that there is.
    frame = np.where(bars.end > bars.start, np.clip(0.12 * 72 * wide_in, 0.05, 0.4), 0.6)
    hatch = np.where(bars.open, -1, fill.hatch[bars.job])
    for group in np.unique(hatch).tolist():
        mine = hatch == group
        look: dict[str, Any] = {"facecolors": fill.colour[bars.job[mine]], "hatch": _HATCHES[group] or None}
        if group < 0:
            look = {"facecolors": "white", "hatch": "//////"}
        axes.add_collection(
            PolyCollection(corners[mine], edgecolors=BLACK, linewidths=frame[mine], label="bars", **look),
            autolim=False,
        )
    _write_names(axes, bars, fill, names, (wide_in, inches[1]))


def _write_names(axes: Axes, bars: Bars, fill: Fill, names: Sequence[str], inches: tuple[Float64, float]) -> None:
    wide_in, lane_in = inches
    size = min(_NAME_PT, 0.55 * 72 * lane_in)
    if size < 5:
        return
    largest = np.argsort(-wide_in, kind="stable")[:_MOST_NAMES]
    dark = fill.colour[bars.job] @ [0.3, 0.59, 0.11] < 0.5
    for i in sorted(largest[wide_in[largest] > 0.1].tolist()):
        name = plain(names[bars.job[i]])
        texts = [name, shorten(name, _NAME_LETTERS)] if len(name) <= 200 else [shorten(name, _NAME_LETTERS)]
        fitting = [text for text in texts if text_width(text, size) + 0.06 <= wide_in[i]]
        if fitting:
            free = fill.hatch[bars.job[i]] in (0, 1, 3) and not bars.open[i]
            axes.text(
                (bars.start[i] + bars.end[i]) / 2,
                bars.lane[i],
                fitting[0],
                parse_math=False,
                fontsize=size,
                color="white" if dark[i] and free else BLACK,
                ha="center",
                va="center_baseline",
                clip_on=True,
                **({} if free else {"bbox": {"facecolor": "white", "linewidth": 0, "pad": 0.5}}),
            )


def merge_bars(bars: Bars, fill: Fill, begin: float, end: float) -> NDArray[np.uint8]:
    """Return red, green and blue of a table of fields that shows how busy every place was, and with what.

    Examples
    --------
    A black job in the first half of the time:

    >>> job = Bars(np.array([0]), np.zeros(1), np.ones(1), np.array([0]), np.zeros(1, bool), 1)
    >>> fields = merge_bars(job, Fill(np.zeros((1, 3)), np.zeros(1, int)), 0.0, 2.0)
    >>> fields.shape, np.unique(fields[0, :465]).tolist(), np.unique(fields[0, 465:]).tolist()
    ((1, 930, 3), [0], [255])
    """
    rows = min(bars.lanes, _ROWS)
    row = bars.lane * rows // bars.lanes
    shared = np.bincount(np.arange(bars.lanes) * rows // bars.lanes, minlength=rows)[:, None]
    left = np.minimum((bars.start - begin) / (end - begin) * _COLUMNS, _COLUMNS - _SMALLEST)
    right = np.clip((bars.end - begin) / (end - begin) * _COLUMNS, left + _SMALLEST, _COLUMNS)
    busy = _add_up(row, left, right, np.ones(len(row)), rows) / shared
    most = np.minimum(busy, 1.0)
    weight = np.divide(most, busy, out=np.ones_like(busy), where=busy > 1)
    table = np.empty((rows, _COLUMNS, 3))
    for channel in range(3):
        light = _add_up(row, left, right, fill.colour[bars.job, channel], rows) / shared
        table[:, :, channel] = 1 - most + light * weight
    return np.rint(255 * np.clip(table, 0, 1)).astype(np.uint8)


def _add_up(row: Int64, left: Float64, right: Float64, value: Float64, rows: int) -> Float64:
    """Return for each field the sum of the values of jobs, each times the share of the field that it covers."""
    width = _COLUMNS + 2
    change = np.zeros(rows * width)
    for edge, sign in ((left, 1.0), (right, -1.0)):
        column = np.floor(edge).astype(np.int64)
        inside = edge - column  # what of the first field lies before the edge comes in the next one
        for step, part in ((0, 1 - inside), (1, inside)):
            change += sign * np.bincount(row * width + column + step, part * value, rows * width)
    covered: Float64 = np.cumsum(change.reshape(rows, width), axis=1)[:, :_COLUMNS]
    return np.maximum(covered, 0.0)


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
