"""Time x memory: the bound of 004 Lemma 2 through windows, against every partial serialisation of small dags."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.memory._lower_bound import finish_times, least_critical_path
from eligo.memory._models import footprint
from tests.memory.footprints import random_footprint
from tests.reference.memory_states import true_worst_peak
from tests.reference.serialisations import all_serialisations, as_dag, critical_path


@pytest.mark.parametrize("block", range(4))
def test_no_partial_serialisation_is_shorter(block: int) -> None:
    told_more = 0
    for seed in range(block * 60, block * 60 + 60):
        print_ = random_footprint(seed, 4)
        work = np.random.default_rng(seed).integers(0, 4, print_.dag.n).astype(float)
        plain = finish_times(print_.dag, work).max(initial=0)
        for order in all_serialisations(print_.dag):
            peak = true_worst_peak(print_.on(as_dag(order)))
            bound = least_critical_path(print_, peak, work)
            assert bound <= critical_path(order, work.tolist()) + 1e-9
            told_more += bound > plain + 1e-6
    assert told_more > 0


def test_it_is_at_least_the_lemma_and_the_critical_path() -> None:
    for seed in range(300):
        print_ = random_footprint(seed, 8)
        work = np.random.default_rng(seed).random(print_.dag.n)
        for limit in (1, 5, 20):
            bound = least_critical_path(print_, limit, work)
            assert bound >= finish_times(print_.dag, work).max(initial=0) - 1e-9
            assert bound * limit >= (print_.outputs * work).sum() - 1e-6


def test_rounds_of_equal_jobs_between_two_others() -> None:
    """s -> twelve jobs -> t, and room for three at a time: four rounds."""
    edges = [(0, job) for job in range(1, 13)] + [(job, 13) for job in range(1, 13)]
    tails, heads = zip(*edges, strict=True)
    dag = Dag.from_edges(14, tails, heads, temp_bytes=[0] + [7] * 12 + [0])
    print_ = footprint(dag, "files", "disk")
    assert least_critical_path(print_, 21, np.ones(14)) == pytest.approx(6)


def test_without_jobs_and_without_a_limit() -> None:
    nothing = footprint(Dag.from_edges(0), "pebble")
    assert least_critical_path(nothing, 3, np.zeros(0)) == 0
    assert least_critical_path(footprint(Dag.from_edges(1), "pebble"), 0, np.ones(1)) == 1
