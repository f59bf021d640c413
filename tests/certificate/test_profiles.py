"""The best of a sum and the priority relation, against their definitions."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.certificate._methods.check_composition import best_of_sum, best_of_sums, has_priority, in_a_row
from eligo.certificate._subdag import Budget
from eligo.errors import InfeasibleError
from tests.certificate.makers import BUDGET, best_sum, chained, precedes

GAINS = st.lists(st.integers(0, 4), min_size=1, max_size=7)
FUNCTIONS = st.one_of(GAINS, GAINS.map(sorted), GAINS.map(lambda gains: sorted(gains, reverse=True))).map(
    lambda gains: np.cumsum([0, *gains])
)


@given(FUNCTIONS, FUNCTIONS)
def test_the_best_of_a_sum_of_two(a, b):
    assert best_of_sum(a, b, Budget(BUDGET)).tolist() == best_sum(a.tolist(), b.tolist())


@given(st.lists(FUNCTIONS, min_size=1, max_size=5))
def test_the_best_of_a_sum_of_many(functions):
    expected = [0]
    for e in functions:
        expected = best_sum(expected, e.tolist())
    assert best_of_sums(functions + functions[:1], Budget(BUDGET)).tolist() == best_sum(expected, functions[0].tolist())


@given(FUNCTIONS, FUNCTIONS)
def test_priority(a, b):
    assert has_priority(a, b, Budget(BUDGET)) == precedes(a.tolist(), b.tolist())


@given(FUNCTIONS, FUNCTIONS, FUNCTIONS)
def test_priority_is_transitive(a, b, c):
    budget = Budget(BUDGET)
    if has_priority(a, b, budget) and has_priority(b, c, budget):
        assert has_priority(a, c, budget)


@given(st.lists(FUNCTIONS, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_a_chain_in_its_order_is_the_best_of_its_sum(functions, rng: random.Random):
    groups = [
        best_of_sums([functions[b] for b in group], Budget(BUDGET))
        for group in chained([e.tolist() for e in functions], rng)
    ]
    assert all(has_priority(a, b, Budget(BUDGET)) for a, b in pairwise(groups))
    assert in_a_row(groups).tolist() == best_of_sums(functions, Budget(BUDGET)).tolist()


def test_what_is_neither_concave_nor_convex_costs_budget():
    bumpy = np.cumsum([0, 1, 0, 1, 0, 1])
    with pytest.raises(InfeasibleError, match="the best of a sum"):
        best_of_sum(bumpy, bumpy, Budget(35))
    with pytest.raises(InfeasibleError, match="comparing two groups"):
        has_priority(bumpy, bumpy, Budget(35))
