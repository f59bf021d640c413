"""The model by hand: short stories whose outcome anyone can follow, told to the kernel and to its twin.

Jobs take exactly 1 here (sd = 0) unless they have times of their own, and batches come from traces.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable

import numpy as np
import pytest

from eligo import generate
from eligo.dag import Dag, Data
from eligo.errors import EligoError
from eligo.memory._models import footprint
from eligo.simulation._grid import ArrivalTrace, Grid, Throttle
from tests.reference import grid_twin
from tests.reference.grid_twin import Run
from tests.simulation.grid_cases import Case

Play = Callable[..., Run]


@pytest.fixture(params=["kernel", "twin"])
def play(request: pytest.FixtureRequest) -> Play:
    def run(dag: Dag, arrivals: list[tuple[float, int]] | None, kind: str = "fifo", order=None, print_=None, **options):
        if arrivals is not None:
            options["arrivals"] = ArrivalTrace.of(*zip(*arrivals, strict=True), options.pop("repeat_every", None))
        case = Case(dag, Grid(sd=0.0, **options), kind, order, print_)
        return getattr(case, request.param)(0)

    return run


def test_a_chain_stalls_while_its_job_runs(play):
    """0 -> 1 -> 2: the batches at 0, 1 and 2 get jobs, since ends come before batches; the one at 1.5 stalls."""
    run = play(generate.chain(3), [(0, 1), (1, 1), (1.5, 1), (2, 1), (9, 1)])
    assert run.end == [1, 2, 3]
    assert run.worker == [0, 1, 3]
    assert (run.execution_time, run.stalling, run.utilization) == (3, 1 / 4, 3 / 4)
    assert (run.allocations, run.idle_time, run.ended) == (3, 0, True)


def test_workers_that_find_nothing_leave_and_are_numbered(play):
    run = play(generate.chain(2), [(0.5, 3), (2, 2)])
    assert (run.start, run.worker) == ([0.5, 2], [0, 3])
    assert (run.execution_time, run.stalling, run.utilization) == (3, 0, 2 / 5)


def test_two_batches_at_one_instant_are_two(play):
    run = play(Dag.from_edges(2), [(0, 1), (0, 5), (0, 1)])
    assert (run.worker, run.utilization) == ([0, 1], 2 / 6)


def test_traces_repeat(play):
    run = play(generate.chain(5), [(0, 1), (0.5, 1)], repeat_every=2.0)
    assert run.start == [0, 2, 4, 6, 8]
    assert (run.stalling, run.worker) == (4 / 9, [0, 2, 4, 6, 8])


def test_who_is_next(play):
    """One worker a time unit; ends come before batches.

    0 -> 2, 3 and 1 -> 4 by fifo: the pool is [0, 1], at 1 [1, 2, 3], at 2 [2, 3, 4]. 1 -> 2, 3 and 4 -> 0 by lifo: the
    pool is [1, 4], at 1 [1, 0], at 2 [1], at 3 [2, 3].
    """
    dag = Dag.from_edges(5, [0, 0, 1], [2, 3, 4])
    times = [(time, 1) for time in range(5)]
    assert play(dag, times, "fifo").start == [0, 1, 2, 3, 4]
    assert play(dag, times, "order", [1, 4, 0, 3, 2]).start == [2, 0, 4, 3, 1]
    assert play(Dag.from_edges(5, [1, 1, 4], [2, 3, 0]), times, "lifo").start == [1, 2, 4, 3, 0]


def test_random_picks_follow_the_stream(play):
    """Ten jobs and ten workers: the list of those left is drawn from, the last filling the gap."""
    run = play(Dag.from_edges(10), [(0, 10)], "random")
    key = grid_twin.key_of(0, Grid(processors=1), "my random")
    picks = grid_twin.draw(grid_twin.draw(key, 0), 4)
    left, expected = list(range(10)), [-1] * 10
    for worker in range(10):
        place = int(len(left) * grid_twin.uniform(picks, worker))
        expected[left[place]] = worker
        left[place] = left[-1]
        left.pop()
    assert run.worker == expected
    assert sorted(expected) != expected


def test_keys_follow_the_text():
    name = int.from_bytes(hashlib.blake2b(b"prio").digest()[:8], "little")
    words = [struct.unpack("<Q", struct.pack("<d", value))[0] for value in (0.5, 32.0)]
    point = grid_twin.draw(grid_twin.draw(7, words[0]), words[1])
    grid = Grid(interarrival=0.5, batch=32)
    assert grid_twin.key_of(7, grid, "prio") == grid_twin.draw(point, name)
    assert grid_twin.key_of(7, grid, "prio", common=True) == grid_twin.key_of(7, grid, "fifo", common=True)


def test_splitmix64_is_what_others_publish():
    """The first outputs of SplitMix64 from the state 1234567, as test vectors of many libraries have them."""
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert [grid_twin.draw(1234567, i) for i in range(5)] == known


def test_workers_that_stay_ask_again(play):
    """Two workers, a fork of three jobs behind one: worker 1 waits from 0 to 1; both run, the first asks again."""
    dag = Dag.from_edges(4, [0, 0, 0], [1, 2, 3])
    run = play(dag, None, processors=2)
    assert run.start == [0, 1, 1, 2]
    assert run.worker == [0, 1, 0, 1]
    assert run.idle_time == 1
    assert run.utilization == 4 / (2 * 3)
    # Requests: two, and those of workers 0 at 1, 1 at 2; at 2 the second to end finds nothing left to wait for... it is
    # counted since the last job is given only after both have ended.
    assert play(dag, [(0, 2)], stay=True) == run._replace(utilization=4 / 5)


def test_those_who_wait_are_served_before_a_batch(play):
    """At 1 the job ends, worker 1 who waited gets its child; the batch of that moment has the other."""
    run = play(Dag.from_edges(3, [0, 0], [1, 2]), [(0, 2), (1, 1)], stay=True)
    assert (run.worker, run.stalling) == ([0, 1, 0], 0)
    assert (run.utilization, run.idle_time) == (3 / 3, 1)


def test_jobs_without_time_run_in_rounds(play):
    dag = generate.chain(4).with_known(time_s=[0, 0, 2, 0])
    run = play(dag, None, processors=1, own_times=True)
    assert (run.end, run.execution_time) == ([0, 0, 2, 2], 2)
    run = play(dag, [(0, 1), (0, 1), (0, 1), (3, 1)], own_times=True)
    assert (run.end, run.stalling) == ([0, 0, 2, 3], 0)


def test_a_deadline_gives_the_job_to_another(play):
    """Written off at 0.5 and given again in that moment, yet the first result comes from worker 0 at 1."""
    run = play(Dag.from_edges(1), [(0, 1), (0.5, 1), (0.6, 1), (3, 1)], deadline=0.5)
    assert (run.execution_time, run.worker, run.allocations) == (1, [0], 2)
    assert run.utilization == 1 / 2


def test_an_end_at_the_deadline_is_in_time(play):
    run = play(generate.chain(2), [(0, 1), (1, 1), (1, 1)], deadline=1.0)
    assert (run.allocations, run.execution_time) == (2, 2)


def test_late_results_take_the_job_from_the_pool(play):
    """Written off at 0.5, nobody came before its result at 1: the batch at 1 gets the child."""
    run = play(generate.chain(2), [(0, 1), (1, 1)], deadline=0.5)
    assert (run.start, run.allocations, run.stalling) == ([0, 1], 2, 0)


def test_copies_go_to_several_workers(play):
    """0 -> 1, 2 copies: workers 0 and 1 run 0, worker 2 leaves; from 1 on the same with 1."""
    run = play(generate.chain(2), [(0, 3), (1, 1), (1.5, 1), (1.7, 1)], copies=2)
    assert (run.worker, run.allocations, run.execution_time) == ([0, 3], 4, 2)
    assert (run.stalling, run.utilization) == (0, 2 / 5)


def test_copies_keep_their_place(play):
    """Three jobs, 2 copies, one worker each 0.1: 0, 0, 1, 1, 2, 2 and never in turn."""
    run = play(Dag.from_edges(3), [(0.1 * i, 1) for i in range(6)], copies=2)
    assert run.worker == [0, 2, 4]


def test_a_throttle_on_jobs(play):
    """Five jobs, two of them out at a time: of four workers two leave."""
    run = play(Dag.from_edges(5), [(0, 4), (1, 4), (2, 4)], throttle=Throttle(max_jobs=2))
    assert (run.start, run.utilization) == ([0, 0, 1, 1, 2], 5 / 12)


def test_a_throttle_on_idle_jobs_only_holds_back(play):
    """It sends the next as soon as one is taken; but the job that became ready first was sent, not the best."""
    throttle = Throttle(max_idle=1)
    assert play(Dag.from_edges(3), [(0, 3)], throttle=throttle).execution_time == 1
    dag = Dag.from_edges(3, [0], [1])  # order 0, 1, 2: when 0 is taken, 2 is sent, and at 1 job 1 has to wait
    assert play(dag, [(0, 1), (1, 1), (2, 1)], "order", [0, 1, 2], throttle=throttle).start == [0, 2, 1]
    assert play(dag, [(0, 1), (1, 1), (2, 1)], "order", [0, 1, 2]).start == [0, 1, 2]


def test_categories(play):
    category, most = np.array([0, 0, 0, -1], np.int32), np.array([1], np.int32)
    run = play(Dag.from_edges(4), [(0, 4), (1, 4), (2, 4)], throttle=Throttle(None, None, category, most))
    assert run.start == [0, 1, 2, 0]


def test_a_run_may_never_end(play):
    run = play(Dag.from_edges(3), [(0, 2)])
    assert (run.execution_time, run.ended, run.allocations) == (math.inf, False, 2)
    assert math.isnan(run.end[2])
    assert (run.stalling, run.utilization) == (0, 2 / 2)  # two jobs were given to anyone


def test_memory_along_a_run(play):
    """0 -> 1, 0 -> 2: 5 bytes for both, 3 and 4 that stay, 2 while each runs (files)."""
    data = Data.build([5, 3, 4], [0, 1, 2], [[1, 2], [], []])
    dag = Dag.from_edges(3, [0, 0], [1, 2], temp_bytes=[2, 2, 2], data=data)
    together, apart = [(0, 1), (1, 2)], [(0, 1), (1, 1), (2, 1)]
    assert play(dag, together, print_=footprint(dag, "files", "disk")).peak_memory == 5 + 3 + 4 + 2 + 2
    assert play(dag, apart, print_=footprint(dag, "files", "disk")).peak_memory == 5 + 3 + 4 + 2
    assert play(dag, apart, print_=footprint(dag, "simple")).peak_memory == 5 + 5
    assert play(dag, apart, print_=footprint(dag, "pebble")).peak_memory == 3
    # Two copies hold their temporary space twice, and their data once.
    twice = play(dag, [(0, 2), (1, 4)], print_=footprint(dag, "files", "disk"), copies=2)
    assert twice.peak_memory == 5 + 3 + 4 + 4 * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interarrival": 0}, "interarrival must be above 0"),
        ({"interarrival": math.nan}, "interarrival must be above 0"),
        ({"batch": -1}, "batch must be above 0"),
        ({"batch": 1e13}, "batch must be at most 1e12"),
        ({"rounding": "odd"}, "no rounding is called 'odd'"),
        ({"rounding": "geometric", "batch": 0.5}, "mean of 1 or more"),
        ({"sd": -0.1}, "sd must be a number from 0 to 10"),
        ({"spread": math.inf}, "spread must be a number from 0 to 3"),
        ({"fail": 1.0}, "fail is a chance"),
        ({"fail": 0.5, "lost": 0.5}, "together must stay below 1"),
        ({"deadline": 0}, "deadline must be above 0"),
        ({"copies": 0}, "copies must be from 1"),
        ({"processors": 0}, "cannot run any job"),
        ({"processors": 2, "arrivals": ArrivalTrace.of([0], [1])}, "not both"),
    ],
)
def test_impossible_grids_are_refused(options, message):
    with pytest.raises(EligoError, match=message):
        Grid(**options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1]), "one time and one number"),
        (([], []), "one time and one number"),
        (([0, -1], [1, 1]), "from 0 to 1e12"),
        (([1, 0], [1, 1]), "in the order of their times"),
        (([0, 1], [0, 0]), "nobody ever arrives"),
        (([0, 1], [1.5, 1]), "whole numbers"),
        (([0, 1], [1, 1], 1.0), "begin again only after the last"),
    ],
)
def test_impossible_arrivals_are_refused(arguments, message):
    with pytest.raises(EligoError, match=message):
        ArrivalTrace.of(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_jobs": 0}, "no job would ever run"),
        ({"max_idle": -1}, "no job would ever run"),
        ({"category": np.zeros(2, np.int32)}, "categories need"),
        ({"category": np.array([3], np.int32), "category_max": np.array([1], np.int32)}, "has no limit"),
        ({"category": np.array([0], np.int32), "category_max": np.array([0], np.int32)}, "limit of 0"),
    ],
)
def test_impossible_throttles_are_refused(options, message):
    with pytest.raises(EligoError, match=message):
        Throttle(**options)
