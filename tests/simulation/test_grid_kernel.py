"""The kernel against its plain twin, run for run, and against the other simulators of Eligo where they overlap."""

from __future__ import annotations

import math
import pickle
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import _core, generate
from eligo.dag import Dag, Data
from eligo.errors import EligoError
from eligo.memory._limit import limit
from eligo.memory._models import MODELS, footprint
from eligo.memory._sequential import sequential
from eligo.memory._worst_peak import worst_peak
from eligo.simulation import list_schedule, peak_of_trace
from eligo.simulation._grid import ROUNDINGS, ArrivalTrace, Grid, Throttle
from eligo.simulation._runs import COLUMNS, make_setup, run_block, seconds_per_run, trace_run
from eligo.simulation._simulated_orders import Contender, contender
from tests.memory.footprints import random_dag, random_footprint
from tests.reference import grid_twin
from tests.simulation.grid_cases import EXTENSIONS, KINDS, Case, differences, random_case, random_order
from tests.strategies import dags
from tests.test_trace import check


def some_dag(rng: np.random.Generator) -> Dag:
    return random_dag(rng, int(rng.integers(1, 14)), float(rng.choice([0.05, 0.2, 0.5])))


def agree(case: Case, runs: tuple[int, ...] = (0, 1, 2**40)) -> None:
    for run in runs:
        kernel, twin = case.kernel(run), case.twin(run)
        wrong = differences(kernel, twin)
        assert not wrong, (wrong, case, run, kernel, twin)


# Equal to its twin


@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_its_twin_on_the_grid_of_002(kind):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        case = random_case(rng, some_dag(rng), [])
        case.kind, case.order = kind, random_order(rng, case.dag) if kind == "order" else None
        agree(case)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_equal_to_its_twin_with_one_extension(extension):
    for seed in range(90):
        rng = np.random.default_rng(seed)
        agree(random_case(rng, some_dag(rng), [extension]))


@pytest.mark.parametrize("model", MODELS)
def test_equal_to_its_twin_with_many_extensions_and_memory(model):
    for seed in range(110):
        rng = np.random.default_rng(seed)
        print_ = random_footprint(seed, 10, model)
        agree(random_case(rng, print_.dag, [name for name in EXTENSIONS if rng.random() < 0.35], print_))


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
def test_equal_to_its_twin_thousands_of_times(model):
    for seed in range(10_000, 16_000):
        rng = np.random.default_rng(seed)
        print_ = random_footprint(seed, int(rng.choice([3, 6, 16])), model)
        agree(random_case(rng, print_.dag, [name for name in EXTENSIONS if rng.random() < rng.random()], print_))


@given(dags(9), st.integers(0, 2**63 - 1), st.booleans())
@settings(max_examples=100)
def test_equal_to_its_twin_on_any_dag(dag, seed, own_times):
    """Shapes and times that hypothesis thinks of, unknown and very large ones among them."""
    if not dag.n or (own_times and (dag.time_s is None or np.isnan(dag.time_s).all())):
        return
    # With times of up to 1e9 batches must come rarely, or there are too many for the twin.
    longest = float(np.nanmax(dag.time_s)) if own_times else 1.0
    grid = Grid(own_times=own_times, interarrival=max(longest, 1e-3), batch=2, stay=own_times)
    agree(Case(dag, grid, "lifo", seed=seed))


@pytest.mark.parametrize("name", ["airsn", "montage", "inspiral", "fft", "tree"])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_its_twin_on_workflows(name, kind):
    dag = {
        "airsn": generate.airsn(40),
        "montage": generate.montage(120),
        "inspiral": generate.inspiral(120),
        "fft": generate.fft(4),
        "tree": generate.tree(5, 2),
    }[name]
    order = contender(dag, "prio").order.tolist() if kind == "order" else None
    for options in ({}, {"stay": True, "interarrival": 5.0, "fail": 0.1, "spread": 0.3}):
        agree(Case(dag, Grid(batch=8, **options), kind, order), (0, 3))


@pytest.mark.parametrize("interarrival", [1e-3, 1e-2])
def test_equal_to_its_twin_where_many_batches_find_nothing(interarrival):
    """The kernel passes them in a shorter way, but must count them, their workers and their times alike."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        dag = random_dag(rng, int(rng.integers(2, 6)), 0.7)
        batch, rounding = float(rng.choice([0.3, 1.0, 8.0])), str(rng.choice(ROUNDINGS[:3]))
        for options in (
            {},
            {"sd": 0.0},
            {"spread": 1.0},
            {"fail": 0.3},
            {"own_times": True},
            {"lost": 0.1, "deadline": 2.0},
        ):
            agree(Case(dag, Grid(interarrival=interarrival, batch=batch, rounding=rounding, **options)), (seed,))


LARGE = {
    "fork": generate.fork_join(200),
    "airsn": generate.airsn(100),
    "random": random_dag(np.random.default_rng(1), 300, 0.005),
    "none": Dag.from_edges(300),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LARGE)
def test_equal_to_its_twin_on_larger_dags(name, kind):
    """Where the kernel may work in other ways than on small ones: with many jobs in the pool, or many running."""
    rng = np.random.default_rng(3)
    dag = LARGE[name]
    for interarrival, batch in ((0.05, 5), (1, 60), (20, 100), (1, 5000)):
        order = rng.permutation(dag.n).tolist() if kind == "order" else None
        for sd in (0.0, 0.1):
            agree(Case(dag, Grid(interarrival=interarrival, batch=batch, sd=sd), kind, order), (1,))
        agree(Case(dag, Grid(interarrival=interarrival, batch=batch, stay=True, fail=0.1), kind, order), (1,))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["sdss", "montage", "none"])
def test_equal_to_its_twin_on_thousands_of_jobs(name, kind):
    dag = Dag.from_edges(4500) if name == "none" else getattr(generate, name)(6000)
    order = np.random.default_rng(1).permutation(dag.n).tolist() if kind == "order" else None
    for grid in (Grid(batch=200), Grid(interarrival=10, batch=2000, sd=0), Grid(batch=100, stay=True, fail=0.1)):
        agree(Case(dag, grid, kind, order), (1,))


def test_orders_need_not_respect_the_dag():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        dag = some_dag(rng)
        agree(Case(dag, Grid(batch=2), "order", rng.permutation(dag.n).tolist()))


def test_the_normal_quantile():
    tails = [2.0**-power for power in range(2, 60)]
    for p in [*np.linspace(0.001, 0.999, 999).tolist(), *tails, *(1 - p for p in tails[:52])]:
        assert _core.normal_quantile(p) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("sd", [0.01, 0.1, 0.7, 10.0])
def test_times_follow_the_quantile_everywhere(sd):
    """One job, many runs: wherever the uniform number falls, far out too, the time is that of the text."""
    case = Case(Dag.from_edges(1), Grid(sd=sd, rounding="up"), seed=5)
    key = grid_twin.key_of(5, case.grid, "my fifo")
    p0 = math.erfc(1 / (sd * math.sqrt(2))) / 2
    times = run_block(case.setup, 0, 20_000, 1)[:, 0].tolist()
    for run, time in enumerate(times):
        u = grid_twin.uniform(grid_twin.draw(grid_twin.draw(key, run), 0), 0)
        assert math.isclose(time, max(1 + sd * NormalDist().inv_cdf(p0 + (1 - p0) * u), 1e-9), rel_tol=1e-9), (run, u)


# Keys and blocks


def test_keys():
    dag = generate.chain(3)
    for grid in (Grid(), Grid(interarrival=0.001, batch=65536), Grid(processors=3), Grid(rounding="up", sd=0)):
        for name in ("prio", "fifo", "Zuerst die Nüsse 🥜"):
            for common in (False, True):
                for seed in (0, 1, 2**64 - 1):
                    setup = make_setup(dag, Contender(name, "fifo"), grid, seed=seed, common=common)
                    assert setup.key == grid_twin.key_of(seed, grid, name, common)


def test_blocks_do_not_matter():
    rng = np.random.default_rng(5)
    for seed in range(30):
        print_ = random_footprint(seed, 9)
        extensions = [name for name in EXTENSIONS if rng.random() < 0.3]
        setup = random_case(np.random.default_rng(seed), print_.dag, extensions, print_).setup
        whole = run_block(setup, 0, 12, 1)
        assert whole.shape == (12, len(COLUMNS))
        assert np.array_equal(whole, np.concatenate([run_block(setup, at, 1, 1) for at in range(12)]))
        assert np.array_equal(whole[5:9], run_block(setup, 5, 4, 1))
        assert np.array_equal(whole, run_block(pickle.loads(pickle.dumps(setup)), 0, 12, 1))
        grouped = run_block(setup, 0, 12, 4).reshape(3, -1)
        assert np.array_equal(grouped[1:], run_block(setup, 4, 8, 4))
        check_groups(grouped, whole.reshape(3, 4, -1))


def check_groups(grouped: np.ndarray, members: np.ndarray) -> None:
    for place, name in enumerate(COLUMNS):
        mean = members[:, :, place].max(axis=1) if name == "largest_peak" else members[:, :, place].mean(axis=1)
        if name == "execution_time":  # of the runs that ended
            ended = [[time for time in sample if time < math.inf] for sample in members[:, :, place]]
            mean = [np.mean(times) if times else math.inf for times in ended]
        assert np.allclose(grouped[:, place], mean, rtol=1e-12, atol=0), name


def test_no_runs_and_wrong_blocks():
    setup = Case(generate.chain(2), Grid()).setup
    assert run_block(setup, 3, 0, 5).shape == (0, len(COLUMNS))
    for wrong in ((-1, 1, 1), (0, 3, 2), (0, 1, 0)):
        with pytest.raises(ValueError, match="whole groups"):
            run_block(setup, *wrong)


def test_estimates_are_positive_and_finite():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        setup = random_case(rng, some_dag(rng), [name for name in EXTENSIONS if rng.random() < 0.3]).setup
        assert 0 < seconds_per_run(setup) < 1


# Neutral values


NEUTRAL = {
    "spread": {"spread": 1e-300},
    "fail": {"fail": 1e-18},
    "lost": {"lost": 1e-18},
    "deadline": {"deadline": 1e12},
    "throttle": {"throttle": Throttle(10**6, 10**6)},
    "categories": {"throttle": Throttle(None, None, np.zeros(40, np.int32), np.array([40], np.int32))},
}


@pytest.mark.parametrize("name", NEUTRAL)
@pytest.mark.parametrize("kind", KINDS)
def test_neutral_values_change_nothing(name, kind):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        dag = random_dag(rng, 40, 0.05)
        order = random_order(rng, dag) if kind == "order" else None
        for sd in (0.0, 0.1):
            off = Case(dag, Grid(batch=3, sd=sd), kind, order).setup
            on = Case(dag, Grid(batch=3, sd=sd, **NEUTRAL[name]), kind, order).setup
            assert np.array_equal(run_block(off, 0, 5, 1), run_block(on, 0, 5, 1))


def test_own_times_of_one_are_the_default():
    dag = random_dag(np.random.default_rng(1), 30, 0.1)
    off, on = (Case(dag.with_known(time_s=np.ones(30)), Grid(own_times=own)).setup for own in (False, True))
    assert np.array_equal(run_block(off, 0, 20, 1), run_block(on, 0, 20, 1))


def test_processors_are_a_batch_of_workers_that_stay():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        dag = some_dag(rng)
        there = Case(dag, Grid(processors=3)).setup
        trace = Case(dag, Grid(arrivals=ArrivalTrace.of([0], [3]), stay=True)).setup
        rows, others = run_block(there, 0, 5, 1), run_block(trace, 0, 5, 1)
        place = COLUMNS.index("utilization")  # which is that of their time for processors
        assert np.array_equal(np.delete(rows, place, 1), np.delete(others, place, 1))
        assert np.allclose(rows[:, place], [trace_run(there, run).utilization for run in range(5)])


def test_more_workers_than_anyone_could_count():
    """Whoever waits or leaves costs neither time nor memory: as many as there are jobs would have done."""
    dag = generate.airsn(20)
    enough, many = (run_block(Case(dag, Grid(processors=p)).setup, 0, 20, 1) for p in (dag.n, 10**12))
    assert np.array_equal(enough[:, :2], many[:, :2])
    for stay in (False, True):
        rows = run_block(Case(dag, Grid(interarrival=0.01, batch=1e12, stay=stay)).setup, 0, 20, 1)
        assert np.all((rows[:, 0] > 24) & (rows[:, 0] < 29) & (rows[:, 2] < 1e-9))


# Other simulators


def test_processors_and_an_order_are_list_scheduling():
    for seed in range(150):
        rng = np.random.default_rng(seed)
        dag = some_dag(rng)
        processors, order = int(rng.integers(1, 6)), rng.permutation(dag.n)
        priority = np.empty(dag.n, np.int64)
        priority[order] = np.arange(dag.n, 0, -1)
        for own_times in (False, True):
            setup = Case(dag, Grid(processors=processors, sd=0, own_times=own_times), "order", order.tolist()).setup
            other = list_schedule(
                dag, processors, priority=priority, time_s=dag.time_s if own_times else np.ones(dag.n)
            )
            trace = trace_run(setup, 0)
            assert run_block(setup, 0, 1, 1)[0, 0] == trace.makespan_s == other.makespan_s
            assert trace.start_s.tolist() == other.start_s.tolist()


def test_traces_are_valid_and_tell_what_was_measured():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        names = [name for name in EXTENSIONS if rng.random() < 0.3]
        case = random_case(rng, some_dag(rng), names)
        trace, row, twin = trace_run(case.setup, 2), run_block(case.setup, 2, 1, 1)[0], case.twin(2)
        assert trace.start_s.tolist() == pytest.approx(twin.start, nan_ok=True)
        assert trace.end_s.tolist() == pytest.approx(twin.end, nan_ok=True)
        if row[COLUMNS.index("ended")]:
            check(trace)
            assert row[0] == trace.end_s.max()
        else:
            assert row[0] == math.inf
            assert np.isnan(trace.end_s).any()


@pytest.mark.parametrize("model", MODELS)
def test_peaks_are_those_of_the_trace(model):
    for seed in range(80):
        rng = np.random.default_rng(seed)
        print_ = random_footprint(seed, 12, model)
        names = [name for name in ("own_times", "processors", "stay", "spread", "throttle") if rng.random() < 0.3]
        setup = random_case(rng, print_.dag, names, print_).setup
        rows = run_block(setup, 0, 4, 1)
        for run in range(4):
            assert rows[run, COLUMNS.index("peak_memory")] == peak_of_trace(print_, trace_run(setup, run))
        assert np.array_equal(rows[:, COLUMNS.index("peak_memory")], rows[:, COLUMNS.index("largest_peak")])
        assert run_block(setup, 0, 4, 4)[0, COLUMNS.index("largest_peak")] == rows[:, 4].max()


# Limits of memory


def test_a_limited_workflow_keeps_its_limit_in_every_run():
    """The dag of a limit at the sequential peak: thousands of runs of all kinds keep it; the original passes it."""
    passed = 0
    for seed in range(8):
        dag = generate.daggen(30, seed=seed)
        dag = dag.with_known(data=edge_sizes(dag, seed), time_s=np.random.default_rng(seed).integers(0, 5, 30))
        print_ = footprint(dag, "shared" if seed % 2 else "simple")
        most = max(sequential(print_).peak, worst_peak(print_).bound * 2 // 3)
        limited = limit(print_, most, method="schedule")
        for grid in (
            Grid(batch=64),
            Grid(batch=5),
            Grid(processors=8, own_times=True),
            Grid(stay=True, interarrival=3),
        ):
            for kind in KINDS[1:]:
                free = run_block(Case(dag, grid, kind, None, print_).setup, 0, 25, 25)[0]
                kept = run_block(Case(limited.dag, grid, kind, None, limited.footprint).setup, 0, 25, 25)[0]
                assert kept[5] <= most
                assert free[5] <= worst_peak(print_).bound
                passed += free[5] > most
    assert passed > 30


def edge_sizes(dag: Dag, seed: int) -> Data:
    return Data.per_edge(dag.tails, dag.heads, np.random.default_rng(seed).integers(1, 100, dag.m))


# Bad input


def test_what_cannot_be_simulated_is_refused():
    dag = Dag.from_names([("a", "b")])
    with pytest.raises(EligoError, match="no jobs"):
        make_setup(Dag.from_edges(0), Contender("fifo", "fifo"), Grid())
    with pytest.raises(EligoError, match="no job's time is known"):
        make_setup(dag, Contender("fifo", "fifo"), Grid(own_times=True))
    with pytest.raises(EligoError, match="other jobs"):
        make_setup(dag, Contender("fifo", "fifo"), Grid(), footprint=footprint(generate.chain(2), "pebble"))
    categories = Throttle(None, None, np.zeros(3, np.int32), np.ones(1, np.int32))
    with pytest.raises(EligoError, match="categories for 3 of 2 jobs"):
        make_setup(dag, Contender("fifo", "fifo"), Grid(throttle=categories))
    for seed in (-1, 0.5):
        with pytest.raises(EligoError, match="seed"):
            make_setup(dag, Contender("fifo", "fifo"), Grid(), seed=seed)
    with pytest.raises(EligoError, match="no strategy is called"):
        contender(dag, "best of all")
    for order in ([0], [0, 0], [0, 2], [0.0, 1.0]):
        with pytest.raises(EligoError, match="an order"):
            contender(dag, order)


def test_roundings_share_their_sizes():
    """`nearest`, `up` and `down` differ only in how often a batch comes: batches are the same, at other times."""
    dag = Dag.from_edges(200)
    chosen = [Case(dag, Grid(batch=7, sd=0, rounding=name)).setup for name in ROUNDINGS[:3]]
    used = [run_block(setup, 0, 50, 1)[:, COLUMNS.index("utilization")] for setup in chosen]
    assert np.array_equal(used[0], used[1])
    assert np.array_equal(used[0], used[2])
