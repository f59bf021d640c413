"""Findings: orders are those of the verbs, executions and memory those of the definition, and a limit stays a limit."""

from __future__ import annotations

from collections import Counter
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import generate
from eligo.dag import Dag, Data
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint
from eligo.memory._limit import Limited, limit
from eligo.memory._models import MODELS, footprint
from eligo.memory._sequential import sequential
from eligo.priority._prioritize import STRATEGIES
from eligo.report._page import findings as module
from eligo.report._page.findings import Findings, Recorded, Strategy, Wish, find
from eligo.trace import Trace
from tests.memory.footprints import random_footprint
from tests.reference.ideals import eligible
from tests.reference.memory_states import occupied, sequential_peak, true_worst_peak
from tests.strategies import dags

SEEDS = st.integers(0, 2**32 - 1)
NAMES = st.lists(st.sampled_from(STRATEGIES), min_size=1, max_size=4)
ORDERED = ("best", "prio", "area", "prio-2006", "exact", "critical-path")


def edges_of(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def found_for(print_: Footprint, *names: str, limited: Limited | None = None, **more: int) -> Findings:
    dag = print_.dag if limited is None else limited.dag
    wish = Wish(names or ("best", "fifo"), curve=0, **more)
    return find(dag, wish, plain=print_.dag, footprint=print_, limited=limited)


def limited_in_part(print_: Footprint, share: float) -> Limited:
    """Keep some limit between the smallest that a sequential order keeps, and none."""
    least, worst = sequential(print_).peak, eligo.worst_peak(print_).bound
    return limit(print_, least + int(share * (worst - least)))


def times_of(dag: Dag) -> list[float]:
    """How long each job takes: what is known of it, else the mean of the others; 1 where nothing is known."""
    known = [] if dag.time_s is None else [time for time in dag.time_s.tolist() if not isnan(time)]
    if not sum(known):
        return [1.0] * dag.n
    return [float(np.mean(known)) if isnan(time) else time for time in dag.time_s.tolist()]


# Orders.


@settings(max_examples=50)
@given(dags(8), NAMES, st.integers(0, 3))
def test_orders_are_those_of_prioritize(dag: Dag, names: list[str], seed: int) -> None:
    found = find(dag, Wish(names, seed=seed))
    assert [strategy.name for strategy in found.strategies] == sorted(set(names), key=names.index)
    assert (found.dag, found.plain) == (dag, dag)
    for strategy in found.strategies:
        again = eligo.prioritize(dag, strategy.name, seed=seed)
        order = strategy.schedule.order.tolist()
        assert order == again.schedule.order.tolist()
        assert sorted(order) == list(range(dag.n))
        assert all(order.index(tail) < order.index(head) for tail, head in edges_of(dag))
        assert strategy.chosen == again.strategy
        if strategy.name != "best":
            assert strategy.label == strategy.name == strategy.chosen
        elif strategy.chosen != "best":
            assert strategy.label == f"best ({strategy.chosen})"
    first = found.strategies[0]
    assert found.best.schedule.order.tolist() == first.schedule.order.tolist()
    assert found.best.strategy == first.chosen


# Executions on workers.


def assert_is_execution(strategy: Strategy, workers: int) -> None:
    """Jobs start after their parents, take their times, and each has a worker to itself."""
    trace, dag, time = strategy.trace, strategy.schedule.dag, times_of(strategy.schedule.dag)
    start, end, worker = trace.start_s.tolist(), trace.end_s.tolist(), trace.worker.tolist()
    assert trace.workers == workers
    for job in range(dag.n):
        assert end[job] == pytest.approx(start[job] + time[job])
        assert 0 <= worker[job] < workers
    assert all(start[head] >= end[tail] for tail, head in edges_of(dag))
    assert Counter(trace.events.tolist()) == Counter([*range(dag.n), *(~job for job in range(dag.n))])
    running: dict[int, int] = {}
    over: set[int] = set()
    for event in trace.events.tolist():
        if event < 0:
            assert running.pop(worker[~event]) == ~event
            over.add(~event)
        else:
            assert worker[event] not in running
            assert set(dag.parents(event).tolist()) <= over
            running[worker[event]] = event
    assert not running


def assert_nobody_is_idle(trace: Trace, workers: int) -> None:
    """Whenever time passes, all workers run something, or no job is ELIGIBLE that does not run."""
    dag, when = trace.dag, trace.event_times().tolist()
    assert when == sorted(when)
    begun: set[int] = set()
    over: set[int] = set()
    for at, event in enumerate(trace.events.tolist()):
        (over if event < 0 else begun).add(~event if event < 0 else event)
        if at + 1 < len(when) and when[at + 1] > when[at]:
            ready = [v for v in range(dag.n) if v not in begun and set(dag.parents(v).tolist()) <= over]
            assert len(begun) - len(over) == workers or not ready


def assert_goes_by_order(trace: Trace, order: list[int]) -> None:
    """Of the jobs that are ELIGIBLE the first in the order is started."""
    dag = trace.dag
    begun: set[int] = set()
    over: set[int] = set()
    for event in trace.events.tolist():
        if event < 0:
            over.add(~event)
            continue
        ready = [v for v in range(dag.n) if v not in begun and set(dag.parents(v).tolist()) <= over]
        assert event == min(ready, key=order.index)
        begun.add(event)


def assert_is_queue(trace: Trace) -> None:
    """Who becomes ELIGIBLE goes to the end of the queue, children of one job in file order; who starts is its head."""
    dag = trace.dag
    queue = [job for job in range(dag.n) if not len(dag.parents(job))]
    over: set[int] = set()
    for event in trace.events.tolist():
        if event >= 0:
            assert queue.pop(0) == event
            continue
        over.add(~event)
        queue += [child for child in sorted(dag.children(~event).tolist()) if set(dag.parents(child).tolist()) <= over]
    assert not queue


@settings(max_examples=60)
@given(dags(8), NAMES, st.integers(1, 5))
def test_executions_are_possible_and_use_their_workers(dag: Dag, names: list[str], workers: int) -> None:
    found = find(dag, Wish(names, workers=workers))
    assert found.workers == workers
    for strategy in found.strategies:
        assert_is_execution(strategy, workers)
        assert_nobody_is_idle(strategy.trace, workers)
        if strategy.name in ORDERED:
            assert_goes_by_order(strategy.trace, strategy.schedule.order.tolist())


@settings(max_examples=60)
@given(dags(9), st.integers(1, 4))
def test_the_queue_of_fifo_is_one(dag: Dag, workers: int) -> None:
    """Also where it is asked for twice, first or second."""
    for names in (["fifo"], ["best", "fifo"]):
        assert_is_queue(find(dag, Wish(names, workers=workers)).strategies[-1].trace)


def test_the_queue_evolves() -> None:
    """While `slow` runs, the child of `quick` overtakes that of `slow`, which is before it in the file::

    slow (9) -> a      quick (1) -> b
    """
    dag = Dag.from_names([("slow", "a"), ("quick", "b")], jobs=["slow", "quick", "a", "b"], time_s=[9, 1, 2, 3])
    fifo = find(dag, Wish(["fifo"], workers=2)).strategies[0]
    assert fifo.schedule.names == ["slow", "quick", "a", "b"]
    assert [dag.names[job] for job in fifo.trace.order] == ["slow", "quick", "b", "a"]
    assert fifo.trace.makespan_s == 11


def test_unknown_times_are_the_mean_of_the_known() -> None:
    dag = Dag.from_edges(3, [0, 0], [1, 2], time_s=[2, 6, float("nan")])
    assert find(dag, Wish(workers=2)).strategies[0].trace.end_s.tolist() == [2, 8, 6]


@settings(max_examples=50)
@given(dags(8, known=False))
def test_as_many_workers_as_jobs_are_ready_under_fifo(dag: Dag) -> None:
    found = find(dag, Wish())
    ideal, ready = 0, [eligible(dag, 0, sources=True)]
    for job in found.best.fifo.order.tolist():
        ideal |= 1 << job
        ready.append(eligible(dag, ideal, sources=True))
    assert found.workers == max(round(sum(ready) / len(ready)), 2)


def test_workers_are_not_too_many() -> None:
    assert find(Dag.from_edges(2000), Wish()).workers == 500
    assert find(Dag.from_edges(2000), Wish(workers=700)).workers == 700


# Memory.


@settings(max_examples=60)
@given(SEEDS, NAMES)
def test_memory_along_an_order(seed: int, names: list[str]) -> None:
    """What is occupied while each job runs alone, and when all have ended, straight from the definition."""
    print_ = random_footprint(seed)
    for strategy in found_for(print_, *names).strategies:
        done: frozenset[int] = frozenset()
        expected = []
        for job in strategy.schedule.order.tolist():
            expected.append(occupied(print_, done | {job}, done))
            done |= {job}
        assert strategy.along is not None
        assert strategy.along.tolist() == [*expected, occupied(print_, done, done)]
        assert strategy.peak == sequential_peak(print_, strategy.schedule.order.tolist())


def test_the_peak_may_come_before_the_first_job() -> None:
    """In the simple model a job frees its inputs as it starts: ten bytes from outside are gone when `a` runs."""
    dag = Dag.from_edges(["a"]).with_known(data=Data.build([10, 1], [-1, 0], [[0], []]))
    print_ = footprint(dag, "simple", inputs="count")
    assert sequential_peak(print_, [0]) == 10
    assert found_for(print_).strategies[0].peak == 10


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 4))
def test_memory_of_executions(seed: int, workers: int) -> None:
    """After each start and each end as much is occupied as the definition says."""
    print_ = random_footprint(seed)
    for strategy in found_for(print_, "best", "fifo", workers=workers).strategies:
        started: frozenset[int] = frozenset()
        ended: frozenset[int] = frozenset()
        expected = [occupied(print_, started, ended)]
        for event in strategy.trace.events.tolist():
            started |= {event} if event >= 0 else set()
            ended |= {~event} if event < 0 else set()
            expected.append(occupied(print_, started, ended))
        assert strategy.use is not None
        assert strategy.use.size_bytes.tolist() == expected
        assert strategy.use.time_s.tolist()[1:] == strategy.trace.event_times().tolist()


@settings(max_examples=50)
@given(SEEDS)
def test_the_worst_peak_is_none_too_small(seed: int) -> None:
    print_ = random_footprint(seed)
    memory = found_for(print_).memory
    assert memory is not None
    assert memory.footprint is print_
    assert memory.analysis.worst.bound >= memory.analysis.worst.attained
    assert memory.analysis.worst.attained <= true_worst_peak(print_) <= memory.analysis.worst.bound
    assert (memory.limited, memory.before.worst.bound, memory.curve) == (None, memory.analysis.worst.bound, ())


@settings(max_examples=30)
@given(dags(7))
def test_without_sizes_there_is_no_memory(dag: Dag) -> None:
    found = find(dag, Wish(), without_memory="give sizes")
    assert (found.memory, found.without_memory) == (None, "give sizes")
    assert all(strategy.along is strategy.peak is strategy.use is None for strategy in found.strategies)
    assert not found.added.any()


@pytest.mark.parametrize(("jobs", "points"), [(2_000, 7), (2_001, 4), (50_001, 0)])
def test_larger_workflows_have_shorter_curves(jobs: int, points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six limits and the worst peak, three and it, none: as ``eligo memory`` has them."""
    asked = []
    monkeypatch.setattr("eligo.memory._analyze.limit_curve", lambda *words: asked.append(words[2]) or ())
    monkeypatch.setattr("eligo.memory._analyze.analyse", lambda _: None)
    print_ = footprint(Dag.from_edges(jobs), "pebble")
    module._memory(print_, None, None, lambda _: None)
    module._memory(print_, None, 9, lambda _: None)
    assert asked == [max(points - 1, 0), 9]


def test_the_curve_is_that_of_limits() -> None:
    dag = Dag.from_names([("a", "b"), ("c", "d"), ("e", "f")])
    print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 6, 7])))
    memory = find(print_.dag, Wish(curve=2), footprint=print_).memory
    assert memory is not None
    for point in memory.curve:
        kept = limit(print_, point.limit)
        assert true_worst_peak(kept.footprint) <= point.limit
        assert point.critical_path == kept.critical_path_after
    assert [point.limit for point in memory.curve] == [7, 12, 18]


# Limits.


@settings(max_examples=40)
@given(SEEDS, st.floats(0, 1))
def test_a_limit_is_kept_and_its_edges_are_marked(seed: int, share: float) -> None:
    print_ = random_footprint(seed)
    limited = limited_in_part(print_, share)
    found = found_for(print_, limited=limited)
    assert found.memory is not None
    assert found.memory.limited is limited
    assert found.memory.footprint.dag is found.dag is limited.dag
    assert found.memory.analysis.worst.bound <= limited.limit
    assert true_worst_peak(limited.footprint) <= limited.limit
    assert found.memory.before.worst.bound == eligo.worst_peak(print_).bound
    new = np.flatnonzero(found.added)
    marked = set(zip(found.dag.tails[new].tolist(), found.dag.heads[new].tolist(), strict=True))
    assert marked == set(zip(limited.tails.tolist(), limited.heads.tolist(), strict=True))
    assert marked == edges_of(found.dag) - edges_of(print_.dag)
    assert len(found.added) == found.dag.m
    for strategy in found.strategies:
        assert strategy.peak is not None
        assert strategy.peak <= limited.limit
        assert strategy.use is not None
        assert strategy.use.peak <= limited.limit
        assert_is_execution(strategy, found.workers)


def test_a_limit_that_is_no_limit_adds_nothing() -> None:
    print_ = footprint(generate.mesh(3), "pebble")
    found = found_for(print_, limited=limit(print_, 100))
    assert not found.added.any()
    assert found.dag == print_.dag


# What is passed on, and hardly anything at all.


def test_what_is_passed_on() -> None:
    dag = Dag.from_names([("a", "b")])
    recorded = Recorded(Trace.of(dag, [0, 1], [1, 2]), [2, 2], "local")
    told: list[str] = []
    found = find(dag, Wish(), path="x.dag", format="DAGMan", recorded=recorded, on_progress=told.append)
    assert (found.path, found.format, found.recorded, found.simulation) == ("x.dag", "DAGMan", recorded, None)
    assert told == ["orders", "strategy best", "strategy fifo"]


@pytest.mark.parametrize("jobs", [0, 1, 2])
@pytest.mark.parametrize("model", [None, *MODELS])
def test_hardly_any_jobs(jobs: int, model: str | None) -> None:
    dag = Dag.from_edges(jobs).with_known(temp_bytes=[3] * jobs)
    try:
        print_ = None if model is None else footprint(dag, model)
    except EligoError:
        return  # no sizes, or none that this model knows
    found = find(dag, Wish(STRATEGIES), footprint=print_)
    assert found.workers == 2
    assert not found.added.any()
    for strategy in found.strategies:
        assert strategy.trace.makespan_s == (1 if jobs else 0)
        assert_is_execution(strategy, 2)
        if print_ is not None:
            assert strategy.along is not None
            assert len(strategy.along) == jobs + 1
            assert found.memory is not None
            assert strategy.peak <= found.memory.analysis.worst.bound


def test_unknown_strategies_are_refused() -> None:
    with pytest.raises(EligoError, match="no strategy 'worst'"):
        find(Dag.from_edges(1), Wish(["worst"]))
