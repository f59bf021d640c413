"""Curves of memory: what limits cost, what executions occupy over time, and what limits do to the makespan.

Memory and disk are drawn in the decimal unit that suits the largest value; counted things, such as pebbles, as they
are. Limits and peaks are straight lines, each in dashes of its own, with its value in the legend. A limit for which
there is no answer (``nan``) is a cross at the upper edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Float64, Int64
from eligo.formats._numbers import format_size
from eligo.report._style import (
    BLACK,
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    MARKERS,
    PURPLE,
    VERMILLION,
    line_look,
    name_curves,
    new_figure,
    plain,
    set_title,
    styled,
    worth_stepping,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Use", "check_use", "draw_uses", "plot_limits", "plot_makespan", "plot_memory"]

_LINES: dict[str, tuple[str, Any]] = {
    "lower bound": (GREY, (0, (1, 1.5))),
    "one job at a time": (BLUE, (0, (6, 1.5, 1, 1.5))),
    "limit": (GREEN, (0, (8, 3))),
    "worst peak": (PURPLE, "solid"),
}
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")

_Named = list[tuple[Any, str]]
Use = tuple[Float64, Int64]
"""Times, and what is occupied from each of them on."""


def plot_limits(
    points: Iterable[tuple[int, float, str]],
    *,
    worst_peak: int | None = None,
    sequential_peak: int | None = None,
    lower_bound: int | None = None,
    critical_path: float | None = None,
    in_seconds: bool = True,
    resource: str = "memory",
    unit: str = "bytes",
    title: str = "",
) -> Figure:
    """Return what limits cost: the critical path of the dag that keeps a limit, against the limit.

    The line is the best that is known within each limit; several methods may have points at one.

    Parameters
    ----------
    points
        Limits, the critical path that each leads to (``nan`` where none was found) and the method that found it.
    worst_peak, sequential_peak, lower_bound
        What no execution exceeds, what one job at a time needs, and what none can do with less than.
    critical_path
        The one without a limit.
    in_seconds
        Whether paths are in seconds, or in jobs.
    resource
        What the limit is of: ``memory`` or ``disk``.
    unit
        What it is counted in: ``bytes``, or a word that is written as it is.

    Examples
    --------
    >>> figure = plot_limits([(4_000, 9.0, "auto"), (6_000, 7.0, "auto")], worst_peak=11_000, sequential_peak=4_000)
    >>> axes = figure.axes[0]
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('memory limit (kB)', 'critical path (s)')
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['auto', 'one job at a time: 4 kB', 'worst peak: 11 kB']
    """
    rows = sorted(points, key=lambda row: row[0])
    if not rows:
        raise ValueError("no limits to draw")
    limit = _amounts([row[0] for row in rows], "limits")
    path = np.array([row[1] for row in rows], np.float64)
    upright = {"lower bound": lower_bound, "one job at a time": sequential_peak, "worst peak": worst_peak}
    scale, word = _scale([*limit.tolist(), *upright.values()], unit)
    with styled():
        figure = new_figure(8.4, 4.0, layout="constrained")
        axes = figure.add_subplot()
        known = np.isfinite(path)
        best = np.minimum.accumulate(path[known])  # what keeps a limit keeps every larger one
        axes.plot(limit[known] / scale, best, color=BLACK, linewidth=1.2, drawstyle="steps-post", zorder=1.9)
        named = _draw_methods(axes, limit / scale, path, [row[2] for row in rows])
        if critical_path is not None:
            line = axes.axhline(critical_path, color=GREY, linewidth=1.0, dashes=(8, 3))
            named.append((line, f"without a limit: {critical_path:g}{' s' if in_seconds else ''}"))
        named += _mark_missing(axes, limit[~known] / scale)
        named += _draw_amounts(axes, upright, scale, unit, upright=True)
        axes.set_xlabel(f"{plain(resource)} limit ({word})", parse_math=False)
        axes.set_ylabel(f"critical path ({'s' if in_seconds else 'jobs'})")
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
        axes.set_ylim(0, max(1.0, 1.05 * float(path[known].max(initial=0.0)), axes.get_ylim()[1]))
        _finish(axes, named, title, beside=True)
        return figure


def plot_memory(
    uses: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    limit: int | None = None,
    worst_peak: int | None = None,
    resource: str = "memory",
    unit: str = "bytes",
    across: str = "time (s)",
    title: str = "",
) -> Figure:
    """Return what executions occupy over time, as curves of steps.

    Parameters
    ----------
    uses
        For each name the times and what is occupied from each of them on, such as a ``simulation.MemoryUse``. Values
        may share a time: all are drawn.
    limit, worst_peak
        What is not to be exceeded, and what no execution exceeds.
    across
        What the first array holds, if not times: ``jobs executed``, for one.

    Examples
    --------
    >>> figure = plot_memory({"as it is": ([0, 1, 2], [0, 9, 0]), "limited": ([0, 2, 4], [0, 5, 0])}, limit=6)
    >>> axes = figure.axes[0]
    >>> axes.get_xlabel(), axes.get_ylabel(), [text.get_text() for text in axes.get_legend().get_texts()]
    ('time (s)', 'memory (bytes)', ['as it is', 'limited', 'limit: 6 B'])
    """
    curves = {name: check_use(name, *use) for name, use in uses.items()}
    if not curves:
        raise ValueError("no executions to draw")
    with styled():
        figure = new_figure(6.4, 3.8, layout="constrained")
        axes = figure.add_subplot()
        named = draw_uses(axes, curves, {"limit": limit, "worst peak": worst_peak}, resource=resource, unit=unit)
        axes.set_xlabel(plain(across), parse_math=False)
        _finish(axes, named, title)
        return figure


def draw_uses(
    axes: Axes, curves: Mapping[str, Use], level: Mapping[str, int | None], *, resource: str, unit: str
) -> _Named:
    """Draw what executions occupy and what they must not exceed; return the lines to be named and their names."""
    scale, word = _scale([*(int(size.max()) for _, size in curves.values()), *level.values()], unit)
    for i, (time, size) in enumerate(curves.values()):
        chosen = worth_stepping(time, size)
        look = line_look(i, len(curves), len(size)) | {"marker": "", "linewidth": max(1.2, 2.0 - 0.6 * i)}
        axes.plot(time[chosen], size[chosen] / scale, drawstyle="steps-post", **look)
    named = list(zip(axes.get_lines(), curves, strict=True)) if len(curves) > 1 or next(iter(curves)) else []
    named += _draw_amounts(axes, level, scale, unit, upright=False)
    axes.set_ylabel(f"{plain(resource)} ({word})", parse_math=False)
    axes.set_ylim(0, max(1.0 / scale, axes.get_ylim()[1]))
    return named


def plot_makespan(
    limits: ArrayLike,
    makespans: Mapping[int | None, ArrayLike],
    *,
    originals: Mapping[int | None, float],
    sequential_peak: int,
    worst_peak: int,
    title: str = "",
) -> Figure:
    """Return what limits do to the makespan on several numbers of processors, as Fig. 7 of paper 004 has it.

    A limit of 0 is what one job at a time needs, 1 is the worst peak. Makespans are divided by those of the dag without
    a limit, on as many processors.

    Parameters
    ----------
    makespans
        For each number of processors (``None`` for as many as jobs) the makespan under each limit, ``nan`` where none.
    originals
        For each of them the makespan without a limit.

    Examples
    --------
    >>> figure = plot_makespan(
    ...     [5, 7, 11], {2: [8, 6, 6], None: [6, 4, 3]}, originals={2: 6, None: 3}, sequential_peak=5, worst_peak=11
    ... )
    >>> [line.get_ydata().tolist() for line in figure.axes[0].get_lines()[:2]]
    [[1.3333333333333333, 1.0, 1.0], [2.0, 1.3333333333333333, 1.0]]
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['2 processors', 'as many as jobs']
    """
    limit = _amounts(limits, "limits")
    if not makespans or not len(limit):
        raise ValueError("no makespans to draw")
    curves = {count: _ratios(count, values, originals, len(limit)) for count, values in makespans.items()}
    order = np.argsort(limit, kind="stable")
    place = (limit[order] - sequential_peak) / max(worst_peak - sequential_peak, 1)
    with styled():
        figure = new_figure(6.4, 4.0, layout="constrained")
        axes = figure.add_subplot()
        named: _Named = []
        for i, (count, ratio) in enumerate(curves.items()):
            known = np.isfinite(ratio[order])
            named += zip(
                axes.plot(place[known], ratio[order][known], **line_look(i, len(curves), len(place))),
                [_processors(count)],
                strict=True,
            )
        missing = ~np.all([np.isfinite(ratio[order]) for ratio in curves.values()], axis=0)
        named += _mark_missing(axes, place[missing])
        axes.axhline(1, color=GREY, linewidth=0.8, zorder=1)
        axes.set_xlabel("memory limit (0: one job at a time, 1: worst peak)")
        axes.set_ylabel("makespan / makespan without a limit")
        _finish(axes, named, title)
        return figure


def _draw_methods(axes: Axes, limit: Float64, path: Float64, methods: list[str]) -> _Named:
    """Mark the points, those of each method in its own way."""
    named: _Named = []
    for i, method in enumerate(dict.fromkeys(methods)):  # in the order of their first limit
        mine = np.array([other == method for other in methods]) & np.isfinite(path)
        look: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}
        look |= {"linestyle": "none", "markersize": 6.0, "markerfacecolor": "white" if i % 2 else None}
        if mine.any():
            named += [(line, method) for line in axes.plot(limit[mine], path[mine], **look) if method]
    return named


def _mark_missing(axes: Axes, place: Float64) -> _Named:
    """Put a cross at the upper edge wherever there is no answer."""
    if not len(place):
        return []
    look: dict[str, Any] = {"color": VERMILLION, "marker": "X", "linestyle": "none", "clip_on": False}
    lines = axes.plot(place, np.full(len(place), 0.98), transform=axes.get_xaxis_transform(), **look)
    return [(line, "none found") for line in lines]


def _draw_amounts(axes: Axes, amounts: Mapping[str, int | None], scale: int, unit: str, *, upright: bool) -> _Named:
    named: _Named = []
    for name, amount in amounts.items():
        if amount is not None:
            colour, dashes = _LINES[name]
            draw = axes.axvline if upright else axes.axhline
            line = draw(amount / scale, color=colour, linestyle=dashes, linewidth=1.4, zorder=1.8)
            named.append((line, f"{name}: {format_size(amount) if unit == 'bytes' else f'{amount:,} {unit}'}"))
    return named


def _finish(axes: Axes, named: _Named, title: str, *, beside: bool = False) -> None:
    if named:
        name_curves(axes, [name for _, name in named], [line for line, _ in named], beside=beside)
    set_title(axes, title)


def _scale(amounts: Iterable[int | None], unit: str) -> tuple[int, str]:
    """Return what to divide amounts by, and the name of the unit they are then in."""
    if unit != "bytes":
        return 1, plain(unit)
    most = max((amount for amount in amounts if amount is not None), default=0)
    power = min(max(len(str(most)) - 1, 0) // 3, len(_UNITS) - 1)
    return int(1000**power), _UNITS[power]


def _amounts(values: ArrayLike, what: str) -> Int64:
    amounts = np.asarray(values)
    if amounts.ndim != 1 or (amounts.size and amounts.dtype.kind not in "iu"):
        raise ValueError(f"{what} must be a list of whole numbers")
    return amounts.astype(np.int64)


def check_use(name: str, times: ArrayLike, sizes: ArrayLike) -> Use:
    """Return times and sizes as arrays, of which there must be as many, in order."""
    time, size = np.asarray(times, np.float64), _amounts(sizes, f"the sizes of {name!r}")
    if time.shape != size.shape or not len(time) or np.any(np.diff(time) < 0):
        raise ValueError(f"{name!r} must have one size for each time, and times in order")
    return time, size


def _ratios(count: int | None, values: ArrayLike, originals: Mapping[int | None, float], limits: int) -> Float64:
    ratio: Float64 = np.asarray(values, np.float64)
    original = originals.get(count, math.nan)
    if ratio.shape != (limits,) or not original > 0:
        raise ValueError(f"{_processors(count)}: give one makespan for each limit and the one without a limit")
    return ratio / original


def _processors(count: int | None) -> str:
    if count is None:
        return "as many as jobs"
    return "1 processor" if count == 1 else f"{count:,} processors"
