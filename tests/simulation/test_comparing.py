"""simulate: the same numbers everywhere, honest notes, clear errors."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.simulation import _executors as executors
from eligo.simulation import _experiment as experiment
from eligo.simulation import _simulate as comparing
from eligo.simulation._experiment import metrics_of
from eligo.simulation._grid import ArrivalTrace, Grid
from eligo.simulation._ratios import ratio, summarize
from eligo.simulation._runs import COLUMNS, make_setup, run_block
from eligo.simulation._simulate import simulate
from eligo.simulation._simulated_orders import contender
from tests.strategies import dags

AIRSN = generate.airsn(20)


def everything(comparison):
    """Return all numbers of a comparison, to the last bit."""
    return repr((comparison.strategies, comparison.ratios, comparison.notes)), [
        values.tobytes() for by_metric in comparison.values.values() for values in by_metric.values()
    ]


def test_results_are_those_of_the_runs_summarized():
    found = simulate(AIRSN, ["prio", "fifo"], samples=50, runs=4, seed=3, on="here")
    rows = {
        name: run_block(make_setup(AIRSN, contender(AIRSN, name), Grid(), seed=3), 0, 200, 4)
        for name in ("prio", "fifo")
    }
    for column, metric in enumerate(COLUMNS[:3]):
        for name in rows:
            assert found.strategies[name][metric] == summarize(rows[name][:, column])
        assert found.ratios["prio/fifo"][metric] == ratio(rows["prio"][:, column], rows["fifo"][:, column])


def test_one_process_and_two_give_the_same_to_the_last_bit(monkeypatch):
    dag = generate.airsn(250)  # enough work that processes are worth starting
    for common in (False, True):
        alone = simulate(dag, ["prio", "fifo", "random"], samples=60, runs=40, common=common, on="here")
        together = simulate(dag, ["prio", "fifo", "random"], samples=60, runs=40, common=common, on="processes:2")
        assert everything(alone) == everything(together)


@settings(deadline=None, max_examples=25)
@given(dags(known=False).filter(lambda dag: dag.n > 0), st.integers(0, 100), st.booleans())
def test_results_depend_on_the_seed_alone(dag, seed, common):
    asked = {"samples": 5, "runs": 3, "seed": seed, "common": common, "on": "here"}
    assert everything(simulate(dag, **asked)) == everything(simulate(dag, **asked))
    if not common:  # a strategy's numbers do not depend on who else is there
        more = simulate(dag, ["lifo", "fifo", "best"], **asked)
        assert repr(more.strategies["best"]) == repr(simulate(dag, **asked).strategies["best"])


def test_common_numbers_narrow_the_interval():
    apart, together = (
        simulate(AIRSN, ["prio", "fifo"], samples=200, runs=10, common=common, on="here").ratios["prio/fifo"]
        for common in (False, True)
    )
    width = [found["execution_time"].high - found["execution_time"].low for found in (apart, together)]
    assert width[1] < 0.8 * width[0]
    assert together["execution_time"].mean == pytest.approx(apart["execution_time"].mean, rel=0.03)


def test_a_strategy_against_itself_under_common_numbers_is_even():
    found = simulate(AIRSN, {"one": "prio", "two": "prio"}, samples=40, runs=2, common=True, on="here")
    assert found.ratios["one/two"]["execution_time"] == (1, 1, 0, 1, 1)


def test_whom_the_others_are_held_against():
    asked = {"samples": 2, "runs": 1, "on": "here"}
    assert list(simulate(AIRSN, "prio, fifo,lifo", **asked).ratios) == ["prio/fifo", "lifo/fifo"]
    assert list(simulate(AIRSN, ["lifo", "prio"], **asked).ratios) == ["lifo/prio"]
    assert list(simulate(AIRSN, ["lifo", "fifo", "prio"], against="lifo", **asked).ratios) == ["fifo/lifo", "prio/lifo"]
    assert simulate(AIRSN, "fifo", **asked).ratios == {}


def test_schedules_and_orders_are_strategies():
    schedule = eligo.prioritize(AIRSN, "prio").schedule
    found = simulate(AIRSN, {"a": schedule, "b": schedule.order}, samples=3, runs=2, common=True, on="here")
    assert found.ratios["a/b"]["execution_time"].mean == 1
    alone = simulate(AIRSN, schedule, samples=3, runs=2, on="here")
    assert list(alone.strategies) == ["order"]


def test_which_metrics_there_are():
    plain = ["execution_time", "stalling", "utilization"]
    asked = {"samples": 2, "runs": 1, "on": "here"}
    assert list(simulate(AIRSN, "fifo", **asked).strategies["fifo"]) == plain
    pebbles = simulate(AIRSN, "prio,fifo", footprint=eligo.footprint(AIRSN, "pebble"), **asked)
    assert list(pebbles.ratios["prio/fifo"]) == [*plain, "peak_memory", "largest_peak"]
    failing = simulate(AIRSN, "prio,fifo", grid=Grid(lost=0.1, deadline=3, stay=True), **asked)
    assert list(failing.strategies["fifo"]) == [*plain, "idle_time", "allocations", "ended"]
    assert list(failing.ratios["prio/fifo"]) == [*plain, "idle_time", "allocations"]


FEW = ArrivalTrace.of([0, 1], [1, 2])
ALWAYS_ENDING = {
    "processors": Grid(processors=2, fail=0.5, deadline=0.5),
    "copies": Grid(processors=3, fail=0.5, copies=2),
    "stay": Grid(arrivals=FEW, stay=True, fail=0.5),
    "repeat": Grid(arrivals=ArrivalTrace.of([0, 1], [1, 2], repeat_every=2), fail=0.5),
}
NOT_ALWAYS = {
    "lost": Grid(lost=0.2),
    "processors": Grid(processors=2, lost=0.2),
    "leaving": Grid(arrivals=FEW),
    "stay": Grid(arrivals=FEW, stay=True, lost=0.2),
}


@pytest.mark.parametrize("case", ALWAYS_ENDING)
def test_runs_that_always_end_need_no_share_of_these(case):
    assert "ended" not in metrics_of(ALWAYS_ENDING[case], None)
    assert ended_of(ALWAYS_ENDING[case]).all()


@pytest.mark.parametrize("case", NOT_ALWAYS)
def test_runs_that_may_not_end_have_a_share(case):
    assert "ended" in metrics_of(NOT_ALWAYS[case], None)
    assert not ended_of(NOT_ALWAYS[case]).all()


def ended_of(grid, runs=100):
    return run_block(make_setup(AIRSN, contender(AIRSN, "prio"), grid), 0, runs, 1)[:, COLUMNS.index("ended")]


def test_facts_are_plain_json_in_the_shape_of_the_design():
    found = simulate(AIRSN, "prio,fifo", grid=Grid(batch=2**16, interarrival=1000), samples=40, runs=2, on="here")
    facts = json.loads(json.dumps(found.facts(), allow_nan=False))
    assert set(facts["ratios"]["prio/fifo"]["execution_time"]) == {"mean", "median", "sd", "low", "high"}
    assert facts["strategies"]["fifo"]["utilization"]["median"] == found.strategies["fifo"]["utilization"].median
    assert (facts["seed"], facts["samples"], facts["runs"], facts["batch"]) == (0, 40, 2, 65536)
    assert facts["ratios"]["prio/fifo"]["stalling"] is None  # nobody ever stalls there
    assert found.ratios["prio/fifo"]["stalling"] is None


def test_runs_that_never_end_are_counted_and_have_no_ratio():
    grid = Grid(lost=0.02)
    found = simulate(AIRSN, "prio,fifo", grid=grid, samples=40, runs=5, on="here")
    ended = ended_of(grid, 200)
    assert 0 < ended.sum() < 200
    assert f"{200 - round(ended.sum())} of 200 runs of prio never ended: give a deadline" in found.notes[0]
    assert found.ratios["prio/fifo"]["execution_time"] is None
    facts = found.facts()
    assert facts["strategies"]["prio"]["execution_time"]["mean"] is None
    assert math.isinf(found.strategies["prio"]["execution_time"].mean)
    json.dumps(facts, allow_nan=False)


def test_too_few_workers_ever():
    grid = Grid(arrivals=ArrivalTrace.of([0, 1], [3, 3]))
    found = simulate(AIRSN, "prio,fifo", grid=grid, samples=40, runs=1, on="here")
    assert found.notes == tuple(
        f"40 of 40 runs of {name} never ended: let arrivals begin again (--repeat-every), or give more of them"
        for name in ("prio", "fifo")
    )
    assert found.facts()["interarrival"] is None


def test_few_samples_are_noted():
    assert "39 samples" in simulate(AIRSN, "fifo", samples=39, runs=1, on="here").notes[0]
    assert simulate(AIRSN, "fifo", samples=40, runs=1, on="here").notes == ()


def test_one_sample_is_one():
    assert simulate(AIRSN, "fifo", samples=1, runs=1, on="here").notes[0].startswith("with 1 sample there")


def test_hints_fit_the_cause():
    deadline, processors = "give a deadline, so that jobs of lost", "give more processors, or lose none"
    for grid, hints in [
        (Grid(lost=0.2), [deadline]),
        (Grid(lost=0.5, processors=2), [deadline, processors]),
        (Grid(lost=0.5, deadline=3, processors=2), [processors]),
        (Grid(lost=0.2, arrivals=ArrivalTrace.of([0], [2], repeat_every=1)), [deadline]),
    ]:
        note = simulate(AIRSN, "fifo", grid=grid, samples=40, runs=2, on="here").notes[0]
        told = note.partition(" never ended: ")[2].split("; ")
        assert [hint[: len(wanted)] for hint, wanted in zip(told, hints, strict=True)] == hints


def test_what_all_runs_together_tell():
    """Intervals of means of few runs are wide; all runs together know better."""
    found = simulate(AIRSN, "prio,fifo", grid=Grid(batch=2), samples=200, runs=2, seed=1, on="here")
    quotients, told = found.ratios["prio/fifo"]["execution_time"], found.estimates()["prio/fifo"]
    assert quotients.low < 1 < quotients.high
    assert told.is_below
    means = [found.strategies[name]["execution_time"].mean for name in ("prio", "fifo")]
    assert told.ratio == means[0] / means[1]
    assert told.error == quotients.sd / math.sqrt(200)
    assert found.estimates("stalling")["prio/fifo"].is_below


def test_what_is_shown_of_a_comparison_is_short():
    found = simulate(AIRSN, "prio,fifo", samples=40, runs=2, on="here")
    assert repr(found).startswith("<Comparison: prio/fifo 0.")
    assert repr(found).endswith("; 40 x 2 runs, seed 0>")
    assert len(repr(found)) < 100
    assert repr(simulate(AIRSN, "fifo", samples=2, runs=1, on="here")) == "<Comparison: fifo; 2 x 1 runs, seed 0>"


def test_samples_can_be_reached():
    found = simulate(AIRSN, "prio,fifo", samples=7, runs=2, on="here")
    assert set(found.values["prio"]) == set(COLUMNS)
    assert found.strategies["prio"]["execution_time"].mean == pytest.approx(
        found.values["prio"]["execution_time"].mean()
    )
    assert np.all(found.values["fifo"]["ended"] == 1)


def test_progress_goes_from_0_to_1(monkeypatch):
    monkeypatch.setattr(executors, "seconds_per_run", lambda setup: 0.1)
    shares = []
    simulate(AIRSN, "prio,fifo", samples=40, runs=5, on="here", on_progress=shares.append)
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dag": Dag.from_edges(0)}, "no jobs: nothing to simulate"),
        ({"dag": "airsn.dag"}, "a dag is needed, not str: 'airsn.dag'\nhint: read the file first"),
        ({"grid": 5}, "a grid is needed, not int: 5\nhint: make one"),
        ({"samples": 0}, "samples must be 1 or more, not 0"),
        ({"runs": -1}, "runs must be 1 or more, not -1"),
        ({"runs": 2.0}, "runs must be a whole number, not 2.0"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"strategies": []}, "no strategies to compare"),
        ({"strategies": " , "}, "no strategies to compare"),
        ({"strategies": "fifo,prio,fifo"}, "two strategies are called 'fifo'"),
        ({"strategies": "fifo,heft"}, "'heft'"),
        ({"strategies": {"a/b": "fifo"}}, "'a/b' cannot be the name of a strategy"),
        *(({"strategies": {name: "fifo"}}, "spreadsheets would compute it") for name in ("=1+1", "+a", "-a", " @a")),
        ({"against": "lifo"}, "'lifo' is not among the strategies"),
        ({"on": "the moon"}, "'the moon'"),
    ],
)
def test_bad_input(change, message):
    asked = {"dag": AIRSN, "strategies": "prio,fifo", "samples": 2, "runs": 1, "on": "here", **change}
    with pytest.raises(EligoError, match=message):
        simulate(asked.pop("dag"), **asked)


def test_exports():
    assert eligo.simulate is comparing.simulate
    assert eligo.Grid is Grid
    assert {"Grid", "simulate"} <= set(eligo.__all__)
    for name in eligo.simulation.__all__:
        assert getattr(eligo.simulation, name) is not None
    assert experiment.Contest.__module__ == "eligo.simulation._experiment"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = eligo.simulation.nothing


def test_facts_have_the_ratio_of_all_runs():
    found = simulate(generate.airsn(10), "prio,fifo", samples=40, runs=5, on="here")
    told = found.facts()["estimates"]["prio/fifo"]
    means = [found.values[name]["execution_time"].mean() for name in ("prio", "fifo")]
    assert told["ratio"] == pytest.approx(means[0] / means[1])
    assert 0 < told["error"] < 0.1
