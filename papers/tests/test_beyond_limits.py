"""Our limits beside 004's at the smallest scale: what holds by construction does, and what does not can be told."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.simulation import simulate
from eligo_papers import memory
from eligo_papers.beyond import limits as beyond_limits
from eligo_papers.chapter import AGREES, UNEXPLAINED, Picture, Settings, Table
from eligo_papers.memory.gallery import workflow
from eligo_papers.memory.graphs import SETS, load
from eligo_papers.memory.grid import GRIDS, WAYS, compare_on_grids, grid_of
from eligo_papers.memory.pieces import limit_steps
from eligo_papers.memory.runs import OURS, PROCESSORS, bound_of, peaks
from papers.tests.doing import do

TINY = Settings("tiny")


@pytest.fixture(scope="module")
def found():
    return do(beyond_limits.steps(TINY))


def tables(found):
    sections, _ = beyond_limits.sections(found, TINY)
    return {part.name: part for section in sections for part in section.parts if isinstance(part, Table)}


def test_both_chapters_share_their_steps_on_limits():
    for scale in ("tiny", "quick", "full"):
        settings = Settings(scale)
        theirs = {step.name: dict(step.arguments) for step in memory.steps(settings)}
        ours = {step.name: dict(step.arguments) for step in beyond_limits.steps(settings)}
        shared = {step.name for step in limit_steps(settings)}
        assert shared == set(theirs) & set(ours)
        assert all(theirs[name] == ours[name] for name in shared)
        assert len(ours) == len(beyond_limits.steps(settings))


def test_what_holds_by_construction_holds(found):
    sections, checks = beyond_limits.sections(found, TINY)
    assert [one.verdict for one in checks] == [AGREES] * 4
    assert [section.title for section in sections] == [
        "Limits: critical paths",
        "Limits: makespans",
        "Limits and orders together",
    ]


def test_what_would_be_wrong_is_told(found):
    def told(wrong):
        _, checks = beyond_limits.sections(wrong, TINY)
        return [one.what for one in checks if one.verdict == UNEXPLAINED]

    wrong = copy.deepcopy(found)
    methods = wrong["limits on LIGO, part 1"]["graphs"][0]["bounds"][1]["methods"]
    methods["auto"][0] = 2 * max(numbers[0] for numbers in methods.values() if numbers)
    assert told(wrong) == ["cases in which the critical path of auto is at most that of the best of 004's four"]
    wrong = copy.deepcopy(found)
    wrong["limits on LIGO, part 1"]["graphs"][0]["bounds"][1]["methods"]["auto"] = None
    assert told(wrong) == ["failures of auto and of schedule"]
    wrong = copy.deepcopy(found)
    case = wrong["grids on MONTAGE, part 1"][0]
    case["areas"] = [1, 2]
    case["grids"][0]["peak"] = case["limit"] + 1
    assert len(told(wrong)) == 2


def test_tables_have_their_rows(found):
    shown = tables(found)
    assert len(shown["limit-paths"].rows) == len(SETS) * len(OURS)
    assert len(shown["limit-makespans"].rows) == len(SETS) * len(PROCESSORS) * 2
    assert len(shown["limit-grids"].rows) == len(SETS) * len(GRIDS)
    for table in shown.values():
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_gains_against_a_plain_computation(found):
    row = next(row for row in tables(found)["limit-paths"].rows if row[:2] == ["MONTAGE", "auto"])
    gains = []
    for record in found["limits on MONTAGE, part 1"]["graphs"]:
        for bound in record["bounds"][:-1]:
            paths = {name: numbers[0] for name, numbers in bound["methods"].items() if numbers}
            others = [
                paths[name] for name in ("min-levels", "respect-order", "max-min-size", "max-size") if name in paths
            ]
            gains.append(paths["auto"] / min(others))
    assert row[2:4] == [str(len(gains)), str(sum(gain < 1 - 1e-9 for gain in gains))]
    assert [float(cell) for cell in row[5:]] == pytest.approx(
        [np.median(gains), np.mean(gains), min(gains), max(gains)], abs=5e-4
    )


def test_slower_cases_are_listed_one_by_one(found):
    wrong = copy.deepcopy(found)
    wrong["grids on GENOME, part 1"][0]["grids"][2]["ratios"]["ours/theirs"] = [1.25, 0.01, False, True]
    listed = tables(wrong)["limit-slower"].rows
    assert ["GENOME 0", "0.5", "1, 16", "1.250 ± 0.010"] in [row[:4] for row in listed]
    ratios = [float(row[3].split()[0]) for row in listed]
    assert ratios == sorted(ratios, reverse=True)


def test_pictures_can_be_drawn(found):
    sections, _ = beyond_limits.sections(found, TINY)
    pictures = [part for section in sections for part in section.parts if isinstance(part, Picture)]
    assert len(pictures) == len(SETS)
    assert pictures[2].draw().axes[0].get_title() == "LIGO"


def test_the_simulation_is_that_of_simulate():
    """Each way is one call of simulate with common numbers; so the ratio of what is equal is 1."""
    (case,) = compare_on_grids([["GENOME", 1]], [0.5], 12, 3, 7)
    print_ = footprint(workflow("GENOME", 1), "files", unread="leave")
    low, high = peaks(print_)
    assert case["limit"] == bound_of(low, high, 0.5)
    ours = limit(print_, case["limit"])
    grid = grid_of(ours.dag, GRIDS[1])
    both = simulate(ours.dag, "best,fifo", grid=grid, samples=12, runs=3, seed=7, common=True, on="here")
    estimate = both.estimates()["best/fifo"]
    assert case["grids"][1]["ratios"]["ours/fifo"][:2] == pytest.approx([estimate.ratio, estimate.error])
    for one in case["grids"]:
        assert one["peak"] <= case["limit"]
        product = one["ratios"]["ours/fifo"][0] * one["ratios"]["fifo/theirs"][0]
        assert set(one["ratios"]) == set(WAYS)
        assert product == pytest.approx(one["ratios"]["ours/theirs"][0])


def test_where_both_do_the_same_the_ratio_is_one():
    (case,) = compare_on_grids([["DAGGEN dense", 2]], [1.0], 10, 2, 0)  # no edge is needed
    assert case["theirs"] == "none"
    assert all(grid["ratios"]["fifo/theirs"][:2] == [1.0, 0.0] for grid in case["grids"])


def test_grids_follow_the_mean_time_of_jobs():
    dag = Dag.from_names([("a", "b")], time_s=[1, 5])
    assert [grid_of(dag, sort).interarrival for sort in GRIDS] == pytest.approx([0.3, 3, 3, 30])
    assert grid_of(load(["DAGGEN dense", 0]), GRIDS[0]).own_times
