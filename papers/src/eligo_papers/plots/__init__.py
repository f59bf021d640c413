"""Plots that only the papers need: box plots, scatter plots, growth, states of the pebble game, differences."""

from __future__ import annotations

from eligo_papers.plots.box_plots import plot_boxes
from eligo_papers.plots.difference_panels import plot_differences
from eligo_papers.plots.growth import plot_growth
from eligo_papers.plots.scatter import plot_scatter
from eligo_papers.plots.states import draw_states

__all__ = ["draw_states", "plot_boxes", "plot_differences", "plot_growth", "plot_scatter"]
