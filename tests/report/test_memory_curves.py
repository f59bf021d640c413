"""Curves of memory: limits, executions, makespans; in units that can be read, and honest about what is missing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from eligo import generate
from eligo.memory._models import footprint
from eligo.report import plot_limits, plot_makespan, plot_memory, save
from eligo.simulation import list_schedule, memory_over_time

GB = 10**9
POINTS = [(9 * GB, 7.0, "levels"), (3 * GB, 12.0, "order"), (2 * GB, math.nan, "order"), (3 * GB, 15.0, "levels")]


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def all_figures() -> list[Figure]:
    return [
        plot_limits(POINTS, worst_peak=9 * GB, sequential_peak=3 * GB, lower_bound=GB, critical_path=7.0, title="x"),
        plot_memory({"one": ([0, 1, 1, 2], [0, 5, 3, 0]), "two": ([0, 4], [2, 1])}, limit=4, worst_peak=6, title="x"),
        plot_makespan([3, 5], {1: [2, 1], 4: [math.nan, 1]}, originals={1: 1, 4: 1}, sequential_peak=3, worst_peak=5),
    ]


def test_limits_are_points_and_the_line_is_the_best_within_each() -> None:
    figure = plot_limits(POINTS, worst_peak=9 * GB, sequential_peak=3 * GB, lower_bound=GB, critical_path=7.0)
    axes = figure.axes[0]
    line, order, levels, *_ = axes.get_lines()
    assert line.get_xydata().tolist() == [[3, 12], [3, 12], [9, 7]]
    assert line.get_drawstyle() == "steps-post"
    assert order.get_xydata().tolist() == [[3, 12]]
    assert levels.get_xydata().tolist() == [[3, 15], [9, 7]]
    assert order.get_marker() != levels.get_marker()
    assert legend(figure) == [
        "order",
        "levels",
        "without a limit: 7 s",
        "none found",
        "lower bound: 1 GB",
        "one job at a time: 3 GB",
        "worst peak: 9 GB",
    ]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("memory limit (GB)", "critical path (s)")


def test_limits_in_pebbles_jobs_and_disk() -> None:
    figure = plot_limits([(5, 3, "")], worst_peak=1_234_567, unit="pebbles", in_seconds=False, resource="disk")
    assert figure.axes[0].get_xlabel() == "disk limit (pebbles)"
    assert figure.axes[0].get_ylabel() == "critical path (jobs)"
    assert legend(figure) == ["worst peak: 1,234,567 pebbles"]


def test_limits_of_which_none_was_reached(tmp_path: Path) -> None:
    figure = plot_limits([(5, math.nan, "auto"), (6, math.inf, "auto")])
    assert legend(figure) == ["none found"]
    save(figure, tmp_path / "limits.svg")


@pytest.mark.parametrize(
    ("most", "word"),
    [(0, "bytes"), (999, "bytes"), (1000, "kB"), (999_999, "kB"), (5 * GB, "GB"), (2**62, "EB"), (10**30, "EB")],
)
def test_units_suit_the_largest_value(most: int, word: str) -> None:
    figure = plot_memory({"a": ([0, 1], [0, 0])}, limit=0, worst_peak=most)
    assert figure.axes[0].get_ylabel() == f"memory ({word})"


def test_memory_is_drawn_event_by_event() -> None:
    mesh = generate.mesh(4)
    print_ = footprint(mesh, "pebble")
    use = memory_over_time(print_, list_schedule(mesh, 2))
    figure = plot_memory({"two workers": use}, limit=5, worst_peak=8, unit="pebbles", title="mesh")
    line, limit, worst = figure.axes[0].get_lines()
    assert np.array_equal(line.get_xdata(), use.time_s)
    assert np.array_equal(line.get_ydata(), use.size_bytes)
    assert line.get_drawstyle() == "steps-post"
    assert (set(limit.get_ydata()), set(worst.get_ydata())) == ({5}, {8})
    assert legend(figure) == ["two workers", "limit: 5 pebbles", "worst peak: 8 pebbles"]
    assert figure.axes[0].get_xlabel() == "time (s)"


def test_long_executions_make_small_files_and_keep_the_peak(tmp_path: Path) -> None:
    airsn = generate.airsn(10_000)
    use = memory_over_time(footprint(airsn, "pebble"), list_schedule(airsn, 100))
    figure = plot_memory({"": use}, unit="pebbles", across="time ($)")
    (line,) = figure.axes[0].get_lines()
    assert line.get_ydata().max() == use.peak
    assert figure.axes[0].get_legend() is None
    save(figure, tmp_path / "airsn.svg")
    assert (tmp_path / "airsn.svg").stat().st_size < 60_000


def test_makespans_are_normalised_as_in_the_paper() -> None:
    figure = plot_makespan(
        [11, 5, 8],
        {2: [6, 9, 7.5], None: [3, math.nan, 4]},
        originals={2: 6, None: 3},
        sequential_peak=5,
        worst_peak=11,
        title="toy",
    )
    two, many, missing, _ = figure.axes[0].get_lines()
    assert two.get_xydata().tolist() == [[0, 1.5], [0.5, 1.25], [1, 1]]
    assert many.get_xydata().tolist() == [[0.5, pytest.approx(4 / 3)], [1, 1]]
    assert missing.get_xdata().tolist() == [0]
    assert legend(figure) == ["2 processors", "as many as jobs", "none found"]
    assert figure.axes[0].get_title() == "toy"


def test_makespans_where_all_peaks_are_equal(tmp_path: Path) -> None:
    figure = plot_makespan([5], {1: [3]}, originals={1: 3}, sequential_peak=5, worst_peak=5)
    assert figure.axes[0].get_lines()[0].get_xydata().tolist() == [[0, 1]]
    save(figure, tmp_path / "makespan.pdf")


def test_curves_differ_without_colour() -> None:
    makespans = {p: [1.0, 1.0] for p in range(1, 7)}
    figure = plot_makespan([1, 2], makespans, originals=dict.fromkeys(makespans, 1.0), sequential_peak=1, worst_peak=2)
    lines = figure.axes[0].get_lines()[:6]
    assert len({(str(line._dash_pattern), line.get_marker()) for line in lines}) == 6
    straight = plot_limits([(1, 1, "a")], worst_peak=4, sequential_peak=3, lower_bound=2).axes[0].get_lines()[-3:]
    assert len({str(line._dash_pattern) for line in straight}) == 3


def test_names_are_only_text(tmp_path: Path) -> None:
    figures = [
        plot_limits([(1, 1, "$\\frac"), (2, 1, "_<b>&")], title="$\\frac", resource="$\\x", unit="$\\y"),
        plot_memory({"$\\frac": ([0], [1]), "_<b>&": ([0], [1])}, title="$\\frac", across="$\\x", unit="$\\y"),
    ]
    for i, figure in enumerate(figures):
        assert legend(figure)[:2] == ["$\\frac", "_<b>&"]
        save(figure, tmp_path / f"{i}.svg")
        assert "&lt;b&gt;&amp;" in (tmp_path / f"{i}.svg").read_text()


@pytest.mark.long
def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    for kind in ("svg", "png", "pdf"):
        for i, (one, two) in enumerate(zip(all_figures(), all_figures(), strict=True)):
            save(one, tmp_path / f"{i}a.{kind}")
            save(two, tmp_path / f"{i}b.{kind}")
            assert (tmp_path / f"{i}a.{kind}").read_bytes() == (tmp_path / f"{i}b.{kind}").read_bytes()
    assert "<dc:date>" not in (tmp_path / "0a.svg").read_text()


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="no limits"):
        plot_limits([])
    with pytest.raises(ValueError, match="whole numbers"):
        plot_limits([(1.5, 1, "a")])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="no executions"):
        plot_memory({})
    for times, sizes in (([0, 1], [1]), ([1, 0], [1, 2]), ([], [])):
        with pytest.raises(ValueError, match="one size for each time"):
            plot_memory({"a": (times, sizes)})
    with pytest.raises(ValueError, match="whole numbers"):
        plot_memory({"a": ([0], [0.5])})
    with pytest.raises(ValueError, match="no makespans"):
        plot_makespan([1], {}, originals={}, sequential_peak=1, worst_peak=2)
    for makespans, originals in (({2: [1]}, {2: 1.0}), ({2: [1, 1]}, {}), ({2: [1, 1]}, {2: 0.0})):
        with pytest.raises(ValueError, match="2 processors: give one makespan"):
            plot_makespan([1, 2], makespans, originals=originals, sequential_peak=1, worst_peak=2)
