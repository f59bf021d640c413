"""The figure of ratios: each interval in its section and panel, nothing where there is none, and no scale lost."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eligo import generate
from eligo.errors import EligoError
from eligo.report import Ratio, plot_ratios, save
from eligo.simulation._grid_sweep import sweep
from eligo.simulation._ratios import Summary

METRICS = ("execution_time", "stalling", "utilization")
TIMES = [10.0**k for k in range(-3, 4)]
SIZES = [2.0**k for k in range(17)]


def rows(times: list[float], sizes: list[float], of: str = "prio/fifo", seed: int = 0) -> list[Ratio]:
    rng = np.random.default_rng(seed)
    return [
        Ratio(time, size, of, metric, median, median - 0.02, median + 0.03)
        for time in times
        for size in sizes
        for metric in METRICS
        for median in [1 - 0.2 * rng.random()]
    ]


def segments(axes: Axes) -> list[tuple[float, float, float]]:
    """Place, low and high of each interval."""
    found = [s for lines in axes.collections if lines.get_label() == "95 %" for s in lines.get_segments()]
    return [(float(s[0, 0]), float(s[0, 1]), float(s[1, 1])) for s in found]


def lines(axes: Axes, label: str) -> list[Any]:
    return [line for line in axes.get_lines() if line.get_label() == label]


def dots(axes: Axes) -> list[list[float]]:
    return [point for line in lines(axes, "median") for point in line.get_xydata().tolist()]


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def above(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def below(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


def test_the_figure_of_the_paper() -> None:
    """Seven sections of seventeen batches in three panels."""
    figure = plot_ratios(rows(TIMES, SIZES), title="Performance gains", subtitle="AIRSN")
    assert [axes.get_ylabel() for axes in figure.axes] == ["execution time", "probability of stalling", "utilization"]
    for axes in figure.axes:
        assert len(segments(axes)) == len(dots(axes)) == 119
        borders = [line.get_xdata()[0] for line in lines(axes, "section")]
        assert len(borders) == 6
        assert (
            np.histogram([x for x, _ in dots(axes)], [*axes.get_xlim()[:1], *borders, axes.get_xlim()[1]])[0].tolist()
            == [17] * 7
        )
        (one,) = lines(axes, "one")
        assert set(one.get_ydata()) == {1}
        assert axes.get_ylim()[0] < 1 < axes.get_ylim()[1]
    assert above(figure.axes[0]) == [
        "10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²", "10³", "mean time between batches of workers",
    ]  # fmt: skip
    assert below(figure.axes[-1])[:4] == ["2⁰", "2⁴", "2⁸", "2¹²"]
    assert below(figure.axes[-1])[-1] == "2¹⁶"
    assert words(figure)[:2] == ["Performance gains", "AIRSN"]


@settings(max_examples=20)
@given(
    st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=5, unique=True),
    st.randoms(use_true_random=False),
)
def test_intervals_stand_in_order_whatever_the_order_of_rows(times: list, sizes: list, random: Any) -> None:
    table = rows(times, [float(size) for size in sizes])
    shuffled = random.sample(table, len(table))
    for axes, metric in zip(plot_ratios(shuffled).axes, METRICS, strict=True):
        mine = [row for row in table if row.metric == metric]
        expected = sorted(mine, key=lambda row: (row.interarrival, row.batch))
        places = [place for place, _, _ in segments(axes)]
        assert places == sorted(set(places))
        assert [segment[1:] for segment in segments(axes)] == [(row.low, row.high) for row in expected]
        assert dots(axes) == [[place, row.median] for place, row in zip(places, expected, strict=True)]


def test_nothing_is_drawn_where_there_is_no_interval() -> None:
    table = rows([1.0, 10.0], [1.0, 2.0, 4.0])
    nothing: list[tuple[Any, Any, Any]] = [(None, None, None), (math.nan,) * 3, (1.0, 0.5, math.inf), ("", "", "")]
    for values in nothing:
        changed = [row._replace(median=values[0], low=values[1], high=values[2]) if i == 4 else row
                   for i, row in enumerate(table)]  # fmt: skip
        first, second, third = plot_ratios(changed).axes
        assert (len(segments(first)), len(segments(second)), len(segments(third))) == (6, 5, 6)
        kept = [place for place, _, _ in segments(first)]
        assert [place for place, _, _ in segments(second)] == [kept[0], *kept[2:]]
    bare = plot_ratios([row for row in table if row.metric != "stalling"]).axes[1]
    assert above(bare) == ["no interval"]
    assert segments(bare) == []


def test_a_sweep_need_not_be_complete() -> None:
    table = [row for row in rows([1.0, 2.0, 3.0], [1.0, 2.0]) if (row.interarrival, row.batch) != (2.0, 1.0)]
    first, _, last = plot_ratios(table).axes
    assert len(segments(first)) == len(segments(last)) == 5
    assert above(first)[:3] == ["1", "2", "3"]
    assert below(last) == ["1", "2"] * 3


def test_one_point() -> None:
    first, _, last = plot_ratios(rows([1.0], [16.0])).axes
    assert (len(segments(first)), lines(first, "section"), above(first)[0], below(last)) == (1, [], "1", ["16"])


@pytest.mark.parametrize(
    ("times", "sizes"), [(TIMES, SIZES), (TIMES[:1], SIZES), (TIMES, SIZES[:1]), ([0.123456] * 1, [1e6, 123_457.0])]
)
def test_names_of_batches_and_sections_do_not_overlap(times: list[float], sizes: list[float]) -> None:
    figure = plot_ratios(rows(times, sizes))
    figure.draw_without_rendering()
    axes = figure.axes[-1]
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(sorted(boxes, key=lambda box: box.x0)))
    tops = [text.get_window_extent() for text in figure.axes[0].texts[:-1]]
    assert all(a.x1 < b.x0 for a, b in pairwise(tops))


def test_many_sections_leave_names_out_rather_than_overlap() -> None:
    figure = plot_ratios(rows([1.0 + i / 7 for i in range(60)], [1.0]))
    figure.draw_without_rendering()
    tops = [text.get_window_extent() for text in figure.axes[0].texts[:-1]]
    assert 2 <= len(tops) < 60
    assert all(a.x1 < b.x0 for a, b in pairwise(tops))


def test_several_ratios_stand_side_by_side_and_differ_without_colour() -> None:
    names = ["prio/fifo", "area/fifo", "random/fifo"]
    table = [row for i, name in enumerate(names) for row in rows([1.0, 2.0], [1.0, 2.0, 4.0], name, i)]
    figure = plot_ratios(table)
    axes = figure.axes[0]
    assert len(segments(axes)) == 18
    assert len({round(place, 9) for place, _, _ in segments(axes)}) == 18
    looks = {(line.get_marker(), line.get_markerfacecolor() == "white") for line in lines(axes, "median")}
    assert len(looks) == 3
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    assert words(figure)[0] == "prio/fifo, area/fifo, random/fifo"
    chosen = plot_ratios(table, of="area/fifo")
    assert (len(segments(chosen.axes[0])), words(chosen)[0], chosen.legends) == (6, "area/fifo", [])
    two = plot_ratios(table, of=["random/fifo", "prio/fifo"])
    assert [text.get_text() for text in two.legends[0].get_texts()] == ["random/fifo", "prio/fifo"]


def test_one_wild_interval_does_not_flatten_the_others() -> None:
    table = rows(TIMES, SIZES)
    table[1] = table[1]._replace(median=1.0, low=0.0, high=500.0)
    figure = plot_ratios(table)
    axes = figure.axes[1]
    bottom, top = axes.get_ylim()
    assert top < 2
    assert sorted(line.get_marker() for line in lines(axes, "beyond")) == ["^", "v"]
    assert all(len(line.get_xdata()) == 1 for line in lines(axes, "beyond"))
    assert segments(axes)[0][1:] == (bottom, top)
    assert "arrowheads" in words(figure)[-1]
    assert "arrowheads" not in words(plot_ratios(rows(TIMES, SIZES)))[-1]
    table[1] = table[1]._replace(median=400.0, low=300.0)
    axes = plot_ratios(table).axes[1]
    assert (len(dots(axes)), len(segments(axes))) == (118, 119)


def test_ratios_that_are_all_1_get_a_scale() -> None:
    table = [row._replace(median=1.0, low=1.0, high=1.0) for row in rows([1.0], [1.0, 2.0])]
    bottom, top = plot_ratios(table).axes[0].get_ylim()
    assert bottom < 0.98
    assert top > 1.02


def test_rows_may_be_objects_or_mappings_and_strategies_are_left_out() -> None:
    table = rows([1.0, 2.0], [1.0, 2.0])
    alone = [row._replace(of="prio", median=30.0) for row in table]
    expected = segments(plot_ratios(table).axes[0])
    objects = [SimpleNamespace(**row._asdict(), mean=0.0, sd=1.0) for row in table + alone]
    assert segments(plot_ratios(objects).axes[0]) == expected
    texts = [{name: str(value) for name, value in row._asdict().items()} for row in table + alone]
    assert segments(plot_ratios(iter(texts)).axes[0]) == expected


def test_other_metrics_can_be_shown() -> None:
    table = [row._replace(metric="peak_memory") for row in rows([1.0], [1.0])[:1]]
    axes = plot_ratios([*table, table[0]._replace(metric="$new")], metrics=["peak_memory", "$new"]).axes
    assert [one.get_ylabel() for one in axes] == ["peak memory", "$new"]
    assert [len(segments(one)) for one in axes] == [1, 1]


def test_results_of_a_sweep_are_taken_as_they_are() -> None:
    found = sweep(
        generate.airsn(5),
        ("prio", "fifo"),
        interarrivals=[0.1, 1.0],
        batches=[1.0, 4.0, 16.0],
        samples=4,
        runs=2,
        seed=7,
        common=True,
        on="here",
        workflow="airsn <5>",
    )
    figure = plot_ratios(found)
    assert words(figure)[:2] == [
        "prio/fifo",
        "airsn <5>, p = 4 samples of q = 2 runs, seed 7, common random numbers",
    ]
    expected = [point.ratios["prio/fifo"]["execution_time"] for point in found.points]
    assert all(isinstance(summary, Summary) for summary in expected)
    medians = sorted(summary.median for summary in expected if summary)
    assert sorted(median for _, median in dots(figure.axes[0])) == medians
    there = sum(point.ratios["prio/fifo"]["stalling"] is not None for point in found.points)
    assert len(segments(figure.axes[1])) == there


def test_names_are_only_text(tmp_path: Path) -> None:
    table = rows([1.0], [1.0], "$\\frac/<b>&") + rows([1.0], [1.0], "\x1b/fifo")
    save(plot_ratios(table, title="$\\frac <i>", subtitle="_a\nb $x$"), tmp_path / "names.svg")
    text = (tmp_path / "names.svg").read_text()
    for shown in ("$\\frac/&lt;b&gt;&amp;", "\ufffd/fifo", "$\\frac &lt;i&gt;", "_a b $x$"):
        assert shown in text


@pytest.mark.long
def test_files_are_small_and_the_same_for_the_same_rows(tmp_path: Path) -> None:
    for kind in ("svg", "png", "pdf"):
        for copy in "ab":
            save(plot_ratios(rows(TIMES, SIZES), title="x"), tmp_path / f"{copy}.{kind}")
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
        assert (tmp_path / f"a.{kind}").stat().st_size < 200_000


def test_what_cannot_be_drawn_is_refused() -> None:
    table = rows([1.0], [1.0])
    with pytest.raises(EligoError, match="no ratios to draw"):
        plot_ratios([])
    with pytest.raises(EligoError, match="no ratios to draw"):
        plot_ratios([row._replace(of="prio") for row in table])
    with pytest.raises(EligoError, match="there is no ratio area/fifo"):
        plot_ratios(table, of="area/fifo")
    with pytest.raises(EligoError, match="0 ratios cannot"):
        plot_ratios(table, of=[])
    with pytest.raises(EligoError, match="7 ratios cannot be told apart"):
        plot_ratios([row for i in range(7) for row in rows([1.0], [1.0], f"{i}/fifo")])
    with pytest.raises(EligoError, match="above 0, not 1 and 0"):
        plot_ratios(rows([1.0], [0.0]))
    with pytest.raises(EligoError, match="no metrics"):
        plot_ratios(table, metrics=[])
