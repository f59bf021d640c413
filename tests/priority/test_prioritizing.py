"""The main verb: always a valid order, never below fifo, IC-optimal where it says so, and every claim certified."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import EligoError, Schedule, generate, graph, prioritize, verify
from eligo.dag import Dag
from eligo.errors import InfeasibleError
from eligo.formats import open_document
from eligo.priority import _prioritize as prioritizing
from eligo.priority._prioritize import STRATEGIES
from tests.corpus import DATA, needs_shared
from tests.reference.exact_twin import ExactTwin
from tests.strategies import dags

LARGE = 300_001


@given(dags(max_jobs=9), st.sampled_from(STRATEGIES), st.booleans())
def test_every_strategy_is_honest(dag, strategy, weigh_times):
    found = prioritize(dag, strategy, weigh_times=weigh_times, seed=5)
    truth = ExactTwin(dag)
    profile = found.schedule.profile.tolist()
    assert Schedule.of(dag, found.schedule.order) == found.schedule
    assert sorted(found.schedule.priorities.tolist()) == list(range(1, dag.n + 1))
    assert all(most >= best for most, best in zip(found.bound, truth.profile, strict=True))
    assert 0 <= found.gap < 1
    if found.claim == "ic-optimal":
        assert profile == truth.profile == found.bound.tolist()
    elif found.claim == "none-exists":
        assert truth.dies_at is not None
    else:
        assert profile != truth.profile or truth.dies_at is not None
    certificate = found.certificate
    verify(certificate, dag)
    if (of_the_bound := found.bound_certificate) is not None:
        verify(of_the_bound, dag)
        assert of_the_bound.claim in ("bound", "ic-optimal")
    assert found.fifo.area == found.areas["fifo"]
    proves = {"ic-optimal": ("ic-optimal",), "none-exists": ("no-ic-optimal",), "best-effort": ("bound", "ic-optimal")}
    assert certificate.claim in proves[found.claim]


@given(dags(max_jobs=9, known=False))
def test_best_has_the_largest_area_and_is_ic_optimal_where_that_is_possible(dag):
    found = prioritize(dag)
    truth = ExactTwin(dag)
    assert found.schedule.area == truth.largest_area() >= found.fifo.area
    assert found.claim == ("ic-optimal" if truth.dies_at is None else "none-exists")


@given(dags(max_jobs=9, known=False))
def test_sinks_come_last_in_the_order_of_the_file(dag):
    for strategy in STRATEGIES:
        sinks = graph.sinks(dag).tolist()
        order = prioritize(dag, strategy).schedule.order
        assert order[dag.n - len(sinks) :].tolist() == sinks


@pytest.mark.parametrize(
    "dag",
    [
        generate.inspiral(400),
        generate.montage(300),
        generate.sdss(700),
        generate.daggen(300, seed=4),
        generate.layered(400, layers=10, probability=0.05, seed=2),
        generate.uniform(400, probability=0.006, seed=3),
    ],
    ids=["inspiral", "montage", "sdss", "daggen", "layered", "uniform"],
)
def test_larger_dags(dag):
    found = prioritize(dag)
    candidates = {name: prioritize(dag, name).schedule.area for name in ("prio", "area", "prio-2006", "fifo")}
    assert found.schedule.area == max(candidates.values())
    assert found.strategy == max(candidates, key=lambda name: candidates[name])
    assert (found.bound >= found.schedule.profile).all()
    verify(found.certificate, dag)


def test_the_example_of_2006():
    """a -> b, c -> d, c -> e: priorities 5 to 1 for c, a, b, d, e (Fig. 3)."""
    dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    expected = {"a": 4, "b": 3, "c": 5, "d": 2, "e": 1}
    for strategy in ("best", "prio", "prio-2006"):
        found = prioritize(dag, strategy)
        assert found.schedule.names == ["c", "a", "b", "d", "e"]
        assert dict(zip(dag.names, found.schedule.priorities.tolist(), strict=True)) == expected


def test_the_bottleneck_of_airsn():
    """The last job of the handle is executed as number 21 of 773 (Fig. 5)."""
    dag = generate.airsn(250)
    fork = int(np.argmax(np.diff(dag.succ_ptr)))
    for strategy in ("best", "prio", "prio-2006"):
        assert prioritize(dag, strategy).schedule.priorities[fork] == 753


def test_where_prio_is_worse_than_fifo():
    """0 -> 4, 6; 1, 2, 3 -> 5; 5 -> 6, of the errata: the block 1, 2, 3 goes first in 2006."""
    dag = Dag.from_edges(7, [0, 0, 1, 2, 3, 5], [4, 6, 5, 5, 5, 6])
    assert prioritize(dag, "prio-2006").schedule.area < prioritize(dag, "fifo").schedule.area
    assert prioritize(dag).schedule.area == 18


def test_times_break_ties_only_when_asked():
    r"""Two chains beside each other: the longer one in seconds goes first when times count."""
    dag = Dag.from_edges(["short", "long", "a", "b"], [0, 1], [2, 3], time_s=[1, 9, 1, 9])
    plain, weighed = prioritize(dag), prioritize(dag, weigh_times=True)
    assert plain.schedule.names == ["short", "long", "a", "b"]
    assert weighed.schedule.names == ["long", "short", "b", "a"]
    assert weighed.fifo.names == ["short", "long", "a", "b"]
    verify(weighed.certificate, dag)


def test_large_dags_are_looked_at_from_two_sides_and_repeat():
    dag = generate.sdss(130_000)
    assert dag.n + dag.m > LARGE
    one, two = prioritize(dag), prioritize(dag)
    assert one.schedule == two.schedule
    assert one.schedule.area >= one.fifo.area
    assert one.gap < 0.01


def test_long_chains_and_many_parts_in_series():
    chain = generate.chain(150_000)
    found = prioritize(chain)
    assert (found.claim, found.gap) == ("ic-optimal", 0)
    links = 40_000
    tails = [[3 * i, 3 * i, 3 * i + 1, 3 * i + 2] for i in range(links)]
    heads = [[3 * i + 1, 3 * i + 2, 3 * i + 3, 3 * i + 3] for i in range(links)]
    diamonds = Dag.from_edges(3 * links + 1, np.ravel(tails), np.ravel(heads))
    assert prioritize(diamonds).gap == 0


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_jobs(n):
    for strategy in STRATEGIES:
        found = prioritize(Dag.from_edges(n), strategy)
        assert found.claim == "ic-optimal"
        verify(found.certificate, found.schedule.dag)


def test_what_cannot_be_done(monkeypatch):
    monkeypatch.setattr(prioritizing, "_EXACT_STATES", 1000)
    with pytest.raises(EligoError, match="there is no strategy 'fastest'"):
        prioritize(Dag.from_edges(1), "fastest")
    with pytest.raises(InfeasibleError):
        prioritize(generate.uniform(200, probability=0.02, seed=1), "exact")


@needs_shared
@pytest.mark.parametrize("name", ["dax/Montage_100.xml", "dax/Inspiral_100.xml", "dax/Sipht_100.xml"])
def test_real_workflows(name):
    dag = open_document(DATA / name).dag
    found = prioritize(dag)
    assert found.schedule.area >= found.fifo.area
    verify(found.certificate, dag)
