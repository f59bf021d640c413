"""Figures: dags, games, decompositions, eligibility profiles, sweep tables, memory, executions and simulations.

And a page with all that is known of a workflow: ``report.write_page(dag, "page.html")``, see ``page/``.

>>> from eligo import report
>>> from eligo.dag import Dag
>>> figure = report.draw_dag(Dag.from_names([("a", "b"), ("a", "c")]), executed=[0], title="after the first step")

``report.save(figure, "fork.svg")`` writes it; .png and .pdf work too. Figures need matplotlib, the extra ``figures``;
it is imported when the first figure is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eligo.report._curves import plot_gain, plot_profiles, plot_sweep
from eligo.report._dag_picture import draw_dag, draw_game
from eligo.report._gantt import plot_gantt
from eligo.report._layout import Layout, place_jobs
from eligo.report._memory_curves import plot_limits, plot_makespan, plot_memory
from eligo.report._ratio_panels import Ratio, plot_ratios
from eligo.report._style import save

if TYPE_CHECKING:
    from eligo.report._page.render import write_page

__all__ = [
    "Layout",
    "Ratio",
    "draw_dag",
    "draw_game",
    "place_jobs",
    "plot_gain",
    "plot_gantt",
    "plot_limits",
    "plot_makespan",
    "plot_memory",
    "plot_profiles",
    "plot_ratios",
    "plot_sweep",
    "save",
    "write_page",
]


def __getattr__(name: str) -> Any:
    """Load the page on first use: whoever draws a figure need not wait for it."""
    if name != "write_page":
        raise AttributeError(f"module 'eligo.report' has no attribute {name!r}")
    from eligo.report._page.render import write_page

    return write_page
