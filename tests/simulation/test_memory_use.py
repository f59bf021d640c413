"""Memory over time: each value is that of its state, and no execution ever exceeds the worst peak."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.errors import EligoError
from eligo.memory._models import MODELS, footprint
from eligo.simulation import list_schedule, memory_over_time, peak_of_trace
from eligo.trace import Trace
from tests.memory.executions import random_executions, random_traces
from tests.memory.footprints import random_dag, random_footprint
from tests.reference.memory_states import occupied, sequential_peak, true_worst_peak


def replay(print_, trace) -> list[int]:
    """What is occupied after each event, by the definition."""
    started: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    sizes = [occupied(print_, started, ended)]
    for event in trace.events.tolist():
        if event >= 0:
            started |= {event}
        else:
            ended |= {~event}
        sizes.append(occupied(print_, started, ended))
    return sizes


@pytest.mark.parametrize("model", MODELS)
def test_every_value_is_that_of_its_state(model):
    for seed in range(120):
        print_ = random_footprint(seed, 8, model)
        for trace in random_traces(print_.dag, seed, 3):
            use = memory_over_time(print_, trace)
            assert use.size_bytes.tolist() == replay(print_, trace)
            assert use.time_s.tolist() == [0.0, *trace.event_times().tolist()]
            assert use.peak == peak_of_trace(print_, trace) == max(use.size_bytes.tolist())


@pytest.mark.parametrize("model", MODELS)
def test_one_worker_runs_one_job_after_the_other(model):
    for seed in range(200):
        print_ = random_footprint(seed, 8, model)
        trace = list_schedule(print_.dag, 1, priority=np.random.default_rng(seed).random(print_.dag.n))
        assert peak_of_trace(print_, trace) == sequential_peak(print_, trace.order.tolist())


@pytest.mark.parametrize("model", MODELS)
def test_no_execution_exceeds_the_worst_peak_and_most_dags_reach_it(model):
    """On dags of up to five jobs some forty executions find the worst there is, nearly always."""
    reached = 0
    for seed in range(60):
        print_ = random_footprint(seed, 5, model)
        worst = true_worst_peak(print_)
        peaks = list(random_executions(print_, seed, 40))
        assert max(peaks) <= worst
        reached += max(peaks) == worst
    assert reached >= 57


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
def test_no_execution_of_thousands_exceeds_the_worst_peak(model):
    for seed in range(40):
        print_ = random_footprint(seed + 10_000, 7, model)
        worst = true_worst_peak(print_)
        assert max(random_executions(print_, seed, 2000)) <= worst


def test_executions_of_a_dag_with_more_edges_occupy_no_more():
    """The footprint may be that of the original dag, the trace that of a limited one."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        print_ = random_footprint(seed, 6)
        extra = random_dag(rng, print_.dag.n, 0.3)
        place = np.argsort(print_.dag.order)
        ahead = place[extra.tails] < place[extra.heads]
        more = Dag.from_edges(
            print_.dag.names,
            np.concatenate([print_.dag.tails, extra.tails[ahead]]),
            np.concatenate([print_.dag.heads, extra.heads[ahead]]),
        )
        limited = print_.on(more)
        worst = true_worst_peak(limited)
        for trace in random_traces(more, seed, 5):
            assert peak_of_trace(print_, trace) == peak_of_trace(limited, trace) <= worst


def test_releases_come_first():
    r"""0 -> 1, 2 -> 3: two data of 3 bytes. If 1 ends when 2 starts, 3 bytes suffice; if later, it takes 6."""
    data = Data.build([3, 3], producer=[0, 2], readers=[[1], [3]])
    print_ = footprint(Dag.from_edges(4, [0, 2], [1, 3], data=data), "shared")
    assert peak_of_trace(print_, Trace.of(print_.dag, [0, 1, 2, 3], [1, 2, 3, 4])) == 3
    assert peak_of_trace(print_, Trace.of(print_.dag, [0, 1, 1.5, 3], [1, 2, 3, 4])) == 6


def test_what_takes_no_time_is_counted():
    data = Data.build([3, 4], producer=[0, 1], readers=[[2], [2]])
    dag = Dag.from_edges(3, [0, 1], [2, 2], temp_bytes=[0, 0, 10], data=data)
    print_ = footprint(dag, "classical")
    use = memory_over_time(print_, list_schedule(dag, time_s=[0, 0, 0]))
    assert use.time_s.tolist() == [0.0] * 7
    assert use.size_bytes.tolist() == [0, 3, 7, 7, 7, 17, 0]


def test_jobs_that_never_ran_and_never_ended():
    r"""0 -> 1 -> 2: 1 has started but not ended, 2 has not started; both data stay."""
    data = Data.build([3, 4, 5], producer=[0, 1, 2], readers=[[1], [2], []])
    dag = Dag.from_edges(3, [0, 1], [1, 2], temp_bytes=[1, 10, 100], data=data)
    trace = Trace.of(dag, [0, 1, math.nan], [1, math.nan, math.nan])
    assert memory_over_time(footprint(dag, "files"), trace).size_bytes.tolist() == [0, 4, 3, 17]
    assert memory_over_time(footprint(dag, "simple"), trace).size_bytes.tolist() == [0, 3, 3, 4]


def test_clocks_that_differ_never_make_it_negative():
    r"""0 -> 1, but 1 is said to have run before."""
    data = Data.build([3], producer=[0], readers=[[1]])
    dag = Dag.from_edges(2, [0], [1], data=data)
    trace = Trace.of(dag, [5, 0], [6, 1], measured=True)
    assert memory_over_time(footprint(dag, "shared"), trace).size_bytes.tolist() == [0, 0, 0, 0, 0]


def test_the_empty_dag_and_inputs_from_outside():
    empty = Dag.from_edges(0)
    assert memory_over_time(footprint(empty, "pebble"), Trace.of(empty, [], [])).size_bytes.tolist() == [0]
    data = Data.build([7], producer=[-1], readers=[[0]])
    dag = Dag.from_edges(1, data=data)
    use = memory_over_time(footprint(dag, "shared", inputs="count"), Trace.of(dag, [2], [3]))
    assert (use.time_s.tolist(), use.size_bytes.tolist()) == ([2.0, 2.0, 3.0], [7, 7, 0])


def test_sums_are_exact():
    """Where floats would drop the last byte."""
    data = Data.build([2**61, 1], producer=[0, 1], readers=[[], []])
    dag = Dag.from_edges(2, [0], [1], data=data)
    assert peak_of_trace(footprint(dag, "shared"), list_schedule(dag, 1)) == 2**61 + 1


def test_other_jobs_are_refused():
    one, two = Dag.from_edges(["a"]), Dag.from_edges(["b"])
    with pytest.raises(EligoError, match="different jobs"):
        memory_over_time(footprint(one, "pebble"), list_schedule(two))
