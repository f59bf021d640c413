"""Advice: right where the answer is known, bounded, and the same wherever it is worked out."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.simulation import _grid_search as grid_search
from eligo.simulation._advise import Advice, Look, _merged, advise, paragraph_of
from eligo.simulation._experiment import make_contest
from eligo.simulation._grid import Grid, Throttle
from eligo.simulation._grid_search import _ratio_and_error
from eligo.simulation._runs import seconds_per_run
from eligo.simulation._simulate import simulate
from eligo.simulation._simulated_orders import contender
from eligo.simulation._sweep_results import Point
from tests.strategies import dags

AIRSN = generate.airsn(30)


@pytest.fixture(scope="module")
def airsn():
    return advise(AIRSN, work_s=0.5, on="here")


def test_it_pays_on_airsn_where_an_independent_comparison_says_so(airsn):
    assert airsn.verdict == "pays"
    best = airsn.best
    alone = simulate(
        AIRSN, grid=Grid(interarrival=best.interarrival, batch=best.batch), samples=100, runs=50, seed=99, on="here"
    ).ratios["best/fifo"]["execution_time"]
    assert alone.high < 1
    assert best.ratios["best/fifo"]["execution_time"].mean == pytest.approx(alone.mean, abs=0.03)


def test_every_grid_that_is_said_to_pay_does(airsn):
    paying = [look for look in airsn.looks if look.pays]
    assert len(paying) > 5
    for look in paying[::6]:
        grid = Grid(interarrival=look.interarrival, batch=look.batch)
        found = simulate(AIRSN, grid=grid, samples=60, runs=50, seed=7, common=True, on="here")
        assert found.ratios["best/fifo"]["execution_time"].mean < 1 - grid_search.GAIN / 2
    for interarrival, low, high in airsn.regions:
        batches = [look.batch for look in paying if look.interarrival == interarrival]
        assert (min(batches), max(batches)) == (low, high)


def test_the_paragraph_has_the_numbers(airsn):
    text = airsn.paragraph
    assert "\n" not in text
    assert text.startswith("Prioritising (best against fifo) pays on this workflow of 113 jobs: where workers come in")
    ratio = airsn.best.ratios["best/fifo"]["execution_time"]
    assert f"{ratio.low:.3f} to {ratio.high:.3f}" in text
    assert f"{100 * (1 - ratio.mean):.0f} % less" in text or f"{100 * (1 - ratio.mean):.1f} % less" in text
    assert "mean job times" in text
    assert "no such gain is clear, and no loss" in text
    told = airsn.best.strategies["best"]["execution_time"].mean / airsn.best.strategies["fifo"]["execution_time"].mean
    assert f"a ratio of {told:.3f} ± 0.0" in text
    grids = airsn.facts()["grids"]
    assert grids == {"tried": len(airsn.looks), "pays": len([look for look in airsn.looks if look.pays]), "hurts": 0}
    assert f"(on {grids['pays']} of the " in text or f"(on all {grids['pays']} grids tried there)" in text
    assert f"On the other {grids['tried'] - grids['pays']} of the {grids['tried']} grids tried" in text


def test_it_is_the_same_in_processes(airsn):
    assert json.dumps(advise(AIRSN, work_s=0.5, on="processes:2").facts()) == json.dumps(airsn.facts())
    assert json.dumps(advise(AIRSN, work_s=0.5, on="here", seed=1).facts()) != json.dumps(airsn.facts())


def test_facts_are_plain_json(airsn):
    facts = json.loads(json.dumps(airsn.facts(), allow_nan=False))
    assert facts["advice"] == airsn.paragraph
    assert facts["best"]["ratios"]["best/fifo"]["execution_time"]["median"] < 1
    assert facts["pays"][0].keys() == {"interarrival", "low", "high"}
    assert len(facts["looks"]) == len(airsn.looks)


def test_nothing_to_choose():
    chain = Dag.from_edges(5, [3, 1, 4, 0], [1, 4, 0, 2])
    assert advise(chain).verdict == "chain"
    assert "chain" in advise(chain).paragraph
    assert "one job" in advise(Dag.from_edges(1)).paragraph
    assert advise(Dag.from_edges(4)).verdict == "independent"
    assert "do not depend on each other" in advise(Dag.from_edges(4)).paragraph
    shortcut = Dag.from_edges(3, [0, 1, 0], [1, 2, 2])
    assert advise(shortcut).verdict == "chain"
    own = Grid(own_times=True)
    assert advise(Dag.from_edges(2, time_s=[1, 5]), grid=own, work_s=0.05, on="here").verdict != "independent"
    held = Grid(throttle=Throttle(max_jobs=1))
    assert advise(Dag.from_edges(2), grid=held, work_s=0.05, on="here").verdict != "independent"


def test_a_fork_never_pays():
    r"""All orders are alike::

          0
        / | \
       1  2  3 ...
    """
    found = advise(Dag.from_edges(20, [0] * 19, range(1, 20)), work_s=0.3, on="here")
    assert found.verdict == "even"
    assert {look.ratio for look in found.looks} == {1.0}
    assert "makes no clear difference: on none of the" in found.paragraph
    assert found.best is None
    json.dumps(found.facts(), allow_nan=False)


@pytest.fixture(scope="module")
def hurting():
    return advise(AIRSN, "fifo", against="best", work_s=0.5, on="here")


def test_a_worse_order_hurts(hurting):
    found = hurting
    assert found.verdict == "hurts"
    assert found.worst.ratios["fifo/best"]["execution_time"].mean > 1.01
    assert "does not pay" in found.paragraph
    assert "longer" in found.paragraph


def test_times_are_in_seconds_where_jobs_have_their_own():
    rng = np.random.default_rng(0)
    dag = AIRSN.with_known(time_s=rng.uniform(1800, 5400, AIRSN.n))
    found = advise(dag, grid=Grid(own_times=True), work_s=0.5, on="here")
    assert found.verdict == "pays"
    assert re.search(r"takes [0-9.,]+ (h|days) on average", found.paragraph)
    assert "mean job time" not in found.paragraph
    assert found.looks[0].interarrival < 3600 < found.looks[-1].interarrival
    assert found.facts()["unit"] == "s"


@pytest.mark.parametrize("work_s", [0.001, 0.05, 0.5])
def test_the_work_is_bounded(monkeypatch, work_s):
    done = []

    def counted(place, setups, samples, runs, on_share):
        done.append(sum(map(seconds_per_run, setups)) * samples * runs)
        return collect(place, setups, samples, runs, on_share)

    collect = grid_search.collect
    monkeypatch.setattr(grid_search, "collect", counted)
    shares = []
    found = advise(AIRSN, work_s=work_s, on="here", on_progress=shares.append)
    least = 40 * seconds_per_run_of_a_pair()
    assert sum(done) <= max(1.3 * work_s, least)
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert found.paragraph


def seconds_per_run_of_a_pair():
    contest = make_contest(AIRSN, "best,fifo", samples=1, runs=1)
    return max(sum(map(seconds_per_run, contest.setups(Grid(interarrival=x)))) for x in (0.01, 1))


def test_runs_that_never_end_leave_nothing_to_say():
    with pytest.raises(EligoError, match="no deadline"):
        advise(AIRSN, grid=Grid(lost=0.3), on="here")
    found = advise(AIRSN, grid=Grid(lost=0.3, deadline=3), work_s=0.3, on="here")
    json.dumps(found.facts(), allow_nan=False)


@settings(deadline=None, max_examples=25)
@given(dags(max_jobs=7, known=False).filter(lambda dag: dag.n > 0), st.integers(0, 3))
def test_there_is_always_something_to_say(dag, seed):
    found = advise(dag, work_s=0.01, seed=seed, on="here")
    assert found.paragraph.endswith(".")
    assert "\n" not in found.paragraph
    json.dumps(found.facts(), allow_nan=False)


@given(st.integers(0, 2**32))
def test_the_error_of_a_ratio_is_that_of_the_bootstrap(seed):
    rng = np.random.default_rng(seed)
    theirs = rng.gamma(50, 1, 200)
    mine = 0.9 * theirs * rng.normal(1, 0.05, 200)
    ratio, error = _ratio_and_error(mine, theirs)
    picks = rng.integers(0, 200, (400, 200))
    again = mine[picks].sum(axis=1) / theirs[picks].sum(axis=1)
    assert ratio == pytest.approx(mine.sum() / theirs.sum())
    assert error == pytest.approx(again.std(), rel=0.3)


def test_what_is_clear():
    assert Look(1, 1, 0.9, 0.01, 100).pays
    assert not Look(1, 1, 0.985, 0.01, 100).pays
    assert not Look(1, 1, 0.9, 0.01, 2).pays
    assert Look(1, 1, 1.1, 0.01, 100).hurts
    assert Look(1, 1, 0.96, 0.02, 10).is_doubtful
    assert not Look(1, 1, float("inf"), float("inf"), 10).is_doubtful


def test_grids_that_are_nearly_alike_are_named_together():
    tried = [1, 10, 100]
    assert _merged([], tried) == []
    assert _merged([(1, 1, 1), (10, 2, 2)], tried) == [(1, 1, [1]), (2, 2, [10])]
    assert _merged([(1, 4, 64), (10, 8, 64), (100, 4, 128)], tried) == [(4, 128, [1, 10, 100])]
    assert _merged([(1, 4, 64), (10, 8, 64), (100, 2, 128)], tried) == [(4, 64, [1, 10]), (2, 128, [100])]
    assert _merged([(1, 4, 64), (100, 4, 64)], tried) == [(4, 64, [1]), (4, 64, [100])]


ROWS = st.dictionaries(
    st.sampled_from([10.0**power for power in range(-3, 4)]),
    st.tuples(st.integers(0, 10), st.integers(0, 10)).map(lambda ends: (2.0 ** min(ends), 2.0 ** max(ends))),
)


@given(ROWS)
def test_every_grid_is_inside_what_is_named(found):
    rows = [(between, *ends) for between, ends in sorted(found.items())]
    merged = _merged(rows, [10.0**power for power in range(-3, 4)])
    assert [value for *_, between in merged for value in between] == [between for between, *_ in rows]
    for low, high, between in merged:
        assert low == min(found[value][0] for value in between)
        assert high == max(found[value][1] for value in between)


def look(interarrival, batch, ratio):
    return Look(interarrival, batch, ratio, 0.001, 100)


def test_the_words_for_a_gain_on_some_grids_and_a_loss_on_others(airsn):
    """Two grids gain and three lose: the paragraph begins with the losses, and counts what is starred."""
    best = airsn.best
    worst = Point(1.0, 8.0, best.strategies, {"best/fifo": best.ratios["best/fifo"]})
    looks = tuple(look(1.0, 2.0**power, ratio) for power, ratio in enumerate([0.9, 0.95, 1.0, 1.1, 1.05, 1.0, 1.02]))
    mixed = Advice("mixed", 113, "best", "fifo", 0, False, looks, best, worst, 100, 20, False)
    text = paragraph_of(mixed)
    assert text.startswith(
        "Prioritising (best against fifo) hurts more often than it pays on this workflow of 113 jobs (3 of the 7 grids "
        "tried against 2): where workers come in batches of about 8 to 64 workers every mean job time (on 3 of the 4 "
        "grids tried there) it clearly costs 1 % of the execution time or more. But where workers come in batches of "
        "about 1 to 2 workers every mean job time (on all 2 grids tried there) it clearly saves 1 %"
    )
    assert text.index("It loses most") < text.index("It does most")
    assert text.endswith("neither is clear. Not all grids beside these could be tried, so there may be more of them.")
    assert mixed.facts()["hurts"] == [{"interarrival": 1.0, "low": 8.0, "high": 64.0}]
    assert mixed.facts()["pays"] == [{"interarrival": 1.0, "low": 1.0, "high": 2.0}]
    text = paragraph_of(replace(mixed, looks=(*looks, look(10.0, 1.0, 0.9), look(10.0, 2.0, 0.9))))
    assert "pays more often than it hurts on this workflow of 113 jobs (4 of the 9 grids tried against 3)" in text
    assert text.index("It does most") < text.index("It loses most")
    text = paragraph_of(replace(mixed, looks=(*looks, look(10.0, 1.0, 0.9))))
    assert "hurts as often as it pays" in text


@pytest.mark.parametrize("seed", range(3))
def test_what_is_starred_is_what_is_told(seed):
    """A dag on which prioritising pays here and hurts there, and others: no star without a word."""
    for dag in (generate.daggen(40, seed=seed), generate.airsn(8)):
        found = advise(dag, work_s=0.2, seed=seed, on="here")
        signs = bool(found.clear(1)), bool(found.clear(-1))
        assert found.verdict == {(1, 1): "mixed", (1, 0): "pays", (0, 1): "hurts", (0, 0): "even"}[signs]
        assert (found.worst is not None) == signs[1]
        assert ("clearly saves" in found.paragraph, "clearly costs" in found.paragraph) == signs
        for count, sign in ((len(found.clear(sign)), sign) for sign in (1, -1)):
            assert not count or re.search(rf"on ({count} of the|all {count} grids|the one grid)", found.paragraph), sign


def test_what_is_shown_of_advice_is_short(airsn):
    assert repr(airsn) == f"<Advice: pays, best against fifo; {len(airsn.looks)} grids tried>"


def test_two_orders_of_ones_own():
    """Contenders with names of their own, on either side."""
    mine = contender(AIRSN, "prio", name="mine")
    found = advise(AIRSN, mine, against=contender(AIRSN, "fifo", name="theirs"), work_s=0.2, on="here")
    assert (found.strategy, found.against, list(found.best.ratios)) == ("mine", "theirs", ["mine/theirs"])
    assert found.verdict == "pays"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dag": Dag.from_edges(0)}, "no jobs: nothing to simulate"),
        ({"dag": "airsn.dag"}, "a dag is needed, not str"),
        ({"grid": Grid(processors=4)}, "advice varies when workers come"),
        ({"strategy": "fifo"}, "two strategies are called 'fifo'"),
        ({"strategy": "heft"}, "'heft'"),
    ],
)
def test_bad_input(change, message):
    asked = {"dag": AIRSN, "on": "here", **change}
    with pytest.raises(EligoError, match=message):
        advise(asked.pop("dag"), **asked)
