"""List scheduling: equal to its twin event by event, and what theory says of it."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.graph import critical_path
from eligo.simulation import list_schedule
from eligo.simulation._list_schedule import bottom_levels
from tests.memory.footprints import random_dag
from tests.reference import list_schedule_twin as twin
from tests.strategies import dags
from tests.test_trace import check


def test_equal_to_its_twin():
    for seed in range(2000):
        compare_with_twin(np.random.default_rng(seed))


def compare_with_twin(rng: np.random.Generator) -> None:
    dag = random_dag(rng, int(rng.integers(1, 12)), float(rng.choice([0.1, 0.3, 0.6])))
    time = rng.choice([0.0, 0.0, 0.1, 0.2, 0.3, 1.0], dag.n)
    processors = int(rng.integers(1, dag.n + 1))
    given_priority = rng.integers(0, 4, dag.n) if rng.random() < 0.5 else None
    priority = [twin.bottom_level(dag, time.tolist(), job) for job in range(dag.n)]
    assert bottom_levels(dag, time).tolist() == priority
    if given_priority is not None:
        priority = given_priority.tolist()
    start, end, worker, events = twin.list_schedule(dag, processors, priority, time.tolist())
    trace = list_schedule(dag, processors, priority=given_priority, time_s=time)
    assert trace.events.tolist() == events
    jobs = range(dag.n)
    assert trace.start_s.tolist() == [start[job] for job in jobs]
    assert trace.end_s.tolist() == [end[job] for job in jobs]
    assert trace.worker.tolist() == [worker[job] for job in jobs]
    assert trace.workers == processors
    check(trace)


@given(dags(10), st.integers(1, 12))
@settings(max_examples=150)
def test_between_the_bounds(dag, processors):
    """No schedule beats work / p or the longest path; no list schedule passes Graham's sum of both."""
    trace = list_schedule(dag, processors)
    check(trace)
    time = trace.end_s - trace.start_s
    longest = bottom_levels(dag, time).max(initial=0.0)
    slack = 1e-9 * float(time.sum())
    assert trace.makespan_s >= max(longest, time.sum() / processors) - slack
    assert trace.makespan_s <= time.sum() / processors + (1 - 1 / processors) * longest + slack


@given(dags(10))
@settings(max_examples=100)
def test_with_a_processor_for_each_job_it_takes_the_longest_path(dag):
    trace = list_schedule(dag)
    assert trace.makespan_s == critical_path(dag).length
    assert np.array_equal(trace.events, list_schedule(dag, 10**30).events)
    assert trace.workers == trace.worker.max(initial=-1) + 1


@given(dags(10))
@settings(max_examples=100)
def test_one_processor_is_never_idle(dag):
    trace = list_schedule(dag, 1)
    assert trace.worker.tolist() == [0] * dag.n
    assert trace.events.tolist() == [event for job in trace.order.tolist() for event in (job, ~job)]
    time = trace.end_s - trace.start_s
    assert trace.makespan_s == pytest.approx(float(time.sum()))


def test_unknown_times():
    chain = Dag.from_edges(3, [0, 1], [1, 2])
    trace = list_schedule(chain, 1)
    assert (trace.makespan_s, trace.assumptions) == (3.0, ("no times are known: each job is taken to run 1 s",))
    trace = list_schedule(chain, 1, time_s=[math.nan, 2, math.nan])
    assert (trace.makespan_s, trace.assumptions) == (2.0, ("2 jobs have no known time: taken as 0",))
    trace = list_schedule(chain.with_known(time_s=[math.nan, 2, 3]), 1)
    assert (trace.makespan_s, trace.assumptions) == (5.0, ("1 job has no known time: taken as 0",))
    assert list_schedule(chain, 1, time_s=[1, 2, 3]).assumptions == ()


def test_ties_go_to_the_lower_index():
    assert list_schedule(Dag.from_edges(4), 1).order.tolist() == [0, 1, 2, 3]
    assert list_schedule(Dag.from_edges(4), 1, priority=[0, 1, 1, 0]).order.tolist() == [1, 2, 0, 3]


def test_large_whole_priorities_are_told_apart():
    assert list_schedule(Dag.from_edges(2), 1, priority=[2**62, 2**62 + 1]).order.tolist() == [1, 0]
    assert list_schedule(Dag.from_edges(2), 1, priority=[-(2**63), 2**63 - 1]).order.tolist() == [1, 0]
    assert list_schedule(Dag.from_edges(2), 1, priority=[-math.inf, math.inf]).order.tolist() == [1, 0]


def test_the_empty_dag():
    for processors in (None, 1, 7):
        assert list_schedule(Dag.from_edges(0), processors).makespan_s == 0


def test_more_processors_may_take_longer():
    """Graham's anomaly is real: nine jobs on three processors take 12, on four 15."""
    dag = Dag.from_edges(9, [0, 3, 3, 3, 3], [8, 4, 5, 6, 7], time_s=[3, 2, 2, 2, 4, 4, 4, 4, 9])
    order = np.arange(9, 0, -1)
    assert [list_schedule(dag, p, priority=order).makespan_s for p in (3, 4)] == [12, 15]


def test_forks_and_joins_on_a_few_processors():
    airsn = generate.airsn(20)
    makespans = [list_schedule(airsn, p).makespan_s for p in (1, 2, 5, None)]
    assert makespans == sorted(makespans, reverse=True)
    assert (makespans[0], makespans[-1]) == (airsn.n, critical_path(airsn).length)


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"processors": 0}, "0 processors cannot run", "1 or more"),
        ({"processors": -3}, "-3 processors cannot run", "1 or more"),
        ({"processors": 1.5}, "1.5 is not a number of processors", "whole number"),
        ({"processors": Decimal(2)}, "not a number of processors", "whole number"),
        ({"time_s": [1, -1]}, "time of job 'b' is negative", "nan where"),
        ({"time_s": [math.inf, 1]}, "time of job 'a' is negative or infinite", "nan where"),
        ({"time_s": [1]}, "time_s has 1 entries for 2 jobs", "one for each"),
        ({"time_s": [1, "long"]}, "time_s must be numbers", "one for each"),
        ({"priority": [1, 2, 3]}, "priority has 3 entries for 2 jobs", "one for each"),
        ({"priority": [[1, 2]]}, "priority has 2 entries for 2 jobs", "one for each"),
        ({"priority": [1, math.nan]}, "priority of job 'b' is not a number", "every job"),
        ({"priority": [1, "high"]}, "priority must be numbers", "one for each"),
        ({"priority": [1, None]}, "priority of job 'b' is not a number", "every job"),
    ],
)
def test_bad_input_is_refused(options, message, hint):
    with pytest.raises(EligoError, match=message) as caught:
        list_schedule(Dag.from_names([("a", "b")]), **options)
    assert hint in caught.value.hint
