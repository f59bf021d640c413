from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.priority._blocks.bipartite import Bipartite, best_of_forest
from tests.reference import blocks as brute


@st.composite
def forests(draw: st.DrawFn, most_sources: int = 9) -> Bipartite:
    """Trees grown node by node: each hangs below one of the other side, or begins a tree of its own."""
    children: list[list[int]] = [[0]]
    sinks = 1
    for _ in range(draw(st.integers(0, 2 * most_sources))):
        what = draw(st.integers(0, 9))
        if what == 0 and len(children) < most_sources:
            children.append([sinks])
            sinks += 1
        elif what < 5 and len(children) < most_sources:
            children.append([draw(st.integers(0, sinks - 1))])
        else:
            children[draw(st.integers(0, len(children) - 1))].append(sinks)
            sinks += 1
    block = brute.block_of(children)
    return brute.relabelled(block, np.random.default_rng(draw(st.integers(0, 2**32))))[0]


@settings(max_examples=300, deadline=None)
@given(forests())
def test_forests_against_all_sets_of_sources(block: Bipartite) -> None:
    assert best_of_forest(block).tolist() == brute.best_e(block)


def random_tree(rng: np.random.Generator, sources: int, sinks: int) -> Bipartite:
    """A random tree on so many sources and sinks, in which the next node hangs on any of the other side."""
    children: list[list[int]] = [[0]]
    placed = 1
    sides = rng.permutation([0] * (sources - 1) + [1] * (sinks - 1))
    for side in sides.tolist():
        if side == 0:
            children.append([int(rng.integers(placed))])
        else:
            children[rng.integers(len(children))].append(placed)
            placed += 1
    return brute.relabelled(brute.block_of(children), rng)[0]


@pytest.mark.parametrize("cases", [400, pytest.param(10_000, marks=pytest.mark.long)])
def test_random_trees_against_all_sets_of_sources(cases: int) -> None:
    rng = np.random.default_rng(cases)
    for _ in range(cases):
        block = random_tree(rng, int(rng.integers(1, 13)), int(rng.integers(1, 16)))
        assert best_of_forest(block).tolist() == brute.best_e(block)


# Six sources in three pairs, each pair with a sink, and a sink that waits for one of each pair; then a row of three.
PAIRS_AND_ROW = [[0, 3], [0], [1, 3], [1], [2, 3], [2], [4], [4, 5], [5]]
# The same, held together by a sink that waits for two further sources as well.
PAIRS_AND_ROW_JOINED = [[0, 3, 6], [0], [1, 3], [1], [2, 3], [2], [4, 6], [4, 5], [5], [6], [6]]


@pytest.mark.parametrize("children", [PAIRS_AND_ROW, PAIRS_AND_ROW_JOINED])
def test_forests_need_not_admit_an_optimal_order(children: list[list[int]]) -> None:
    r"""After three steps the row is best, after six the pairs.

    0   1   2   3   4   5       6   7   8
    |\ /   |\ /   |\ /         \ / \ /
    | 0    | 1    | 2           4   5
    +------+------+- 3
    """
    block = brute.block_of(children)
    best = best_of_forest(block).tolist()
    assert best[:7] == [0, 0, 1, 2, 2, 3, 4]
    assert best == brute.best_e(block)
    assert not brute.admits_optimal_order(block)


def test_one_source_with_many_sinks_below_a_long_row() -> None:
    """Sinks of one parent are counted, not merged one by one, and no depth is too much."""
    row = Bipartite.from_dag(generate.n_dag(3000))[0]
    children = brute.children_of(row)
    children[1500] += range(row.sinks, row.sinks + 100_000)
    best = best_of_forest(brute.block_of(children))
    assert best[1] == 100_000
    assert best[-1] == row.sinks + 100_000
    assert np.array_equal(best_of_forest(row), np.arange(3001))


@pytest.mark.parametrize("dag", [generate.clique_dag(2), generate.cycle_dag(5)])
def test_cycles_are_refused(dag: Dag) -> None:
    with pytest.raises(EligoError, match="has a cycle"):
        best_of_forest(Bipartite.from_dag(dag)[0])


def test_not_bipartite_and_isolated_are_refused() -> None:
    with pytest.raises(EligoError, match="has parents and children"):
        Bipartite.from_dag(Dag.from_edges(3, [0, 1], [1, 2]))
    with pytest.raises(EligoError, match="stands alone"):
        Bipartite.from_dag(Dag.from_edges(3, [0], [1]))
