"""Clouds of points: one number against another, a mark and a colour for each method.

Points of a method that would cover each other are drawn once, so that a figure of many thousand stays small: the plot
is divided into cells, the finest division that leaves few enough of them occupied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from eligo.dag import Float64
from eligo.report._style import COLOURS, GREY, MARKERS, name_curves, new_figure, plain, set_title, styled
from eligo_papers.plots.box_plots import set_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MOST_MARKS", "plot_scatter", "worth_marking"]

MOST_MARKS = 650
"""How many marks are drawn at most, of all methods together."""

_FINEST = 400


def plot_scatter(
    points: Mapping[str, Iterable[tuple[float, float]]],
    *,
    across: str = "",
    up: str = "",
    log: bool = False,
    equal_line: bool = False,
    title: str = "",
) -> Figure:
    """Return one number against another, for several methods.

    Parameters
    ----------
    points
        For each method its points; those that are not finite are left out.
    across, up
        The names of the axes.
    log
        Whether both axes are logarithmic.
    equal_line
        Whether a line shows where both numbers are equal.

    Examples
    --------
    >>> figure = plot_scatter({"ours": [(1, 2), (2, 2)], "theirs": [(3, 4)]}, across="path", up="makespan")
    >>> axes = figure.axes[0]
    >>> [line.get_xdata().tolist() for line in axes.get_lines()]
    [[1.0, 2.0], [3.0]]
    >>> [text.get_text() for text in axes.get_legend().get_texts()], axes.get_xlabel()
    (['ours', 'theirs'], 'path')
    """
    clouds = {name: _cloud(some) for name, some in points.items()}
    if not any(map(len, clouds.values())):
        raise ValueError("no points to draw")
    chosen = worth_marking(list(clouds.values()), log=log)
    with styled():
        figure = new_figure(6.8, 4.2, layout="constrained")
        axes = figure.add_subplot()
        if log:
            set_log(axes, "x", "y")
        for number, cloud in enumerate(chosen):
            look: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
            look |= {"linestyle": "none", "markersize": 3.6, "markerfacecolor": "none", "markeredgewidth": 0.8}
            axes.plot(cloud[:, 0], cloud[:, 1], **look)
        marks = list(axes.get_lines())
        if equal_line:
            everything = np.concatenate(chosen)
            ends = [everything.min(axis=0).max(), everything.max(axis=0).min()]  # as far as both axes have points
            if ends[0] < ends[1]:
                axes.plot(ends, ends, color=GREY, linewidth=0.9, dashes=(4, 2), zorder=1)
        axes.set_xlabel(plain(across), parse_math=False)
        axes.set_ylabel(plain(up), parse_math=False)
        name_curves(axes, list(clouds), marks, beside=True)
        set_title(axes, title)
        return figure


def worth_marking(clouds: list[Float64], *, log: bool = False, most: int = MOST_MARKS) -> list[Float64]:
    """Return of each cloud the points to draw: all, or one of each cell of the plot that any lies in.

    Examples
    --------
    >>> few = worth_marking([np.array([[0.0, 0.0], [1e-9, 0.0], [1.0, 1.0]])], most=2)
    >>> few[0].tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    if sum(map(len, clouds)) <= most:
        return clouds
    places = [np.log(cloud) if log else cloud for cloud in clouds]
    everything = np.concatenate(places)
    low = everything.min(axis=0)
    extent = np.maximum(everything.max(axis=0) - low, 1e-300)
    cells = _FINEST
    while True:
        chosen = [_one_a_cell((place - low) / extent, cells) for place in places]
        if cells <= 1 or sum(map(len, chosen)) <= most:
            return [cloud[which] for cloud, which in zip(clouds, chosen, strict=True)]
        cells = cells * 4 // 5


def _cloud(points: Iterable[tuple[float, float]]) -> Float64:
    cloud: Float64 = np.array([*points], np.float64).reshape(-1, 2)
    return cloud[np.isfinite(cloud).all(axis=1)]


def _one_a_cell(places: Float64, cells: int) -> np.ndarray:
    """Return the first point of each cell, in the order of the points."""
    cell = np.floor(places * cells).astype(np.int64)
    return np.sort(np.unique(cell[:, 0] * (cells + 2) + cell[:, 1], return_index=True)[1])
