"""Pictures of dags: the jobs and their dependencies, a state of the pebble game, a whole game, a decomposition.

Without colour, EXECUTED jobs are black, ELIGIBLE ones have a thick rim, waiting ones a thin grey one; groups
differ in the lightness of their fill and in the dashes of their arrows. Where jobs are placed is told in
:mod:`eligo.report._layout`, how they are drawn in :mod:`eligo.report._dag_drawing`; here is what a caller may ask for.

Pictures of one dag side by side on a sheet, a title above and a legend below.

Everything is placed in inches from the top: the title, rows of panels, lines of the legend. The sheet is as large as
these need, so nothing overlaps and nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo.dag import Dag
from eligo.data import job_numbers
from eligo.errors import EligoError
from eligo.report._dag_drawing import LOOKS, Drawing, Group, Shape, stamp, write
from eligo.report._style import FONT_PT, new_figure, plain, shorten, styled, text_width
from eligo.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "MAX_EDGES",
    "MAX_JOBS",
    "Groups",
    "Labels",
    "Panel",
    "compose",
    "draw_dag",
    "draw_game",
]

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


MAX_JOBS, MAX_EDGES = 2_000, 20_000
"""Larger dags are refused: the picture would take minutes and show nothing."""

_WIDE_IN = 11.0

Labels = Literal["name", "priority", "position", "none"] | Sequence[str]
"""What stands in each job: its name, its priority (n for the first) or position (1 for the first), or given texts."""

Groups = Mapping[str, ArrayLike] | Sequence[ArrayLike]
"""Job numbers of each group, perhaps with names."""

Bools = NDArray[np.bool_]


def draw_dag(
    dag: Dag,
    *,
    executed: ArrayLike | None = None,
    eligible: ArrayLike | None = None,
    schedule: Schedule | None = None,
    step: int | None = None,
    labels: Labels = "name",
    groups: Groups = (),
    title: str = "",
    legend: bool = True,
) -> Figure:
    """Return a picture of a dag, arrows pointing down.

    Parameters
    ----------
    executed
        Shows a state of the game: these jobs are EXECUTED, perhaps none. Without it, without `eligible` and without
        `step` no states are shown.
    eligible
        The jobs to show as ELIGIBLE; by default those whose parents are all EXECUTED.
    schedule, step
        Shows the state after so many steps of the schedule. A schedule alone serves `labels`.
    labels
        ``"name"``, ``"priority"`` or ``"position"`` (of `schedule`), ``"none"``, or a text for each job.
    groups
        Lists of jobs, or names with lists of jobs, to be told apart, such as the blocks of a decomposition. A job in
        several groups shows them all, the first on top.
    legend
        Whether to explain states and groups below the picture.

    Raises
    ------
    EligoError
        The dag is larger than ``MAX_JOBS`` or ``MAX_EDGES``, or a job is EXECUTED before a parent of it.

    Examples
    --------
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> figure = draw_dag(fork, executed=[0], title="after a")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['after a', 'a', 'b', 'c', 'EXECUTED', 'ELIGIBLE']
    """
    _check_size(dag)
    if schedule is not None:
        _check_schedule(dag, schedule)
    if step is not None:
        if schedule is None:
            raise ValueError("a step needs a schedule")
        if executed is not None:
            raise ValueError("give either a step or the EXECUTED jobs")
        executed = schedule.order[: _step(schedule, step)]
    states = [""] * dag.n if executed is None and eligible is None else _states(dag, executed, eligible)
    with styled():
        drawing = Drawing.of(dag, _labels(dag, labels, schedule))
        return compose(drawing, [Panel(states)], _groups(dag, groups), title=plain(title), legend=legend, columns=1)


def draw_game(
    schedule: Schedule,
    steps: Sequence[int],
    *,
    labels: Labels = "name",
    title: str = "",
    legend: bool = True,
    columns: int | None = None,
) -> Figure:
    """Return pictures of the dag after some steps of a schedule, side by side.

    Parameters
    ----------
    steps
        How many jobs are EXECUTED in each picture, 0..n.
    columns
        How many pictures stand side by side; by default as many as fit a page.

    Examples
    --------
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> figure = draw_game(Schedule.of(fork, [0, 1, 2]), [0, 1])
    >>> [text.get_text() for text in figure.axes[0].texts if "=" in text.get_text()]
    ['t = 0,  E = 1', 't = 1,  E = 2']
    """
    dag = schedule.dag
    _check_size(dag)
    if not len(steps):
        raise ValueError("no steps to draw")
    panels = []
    for step in steps:
        states = _states(dag, schedule.order[: _step(schedule, step)], None)
        panels.append(Panel(states, f"t = {step},  E = {schedule.profile[step]}"))
    with styled():
        drawing = Drawing.of(dag, _labels(dag, labels, schedule))
        fitting = columns or max(1, int(_WIDE_IN / (drawing.size[0] + 0.5)))
        return compose(drawing, panels, [], title=plain(title), legend=legend, columns=fitting)


def _check_size(dag: Dag) -> None:
    if dag.n > MAX_JOBS or dag.m > MAX_EDGES:
        raise EligoError(
            f"a picture of {dag.n:,} jobs and {dag.m:,} edges would show nothing",
            hint=f"draw a part of it, at most {MAX_JOBS:,} jobs and {MAX_EDGES:,} edges: eligo.graph.induced_subdag",
        )


def _check_schedule(dag: Dag, schedule: Schedule) -> None:
    if schedule.dag is not dag and schedule.dag != dag:
        raise EligoError("the schedule is one of another dag")


def _step(schedule: Schedule, step: int) -> int:
    if not 0 <= step <= schedule.dag.n:
        raise EligoError(f"there is no step {step}", hint=f"steps run from 0 to {schedule.dag.n}")
    return step


def _states(dag: Dag, executed: ArrayLike | None, eligible: ArrayLike | None) -> list[str]:
    """Return for each job the state it is in."""
    done = np.zeros(dag.n, np.bool_)
    done[job_numbers(() if executed is None else executed, dag.n)] = True
    waits = np.bincount(dag.heads[~done[dag.tails]], minlength=dag.n) > 0
    if np.any(done & waits):
        job = int(np.argmax(done & waits))
        parent = next(p for p in dag.parents(job).tolist() if not done[p])
        raise EligoError(f"job {dag.names[job]!r} is EXECUTED but {dag.names[parent]!r}, which it waits for, is not")
    ready = ~done & ~waits
    if eligible is not None:
        ready = np.zeros(dag.n, np.bool_)
        ready[job_numbers(eligible, dag.n)] = True
    pairs = zip(done.tolist(), ready.tolist(), strict=True)
    return ["EXECUTED" if is_done else "ELIGIBLE" if is_ready else "waiting" for is_done, is_ready in pairs]


def _labels(dag: Dag, labels: Labels, schedule: Schedule | None) -> list[str]:
    if isinstance(labels, str) and labels == "name":
        return [shorten(plain(name)) for name in dag.names]
    if labels == "none":
        return [""] * dag.n
    if labels in ("priority", "position"):
        if schedule is None:
            raise ValueError(f"labels by {labels} need a schedule")
        priorities = schedule.priorities
        return [str(number) for number in (priorities if labels == "priority" else dag.n + 1 - priorities).tolist()]
    if isinstance(labels, str) or len(labels) != dag.n:
        raise ValueError(f"labels must be 'name', 'priority', 'position', 'none' or {dag.n} texts")
    return [shorten(plain(label)) for label in labels]


def _groups(dag: Dag, groups: Groups) -> list[Group]:
    named = groups.items() if isinstance(groups, Mapping) else [(str(i + 1), jobs) for i, jobs in enumerate(groups)]
    return [
        Group(shorten(plain(name), 40), np.unique(job_numbers(jobs, dag.n)), i) for i, (name, jobs) in enumerate(named)
    ]
