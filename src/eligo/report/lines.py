"""What lines in a plot look like, so that they differ without colour, and how many points of a long one are drawn.

Curves differ in dashes, marks and width as well as in colour, the first the widest, so that curves that coincide for a
while stay visible under each other. Of a curve with more points than a figure has dots, the smallest and the largest of
every few are drawn. Where points are not evenly spaced, as in time, these are all that lie in one narrow strip of the
figure, and the curve keeps its steps: a slope from one far point to the next would tell of values that never were.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Float64, Int64
from eligo.report.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "DASHES", "MARKERS", "drawstyle", "line_look", "name_curves", "set_title", "worth_drawing"]
__all__ += ["worth_stepping"]

COLOURS = [BLACK, VERMILLION, BLUE, GREEN, PURPLE, ORANGE, SKY]
DASHES: list[Any] = ["solid", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (8, 3)), (0, (3, 1, 1, 1, 1, 1))]
MARKERS = "os^Dvx"

_MARKED = 40
_STEPS = 500
_BINS = 1_000
_STRIPS = 500


def line_look(i: int, curves: int, points: int) -> dict[str, Any]:
    """Return how to draw the i-th of so many curves, with marks where it has few points.

    Examples
    --------
    >>> line_look(0, 1, 100)["marker"], line_look(1, 2, 10)["marker"]
    ('', 's')
    """
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": DASHES[i % len(DASHES)],
        "linewidth": max(1.4, 3.2 - 0.7 * i) if curves > 1 else 1.8,
        "marker": MARKERS[i % len(MARKERS)] if points <= _MARKED + 1 else "",
        "markersize": max(3.0, 6.0 - i),
        "markerfacecolor": "white" if i else None,
        "solid_joinstyle": "miter",
    }


def drawstyle(points: int) -> Any:
    """Return how to join points: by steps, unless these are too fine to be seen and would only fill the file."""
    return "steps-post" if points <= _STEPS + 1 else "default"


def worth_drawing(values: NDArray[Any]) -> Int64:
    """Return which points of a curve to draw: all, or of each few the smallest and the largest, and both ends.

    Examples
    --------
    >>> worth_drawing(np.array([3, 1, 2])).tolist(), len(worth_drawing(np.arange(10**6))) < 2_500
    ([0, 1, 2], True)
    """
    n = len(values)
    width = -(-n // _BINS)
    if width <= 2:
        return np.arange(n)
    rows = np.pad(values, (0, -n % width), mode="edge").reshape(-1, width)
    begin = np.arange(len(rows)) * width
    chosen = np.unique([*(begin + rows.argmin(axis=1)), *(begin + rows.argmax(axis=1)), 0, n - 1])
    return chosen[chosen < n]


def worth_stepping(time: Float64, values: NDArray[Any]) -> Int64:
    """Return which points of a curve of steps over time to draw: all, or of each strip first, least, largest and last.

    Examples
    --------
    >>> worth_stepping(np.array([0.0, 7.0]), np.array([3, 1])).tolist()
    [0, 1]
    >>> len(worth_stepping(np.linspace(0, 1, 10**5) ** 2, np.arange(10**5) % 7)) <= 4 * 501
    True
    """
    n = len(values)
    if n <= _STEPS or not time[-1] > time[0]:
        return np.arange(n)
    strip = ((time - time[0]) / (time[-1] - time[0]) * _STRIPS).astype(np.int64)
    first = np.flatnonzero(np.diff(strip, prepend=-1))
    last = np.append(first[1:], n) - 1
    by_value = np.lexsort((values, strip))  # in each strip from the least to the largest
    return np.unique(np.concatenate([first, last, by_value[first], by_value[last]]))


def name_curves(axes: Axes, names: Iterable[str], lines: Iterable[Any] | None = None, *, beside: bool = False) -> None:
    """Add a legend, where there is room or beside the plot.

    Names are set afterwards: it would leave out those that begin with an underscore.
    """
    shown = list(axes.get_lines() if lines is None else lines)
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if beside else {}
    legend = axes.legend(shown, [str(i) for i in range(len(shown))], handlelength=3.4, **place)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(shorten(plain(name), 40))
        text.set_parse_math(False)


def set_title(axes: Axes, title: str) -> None:
    """Set a title, if any, as plain text."""
    if title:
        axes.set_title(plain(title), parse_math=False, fontweight="bold")
