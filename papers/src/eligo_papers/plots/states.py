"""One dag in several states of the pebble game, side by side: what different schedules have executed so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Dag
from eligo.data import job_numbers
from eligo.errors import EligoError
from eligo.report._dag_drawing import Drawing
from eligo.report._dag_picture import MAX_EDGES, MAX_JOBS, Panel, compose
from eligo.report._style import plain, shorten, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_states"]

_WIDE_IN = 11.0


def draw_states(
    dag: Dag, states: Mapping[str, ArrayLike], *, labels: bool = True, title: str = "", columns: int | None = None
) -> Figure:
    """Return pictures of a dag side by side, one for each set of EXECUTED jobs, with t and E in its caption.

    Parameters
    ----------
    states
        For each name the jobs that are EXECUTED.
    labels
        Whether jobs bear their names.
    columns
        How many pictures stand side by side; by default as many as fit a page.

    Raises
    ------
    EligoError
        The dag is larger than can be drawn, or a job is EXECUTED before a parent of it.

    Examples
    --------
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> figure = draw_states(fork, {"nothing": [], "the source": [0]})
    >>> [text.get_text() for text in figure.axes[0].texts if "=" in text.get_text()]
    ['nothing: t = 0,  E = 1', 'the source: t = 1,  E = 2']
    """
    if dag.n > MAX_JOBS or dag.m > MAX_EDGES:
        raise EligoError(f"a picture of {dag.n:,} jobs and {dag.m:,} edges would show nothing")
    if not states:
        raise ValueError("no states to draw")
    panels = [_panel(dag, name, executed) for name, executed in states.items()]
    with styled():
        drawing = Drawing.of(dag, [shorten(plain(name)) if labels else "" for name in dag.names])
        fitting = columns or max(1, int(_WIDE_IN / (drawing.size[0] + 0.5)))
        return compose(drawing, panels, [], title=plain(title), legend=True, columns=fitting)


def _panel(dag: Dag, name: str, executed: ArrayLike) -> Panel:
    done = np.zeros(dag.n, np.bool_)
    done[job_numbers(executed, dag.n)] = True
    waits = np.bincount(dag.heads[~done[dag.tails]], minlength=dag.n) > 0
    if np.any(done & waits):
        raise EligoError(f"job {dag.names[int(np.argmax(done & waits))]!r} is EXECUTED before a parent of it")
    states = np.where(done, "EXECUTED", np.where(waits, "waiting", "ELIGIBLE")).tolist()
    eligible = int(np.sum(~done & ~waits))
    return Panel(states, f"{plain(name)}: t = {int(done.sum())},  E = {eligible}")
