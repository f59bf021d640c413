"""AIRSN of width 250, the workflow that gains most in paper 002 (section 4.3, Fig. 6).

There, at a mean time between batches of 1 and a mean size of 16, the median of the ratio of execution times PRIO/FIFO
is below 0.85, and the gain at least 13 % with 95 % confidence. FIFO takes sources in the order of the file, where the
fringes stand before the handle.
"""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from benchmarks.speed.plain_grid import plain_run
from eligo import generate
from eligo.dag import Dag
from eligo.simulation._grid import ROUNDINGS, Grid
from eligo.simulation._ratios import Summary
from eligo.simulation._runs import make_setup, run_block
from eligo.simulation._simulate import Comparison, simulate
from eligo.simulation._simulated_orders import contender

AIRSN = generate.airsn(250)


def compare(grid: Grid, samples: int, runs: int, **options) -> Comparison:
    return simulate(AIRSN, ("prio", "fifo"), grid=grid, samples=samples, runs=runs, on="here", **options)


def ratio(found: Comparison, metric: str = "execution_time") -> Summary:
    summary = found.ratios["prio/fifo"][metric]
    assert summary is not None
    return summary


def test_the_ratio_of_paper_002_with_fewer_runs():
    found = compare(Grid(interarrival=1, batch=16), 100, 100)
    time = ratio(found)
    assert 0.83 < time.median < 0.85
    assert time.high <= 0.88  # of fewer runs the interval is wider
    assert abs(time.mean - time.median) < 0.005
    assert ratio(found, "stalling").high < 1
    assert ratio(found, "utilization").low > 1


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_the_ratio_of_paper_002(seed):
    found = ratio(compare(Grid(interarrival=1, batch=16), 300, 300, seed=seed))
    assert found.median < 0.85
    assert found.high <= 0.87
    assert found.low > 0.81


def test_with_the_handle_first_fifo_loses_less():
    """An independent simulation gave medians of 0.84 with the fringes first and 0.855 with the handle first."""
    first = np.argsort([not name.startswith("handle") for name in AIRSN.names], kind="stable")
    place = np.argsort(first)
    handle_first = Dag.from_edges([AIRSN.names[job] for job in first], place[AIRSN.tails], place[AIRSN.heads])
    grid = Grid(interarrival=1, batch=16)
    found = simulate(handle_first, ("prio", "fifo"), grid=grid, samples=50, runs=100, on="here")
    assert ratio(compare(grid, 50, 100)).median < ratio(found).median < 0.87


@pytest.mark.parametrize(
    ("interarrival", "batch", "near"),
    [(1, 1, 0.05), (10, 1, 0.02), (1000, 1, 0.02), (1, 2**16, 0.02), (0.1, 512, 0.02)],
)
def test_ratios_tend_to_one_at_the_ends(interarrival, batch, near):
    """Workers one by one, or more than enough of them."""
    found = ratio(compare(Grid(interarrival=interarrival, batch=batch), 20, 40))
    assert found.median == pytest.approx(1, abs=near)
    assert found.low - near <= 1 <= found.high + near


@pytest.mark.long
@pytest.mark.parametrize("batch", [2**4, 2**10])
def test_ratios_tend_to_one_where_batches_come_all_the_time(batch):
    assert ratio(compare(Grid(interarrival=1e-3, batch=batch), 20, 20)).median == pytest.approx(1, abs=0.01)


def test_common_random_numbers_narrow_the_interval():
    grid = Grid(interarrival=1, batch=16)
    apart, together = (ratio(compare(grid, 100, 20, common=common)) for common in (False, True))
    assert together.high - together.low < 0.8 * (apart.high - apart.low)
    assert together.median == pytest.approx(apart.median, abs=0.01)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_rule_of_rounding_hardly_matters(rounding):
    assert 0.82 < ratio(compare(Grid(batch=16, rounding=rounding), 30, 50)).median < 0.86


@pytest.mark.parametrize(("interarrival", "batch"), [(1.0, 16.0), (0.3, 3.0), (5.0, 100.0)])
def test_a_plain_simulator_with_other_random_numbers_agrees(interarrival, batch):
    """Means of all three measures of 002, by what the kernel is timed against, to four standard errors."""
    dag = generate.airsn(60)
    children = [dag.children(job).tolist() for job in range(dag.n)]
    parents = [len(dag.parents(job)) for job in range(dag.n)]
    prio = contender(dag, "prio")
    rng = Random(1)
    for one, order in ((contender(dag, "fifo"), None), (prio, prio.order.tolist())):
        plain = np.array([plain_run(children, parents, (interarrival, batch), rng, order) for _ in range(250)])
        rows = run_block(make_setup(dag, one, Grid(interarrival=interarrival, batch=batch)), 0, 4000, 1)[:, :3]
        error = np.hypot(plain.std(axis=0) / math.sqrt(len(plain)), rows.std(axis=0) / math.sqrt(len(rows)))
        assert np.all(np.abs(plain.mean(axis=0) - rows.mean(axis=0)) < 4 * error)
