"""Pictures of dags: what is drawn, in which state, and that names are only text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.transforms import Affine2D

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.report import draw_dag, draw_game, save
from eligo.report._dag_drawing import LOOKS, Drawing, Shape
from eligo.report._style import styled, text_width
from eligo.schedule import Schedule
from tests.strategies import dags

DIAMOND = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
SVG = "{http://www.w3.org/2000/svg}"


def drawn(figure: Figure, label: str) -> list:
    return [item for item in figure.axes[0].collections if item.get_label() == label]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def jobs_by_rim(figure: Figure) -> dict[tuple[str, float], int]:
    """How many jobs have each colour and width of rim."""
    return {
        (to_hex(item.get_edgecolors()[0]), item.get_linewidths()[0]): len(item.get_offsets())
        for item in drawn(figure, "jobs")
    }


def rim(state: str) -> tuple[str, float]:
    return to_hex(LOOKS[state].rim), LOOKS[state].rim_pt


@given(dags(max_jobs=9, known=False))
@settings(max_examples=40)
def test_every_job_and_every_edge_is_drawn_once(dag: Dag) -> None:
    figure = draw_dag(dag)
    assert sum(len(item.get_offsets()) for item in drawn(figure, "jobs")) == dag.n
    assert sum(len(item.get_paths()) for item in drawn(figure, "arrows")) == dag.m
    assert sum(len(item.get_paths()) for item in drawn(figure, "arrowheads")) == dag.m
    assert sorted(texts(figure)) == sorted(dag.names)


def test_states_differ_in_fill_and_rim_not_only_in_colour() -> None:
    figure = draw_dag(DIAMOND, executed=[0, 1])
    assert jobs_by_rim(figure) == {rim("EXECUTED"): 2, rim("ELIGIBLE"): 1, rim("waiting"): 1}
    assert len({(look.face, look.rim_pt) for look in LOOKS.values()}) == len(LOOKS)
    assert texts(figure)[-3:] == ["EXECUTED", "ELIGIBLE", "waiting"]


def test_no_states_unless_asked_for() -> None:
    assert jobs_by_rim(draw_dag(DIAMOND)) == {rim(""): 4}
    assert jobs_by_rim(draw_dag(DIAMOND, executed=[])) == {rim("ELIGIBLE"): 1, rim("waiting"): 3}
    assert jobs_by_rim(draw_dag(DIAMOND, eligible=[1, 2])) == {rim("ELIGIBLE"): 2, rim("waiting"): 2}


def test_a_step_of_a_schedule() -> None:
    schedule = Schedule.of(DIAMOND, [0, 2, 1, 3])
    figure = draw_dag(DIAMOND, schedule=schedule, step=2, legend=False)
    assert jobs_by_rim(figure) == {rim("EXECUTED"): 2, rim("ELIGIBLE"): 1, rim("waiting"): 1}
    assert texts(figure) == ["a", "b", "c", "d"]


def test_labels() -> None:
    schedule = Schedule.of(DIAMOND, [0, 2, 1, 3])
    assert texts(draw_dag(DIAMOND, schedule=schedule, labels="priority")) == ["4", "2", "3", "1"]
    assert texts(draw_dag(DIAMOND, schedule=schedule, labels="position")) == ["1", "3", "2", "4"]
    assert texts(draw_dag(DIAMOND, labels=["w", "x", "y", "z"])) == ["w", "x", "y", "z"]
    assert texts(draw_dag(DIAMOND, labels="none")) == ["", "", "", ""]


def test_a_game_has_a_picture_for_each_step_with_its_eligible_jobs() -> None:
    dag = generate.mesh(5)
    schedule = Schedule.of(dag, dag.order)
    steps = [0, 3, 5, 15]
    figure = draw_game(schedule, steps)
    captions = [text for text in texts(figure) if text.startswith("t =")]
    assert captions == [f"t = {t},  E = {schedule.profile[t]}" for t in steps]
    counts = dict.fromkeys(("EXECUTED", "ELIGIBLE", "waiting"), 0)
    for item in drawn(figure, "jobs"):
        state = next(s for s in counts if rim(s)[0] == to_hex(item.get_edgecolors()[0]))
        counts[state] += len(item.get_offsets())
    eligible = int(schedule.profile[steps].sum())
    assert counts == {"EXECUTED": sum(steps), "ELIGIBLE": eligible, "waiting": 4 * dag.n - sum(steps) - eligible}


def test_groups_share_jobs_and_split_edges() -> None:
    figure = draw_dag(DIAMOND, groups={"upper": [0, 1, 2], "lower": [1, 2, 3]})
    assert [len(item.get_paths()) for item in drawn(figure, "arrows")] == [2, 2]
    assert len({str(item.get_linestyle()) for item in drawn(figure, "arrows")}) == 2
    assert sorted(len(item.get_paths()) for item in drawn(figure, "groups")) == [3, 3]
    assert texts(figure)[-2:] == ["upper", "lower"]


def test_edges_between_groups_are_plain() -> None:
    figure = draw_dag(DIAMOND, groups=[[0, 1], [3]])
    assert sorted(len(item.get_paths()) for item in drawn(figure, "arrows")) == [1, 3]


def test_neighbouring_groups_differ_without_colour() -> None:
    figure = draw_dag(generate.chain(29), groups=[[i, i + 1] for i in range(28)])
    lightness = sorted(item.get_facecolors()[0][:3] @ [0.2126, 0.7152, 0.0722] for item in drawn(figure, "groups"))
    assert len(lightness) == 7
    assert np.diff(lightness).min() > 0.03
    assert texts(figure)[-1] == "and 8 more"


def test_everything_lies_on_the_sheet() -> None:
    for dag in (generate.montage(60), generate.uniform(40, 0.1), generate.random_tree(50), DIAMOND):
        figure = draw_dag(dag, title="a title " * 5, groups=[range(dag.n)])
        width, height = figure.get_size_inches()
        for item in drawn(figure, "arrows"):
            corner = np.array((item.get_transform() - figure.axes[0].transData).transform((0.0, 0.0)))
            for path in item.get_paths():
                places = path.vertices + corner
                assert (places >= 0).all()
                assert (places <= [width, height]).all()
        for item in drawn(figure, "jobs"):
            assert (item.get_offsets() > 0.1).all()
            assert (item.get_offsets() < [width - 0.1, height - 0.1]).all()


def outside(places: np.ndarray, centre: np.ndarray, shape: Shape) -> bool:
    apart = np.abs(places - centre)
    if shape.rounding == shape.half_width:
        return bool((np.hypot(*apart.T) >= shape.half_width).all())
    return bool((apart >= [shape.half_width, shape.half_height]).any(axis=1).all())


def check_arrows(dag: Dag, label: str) -> None:
    """No arrow runs through a job that is not one of its ends."""
    with styled():
        drawing = Drawing.of(dag, [label.format(i) for i in range(dag.n)])
    for line, tail, head in zip(drawing.lines, dag.tails.tolist(), dag.heads.tolist(), strict=True):
        fine = line.transformed(Affine2D().scale(200)).cleaned(curves=False).vertices[:-1] / 200
        places = np.vstack([np.linspace(p, q, 8) for p, q in pairwise(fine)])
        for job in set(range(dag.n)) - {tail, head}:
            assert outside(places, drawing.at[job], drawing.shape)


LABELS = ["{}", "job number {}"]


@given(dags(max_jobs=12, known=False), st.sampled_from(LABELS))
@settings(max_examples=50)
def test_no_arrow_runs_through_a_job(dag: Dag, label: str) -> None:
    check_arrows(dag, label)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    "dag",
    [generate.fork_join(25), generate.montage(40), generate.random_tree(50)]
    + [generate.uniform(30, 0.1, seed=seed) for seed in range(4)],
)
def test_no_arrow_runs_through_a_job_of_a_wide_or_tangled_dag(dag: Dag, label: str) -> None:
    check_arrows(dag, label)


@pytest.mark.parametrize("dag", [generate.airsn(5), generate.fft(3), generate.montage(40)])
def test_labels_fit_their_jobs(dag: Dag) -> None:
    with styled():
        drawing = Drawing.of(dag, dag.names)
    widest = max(text_width(name, bold=True) for name in dag.names)
    assert widest < 2 * drawing.shape.half_width


@pytest.mark.parametrize("shape", [Shape.disc(0.2), Shape.box(1.0, 0.3)])
def test_strips_make_up_the_shape(shape: Shape) -> None:
    def area(p: np.ndarray) -> float:
        x, y = p.T
        return abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2

    whole = area(shape.outline())
    for k in (1, 2, 3):
        strips = [shape.strip(i, k) for i in range(k)]
        assert sum(map(area, strips)) == pytest.approx(whole)
        assert [s[:, 1].min() for s in strips] == sorted(s[:, 1].min() for s in strips)


HOSTILE = [
    "<script>alert(1)</script>",
    '"/><image href="http://example.org/x"/>',
    "]]><!--",
    "&lt;&amp;",
    "$\\frac{1}{0}$",
    "a\nb\x00\x1b[2J",
    "\u202egnp.exe",
    "\ud800",
    "_hidden",
    "工作",
    "🙂",
    " ",
    "x" * 500,
]


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    dag = Dag.from_edges(HOSTILE, range(len(HOSTILE) - 1), range(1, len(HOSTILE)))
    figure = draw_dag(dag, title=HOSTILE[0] + "$x", groups={name: [i] for i, name in enumerate(HOSTILE)})
    for suffix in ("svg", "png", "pdf"):
        save(figure, tmp_path / f"hostile.{suffix}")
    root = ET.parse(tmp_path / "hostile.svg").getroot()
    assert {element.tag for element in root.iter() if element.tag.startswith(SVG)} <= {
        SVG + tag for tag in ("svg", "metadata", "defs", "style", "g", "path", "use", "text", "clipPath", "rect")
    }
    shown = [element.text for element in root.iter(SVG + "text")]
    assert "<script…/script>" in shown
    assert "$\\frac{1}{0}$" in shown
    assert "a b\ufffd\ufffd[2J" in shown
    assert "\ufffdgnp.exe" in shown
    assert "工作" in shown
    assert "http:" not in "".join(value for e in root.iter() for k, value in e.attrib.items() if k.endswith("href"))


@given(st.text(st.characters(), max_size=30))
@settings(max_examples=30)
def test_any_name_makes_a_valid_file(name: str) -> None:
    import io

    stream = io.BytesIO()
    with styled():
        draw_dag(Dag.from_edges([name]), title=name, groups={name: [0]}).savefig(stream, format="svg")
    ET.fromstring(stream.getvalue())


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(EligoError, match=r"job 'd' is EXECUTED but 'b', which it waits for, is not"):
        draw_dag(DIAMOND, executed=[0, 2, 3])
    with pytest.raises(EligoError, match=r"picture of 2,001 jobs and 2,000 edges would show nothing"):
        draw_dag(generate.chain(2_001))
    schedule = Schedule.of(DIAMOND, [0, 1, 2, 3])
    with pytest.raises(EligoError, match=r"there is no step 5"):
        draw_game(schedule, [5])
    with pytest.raises(EligoError, match=r"there is no step -1"):
        draw_dag(DIAMOND, schedule=schedule, step=-1)
    with pytest.raises(EligoError, match=r"schedule is one of another dag"):
        draw_dag(generate.chain(4), schedule=schedule)
    with pytest.raises(ValueError, match=r"needs? a schedule"):
        draw_dag(DIAMOND, labels="priority")
    with pytest.raises(ValueError, match=r"needs? a schedule"):
        draw_dag(DIAMOND, step=1)
    with pytest.raises(ValueError, match=r"4 texts"):
        draw_dag(DIAMOND, labels=["only one"])
    with pytest.raises(ValueError, match=r"no steps"):
        draw_game(schedule, [])


def test_large_pictures_shrink() -> None:
    figure = draw_dag(generate.fork_join(700), title="wide")
    assert max(figure.get_size_inches()) < 65
    assert len(texts(figure)) == 1
