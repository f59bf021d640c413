"""The worst peak against every state of small dags, against 004's two other ways, and on known graphs."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.memory._algorithm1 import worst_peak_by_algorithm1
from eligo.memory._footprint import data_ends
from eligo.memory._footprint import occupied as quick_occupied
from eligo.memory._linear_program import worst_peak_by_lp
from eligo.memory._models import MODELS, footprint
from eligo.memory._worst_peak import worst_peak
from tests.memory.footprints import random_dag, random_footprint
from tests.memory.toy import A, D, toy
from tests.reference.memory_states import all_states, occupied, true_worst_peak


@pytest.mark.parametrize("model", MODELS)
def test_no_state_exceeds_it_and_one_attains_it(model: str) -> None:
    for seed in range(400):
        print_ = random_footprint(seed, 7, model)
        found, truth = worst_peak(print_), true_worst_peak(print_)
        assert found.attained == truth, seed
        assert found.is_true
        assert found.bound >= truth
        if model in ("simple", "classical"):
            assert found.exact
        started = frozenset(np.flatnonzero(found.started).tolist())
        ended = frozenset(np.flatnonzero(found.ended).tolist())
        assert occupied(print_, started, ended) == found.attained
        if not print_.rules.one_event:
            assert (started, ended) in all_states(print_)


@pytest.mark.parametrize("model", MODELS)
def test_without_search_the_bound_is_the_same(model: str) -> None:
    for seed in range(100):
        print_ = random_footprint(seed, 7, model)
        assert worst_peak(print_, trials=0).bound == worst_peak(print_).bound
        assert worst_peak(print_, trials=0).attained <= worst_peak(print_).attained


def test_three_ways_agree() -> None:
    for seed in range(60):
        print_ = random_footprint(1000 + seed, 30)
        bound = worst_peak(print_, trials=0).bound
        assert bound == worst_peak_by_algorithm1(print_)[0] == worst_peak_by_lp(print_)[0]


def test_relabelling_changes_nothing() -> None:
    rng = np.random.default_rng(7)
    for seed in range(50):
        dag = random_dag(rng, 12, 0.3)
        sizes = rng.integers(0, 50, dag.m)
        order = rng.permutation(dag.n)
        one = Dag.from_edges(dag.n, dag.tails, dag.heads, data=Data.per_edge(dag.tails, dag.heads, sizes))
        tails, heads = order[dag.tails], order[dag.heads]
        two = Dag.from_edges(dag.n, tails, heads, data=Data.per_edge(tails, heads, sizes))
        if dag.m and sizes.any():
            assert worst_peak(footprint(one, "simple")).bound == worst_peak(footprint(two, "simple")).bound, seed


def test_the_toy_of_004() -> None:
    before = worst_peak(toy())
    assert (before.bound, before.exact, np.flatnonzero(before.started).tolist()) == (11, True, [0, 1, 2])
    assert worst_peak(toy((D, A))).bound == 9


def test_a_chain_of_shared_outputs_holds_two() -> None:
    """Errata (g): 004's emulation says 3, the truth is 2; a last reader makes it exact."""
    dag = Dag.from_edges(4, [0, 1, 2], [1, 2, 3], data=Data.build([1, 1, 1], [0, 1, 2], [[1], [2], [3]]))
    found = worst_peak(footprint(dag, "shared"))
    assert (found.bound, found.exact) == (2, True)


def test_readers_in_parallel_before_a_join() -> None:
    r"""Two fork-joins one after the other: data of the first are gone when the second runs.

        a          d
       / \        / \
      b   c --j--e   f --k
    """
    tails, heads = [0, 0, 1, 2, 3, 3, 4, 5], [1, 2, 3, 3, 4, 5, 6, 6]
    data = Data.build([10, 10], [0, 3], [[1, 2], [4, 5]])
    print_ = footprint(Dag.from_edges(7, tails, heads, data=data), "shared")
    assert worst_peak(print_).bound == true_worst_peak(print_) == 10
    ends = data_ends(print_)
    assert ends.last.tolist() == [-1, -1]
    assert (ends.followed.tolist(), ends.followers.tolist()) == ([0, 1], [3, 6])


def test_search_goes_below_the_bound() -> None:
    """Two readers that nothing follows: the bound keeps the datum for ever, the truth does not."""
    gaps = 0
    for seed in range(3000):
        print_ = random_footprint(seed, 6, "pebble")
        found = worst_peak(print_)
        gaps += not found.exact
        assert found.is_true
    assert gaps > 0


def test_sizes_up_to_2_to_the_62() -> None:
    size = 2**60 - 1
    dag = Dag.from_edges(5, [0, 0, 0, 1, 2, 3], [1, 2, 3, 4, 4, 4])
    data = Data.per_edge([1, 2, 3], [4, 4, 4], [size, size, size])
    assert worst_peak(footprint(dag.with_known(data=data), "simple")).bound == 3 * size


def test_the_data_that_make_the_peak_come_largest_first() -> None:
    dag = Dag.from_edges(4, [0, 1, 2], [3, 3, 3], data=Data.per_edge([0, 1, 2], [3, 3, 3], [1, 9, 5]))
    assert worst_peak(footprint(dag)).present.tolist() == [1, 2, 0]


@pytest.mark.parametrize("model", MODELS)
def test_occupied_is_as_defined(model: str) -> None:
    for seed in range(40):
        print_ = random_footprint(seed, 5, model)
        for started, completed in all_states(print_):
            ended = started if print_.rules.one_event else completed
            now = [np.isin(np.arange(print_.dag.n), list(jobs)) for jobs in (started, ended)]
            assert quick_occupied(print_, *now) == occupied(print_, started, ended)


def test_one_job_and_none() -> None:
    assert worst_peak(footprint(Dag.from_edges(0), "pebble")).bound == 0
    assert worst_peak(footprint(Dag.from_edges(1, temp_bytes=[5]))).bound == 5
