"""A schedule's numbers equal those of the game played on sets."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag
from eligo.errors import EligoError
from eligo.schedule import Schedule
from tests.strategies import dags


@st.composite
def orders(draw: st.DrawFn, dag: Dag) -> list[int]:
    """An order drawn job by job from the ELIGIBLE ones."""
    executed: list[int] = []
    while len(executed) < dag.n:
        executed.append(draw(st.sampled_from(eligible(dag, executed))))
    return executed


def eligible(dag: Dag, executed: list[int]) -> list[int]:
    return [v for v in range(dag.n) if v not in executed and set(dag.parents(v).tolist()) <= set(executed)]


@given(st.data(), dags(9, known=False))
@settings(max_examples=300)
def test_numbers_equal_the_game_on_sets(data, dag):
    order = data.draw(orders(dag))
    schedule = Schedule.of(dag, order)
    prefixes = [order[:t] for t in range(dag.n + 1)]
    profile = [len(eligible(dag, executed)) for executed in prefixes]
    opened = [sum(not set(dag.children(v).tolist()) <= set(executed) for v in executed) for executed in prefixes]
    assert schedule.profile.tolist() == profile
    assert schedule.open_jobs.tolist() == opened
    assert schedule.area == sum(profile)
    assert schedule.memory_cost == max(opened)
    assert sorted(schedule.priorities.tolist()) == list(range(1, dag.n + 1))
    assert [schedule.priorities[v] for v in order] == list(range(dag.n, 0, -1))
    assert schedule.names == [dag.names[v] for v in order]
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert Schedule.of_names(dag, schedule.names) == schedule


@given(st.data(), dags(8, known=False))
@settings(max_examples=150)
def test_comparison_is_step_by_step(data, dag):
    one, two = (Schedule.of(dag, data.draw(orders(dag))) for _ in range(2))
    steps = [a - b for a, b in zip(one.profile.tolist(), two.profile.tolist(), strict=True)]
    found = one.compare(two)
    assert found.difference.tolist() == steps
    assert (found.ahead, found.behind) == (sum(d > 0 for d in steps), sum(d < 0 for d in steps))
    assert found.area == one.area - two.area == sum(steps)
    assert (found.largest_lead, found.largest_lag) == (max(0, *steps), max(0, *(-d for d in steps)))
    assert found.nowhere_behind == all(d >= 0 for d in steps)
    assert found.same == (steps == [0] * len(steps))


@given(st.data(), dags(7, known=False))
@settings(max_examples=150)
def test_whatever_is_no_order_is_refused(data, dag):
    jobs = range(dag.n)
    order = data.draw(
        st.permutations(jobs) | st.lists(st.sampled_from(jobs), max_size=dag.n + 1) if dag.n else st.just([])
    )
    right = sorted(order) == list(range(dag.n)) and all(
        order.index(u) < order.index(v) for u, v in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)
    )
    if right:
        Schedule.of(dag, order)
    else:
        with pytest.raises(EligoError):
            Schedule.of(dag, order)


def test_messages_name_the_job():
    dag = Dag.from_names([("a", "b"), ("c", "b")])
    for order, text in (
        (["a", "b", "c"], "'b' stands before 'c'"),
        (["a", "a", "c"], "'a' stands twice"),
        (["a", "c"], "'b' is missing"),
    ):
        with pytest.raises(EligoError, match=text):
            Schedule.of_names(dag, order)
    with pytest.raises(EligoError, match="3 and 2 jobs"):
        Schedule.of_names(dag, ["a", "c", "b"]).compare(Schedule.of(Dag.from_edges(2), [0, 1]))


def test_the_empty_dag_has_an_empty_schedule():
    schedule = Schedule.of(Dag.from_edges(0), [])
    assert (schedule.profile.tolist(), schedule.area, schedule.memory_cost) == ([0], 0, 0)


def test_errata_example_of_areas():
    """ERRATA (h): 0->4,6; 1,2,3->5; 5->6 has AREA 17 under FIFO and 16 under PRIO as printed."""
    dag = Dag.from_edges(7, [0, 0, 1, 2, 3, 5], [4, 6, 5, 5, 5, 6])
    assert Schedule.of(dag, dag.order).area == 17
    assert Schedule.of(dag, [1, 2, 3, 0, 5, 4, 6]).area == 16
