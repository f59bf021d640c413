from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import _core, generate, graph
from eligo.errors import EligoError
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.block_orders import RULES, best_rule, order_by_rule
from tests.reference import block_rules as twin
from tests.reference import blocks as brute


@st.composite
def blocks(draw: st.DrawFn, most_sources: int = 9, most_sinks: int = 9) -> Bipartite:
    """Any block, connected or not."""
    sinks = draw(st.integers(1, most_sinks))
    row = st.lists(st.integers(0, sinks - 1), min_size=1, max_size=draw(st.integers(1, sinks)))
    return brute.block_of(draw(st.lists(row, min_size=1, max_size=most_sources)))


def random_block(rng: np.random.Generator, sources: int, sinks: int, density: float) -> Bipartite:
    """A connected block."""
    while True:
        edges = rng.random((sources, sinks)) < density
        if edges.any(axis=0).all() and edges.any(axis=1).all():
            block = brute.block_of([np.flatnonzero(row).tolist() for row in edges])
            if graph.components(block.to_dag()).max() == 0:
                return block


@settings(max_examples=250, deadline=None)
@given(blocks())
def test_kernels_agree_with_their_twins(block: Bipartite) -> None:
    for rule in RULES:
        assert order_by_rule(block, rule).tolist() == twin.RULES[rule](block), rule


@pytest.mark.parametrize("seed", range(6))
def test_sinks_with_more_parents_than_the_cap(seed: int) -> None:
    """Nothing is promised at first: the nearest sink leads."""
    rng = np.random.default_rng(seed)
    block = random_block(rng, 40, 12, 0.55 + 0.05 * seed)
    for rule in ("potential", "yield", "backward", "dual-potential", "outdegree"):
        assert order_by_rule(block, rule).tolist() == twin.RULES[rule](block), rule
    for rule in RULES:
        assert sorted(order_by_rule(block, rule).tolist()) == list(range(40))


@settings(max_examples=200, deadline=None)
@given(blocks())
def test_best_rule_is_the_best(block: Bipartite) -> None:
    best = best_rule(block)
    assert sorted(best.order.tolist()) == list(range(block.sources))
    assert best.e.tolist() == block.eligible_sinks(best.order).tolist()
    areas = {rule: int(block.eligible_sinks(order_by_rule(block, rule)).sum()) for rule in RULES}
    assert best.e.sum() == max(areas.values()) >= areas["outdegree"]
    assert best.order.tolist() == order_by_rule(block, best.rule).tolist()


@pytest.mark.parametrize("budget", [0, 1, 10, 100, 1000])
def test_packets_end_when_the_budget_does(budget: int) -> None:
    rng = np.random.default_rng(budget)
    block = random_block(rng, 12, 12, 0.3)
    for rule in ("packet", "dual-packet"):
        order = _core.block_rule(block.ptr, block.idx, block.sinks, RULES.index(rule), budget)
        assert sorted(order.tolist()) == list(range(12))
    if budget == 0:
        order = _core.block_rule(block.ptr, block.idx, block.sinks, RULES.index("packet"), 0)
        assert order.tolist() == order_by_rule(block, "potential").tolist()


def test_large_blocks_get_fewer_rules() -> None:
    """More than 50,000 edges: still a good order, never below outdegree's."""
    rng = np.random.default_rng(3)
    tails, heads = rng.integers(0, 20_000, 70_000), rng.integers(0, 20_000, 70_000)
    children: list[list[int]] = [[u] for u in range(20_000)]
    for u, sink in zip(tails.tolist(), heads.tolist(), strict=True):
        children[u].append(sink)
    block = brute.block_of(children)
    best = best_rule(block)
    assert sorted(best.order.tolist()) == list(range(block.sources))
    assert best.e.sum() > 1.2 * block.eligible_sinks(order_by_rule(block, "outdegree")).sum()


# (sources, sinks, density): more parents than children, fewer, thin and dense.
SHAPES = [(5, 5, 0.4), (7, 7, 0.3), (7, 7, 0.5), (9, 9, 0.2), (9, 9, 0.4), (9, 6, 0.3), (9, 14, 0.3)]


@pytest.mark.parametrize("cases", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_quality_is_not_below_the_errata_figures(cases: int) -> None:
    """ERRATA 2 (h): the best of the rules loses at most 0.08 % of AREA and is IC-optimal in 97 % of the possible cases.

    Outdegree order loses some percent; if it did not, this test would have lost its point.
    """
    losses, optimal, admitting, outdegree_losses = [], 0, 0, []
    for number, (sources, sinks, density) in enumerate(SHAPES):
        rng = np.random.default_rng(number)
        fixed = sources * (sources + 1) // 2 + sinks * (sinks - 1) // 2  # AREA besides the sum of e
        for _ in range(cases):
            block = random_block(rng, sources, sinks, density)
            most = brute.largest_area(block)
            best = best_rule(block)
            losses.append(1 - (fixed + best.e.sum()) / (fixed + most))
            plain = block.eligible_sinks(order_by_rule(block, "outdegree")).sum()
            outdegree_losses.append(1 - (fixed + plain) / (fixed + most))
            if brute.admits_optimal_order(block):
                admitting += 1
                optimal += best.e.tolist() == brute.best_e(block)
    assert min(losses) >= 0
    assert np.mean(losses) <= 0.0008
    assert optimal >= 0.97 * admitting > 0
    assert np.mean(outdegree_losses) > 0.02


def test_named_blocks_come_out_optimal() -> None:
    for dag in (
        generate.w_dag(4, 3),
        generate.m_dag(3, 4),
        generate.n_dag(6),
        generate.cycle_dag(6),
        generate.clique_dag(4),
    ):
        block = Bipartite.from_dag(dag)[0]
        assert best_rule(block).e.tolist() == brute.best_e(block)


def test_unknown_rule() -> None:
    block = Bipartite.from_dag(generate.n_dag(2))[0]
    with pytest.raises(EligoError, match="no rule called 'outdegre'"):
        order_by_rule(block, "outdegre")
