"""Pictures of one dag side by side on a sheet, a title above and a legend below.

Everything is placed in inches from the top: the title, rows of panels, lines of the legend. The sheet is as large as
these need, so nothing overlaps and nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eligo.report.dag_drawing import LOOKS, Drawing, Group, stamp, write
from eligo.report.shapes import Shape
from eligo.report.style import FONT_PT, new_figure, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Panel", "compose"]

_MARGIN_IN = 0.15
_LINE_IN = 0.26
_GAP_IN = 0.45
_TITLE_PT = 11.0
_SAMPLE = Shape.disc(0.075)
_ENTRY_GAP_IN = 0.25
_MOST_ENTRIES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One picture: the state of each job (a key of ``LOOKS``), under a caption."""

    states: Sequence[str]
    caption: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A line of the legend: a sample of a state or of a group, and what it means."""

    text: str
    sample: str | Group | None

    @property
    def sample_width(self) -> float:
        return 0.42 if isinstance(self.sample, Group) else 0.2

    @property
    def width(self) -> float:
        return self.sample_width + text_width(self.text) + _ENTRY_GAP_IN

    def draw(self, axes: Axes, left: float, y: float) -> None:
        if isinstance(self.sample, Group):
            axes.plot([left, left + 0.36], [y, y], zorder=2, **self.sample.line)
            stamp(axes, _SAMPLE, np.array([[left + 0.18, y]]), self.sample.look, label="legend")
        elif self.sample is not None:
            stamp(axes, _SAMPLE, np.array([[left + _SAMPLE.half_width, y]]), LOOKS[self.sample], label="legend")
        write(axes, left + self.sample_width, y, self.text, FONT_PT, ha="left")


def compose(
    drawing: Drawing, panels: Sequence[Panel], groups: Sequence[Group], *, title: str, legend: bool, columns: int
) -> Figure:
    """Put panels of one drawing side by side in so many columns, with a title above and a legend below."""
    width, height = drawing.size
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    columns = -(-len(panels) // rows)
    for_caption = _LINE_IN if any(panel.caption for panel in panels) else 0.0
    cell_width = max([width, *(text_width(panel.caption) for panel in panels)]) + _GAP_IN
    cell_height = for_caption + height + _GAP_IN
    entries = _entries(panels, groups) if legend else []
    inner = max([columns * cell_width - _GAP_IN, text_width(title, _TITLE_PT, bold=True), *(e.width for e in entries)])
    lines = _wrap(entries, inner)

    first = _MARGIN_IN + (_LINE_IN + 0.08 if title else 0.0)
    below = first + rows * cell_height - _GAP_IN + (0.15 if lines else 0.0)
    sheet_width, sheet_height = inner + 2 * _MARGIN_IN, below + len(lines) * _LINE_IN + _MARGIN_IN
    figure = new_figure(sheet_width, sheet_height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, sheet_width), ylim=(sheet_height, 0))
    axes.set_axis_off()
    if title:
        write(axes, sheet_width / 2, _MARGIN_IN + _LINE_IN / 2, title, _TITLE_PT, weight="bold")
    for i, panel in enumerate(panels):
        row, column = divmod(i, columns)
        middle, top = sheet_width / 2 + (column - (columns - 1) / 2) * cell_width, first + row * cell_height
        if panel.caption:
            write(axes, middle, top + _LINE_IN / 2 - 0.04, panel.caption, FONT_PT)
        drawing.draw(axes, np.array([middle - width / 2, top + for_caption]), panel.states, groups)
    for i, line in enumerate(lines):
        left = (sheet_width - sum(entry.width for entry in line) + _ENTRY_GAP_IN) / 2
        for entry in line:
            entry.draw(axes, left, below + (i + 0.5) * _LINE_IN)
            left += entry.width
    return figure


def _entries(panels: Sequence[Panel], groups: Sequence[Group]) -> list[_Entry]:
    """Explain the states that occur, then the groups, not too many."""
    shown = {state for panel in panels for state in panel.states}
    entries = [_Entry(state, state) for state in LOOKS if state and state in shown]
    entries += [_Entry(group.name, group) for group in groups[:_MOST_ENTRIES]]
    if len(groups) > _MOST_ENTRIES:
        entries.append(_Entry(f"and {len(groups) - _MOST_ENTRIES} more", None))
    return entries


def _wrap(entries: Sequence[_Entry], width: float) -> list[list[_Entry]]:
    """Break the legend into lines of at most this width."""
    lines: list[list[_Entry]] = []
    room = 0.0
    for entry in entries:
        if not lines or entry.width > room:
            lines.append([])
            room = width + _ENTRY_GAP_IN
        lines[-1].append(entry)
        room -= entry.width
    return lines
