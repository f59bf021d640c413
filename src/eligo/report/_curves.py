"""Curves and tables: how many jobs schedules keep ELIGIBLE step by step, and the table in which a sweep finds its path.

A profile E(0), ..., E(n) is drawn as steps: E(t) holds from step t until step t + 1.

The table of 2-IC-Sweep (Cordasco, Malewicz and Rosenberg 2010, section 3.1) has a row for every number of nonsinks
executed of the first dag, a column for the second, and in each field the sum of their yields. Fields on one rising
diagonal take equally many steps; those that are largest on their diagonal are boxed. The sum has an IC-optimal schedule
just if a path of steps down and right leads from corner to corner through boxed fields only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Int64
from eligo.errors import EligoError
from eligo.report._style import (
    BLACK,
    BLUE,
    GREY,
    VERMILLION,
    drawstyle,
    line_look,
    name_curves,
    new_figure,
    plain,
    set_title,
    styled,
    text_width,
    worth_drawing,
)
from eligo.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MAX_FIELDS", "plot_gain", "plot_profiles", "plot_sweep"]

MAX_FIELDS = 2_500
"""A table with more fields is refused: nobody could read it."""

_FIELD_IN = 0.36


def plot_profiles(profiles: Mapping[str, Schedule | ArrayLike], *, title: str = "") -> Figure:
    """Return the eligibility profiles of schedules as curves of steps.

    Parameters
    ----------
    profiles
        For each name a schedule, or its profile E(0), ..., E(n).

    Examples
    --------
    >>> figure = plot_profiles({"best": [2, 3, 2, 1, 0], "worst": [2, 1, 2, 1, 0]})
    >>> axes = figure.axes[0]
    >>> axes.get_xlabel(), axes.get_ylabel(), [text.get_text() for text in axes.get_legend().get_texts()]
    ('jobs executed', 'ELIGIBLE jobs', ['best', 'worst'])
    """
    curves = {name: _profile(name, profile) for name, profile in profiles.items()}
    if not curves:
        raise ValueError("no profiles to draw")
    with styled():
        figure = new_figure(6.4, 3.8, layout="constrained")
        axes = figure.add_subplot()
        for i, profile in enumerate(curves.values()):
            _draw_steps(axes, profile, i, len(curves))
        _name_axes(axes, max(len(profile) for profile in curves.values()) - 1, title)
        if len(curves) > 1 or next(iter(curves)):
            name_curves(axes, curves)
        return figure


def plot_gain(
    ours: Schedule | ArrayLike,
    fifo: Schedule | ArrayLike,
    bound: ArrayLike | None = None,
    *,
    name: str = "this order",
    title: str = "",
) -> Figure:
    """Return what an order gains over FIFO: both profiles, with what no order exceeds, and below their difference.

    Parameters
    ----------
    bound
        For every step 0..n a number of ELIGIBLE jobs that no order exceeds.
    name
        What the order is called.

    Examples
    --------
    >>> figure = plot_gain([2, 3, 2, 1, 0], [2, 1, 2, 1, 0], [2, 3, 2, 1, 0])
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['ELIGIBLE jobs', 'more than fifo']
    """
    if name in ("fifo", "bound"):  # a curve of its own, whatever made it
        name = f"this order ({name})"
    curves = {name: _profile(name, ours), "fifo": _profile("fifo", fifo)}
    if bound is not None:
        curves["bound"] = _profile("bound", bound)
    lengths = {len(profile) for profile in curves.values()}
    if len(lengths) > 1:
        raise ValueError("profiles of one dag have as many steps as each other")
    n = lengths.pop() - 1
    with styled():
        figure = new_figure(6.4, 5.4, layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
        if bound is not None:  # below the others, which may cover it
            above.plot(*_points(curves["bound"]), color=GREY, linewidth=0.9, dashes=(4, 2), drawstyle=drawstyle(n + 1))
        for i, profile in enumerate(list(curves.values())[:2]):
            _draw_steps(above, profile, i, 2)
        lines = above.get_lines()
        name_curves(above, curves, [*lines[-2:], *lines[:-2]])
        _draw_difference(below, curves[name] - curves["fifo"])
        _name_axes(above, n, title)
        _name_axes(below, n, "")
        above.set_xlabel("")
        below.set_ylabel("more than fifo")
        below.autoscale(axis="y")
        if np.array_equal(curves[name], curves["fifo"]):
            below.set_ylim(-1, 1)
        return figure


def _draw_difference(axes: Axes, difference: Int64) -> None:
    steps, values = _points(difference)
    axes.axhline(0, color=GREY, linewidth=0.8)
    step: Any = "post" if drawstyle(len(difference)) == "steps-post" else None
    for side, colour in ((values > 0, BLUE), (values < 0, VERMILLION)):
        axes.fill_between(steps, np.where(side, values, 0), 0, step=step, color=colour, alpha=0.35, linewidth=0)
    axes.plot(steps, values, color=BLACK, linewidth=1.2, drawstyle=drawstyle(len(difference)))


def _profile(name: str, profile: Schedule | ArrayLike) -> Int64:
    values = profile.profile if isinstance(profile, Schedule) else np.asarray(profile)
    if values.ndim != 1 or not values.size or values.dtype.kind not in "iu":
        raise ValueError(f"the profile {name!r} must be a list of whole numbers, E(0) to E(n)")
    return values.astype(np.int64)


def _draw_steps(axes: Axes, profile: Int64, i: int, curves: int) -> None:
    axes.plot(*_points(profile), drawstyle=drawstyle(len(profile)), **line_look(i, curves, len(profile)))


def _points(profile: Int64) -> tuple[Int64, Int64]:
    steps = worth_drawing(profile)
    return steps, profile[steps]


def _name_axes(axes: Axes, n: int, title: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel("jobs executed")
    axes.set_ylabel("ELIGIBLE jobs")
    axes.set_xlim(-0.02 * max(n, 1), 1.02 * max(n, 1))
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    set_title(axes, title)


def plot_sweep(
    e1: ArrayLike,
    e2: ArrayLike,
    path: Iterable[tuple[int, int]] | None = None,
    *,
    best: ArrayLike | None = None,
    names: tuple[str, str] = ("first dag", "second dag"),
    title: str = "",
) -> Figure:
    """Return the table of 2-IC-Sweep: the sums e1(i) + e2(j), the largest on each diagonal boxed, and a path.

    Parameters
    ----------
    e1, e2
        The yields of the two dags: for 0, 1, ... nonsinks executed in an optimal order the number of nonsources whose
        parents are all executed.
    path
        The fields (i, j) of a path from (0, 0), each one further down or right than the one before.
    best
        For each diagonal i + j = 0, 1, ... the value that is boxed; by default the largest on it.

    Examples
    --------
    Table 2 of the paper; two fields are boxed on the third diagonal:

    >>> figure = plot_sweep([0, 4, 6], [0, 3, 5], [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)])
    >>> [len(boxes.get_paths()) for boxes in figure.axes[0].collections if boxes.get_label() == "boxes"]
    [6]
    """
    first, second = (_profile(name, e) for name, e in zip(names, (e1, e2), strict=True))
    if len(first) * len(second) > MAX_FIELDS:
        raise EligoError(
            f"a table of {len(first):,} by {len(second):,} fields cannot be read",
            hint=f"draw smaller dags, up to {MAX_FIELDS:,} fields",
        )
    table = first[:, None] + second[None, :]
    largest = _diagonal_maxima(table) if best is None else np.asarray(best)
    if len(largest) != len(first) + len(second) - 1:
        raise ValueError(f"best must have {len(first) + len(second) - 1} values, one for each diagonal")
    steps = _check_path(path, table.shape)
    with styled():
        return _draw_table(table, largest, steps, (plain(names[0]), plain(names[1])), plain(title))


def _diagonal_maxima(table: Int64) -> Int64:
    i, j = np.indices(table.shape)
    largest = np.full(sum(table.shape) - 1, np.iinfo(np.int64).min)
    np.maximum.at(largest, i + j, table)
    return largest


def _check_path(path: Iterable[tuple[int, int]] | None, shape: tuple[int, ...]) -> Int64:
    steps = np.array([] if path is None else list(path), np.int64).reshape(-1, 2)
    if len(steps):
        moves = np.diff(steps, axis=0)
        if steps.min() < 0 or np.any(steps.max(axis=0) >= shape) or np.any(moves < 0) or np.any(moves.sum(axis=1) != 1):
            raise ValueError("a path goes through fields of the table, one down or right at a time")
    return steps


def _draw_table(table: Int64, largest: Int64, path: Int64, names: tuple[str, str], title: str) -> Figure:
    """Draw fields of one size, in inches from the upper left corner."""
    from matplotlib.collections import PolyCollection

    rows, columns = table.shape
    field = max(_FIELD_IN, text_width(str(int(table.max()))) + 0.14)
    left, top = 0.75, 0.75 + (0.3 if title else 0.0)
    width = max(
        left + columns * field + 0.2, text_width(title, 11, bold=True) + 0.3, left + text_width(names[1], 10) + 0.2
    )
    height = max(top + rows * field + 0.2, top + text_width(names[0], 10) + 0.2)
    figure = new_figure(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()

    def centre(i: Any, j: Any) -> tuple[Any, Any]:
        return left + (j + 0.5) * field, top + (i + 0.5) * field

    def write(x: float, y: float, text: str, **look: Any) -> None:
        axes.text(x, y, text, parse_math=False, **{"ha": "center", "va": "center_baseline", **look})

    boxed = np.argwhere(table == largest[np.add.outer(np.arange(rows), np.arange(columns))])
    half = field / 2 - 0.04
    corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    boxes = [corners + centre(i, j) for i, j in boxed.tolist()]
    axes.add_collection(PolyCollection(boxes, facecolors="#fbf3b8", edgecolors=BLACK, linewidths=1.2, label="boxes"))
    if len(path):
        x, y = centre(path[:, 0], path[:, 1])
        axes.plot(x, y, color=VERMILLION, linewidth=7, alpha=0.35, solid_capstyle="round", label="path", zorder=1.5)
    strong = {tuple(place) for place in boxed.tolist()}
    for i, j in np.ndindex(rows, columns):
        inside = (i, j) in strong
        write(*centre(i, j), str(table[i, j]), color=BLACK if inside else GREY, weight="bold" if inside else "normal")
    for i in range(rows):
        write(left - 0.16, centre(i, 0)[1], str(i), color=BLUE)
    for j in range(columns):
        write(centre(0, j)[0], top - 0.16, str(j), color=BLUE)
    axes.plot([left, left, left + columns * field], [top + rows * field, top, top], color=GREY, linewidth=0.8)
    write(left + columns * field / 2, top - 0.45, names[1], fontsize=10)
    write(0.22, top + rows * field / 2, names[0], fontsize=10, rotation=90, va="center")
    if title:
        write(width / 2, 0.22, title, fontsize=11, weight="bold")
    return figure
