"""Paper 002 at the smallest scale: the chapter is complete, its numbers are the simulator's, and it can differ."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import eligo
from eligo import generate, graph
from eligo.errors import EligoError
from eligo.priority._prioritize import prioritize
from eligo.simulation import Grid, simulate
from eligo.simulation._grid_sweep import BATCHES, INTERARRIVALS
from eligo.simulation._ratios import Estimate, estimate, ratio, summarize
from eligo_papers import prio
from eligo_papers.chapter import AGREES, DIFFERS, ERRATUM, UNEXPLAINED, Picture, Settings, Table
from eligo_papers.plots.difference_panels import plot_differences
from eligo_papers.prio.blocks import component_facts
from eligo_papers.prio.decides import best_at, best_in_all, cases, decided
from eligo_papers.prio.grid import SEED, Point, grid_of, grid_steps, points_of, simulate_points
from eligo_papers.prio.orders import compare_orders
from eligo_papers.prio.overhead import measure_overhead
from eligo_papers.prio.rules import LINEAR, OUTDEGREE, VALID
from eligo_papers.prio.statements import grid_checks, headline_checks
from eligo_papers.prio.variants import airsn_with_levels, inspiral_tied, montage_in_plates, shuffled
from eligo_papers.prio.workflows import dag_of, find_files, generated, workflows
from papers.tests.doing import do

PAIR = "prio-2006/fifo"
DAX = """<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="2.1" jobCount="3">
<job id="a" name="one"/><job id="b" name="two"/><job id="c" name="two"/>
<child ref="b"><parent ref="a"/></child><child ref="c"><parent ref="a"/></child></adag>
"""
TINY = Settings("tiny")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with two Montages, an Inspiral, and something that is no workflow."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "sub").mkdir()
    eligo.write(generate.montage(30), folder / "montage-30.json")
    eligo.write(generate.montage(40), folder / "sub" / "Montage_40.json")
    (folder / "sub" / "inspiral.xml").write_text(DAX)
    (folder / "montage.xml").write_text("<adag")
    return folder


@pytest.fixture(scope="module")
def settings(data):
    return Settings("tiny", data)


@pytest.fixture(scope="module")
def found(settings):
    return do(prio.steps(settings))


@pytest.fixture(scope="module")
def chapter(found, settings):
    return prio.chapter(found, settings)


def parts(chapter, kind):
    return {part.name: part for section in chapter.sections for part in section.parts if isinstance(part, kind)}


def test_nothing_is_left_unexplained(chapter):
    assert chapter.count(UNEXPLAINED) == 0
    assert {one.where for one in chapter.checks} >= {"Abstract", "Fig. 3", "Fig. 5", "Section 3.6", "Section 4.3"}
    assert all(one.why for one in chapter.checks if one.verdict == DIFFERS)
    assert all(one.why for one in chapter.checks if one.verdict == ERRATUM)
    assert chapter.count(ERRATUM) == 3
    fixed = [one.verdict for one in chapter.checks if one.where in ("Fig. 3", "Section 3.2")]
    assert fixed == [AGREES] * 3


def test_what_is_held_against_the_print_is_told(chapter):
    told = {one.what: one for one in chapter.checks}
    rough = ("about 1", "not about 1", "close to 1", "typically, at every step", "almost exclusively")
    assert {one.printed for what, one in told.items() if "%" in what} >= set(rough)
    assert all("%" in what for what, one in told.items() if one.printed in rough)
    assert [one.printed for what, one in told.items() if "time of the tool" in what] == [
        "under 1 s",
        "16 s",
        "8 s",
        "845 s",
    ]
    assert told["Inspiral: memory of the tool"].printed == "at most 21 MB"
    assert sum("at 10^-2" in what for what in told) == 4


def test_the_papers_own_p_and_q_and_the_widest_interval_are_told(found, chapter, settings):
    about = next(one.parts[0] for one in chapter.sections if one.title.startswith("Fig. 6"))
    assert "p = 300 and q = 300" in about
    widths = [
        (high - low, f"{low:.2f} to {high:.2f}")
        for one in generated(settings)
        for point in grid_of(found, one)
        for _, low, high in [point.intervals[PAIR]["execution_time"]]
    ]
    assert max(widths)[1] in about


def test_all_tables_have_their_rows(chapter):
    tables = parts(chapter, Table)
    assert all(len(row) == len(table.header) for table in tables.values() for row in table.rows)
    names = ("airsn", "inspiral", "montage", "sdss", "real-montage", "gallery-inspiral")
    assert [len(tables[f"numbers-{name}"].rows) for name in names] == [119] * 6
    assert [len(tables[f"fig{i}-times"].rows) for i in (6, 7, 8, 9)] == [17] * 4
    assert [row[0] for row in tables["fig6-times"].rows] == [f"2^{i}" for i in range(17)]
    assert len(tables["fig4"].rows) == 18
    assert len(tables["variants"].rows) == 13
    assert len(tables["handles"].rows) == 5
    assert len(tables["overhead"].rows) == 4
    assert tables["workflows"].rows[4][0] == "Montage, real, 40 jobs"
    assert "a trace (Montage_40.json)" in tables["workflows"].rows[4][4]
    assert tables["workflows"].rows[5][0] == "Inspiral, gallery, 3 jobs"
    assert "a generator made (inspiral.xml)" in tables["workflows"].rows[5][4]
    assert [row[0] for row in tables["rules"].rows] == [LINEAR, VALID, OUTDEGREE]


def test_pictures_can_be_drawn(chapter):
    pictures = parts(chapter, Picture)
    assert set(pictures) >= {"fig4", "fig5", "fig6", "fig7", "fig8", "fig9", "real-montage", "gallery-inspiral"}
    assert pictures["fig6"].draw().axes[0].get_ylabel() == "execution time"
    assert [axes.get_title() for axes in pictures["fig4"].draw().axes][:2] == ["AIRSN", "Inspiral"]
    words = [text.get_text() for text in pictures["fig5"].draw().axes[0].texts]
    assert "the bottleneck" in words


def test_without_a_folder_only_generated_workflows_are_used(found):
    made = prio.chapter(found, TINY)
    assert len(parts(made, Table)["workflows"].rows) == 4
    assert not any(word in step.name for step in prio.steps(TINY) for word in ("real", "gallery"))


def test_steps_are_told_apart_and_can_be_kept(settings):
    steps = prio.steps(settings)
    assert len({step.name for step in steps}) == len(steps)
    for step in steps:
        assert json.loads(json.dumps(dict(step.arguments))) == dict(step.arguments)
        assert getattr(import_module(step.run.__module__), step.run.__name__) is step.run
    assert [step.name for step in steps if step.alone] == ["measure the overhead"]


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_steps_cover_the_grid_once_in_bearable_pieces(scale):
    for workflow in generated(Settings(scale)):
        steps = grid_steps(workflow)
        grids = [
            (time, batch) for s in steps for time in s.arguments["interarrivals"] for batch in s.arguments["batches"]
        ]
        assert sorted(grids) == sorted((time, batch) for time in INTERARRIVALS for batch in BATCHES)
        assert max(step.weight for step in steps) < 700
        assert workflow.samples >= 40
    if scale == "quick":
        assert sum(step.weight for step in prio.steps(Settings(scale))) < 480


def test_a_grid_is_what_the_simulator_finds(found):
    workflow = generated(TINY)[0]
    point = next(one for one in grid_of(found, workflow) if (one.interarrival, one.batch) == (1.0, 4.0))
    dag = dag_of(workflow.source)
    told = simulate(
        dag,
        {"best": prioritize(dag, "best").schedule, "prio-2006": prioritize(dag, "prio-2006").schedule, "fifo": "fifo"},
        grid=Grid(interarrival=1.0, batch=4.0),
        samples=workflow.samples,
        runs=workflow.runs,
        seed=SEED,
        common=True,
        on="here",
    )
    for pair, estimated in point.estimates.items():
        mine, theirs = (told.values[name]["execution_time"] for name in pair.split("/"))
        of_all = ratio(mine, theirs)
        assert point.intervals[pair]["execution_time"] == [of_all.median, of_all.low, of_all.high]
        matched = estimate(summarize(mine), summarize(theirs), ratio(mine, theirs, paired=True), len(mine))
        assert (estimated.ratio, estimated.error) == matched[:2]
    assert told.estimates()[PAIR] == point.estimates[PAIR]
    stalling = ratio(told.values["best"]["stalling"], told.values["fifo"]["stalling"])
    assert point.intervals["best/fifo"]["stalling"] == (stalling and [stalling.median, stalling.low, stalling.high])


def test_numbers_do_not_depend_on_how_grids_are_cut():
    source = {"family": "airsn", "arguments": {"width": 6}}
    options = {"samples": 12, "runs": 2, "seed": 3}
    together = simulate_points(source, ["prio-2006"], [0.1, 1.0], [1.0, 4.0], **options)
    apart = [
        one for time in (0.1, 1.0) for one in simulate_points(source, ["prio-2006"], [time], [1.0, 4.0], **options)
    ]
    assert together == apart
    assert together != simulate_points(source, ["prio-2006"], [0.1, 1.0], [1.0, 4.0], samples=12, runs=2, seed=4)


def made_up(ratios, error=0.0005):
    """Points with these ratios of execution times, by interarrival and batch."""
    return [
        Point(
            time,
            batch,
            {PAIR: {"execution_time": [value, value - 0.01, value + 0.01], "stalling": None, "utilization": None}},
            {PAIR: Estimate(value, error, 300)},
        )
        for (time, batch), value in ratios.items()
    ]


def valley(best, depth, width=2):
    """Ratios with a valley at one batch size, and half as deep at the next, whatever the interarrival from 0.1 on."""
    depths = {best * 2**i: depth / 2**i for i in range(width)}
    return {
        (time, batch): 1 - (depths.get(batch, 0.0) if time >= 0.1 else 0.0)
        for time in INTERARRIVALS
        for batch in BATCHES
    }


def test_the_best_batch_is_where_the_ratio_is_smallest():
    points = made_up(valley(2.0**5, 0.1) | {(0.001, 1.0): 0.5, (10.0, 2.0): 0.85})
    assert best_at(points, 10.0, PAIR)[0] == 2.0
    assert best_at(points, 1.0, PAIR)[0] == 2.0**5
    assert best_in_all(points).batch == 2.0**5  # what comes before 0.1 does not count
    assert str(best_in_all(points)).startswith("2^5 (0.900")
    assert str(best_in_all(made_up(valley(2.0**5, 0.001), error=0.01))) == "no clear gain"


def checks_of(found, grids):
    some = generated(TINY)
    base = {one.name: grid_of(found, one) for one in some}
    results = decided(found, cases(some, TINY), base)
    return {one.what: one for one in grid_checks(grids, some, results)}


def test_statements_hold_of_grids_as_printed(found):
    depths = {"airsn": (5, 0.2), "inspiral": (9, 0.1), "montage": (7, 0.05), "sdss": (13, 0.08)}
    grids = {name: made_up(valley(2.0**power, depth)) for name, (power, depth) in depths.items()}
    grids["sdss"] = made_up(valley(2.0**13, 0.08) | {(0.001, 16.0): 0.9})
    checks = checks_of(found, grids)
    assert [one.what for one in checks.values() if one.verdict != AGREES] == []


@pytest.mark.parametrize(
    ("name", "ratios", "what"),
    [
        ("airsn", valley(2.0**3, 0.2), "AIRSN: batch size of the largest advantage"),
        ("montage", valley(2.0**7, 0.3), "all: gains are strongest for one workflow, weakest for another"),
        ("inspiral", valley(2.0**9, 0.0), "all: gains are strongest for one workflow, weakest for another"),
        ("sdss", valley(2.0**13, 0.08, width=1), "SDSS: PRIO has some advantage for a range of batches"),
        *(
            (name, valley(best, depth) | {(0.01, 4.0): 1.1}, f"{title}: ratio of execution times at 10^-2")
            for name, title, best, depth in (
                ("airsn", "AIRSN", 2.0**5, 0.2),
                ("inspiral", "Inspiral", 2.0**9, 0.1),
                ("montage", "Montage", 2.0**7, 0.05),
                ("sdss", "SDSS", 2.0**13, 0.08),
            )
        ),
        (
            "inspiral",
            valley(2.0**9, 0.1) | {(1.0, 64.0): 1.1},
            "Inspiral: PRIO has some advantage for a range of batches",
        ),
        ("inspiral", valley(2.0**9, 0.1) | {(0.001, 4.0): 0.9}, "Inspiral: ratio of execution times at 10^-3"),
        ("sdss", valley(2.0**13, 0.08), "SDSS: ratio of execution times at 10^-3"),
        ("sdss", valley(2.0**13, 0.08) | {(10.0, 2.0**16): 0.9}, "all: ratio of execution times at batches of 2^16"),
        ("airsn", valley(2.0**5, 0.2) | {(1.0, 1.0): 0.9}, "all: ratio of execution times at batches of 2^0"),
        ("airsn", valley(2.0**5, 0.2) | {(0.1, 1.0): 0.7}, "AIRSN: the best batch size at each time"),
    ],
)
def test_statements_fail_of_other_grids(found, name, ratios, what):
    depths = {"airsn": (5, 0.2), "inspiral": (9, 0.1), "montage": (7, 0.05), "sdss": (13, 0.08)}
    grids = {one: made_up(valley(2.0**power, depth)) for one, (power, depth) in depths.items()}
    grids[name] = made_up(ratios)
    told = [one for key, one in checks_of(found, grids).items() if key.startswith(what)]
    assert [one.verdict for one in told] == [DIFFERS]


@pytest.mark.parametrize("ratio_too_early", [0.7, 1.3])
def test_gains_count_from_a_tenth_on_and_losses_decide_among_equals(found, ratio_too_early):
    depths = {"airsn": (5, 0.2), "inspiral": (9, 0.0), "montage": (7, 0.0), "sdss": (13, 0.08)}
    grids = {one: made_up(valley(2.0**power, depth)) for one, (power, depth) in depths.items()}
    grids["inspiral"] = made_up(valley(2.0**9, 0.0) | {(0.01, 4.0): ratio_too_early, (1.0, 64.0): 1.1})
    strongest = [one for what, one in checks_of(found, grids).items() if what.startswith("all: gains")]
    assert strongest[0].verdict == DIFFERS
    assert strongest[0].here.endswith("; Montage no clear gain; Inspiral no clear gain, a loss of up to 1.100")


def test_reasons_of_airsn_name_what_other_handles_give(found):
    grids = {one.name: made_up(valley(2.0**5, 0.2) | {(0.1, 1.0): 0.7}) for one in generated(TINY)}
    checks = checks_of(found, grids)
    some = generated(TINY)
    results = decided(found, cases(some, TINY), {one.name: grid_of(found, one) for one in some})
    small = next(one for what, one in checks.items() if what.startswith("AIRSN: ratio of execution times at batches"))
    assert f"of 5 levels {results['airsn-5'].at(0.1, 1.0)}" in small.why
    best = next(one for what, one in checks.items() if what.startswith("AIRSN: the best batch size at each"))
    assert f"2^{round(np.log2(best_at(results['airsn-8'].points, 10.0).batch))} at 10^1" in best.why


@pytest.mark.parametrize(
    ("interval", "agree"), [((0.84, 0.82, 0.86), 2), ((0.84, 0.8, 0.88), 1), ((0.9, 0.89, 0.91), 0)]
)
def test_the_headline_can_fail(interval, agree):
    record = {"interarrival": 1.0, "batch": 16.0, "ratios": {PAIR: {"execution_time": list(interval)}}}
    told = headline_checks({"simulate airsn, headline": [record | {"estimates": {PAIR: [0.84, 0.001]}}]}, TINY)
    assert sum(one.verdict == AGREES for one in told) == agree


def test_the_generated_workflows_are_as_printed():
    blocks = {one.name: component_facts(dag_of(one.source)) for one in generated(Settings("full"))}
    assert [dag_of(one.source).n for one in generated(Settings("full"))] == [773, 2_988, 7_881, 48_013]
    assert blocks["inspiral"]["other"] > 1_000
    assert blocks["montage"]["bipartite"][0] > 1_000
    assert blocks["sdss"]["bipartite"][1:] == [3, 3]
    assert [one["within"] for one in blocks.values()] == [773, 2_988 - blocks["inspiral"]["other"], 7_881, 48_013]


@pytest.mark.parametrize("levels", [21, 11, 8, 5])
def test_handles_of_any_depth_have_the_printed_priority(levels):
    source = {"variant": "airsn-with-levels", "arguments": {"width": 250, "levels": levels}}
    facts = compare_orders({"it": source}, curves=False)["it"]
    assert (facts["jobs"], facts["bottleneck"]) == (773, 753)
    assert len(graph.critical_path(airsn_with_levels(250, levels)).jobs) == levels + 4


def test_variants_change_one_thing_only():
    assert inspiral_tied(2_988, 0.55) == generate.inspiral(2_988)
    assert inspiral_tied(500, 0).n == inspiral_tied(500, 1).n == 500
    plates = montage_in_plates(7_881, 6)
    assert plates.n == 7_881
    size, least, most = component_facts(plates)["bipartite"]
    assert 1_000 < size < 1_500
    assert 2 < least < most <= 10
    assert component_facts(inspiral_tied(500, 0))["other"] == 0
    source = {"family": "sdss", "arguments": {"jobs": 300}}
    mixed, plain = shuffled(source, 1), generate.sdss(300)
    assert mixed.names != plain.names
    back = graph.relabel(mixed, [mixed.index(name) for name in plain.names])
    assert back == plain


def test_the_largest_workflow_of_each_kind_is_found(data):
    assert [(kind, path.name, jobs) for kind, path, jobs in find_files(data)] == [
        ("Montage", "Montage_40.json", 40),
        ("Inspiral", "inspiral.xml", 3),
    ]
    assert find_files(data / "sub" / "nothing") == []
    before = workflows(Settings("tiny", data))[-1].source
    path = data / "sub" / "inspiral.xml"
    text = path.read_bytes()
    try:
        path.write_bytes(text + b"\n")
        assert workflows(Settings("tiny", data))[-1].source != before  # or an old result would be taken for it
    finally:
        path.write_bytes(text)


def test_memory_is_that_of_the_command_and_not_of_who_measures():
    held = np.ones(40_000_000)  # 320 MB, in this process
    found = measure_overhead({"small": {"family": "airsn", "arguments": {"width": 5}}}, ["prio-2006"], 1)
    spent, peak = found["small"]["prio-2006"]
    assert held[-1] == 1
    assert 0 < spent < 60
    assert found["python"][1] <= peak < 200e6


def test_a_command_that_fails_is_not_measured(tmp_path):
    with pytest.raises(EligoError, match="failed"):
        measure_overhead({"small": {"family": "airsn", "arguments": {"width": 5}}}, ["no-such-strategy"], 1)


def test_differences_are_drawn_as_they_are():
    figure = plot_differences({"one": {"a": [0, 3, -2, 0], "b": [0, 0, 0, 0]}, "two": {"a": [0, 1], "b": [0, 1]}})
    lines = figure.axes[0].get_lines()
    assert lines[1].get_ydata().tolist() == [0, 3, -2, 0]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    with pytest.raises(EligoError, match="same curves"):
        plot_differences({"one": {"a": [0, 1]}, "two": {"b": [0, 1]}})
    with pytest.raises(EligoError, match="whole numbers"):
        plot_differences({"one": {"a": [0.5, 1]}})


def test_points_are_sorted_and_paths_stay_out_of_pages(found, chapter, data):
    workflow = generated(TINY)[0]
    records = list(reversed(found[grid_steps(workflow)[0].name]))
    assert [point.batch for point in points_of(records, 12)] == list(BATCHES)
    words = [one for section in chapter.sections for one in section.parts if isinstance(one, str)]
    words += [picture.caption for picture in parts(chapter, Picture).values()]
    words += [cell for table in parts(chapter, Table).values() for row in table.rows for cell in row]
    assert not any(str(data) in word or str(Path.home()) in word for word in words)
