"""Strategy ``area`` and what it is built on: the greedy order, and loads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eligo import _core, generate, graph
from eligo.dag import Dag
from eligo.priority import _exact as exact
from eligo.priority._charging import SCALE, charge, ordered
from eligo.priority._strategies.area import area
from eligo.schedule import Schedule
from tests.reference import greedy_twin
from tests.reference.exact_twin import ExactTwin
from tests.reference.ideals import best_profile
from tests.strategies import dags

OUTLOOKS = st.sampled_from([(0, 4), (64, 4), (128, 8), (256, 3)])


@given(dags(max_jobs=12, known=False), OUTLOOKS, st.randoms())
def test_the_greedy_kernel_equals_its_twin(dag, outlook, random):
    loads = np.array([random.choice([0, SCALE // 2, SCALE, 3 * SCALE]) for _ in range(dag.n)], np.int64)
    none = np.zeros(0, np.int64)
    assert ordered(dag).greedy(*outlook, none, 0).tolist() == greedy_twin.greedy(dag, *outlook)
    assert ordered(dag).greedy(*outlook, loads, 2).tolist() == greedy_twin.greedy(dag, *outlook, loads.tolist())


def test_many_parents_promise_nothing_and_break_nothing():
    r"""A join of forty: beyond sixteen missing parents no promise is seen, and the order is still one."""
    dag = Dag.from_edges(82, [*range(40), *range(40)], [*[40] * 40, *range(41, 81)])
    order = ordered(dag).greedy(128, 8, np.zeros(0, np.int64), 0)
    assert order.tolist() == greedy_twin.greedy(dag, 128, 8) == list(range(40))


def test_loads_that_hardly_differ_are_one_class():
    sources = Dag.from_edges(6, [0, 1, 2], [3, 4, 5])
    loads = np.array([1000 * SCALE, 1010 * SCALE, 1100 * SCALE, 0, 0, 0], np.int64)
    assert ordered(sources).greedy(128, 8, loads, 2).tolist() == [2, 0, 1]
    assert ordered(sources).greedy(128, 8, loads, 0).tolist() == [2, 1, 0]


@given(dags(max_jobs=12, known=False), st.integers(0, 6))
def test_units_reach_ancestors_and_nothing_is_lost(dag, sweeps):
    charging = charge(dag, sweeps)
    parents = np.diff(charging.pred_ptr)
    sent = np.bincount(np.repeat(np.arange(dag.n), parents), charging.flow, dag.n)
    got = np.bincount(charging.pred, charging.flow, dag.n)
    unit = SCALE * (parents > 0)
    assert (parents <= np.diff(dag.pred_ptr)).all()
    assert (charging.flow >= 0).all()
    assert (charging.load >= 0).all()
    assert (sent >= unit).all()
    assert (charging.load == got + unit - sent).all()


@given(dags(max_jobs=10, known=False), st.integers(0, 6))
def test_the_bound_is_what_the_loads_allow_and_no_execution_exceeds_it(dag, sweeps):
    charging = charge(dag, sweeps)
    loads = charging.load.tolist()
    none = np.zeros(0, np.int32)
    sources = len(graph.sources(dag))
    best = best_profile(dag, sources=True)
    assert all(most <= some for most, some in zip(best, charging.bound, strict=True))
    assume(len(charging.ends) == 1)
    assert charging.bound.tolist() == greedy_twin.load_bound(dag, loads, SCALE, windows=True)
    plain = _core.load_bound(charging.load, SCALE, sources, none, none).tolist()
    assert plain == greedy_twin.load_bound(dag, loads, SCALE, windows=False)
    assert (charging.bound <= plain).all()


@given(dags(max_jobs=12, known=False))
def test_parts_in_series_are_charged_one_by_one(dag):
    """A part alone is bounded at least as well: it is given windows, too."""
    charging = charge(dag, 6)
    begins = np.concatenate(([0], charging.ends[:-1]))
    for part, begin, end in zip(
        graph.cut_out(dag, np.split(dag.order, charging.ends[:-1])), begins, charging.ends, strict=True
    ):
        alone = charge(part, 6)
        assert len(alone.ends) == 1
        assert (alone.bound[:-1] <= charging.bound[begin:end]).all()


@given(dags(max_jobs=9, known=False))
def test_many_sweeps_come_near_the_concave_envelope_of_the_truth(dag):
    """No loads can do better than the envelope: of all bounds that are sums of the largest loads it is the least."""
    charging = charge(dag, 400)
    assume(len(charging.ends) == 1)
    best = np.array(best_profile(dag, sources=True)) + np.arange(dag.n + 1) - len(graph.sources(dag))
    steps = np.arange(dag.n + 1)
    envelope = [
        max(
            (best[a] * (b - t) + best[b] * (t - a)) / (b - a) if a < b else best[t]
            for a in steps[: t + 1]
            for b in steps[t:]
        )
        for t in steps
    ]
    load = np.sort(charging.load)[::-1]
    reached = np.concatenate(([0], np.cumsum(load))) / SCALE
    assert (reached >= np.array(envelope) - 1e-4).all()
    assert reached.sum() <= 1.03 * sum(envelope) + 0.2


def test_wide_dags_count_ancestors_block_by_block():
    """More than 512 jobs, so that the bits of ancestors take several rounds."""
    dag = generate.layered(1300, layers=5, probability=0.004, seed=3)
    before, behind = ordered(dag).relatives()
    some = range(0, dag.n, 37)
    assert [int(before[j]) for j in some] == [greedy_twin.reached(dag, j, up=True) for j in some]
    assert [int(behind[j]) for j in some] == [greedy_twin.reached(dag, j, up=False) for j in some]


@given(dags(max_jobs=10, known=False))
def test_orders_are_valid_end_with_sinks_and_have_the_area_stated(dag):
    found = area(dag)
    schedule = Schedule.of(dag, found.order)
    sinks = graph.sinks(dag).tolist()
    assert schedule.area == found.area
    assert schedule.order[dag.n - len(sinks) :].tolist() == sinks
    assert found.area <= ExactTwin(dag).largest_area()


@pytest.mark.parametrize(
    ("family", "most"),
    [
        (lambda seed: generate.uniform(18, probability=0.13, seed=seed), 0.002),
        (lambda seed: generate.layered(18, layers=4, probability=0.4, seed=seed), 0.006),
        (lambda seed: generate.random_tree(18, seed=seed), 0.0005),
        (lambda seed: generate.random_tree(18, expansion=True, seed=seed), 0.0005),
        (lambda seed: generate.series_parallel(18, seed=seed), 0.002),
    ],
    ids=["uniform", "layered", "in-tree", "out-tree", "series-parallel"],
)
def test_little_area_is_lost(family, most):
    lost = []
    for seed in range(60):
        dag = graph.remove_shortcuts(family(seed))
        best = ExactTwin(dag).largest_area() if seed < 8 else None

        largest = exact.largest_area(dag).area
        assert best is None or best == largest
        lost.append(1 - area(dag).area / largest)
    assert np.mean(lost) <= most


def test_large_dags_are_ordered_with_less_effort_and_still_beat_fifo():
    dag = generate.random_tree(200_000, seed=1)
    found = area(dag)
    fifo = Schedule.of(dag, np.concatenate([dag.order[np.diff(dag.succ_ptr)[dag.order] > 0], graph.sinks(dag)]))
    assert fifo.area < Schedule.of(dag, found.order).area == found.area
