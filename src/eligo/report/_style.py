"""One look for all figures, and files that are the same for the same input.

Colours are those of Okabe and Ito 2008, which colour-blind people tell apart, but no figure relies on colour: what
differs, differs also in fill, width or dashes. Figures are :class:`matplotlib.figure.Figure` objects, made without
pyplot, so no window system and no global state are touched; the user's own matplotlib settings are set aside while we
draw and save.

Text is text in SVG files (small, searchable, and drawn in any script the viewer knows), and in it no ``$`` begins a
formula and no character is a control character: job names are untrusted. Files carry no date and no random ids.

matplotlib is imported when the first figure is made, not before.

What lines in a plot look like, so that they differ without colour, and how many points of a long one are drawn.

Curves differ in dashes, marks and width as well as in colour, the first the widest, so that curves that coincide for a
while stay visible under each other. Of a curve with more points than a figure has dots, the smallest and the largest of
every few are drawn. Where points are not evenly spaced, as in time, these are all that lie in one narrow strip of the
figure, and the curve keeps its steps: a slope from one far point to the next would tell of values that never were.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Float64, Int64
from eligo.errors import EligoError, MissingExtraError
from eligo.formats._source import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BLACK",
    "BLUE",
    "COLOURS",
    "DASHES",
    "FONT_PT",
    "GREEN",
    "GREY",
    "MARKERS",
    "ORANGE",
    "PURPLE",
    "SKY",
    "VERMILLION",
    "drawstyle",
    "line_look",
    "name_curves",
    "new_figure",
    "picture_kind",
    "plain",
    "save",
    "set_title",
    "shorten",
    "styled",
    "text_width",
    "worth_drawing",
    "worth_stepping",
]

BLACK, GREY = "#000000", "#737373"
ORANGE, SKY, GREEN = "#e69f00", "#56b4e9", "#009e73"
BLUE, VERMILLION, PURPLE = "#0072b2", "#d55e00", "#cc79a7"

FONT_PT = 9.0

_SETTINGS: dict[str, Any] = {
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": FONT_PT,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "eligo",
}

_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw or save in our style, whatever the user's settings are; they come back afterwards."""
    try:
        from matplotlib import style
    except ImportError:
        raise MissingExtraError("matplotlib", "figures") from None
    with warnings.catch_warnings(), style.context(["default", _SETTINGS]):
        # A job may be named in a script that the measuring font lacks; whoever shows the SVG has its own fonts.
        warnings.filterwarnings("ignore", r"(?s)Glyph .* missing from", UserWarning)
        yield


def new_figure(width_in: float, height_in: float, **options: Any) -> Figure:
    """Return an empty figure of a size in inches.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> new_figure(4, 3).get_size_inches().tolist()
    [4.0, 3.0]
    """
    with styled():
        from matplotlib.figure import Figure

        return Figure(figsize=(width_in, height_in), **options)


def plain(text: str) -> str:
    r"""Return text that is safe in any figure: in one line, with no character that a file or a screen would obey.

    Examples
    --------
    >>> plain("two\nlines"), plain("\x1b[31m \u202egnp.exe")
    ('two lines', '\ufffd[31m \ufffdgnp.exe')
    """
    return "".join([c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text])


def shorten(text: str, most: int = 16) -> str:
    """Return text with its middle left out where it is long: names often differ only at their ends.

    Examples
    --------
    >>> shorten("mProjectPP_ID0000017", 12)
    'mProj…000017'
    """
    if len(text) <= most:
        return text
    return f"{text[: (most - 1) // 2]}…{text[-(most // 2) :]}"


@lru_cache(maxsize=10_000)
def text_width(text: str, size_pt: float = FONT_PT, bold: bool = False) -> float:
    """Return about how many inches wide a text is drawn.

    Examples
    --------
    >>> text_width("i") < text_width("w") < text_width("ww")
    True
    """
    from unicodedata import east_asian_width

    with styled():
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import text_to_path

        # The measuring font has no characters of full width; a dash is as wide as they are.
        known = "".join(["—" if east_asian_width(c) in "WF" else c for c in text])
        font = FontProperties(size=size_pt, weight="bold" if bold else "normal")
        width, _, _ = text_to_path.get_text_width_height_descent(known, font, ismath=False)
        return float(width) / 72.0


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as .svg, .png or .pdf; the file is replaced whole or not at all, and equal for equal figures.

    Raises
    ------
    EligoError
        The name ends in none of these, or the file cannot be written.

    Examples
    --------
    >>> save(new_figure(1, 1), "picture.jpeg")
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: picture.jpeg: not a kind of picture that can be written
    hint: end the name in .svg, .png or .pdf
    """
    name = os.fspath(path)
    kind = picture_kind(name)
    stream = io.BytesIO()
    with styled():
        figure.savefig(stream, format=kind, metadata=_METADATA[kind])
    replace_file(name, [stream.getvalue()])


def picture_kind(name: str) -> str:
    """Return which kind of picture a file's name asks for.

    Examples
    --------
    >>> picture_kind("gain.SVG")
    'svg'
    """
    kind = Path(name).suffix.lower().removeprefix(".")
    if kind not in _METADATA:
        raise EligoError(
            f"{name}: not a kind of picture that can be written", hint="end the name in .svg, .png or .pdf"
        )
    return kind


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
