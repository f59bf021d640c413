"""The outlines of jobs and the arrows between them, in inches.

A job is a disc, or a box where labels are too long for one; all jobs of a picture have one shape. An arrow runs between
the rims of two shapes, straight or as a smooth curve through bends, and ends in a head of its own, so that both can be
placed exactly and no renderer has to be asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eligo.dag import Float64

if TYPE_CHECKING:
    from matplotlib.path import Path

__all__ = ["GAP_IN", "HEAD_IN", "Shape", "arrow"]

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
