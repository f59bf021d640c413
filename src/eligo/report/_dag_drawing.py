"""How a dag is drawn: shapes, arrows and labels, in any state and with any groups.

Everything is measured in inches, y growing downwards, so arrows can be cut off at the rims of jobs without asking a
renderer, and several panels of a sheet share one :class:`Drawing`. All jobs are as large as the widest label needs.
Rows are further apart where arrows are flat, so that these stay apart too. A picture that would be larger than
``MAX_INCHES`` shrinks as a whole, down to where labels could not be read and are left out.

The outlines of jobs and the arrows between them, in inches.

A job is a disc, or a box where labels are too long for one; all jobs of a picture have one shape. An arrow runs between
the rims of two shapes, straight or as a smooth curve through bends, and ends in a head of its own, so that both can be
placed exactly and no renderer has to be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eligo.dag import Dag, Float64, Int64
from eligo.report._layout import Layout, place_jobs
from eligo.report._style import BLACK, BLUE, FONT_PT, GREY, VERMILLION, plain, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

__all__ = [
    "GAP_IN",
    "HEAD_IN",
    "LOOKS",
    "MAX_INCHES",
    "Drawing",
    "Group",
    "Look",
    "Shape",
    "arrow",
    "stamp",
    "write",
]

GAP_IN = 0.22
"""What jobs of one row keep free between each other."""

HEAD_IN = 0.09
_HEAD_HALF = 0.035
_ROUNDING = 0.07
_CORNER_POINTS = 12
_CLEAR_IN = 0.012
_FLATTEST_BEND = 0.8
_STRAIGHT = 0.02


@dataclass(frozen=True, slots=True)
class Shape:
    """The outline of a job around its centre.

    Examples
    --------
    >>> Shape.disc(0.2).rim(np.array([0.0, 2.0])), Shape(0.5, 0.1, 0.05).rim(np.array([0.0, 2.0]))
    (0.2, 0.1)
    """

    half_width: float
    half_height: float
    rounding: float

    @classmethod
    def disc(cls, radius: float) -> Shape:
        """Return a disc."""
        return cls(radius, radius, radius)

    @classmethod
    def box(cls, width: float, height: float) -> Shape:
        """Return a box with rounded corners."""
        return cls(width / 2, height / 2, _ROUNDING)

    def scaled(self, factor: float) -> Shape:
        """Return the same shape in another size."""
        return Shape(self.half_width * factor, self.half_height * factor, self.rounding * factor)

    @property
    def flattest(self) -> float:
        """How many inches across, for each inch down, an arrow may go and keep clear of neighbours in the row."""
        return min(0.7 * (self.half_width + GAP_IN) / self.half_height, 3.0)

    def outline(self) -> Float64:
        """Return the corners of the outline, rounded ones as many short sides."""
        quarter = np.linspace(0.0, np.pi / 2, _CORNER_POINTS)
        turn = np.concatenate([quarter + k * np.pi / 2 for k in range(4)])
        right, low = np.repeat([1, -1, -1, 1], _CORNER_POINTS), np.repeat([1, 1, -1, -1], _CORNER_POINTS)
        x = right * (self.half_width - self.rounding) + self.rounding * np.cos(turn)
        y = low * (self.half_height - self.rounding) + self.rounding * np.sin(turn)
        return np.column_stack([x, y])

    def strip(self, k: int, of: int) -> Float64:
        """Return the corners of the k-th of so many strips of equal height, from top (y grows downwards)."""
        points = self.outline()
        edge = self.half_height * (2 * np.array([k, k + 1]) / of - 1)
        points = _cut(points, points[:, 1] - edge[0])
        return _cut(points, edge[1] - points[:, 1])

    def rim(self, direction: Float64) -> float:
        """Return how far the rim is from the centre in a direction."""
        length = float(np.hypot(*direction))
        if self.rounding == self.half_width or length == 0:
            return self.half_height
        dx, dy = np.abs(direction) / length
        return float(min(self.half_width / dx if dx else np.inf, self.half_height / dy if dy else np.inf))


def _cut(points: Float64, height: Float64) -> Float64:
    """Return the part of a convex polygon where `height`, linear along its sides, is not negative."""
    kept: list[Float64] = []
    for i in range(len(points)):
        a, b, p, q = height[i - 1], height[i], points[i - 1], points[i]
        if (a < 0) != (b < 0):
            kept.append(p + (q - p) * (a / (a - b)))
        if b >= 0:
            kept.append(q)
    return np.array(kept)


def arrow(points: Float64, shape: Shape, scale: float = 1.0) -> tuple[Path, Float64]:
    """Return the line of an arrow through points, first and last the centres of shapes, and the corners of its head.

    It leaves and enters a job steeply, so as not to run through the job's neighbours: straight where it is steep
    itself, else curved; and it passes its bends yet more steeply.
    """
    from matplotlib.path import Path

    leave, enter = _steep(points[1] - points[0], shape.flattest), _steep(points[-1] - points[-2], shape.flattest)
    first = points[0] + leave * shape.rim(leave)
    tip = points[-1] - enter * (shape.rim(enter) + _CLEAR_IN * scale)
    neck = tip - enter * HEAD_IN * scale
    side = np.array([-enter[1], enter[0]]) * _HEAD_HALF * scale
    passing = [_steep(points[i + 1] - points[i - 1], _FLATTEST_BEND) for i in range(1, len(points) - 1)]
    line = _curve(np.vstack([first, points[1:-1], neck]), [leave, *passing, enter], Path)
    return line, np.array([tip, neck + side, neck - side])


def _steep(direction: Float64, slope: float) -> Float64:
    """Return the direction of length 1, no flatter than a slope (across for each inch down)."""
    across, down = direction.tolist()
    across = min(max(across, -slope * down), slope * down)
    steep: Float64 = np.array([across, down]) / np.hypot(across, down)
    return steep


def _curve(points: Float64, towards: list[Float64], path: type[Path]) -> Path:
    """Return a smooth path through points with these directions, straight wherever that is smooth."""
    vertices, codes = [points[0]], [path.MOVETO]
    for p, q, out, into in zip(points, points[1:], towards, towards[1:], strict=False):
        way = (q - p) / np.hypot(*(q - p))
        if np.abs(way - out).max() < _STRAIGHT and np.abs(way - into).max() < _STRAIGHT:
            vertices, codes = [*vertices, q], [*codes, path.LINETO]
        else:
            half = abs(q[1] - p[1]) / 2
            vertices += [p + out * half / out[1], q - into * half / into[1], q]
            codes += [path.CURVE4] * 3
    return path(np.array(vertices), codes)


MAX_INCHES = 60.0
_RADIUS_IN = 0.17
_BOX_HEIGHT_IN = 0.27
_ROW_GAP_IN = 0.28
_SMALLEST_PT = 2.0


@dataclass(frozen=True, slots=True)
class Look:
    """How a job in some state is drawn."""

    face: str
    rim: str
    rim_pt: float
    ink: str
    bold: bool = False


LOOKS = {
    "": Look("white", BLACK, 1.0, BLACK),
    "EXECUTED": Look(BLACK, BLACK, 1.0, "white"),
    "ELIGIBLE": Look("white", VERMILLION, 2.6, BLACK, bold=True),
    "waiting": Look("white", GREY, 0.7, GREY),
}
"""By state; the first for pictures that show none."""

# Seven fills of different lightness and four dashes: groups that follow each other differ in both, also without colour.
_TINTS = ["#f9f4af", "#97d1f1", "#ec9c5b", "#b9e6d8", "#dfaac7", "#e6e6e6", "#7e9adf"]
_INKS = ["#7d6e00", BLUE, VERMILLION, "#00704f", "#9c3f78", "#4d4d4d", "#2f4a9e"]
_DASHES: list[Any] = ["solid", (0, (4, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5))]
_PLAIN_LINE: dict[str, Any] = {"color": "#4d4d4d", "linestyle": "solid", "linewidth": 0.8}


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Jobs that belong together, such as a block of a decomposition; a job may be in several."""

    name: str
    jobs: Int64
    number: int

    @property
    def look(self) -> Look:
        """How its jobs are drawn where no state is shown."""
        return Look(_TINTS[self.number % len(_TINTS)], BLACK, 1.0, BLACK)

    @property
    def line(self) -> dict[str, Any]:
        """How its arrows are drawn."""
        ink, dashes = _INKS[self.number % len(_INKS)], _DASHES[self.number % len(_DASHES)]
        return {"color": ink, "linestyle": dashes, "linewidth": 1.3}


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A dag with places in inches, ready to be drawn in any state.

    Attributes
    ----------
    shape
        The outline of every job.
    at
        The centre of each job.
    lines, heads
        For each edge the line of its arrow and the corners of the arrowhead.
    size
        Width and height of the whole.
    scale
        How much it was shrunk.
    """

    dag: Dag
    labels: Sequence[str]
    shape: Shape
    at: Float64
    lines: Sequence[Path]
    heads: Sequence[Float64]
    size: tuple[float, float]
    scale: float

    @classmethod
    def of(cls, dag: Dag, labels: Sequence[str]) -> Drawing:
        """Lay out a dag whose jobs bear these labels."""
        shape, layout = _shape(labels), place_jobs(dag)
        pitch = 2 * shape.half_width + GAP_IN
        chains = list(_chains(dag, layout))
        rows = _row_places(chains, int(layout.height), pitch, shape)
        scale = min(1.0, MAX_INCHES / max(layout.width * pitch, rows[-1], 1.0))
        shape = shape.scaled(scale)

        def inches(points: Float64) -> Float64:
            across = points[:, 0] * pitch * scale + shape.half_width
            down = rows[points[:, 1].astype(np.int64)] * scale + shape.half_height
            return np.column_stack([across, down])

        arrows = [arrow(inches(chain), shape, scale) for chain in chains]
        return cls(
            dag,
            labels,
            shape,
            inches(np.column_stack([layout.x, layout.y])),
            [line for line, _ in arrows],
            [head for _, head in arrows],
            (layout.width * pitch * scale + 2 * shape.half_width, float(rows[-1]) * scale + 2 * shape.half_height),
            scale,
        )

    def draw(self, axes: Axes, corner: Float64, states: Sequence[str], groups: Sequence[Group]) -> None:
        """Draw arrows, jobs and labels, with the upper left corner at this place."""
        self._draw_arrows(axes, corner, groups)
        self._draw_jobs(axes, self.at + corner, np.array(states, object), groups)
        if FONT_PT * self.scale < _SMALLEST_PT:
            return
        for (x, y), label, state in zip((self.at + corner).tolist(), self.labels, states, strict=True):
            look = LOOKS[state]
            write(axes, x, y, label, FONT_PT * self.scale, color=look.ink, weight="bold" if look.bold else "normal")

    def _draw_arrows(self, axes: Axes, corner: Float64, groups: Sequence[Group]) -> None:
        from matplotlib.collections import PathCollection, PolyCollection
        from matplotlib.transforms import Affine2D

        there = Affine2D().translate(*corner) + axes.transData
        of_edge = _edge_groups(self.dag, groups)
        for number in np.unique(of_edge).tolist():
            mine = np.flatnonzero(of_edge == number).tolist()
            look = groups[number].line if number >= 0 else _PLAIN_LINE
            lines = PathCollection(
                [self.lines[edge] for edge in mine],
                facecolors="none",
                edgecolors=look["color"],
                linestyles=look["linestyle"],
                linewidths=look["linewidth"] * self.scale,
                transform=there,
                clip_on=False,
                label="arrows",
                zorder=1,
            )
            heads = PolyCollection(
                [self.heads[edge] for edge in mine],
                facecolors=look["color"],
                edgecolors="none",
                transform=there,
                clip_on=False,
                label="arrowheads",
                zorder=1,
            )
            axes.add_collection(lines)
            axes.add_collection(heads)

    def _draw_jobs(self, axes: Axes, at: Float64, states: Any, groups: Sequence[Group]) -> None:
        """Draw outlines by state; jobs in groups are filled with a strip for each, unless they are EXECUTED."""
        from matplotlib.collections import PolyCollection

        groups_of: list[list[Group]] = [[] for _ in range(self.dag.n)]
        for group in groups:
            for job in group.jobs.tolist():
                groups_of[job].append(group)
        tinted = np.array([len(mine) > 0 for mine in groups_of], np.bool_) & (states != "EXECUTED")
        for state in sorted(set(states)):
            for here, face in (((states == state) & ~tinted, LOOKS[state].face), ((states == state) & tinted, "none")):
                if here.any():
                    stamp(axes, self.shape, at[here], LOOKS[state], face=face, scale=self.scale)
        strips: dict[str, list[Float64]] = {}
        for job in np.flatnonzero(tinted).tolist():
            for k, group in enumerate(groups_of[job]):
                strips.setdefault(group.look.face, []).append(self.shape.strip(k, len(groups_of[job])) + at[job])
        for tint, polygons in sorted(strips.items()):
            axes.add_collection(
                PolyCollection(polygons, facecolors=tint, edgecolors="none", clip_on=False, label="groups", zorder=2)
            )


def _shape(labels: Sequence[str]) -> Shape:
    """Return a disc where all labels fit one, else a box for the widest."""
    widest = max([text_width(label, FONT_PT, bold=True) for label in labels], default=0.0)
    return Shape.disc(_RADIUS_IN) if widest < 1.65 * _RADIUS_IN else Shape.box(widest + 0.14, _BOX_HEIGHT_IN)


def _chains(dag: Dag, layout: Layout) -> Iterator[Float64]:
    """Yield for each edge the places it passes, from job over bends to job."""
    points = np.column_stack([layout.x, layout.y])
    none = np.empty((0, 2))
    for edge, (tail, head) in enumerate(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)):
        yield np.vstack([points[tail], layout.bends.get(edge, none), points[head]])


def _row_places(chains: Sequence[Float64], last: int, pitch: float, shape: Shape) -> Float64:
    """Return how far down each row is: the further from the one above, the flatter the arrows between them."""
    least = 2 * shape.half_height + _ROW_GAP_IN
    flattest = np.zeros(last + 1)
    for chain in chains:
        across, down = np.abs(np.diff(chain, axis=0)).T
        if (down == 1).all():
            into = chain[1:, 1].astype(np.int64)
            flattest[into] = np.maximum(flattest[into], across * pitch)
    apart = np.clip(flattest / shape.flattest, least, 2.2 * least)
    apart[0] = 0.0
    return np.cumsum(apart)


def _edge_groups(dag: Dag, groups: Sequence[Group]) -> Int64:
    """Return for each edge the first group that has both its jobs, or -1."""
    of = np.full(dag.m, -1, np.int64)
    for number in reversed(range(len(groups))):
        inside = np.zeros(dag.n, np.bool_)
        inside[groups[number].jobs] = True
        of[inside[dag.tails] & inside[dag.heads]] = number
    return of


def stamp(
    axes: Axes, shape: Shape, at: Float64, look: Look, *, face: str = "", scale: float = 1.0, label: str = "jobs"
) -> None:
    """Draw one shape at many places, perhaps with another fill than its look has."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    outline = shape.outline()
    stamps = PathCollection(
        [Path(np.vstack([outline, outline[:1]]), closed=True)],
        offsets=at,
        offset_transform=axes.transData,
        transform=Affine2D().scale(1, -1) + axes.figure.dpi_scale_trans,
        facecolors=face or look.face,
        edgecolors=look.rim,
        linewidths=look.rim_pt * scale,
        clip_on=False,
        label=label,
        zorder=3,
    )
    axes.add_collection(stamps)


def write(axes: Axes, x: float, y: float, text: str, size_pt: float = FONT_PT, **look: Any) -> None:
    """Write a line of text, centred unless told otherwise; it is made plain, and never read as a formula."""
    look = {"ha": "center", "va": "center_baseline", **look}
    axes.text(x, y, plain(text), fontsize=size_pt, parse_math=False, zorder=4, **look)
