"""One look for all figures, and files that are the same for the same input.

Colours are those of Okabe and Ito 2008, which colour-blind people tell apart, but no figure relies on colour: what
differs, differs also in fill, width or dashes. Figures are :class:`matplotlib.figure.Figure` objects, made without
pyplot, so no window system and no global state are touched; the user's own matplotlib settings are set aside while we
draw and save.

Text is text in SVG files (small, searchable, and drawn in any script the viewer knows), and in it no ``$`` begins a
formula and no character is a control character: job names are untrusted. Files carry no date and no random ids.

matplotlib is imported when the first figure is made, not before.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eligo.errors import EligoError, MissingExtraError
from eligo.formats.storage import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BLACK", "BLUE", "FONT_PT", "GREEN", "GREY", "ORANGE", "PURPLE", "SKY", "VERMILLION"]
__all__ += ["new_figure", "picture_kind", "plain", "save", "shorten", "styled", "text_width"]

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
