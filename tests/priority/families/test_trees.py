"""Trees: section 4 of 000 and its k-ary form by brute force, costs of all orders, recognition."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate import tree, tree_from_parents
from eligo.graph import dual
from eligo.priority._families import MixedTree, Tree, recognise, recognise_mixed_tree, recognise_tree, tree_eligible
from eligo.schedule import Schedule
from tests.priority.families.brute import Ideals, near_miss, shuffled, takes_the_newest


def known(dag: Dag) -> Tree:
    found = recognise_tree(dag)
    assert found is not None
    return found


def costs(found: Tree) -> tuple[int, int, int]:
    """Memory costs of the best, the level-by-level and the cheapest order."""
    orders = found.best_order(), found.level_order(), found.cheapest_order()
    first, second, third = (Schedule.of(found.dag, order).memory_cost for order in orders)
    return first, second, third


@st.composite
def branchings(draw: st.DrawFn, most: int, arities: st.SearchStrategy[int], uniform: bool) -> list[int]:
    """The parent of each node of a random tree: leaves are replaced by inner nodes while there is room."""
    parents = [-1]
    leaves = [0]
    arity = draw(arities)
    while len(parents) + arity <= most and draw(st.integers(0, 5)):
        node = leaves.pop(draw(st.integers(0, len(leaves) - 1)))
        leaves += range(len(parents), len(parents) + arity)
        parents += [node] * arity
        arity = arity if uniform else draw(arities)
    return parents


UNIFORM = branchings(15, st.integers(1, 4), uniform=True)
MIXED = branchings(12, st.integers(1, 4), uniform=False)


@settings(max_examples=150)
@given(UNIFORM, st.booleans(), st.randoms(use_true_random=False))
def test_any_shape_is_scheduled_ic_optimally_with_least_memory(parents: list[int], expansion: bool, random) -> None:
    dag = shuffled(tree_from_parents(parents, expansion), seed=random.randrange(10**6))
    found = known(dag)
    ideals = Ideals(dag)
    best = Schedule.of(dag, found.best_order())
    assert best.profile.tolist() == ideals.best_profile == found.best_profile().tolist()
    if found.arity > 1:
        assert [
            tree_eligible(found.leaves, found.arity, step, expansion=expansion) for step in range(dag.n + 1)
        ] == ideals.best_profile
    if found.arity > 1 or not expansion:
        assert best.memory_cost == ideals.least_memory(optimal=True)
    if not expansion:
        assert Schedule.of(dag, found.level_order()).profile.tolist() == ideals.best_profile
        assert Schedule.of(dag, found.cheapest_order()).memory_cost == ideals.least_memory(optimal=False)


@settings(max_examples=150)
@given(branchings(50, st.integers(2, 6), uniform=True), st.integers(0, 10**6))
def test_postorder_execute_is_cheapest_among_orders_of_groups(parents: list[int], seed: int) -> None:
    """Larger trees of larger arity: brute force over the orders in which groups of siblings can be executed."""
    found = known(shuffled(tree_from_parents(parents), seed))
    groups = [node for node in range(len(parents)) if node in parents]
    if not 1 < len(groups) <= 10:
        return
    least = {frozenset[int](): 0}
    for _ in groups:
        grown: dict[frozenset[int], int] = {}
        for done, cost in least.items():
            for group in groups:
                below = [node for node in groups if parents[node] == group]
                if group not in done and done.issuperset(below):
                    after = done | {group}
                    # A group's k jobs are open until the one that they feed is executed with its own group.
                    held = sum(found.arity for node in after if parents[node] not in after)
                    grown[after] = min(grown.get(after, 10**9), max(cost, held))
        least = grown
    assert Schedule.of(found.dag, found.best_order()).memory_cost == min(least.values())


@given(UNIFORM)
def test_siblings_in_a_row_and_nothing_else_is_ic_optimal(parents: list[int]) -> None:
    """Theorem 4.1 for any arity: as many IC-optimal schedules as orders of groups, times orders within them."""
    dag = tree_from_parents(parents)
    arity = int(np.diff(dag.pred_ptr).max())
    if arity < 2:
        return
    heads = [job for job in range(dag.n) if len(dag.parents(job))]
    below = {head: [p for p in dag.parents(head).tolist() if p in heads] for head in heads}
    groups = Dag.from_edges(
        len(heads),
        [heads.index(lower) for head in heads for lower in below[head]],
        [heads.index(head) for head in heads for _ in below[head]],
    )
    orders = {0: 1}
    for layer in Ideals(groups).layers[:-1]:
        grown: dict[int, int] = {}
        for ideal, jobs in layer.items():
            for job in jobs:
                grown[ideal | 1 << job] = grown.get(ideal | 1 << job, 0) + orders[ideal]
        orders = grown
    factor = int(np.prod(np.arange(1, arity + 1))) ** len(heads)
    assert Ideals(dag).count_optimal() == sum(orders.values()) * factor


@pytest.mark.parametrize("height", range(9))
def test_costs_on_complete_binary_trees(height: int) -> None:
    """Theorem 4.2, lemma 4.2: 2h, 2^h and h + 1 registers; a single job needs none."""
    found = known(shuffled(tree(height), seed=height))
    assert found.complete
    assert costs(found) == ((2 * height, 2**height, height + 1) if height else (0, 0, 0))


@pytest.mark.parametrize("arity", [3, 4, 5])
@pytest.mark.parametrize("height", [1, 2, 3, 4])
def test_costs_on_complete_trees_of_any_arity(arity: int, height: int) -> None:
    found = known(shuffled(tree(height, arity), seed=height))
    best = arity + (height - 1) * arity * (arity - 1)
    assert costs(found) == (best, arity**height, (arity - 1) * height + 1)


def test_lemma_4_3_no_ic_optimal_schedule_costs_less() -> None:
    for height in (1, 2, 3):
        assert Ideals(tree(height)).least_memory(optimal=True) == 2 * height
        assert Ideals(tree(height)).least_memory(optimal=False) == height + 1
    for arity in (3, 4):
        assert Ideals(tree(1, arity)).least_memory(optimal=True) == arity
        assert Ideals(tree(2, 3)).least_memory(optimal=True) == 9


@pytest.mark.long
def test_height_four() -> None:
    ideals = Ideals(tree(4))
    found = known(tree(4))
    assert ideals.best_profile == found.best_profile().tolist()
    assert ideals.least_memory(optimal=True) == 8


@pytest.mark.parametrize("height", range(1, 8))
def test_expansion_trees(height: int) -> None:
    """As many registers as jobs with a leaf below them; depth-first needs the height only."""
    for arity in (2, 3):
        found = known(shuffled(tree(height, arity, expansion=True), seed=2))
        assert costs(found) == (arity ** (height - 1), arity ** (height - 1), height)


@pytest.mark.parametrize("height", range(1, 9))
def test_eager_formulas_of_section_4_4(height: int) -> None:
    found = known(shuffled(tree(height), seed=height))
    order = found.eager_order()
    eager, best = Schedule.of(found.dag, order).profile, found.best_profile()
    for k in range(height):
        # One complete subtree of each height 0, ..., k is executed.
        assert eager[2 ** (k + 2) - (k + 3)] == 2**height - 2 ** (k + 1) + 1
    # From step 2^(h+1) - h - 2 on there is one ELIGIBLE job a step.
    assert set(eager[2 ** (height + 1) - height - 2 : -1].tolist()) == {1}
    executed: set[int] = set()
    largest = 0
    for step, job in enumerate(order.tolist(), start=1):
        executed.add(job)
        above = [tuple(found.dag.children(one)) for one in executed if executed.isdisjoint(found.dag.children(one))]
        if len(set(above)) == len(above):
            # m complete subtrees, no two of them siblings. The errata: not m - 1, as printed, but floor(m / 2).
            assert best[step] - eager[step] == len(above) // 2
            largest = max(largest, len(above))
    assert largest == height


@pytest.mark.parametrize("expansion", [False, True])
def test_newest_first_is_what_eager_means(expansion: bool) -> None:
    """Play the eager order: each job is among the newest ELIGIBLE ones when it is executed."""
    found = known(tree(4, 2, expansion))
    assert takes_the_newest(found.dag, found.eager_order().tolist())


@settings(max_examples=150)
@given(MIXED, st.booleans(), st.randoms(use_true_random=False))
def test_trees_of_mixed_arity(parents: list[int], expansion: bool, random) -> None:
    dag = shuffled(tree_from_parents(parents, expansion), seed=random.randrange(10**6))
    found = recognise_mixed_tree(dag)
    ordered = all(node < 0 or parents.count(v) <= parents.count(node) for v, node in enumerate(parents))
    assert (found is not None) == (ordered and dag.n > 1)
    if found is None:
        return
    best = Ideals(dag).best_profile
    assert Schedule.of(dag, found.best_order()).profile.tolist() == best == found.best_profile().tolist()
    chain = max(parents.count(node) for node in range(dag.n)) == 1
    assert found.expansion == (expansion and not chain)
    branches = np.diff(dag.succ_ptr if found.expansion else dag.pred_ptr)
    assert np.all(np.diff(branches[found.heads]) <= 0)
    assert found.witness(found.best_order()) == {"by": "concave" if found.expansion else "dual-concave"}


def test_mixed_trees_that_are_not_recognised_may_have_no_ic_optimal_schedule() -> None:
    """The errata's 12 jobs: a root with a 4-ary node, a leaf... and a 3-ary node."""
    parents = [-1, 0, 0, 1, 1, 3, 3, 3, 3, 2, 2, 2]
    dag = tree_from_parents(parents)
    assert recognise(dag) is None
    assert Ideals(dag).count_optimal() == 0


@given(st.one_of(UNIFORM, MIXED), st.booleans(), st.integers(0, 10**6))
def test_recognised_exactly_when_a_tree_of_one_arity(parents: list[int], expansion: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = shuffled(tree_from_parents(parents, expansion), seed)
    for dag in (whole, near_miss(whole, rng), near_miss(whole, rng)):
        if dag is None:
            continue
        plain = networkx.DiGraph(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
        plain.add_nodes_from(range(dag.n))
        expected = [
            (max(degrees) or 1, away)
            for away, one in ((False, plain.reverse()), (True, plain))
            if networkx.is_arborescence(one) and len(degrees := {degree for _, degree in one.out_degree()} | {0}) <= 2
        ]
        found = recognise_tree(dag)
        assert ([] if found is None else [(found.arity, found.expansion)]) == expected[:1]


def test_degenerate_trees() -> None:
    assert recognise_tree(Dag.from_edges(0)) is None
    assert known(Dag.from_edges(1)).describe() == "single job"
    assert known(Dag.from_edges(1)).best_profile().tolist() == [1, 0]
    chain = known(tree(3, 1, expansion=True))
    assert chain.describe() == "chain of 4 jobs"
    assert chain.best_profile().tolist() == [1, 1, 1, 1, 0]
    assert chain.parameters == {"arity": 1, "height": 3, "leaves": 1, "expansion": False}
    assert known(tree(2, 3)).describe() == "complete 3-ary reduction-tree of height 2"
    assert known(tree_from_parents([-1, 0, 0, 1, 1], True)).describe() == "expansion-tree with 3 leaves"
    assert known(tree(2)).witness(range(7)) == {"by": "family", "family": "tree", "arity": 2, "expansion": False}
    assert isinstance(recognise(dual(tree_from_parents([-1, 0, 0, 0, 1, 1]))), MixedTree)
    for leaves, arity, step in ((4, 3, 0), (0, 2, 0), (3, 1, 0), (3, 2, 6), (3, 2, -1)):
        with pytest.raises(EligoError):
            tree_eligible(leaves, arity, step)


def test_a_long_thin_tree_needs_no_recursion() -> None:
    """A caterpillar of 40,000 inner nodes."""
    inner = 40_000
    parents = [-1] + [node for node in range(0, 2 * inner, 2) for _ in range(2)]
    found = known(tree_from_parents(parents))
    assert costs(found) == (2, 2, 2)
    assert known(tree_from_parents(parents, expansion=True)).height == inner
