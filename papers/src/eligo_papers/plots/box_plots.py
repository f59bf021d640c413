"""Box plots after Tukey: how a number is spread, for several methods side by side at each of several places.

The box reaches from the first quartile to the third, a line in it is the median, the whiskers reach to the last value
within one and a half box heights, and values beyond are marked one by one (marks that would cover each other once).

A value may be infinite, as the critical path of a method that failed is in paper 004: it counts in the quartiles, and
what reaches to infinity reaches to the upper edge of the plot. A median that is infinite is marked by a cross there.

Boxes differ in their hatching and their marks as well as in colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eligo.dag import Float64
from eligo.report._style import BLACK, COLOURS, GREY, MARKERS, name_curves, new_figure, plain, set_title, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Box", "plot_boxes", "quantile", "set_log", "tukey"]

_HATCHES = ("", "/////", "+++++", "\\\\\\\\\\", "xxxxx", "-----", "|||||")
_REACH = 1.5
_ROWS = 160  # of the plot: outliers of a box that lie in one of them are marked once
_MOST_MARKS = 400
_GROUP = 0.84  # of the room of a place, for its boxes


class Box(NamedTuple):
    """What a box shows.

    Attributes
    ----------
    low, first, median, third, high
        The end of the lower whisker, the quartiles, and the end of the upper whisker; any may be infinite.
    outliers
        The values beyond the whiskers, ascending; infinite ones only where the box itself is finite.
    size
        Of how many values it is.
    """

    low: float
    first: float
    median: float
    third: float
    high: float
    outliers: tuple[float, ...]
    size: int


def quantile(values: Iterable[float], share: float) -> float:
    """Return the value below which a share of the values lies, between two neighbours by linear interpolation.

    Where one of these is infinite there is nothing between them: the nearer is taken, of two equally near the finite.

    Examples
    --------
    >>> quantile([3, 1, 2, 4], 0.5), quantile([1, 2, float("inf")], 0.75), quantile([1, 2, float("inf")], 0.8)
    (2.5, 2.0, inf)
    """
    ascending = sorted(values)
    if not ascending:
        raise ValueError("there is no quantile of nothing")
    place = share * (len(ascending) - 1)
    below = math.floor(place)
    rest = place - below
    if rest == 0 or below + 1 == len(ascending):
        return float(ascending[below])
    low, high = ascending[below], ascending[below + 1]
    if math.isinf(high):
        return float(high if rest > 0.5 else low)
    return float(low + rest * (high - low))


def tukey(values: Iterable[float]) -> Box:
    """Return quartiles, whiskers and outliers.

    Examples
    --------
    >>> tukey([1, 2, 3, 4, 5, 20])
    Box(low=1.0, first=2.25, median=3.5, third=4.75, high=5.0, outliers=(20.0,), size=6)
    """
    ascending = sorted(map(float, values))
    first, median, third = (quantile(ascending, share) for share in (0.25, 0.5, 0.75))
    if math.isinf(third):  # no height: the box has no end, and nothing lies above it
        inside = [value for value in ascending if value <= first]
        return Box(inside[0], first, median, third, math.inf, (), len(ascending))
    reach = _REACH * (third - first)
    inside = [value for value in ascending if first - reach <= value <= third + reach]
    # A quartile may lie between two values, of which the outer is an outlier: the whisker then has no length.
    low, high = min(inside[0], first), max(inside[-1], third)
    outliers = tuple(value for value in ascending if value < low or value > high)
    return Box(low, first, median, third, high, outliers, len(ascending))


def plot_boxes(
    values: Mapping[str, Mapping[str, Iterable[float]]],
    *,
    across: str = "",
    up: str = "",
    log: bool = False,
    title: str = "",
) -> Figure:
    """Return box plots side by side.

    Parameters
    ----------
    values
        For each method, and each place on the axis by its name, the values. A method may lack places.
    across, up
        The names of the axes.
    log
        Whether the upright axis is logarithmic.

    Examples
    --------
    >>> figure = plot_boxes({"ours": {"0.2": [1, 2, 3], "0.4": [1, 1, 2]}, "theirs": {"0.2": [2, 3, 9]}}, up="path")
    >>> axes = figure.axes[0]
    >>> [text.get_text() for text in axes.get_legend().get_texts()], axes.get_ylabel()
    (['ours', 'theirs'], 'path')
    >>> [text.get_text() for text in axes.get_xticklabels()]
    ['0.2', '0.4']
    """
    places = list(dict.fromkeys(place for of_method in values.values() for place in of_method))
    boxes = {
        method: {place: tukey(some) for place in of_method if (some := list(of_method[place]))}
        for method, of_method in values.items()
    }
    if not any(boxes.values()):
        raise ValueError("no values to draw")
    with styled():
        figure = new_figure(max(6.4, 0.9 + 0.17 * len(places) * (len(boxes) + 1)), 4.0, layout="constrained")
        axes = figure.add_subplot()
        low, high = _range(boxes, log)
        if log:
            set_log(axes, "y")
        axes.set_ylim(low, high)
        marks = _worth_marking(axes, boxes, low, high)
        named = [
            (_draw_method(axes, of_method, places, marks[method], (number, len(boxes))), method)
            for number, (method, of_method) in enumerate(boxes.items())
        ]
        axes.set_xticks(range(len(places)), list(map(plain, places)))
        axes.set_xlim(-0.5, len(places) - 0.5)
        axes.grid(axis="x", visible=False)
        for edge in range(len(places) - 1):
            axes.axvline(edge + 0.5, color=GREY, linewidth=0.4)
        axes.set_xlabel(plain(across), parse_math=False)
        axes.set_ylabel(plain(up), parse_math=False)
        name_curves(axes, [name for _, name in named], [handle for handle, _ in named], beside=True)
        set_title(axes, title)
        return figure


def set_log(axes: Axes, *names: str) -> None:
    """Make axes logarithmic, ``x`` or ``y`` or both, with plain numbers at 1, 2 and 5 times powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for name in names:
        axes.set(**{f"{name}scale": "log"})
        axis = axes.xaxis if name == "x" else axes.yaxis
        axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())


def _range(boxes: Mapping[str, Mapping[str, Box]], log: bool) -> tuple[float, float]:
    """Return the ends of the upright axis: all that is finite, and a little room."""
    shown = [
        value
        for of_method in boxes.values()
        for box in of_method.values()
        for value in (*box[:5], *box.outliers)
        if math.isfinite(value)
    ] or [1.0]
    low, high = min(shown), max(shown)
    if log:
        room = (high / low) ** 0.06 if high > low else 1.1
        return low / room, high * room
    room = 0.06 * (high - low) or max(0.1 * abs(high), 0.1)
    return low - room, high + room


def _worth_marking(
    axes: Axes, boxes: Mapping[str, Mapping[str, Box]], low: float, high: float
) -> dict[str, dict[str, list[float]]]:
    """Return the outliers to mark: one in each row of the plot, in fewer rows where there are many."""

    def heights(values: list[float]) -> Float64:
        places = axes.transScale.transform(np.column_stack([np.zeros(len(values)), values]))
        found: Float64 = places[:, 1]
        return found

    bottom, top = heights([low, high])
    rows = _ROWS
    while True:
        marks: dict[str, dict[str, list[float]]] = {method: {} for method in boxes}
        for method, of_method in boxes.items():
            for place, box in of_method.items():
                finite = [value for value in box.outliers if math.isfinite(value)]
                row = np.floor((heights(finite) - bottom) / (top - bottom) * rows) if finite else np.empty(0)
                marks[method][place] = [finite[which] for which in np.unique(row, return_index=True)[1]]
        if rows == 1 or sum(len(some) for of in marks.values() for some in of.values()) <= _MOST_MARKS:
            return marks
        rows = rows * 3 // 4


def _draw_method(
    axes: Axes, boxes: Mapping[str, Box], places: list[str], marks: Mapping[str, list[float]], which: tuple[int, int]
) -> Any:
    """Draw the boxes of one method of so many, few objects in all; return what stands for it in the legend."""
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.patches import Patch

    number, methods = which
    colour, hatch = COLOURS[number % len(COLOURS)], _HATCHES[number % len(_HATCHES)]
    look: dict[str, Any] = {"facecolor": f"{colour}38", "edgecolor": colour, "hatch": hatch, "linewidth": 0.9}
    half = 0.42 * _GROUP / methods
    top = axes.get_ylim()[1]
    corners, medians, whiskers, failed = [], [], [], []
    points: list[tuple[float, float]] = []
    for place, box in boxes.items():
        x = places.index(place) + (number - (methods - 1) / 2) * _GROUP / methods
        low, first, median, third, high = (min(value, top) for value in box[:5])
        if math.isfinite(box.first):
            corners.append([(x - half, first), (x + half, first), (x + half, third), (x - half, third)])
            whiskers += [[(x, low), (x, first)], [(x, third), (x, high)]]
            whiskers += [[(x - half / 2, end), (x + half / 2, end)] for end in (low, high)]
        if math.isfinite(box.median):
            medians.append([(x - half, median), (x + half, median)])
        else:
            failed.append(x)
        points += [(x, value) for value in marks[place]]
    axes.add_collection(PolyCollection(corners, label="boxes", **look), autolim=False)
    axes.add_collection(LineCollection(whiskers, colors=colour, linewidths=0.9, label="whiskers"), autolim=False)
    axes.add_collection(LineCollection(medians, colors=BLACK, linewidths=1.6, label="medians"), autolim=False)
    mark: dict[str, Any] = {"linestyle": "none", "color": colour}
    if failed:
        cross = mark | {"marker": "X", "markersize": 5, "clip_on": False, "transform": axes.get_xaxis_transform()}
        axes.plot(failed, [0.985] * len(failed), label="failed", **cross)
    if points:
        mark |= {"marker": MARKERS[number % len(MARKERS)], "markersize": 2.2}
        axes.plot(*zip(*points, strict=True), label="outliers", markerfacecolor="none", markeredgewidth=0.6, **mark)
    return Patch(**look)
