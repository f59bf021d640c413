"""Exact search finds every number that the papers' errata state: how many dags admit, schedules, profiles, memory."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.generate._classic_dags import fft
from eligo.generate._meshes_and_trees import mesh, tree, tree_from_parents
from eligo.graph import dual
from eligo.priority import _exact as exact
from tests.reference.exact_twin import ExactTwin, posets


def arcs(text: str, jobs: int = 0) -> Dag:
    """``"0->1,2; 1->3"`` with isolated jobs up to `jobs`."""
    pairs = [(int(t), int(h)) for part in text.split(";") for t, hs in [part.split("->")] for h in hs.split(",")]
    n = max(jobs, *(1 + max(pair) for pair in pairs))
    return Dag.from_edges(n, [tail for tail, _ in pairs], [head for _, head in pairs])


BUTTERFLY_AND_ARC = arcs("0->2,3; 1->2,3; 4->5")


@pytest.mark.parametrize(
    ("n", "many", "admitting"),
    [(0, 1, 1), (1, 1, 1), (2, 2, 2), (3, 5, 5), (4, 16, 16), (5, 63, 63), (6, 318, 317), (7, 2045, 2022)],
)
def test_how_many_posets_admit_an_ic_optimal_schedule(n, many, admitting):
    """Errata, part 2 (i)."""
    found = [exact.search(poset).exists for poset in posets(n)]
    assert (len(found), sum(found)) == (many, admitting)


@pytest.mark.long
def test_how_many_posets_of_eight_admit_an_ic_optimal_schedule():
    found = [exact.search(poset).exists for poset in posets(8)]
    assert (len(found), sum(found)) == (16999, 16588)


def test_the_only_poset_of_six_without_ic_optimal_schedule():
    (bad,) = (poset for poset in posets(6) if not exact.search(poset).exists)
    answer = exact.search(bad)
    expected = exact.search(BUTTERFLY_AND_ARC)
    assert sorted(np.diff(bad.succ_ptr).tolist()) == [0, 0, 0, 1, 2, 2]
    assert answer.profile.tolist() == expected.profile.tolist() == [3, 3, 3, 3, 2, 1, 0]
    assert answer.dies_at == expected.dies_at == 2
    assert exact.steps_in_conflict(bad) == exact.steps_in_conflict(BUTTERFLY_AND_ARC) == (1, 2)


@pytest.mark.parametrize(
    ("dag", "exists"),
    [
        (arcs("0->1,2; 1->3,4; 2->3,4", jobs=6), True),
        (arcs("0->2,3; 1->6; 2->4,5; 3->4,5; 4->6"), True),
        (arcs("0->3,4; 1->4; 2->5,6; 3->5,6"), False),
        (arcs("0->3,6; 1->5,6,7; 2->5,6,7; 3->4,7"), False),
        (arcs("4->0,1; 0->3,5; 2->1,3; 6->3"), True),
    ],
)
def test_dags_of_the_errata(dag, exists):
    """Part 1, section 2, counted with all ELIGIBLE jobs, and part 2 (c)."""
    assert exact.search(dag).exists is exists


def test_no_schedule_though_no_two_steps_are_in_conflict():
    """Two steps in conflict prove that no schedule is IC-optimal, but the converse is false, first for seven jobs.

    ::

        0   1 - 4      E_max = 3 3 3 3 3 2 1 0. Step 1: 0. Step 2: 0 and 3, or 1 and 2. Step 3: 1, 2 and 0.
        |   | X |      So steps 1 and 2 agree on 0, 3; steps 2 and 3 on 1, 2; steps 1 and 3 on 0.
        3   2 - 5
        |
        6
    """
    dag = arcs("0->3; 3->6; 1->4,5; 2->4,5")
    answer = exact.search(dag)
    assert answer.profile.tolist() == [3, 3, 3, 3, 3, 2, 1, 0]
    assert answer.dies_at == 3
    assert exact.steps_in_conflict(dag) is None
    assert ExactTwin(dag).conflicts() == []


@pytest.mark.parametrize("levels", range(1, 7))
def test_meshes(levels):
    """Errata (f): 2^(l(l-1)/2) schedules; E_max(t) = floor((sqrt(8U + 1) - 1) / 2) with U unexecuted jobs; memory l."""
    dag = mesh(levels)
    answer = exact.search(dag)
    assert answer.count == 2 ** (levels * (levels - 1) // 2)
    left = np.arange(dag.n, -1, -1)
    assert answer.profile.tolist() == np.floor((np.sqrt(8 * left + 1) - 1) / 2).tolist()
    memory = 0 if levels == 1 else levels
    assert exact.least_memory(dag).memory_cost == memory
    assert exact.least_memory(dag, ic_optimal=True).memory_cost == memory


@pytest.mark.parametrize(("levels", "cost", "optimal"), [(3, 5, 6), (4, 8, 10), (5, 11, 15)])
def test_meshes_of_three_dimensions(levels, cost, optimal):
    dag = mesh(levels, dim=3)
    assert exact.search(dag).exists
    assert exact.least_memory(dag).memory_cost == cost
    assert exact.least_memory(dag, ic_optimal=True).memory_cost == optimal


@pytest.mark.parametrize(("levels", "dim"), [(4, 4), (3, 5), (3, 6)])
def test_meshes_of_more_dimensions_admit(levels, dim):
    assert exact.search(mesh(levels, dim=dim)).exists


@pytest.mark.parametrize("height", range(5))
def test_binary_trees(height):
    """Errata (f): E_max = S - t + floor(t / 2); memory h + 1, and 2h for IC-optimal schedules."""
    dag = tree(height)
    answer = exact.search(dag)
    steps = np.arange(dag.n + 1)
    assert answer.profile.tolist() == (2**height - steps + steps // 2).tolist()
    assert exact.least_memory(dag).memory_cost == (height + 1 if height else 0)
    assert exact.least_memory(dag, ic_optimal=True).memory_cost == 2 * height
    assert answer.exists


@pytest.mark.parametrize(("arity", "height"), [(3, 1), (3, 2), (4, 1), (4, 2), (5, 1)])
def test_trees_of_any_arity(arity, height):
    """Errata (f): E_max = S - t + floor(t / k); memory (k - 1) h + 1; IC-optimal k for h = 1 and k^2 for h = 2."""
    dag = tree(height, arity=arity)
    steps = np.arange(dag.n + 1)
    assert exact.best_profile(dag).tolist() == (arity**height - steps + steps // arity).tolist()
    assert exact.least_memory(dag).memory_cost == (arity - 1) * height + 1
    assert exact.least_memory(dag, ic_optimal=True).memory_cost == arity**height


def test_the_smallest_mixed_trees_that_do_not_admit():
    """Errata (f): root = (4-ary node, leaf) and a 3-ary node, 12 jobs; its dual fails with it."""
    dag = tree_from_parents([8, 8, 8, 8, 9, 9, 9, 10, 10, 11, 11, -1])
    assert dag.n == 12
    assert not exact.search(dag).exists
    assert not exact.search(dual(dag)).exists


@pytest.mark.parametrize(("dim", "cost", "optimal"), [(1, 2, 2), (2, 5, 6), (3, 9, 10)])
def test_fourier_dags(dim, cost, optimal):
    dag = fft(dim)
    assert exact.search(dag).exists
    assert exact.least_memory(dag).memory_cost == cost
    assert exact.least_memory(dag, ic_optimal=True).memory_cost == optimal


def test_the_number_of_schedules_of_the_fourier_dag():
    """1536 for F_2 (errata, 2 (f)): none of the 1024 paired schedules that execute a sink early is among them."""
    dag = fft(2)
    assert exact.search(dag).count == 1536
    sinks = set(range(dag.n)) - set(dag.tails.tolist())
    for schedule in exact.schedules(dag):
        assert set(schedule.order[-len(sinks) :].tolist()) == sinks
