"""How many more jobs orders keep ELIGIBLE than another, step by step, a panel for each dag.

This is the figure of Malewicz, Foster, Rosenberg and Wilde 2006, Fig. 4. There every dag has two plots, one of the
difference itself and one of the difference divided by the number of jobs. They are the same curve on two scales: here
it is drawn once, with the one scale on the left and the other on the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Int64
from eligo.errors import EligoError
from eligo.report._style import GREY, drawstyle, line_look, new_figure, plain, set_title, shorten, styled, worth_drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_differences"]

_PANEL_IN = 3.7, 2.5
_LEGEND_IN = 0.35
_COLUMNS = 2


def plot_differences(panels: Mapping[str, Mapping[str, ArrayLike]], *, than: str = "fifo", title: str = "") -> Figure:
    """Return a panel for each dag, in it a curve for each order: how many more jobs are ELIGIBLE than in another order.

    Parameters
    ----------
    panels
        For each dag, by name, and each order, by name, the differences after 0, 1, ..., n steps. The orders are the
        same in all panels.
    than
        What the other order is called.

    Examples
    --------
    >>> figure = plot_differences({"one": {"prio": [0, 2, 0, 0]}, "two": {"prio": [0, 1, -1, 0, 0]}})
    >>> [axes.get_title() for axes in figure.axes], figure.axes[0].get_ylabel()
    (['one', 'two'], 'more than fifo')
    """
    names = {tuple(curves) for curves in panels.values()}
    if len(names) != 1 or () in names:
        raise EligoError("the panels must have the same curves, at least one")
    rows = -(-len(panels) // _COLUMNS)
    columns = min(_COLUMNS, len(panels))
    with styled():
        width, height = columns * _PANEL_IN[0], rows * _PANEL_IN[1] + _LEGEND_IN + (0.3 if title else 0.0)
        figure = new_figure(width, height, layout="constrained")
        for i, (name, curves) in enumerate(panels.items()):
            _draw(
                figure.add_subplot(rows, columns, i + 1),
                name,
                {of: _values(of, of_all) for of, of_all in curves.items()},
            )
        for axes in figure.axes[::columns]:
            axes.set_ylabel(f"more than {plain(than)}", parse_math=False)
        for axes in figure.axes[-columns:]:
            axes.set_xlabel("jobs executed")
        if title:
            figure.suptitle(plain(title), fontweight="bold", fontsize=11, parse_math=False)
        lines = figure.axes[0].get_lines()[1:]
        legend = figure.legend(lines, [str(i) for i in range(len(lines))], loc="outside lower center", ncols=len(lines))
        for text, name in zip(legend.get_texts(), names.pop(), strict=True):
            text.set_text(shorten(plain(name), 40))
            text.set_parse_math(False)
        return figure


def _values(name: str, differences: ArrayLike) -> Int64:
    values = np.asarray(differences)
    if values.ndim != 1 or len(values) < 2 or values.dtype.kind not in "iu":
        raise EligoError(f"the differences of {name!r} must be two or more whole numbers")
    return values.astype(np.int64)


def _draw(axes: Axes, name: str, curves: Mapping[str, Int64]) -> None:
    axes.axhline(0, color=GREY, linewidth=0.8)
    for i, values in enumerate(curves.values()):
        steps = worth_drawing(values)
        axes.plot(steps, values[steps], drawstyle=drawstyle(len(values)), **line_look(i, len(curves), len(values)))
    if not any(values.any() for values in curves.values()):
        axes.set_ylim(-1, 1)
    set_title(axes, name)
    jobs = max(len(values) for values in curves.values()) - 1

    def divided(value: Any) -> Any:
        return value / jobs

    def multiplied(share: Any) -> Any:
        return share * jobs

    axes.secondary_yaxis("right", functions=(divided, multiplied))
