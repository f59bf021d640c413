"""Clouds of points: all where they are few, one of each cell where they are many."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from eligo.report import save
from eligo_papers.plots.scatter import MOST_MARKS, plot_scatter, worth_marking


def test_points_are_where_they_belong() -> None:
    figure = plot_scatter({"a": [(1, 5), (math.inf, 2)], "b": [(2, 7)]}, across="x", up="y", title="t", equal_line=True)
    axes = figure.axes[0]
    first, second, *rest = axes.get_lines()
    assert (first.get_xdata().tolist(), first.get_ydata().tolist()) == ([1], [5])
    assert (second.get_xdata().tolist(), second.get_ydata().tolist()) == ([2], [7])
    assert first.get_marker() != second.get_marker()
    assert not rest  # no point lies where both could be equal
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_the_line_of_equal_numbers() -> None:
    (_, line) = plot_scatter({"a": [(1, 1), (2, 3), (5, 5)]}, equal_line=True).axes[0].get_lines()
    assert list(line.get_xdata()) == list(line.get_ydata()) == [1, 5]


def test_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no points"):
        plot_scatter({"a": [(math.inf, math.inf)]})


@pytest.mark.parametrize("log", [False, True])
def test_thinned_clouds_cover_the_same_places(log: bool) -> None:
    rng = np.random.default_rng(2)
    clouds = [np.exp(rng.normal(0, spread, (5_000, 2))) for spread in (0.2, 0.5, 1.0)]
    chosen = worth_marking(clouds, log=log)
    assert MOST_MARKS / 2 < sum(map(len, chosen)) <= MOST_MARKS
    everything = np.concatenate(clouds)
    scale = np.log(everything) if log else everything
    extent = np.ptp(scale, axis=0)
    for cloud, few in zip(clouds, chosen, strict=True):
        assert {tuple(point) for point in few.tolist()} <= {tuple(point) for point in cloud.tolist()}
        where, marked = (np.log(some) if log else some for some in (cloud, few))
        gaps = np.abs(where[:, None, :] - marked[None, :, :]) / extent
        assert gaps.max(axis=2).min(axis=1).max() < 0.2  # every point has a mark in its cell


def test_few_points_stay_as_they_are() -> None:
    cloud = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert worth_marking([cloud])[0] is cloud


def test_many_points_make_small_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    points = {f"method {m}": rng.lognormal(0, 1, (2_000, 2)) for m in range(5)}
    save(plot_scatter(points, log=True), tmp_path / "cloud.svg")
    assert (tmp_path / "cloud.svg").stat().st_size < 120_000
