"""Strategy prio: equal to its plain twin, IC-optimal wherever the theory says so, and valid whatever the budgets."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, _core, generate, graph
from eligo.errors import EligoError
from eligo.priority._blocks.block_orders import schedule_block
from eligo.priority._decompose import decompose
from eligo.priority._strategies import prio as module
from eligo.priority._strategies.prio import PrioOrder, prio
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.priority.test_theory import blocks as named_blocks
from tests.priority.test_theory import merge_at_random
from tests.reference import blocks as brute
from tests.reference import prio_twin as twin
from tests.reference.block_rules import RULES
from tests.reference.greedy_twin import greedy
from tests.reference.ideals import best_profile, has_ic_optimal_schedule
from tests.reference.prio_twin import PlainBlock
from tests.strategies import dags

reduced_dags = dags(12, known=False).map(graph.remove_shortcuts)
small_dags = dags(9, known=False).map(graph.remove_shortcuts)


def order_by_rules(block: PlainBlock) -> list[int]:
    """What prio does without search: known orders, else the best of rules and of the order of numbers."""
    if not block.bipartite:
        dag, jobs = alone(block)
        return [jobs[job] for job in greedy(dag, 128, 8)]
    shape = brute.block_of([block.children[job] for job in block.nonsinks])
    if has_known_order(shape):
        return [block.nonsinks[i] for i in schedule_block(shape, 0).order]
    tried = [rule(shape) for rule in RULES.values()] + [list(range(shape.sources))]
    return max(([block.nonsinks[i] for i in order] for order in tried), key=block.area)


def alone(block: PlainBlock) -> tuple[Dag, list[int]]:
    """The block as a dag of its own, with the numbers of its jobs."""
    jobs = sorted(set(block.nonsinks) | block.heads)
    pairs = [(jobs.index(tail), jobs.index(head)) for tail, row in block.children.items() for head in row]
    return Dag.from_edges(len(jobs), [tail for tail, _ in pairs], [head for _, head in pairs]), jobs


def has_known_order(shape) -> bool:
    children = brute.children_of(shape)
    parents = np.bincount(shape.idx)
    cycle = {len(row) for row in children} == {2} == set(parents.tolist()) and shape.sources == shape.sinks
    complete = shape.edges == shape.sources * shape.sinks
    connected = graph.components(shape.to_dag()).max() == 0
    return complete or (cycle and connected) or brute.is_caterpillar_forest(shape)


def executed_orders(found: PrioOrder) -> dict[int, list[int]]:
    """The order in which each block was executed, by its lowest job."""
    orders: dict[int, list[int]] = {}
    for job in found.order.tolist():
        block = int(found.blocks.of[job])
        if block >= 0:
            orders.setdefault(int(found.blocks.nonsinks_of(block)[0]), []).append(job)
    return orders


def best_of(block: PlainBlock) -> list[int] | None:
    """E_max over the non-sinks of a block, by brute force, if one order reaches it."""
    dag, _ = alone(block)
    if not has_ic_optimal_schedule(dag, sources=True):
        return None
    return best_profile(dag, sources=True)[: len(block.nonsinks) + 1]


def check(dag: Dag, found: PrioOrder) -> None:
    """Hold everything that is said of an order against the definitions, given the orders of the blocks."""
    Schedule.of(dag, found.order)
    orders = executed_orders(found)
    plain = twin.prio(dag, lambda block: orders[block.nonsinks[0]])
    assert found.order.tolist() == plain.order
    assert found.sequence.tolist() == plain.sequence
    assert (found.loss, found.falls, found.classes) == (plain.loss, plain.falls, plain.classes)
    assert found.blocks.count == len(plain.sequence)


@given(reduced_dags)
@settings(max_examples=400)
def test_without_search_the_order_is_that_of_the_twin(dag):
    found = prio(dag, budget=0)
    check(dag, found)
    assert found.order.tolist() == twin.prio(dag, order_by_rules).order


@given(small_dags)
@settings(max_examples=300)
def test_with_search_every_block_that_can_be_is_executed_optimally(dag):
    found = prio(dag)
    check(dag, found)
    orders, unproved = executed_orders(found), 0
    for block in twin.blocks_of(dag):
        best = best_of(block)
        unproved += best is None
        assert best is None or block.profile(orders[block.nonsinks[0]]) == best
    assert found.unproved == unproved


@given(small_dags)
@settings(max_examples=300)
def test_ic_optimal_where_the_theory_succeeds(dag):
    found = prio(dag)
    if twin.theory_succeeds(dag, best_of):
        assert found.ic_optimal
        assert found.loss == 1
    if found.ic_optimal:
        assert Schedule.of(dag, found.order).profile.tolist() == best_profile(dag, sources=True)


@given(st.lists(named_blocks, min_size=1, max_size=3), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_compositions_in_falling_priority_come_out_ic_optimal(parts, rng):
    """002, section 2: whatever is merged, and however the jobs are numbered."""
    if sum(part.n for part in parts) > 15:
        parts = parts[:1]
    whole = merge_at_random(parts, rng)
    dag = graph.remove_shortcuts(graph.relabel(whole, rng.sample(range(whole.n), whole.n)))
    found = prio(dag)
    check(dag, found)
    if twin.theory_succeeds(dag, best_of):
        assert found.ic_optimal
        assert Schedule.of(dag, found.order).profile.tolist() == best_profile(dag, sources=True)


@pytest.mark.parametrize("seed", range(40))
def test_many_blocks_at_once(seed):
    """Enough blocks of enough kinds that classes come and go; sparse, so that few are joined into large ones."""
    rng = random.Random(seed)
    n = rng.randint(20, 70)
    pairs = [tuple(sorted(rng.sample(range(n), 2))) for _ in range(int(n * rng.uniform(0.5, 1.1)))]
    names = rng.sample(range(n), n)
    dag = Dag.from_edges(n, [names[u] for u, _ in pairs], [names[v] for _, v in pairs])
    dag = graph.remove_shortcuts(dag)
    check(dag, prio(dag))
    assert prio(dag, budget=0).order.tolist() == twin.prio(dag, order_by_rules).order


@pytest.mark.parametrize("seed", range(60))
def test_blocks_of_any_profile_are_chosen_by_definition(seed):
    """Profiles that no block need have, in numbers and with comings and goings that small dags do not show."""
    rng = random.Random(seed)
    count, reach = rng.randint(20, 150), rng.choice([3, 10, 30])
    kinds, longest = rng.choice([(rng.randint(2, 25), 6), (rng.randint(2, 6), 40)])
    gains = [[rng.randint(0, 3) for _ in range(rng.randint(0, longest))] + [rng.randint(1, 4)] for _ in range(kinds)]
    structure = [rng.randrange(kinds) for _ in range(count)]
    number = rng.sample(range(count), count)  # of the blocks, in an order that respects the super-dag
    arcs = [(number[max(0, b - rng.randint(1, reach))], number[b]) for b in range(1, count) for _ in range(2)]
    arcs = sorted(arc for arc in arcs if arc[0] != arc[1] and rng.random() < 0.7)
    ptr = np.concatenate(([0], np.cumsum(np.bincount([a for a, _ in arcs], minlength=count))))
    sequence, classes, weighed, part, whole, _ = _core.block_sequence(
        np.array([b for _, b in arcs], np.int32),  # a job for each arc
        ptr,
        np.arange(len(arcs), dtype=np.int32),
        np.array(structure, np.int32),
        np.cumsum([0, *map(len, gains)]),
        np.array([gain for row in gains for gain in row]),
        np.array([len(row) for row in gains], np.int32),
        10**9,
        10**9,
    )
    profiles = [[len(row) - x + sum(row[:x]) for x in range(len(row) + 1)] for row in gains]
    waits_for = [{a for a, b in arcs if b == block} for block in range(count)]
    expected, loss = twin.sequence_of([profiles[kind] for kind in structure], waits_for)
    assert sequence.tolist() == expected
    assert (Fraction(part, whole), weighed) == (loss, count)
    assert classes == len(set(map(tuple, profiles)))


def test_numbers_are_a_rule_of_last_resort():
    """Where no rule does better a block is executed as it is numbered, but not where a rule does as well."""
    better = [[0, 4], [1, 2, 4], [2, 6, 7], [2, 3, 7], [1, 3, 5, 6], [1, 5]]
    assert prio(brute.block_of(better).to_dag(), budget=0).order[:6].tolist() == [0, 1, 2, 3, 4, 5]
    as_good = [[0, 2, 4], [3], [1, 2, 3], [2], [1]]
    assert prio(brute.block_of(as_good).to_dag(), budget=0).order[:5].tolist() == [0, 2, 1, 3, 4]


def test_free_choices_alone_do_not_make_an_order_ic_optimal():
    """0 and 2 look alike, but what waits for 3 should not wait for 0: each choice loses nothing, and yet.

    0   2
    |   |
    1   3
       /|\
      4 5 6
    """
    dag = Dag.from_edges(7, [0, 2, 3, 3, 3], [1, 3, 4, 5, 6])
    found = prio(dag)
    assert (found.loss, found.unproved, found.falls, found.ic_optimal) == (1, 0, False, False)
    assert Schedule.of(dag, found.order).profile.tolist() < best_profile(dag, sources=True)
    assert has_ic_optimal_schedule(dag, sources=True)


def test_the_example_of_2006():
    dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    schedule = Schedule.of(dag, prio(dag).order)
    assert schedule.names == ["c", "a", "b", "d", "e"]
    assert schedule.priorities.tolist() == [4, 3, 5, 2, 1]


def test_a_choice_that_loses():
    """An edge beside a complete 2 x 2 block: whichever goes first, a third of what could be is lost at some step."""
    found = prio(Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5]))
    assert (found.loss, found.falls) == (Fraction(2, 3), False)


def test_the_bottleneck_of_airsn():
    """002, Fig. 5: the job that all 250 wait for has priority 753, right behind the handle that leads to it."""
    dag = generate.airsn(250)
    bottleneck = int(np.argmax(np.diff(dag.succ_ptr)))
    assert Schedule.of(dag, prio(dag).order).priorities[bottleneck] == 753


@pytest.mark.parametrize(("n", "tails", "heads"), [(0, [], []), (1, [], []), (3, [], []), (2, [1], [0])])
def test_hardly_any_dag(n, tails, heads):
    dag = Dag.from_edges(n, tails, heads)
    found = prio(dag)
    assert found.order.tolist() == sorted(range(n), key=lambda job: (job not in tails, job))
    assert found.blocks.count == found.classes == len(tails)
    assert found.ic_optimal


@given(reduced_dags)
@settings(max_examples=150)
def test_structures_are_equal_edges(dag):
    blocks = decompose(dag)
    structure, first = blocks.structures()
    seen: list[object] = []
    for b in range(blocks.count):
        if blocks.bipartite[b]:
            shape = blocks.bipartite_of(b)
            key: object = shape.ptr.tolist(), shape.idx.tolist()
        else:
            part, _ = blocks.dag_of(b)
            key = "general", part.succ_ptr.tolist(), part.succ.tolist()
        if key not in seen:
            seen.append(key)
            assert first[seen.index(key)] == b
        assert structure[b] == seen.index(key)
    assert len(first) == len(seen)


@given(reduced_dags, st.integers(0, 200))
@settings(max_examples=200)
def test_where_weighing_ends_steepest_starts_go_first(dag, budget):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WEIGHING_BUDGET", budget)
        found = prio(dag, budget=0)
        Schedule.of(dag, found.order)
        assert found.loss is None or found.loss == prio(dag, budget=0).loss
        patch.setattr(module, "_WEIGHING_BUDGET", -1)
        found = prio(dag, budget=0)
        orders = executed_orders(found)
        assert found.order.tolist() == twin.by_steepest_start(dag, lambda block: orders[block.nonsinks[0]])
        assert found.loss is None or not dag.m


@given(reduced_dags)
@settings(max_examples=150)
def test_where_pairs_are_too_long_losses_are_bounds(dag):
    """Priorities are then only known from below: whatever is chosen keeps at least what is said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_FOR_PAIR", 0)
        found = prio(dag, budget=0)
    Schedule.of(dag, found.order)
    blocks = twin.blocks_of(dag)
    waits_for, left = twin.before(blocks), set(range(len(blocks)))
    orders = executed_orders(found)
    profiles = [block.profile(orders[block.nonsinks[0]]) for block in blocks]
    for best in found.sequence.tolist():
        rivals = [b for b in left if b != best and not waits_for[b] & left]
        assert all(twin.r_priority(profiles[best], profiles[rival]) >= found.loss for rival in rivals)
        left.remove(best)


@given(reduced_dags, st.integers(0, 5))
@settings(max_examples=150)
def test_a_guide_never_makes_a_block_worse(dag, seed):
    guide = topological_order(dag, random.Random(seed))
    found, place = prio(dag, budget=0, guide=np.array(guide, np.int32)), {job: i for i, job in enumerate(guide)}
    check(dag, found)
    orders = executed_orders(found)
    for block in twin.blocks_of(dag):
        mine = block.area(orders[block.nonsinks[0]])
        assert mine == max(block.area(order_by_rules(block)), block.area(sorted(block.nonsinks, key=place.get)))


def topological_order(dag: Dag, rng: random.Random) -> list[int]:
    order: list[int] = []
    while len(order) < dag.n:
        ready = [job for job in range(dag.n) if job not in order and set(dag.parents(job).tolist()) <= set(order)]
        order.append(rng.choice(ready))
    return order


def test_no_search_below_nothing():
    with pytest.raises(EligoError, match="a budget of -1 states allows nothing"):
        prio(Dag.from_edges(1), budget=-1)


@no_hang(60)
@pytest.mark.parametrize("kind", ["sparse", "blocks", "large", "general"])
def test_large_dags_take_no_quadratic_time(kind):
    rng = np.random.default_rng(3)
    n = 100_000
    if kind == "sparse":  # thousands of structures, hundreds of classes
        tails, heads = rng.integers(0, n, (2, 7 * n // 10))
    elif kind == "blocks":  # thousands of different blocks of a hundred arcs, all available at once
        group = np.repeat(np.arange(n // 40), 100)
        tails, heads = (40 * group + rng.integers(low, low + 20, len(group)) for low in (0, 20))
    elif kind == "large":  # two blocks too long to be compared exactly
        half = np.repeat([0, n // 2], n)
        tails, heads = (half + rng.integers(low, low + n // 4, 2 * n) for low in (0, n // 4))
    else:
        tails, heads = rng.integers(0, n, (2, 2 * n))
    up = tails < heads
    dag = graph.remove_shortcuts(Dag.from_edges(n, tails[up], heads[up]))
    found = prio(dag)
    schedule = Schedule.of(dag, found.order)
    assert schedule.area > Schedule.of(dag, dag.order).area
    if kind == "large":
        assert found.blocks.count < n // 100
        assert found.loss is not None
    if kind == "blocks":
        assert found.classes > 1000
