"""A trace is what can have happened: times, places, and an exact sequence where times are equal."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.trace import ANYWHERE, Trace, lanes_of
from tests.strategies import dags

NAN = math.nan


@st.composite
def runs(draw: st.DrawFn, dag: Dag) -> tuple[list[float], list[float], list[int]]:
    """Starts, ends and workers of an execution drawn job by job; many times are equal, many durations zero."""
    workers = draw(st.integers(1, 3))
    free = [0.0] * workers
    start, end, worker = [NAN] * dag.n, [NAN] * dag.n, [ANYWHERE] * dag.n
    for job in dag.order.tolist():
        place = draw(st.integers(0, workers - 1))
        ready = max((end[parent] for parent in dag.parents(job).tolist()), default=0.0)
        start[job] = max(ready, free[place]) + draw(st.sampled_from([0, 0, 1]))
        end[job] = free[place] = start[job] + draw(st.sampled_from([0, 0, 1, 2]))
        worker[job] = place
    return start, end, worker


def check(trace: Trace) -> None:
    """Replay the events on sets."""
    dag, now = trace.dag, -math.inf
    running: set[int] = set()
    over: set[int] = set()
    for event in trace.events.tolist():
        job = event if event >= 0 else ~event
        time = float(trace.start_s[job] if event >= 0 else trace.end_s[job])
        assert time >= now
        now = time
        if event >= 0:
            assert job not in running | over
            assert set(dag.parents(job).tolist()) <= over
            places = [trace.worker[other] for other in running if trace.worker[other] != ANYWHERE]
            assert trace.worker[job] not in places
            assert all(trace.end_s[other] > now or trace.start_s[other] == now for other in running)  # ends came first
            running.add(job)
        else:
            running.remove(job)
            over.add(job)
    assert over | running == set(np.flatnonzero(~np.isnan(trace.start_s)).tolist())


@given(st.data(), dags(9, known=False), st.booleans())
@settings(max_examples=300)
def test_any_execution_has_a_sequence(data, dag, placed):
    start, end, worker = data.draw(runs(dag))
    trace = Trace.of(dag, start, end, worker if placed else None)
    check(trace)
    again = Trace.of(dag, start, end, worker if placed else None, events=trace.events)
    assert again == trace == pickle.loads(pickle.dumps(trace))
    assert trace.event_times().tolist() == sorted(start + end)
    assert trace.makespan_s == (max(end) - min(start) if dag.n else 0)
    first, last = trace.places()
    assert all(trace.events[first[job]] == job and trace.events[last[job]] == ~job for job in range(dag.n))
    assert sorted(trace.order.tolist()) == list(range(dag.n))
    if placed and trace.makespan_s:
        busy = sum(b - a for a, b in zip(start, end, strict=True))
        assert trace.utilization == pytest.approx(busy / (max(worker) + 1) / trace.makespan_s)
    else:
        assert math.isnan(trace.utilization)


def test_ends_come_before_starts_and_jobs_without_duration_run():
    r"""1 -> 2 -> 3, where 2 takes no time, beside 0, which ends when 3 starts."""
    dag = Dag.from_edges(4, [1, 2], [2, 3])
    trace = Trace.of(dag, [0, 0, 2, 2], [2, 2, 2, 3])
    assert trace.events.tolist() == [0, 1, ~0, ~1, 2, ~2, 3, ~3]


def test_on_one_worker_jobs_without_duration_run_one_after_the_other():
    trace = Trace.of(Dag.from_edges(3), [1, 0, 0], [2, 0, 0], [0, 0, 0])
    assert trace.events.tolist() == [1, ~1, 2, ~2, 0, ~0]
    assert Trace.of(trace.dag, [1, 0, 0], [2, 0, 0]).events.tolist() == [1, 2, ~1, ~2, 0, ~0]


def test_jobs_may_not_have_run_or_not_have_ended():
    dag = Dag.from_edges(3, [0, 0], [1, 2])
    trace = Trace.of(dag, [0, 1, NAN], [1, NAN, NAN], [0, 0, 5], workers=2)
    assert trace.events.tolist() == [0, ~0, 1]
    assert trace.worker.tolist() == [0, 0, ANYWHERE]
    assert (repr(trace), trace.makespan_s, trace.utilization) == ("Trace(2 of 3 jobs, 1 s on 2 workers)", 1.0, 0.5)
    assert [place.tolist() for place in trace.places()] == [[0, 2, 3], [1, 3, 3]]


def test_the_empty_trace():
    trace = Trace.of(Dag.from_edges(0), [], [])
    assert (trace.makespan_s, len(trace.events), repr(trace)) == (0.0, 0, "Trace(0 jobs, 0 s)")
    assert Trace.of(Dag.from_edges(0), [], [], [], events=[]) == trace


def test_a_trace_never_changes():
    trace = Trace.of(Dag.from_edges(1), [0], [1], [0])
    for array in (trace.start_s, trace.end_s, trace.worker, trace.events):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    assert trace != 1
    assert trace != Trace.of(Dag.from_edges(1), [0], [2], [0])


def test_clocks_may_differ():
    dag = Dag.from_names([("a", "b")])
    trace = Trace.of(dag, [0, 1], [2, 3], [0, 0], measured=True)
    assert trace.events.tolist() == [0, 1, ~0, ~1]
    assert pickle.loads(pickle.dumps(trace)) == trace


PAIR = Dag.from_names([("a", "b")])
APART = Dag.from_names([], jobs=["a", "b"])


@pytest.mark.parametrize(
    ("dag", "values", "options", "message"),
    [
        (PAIR, ([0], [1, 2]), {}, "start_s has 1 entries for 2 jobs"),
        (PAIR, ([0, 1], [[1], [2]]), {}, "end_s has 2 entries"),
        (PAIR, ([0, 1], [1, math.inf]), {}, r"2\^62 seconds"),
        (PAIR, ([0, NAN], [1, 2]), {}, "'b' has an end but no start"),
        (PAIR, ([0, 3], [1, 2]), {}, "'b' ends before it starts"),
        (PAIR, ([0, 0], [1, 2]), {}, "'b' starts before 'a' has ended"),
        (PAIR, ([0, 1], [NAN, 2]), {}, "'b' starts before 'a' has ended"),
        (PAIR, ([NAN, 1], [NAN, 2]), {}, "'b' starts before 'a' has ended"),
        (APART, ([0, 1], [2, 3], [0, 0]), {}, "worker 0 runs 'a' and 'b' at the same time"),
        (APART, ([0, 1], [NAN, 3], [0, 0]), {}, "worker 0 runs 'a' and 'b' at the same time"),
        (APART, ([0, 1], [2, 3], [0]), {}, "worker has 1 entries"),
        (APART, ([0, 1], [2, 3], [0, -2]), {}, "whole numbers from 0 on"),
        (APART, ([0, 1], [2, 3], [0, 0.5]), {}, "whole numbers from 0 on"),
        (APART, ([0, 1], [2, 3], [0, 2]), {"workers": 2}, "worker 2, but there are only 2"),
        (APART, ([0, 1], [2, 3]), {"events": [0, ~0, 1]}, "one start and one end"),
        (APART, ([0, 1], [2, 3]), {"events": [0, ~0, 1, 1]}, "one start and one end"),
        (APART, ([0, 1], [2, 3]), {"events": [0, ~0, 2, ~2]}, "one start and one end"),
        (APART, ([0, 1], [2, 3]), {"events": [0.0, 1.0, -1.0, -2.0]}, "one start and one end"),
        (APART, ([0, 1], [2, 3]), {"events": [[0, 1], [~0, ~1]]}, "one start and one end"),
        (APART, ([0, 1], [2, 3]), {"events": [0, 1, ~0, -(2**62)]}, "one start and one end"),
        (APART, ([0, 1], [2, 3]), {"events": [0, ~0, 1, ~1]}, "order of their times"),
        (APART, ([0, 1], [0, 3]), {"events": [~0, 0, 1, ~1]}, "'a' ends before it starts"),
        (PAIR, ([0, 0], [0, 3]), {"events": [0, 1, ~0, ~1]}, "'b' starts before 'a' has ended"),
    ],
)
def test_what_cannot_have_happened_is_refused(dag, values, options, message):
    with pytest.raises(EligoError, match=message):
        Trace.of(dag, *values, **options)


def check_lanes(trace: Trace, most: int = 1_000) -> None:
    """Replay the events: whoever runs has a lane of their own."""
    lane, owner = lanes_of(trace, most)
    busy: dict[int, int] = {}
    widest = 0
    for event in trace.events.tolist():
        if event >= 0:
            assert lane[event] not in busy
            assert owner[lane[event]] in (ANYWHERE, trace.worker[event])
            if owner[lane[event]] == ANYWHERE:
                low = int(np.argmax(owner == ANYWHERE))
                assert all(below in busy for below in range(low, lane[event]))
            busy[int(lane[event])] = event
        else:
            assert busy.pop(int(lane[~event])) == ~event
        widest = max(widest, len(busy))
    assert np.array_equal(lane == ANYWHERE, np.isnan(trace.start_s))
    if np.all(owner == ANYWHERE):
        assert len(owner) == widest


@given(st.data(), dags(9, known=False), st.booleans())
def test_nothing_overlaps_in_a_lane(data, dag, placed):
    start, end, worker = data.draw(runs(dag))
    trace = Trace.of(dag, start, end, worker if placed else None)
    check_lanes(trace)
    check_lanes(trace, most=1)
    if trace.workers and not np.all(lanes_of(trace).worker == ANYWHERE):
        assert np.array_equal(lanes_of(trace).lane, trace.worker)
        assert np.array_equal(lanes_of(trace).worker, np.arange(trace.workers))


@given(st.data(), st.integers(1, 9))
def test_nothing_overlaps_in_a_lane_whatever_clocks_and_workers_say(data, n):
    numbers = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    start = np.array(data.draw(numbers), float)
    end = start + data.draw(numbers)
    worker = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    end[data.draw(numbers.map(np.array)) == 0] = NAN
    check_lanes(Trace.of(Dag.from_edges(n), start, end, worker, measured=True, workers=4))


def test_lanes_are_workers_who_stay():
    """Idle ones too; unknown ones below; two lanes for who runs two at once; visitors share."""
    apart = Dag.from_edges(3)
    stay = Trace.of(apart, [0, 1, 0], [1, 2, 2], [1, 1, -1], workers=3)
    assert [array.tolist() for array in lanes_of(stay)] == [[1, 1, 3], [0, 1, 2, ANYWHERE]]
    assert [array.tolist() for array in lanes_of(stay, most=2)] == [[0, 0, 1], [ANYWHERE] * 2]
    skewed = Trace.of(apart, [0, 1, 2], [2, 3, 3], [0, 0, 1], measured=True)
    assert [array.tolist() for array in lanes_of(skewed)] == [[0, 1, 2], [0, 0, 1]]
    visitors = Trace.of(apart, [0, 1, 2], [1, 2, 3], [0, 4, 9])
    assert [array.tolist() for array in lanes_of(visitors)] == [[0, 0, 0], [ANYWHERE]]
    assert [array.tolist() for array in lanes_of(Trace.of(apart, [NAN] * 3, [NAN] * 3))] == [[ANYWHERE] * 3, []]
    assert [array.tolist() for array in lanes_of(Trace.of(Dag.from_edges(0), [], []))] == [[], []]


@given(st.data(), dags(9, known=False))
def test_eligible_and_running_jobs_are_counted(data, dag):
    start, end, worker = data.draw(runs(dag))
    cut = data.draw(st.integers(0, 12))
    begun = [time if time <= cut else NAN for time in start]
    over = [time if time <= cut else NAN for time in end]
    trace = Trace.of(dag, begun, over, worker)
    eligible, running = trace.counts()
    started: set[int] = set()
    ended: set[int] = set()
    for i in range(len(trace.events) + 1):
        ready = {job for job in range(dag.n) if set(dag.parents(job).tolist()) <= ended}
        assert (eligible[i], running[i]) == (len(ready - started), len(started - ended))
        if i < len(trace.events):
            event = int(trace.events[i])
            (started if event >= 0 else ended).add(event if event >= 0 else ~event)


def test_who_starts_before_its_parents_by_other_clocks_was_never_eligible():
    trace = Trace.of(PAIR, [0, 1], [2, 3], measured=True)
    assert [count.tolist() for count in trace.counts()] == [[1, 0, 0, 0, 0], [0, 1, 2, 1, 0]]
