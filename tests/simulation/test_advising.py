"""Advice: right where the answer is known, bounded, and the same wherever it is worked out."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.simulation import looking
from eligo.simulation.advice_words import _merged, paragraph_of
from eligo.simulation.advising import Advice, Look, advise
from eligo.simulation.comparing import simulate
from eligo.simulation.contest import make_contest
from eligo.simulation.grid import Grid, Throttle
from eligo.simulation.looking import _ratio_and_error
from eligo.simulation.runs import seconds_per_run
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
        assert found.ratios["best/fifo"]["execution_time"].mean < 1 - looking.GAIN / 2
    for interarrival, low, high in airsn.regions:
        batches = [look.batch for look in paying if look.interarrival == interarrival]
        assert (min(batches), max(batches)) == (low, high)


def test_the_paragraph_has_the_numbers(airsn):
    text = airsn.paragraph
    assert "\n" not in text
    assert text.startswith("Prioritising (best against fifo) pays on this workflow of 113 jobs where workers come in")
    ratio = airsn.best.ratios["best/fifo"]["execution_time"]
    assert f"{ratio.low:.3f} to {ratio.high:.3f}" in text
    assert f"{100 * (1 - ratio.mean):.0f} % less" in text or f"{100 * (1 - ratio.mean):.1f} % less" in text
    assert "mean job times" in text
    assert "on none does it clearly hurt" in text


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

    collect = looking.collect
    monkeypatch.setattr(looking, "collect", counted)
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
    assert _merged([]) == []
    assert _merged([(1, 1, 1), (10, 2, 2)]) == [(1, 1, [1]), (2, 2, [10])]
    assert _merged([(1, 4, 64), (10, 8, 64), (100, 4, 128)]) == [(8, 64, [1, 10, 100])]


def test_the_words_for_a_gain_on_some_grids_and_a_loss_on_others(airsn, hurting):
    both = Advice("pays", 113, "best", "fifo", 0, False, airsn.looks, airsn.best, hurting.worst, 100, 20, False)
    text = paragraph_of(both)
    assert "but on some it hurts" in text
    assert "may pay on more" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dag": Dag.from_edges(0)}, "no jobs: nothing to simulate"),
        ({"grid": Grid(processors=4)}, "advice varies when workers come"),
        ({"strategy": "fifo"}, "two strategies are called 'fifo'"),
        ({"strategy": "heft"}, "'heft'"),
    ],
)
def test_bad_input(change, message):
    asked = {"dag": AIRSN, "on": "here", **change}
    with pytest.raises(EligoError, match=message):
        advise(asked.pop("dag"), **asked)
