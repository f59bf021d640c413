"""How work or time grows with size: curves over logarithmic axes, on which a power of the size is a straight line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from eligo.report._style import GREY, line_look, name_curves, new_figure, plain, set_title, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_growth"]


def plot_growth(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    across: str = "size",
    up: str = "work",
    powers: Sequence[int] = (),
    title: str = "",
) -> Figure:
    """Return curves of positive numbers over sizes, both axes logarithmic.

    Parameters
    ----------
    curves
        For each name the sizes, and a number for each of them.
    across, up
        What the axes show.
    powers
        Straight lines of these powers of the size are drawn too, through the first point of the first curve.

    Examples
    --------
    >>> figure = plot_growth({"naive": ([8, 16], [512, 4096])}, across="sources", powers=[3])
    >>> axes = figure.axes[0]
    >>> axes.get_xscale(), axes.get_yscale(), [text.get_text() for text in axes.get_legend().get_texts()]
    ('log', 'log', ['naive', 'power 3'])
    """
    points = {name: (np.asarray(x, np.float64), np.asarray(y, np.float64)) for name, (x, y) in curves.items()}
    if not points or any(len(x) != len(y) or not len(x) or min(x.min(), y.min()) <= 0 for x, y in points.values()):
        raise ValueError("every curve needs sizes and as many numbers, all positive")
    with styled():
        figure = new_figure(6.4, 4.2, layout="constrained")
        axes = figure.add_subplot(xscale="log", yscale="log")
        for i, (x, y) in enumerate(points.values()):
            axes.plot(x, y, **line_look(i, len(points), len(x)))
        x, y = next(iter(points.values()))
        for power in powers:
            axes.plot(x, y[0] * (x / x[0]) ** power, color=GREY, linewidth=0.8, dashes=(1, 1 + power))
        axes.set_xlabel(plain(across), parse_math=False)
        axes.set_ylabel(plain(up), parse_math=False)
        set_title(axes, title)
        name_curves(axes, [*points, *(f"power {power}" for power in powers)])
        return figure
