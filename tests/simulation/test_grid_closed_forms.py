"""What is known of the grid without simulating it: means, distributions, and cases in which nothing is left to chance.

Seeds are fixed, so a test either holds for good or does not. Bounds are four standard errors, or the point that
Kolmogorov's and Pearson's statistics pass once in a thousand times or less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest

from eligo import generate
from eligo.dag import Dag, Float64
from eligo.graph import critical_path, levels
from eligo.simulation._grid import ArrivalTrace, Grid
from eligo.simulation._runs import COLUMNS, run_block
from tests.memory.footprints import random_dag
from tests.reference.grid_twin import GOLDEN, draw, key_of, uniform
from tests.simulation.grid_cases import KINDS, Case

RUNS = 20_000
MANY = 1e9  # workers: more than any dag here could use


def runs(dag: Dag, grid: Grid, kind: str = "fifo", count: int = RUNS, **options) -> dict[str, Float64]:
    rows = run_block(Case(dag, grid, kind, **options).setup, 0, count, 1)
    return dict(zip(COLUMNS, rows.T, strict=True))


def check_mean(values: Float64, mean: float) -> None:
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean() - mean) <= 4 * error, (values.mean(), mean, error)


def check_variance(values: Float64, variance: float) -> None:
    check_mean((values - values.mean()) ** 2, variance)


def check_distribution(values: Float64, distribution: Callable[[float], float]) -> None:
    """Kolmogorov and Smirnov: the largest distance of the two distribution functions."""
    n = len(values)
    expected = np.array([distribution(float(x)) for x in np.sort(values)])
    steps = np.arange(n + 1) / n
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    assert distance * math.sqrt(n) < 1.95, distance


def check_frequencies(counts: Float64, expected: Float64) -> None:
    """Pearson's chi-square, by the cube root of Wilson and Hilferty."""
    assert expected.min() > 5
    freedom = len(counts) - 1
    cube = (float(((counts - expected) ** 2 / expected).sum()) / freedom) ** (1 / 3)
    assert abs(cube - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom)) < 4


# Arrivals


@pytest.mark.parametrize("rounding", ["nearest", "up", "down", "geometric"])
@pytest.mark.parametrize("batch", [1.0, 2.5, 16.0])
def test_sizes_of_batches(rounding, batch):
    """One job takes the first batch that has a worker: its utilization is one over the size of it.

    An exponential of mean b, rounded, is k with the chance of k - 1/2 to k + 1/2 (k to k + 1, k - 1 to k), all the same
    once 0 is left out.
    """
    sizes = 1 / runs(Dag.from_edges(1), Grid(batch=batch, rounding=rounding))["utilization"]
    assert np.allclose(sizes, np.rint(sizes))
    more = 1 - 1 / batch if rounding == "geometric" else math.exp(-1 / batch)
    check_mean(sizes, 1 / (1 - more))
    if rounding == "geometric":
        check_mean(sizes, batch)
    if more > 0:
        last = max(2, math.floor(1 + math.log(10 / RUNS / (1 - more)) / math.log(more)))  # each is expected ten times
        chance = [more ** (k - 1) * (1 - more) for k in range(1, last)] + [more ** (last - 1)]
        counts = np.bincount(np.minimum(np.rint(sizes).astype(int), last), minlength=last + 1)[1:]
        check_frequencies(counts.astype(float), RUNS * np.array(chance))


@pytest.mark.parametrize("batch", [0.4, 1.0, 5.0])
def test_empty_batches_are_skipped_but_take_time(batch):
    """What 002 means, drawn with NumPy batch by batch: the time until the first that is not empty."""
    rng, count, dag = np.random.default_rng(1), 5000, Dag.from_edges(1)
    for rounding, whole in (("nearest", lambda x: np.floor(x + 0.5)), ("up", np.ceil), ("down", np.floor)):
        grid = Grid(interarrival=2, batch=batch, rounding=rounding, sd=0)
        found = runs(dag, grid, count=count)["execution_time"] - 1
        empty = np.argmax(whole(rng.exponential(batch, (count, 200))) > 0, axis=1)
        waited = np.array([rng.exponential(2, k).sum() for k in empty])
        assert abs(found.mean() - waited.mean()) <= 4 * math.hypot(found.std(), waited.std()) / math.sqrt(count) + 1e-12
        assert abs((found == 0).mean() - (waited == 0).mean()) < 4 / math.sqrt(count)


@pytest.mark.parametrize("interarrival", [0.01, 1.0, 30.0])
def test_independent_jobs_one_worker_a_batch(interarrival):
    """The last of n jobs goes to the n-th worker: n - 1 exponential times, and 1."""
    n = 12
    found = runs(Dag.from_edges(n), Grid(interarrival=interarrival, batch=1, rounding="geometric", sd=0))
    check_mean(found["execution_time"], (n - 1) * interarrival + 1)
    check_variance(found["execution_time"], (n - 1) * interarrival**2)
    assert np.all(found["stalling"] == 0)
    assert np.all(found["utilization"] == 1)


@pytest.mark.parametrize("rounding", ["up", "geometric"])
@pytest.mark.parametrize("kind", KINDS)
def test_independent_jobs(rounding, kind):
    """Each worker is the last of its batch with one chance, so batches before the n-th worker's are binomial."""
    n, batch, gap = 50, 4.0, 0.5
    grid = Grid(interarrival=gap, batch=batch, rounding=rounding, sd=0)
    found = runs(Dag.from_edges(n), grid, kind, order=list(range(n)) if kind == "order" else None)
    last = 1 / batch if rounding == "geometric" else 1 - math.exp(-1 / batch)
    check_mean(found["execution_time"], 1 + (n - 1) * last * gap)
    check_mean(n / found["utilization"], n + 1 / last - 1)  # what is left of the last batch, by the lack of memory
    assert np.all(found["stalling"] == 0)


# Chains and levels


@pytest.mark.parametrize("rounding", ["nearest", "up", "down"])
@pytest.mark.parametrize(("interarrival", "batch"), [(0.05, 8.0), (1.0, 1.0), (3.0, 0.7)])
def test_a_chain_waits_for_the_next_batch_after_each_job(rounding, interarrival, batch):
    """Lack of memory again: an exponential time after each job but the last; a Poisson number stalls while it runs."""
    n = 6
    grid = Grid(interarrival=interarrival, batch=batch, rounding=rounding, sd=0)
    present = {"nearest": math.exp(-0.5 / batch), "up": 1.0, "down": math.exp(-1 / batch)}[rounding]
    gap = interarrival / present
    found = runs(generate.chain(n), grid)
    check_mean(found["execution_time"], n + (n - 1) * gap + (1 - present) * gap)
    stalled = n * found["stalling"] / (1 - found["stalling"])
    assert np.allclose(stalled, np.rint(stalled))
    check_mean(stalled, (n - 1) / gap)
    check_variance(stalled, (n - 1) / gap)
    check_mean(n / found["utilization"], (n + (n - 1) / gap) / (1 - math.exp(-1 / batch)))


def test_the_wait_after_a_job_is_exponential():
    found = runs(generate.chain(2), Grid(interarrival=0.7, rounding="up", sd=0))["execution_time"] - 2
    check_distribution(found, lambda x: 1 - math.exp(-x / 0.7))


def test_a_chain_on_a_fast_grid_is_a_sum_of_normal_times():
    """And of exponential ones, a tenth of their standard deviation."""
    n, gap = 40, 0.01
    found = runs(generate.chain(n), Grid(interarrival=gap, batch=1e6, rounding="up"), count=5000)["execution_time"]
    total = NormalDist(n + (n - 1) * gap, math.sqrt(0.01 * n + gap**2 * (n - 1)))
    check_mean(found, total.mean)
    check_variance(found, total.variance)
    check_distribution(found, total.cdf)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("interarrival", [1e-2, 1.0, 20.0])
def test_huge_batches_go_level_by_level(kind, interarrival):
    """All jobs of a level start and end together: a dag is as slow as a chain of as many jobs as it has levels."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        dag = random_dag(rng, 30, float(rng.choice([0.05, 0.2])))
        grid = Grid(interarrival=interarrival, batch=MANY, sd=0)
        order = dag.order.tolist() if kind == "order" else None
        found = runs(dag, grid, kind, 50, order=order, common=True)
        chain = runs(generate.chain(int(levels(dag).max()) + 1), grid, "fifo", 50, common=True)
        for name in ("execution_time", "stalling"):
            assert np.array_equal(found[name], chain[name])


def test_huge_batches_all_the_time_are_the_critical_path():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dag = random_dag(rng, 30, 0.1)
        length = critical_path(dag).length
        found = runs(dag, Grid(interarrival=1e-3, batch=MANY, sd=0, own_times=True), count=20)["execution_time"]
        assert np.all(found >= length)
        assert np.all(found <= length + 30 * 30 * 1e-3)


# Processors


def test_processors():
    for p in (1, 3, 8, 100):
        assert np.all(runs(Dag.from_edges(20), Grid(processors=p, sd=0), count=3)["execution_time"] == -(-20 // p))
    dag = random_dag(np.random.default_rng(3), 40, 0.1)
    assert np.all(runs(dag, Grid(processors=1, sd=0), count=3)["execution_time"] == 40)
    assert np.all(runs(dag, Grid(processors=40, sd=0), count=3)["execution_time"] == levels(dag).max() + 1)
    one_busy = runs(generate.chain(9), Grid(processors=2, sd=0), count=3)
    assert np.all(one_busy["idle_time"] == 8)  # not while the last runs: nothing is left to wait for
    assert np.all(runs(Dag.from_edges(9), Grid(processors=1), count=3)["idle_time"] == 0)


def test_a_worker_that_stays_is_as_fast_as_its_speed():
    """One processor: the work of all jobs, divided by its speed."""
    n, spread = 30, 0.4
    found = runs(Dag.from_edges(n), Grid(processors=1, sd=0, spread=spread))["execution_time"]
    logs = NormalDist(math.log(n), spread)
    check_distribution(np.log(found), logs.cdf)


# Times


@pytest.mark.parametrize("sd", [0.1, 0.5, 1.0, 10.0])
def test_times_are_normal_and_cut_off_at_zero(sd):
    found = runs(Dag.from_edges(1), Grid(sd=sd, rounding="up"))["execution_time"]
    normal = NormalDist(1, sd)
    below = normal.cdf(0)
    assert np.all(found >= 1e-9)
    check_distribution(found, lambda x: (normal.cdf(x) - below) / (1 - below))


def test_the_first_of_several_copies():
    """All copies start at 0: none has ended at x with the k-th power of one's chance."""
    k, normal = 5, NormalDist(1, 0.1)
    found = runs(Dag.from_edges(1), Grid(copies=k, rounding="up", batch=MANY))
    check_distribution(found["execution_time"], lambda x: 1 - (1 - normal.cdf(x)) ** k)
    assert np.mean(found["allocations"] == k) > 0.9999


# Failures


def test_failures_repeat_a_job():
    """Failures before a success are geometric, and each takes half of a job's time on average."""
    fail, gap = 0.4, 0.01
    found = runs(Dag.from_edges(1), Grid(interarrival=gap, rounding="up", fail=fail, sd=0))
    check_mean(found["allocations"], 1 / (1 - fail))
    check_mean(found["execution_time"], 1 + (0.5 + gap) * fail / (1 - fail))


def test_a_worker_that_stays_tries_again_after_a_failure():
    """One processor, n jobs: all are done in the end, after failures that take half a job each on average."""
    n, fail = 8, 0.4
    found = runs(Dag.from_edges(n), Grid(processors=1, fail=fail, sd=0))
    assert np.all(found["ended"] == 1)
    check_mean(found["allocations"], n / (1 - fail))
    check_mean(found["execution_time"], n * (1 + 0.5 * fail / (1 - fail)))
    assert np.all(found["idle_time"] == 0)
    assert np.allclose(found["utilization"], n / found["execution_time"])  # what failed was of no use
    # One request at first and one after each end or failure but the last of them, all of which are granted.
    asked = runs(Dag.from_edges(n), Grid(arrivals=ArrivalTrace.of([0], [1]), stay=True, fail=fail, sd=0))
    assert np.allclose(n / asked["utilization"], asked["allocations"])


def test_lost_jobs_wait_for_their_deadline():
    lost, deadline, gap = 0.3, 2.5, 0.01
    found = runs(Dag.from_edges(1), Grid(interarrival=gap, rounding="up", lost=lost, deadline=deadline, sd=0))
    check_mean(found["allocations"], 1 / (1 - lost))
    beyond = found["execution_time"] - 1 - deadline * (found["allocations"] - 1)
    assert np.all(beyond > -1e-9)
    check_mean(beyond, gap * lost / (1 - lost))


def test_without_a_deadline_lost_jobs_are_lost_for_good():
    n, lost = 5, 0.1
    found = runs(generate.chain(n), Grid(lost=lost))
    check_mean(found["ended"], (1 - lost) ** n)
    assert np.array_equal(np.isinf(found["execution_time"]), found["ended"] == 0)


# Random numbers


def many_uniforms(key: int, numbers: np.ndarray) -> Float64:
    """The same as `uniform`, for many numbers at a time."""
    with np.errstate(over="ignore"):
        z = np.uint64(key) + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(12)).astype(float) * 2.0**-52 + 2.0**-53


def correlation(x: Float64, y: Float64) -> float:
    return float(np.corrcoef(x, y)[0, 1]) * math.sqrt(len(x))


def test_uniforms_are_uniform_and_streams_do_not_know_of_each_other():
    count = 20_000
    numbers = np.arange(count)
    run = draw(key_of(0, Grid(), "prio"), 0)
    streams = [many_uniforms(draw(run, stream), numbers) for stream in range(5)]
    assert streams[0][17] == uniform(draw(run, 0), 17)
    others = {
        "run": many_uniforms(draw(draw(key_of(0, Grid(), "prio"), 1), 0), numbers),
        "strategy": many_uniforms(draw(draw(key_of(0, Grid(), "fifo"), 0), 0), numbers),
        "seed": many_uniforms(draw(draw(key_of(1, Grid(), "prio"), 0), 0), numbers),
        "grid": many_uniforms(draw(draw(key_of(0, Grid(batch=32), "prio"), 0), 0), numbers),
    }
    for values in (*streams, *others.values()):
        check_frequencies(np.histogram(values, 50, (0, 1))[0].astype(float), np.full(50, count / 50))
        for lag in (1, 2, 773):
            assert abs(correlation(values[:-lag], values[lag:])) < 4
    everything = [*streams, *others.values()]
    for place, x in enumerate(everything):
        for y in everything[:place]:
            assert abs(correlation(x, y)) < 4
            assert not np.intersect1d(x, y).size


def test_runs_seeds_and_strategies_are_independent():
    """Of the kernel itself: what comes of run r says nothing of run r + 1, of another seed, grid or strategy."""
    dag = generate.airsn(5)
    first = runs(dag, Grid(), count=4000)["execution_time"]
    assert len(np.unique(first)) == 4000
    assert abs(correlation(first[:-1], first[1:])) < 4
    for other in (
        runs(dag, Grid(), count=4000, seed=1),
        runs(dag, Grid(), "lifo", 4000),
        runs(dag, Grid(interarrival=1.0000001), count=4000),
    ):
        assert abs(correlation(first, other["execution_time"])) < 4


def test_common_random_numbers_are_common():
    """The same batches and times: on a chain, where no strategy has a choice, the same runs."""
    chain = generate.chain(7)
    one, other = (runs(chain, Grid(), kind, 100, common=True) for kind in ("fifo", "random"))
    assert all(np.array_equal(one[name], other[name]) for name in COLUMNS)
    dag = generate.airsn(20)
    one, other = (runs(dag, Grid(), kind, 2000, common=True)["execution_time"] for kind in ("fifo", "random"))
    assert correlation(one, other) / math.sqrt(2000) > 0.3
