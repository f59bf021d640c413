"""Orders that claim the least peak, against all orders; and orders of every method, which must at least be orders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from eligo.dag import Dag, Data, Int32
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint
from eligo.memory._sequential import dfs, least_peak, orders_within, peak_of, sequential, series_parallel
from eligo.memory._sequential.least_peak import RULES
from eligo.memory._sequential.sequential_peak import costs_of, floor_of
from tests.memory import series_parallel as shapes
from tests.memory.footprints import random_footprint
from tests.reference import memory_states
from tests.reference.sequential_twin import greedy_least_net

MODELS = ("simple", "classical", "shared", "files")


def assert_is_order(dag: Dag, order: Int32) -> None:
    place = np.empty(dag.n, np.int64)
    assert sorted(order.tolist()) == list(range(dag.n))
    place[order] = np.arange(dag.n)
    assert np.all(place[dag.tails] < place[dag.heads])


def series_parallel_footprint(seed: int) -> Footprint:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    shape = seed % 3
    dag = shapes.random_series_parallel(rng, n) if shape == 2 else shapes.random_tree(rng, n, out=shape == 0)
    return shapes.with_edge_data(rng, dag, MODELS[seed // 3 % 4])


@pytest.mark.parametrize("block", range(30))
def test_trees_and_series_parallel_dags_have_the_least_peak(block: int) -> None:
    for seed in range(80 * block, 80 * block + 80):
        print_ = series_parallel_footprint(seed)
        found = series_parallel(print_)
        assert found is not None, seed
        assert found.proved, seed
        assert_is_order(print_.dag, found.order)
        assert found.peak == peak_of(print_, found.order) == memory_states.least_peak(print_), seed


@pytest.mark.parametrize("block", range(20))
def test_what_is_said_of_any_dag_holds(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        print_ = random_footprint(seed, 8)
        least = memory_states.least_peak(print_)
        assert floor_of(print_) <= least
        for budget in (0, 300, 40_000):
            found = sequential(print_, budget)
            assert_is_order(print_.dag, found.order)
            assert found.peak == peak_of(print_, found.order) == min(found.candidates.values())
            assert found.candidates[found.method] == found.peak
            assert found.peak == least if found.proved else found.peak >= least, (seed, budget)
        peak, order, exact = least_peak(print_)
        assert exact, seed
        assert peak == peak_of(print_, order) == least, seed


@pytest.mark.parametrize("block", range(10))
def test_folding_keeps_the_least_peak_and_every_method_gives_orders(block: int) -> None:
    for seed in range(5000 + 30 * block, 5000 + 30 * block + 30):
        print_ = random_footprint(seed, 8)
        least = memory_states.least_peak(print_)
        costs = costs_of(print_)
        for each in (costs, costs.folded(), costs.folded().folded()):
            order, settled, _ = each.least(0, least + 1, 10**7)
            assert settled
            assert peak_of(print_, order) == least
            order, settled, _ = each.least(0, least, 10**7)
            assert settled
            assert not len(order)
            for behind in (False, True):
                tried = [each.greedy(rule, behind) for rule in range(len(RULES))]
                tried += [each.by_forest(order, behind) for order in tried]
                tried += [each.beam(0, width, 10**6, behind) for width in (1, 5)]
                for order in tried:
                    assert_is_order(print_.dag, order)
                    assert each.peak(order) == peak_of(print_, order) >= least


def test_asking_edges_only_makes_costs_less_fixed_but_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eligo.memory._sequential.sequential_peak._MOST_PAIRS_TO_ASK", 0)
    for seed in range(300):
        print_ = random_footprint(seed, 7)
        assert least_peak(print_)[::2] == (memory_states.least_peak(print_), True)


@pytest.mark.parametrize("block", range(10))
def test_jobs_that_are_alike_may_run_by_number(block: int) -> None:
    """Series-parallel dags whose jobs all share what they read: most of their jobs are twins."""
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        dag = shapes.random_series_parallel(rng, int(rng.integers(2, 9)))
        readers = [dag.children(job).tolist() for job in range(dag.n)]
        data = Data.build(rng.integers(1, 3, dag.n), producer=np.arange(dag.n), readers=readers)
        print_ = footprint(dag.with_known(data=data), "shared", unread=str(rng.choice(["stay", "leave"])))
        found = sequential(print_)
        assert found.proved, seed
        assert found.peak == memory_states.least_peak(print_), seed


@pytest.mark.parametrize("block", range(10))
def test_costs_settled_by_any_order_bound_the_peak_from_below(block: int) -> None:
    for seed in range(9000 + 20 * block, 9000 + 20 * block + 20):
        print_ = random_footprint(seed, 7, "files" if seed % 2 else "pebble")
        costs = costs_of(print_)
        relaxed = costs.settled(costs.greedy(seed % len(RULES), False))
        _, order, _ = least_peak(print_)
        assert relaxed.fixed
        assert relaxed.peak(order) <= peak_of(print_, order)
        best, settled, _ = relaxed.folded().least(0, 2**62, 10**7)
        assert settled
        assert relaxed.peak(best) <= memory_states.least_peak(print_)


@pytest.mark.parametrize("seed", range(300))
def test_kernel_and_twin_agree_on_the_plain_greedy(seed: int) -> None:
    print_ = random_footprint(seed, 8)
    assert costs_of(print_).greedy(RULES.index("least-net"), False).tolist() == greedy_least_net(print_)


def test_numbering_jobs_anew_changes_no_proved_peak() -> None:
    rng = np.random.default_rng(5)
    for seed in range(60):
        print_ = series_parallel_footprint(3 * seed + 2)
        dag = print_.dag
        new = rng.permutation(dag.n).astype(np.int32)
        relabelled = Footprint(
            Dag.from_edges(dag.n, new[dag.tails], new[dag.heads]),
            print_.rules,
            print_.running[np.argsort(new)],
            print_.size,
            np.where(print_.producer >= 0, new[print_.producer], print_.producer).astype(np.int32),
            print_.reader_ptr,
            new[print_.readers],
            print_.datum,
        )
        assert sequential(relabelled).peak == sequential(print_).peak


@pytest.mark.parametrize("seed", range(60))
def test_simple_orders_within_a_limit_stay_within(seed: int) -> None:
    print_ = random_footprint(seed, 10)
    best = sequential(print_)
    for limit in (best.peak - 1, best.peak, 2 * best.peak):
        found = orders_within(print_, limit)
        assert limit >= best.peak or not found
        assert found or limit < peak_of(print_, dfs(print_.dag))
        assert len({order.tobytes() for _, order in found}) == len(found)
        for _, order in found:
            assert_is_order(print_.dag, order)
            assert peak_of(print_, order) <= limit


def caterpillar(n: int, out: bool) -> Dag:
    """A path of n / 2 jobs, each with a leaf of its own."""
    half = n // 2
    tails = np.concatenate((np.arange(half - 1), np.arange(half)))
    heads = np.concatenate((np.arange(1, half), np.arange(half, 2 * half)))
    return Dag.from_edges(2 * half, tails, heads) if out else Dag.from_edges(2 * half, heads, tails)


def star(n: int, out: bool) -> Dag:
    leaves, middle = np.arange(1, n), np.zeros(n - 1, np.int64)
    return Dag.from_edges(n, middle, leaves) if out else Dag.from_edges(n, leaves, middle)


def path(n: int, out: bool) -> Dag:
    jobs = np.arange(n) if out else np.arange(n)[::-1]
    return Dag.from_edges(n, jobs[:-1], jobs[1:])


def any_tree(n: int, out: bool) -> Dag:
    return shapes.random_tree(np.random.default_rng(1), n, out)


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("shape", [caterpillar, star, path, any_tree])
def test_large_trees_of_every_shape_are_settled_without_recursion(shape: Callable[[int, bool], Dag], out: bool) -> None:
    dag = shape(20_000, out)
    print_ = shapes.with_edge_data(np.random.default_rng(1), dag, "classical", 10**9)
    found = series_parallel(print_)
    assert found is not None
    assert found.proved
    assert_is_order(dag, found.order)
    assert floor_of(print_) <= found.peak <= min(sequential(print_).candidates.values())
