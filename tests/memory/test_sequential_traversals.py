"""Depth first, breadth first and mixtures of both."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.memory._sequential import alpha_bfs_dfs, alpha_search, bfs, dfs, peak_of
from tests.memory.footprints import random_dag, random_footprint
from tests.memory.series_parallel import random_tree
from tests.memory.test_sequential_optimal import assert_is_order
from tests.reference.sequential_twin import depth_first


def test_a_branch_is_completed_before_a_new_one_is_started() -> None:
    """Two branches of a fork-join, each of two jobs.

    0 -> 1 -> 3 -> 5
    0 -> 2 -> 4 -> 5
    """
    dag = Dag.from_edges(6, [0, 0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 5])
    assert dfs(dag).tolist() == [0, 1, 3, 2, 4, 5]
    assert bfs(dag).tolist() == [0, 1, 2, 3, 4, 5]


def test_trees_that_grow_together_run_in_post_order() -> None:
    """Leaves 0 and 2 meet in 4, leaves 1 and 3 in 5; 4 and 5 meet in 6."""
    dag = Dag.from_edges(7, [0, 2, 1, 3, 4, 5], [4, 4, 5, 5, 6, 6])
    assert dfs(dag).tolist() == [0, 2, 4, 1, 3, 5, 6]


@pytest.mark.parametrize("seed", range(200))
def test_kernel_and_twin_agree_on_the_depth_first_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, int(rng.integers(0, 15)), float(rng.choice([0.05, 0.2, 0.5])))
    order = dfs(dag)
    assert_is_order(dag, order)
    assert order.tolist() == depth_first(dag)


@pytest.mark.parametrize("seed", range(40))
def test_depth_first_on_trees_never_leaves_a_subtree_half_done(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = random_tree(rng, 12, out=seed % 2 == 0)
    below = [_reached(dag, job, down=seed % 2 == 0) for job in range(dag.n)]
    place = np.argsort(dfs(dag))
    for jobs in below:
        places = place[sorted(jobs)]
        assert places.max() - places.min() == len(jobs) - 1


def _reached(dag: Dag, job: int, down: bool) -> set[int]:
    found, todo = {job}, [job]
    while todo:
        at = todo.pop()
        new = set((dag.children(at) if down else dag.parents(at)).tolist()) - found
        found |= new
        todo.extend(new)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_mixtures_are_orders_and_begin_and_end_with_the_pure_ones(seed: int) -> None:
    print_ = random_footprint(seed, 12)
    dag = print_.dag
    orders = [alpha_bfs_dfs(dag, steps) for steps in range(21)]
    for order in orders:
        assert_is_order(dag, order)
    assert orders[0].tolist() == bfs(dag).tolist()
    assert orders[20].tolist() == dfs(dag).tolist()
    peaks = [peak_of(print_, order) for order in orders]
    for limit in {min(peaks) - 1, *peaks}:
        found = alpha_search(print_, limit)
        first = next((steps for steps, peak in enumerate(peaks) if peak <= limit), None)
        assert (None if found is None else found[0]) == first
        assert found is None or found[1].tolist() == orders[found[0]].tolist()


@pytest.mark.parametrize("steps", [-1, 21])
def test_alpha_lies_between_0_and_1(steps: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 20"):
        alpha_bfs_dfs(Dag.from_edges(2, [0], [1]), steps)
