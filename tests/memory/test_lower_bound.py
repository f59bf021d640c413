"""Lower bounds against the least peak of small dags."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.memory._analyze import analyse
from eligo.memory._footprint import data_ends
from eligo.memory._lower_bound import least_memory_within, lower_bound
from eligo.memory._models import MODELS, footprint
from eligo.simulation import list_schedule, peak_of_trace
from tests.memory.footprints import random_footprint
from tests.reference.memory_states import least_peak


@pytest.mark.parametrize("model", MODELS)
def test_no_order_goes_below_it(model: str) -> None:
    tight = 0
    for seed in range(300):
        print_ = random_footprint(seed, 7, model)
        found, truth = lower_bound(print_, data_ends(print_)), least_peak(print_)
        assert print_.needs.max() <= found.value <= truth, seed
        tight += found.value == truth
    assert tight > 200


@pytest.mark.parametrize("model", MODELS)
def test_the_three_numbers_are_in_order(model: str) -> None:
    for seed in range(100):
        found = analyse(random_footprint(seed, 12, model))
        assert found.least.value <= found.lowest.peak <= found.worst.bound


@pytest.mark.parametrize("model", MODELS)
def test_time_times_memory(model: str) -> None:
    """Lemma 2 of 004: whoever takes time T occupies at least the T-th part of the area."""
    for seed in range(100):
        print_ = random_footprint(seed, 8, model)
        for processors in (1, 2, None):
            trace = list_schedule(print_.dag, processors)
            assert peak_of_trace(print_, trace) >= least_memory_within(print_, trace.makespan_s)


def test_the_time_limit_may_be_nothing() -> None:
    dag = Dag.from_edges(1, time_s=[3], data=Data.build([6], [0], [[]]))
    assert least_memory_within(footprint(dag, "shared"), 0) == 0
    assert least_memory_within(footprint(dag, "shared"), 1) == 17
    assert np.isclose(least_memory_within(footprint(dag, "shared"), 3), 5, atol=1)
