"""Exact search agrees with brute force over all ideals, whatever the width of its sets, and keeps to its budget."""

from __future__ import annotations

from itertools import islice, permutations
from math import comb, factorial, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError, InfeasibleError
from eligo.generate._classic_dags import fft
from eligo.generate._meshes_and_trees import mesh, tree
from eligo.graph import dual, relabel, sum_of
from eligo.priority import _exact as exact
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.reference import ideals
from tests.reference.exact_twin import ExactTwin
from tests.strategies import dags


def chain(n: int) -> Dag:
    return Dag.from_edges(n, range(n - 1), range(1, n))


BUTTERFLY = fft(1)
BUTTERFLY_AND_ARC = sum_of([BUTTERFLY, chain(2)])  # the smallest dag without an IC-optimal schedule


@st.composite
def blocks(draw: st.DrawFn) -> Dag:
    """A random bipartite block: many of its sums have no IC-optimal schedule."""
    sources, sinks = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    pairs = draw(st.lists(st.tuples(st.integers(0, sources - 1), st.integers(0, sinks - 1)), max_size=9))
    return Dag.from_edges(sources + sinks, [u for u, _ in pairs], [sources + v for _, v in pairs])


SUMS = st.lists(blocks() | dags(4, known=False), min_size=2, max_size=3).map(sum_of).filter(lambda dag: dag.n <= 9)
DAGS = dags(8, known=False) | SUMS


@given(DAGS)
@settings(max_examples=400)
def test_search_agrees_with_brute_force(dag):
    twin = ExactTwin(dag)
    answer, quick = exact.search(dag), exact.search(dag, count=False)
    assert answer.profile.tolist() == exact.best_profile(dag).tolist() == twin.profile
    assert answer.count == twin.ways()[-1]
    assert answer.exists == quick.exists == (answer.count > 0)
    assert answer.dies_at == quick.dies_at == twin.dies_at
    assert answer.ideals == quick.ideals == twin.ideals_of_non_sinks()
    assert quick.count is None
    if answer.exists:
        assert answer.schedule.profile.tolist() == quick.schedule.profile.tolist() == twin.profile
    else:
        assert answer.schedule is None


@given(DAGS)
@settings(max_examples=300)
def test_area_and_memory_agree_with_brute_force(dag):
    twin = ExactTwin(dag)
    assert exact.largest_area(dag).area == twin.largest_area()
    assert exact.least_memory(dag).memory_cost == twin.least_memory(ic_optimal=False)
    least = twin.least_memory(ic_optimal=True)
    if least == inf:
        with pytest.raises(EligoError, match="no schedule of this dag is IC-optimal"):
            exact.least_memory(dag, ic_optimal=True)
    else:
        schedule = exact.least_memory(dag, ic_optimal=True)
        assert schedule.memory_cost == least
        assert schedule.profile.tolist() == twin.profile


@given(SUMS)
@settings(max_examples=200)
def test_conflicts_agree_with_brute_force(dag):
    """The closest pair is found, the earliest of equally close ones."""
    expected = ExactTwin(dag).conflicts()
    found = exact.steps_in_conflict(dag)
    assert found == min(expected, key=lambda pair: (pair[1] - pair[0], pair[1]), default=None)


@given(dags(5, known=False))
@settings(max_examples=100)
def test_brute_force_and_search_agree_with_all_orders(dag):
    """The twin of the other tests is itself compared with a plain loop over all orders of the jobs."""
    orders = [list(order) for order in permutations(range(dag.n))]
    valid = [Schedule.of(dag, order) for order in orders if _is_valid(dag, order)]
    best = np.max([schedule.profile for schedule in valid], axis=0).tolist()
    assert best == ideals.best_profile(dag, sources=True) == ExactTwin(dag).profile
    optimal = [schedule for schedule in valid if schedule.profile.tolist() == best]
    assert [s.order.tolist() for s in exact.schedules(dag)] == [s.order.tolist() for s in optimal]
    assert exact.search(dag).count == len(optimal)
    assert exact.largest_area(dag).area == max(schedule.area for schedule in valid)
    assert exact.least_memory(dag).memory_cost == min(schedule.memory_cost for schedule in valid)


def _is_valid(dag: Dag, order: list[int]) -> bool:
    return all(order.index(tail) < order.index(head) for tail, head in zip(dag.tails, dag.heads, strict=True))


@given(DAGS)
@settings(max_examples=100)
def test_schedules_come_in_order_and_the_first_is_the_one_that_search_finds(dag):
    answer = exact.search(dag)
    found = [schedule.order.tolist() for schedule in islice(exact.schedules(dag), 200)]
    assert found == sorted(found)
    assert len(found) == min(answer.count, 200)
    if answer.exists:
        assert answer.order.tolist() == exact.search(dag, count=False).order.tolist() == found[0]


@given(DAGS, st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_answers_do_not_depend_on_numbers(dag, random):
    order = list(range(dag.n))
    random.shuffle(order)
    other = relabel(dag, order)
    one, two = exact.search(dag), exact.search(other)
    assert one.profile.tolist() == two.profile.tolist()
    assert (one.count, one.dies_at, one.ideals) == (two.count, two.dies_at, two.ideals)
    assert exact.largest_area(dag).area == exact.largest_area(other).area
    assert exact.least_memory(dag).memory_cost == exact.least_memory(other).memory_cost
    assert exact.steps_in_conflict(dag) == exact.steps_in_conflict(other)
    if one.exists:
        cost = exact.least_memory(dag, ic_optimal=True).memory_cost
        assert cost == exact.least_memory(other, ic_optimal=True).memory_cost


@given(DAGS)
@settings(max_examples=150)
def test_existence_is_self_dual_and_the_dual_profile_follows(dag):
    """With f(t) = t + E_max(t), the dual has E_max(n - j) = j - min{t : f(t) >= j} (errata, part 1, section 5)."""
    n = dag.n
    one, two = exact.search(dag), exact.search(dual(dag))
    assert one.exists == two.exists
    reached = [t + int(one.profile[t]) for t in range(n + 1)]
    assert [int(two.profile[n - j]) for j in range(n + 1)] == [
        j - next(t for t in range(n + 1) if reached[t] >= j) for j in range(n + 1)
    ]


@given(DAGS.filter(lambda dag: dag.n), st.sampled_from([65, 129, 257]))
@settings(max_examples=100)
def test_sets_of_any_width(dag, length):
    """A chain before all sources pushes the same search into sets of two, four and more words."""

    def behind_chain(k: int) -> Dag:
        first = [job for job in range(dag.n) if not len(dag.parents(job))]
        tails = [*range(k - 1), *[k - 1] * len(first), *(dag.tails + k)]
        heads = [*range(1, k), *(k + job for job in first), *(dag.heads + k)]
        return Dag.from_edges(k + dag.n, tails, heads)

    short, long = exact.search(behind_chain(1)), exact.search(behind_chain(length))
    assert long.profile.tolist() == [1] * (length - 1) + short.profile.tolist()
    assert long.count == short.count
    assert long.ideals == length - 1 + short.ideals
    assert (long.dies_at or length - 1) - (short.dies_at or 0) == length - 1
    assert exact.largest_area(behind_chain(length)).area == length - 1 + exact.largest_area(behind_chain(1)).area
    assert exact.least_memory(behind_chain(length)).memory_cost == exact.least_memory(behind_chain(1)).memory_cost
    assert exact.search(behind_chain(length), count=False).exists == short.exists
    steps, shifted = exact.steps_in_conflict(behind_chain(1)), exact.steps_in_conflict(behind_chain(length))
    assert shifted == (steps and (steps[0] + length - 1, steps[1] + length - 1))
    if short.exists:
        costs = {exact.least_memory(behind_chain(k), ic_optimal=True).memory_cost for k in (1, length)}
        assert len(costs) == 1


@pytest.mark.parametrize("pairs", [70, 140, 300])
def test_many_open_groups_at_once(pairs):
    """One job shares a child with each of many others: all these groups are open together, alive or dead together.

    ::

        hub      s1   s2        The hub first and then the others, each of which renders one child: E never falls
          \\____/_|____/ |      below the start less one.
           c1       c2
    """
    n = 1 + 2 * pairs
    others, children = range(1, 1 + pairs), range(1 + pairs, n)
    dag = Dag.from_edges(n, [0] * pairs + list(others), list(children) * 2)
    answer = exact.search(dag)
    assert answer.profile.tolist() == [pairs + 1] + [pairs] * (pairs + 1) + list(range(pairs - 1, -1, -1))
    assert answer.ideals == 2 ** (pairs + 1)
    assert answer.count == 2 * factorial(pairs) ** 2  # the hub comes first or second


def test_counts_are_exact_beyond_64_bits():
    """Independent arcs: every order of the tails is optimal, then every order of the heads."""
    dag = Dag.from_edges(60, range(30), range(30, 60))
    assert exact.search(dag).count == factorial(30) ** 2
    # Without twins: two chains of 40 may be interleaved at will, and both end in the last step but one.
    two = sum_of([chain(41), chain(41)])
    answer = exact.search(two)
    assert answer.count == comb(80, 40) * 2 > 2**64
    assert answer.ideals == 41 * 41


@pytest.mark.parametrize("jobs", [0, 1, 5])
def test_dags_without_edges(jobs):
    dag = Dag.from_edges(jobs)
    answer = exact.search(dag)
    assert answer.profile.tolist() == list(range(jobs, -1, -1))
    assert (answer.count, answer.ideals, answer.exists) == (factorial(jobs), 1, True)
    assert answer.schedule.order.tolist() == list(range(jobs))
    assert exact.largest_area(dag).area == jobs * (jobs + 1) // 2
    assert exact.least_memory(dag).memory_cost == 0
    assert exact.least_memory(dag, ic_optimal=True).memory_cost == 0
    assert exact.steps_in_conflict(dag) is None
    assert sum(1 for _ in exact.schedules(dag)) == factorial(jobs)


def test_long_chains_have_few_ideals():
    dag = chain(10_000)
    with no_hang():
        answer = exact.search(dag)
        assert (answer.count, answer.ideals) == (1, 10_000)
        assert answer.order.tolist() == list(range(10_000))
        assert exact.largest_area(dag).memory_cost == 1
        assert exact.least_memory(dag).memory_cost == 1
        assert exact.least_memory(dag, ic_optimal=True).memory_cost == 1


def test_profiles_of_dags_with_more_ideals_than_can_be_visited():
    """2^181 ideals of a tree of 1,023 jobs, bundled into some ten thousand states."""
    dag = tree(9)
    answer = exact.search(dag, count=False, budget=1_000_000)
    steps = np.arange(dag.n + 1)
    assert answer.ideals > 10**181
    assert answer.profile.tolist() == (512 - steps + steps // 2).tolist()
    assert answer.schedule.profile.tolist() == answer.profile.tolist()


@pytest.mark.parametrize(
    ("ask", "dag", "doing"),
    [
        (exact.best_profile, fft(4), "computing E_max"),
        (exact.search, tree(5), "walking through the optimal ideals"),
        (exact.largest_area, sum_of([BUTTERFLY_AND_ARC] * 6), "looking for the largest AREA"),
        (exact.least_memory, mesh(12), "looking for the least memory"),
        (exact.steps_in_conflict, sum_of([BUTTERFLY_AND_ARC, mesh(6)]), "collecting all optimal ideals"),
    ],
)
def test_beyond_the_budget(ask, dag, doing):
    with pytest.raises(InfeasibleError, match=rf"gave up after \d+ states, {doing}\nhint: .*raise the budget"):
        ask(dag, budget=2_000)


def test_schedules_are_bounded_too():
    """Nine arcs may be executed in any order before it shows that the butterfly comes too late: 2^9 dead ideals."""
    dag = sum_of([BUTTERFLY, *[chain(2)] * 9])
    assert list(exact.schedules(dag)) == []
    with pytest.raises(InfeasibleError, match="gave up after 100 ideals that lead nowhere"):
        list(exact.schedules(dag, budget=100))


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_must_be_positive(budget):
    with pytest.raises(EligoError, match="allows nothing"):
        exact.search(chain(3), budget)


def test_dense_dags_of_many_jobs_are_refused_in_time():
    rng = np.random.default_rng(3)
    pairs = np.argwhere(rng.random((3000, 3000)) < 0.1)
    dag = Dag.from_edges(6000, pairs[:, 0], 3000 + pairs[:, 1])
    with no_hang(), pytest.raises(InfeasibleError):
        exact.best_profile(dag, budget=100_000)
