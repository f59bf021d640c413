"""Gantt charts: a bar a job in the right place, or a table of fields as busy as the lanes were; never a huge file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.memory._models import footprint
from eligo.report import plot_gantt, save
from eligo.report._gantt import MAX_BARS, MAX_LANES, Bars, Fill, merge_bars
from eligo.report._style import worth_stepping
from eligo.simulation import list_schedule, memory_over_time
from eligo.trace import Trace, lanes_of

NAN = math.nan


def bars(figure: Figure) -> dict[tuple[float, float, int], Any]:
    """The fill of each bar, by start, end and lane."""
    found = {}
    for collection in figure.axes[0].collections:
        colours = collection.get_facecolor()
        for i, path in enumerate(collection.get_paths()):
            (left, low), (right, high) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            colour = tuple(np.round(colours[i % len(colours)][:3], 3))
            found[left, right, round((low + high) / 2)] = (colour, collection.get_hatch())
    return found


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def legend(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []


def three(**options: Any) -> Figure:
    """a on worker 0, then b there and c on worker 1."""
    dag = Dag.from_names([("a", "b"), ("a", "c")])
    return plot_gantt(Trace.of(dag, [0, 2, 2], [2, 4, 5], [0, 0, 1]), **options)


def visitors(n: int, at_once: int, seed: int = 0) -> Trace:
    """Many jobs, each on a worker of its own, about so many at once."""
    rng = np.random.default_rng(seed)
    start = np.sort(rng.random(n)) * n / at_once
    return Trace.of(Dag.from_edges(n), start, start + rng.random(n) * 2, np.arange(n))


def test_each_job_is_a_bar_from_start_to_end_in_the_lane_of_its_worker() -> None:
    figure = three(title="three jobs")
    assert set(bars(figure)) == {(0, 2, 0), (2, 4, 0), (2, 5, 1)}
    assert sorted(words(figure)) == ["a", "b", "c"]
    assert figure.axes[0].get_ylabel() == "worker"
    assert figure.texts[0].get_text() == "three jobs"
    assert figure.axes[0].get_xlim()[1] == pytest.approx(5, rel=0.01)


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 99))
@settings(max_examples=25)
def test_as_many_bars_as_jobs_ran(n: int, at_once: int, seed: int) -> None:
    trace = visitors(n, at_once, seed)
    lane = lanes_of(trace).lane
    expected = {(trace.start_s[job], trace.end_s[job], int(lane[job])) for job in range(n)}
    assert set(bars(plot_gantt(trace))) == expected


def test_bars_are_coloured_from_dark_to_light_by_level_or_a_given_number() -> None:
    level = bars(three())
    assert level[2, 4, 0] == level[2, 5, 1]
    assert sum(level[0, 2, 0][0]) < sum(level[2, 4, 0][0])
    figure = three(shade=[3, 1, 2], shade_name="$priority\n")
    given_ = bars(figure)
    assert sum(given_[0, 2, 0][0]) > sum(given_[2, 5, 1][0]) > sum(given_[2, 4, 0][0])
    assert [axes.get_ylabel() for axes in figure.axes[0].child_axes] == ["$priority "]
    assert three(shade=[7, 7, 7]).axes[0].child_axes == []
    assert [axes.get_ylabel() for axes in three().axes[0].child_axes] == ["level"]


def test_kinds_differ_in_colour_or_hatch_and_are_named() -> None:
    figure = three(kinds=["one", "two $", "<b>"])
    assert len(set(bars(figure).values())) == 3
    assert legend(figure.axes[0]) == ["one", "two $", "<b>"]
    dag = Dag.from_edges(20)
    many = plot_gantt(Trace.of(dag, np.arange(20), np.arange(20) + 1), kinds=[f"k{i % 15}" for i in range(20)])
    assert legend(many.axes[0]) == ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "8 others"]
    assert len(set(bars(many).values())) == 8


def test_the_most_frequent_kinds_are_named() -> None:
    fill = Fill.by_kind(["rare"] + [f"k{i}" for i in range(9) for _ in range(2)], 19)
    assert fill.kinds == ("k0", "k1", "k2", "k3", "k4", "k5", "k6", "3 others")
    assert len(np.unique(fill.hatch)) == 8


def test_a_job_that_did_not_end_is_open_to_the_end() -> None:
    dag = Dag.from_names([("a", "b"), ("a", "c")], jobs=["a"])
    figure = plot_gantt(Trace.of(dag, [0, 2, 2.5], [2, NAN, 6], [0, 0, 1]))
    drawn = bars(figure)
    assert drawn[2, 6, 0] == ((1, 1, 1), "//////")
    assert drawn[2.5, 6, 1][1] is None
    assert legend(figure.axes[0]) == ["did not end"]


def test_names_stand_only_where_they_fit() -> None:
    names = ["x" * 500, "fits", "y" * 40, "tiny", "$a$ & <b>\n"]
    start, end = [0, 10, 20, 21, 22], [10, 20, 21, 21.01, 30]
    trace = Trace.of(Dag.from_edges(names), start, end, np.zeros(5, int))
    assert words(plot_gantt(trace)) == ["xxxxx…xxxxxx", "fits", "$a$ & <b> "]


def test_counts_are_those_of_the_trace() -> None:
    axes = three().axes[1]
    eligible, running = axes.get_lines()
    assert eligible.get_xydata().tolist() == [[0, 0], [2, 0], [4, 0], [5, 0]]
    assert running.get_xydata().tolist() == [[0, 1], [2, 2], [4, 1], [5, 0]]
    assert eligible.get_drawstyle() == running.get_drawstyle() == "steps-post"
    assert str(eligible._dash_pattern) != str(running._dash_pattern)
    assert legend(axes) == ["ELIGIBLE", "running"]


def test_jobs_wait_before_the_first_worker_comes() -> None:
    trace = Trace.of(Dag.from_edges(2), [3, 3], [4, 5])
    eligible, _ = plot_gantt(trace).axes[1].get_lines()
    assert eligible.get_xydata().tolist()[:2] == [[0, 2], [3, 0]]


def test_memory_and_its_limit_stand_below() -> None:
    mesh = generate.mesh(4)
    trace = list_schedule(mesh, 2)
    use = memory_over_time(footprint(mesh, "pebble"), trace)
    figure = plot_gantt(trace, memory=use, limit=5, unit="pebbles", resource="disk", across="time ($)")
    assert len(figure.axes) == 3
    axes = figure.axes[2]
    line, limit = axes.get_lines()
    assert np.array_equal(line.get_ydata(), use.size_bytes)
    assert set(limit.get_ydata()) == {5}
    assert (axes.get_ylabel(), legend(axes)) == ("disk (pebbles)", ["limit: 5 pebbles"])
    assert axes.get_xlabel() == "time ($)"


def test_clocks_begin_with_the_first_job() -> None:
    t = 1.7e9
    pair = Dag.from_names([("a", "b")])
    trace = Trace.of(pair, [t, t + 2], [t + 1, t + 3], [0, 0], measured=True)
    figure = plot_gantt(trace, memory=([t, t + 3], [1, 0]))
    assert set(bars(figure)) == {(0, 1, 0), (2, 3, 0)}
    assert figure.axes[2].get_lines()[0].get_xdata().tolist() == [0, 3]
    early = plot_gantt(Trace.of(pair, [-2, 0], [-1, 1], [0, 0]))
    assert early.axes[0].get_xlim()[0] == -2


@pytest.mark.parametrize(("n", "at_once"), [(MAX_BARS + 1, 5), (MAX_LANES * 8, MAX_LANES * 2)])
def test_many_jobs_or_lanes_are_merged(n: int, at_once: int, tmp_path: Path) -> None:
    figure = plot_gantt(visitors(n, at_once), kinds=["a", "b"] * (n // 2) + ["c"] * (n % 2))
    (image,) = figure.axes[0].images
    assert not figure.axes[0].collections
    assert image.get_array().shape == (len(lanes_of(visitors(n, at_once)).worker), 930, 3)
    assert legend(figure.axes[0])[:2] == ["a", "b"]
    save(figure, tmp_path / "many.svg")
    assert (tmp_path / "many.svg").stat().st_size < 1_500_000


def test_the_size_of_the_table_is_bounded_and_so_is_the_file(tmp_path: Path) -> None:
    trace = visitors(100_000, 4_000)
    assert len(lanes_of(trace).worker) > 3_000
    rng = np.random.default_rng(3)
    figure = plot_gantt(trace, shade=rng.random(trace.dag.n))
    assert figure.axes[0].images[0].get_array().shape == (500, 930, 3)
    for kind in ("svg", "png", "pdf"):
        save(figure, tmp_path / f"huge.{kind}")
        assert (tmp_path / f"huge.{kind}").stat().st_size < 4_000_000


@given(st.integers(1, 30), st.integers(1, 700), st.integers(0, 99), st.sampled_from([0.0, 0.001, 1.0, 30.0]))
@settings(max_examples=40)
def test_fields_are_as_busy_as_the_lanes_were(n: int, lanes: int, seed: int, longest: float) -> None:
    """Against a plain sum over jobs and fields; black jobs, so that darkness is the share."""
    rng = np.random.default_rng(seed)
    start = rng.random(n) * 50
    end = np.minimum(start + rng.random(n) * longest, 50.0)
    lane = rng.integers(0, lanes, n)
    boxes = Bars(np.arange(n), start, end, lane, np.zeros(n, bool), lanes)
    table = merge_bars(boxes, Fill(np.zeros((n, 3)), np.zeros(n, np.int64)), 0.0, 50.0)
    rows = min(lanes, 500)
    assert table.shape == (rows, 930, 3)
    busy = np.zeros((rows, 930))
    field = np.arange(931) * 50 / 930
    for job in range(n):
        left = min(start[job], 50 - 0.25 * 50 / 930)
        right = max(end[job], left + 0.25 * 50 / 930)
        part = np.clip(np.minimum(field[1:], right) - np.maximum(field[:-1], left), 0, None) * 930 / 50
        row = int(lane[job]) * rows // lanes
        busy[row] += part / sum(other * rows // lanes == row for other in range(lanes))
    shade = 255 * (1 - np.minimum(busy, 1))
    assert np.abs(table[:, :, 0] - shade).max() <= 0.5 + 1e-6
    assert np.all(table == table[:, :, :1])


def test_fields_take_the_mean_colour_of_their_jobs() -> None:
    boxes = Bars(np.arange(2), np.zeros(2), np.ones(2), np.array([0, 501]), np.zeros(2, bool), 1_000)
    table = merge_bars(boxes, Fill(np.array([[1.0, 0, 0], [0, 0, 1.0]]), np.zeros(2, np.int64)), 0.0, 1.0)
    assert np.unique(table[0].reshape(-1, 3), axis=0).tolist() == [[255, 128, 128]]
    assert np.unique(table[250].reshape(-1, 3), axis=0).tolist() == [[128, 128, 255]]
    assert np.unique(table[1:250]).tolist() == [255]


def test_long_curves_keep_their_steps_and_extremes() -> None:
    rng = np.random.default_rng(1)
    time = np.sort(np.concatenate([rng.random(50_000), [500.0, 1_000.0]]))
    values = rng.integers(10, 20, len(time))
    values[[77, 30_000]] = 99, 1
    chosen = worth_stepping(time, values)
    assert len(chosen) <= 2_004
    assert {0, 77, 30_000, len(time) - 1} <= set(chosen.tolist())
    assert np.all(np.diff(chosen) > 0)
    step = values[chosen[np.searchsorted(time[chosen], 250.0) - 1]]
    assert step == values[np.searchsorted(time, 250.0) - 1]  # what holds between far points is the last before


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_traces(n: int, tmp_path: Path) -> None:
    dag = Dag.from_edges(n)
    for times in ([NAN] * n, [0.0] * n, [5.0] * n):
        figure = plot_gantt(Trace.of(dag, times, times), kinds=["k"] * n)
        save(figure, tmp_path / "small.png")
        assert len(bars(figure)) == (len(set(times)) * n if not np.any(np.isnan(times)) and n else 0)


def test_names_are_only_text(tmp_path: Path) -> None:
    dag = Dag.from_edges(["<b>&", "$\\frac", "\x1b[31m"])
    trace = Trace.of(dag, [0, 1, 2], [1, 2, 3], [0, 0, 0])
    figure = plot_gantt(trace, title="$\\frac <i>", kinds=["$\\x", "<u>", "_k"], across="$\\y", resource="$\\z")
    save(figure, tmp_path / "names.svg")
    text = (tmp_path / "names.svg").read_text()
    for shown in ("&lt;b&gt;&amp;", "$\\frac", "\ufffd[31m", "$\\frac &lt;i&gt;", "$\\x", "&lt;u&gt;", "_k", "$\\y"):
        assert shown in text


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, trace in (("few", visitors(50, 5)), ("many", visitors(4_000, 50))):
        for kind in ("svg", "png", "pdf")[: 3 if name == "few" else 1]:
            for copy in "ab":
                save(plot_gantt(trace, title="x", memory=([0, 1], [5, 6]), limit=7), tmp_path / f"{name}{copy}.{kind}")
            assert (tmp_path / f"{name}a.{kind}").read_bytes() == (tmp_path / f"{name}b.{kind}").read_bytes()


def test_what_cannot_be_drawn_is_refused() -> None:
    for shade in ([1, 2], [1, 2, NAN], [1, 2, 1e308], ["a", "b", "c"], [[1], [2], [3]]):
        with pytest.raises(EligoError, match="one number for each of the 3 jobs"):
            three(shade=shade)
    with pytest.raises(EligoError, match="kinds for 1 jobs, not for 3"):
        three(kinds=["a"])
    with pytest.raises(ValueError, match="one size for each time"):
        three(memory=([0, 1], [1]))
