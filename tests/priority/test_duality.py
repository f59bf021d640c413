"""Duality by packets, for every dag, against brute force over executed sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, EligoError, graph
from eligo.generate import fft, mesh, strand, tree
from eligo.priority._duality import dual_e, dual_profile, dual_schedule
from eligo.priority._priority_relation import has_priority, yields_of
from eligo.schedule import Schedule
from tests.reference.sweep_twin import optimum
from tests.strategies import dags


@st.composite
def schedules(draw: st.DrawFn, max_jobs: int = 9) -> Schedule:
    """Any order of any dag."""
    dag = draw(dags(max_jobs, known=False))
    rank = draw(st.permutations(range(dag.n)))
    order: list[int] = []
    while len(order) < dag.n:
        ready = [j for j in range(dag.n) if j not in order and set(dag.parents(j).tolist()) <= set(order)]
        order.append(min(ready, key=rank.__getitem__))
    return Schedule.of(dag, order)


def bipartite(rng: np.random.Generator, sources: int, sinks: int) -> Dag:
    """A block without isolated jobs."""
    feeds = rng.random((sources, sinks)) < rng.choice([0.3, 0.6])
    feeds[rng.integers(0, sources, sinks), np.arange(sinks)] = True
    feeds[np.arange(sources), rng.integers(0, sinks, sources)] = True
    tails, heads = np.nonzero(feeds)
    return Dag.from_edges(sources + sinks, tails, sources + heads)


@given(schedules())
@settings(max_examples=200)
def test_every_schedule_has_a_dual(schedule):
    dag = schedule.dag
    turned = dual_schedule(schedule)
    assert turned.dag == graph.dual(dag)
    ready = {job: max((schedule.order.tolist().index(p) for p in dag.parents(job)), default=-1) for job in range(dag.n)}
    assert turned.order.tolist() == sorted(range(dag.n), key=lambda job: (-ready[job], job))


@given(dags(8, known=False))
@settings(max_examples=150)
def test_the_dual_of_an_optimal_schedule_is_optimal(dag):
    best, turned = optimum(dag), optimum(graph.dual(dag))
    assert dual_profile(best.profile).tolist() == turned.profile
    assert dual_profile(turned.profile).tolist() == best.profile
    assert dual_e(best.yields(dag)).tolist() == turned.yields(graph.dual(dag))
    assert (best.order is None) == (turned.order is None)
    if best.order is not None:
        once = dual_schedule(Schedule.of(dag, best.order))
        assert once.profile.tolist() == turned.profile
        assert dual_schedule(once).profile.tolist() == best.profile


def check_many(seed: int, count: int, most: int) -> int:
    """Compare dags of two and more levels; return how many admit no IC-optimal schedule."""
    rng = np.random.default_rng(seed)
    without = 0
    for _ in range(count):
        n = int(rng.integers(6, most + 1))
        level = np.sort(rng.integers(0, rng.integers(2, 5), n))
        pairs = [(u, v) for u in range(n) for v in range(u) if level[v] == level[u] - 1 and rng.random() < 0.6]
        dag = Dag.from_edges(n, [v for _, v in pairs], [u for u, _ in pairs])
        best, turned = optimum(dag), optimum(graph.dual(dag))
        assert dual_profile(best.profile).tolist() == turned.profile
        assert (best.order is None) == (turned.order is None)
        if best.order is None:
            without += 1
        else:
            assert dual_schedule(Schedule.of(dag, best.order)).profile.tolist() == turned.profile
    return without


def test_many_layered_dags():
    assert check_many(1, 600, 9) > 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_larger_layered_dags(seed):
    assert check_many(seed, 1500, 12) > 50


def test_theorem_5_3_for_all_bipartite_blocks():
    """a over b iff the dual of b over the dual of a, with all yields found by brute force."""
    rng = np.random.default_rng(5)
    blocks = [bipartite(rng, *rng.integers(1, 5, 2).tolist()) for _ in range(45)]
    e = [optimum(block).yields(block) for block in blocks]
    turned = [optimum(graph.dual(block)).yields(graph.dual(block)) for block in blocks]
    assert [dual_e(function).tolist() for function in e] == turned
    related = np.array([[has_priority(a, b) for b in e] for a in e])
    assert np.array_equal(related, [[has_priority(b, a) for b in turned] for a in turned])
    assert 100 < related.sum() < related.size - 100


@given(st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=2, max_size=2))
@settings(max_examples=250)
def test_theorem_5_3_for_all_yields(gains):
    a, b = (np.cumsum([0, *values, 1]) for values in gains)
    assert has_priority(a, b) == has_priority(dual_e(b), dual_e(a))
    assert np.array_equal(dual_e(dual_e(a)), a)


def test_w_and_m_strands_are_dual():
    """W[3, 2, 4] and its dual: packets of the one, source by source, are the order of the other."""
    w = strand("W", [3, 2, 4])
    best = Schedule.of(w, optimum(w).order)
    turned = dual_schedule(best)
    assert turned.profile.tolist() == optimum(turned.dag).profile
    assert dual_e(yields_of(best)).tolist() == yields_of(turned).tolist()


@pytest.mark.parametrize("dag", [mesh(4), tree(2, 3), fft(2)], ids=["mesh", "tree", "fft"])
def test_known_families_and_their_duals(dag):
    best = optimum(dag)
    turned = dual_schedule(Schedule.of(dag, best.order))
    assert turned.profile.tolist() == dual_profile(best.profile).tolist() == optimum(turned.dag).profile


def test_degenerate_duals():
    empty = Dag.from_edges(0)
    assert dual_schedule(Schedule.of(empty, [])).order.tolist() == []
    assert dual_profile([0]).tolist() == [0]
    assert dual_e([0]).tolist() == [0]
    alone = Dag.from_edges(2)
    assert dual_schedule(Schedule.of(alone, [1, 0])).order.tolist() == [0, 1]
    assert dual_profile([2, 1, 0]).tolist() == [2, 1, 0]


@pytest.mark.parametrize("profile", [[1, 1], [1, 2, -1, 0], [3, 1, 0]])
def test_what_is_no_profile_is_refused(profile):
    with pytest.raises(EligoError, match="no numbers of ELIGIBLE jobs"):
        dual_profile(profile)


def test_what_is_no_list_of_numbers_is_refused():
    for values in ([], [[1, 0]], [1.0, 0.0]):
        with pytest.raises(EligoError, match="flat list"):
            dual_profile(values)
    with pytest.raises(EligoError, match="last non-sink yields nothing"):
        dual_e([0, 1, 1])
