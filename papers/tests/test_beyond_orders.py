"""Our orders beside the papers': what is slower is found and listed, and simulations are shared with paper 002."""

from __future__ import annotations

import json

import pytest

import eligo
from eligo import generate
from eligo.simulation._ratios import Estimate
from eligo_papers import prio
from eligo_papers.beyond import orders as beyond_orders
from eligo_papers.beyond.orders import Verdicts, verdicts
from eligo_papers.beyond.orders_areas import area_section, areas_of
from eligo_papers.beyond.orders_files import simulate_files
from eligo_papers.chapter import AGREES, DIFFERS, UNEXPLAINED, Picture, Settings, Table
from eligo_papers.prio.grid import METRICS, Point
from eligo_papers.prio.workflows import generated
from papers.tests.doing import do

OVER_THEIRS, OVER_FIFO = "best/prio-2006", "best/fifo"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "sub").mkdir()
    eligo.write(generate.montage(40), folder / "sub" / "montage.json")
    eligo.write(generate.airsn(4), folder / "sub" / "fmri.dot")
    eligo.write(generate.chain(3), folder / "short.dag")
    (folder / "README.md").write_text("No workflow.\n")
    return Settings("tiny", folder)


@pytest.fixture(scope="module")
def found(settings):
    return do(beyond_orders.steps(settings))


def tables_of(sections):
    return {part.name: part for section in sections for part in section.parts if isinstance(part, Table)}


def test_nothing_is_left_unexplained_and_tables_have_their_rows(found, settings):
    sections, checks = beyond_orders.sections(found, settings)
    assert UNEXPLAINED not in {one.verdict for one in checks}
    assert [one.verdict for one in checks[:3]] == [AGREES] * 3  # AREA, by construction
    tables = tables_of(sections)
    assert all(len(row) == len(table.header) for table in tables.values() for row in table.rows)
    assert [row[0] for row in tables["areas"].rows][:4] == ["AIRSN", "Inspiral", "Montage", "SDSS"]
    assert {row[0][:3] for row in tables["areas"].rows[4:]} == {"000", "001", "003"}
    assert [row[2] for row in tables["times"].rows] == ["119"] * 10
    assert {row[0]: row[1] for row in tables["areas-folders"].rows} == {".": "1", "sub": "2"}
    assert {row[0]: row[2] for row in tables["times-files"].rows} == {"sub": "2"}  # three jobs are not worth a grid


def test_counts_of_a_row_add_up(found, settings):
    sections, _ = beyond_orders.sections(found, settings)
    for row in tables_of(sections)["times"].rows:
        grids, _, faster, same, slower, _ = map(int, row[2:8])
        assert faster + same + slower == grids


def test_pictures_show_both_ratios(found, settings):
    sections, _ = beyond_orders.sections(found, settings)
    pictures = [part for section in sections for part in section.parts if isinstance(part, Picture)]
    assert [picture.name for picture in pictures][:2] == ["times-airsn", "times-inspiral"]
    figure = pictures[0].draw()
    assert {text.get_text() for legend in figure.legends for text in legend.get_texts()} >= {OVER_THEIRS, OVER_FIFO}


@pytest.mark.parametrize("scale", ["tiny", "quick", "full"])
def test_simulations_are_those_of_paper_002(scale):
    def keys(steps):
        return {(step.name, step.run, json.dumps(dict(step.arguments), sort_keys=True)) for step in steps}

    settings = Settings(scale)
    ours = {one for one in keys(beyond_orders.steps(settings)) if one[0].startswith("simulate")}
    assert len(ours) >= 28
    assert ours < keys(prio.steps(settings))


def point(ratio, error, half, pair=OVER_FIFO, grid=(1.0, 16.0)):
    """A grid with this ratio, its standard error, and an interval so far to both sides."""
    intervals = dict.fromkeys(METRICS) | {"execution_time": [ratio, ratio - half, ratio + half]}
    other = {metric: [1.0, 1.0, 1.0] for metric in METRICS}
    return Point(
        *grid,
        {OVER_THEIRS: other, OVER_FIFO: other} | {pair: intervals},
        {OVER_THEIRS: Estimate(1.0, 0.0, 300), OVER_FIFO: Estimate(1.0, 0.0, 300)}
        | {pair: Estimate(ratio, error, 300)},
    )


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (point(0.9, 0.001, 0.02), (1, 1, 1, 0, 0)),  # faster, in both ways
        (point(0.9, 0.001, 0.2), (1, 0, 1, 0, 0)),  # by all runs only
        (point(0.999, 0.001, 0.2), (1, 0, 0, 0, 0)),  # not told apart
        (point(1.0, 0.0, 0.0), (1, 0, 0, 0, 0)),  # the same order
        (point(1.01, 0.001, 0.2), (1, 0, 0, 1, 0)),  # slower, by all runs
        (point(1.1, 0.001, 0.02), (1, 0, 0, 1, 1)),  # slower, in both ways
        (point(1.1, 0.05, 0.02), (1, 0, 0, 0, 1)),  # beyond the interval only
    ],
)
def test_slower_and_faster_are_told_in_both_ways(one, told):
    found = verdicts([one], OVER_FIFO)
    assert found[:5] == told
    assert found.slow == ((one,) if told[3] or told[4] else ())


def test_a_grid_without_an_interval_is_judged_by_all_runs():
    one = point(1.1, 0.001, 0.02)
    without = Point(1.0, 1.0, {OVER_FIFO: {"execution_time": None}}, one.estimates)
    assert verdicts([without], OVER_FIFO) == Verdicts(1, 0, 0, 1, 0, (without,))


def test_what_is_slower_is_listed_and_said_plainly():
    workflow = generated(Settings("tiny"))[0]
    points = [
        point(1.02, 0.001, 0.2, grid=(0.1, 2.0)),
        point(1.1, 0.001, 0.02, grid=(10.0, 8.0)),
        point(0.9, 0.001, 0.2),
    ]
    section, checks = beyond_orders._times_section([(workflow, points)])
    tables = tables_of([section])
    assert [row[2:] for row in tables["slower"].rows] == [
        ["10^-1", "2^1", "1.020 ± 0.001", "1.020 (0.820 to 1.220)", "no"],
        ["10^1", "2^3", "1.100 ± 0.001", "1.100 (1.080 to 1.120)", "yes"],
    ]
    told = {one.what: (one.here, one.verdict) for one in checks}
    fifo = "workflows of 002: grids on which best is slower than fifo, "
    assert told[f"{fifo}beyond the interval"] == ("1 of 3", DIFFERS)
    assert told[f"{fifo}by all runs"] == ("2 of 3", DIFFERS)
    assert [one.verdict for one in checks if "prio-2006" in one.what] == [AGREES, AGREES]


def test_files_that_are_slower_are_listed_with_their_worst_grid():
    files = {
        "sub/good.dag": [point(0.9, 0.001, 0.2)],
        "sub/bad.dag": [point(1.02, 0.001, 0.2), point(1.05, 0.001, 0.2, grid=(10.0, 8.0))],
    }
    real = {name: {"left": {"best": 5.0, "prio-2006": 4.0, "fifo": 3.0}} for name in files}
    section, checks = beyond_orders._files_section(files, real)
    (row,) = tables_of([section])["slower-files"].rows
    assert row[:6] == ["sub/bad.dag", OVER_FIFO, "2", "2", "0", "0"]
    assert row[6:9] == ["10^1", "2^3", "1.050 ± 0.001"]
    assert row[-2:] == ["5.00", "3.00"]
    assert "longer with best in 1 of these 1" in tables_of([section])["slower-files"].note
    assert [one.verdict for one in checks] == [AGREES, AGREES, AGREES, DIFFERS]


def test_a_smaller_area_would_be_noticed():
    areas = {"fifo": 10, "prio-2006": 11, "prio": 12, "area": 12, "best": 12}
    good = {"jobs": 5, "areas": areas, "bound": 12, "left": {}}
    _, checks = area_section({"good": good}, {})
    assert [one.verdict for one in checks] == [AGREES] * 3
    bad = good | {"areas": areas | {"best": 10}}
    _, checks = area_section({"good": good, "bad": bad}, {})
    assert [one.verdict for one in checks] == [AGREES, UNEXPLAINED, UNEXPLAINED]
    assert checks[1].here.startswith("1 of 2")
    _, checks = area_section({"big": good | {"areas": areas | {"prio-2006": None}}}, {})
    assert checks[1].verdict == AGREES


def test_areas_are_those_of_the_orders(tmp_path):
    eligo.write(generate.airsn(3), tmp_path / "a.dot")
    sources = {"a": {"file": str(tmp_path / "a.dot")}, "none": {"file": str(tmp_path / "b.dot")}}
    found = areas_of(sources, 2)
    assert list(found) == ["a"]
    for order, area in found["a"]["areas"].items():
        assert area == eligo.prioritize(generate.airsn(3), order).schedule.area
    assert found["a"]["bound"] >= found["a"]["areas"]["best"] > found["a"]["areas"]["fifo"]
    assert areas_of(sources, 1_000) == {}


def test_the_path_that_is_left_is_counted_in_jobs():
    chain = areas_of({"chain": {"family": "chain", "arguments": {"length": 4}}}, 1)["chain"]
    assert chain["left"]["best"] == (4 + 3 + 2 + 1) / 4


def test_only_files_of_a_size_are_simulated():
    sources = {str(n): {"family": "chain", "arguments": {"length": n}} for n in (3, 5, 9)}
    assert list(simulate_files(sources, [4, 8], samples=10, runs=1, seed=1)) == ["5"]
