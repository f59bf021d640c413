"""Priorities, their fast forms and orders by them, against the definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, EligoError, _core
from eligo.priority import _priority_relation as priority_relation
from eligo.schedule import Schedule
from tests.reference import sweep_twin as plain
from tests.strategies import dags


def functions(longest: int = 8, least: int = 0, most: int = 4, shortest: int = 0) -> st.SearchStrategy[list[int]]:
    """Functions that start with 0, a third of them concave, a third convex."""
    gains = st.lists(st.integers(least, most), min_size=shortest, max_size=longest)
    shaped = st.one_of(gains, gains.map(sorted), gains.map(lambda values: sorted(values, reverse=True)))
    return shaped.map(lambda values: np.cumsum([0, *values]).tolist())


def yields(longest: int = 7, most: int = 2) -> st.SearchStrategy[list[int]]:
    """E-functions as dags have them: never falling, the last step yields something; one step at least."""
    return st.tuples(functions(longest - 1, 0, most), st.integers(1, most)).map(lambda e: [*e[0], e[0][-1] + e[1]])


SHIFTS = st.sampled_from([0, 7, -(2**40), 2**40])


@given(functions(least=-3), functions(least=-3), SHIFTS, SHIFTS)
@settings(max_examples=500)
def test_every_form_of_the_convolution_is_the_definition(a, b, shift_a, shift_b):
    a, b = [x + shift_a for x in a], [x + shift_b for x in b]
    expected = plain.max_convolution(a, b)
    assert priority_relation.max_convolution(a, b).tolist() == expected
    assert priority_relation.max_convolution(b, a).tolist() == expected
    assert _core.max_convolution(np.array(a), np.array(b)).tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_the_forms_agree_on_long_functions(seed):
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, int(rng.integers(1, 50)), int(rng.integers(1, 700)))
    concave = np.concatenate(([0], np.cumsum(np.sort(gains)[::-1])))
    other = np.concatenate(([0], np.cumsum(rng.integers(0, 40, int(rng.integers(1, 700))))))
    expected = np.full(len(concave) + len(other) - 1, -1)
    for i, value in enumerate(concave.tolist()):
        row = expected[i : i + len(other)]
        np.maximum(row, value + other, out=row)
    assert np.array_equal(priority_relation.max_convolution(concave, other), expected)
    assert np.array_equal(priority_relation.max_convolution(other, concave), expected)
    assert np.array_equal(_core.max_convolution(concave, other), expected)
    assert np.array_equal(_core.max_convolution(concave + 2**50, other), expected + 2**50)
    both, hollow = priority_relation.max_convolution(concave, concave), concave[::-1].max() - concave[::-1]
    assert np.array_equal(both, _core.max_convolution(concave, concave))
    assert np.array_equal(priority_relation.max_convolution(hollow, hollow), _core.max_convolution(hollow, hollow))


@given(functions(7, -2, 2), functions(7, -2, 2), SHIFTS)
@settings(max_examples=300)
def test_priority_is_the_definition(a, b, shift):
    a = [x + shift for x in a]
    expected = plain.has_priority(a, b)
    assert priority_relation.has_priority(a, b) == expected
    filled = priority_relation.first_then_second(a, b)
    assert np.array_equal(filled, priority_relation.max_convolution(a, b)) == expected
    lean = [np.array(function) - np.arange(len(function)) for function in (a, b)]
    assert priority_relation.has_priority(*lean) == expected


def test_priority_is_the_definition_for_all_short_yields():
    all_yields = [np.cumsum([0, *gains]).tolist() for n in range(5) for gains in product(range(3), repeat=n)]
    outcomes = [0, 0]
    for a, b in product(all_yields, repeat=2):
        expected = plain.has_priority(a, b)
        assert priority_relation.has_priority(a, b) == expected, (a, b)
        outcomes[expected] += 1
    assert min(outcomes) > 2000


@pytest.mark.parametrize("seed", range(10))
def test_priority_of_long_functions(seed):
    """Rows in steps of 1 and 2 have priority over others often enough; one unlucky stretch settles it."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        a = np.cumsum([0, *np.tile(rng.integers(1, 3, 4), 20)])
        b = np.cumsum([0, *np.tile(rng.integers(0, 2, 3), 25)])
        filled = priority_relation.first_then_second(a, b)
        assert priority_relation.has_priority(a, b) == np.array_equal(filled, _core.max_convolution(a, b))
        assert priority_relation.has_priority(b, a) == np.array_equal(
            priority_relation.first_then_second(b, a), _core.max_convolution(a, b)
        )


@given(yields(), yields())
@settings(max_examples=300)
def test_dual_priority_is_its_definition_and_is_priority(a, b):
    expected = plain.has_dual_priority(a, b)
    assert priority_relation.has_dual_priority(a, b) == expected == plain.has_priority(a, b)
    assert priority_relation.executions_needed(a).tolist() == plain.executions_needed(a)


@given(functions(6), functions(6), st.integers(0, 3), st.integers(0, 3))
@settings(max_examples=500)
def test_r_priority_is_the_definition(a, b, more_a, more_b):
    a, b = [x + more_a for x in a], [x + more_b for x in b]
    r = priority_relation.r_priority(a, b)
    assert r == plain.r_priority(a, b)
    assert (r == 1) == priority_relation.has_priority(a, b)


def _profile_over_nonsinks(schedule: Schedule) -> np.ndarray:
    e = priority_relation.yields_of(schedule)
    return schedule.profile[0] - np.arange(len(e)) + e


@given(dags(7, known=False), dags(7, known=False))
@settings(max_examples=200)
def test_r_priority_of_dags_is_positive(first, second):
    one, two = (_profile_over_nonsinks(Schedule.of(dag, dag.order)) for dag in (first, second))
    r = priority_relation.r_priority(one, two)
    assert r == plain.r_priority(one.tolist(), two.tolist())
    if first.n and second.n:
        assert 0 < r <= 1


def test_known_r_priorities():
    """{a -> b} over {c -> d, e}, with all jobs counted; and numbers whose products exceed 64 bits."""
    assert priority_relation.r_priority([1, 1], [1, 2]) == Fraction(2, 3)
    assert priority_relation.r_priority([1, 2], [1, 1]) == 1
    assert priority_relation.r_priority([1], [1, 2]) == priority_relation.r_priority([1, 2], [1]) == 1
    assert priority_relation.r_priority([0], [0]) == 1
    large = 2**59
    assert priority_relation.r_priority([0, large - 3], [0, large - 1]) == Fraction(large - 3, large - 1)
    assert priority_relation.r_priority([0, large - 3, large], [0, large - 1, large]) == plain.r_priority(
        [0, large - 3, large], [0, large - 1, large]
    )


def test_priority_is_transitive_where_there_are_nonsinks():
    """Half a million triples; and dual priority is the same relation."""
    some = [np.cumsum([0, *gains]).tolist() for n in range(1, 5) for gains in product(range(3), repeat=n) if gains[-1]]
    related = np.array([[priority_relation.has_priority(a, b) for b in some] for a in some])
    assert np.array_equal(related, [[priority_relation.has_dual_priority(a, b) for b in some] for a in some])
    assert related.any()
    assert not np.any((related.astype(int) @ related.astype(int) > 0) & ~related)


def test_isolated_jobs_break_transitivity_and_are_refused():
    arc, isolated, fork = [0, 1], [0], [0, 2]
    assert priority_relation.has_priority(arc, isolated)
    assert priority_relation.has_priority(isolated, fork)
    assert not priority_relation.has_priority(arc, fork)
    for verb in (priority_relation.is_chain, priority_relation.sort_by_priority):
        with pytest.raises(EligoError, match="dag 1 has no non-sink"):
            verb([arc, isolated, fork])


@given(st.lists(st.sampled_from([[0, 1], [0, 0, 1], [0, 0, 0, 1], [0, 2]]) | yields(4), max_size=5))
@settings(max_examples=400)
def test_sorting_finds_a_chain_wherever_there_is_one(several):
    expected = any(
        all(plain.has_priority(several[i], several[j]) for i, j in pairwise(order))
        for order in permutations(range(len(several)))
    )
    order = priority_relation.sort_by_priority(several)
    assert (order is not None) == expected
    if order is not None:
        assert sorted(order) == list(range(len(several)))
        assert priority_relation.is_chain([several[i] for i in order])


def test_sorting_keeps_what_may_stand_either_way_and_repeats_few_comparisons(monkeypatch):
    assert priority_relation.sort_by_priority([[0, 1], [0, 1, 2], [0, 0, 1], [0, 1]]) == [0, 3, 1, 2]
    assert priority_relation.sort_by_priority([]) == []
    assert priority_relation.sort_by_priority([[0, 2, 3], [0, 2, 3]]) is None
    asked = []
    original = priority_relation.has_priority
    monkeypatch.setattr(priority_relation, "has_priority", lambda a, b: asked.append(1) or original(a, b))
    joins = [[0] * width + [1] for width in (5, 3, 9, 2, 7, 4, 8, 6) for _ in range(50)]
    order = priority_relation.sort_by_priority(joins)
    assert [len(joins[i]) for i in order] == sorted(len(join) for join in joins)
    assert len(asked) < 50


@given(dags(8, known=False))
@settings(max_examples=150)
def test_yields_of_a_schedule_are_its_profile_with_sinks_put_off(dag):
    schedule = Schedule.of(dag, dag.order)
    inner = np.diff(dag.succ_ptr) > 0
    order = [job for job in dag.order if inner[job]] + [job for job in dag.order if not inner[job]]
    profile = Schedule.of(dag, order).profile
    e = priority_relation.yields_of(schedule)
    assert np.array_equal(profile[: len(e)], profile[0] - np.arange(len(e)) + e)
    assert len(e) == inner.sum() + 1
    assert priority_relation.check_yields(e) is not None
    assert priority_relation.executions_needed(e)[-1] == inner.sum()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: priority_relation.max_convolution([], [0]), "flat list of whole numbers"),
        (lambda: priority_relation.has_priority([0.5], [0]), "flat list of whole numbers"),
        (lambda: priority_relation.has_priority([[0, 1]], [0]), "flat list of whole numbers"),
        (lambda: priority_relation.has_priority([0, 2**61], [0, 1]), "below 2\\^60"),
        (lambda: priority_relation.check_yields([1, 2]), "start with 0, not 1"),
        (lambda: priority_relation.check_yields([0, 2, 1]), r"e\(1\) = 2 and e\(2\) = 1"),
        (lambda: priority_relation.executions_needed([0, 1, 1]), "last non-sink yields nothing"),
        (lambda: priority_relation.has_dual_priority([0, 0], [0, 1]), "last non-sink yields nothing"),
        (lambda: priority_relation.r_priority([0, -1], [1]), "never negative"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(EligoError, match=message):
        call()


def test_a_dag_without_edges_yields_nothing():
    for n in (0, 1, 3):
        dag = Dag.from_edges(n)
        assert priority_relation.yields_of(Schedule.of(dag, dag.order)).tolist() == [0]
