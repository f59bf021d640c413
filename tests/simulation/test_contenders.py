"""Strategies for the grid: by name, as orders, from files; and the throttles of a DAGMan file."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from eligo import EligoError, ParseError, generate, prioritize
from eligo.formats import open_document
from eligo.priority._prioritize import STRATEGIES
from eligo.simulation._grid import ArrivalTrace, Grid, Throttle
from eligo.simulation._grid_inputs import throttle_of
from eligo.simulation._runs import make_setup, run_block
from eligo.simulation._simulated_orders import POOLS, contender, read_order

DAG = generate.airsn(5)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name not in POOLS and name != "exact"])
def test_a_named_strategy_is_its_order(strategy):
    assert contender(DAG, strategy).order.tolist() == prioritize(DAG, strategy).schedule.order.tolist()


def test_pools_have_no_order():
    assert [contender(DAG, name).kind for name in POOLS] == list(POOLS)
    assert all(contender(DAG, name).order is None for name in POOLS)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([0, 1], "2 entries"),
        (np.zeros(DAG.n, int), "times"),
        (np.arange(DAG.n) - 1, "from 0 to"),
        (np.linspace(0, 1, DAG.n), "numbers of jobs"),
    ],
)
def test_what_is_no_order_is_refused(order, words):
    with pytest.raises(EligoError, match=words):
        contender(DAG, order)


def test_an_unknown_strategy_is_refused():
    with pytest.raises(EligoError, match="'quick'"):
        contender(DAG, "quick")


def test_orders_are_read_from_lines_and_from_our_json(tmp_path):
    names = list(reversed(DAG.names))
    lines, ours = tmp_path / "order.txt", tmp_path / "order.json"
    lines.write_text("# mine\n\n" + "\n".join(names) + "\n")
    ours.write_text(json.dumps({"jobs": DAG.n, "order": names}))
    for path in (lines, ours):
        assert [DAG.names[job] for job in read_order(path, DAG)] == names


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda names: [*names, names[0]], ParseError, f":{DAG.n + 1}: job .* in line 1"),
        (lambda names: ["nobody", *names], ParseError, ":1: .*no job 'nobody'"),
        (lambda names: names[1:], EligoError, f"1 of {DAG.n} jobs are missing"),
        (lambda _: ['{"area": 3}'], ParseError, "no order"),
        (lambda _: ["{order: 3}"], ParseError, ":1: this is not JSON"),
    ],
)
def test_files_that_are_no_order_say_where(tmp_path, change, error, words):
    path = tmp_path / "order.txt"
    path.write_text("\n".join(change(list(DAG.names))))
    with pytest.raises(error, match=words):
        read_order(path, DAG)


def test_a_throttle_by_category_holds_jobs_back(tmp_path):
    path = tmp_path / "wide.dag"
    lines = [f"JOB j{i} x.sub\nCATEGORY j{i} big\n" for i in range(6)]
    path.write_text("".join(lines) + "JOB k x.sub\nMAXJOBS big 2\n")
    document = open_document(path)
    grid = Grid(processors=10, sd=0, throttle=throttle_of(document, categories=True))
    setup = make_setup(document.dag, contender(document.dag, "fifo"), grid)
    assert run_block(setup, 0, 1, 1)[0, 0] == 3
    assert throttle_of(document) is None
    assert throttle_of(document, max_idle=3).max_idle == 3


def test_categories_without_a_limit_are_an_error(tmp_path):
    path = tmp_path / "plain.dag"
    path.write_text("JOB a a.sub\nCATEGORY a big\n")
    with pytest.raises(EligoError, match=r"plain\.dag: no category has a limit"):
        throttle_of(open_document(path), categories=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Grid(interarrival=0),
        lambda: Grid(interarrival=float("nan")),
        lambda: Grid(batch=-1),
        lambda: Grid(batch=float("inf")),
        lambda: Grid(batch=1e-3),
        lambda: Grid(rounding="sideways"),
        lambda: Grid(rounding="geometric", batch=0.5),
        lambda: Grid(sd=-0.1),
        lambda: Grid(spread=11),
        lambda: Grid(fail=1),
        lambda: Grid(fail=0.5, lost=0.5),
        lambda: Grid(deadline=0),
        lambda: Grid(copies=0),
        lambda: Grid(processors=0),
        lambda: Grid(processors=2, arrivals=ArrivalTrace.of([0], [1])),
        lambda: Throttle(max_jobs=0),
        lambda: Throttle(category=np.zeros(1, np.int32), category_max=np.zeros(1, np.int32)),
        lambda: Throttle(category=np.ones(1, np.int32), category_max=np.ones(1, np.int32)),
        lambda: ArrivalTrace.of([], []),
        lambda: ArrivalTrace.of([0, 1], [0, 0]),
        lambda: ArrivalTrace.of([0, 1], [1, -1]),
        lambda: ArrivalTrace.of([-1], [1]),
        lambda: ArrivalTrace.of([0, 1], [1, 1], repeat_every=1),
    ],
)
def test_impossible_grids_are_refused(make):
    with pytest.raises(EligoError):
        make()


def test_a_setup_survives_pickling_with_the_same_results():
    grid = Grid(arrivals=ArrivalTrace.of([0, 1], [3, 2], 2.0), throttle=Throttle(max_idle=4), fail=0.1)
    setup = make_setup(DAG, contender(DAG, "prio"), grid, seed=3)
    again = pickle.loads(pickle.dumps(setup))
    assert np.array_equal(run_block(setup, 0, 20, 5), run_block(again, 0, 20, 5))


@pytest.mark.parametrize(
    "grid",
    [
        Grid(interarrival=1e-20),
        Grid(interarrival=1e-7, batch=1e12),
        Grid(lost=0.3, deadline=1e10),
        Grid(arrivals=ArrivalTrace.of([0], [1], 1e-300)),
        Grid(arrivals=ArrivalTrace.of([0], [10**12], 1e-6)),
        Grid(own_times=True, interarrival=1e-3),
    ],
)
def test_more_batches_than_anyone_can_count_are_refused(grid):
    chain = DAG.with_known(time_s=[1e12, *[1.0] * (DAG.n - 1)])
    with pytest.raises(EligoError, match="too many to simulate"):
        make_setup(chain, contender(chain, "fifo"), grid)


def test_long_work_can_be_interrupted():
    program = """
import eligo, _thread, threading
from eligo import generate
threading.Timer(1.0, _thread.interrupt_main).start()
eligo.simulate(generate.airsn(5), "fifo", grid=eligo.Grid(interarrival=1e-8), samples=1, runs=1, on="here")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "KeyboardInterrupt" in done.stderr


def test_numbers_of_other_kinds_become_plain():
    grid = Grid(interarrival=np.float32(0.5), copies=np.int64(2), stay=np.bool_(True), sd=np.float64(0.1))
    assert [type(value) for value in (grid.interarrival, grid.copies, grid.stay, grid.sd)] == [float, int, bool, float]
    for wrong in ({"batch": "many"}, {"copies": 1.5}, {"processors": 10**19}, {"processors": "two"}):
        with pytest.raises(EligoError):
            Grid(**wrong)


def test_negative_zeros_are_zeros():
    dag = DAG.with_known(time_s=[-0.0, *[1.0] * (DAG.n - 1)])
    rows = [
        run_block(make_setup(dag, contender(dag, "fifo"), Grid(own_times=True, stay=True, arrivals=trace)), 0, 3, 1)
        for trace in (ArrivalTrace.of([-0.0], [2], 10), ArrivalTrace.of([0.0], [2], 10))
    ]
    assert np.array_equal(*rows)
    assert rows[0][:, 0].min() > DAG.n / 3


def test_empty_dags_and_bad_seeds_are_refused():
    with pytest.raises(EligoError, match="no jobs"):
        make_setup(generate.airsn(5).__class__.from_edges(0), contender(DAG, "fifo"), Grid())
    for seed in (-1, 0.5):
        with pytest.raises(EligoError, match="seed"):
            make_setup(DAG, contender(DAG, "fifo"), Grid(), seed=seed)
    with pytest.raises(EligoError, match="no job's time is known"):
        make_setup(DAG, contender(DAG, "fifo"), Grid(own_times=True))
