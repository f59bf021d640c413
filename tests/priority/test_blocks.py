from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate, graph
from eligo.certificate import Certificate, verify
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.priority import _exact as exact
from eligo.priority._blocks.bipartite import Bipartite, best_of_forest
from eligo.priority._blocks.block_orders import BlockSchedule, best_rule, schedule_block
from eligo.priority._blocks.strands import find_strands, schedule_strands
from eligo.schedule import Schedule
from tests.priority.test_bipartite_trees import PAIRS_AND_ROW, PAIRS_AND_ROW_JOINED, forests
from tests.priority.test_block_rules import blocks, random_block
from tests.priority.test_strands import sums
from tests.reference import blocks as brute

BUTTERFLY_AND_EDGE = [[0, 1], [0, 1], [2]]


def check(block: Bipartite, found: BlockSchedule) -> None:
    """Hold every claim against all sets of sources."""
    best = brute.best_e(block)
    assert sorted(found.order.tolist()) == list(range(block.sources))
    assert found.e.tolist() == block.eligible_sinks(found.order).tolist()
    assert found.optimal_e is None or found.optimal_e.tolist() == best
    assert (found.witness is not None) == (found.optimal is True)
    if found.optimal:
        assert found.e.tolist() == best
        assert found.optimal_e is not None
        check_witness(block, found)
    elif found.optimal is False:
        assert not brute.admits_optimal_order(block)
        assert found.optimal_e is not None


def check_witness(block: Bipartite, found: BlockSchedule) -> None:
    """Have the checker accept it, which shares no code with us, and see that the cheapest proof was taken."""
    dag = block.to_dag()
    order = [*found.order.tolist(), *range(block.sources, dag.n)]
    verify(Certificate.of(Schedule.of(dag, order), "ic-optimal", found.witness), dag)
    assert (found.witness["by"] == "concave") == bool((np.diff(found.e, 2) <= 0).all())


@settings(max_examples=250, deadline=None)
@given(blocks(), st.sampled_from([0, 3, 100, 100_000]))
def test_claims_about_any_block(block: Bipartite, budget: int) -> None:
    found = schedule_block(block, budget)
    check(block, found)
    if budget == 100_000:
        assert found.optimal is not None


@settings(max_examples=200, deadline=None)
@given(forests(), st.sampled_from([0, 100_000]))
def test_claims_about_forests(block: Bipartite, budget: int) -> None:
    found = schedule_block(block, budget)
    check(block, found)
    assert found.optimal_e is not None


@settings(max_examples=200, deadline=None)
@given(sums())
def test_sums_of_strands_are_settled_without_search(block: Bipartite) -> None:
    found = schedule_block(block, 0)
    check(block, found)
    assert found.optimal
    assert found.witness["by"] in ("concave", "dual-concave", "bipartite-tree", "family")


@pytest.mark.parametrize("cases", [700, pytest.param(20_000, marks=pytest.mark.long)])
def test_random_connected_blocks(cases: int) -> None:
    rng = np.random.default_rng(cases)
    seen = set()
    for _ in range(cases):
        block = random_block(rng, int(rng.integers(3, 10)), int(rng.integers(3, 10)), rng.uniform(0.25, 0.6))
        found = schedule_block(block)
        check(block, found)
        if found.optimal is False:
            assert found.e.sum() == brute.largest_area(block)
        seen.add((found.optimal, (found.witness or {}).get("by")))
    assert seen >= {(True, "concave"), (True, "exact"), (True, "bipartite-tree"), (False, None)}


@pytest.mark.parametrize("children", [BUTTERFLY_AND_EDGE, PAIRS_AND_ROW, PAIRS_AND_ROW_JOINED])
def test_blocks_that_admit_no_optimal_order(children: list[list[int]]) -> None:
    block = brute.block_of(children)
    found = schedule_block(block)
    assert found.optimal is False
    check(block, found)
    unknown = schedule_block(block, 0)
    assert unknown.optimal is None
    check(block, unknown)


@pytest.mark.parametrize(
    ("dag", "kind", "by"),
    [
        (generate.clique_dag(1), "1-N", "concave"),
        (generate.clique_dag(3), "3-clique", "family"),
        (generate.cycle_dag(2), "2-clique", "family"),
        (generate.cycle_dag(3), "3-cycle", "family"),
        (generate.cycle_dag(40), "40-cycle", "family"),
        (generate.w_dag(1, 4), "(1,4)-W", "concave"),
        (generate.m_dag(1, 4), "(1,4)-M", "dual-concave"),
        (generate.w_dag(3, 2), "(3,2)-W", "bipartite-tree"),
        (generate.m_dag(3, 3), "(3,3)-M", "bipartite-tree"),
        (generate.n_dag(4), "4-N", "concave"),
        (generate.strand("W", [4, 2]), "W[4, 2]", "concave"),
        (generate.strand("T", [1, 4, 4, 3]), "T[1, 4, 4, 3]", "bipartite-tree"),
        (Dag.from_edges(8, np.repeat([0, 1, 2], 5), np.tile([3, 4, 5, 6, 7], 3)), "complete 3x5", "family"),
        (graph.sum_of([generate.m_dag(1, 2), generate.m_dag(1, 3)]), "(1,2)-M + (1,3)-M", "dual-concave"),
        (
            brute.block_of([[0, 1, 2], [0, 3], [1, 4], [2, 5]]).to_dag(),
            "tree of 4 sources and 6 sinks",
            "bipartite-tree",
        ),
    ],
)
def test_named_blocks(dag: Dag, kind: str, by: str) -> None:
    for seed in range(4):
        block, _ = brute.relabelled(Bipartite.from_dag(dag)[0], np.random.default_rng(seed))
        if kind.startswith(("T[", "W[")):
            block = Bipartite.from_dag(dag)[0]  # these names depend on the end one reads from
        found = schedule_block(block)
        assert (found.kind, found.optimal, found.witness["by"]) == (kind, True, by)
        if block.sources < 13:
            check(block, found)


def test_e_is_that_of_the_schedule_of_the_dag() -> None:
    """E(x) = s - x + e(x), sources counted."""
    block = Bipartite.from_dag(generate.strand("T", [1, 3, 3, 2]))[0]
    found = schedule_block(block)
    schedule = Schedule.of(block.to_dag(), [*found.order.tolist(), *range(block.sources, block.sources + block.sinks)])
    steps = np.arange(block.sources + 1)
    assert (schedule.profile[: block.sources + 1] == block.sources - steps + found.e).all()


def test_methods_agree_where_several_apply() -> None:
    """Strands by their own method, by rules with e_max of trees, and by exact search."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        degrees = rng.integers(2, 5, rng.integers(1, 7)).tolist()
        dag = generate.strand("T", degrees)
        block = Bipartite.from_dag(dag)[0]
        e = block.eligible_sinks(schedule_strands(block))
        assert e.tolist() == best_of_forest(block).tolist()
        answer = exact.search(dag)
        assert answer.exists
        assert (answer.profile[: block.sources + 1] - np.arange(block.sources, -1, -1) == e).all()


def test_large_blocks_are_left_open_quickly() -> None:
    rng = np.random.default_rng(2)
    block = random_block(rng, 150, 150, 0.05)
    found = schedule_block(block, 1000)
    assert found.optimal is None
    assert found.optimal_e is None
    assert found.kind == "block of 150 sources and 150 sinks"


def test_bad_input() -> None:
    with pytest.raises(EligoError, match=r"job .3. has parents and children"):
        Bipartite.from_dag(generate.mesh(3))
    with pytest.raises(EligoError, match="stands alone"):
        Bipartite.from_dag(graph.sum_of([generate.clique_dag(2), Dag.from_edges(1)]))


def test_the_empty_block_has_an_answer() -> None:
    empty = Bipartite.from_dag(Dag.from_edges(0))[0]
    found = schedule_block(empty)
    assert (found.kind, found.optimal, found.e.tolist(), found.order.tolist()) == ("empty block", True, [0], [])
    strands = find_strands(empty)
    assert strands.kind == "empty block"
    assert schedule_strands(empty).tolist() == best_rule(empty).order.tolist() == []
    assert best_of_forest(empty).tolist() == [0]
