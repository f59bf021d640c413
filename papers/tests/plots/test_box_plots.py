"""Box plots: their numbers against plain Python, what infinity does, and small files."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import numpy as np
import pytest

from eligo.report import save
from eligo_papers.plots.box_plots import plot_boxes, quantile, tukey

INF = math.inf


@pytest.mark.parametrize("seed", range(40))
def test_the_numbers_of_a_box_against_plain_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = [round(float(value), 3) for value in rng.lognormal(0, 1.2, int(rng.integers(2, 40)))]
    first, median, third = statistics.quantiles(values, n=4, method="inclusive")
    box = tukey(values)
    assert (box.first, box.median, box.third) == pytest.approx((first, median, third))
    fence_low, fence_high = first - 1.5 * (third - first), third + 1.5 * (third - first)
    inside = [value for value in values if fence_low <= value <= fence_high]
    assert box.low == pytest.approx(min(inside))
    assert box.high == pytest.approx(max([*inside, third]))
    assert list(box.outliers) == sorted(value for value in values if not fence_low <= value <= fence_high)
    assert box.size == len(values)


def test_few_values() -> None:
    assert tukey([7])[:5] == (7, 7, 7, 7, 7)
    assert tukey([1, 3])[:5] == (1, 1.5, 2, 2.5, 3)
    with pytest.raises(ValueError, match="nothing"):
        quantile([], 0.5)


def test_what_failed_counts_in_the_quartiles() -> None:
    assert tukey([1, 2, 3, 4, INF])[:5] == (1, 2, 3, 4, 4)
    assert tukey([1, 2, 3, 4, INF]).outliers == (INF,)
    assert tukey([1, 2, INF, INF, INF])[:5] == (1, 2, INF, INF, INF)
    assert tukey([INF, INF])[:5] == (INF,) * 5
    assert quantile([1, INF], 0.5) == 1


def test_boxes_stand_where_their_numbers_are() -> None:
    values = {"a": {"0": [1, 2, 3, 4, 30], "1": [1, 1, 1]}, "b": {"1": [2, 4, 6]}}
    axes = plot_boxes(values, across="bound", up="ratio", title="t").axes[0]
    boxes = [item for item in axes.collections if item.get_label() == "boxes"]
    heights = [[sorted(set(path.vertices[:, 1].tolist())) for path in of.get_paths()] for of in boxes]
    assert heights == [[[2, 4], [1]], [[3, 5]]]
    centres = [[round(path.vertices[:4, 0].mean(), 6) for path in of.get_paths()] for of in boxes]
    assert centres[0][0] < 0 < centres[0][1] < 1 < centres[1][0] < 1.5
    medians = [item for item in axes.collections if item.get_label() == "medians"]
    assert [[path.vertices[0, 1] for path in of.get_paths()] for of in medians] == [[3, 1], [4]]
    (outliers,) = [line for line in axes.get_lines() if line.get_label() == "outliers"]
    assert list(outliers.get_ydata()) == [30]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("bound", "ratio", "t")


def test_methods_differ_without_colour() -> None:
    axes = plot_boxes({str(i): {"0": [1, 2, 3]} for i in range(6)}).axes[0]
    assert len({patch.get_hatch() for patch in axes.get_legend().get_patches()}) == 6


@pytest.mark.parametrize("log", [False, True])
def test_a_method_that_fails_is_a_cross_and_changes_no_axis(log: bool, tmp_path: Path) -> None:
    with_failures = plot_boxes({"a": {"0": [1, 2, 3]}, "b": {"0": [INF, INF, 1]}}, log=log)
    without = plot_boxes({"a": {"0": [1, 2, 3]}}, log=log)
    axes = with_failures.axes[0]
    assert axes.get_ylim() == without.axes[0].get_ylim()
    (crosses,) = [line for line in axes.get_lines() if line.get_label() == "failed"]
    assert len(crosses.get_xdata()) == 1
    save(with_failures, tmp_path / "boxes.svg")
    assert "inf" not in (tmp_path / "boxes.svg").read_text().lower().replace("information", "")


def test_only_failures_and_nothing() -> None:
    assert plot_boxes({"a": {"0": [INF]}}).axes[0].get_ylim()[1] < 2
    with pytest.raises(ValueError, match="no values"):
        plot_boxes({"a": {"0": []}})


def test_many_values_make_small_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = {f"method {m}": {f"{p / 5}": rng.lognormal(0, 1, 3_000) for p in range(6)} for m in range(6)}
    save(plot_boxes(values, log=True), tmp_path / "boxes.svg")
    assert (tmp_path / "boxes.svg").stat().st_size < 120_000


def test_names_are_only_text(tmp_path: Path) -> None:
    figure = plot_boxes({"$\\frac": {"$x": [1, 2]}}, across="$y", up="<b>")
    save(figure, tmp_path / "boxes.svg")
    assert "$\\frac" in (tmp_path / "boxes.svg").read_text()
