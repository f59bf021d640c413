"""Profiles as curves, and the table of a sweep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from eligo import generate
from eligo.errors import EligoError
from eligo.report import plot_gain, plot_profiles, plot_sweep, save
from eligo.schedule import Schedule


def boxes(figure: Figure) -> list[str]:
    """The numbers that stand in boxes, from top to bottom and left to right."""
    axes = figure.axes[0]
    (collection,) = [item for item in axes.collections if item.get_label() == "boxes"]
    numbers = {tuple(np.round(text.get_position(), 6)): text.get_text() for text in axes.texts}
    return [numbers[tuple(np.round(path.vertices[:4].mean(axis=0), 6))] for path in collection.get_paths()]


def test_curves_are_the_profiles() -> None:
    mesh = generate.mesh(4)
    schedule = Schedule.of(mesh, mesh.order)
    other = np.minimum(schedule.profile, 2)
    figure = plot_profiles({"level by level": schedule, "other": other}, title="mesh")
    axes = figure.axes[0]
    first, second = axes.get_lines()
    assert np.array_equal(first.get_ydata(), schedule.profile)
    assert np.array_equal(second.get_ydata(), other)
    assert first.get_drawstyle() == second.get_drawstyle() == "steps-post"
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("jobs executed", "ELIGIBLE jobs", "mesh")


def test_curves_differ_without_colour() -> None:
    lines = plot_profiles({str(i): [i, 1, 0] for i in range(6)}).axes[0].get_lines()
    assert len({(str(line._dash_pattern), line.get_marker()) for line in lines}) == 6


def test_names_of_curves_are_only_text(tmp_path: Path) -> None:
    names = ["_hidden", "$\\frac", "<b>&", "a\nb"]
    figure = plot_profiles({name: [1, 0] for name in names}, title="$\\frac")
    save(figure, tmp_path / "curves.svg")
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == ["_hidden", "$\\frac", "<b>&", "a b"]
    assert "&lt;b&gt;&amp;" in (tmp_path / "curves.svg").read_text()


def test_long_profiles_make_small_files(tmp_path: Path) -> None:
    airsn = generate.airsn(10_000)
    save(plot_profiles({"fifo": Schedule.of(airsn, airsn.order)}), tmp_path / "airsn.svg")
    assert (tmp_path / "airsn.svg").stat().st_size < 40_000


def test_thinned_profiles_keep_every_peak_and_both_ends() -> None:
    rng = np.random.default_rng(4)
    profile = rng.integers(0, 10, 100_000)
    profile[[123, 45_678, 99_000]] = 500, -1, 700
    (line,) = plot_profiles({"x": profile}).axes[0].get_lines()
    steps, values = line.get_xdata(), line.get_ydata()
    assert len(steps) < 2_500
    assert np.array_equal(profile[steps], values)
    assert np.all(np.diff(steps) > 0)
    assert {0, 123, 45_678, 99_000, 99_999} <= set(steps.tolist())


def test_the_gain_is_the_difference() -> None:
    ours, fifo, bound = np.array([2, 3, 2, 1, 0]), np.array([2, 1, 3, 1, 0]), np.array([2, 3, 3, 1, 0])
    above, below = plot_gain(ours, fifo, bound, name="prio", title="fork").axes
    named = dict(zip([text.get_text() for text in above.get_legend().get_texts()], [ours, fifo, bound], strict=True))
    assert list(named) == ["prio", "fifo", "bound"]
    drawn = [line.get_ydata().tolist() for line in above.get_lines()]
    assert sorted(drawn) == sorted(profile.tolist() for profile in named.values())
    assert below.get_lines()[-1].get_ydata().tolist() == [0, 2, -1, 0, 0]
    assert len(below.collections) == 2
    assert (above.get_xlabel(), below.get_xlabel()) == ("", "jobs executed")


@pytest.mark.parametrize("profile", [[0], [1, 0], [1, 1, 0]])
def test_the_gain_of_the_smallest_dags(profile: list[int], tmp_path: Path) -> None:
    figure = plot_gain(profile, profile, profile)
    assert figure.axes[1].get_ylim() == (-1, 1)
    save(figure, tmp_path / "gain.png")
    assert (tmp_path / "gain.png").read_bytes().startswith(b"\x89PNG")


def test_gains_are_of_one_dag() -> None:
    with pytest.raises(ValueError, match="as many steps"):
        plot_gain([1, 0], [1, 1, 0])


@pytest.mark.parametrize("bad", [[], [0.5, 1.0], [[1, 2]], ["1"]])
def test_what_is_no_profile_is_refused(bad: list) -> None:
    with pytest.raises(ValueError, match=r"whole numbers"):
        plot_profiles({"bad": bad})
    with pytest.raises(ValueError, match=r"no profiles"):
        plot_profiles({})


def test_the_tables_of_the_paper() -> None:
    """Tables 2 and 4 of Cordasco, Malewicz and Rosenberg 2010."""
    assert boxes(plot_sweep([0, 4, 6], [0, 3, 5])) == ["0", "4", "7", "9", "9", "11"]
    assert boxes(plot_sweep([0, 0, 1, 2], [0, 0, 0, 1, 3])) == ["0", "0", "3", "0", "3", "1", "4", "2", "5"]


def test_boxes_are_the_largest_on_their_diagonal() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        e1, e2 = (np.concatenate([[0], np.cumsum(rng.integers(0, 3, rng.integers(1, 6)))]) for _ in range(2))
        largest = [
            max(e1[i] + e2[k - i] for i in range(len(e1)) if 0 <= k - i < len(e2)) for k in range(len(e1) + len(e2) - 1)
        ]
        expected = [
            str(e1[i] + e2[j]) for i in range(len(e1)) for j in range(len(e2)) if e1[i] + e2[j] == largest[i + j]
        ]
        assert boxes(plot_sweep(e1, e2)) == expected


def test_the_path_goes_through_the_fields() -> None:
    path = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
    axes = plot_sweep([0, 4, 6], [0, 3, 5], path).axes[0]
    (line,) = [item for item in axes.get_lines() if item.get_label() == "path"]
    numbers = {tuple(np.round(text.get_position(), 6)): text.get_text() for text in axes.texts}
    assert [numbers[tuple(np.round(point, 6))] for point in line.get_xydata()] == ["0", "4", "7", "9", "11"]


def test_given_values_are_boxed() -> None:
    assert boxes(plot_sweep([0, 1], [0, 2], best=[0, 1, 9])) == ["0", "1"]


def test_bad_tables_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one down or right"):
        plot_sweep([0, 1], [0, 1], [(0, 0), (1, 1)])
    with pytest.raises(ValueError, match=r"one down or right"):
        plot_sweep([0, 1], [0, 1], [(0, 1), (0, 2)])
    with pytest.raises(ValueError, match=r"3 values"):
        plot_sweep([0, 1], [0, 1], best=[0])
    with pytest.raises(EligoError, match=r"cannot be read"):
        plot_sweep(range(100), range(100))
