"""First in first out, last in first out, the longest path and chance: each is its definition."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, graph, read
from eligo.priority._strategies.plain_orders import critical_path, fifo, lifo, random_order, tie_ranks
from eligo.schedule import Schedule
from tests.reference import plain_orders_twin as plain
from tests.reference.condor_pool import need_pool, run_dag
from tests.strategies import dags


@given(dags(10, known=False))
@settings(max_examples=300)
def test_fifo_and_lifo_are_queue_and_stack(dag):
    assert fifo(dag).tolist() == plain.play(dag, plain.oldest)
    assert lifo(dag).tolist() == plain.play(dag, plain.newest)


@given(dags(10, known=False))
@settings(max_examples=200)
def test_sinks_might_as_well_take_part(dag):
    """Sinks change nothing for the others: with them in the queue the rest comes in the same order."""
    for order, choose in ((fifo(dag), plain.oldest), (lifo(dag), plain.newest)):
        everything = plain.play(dag, choose, sinks=True)
        inner = [job for job in everything if len(dag.children(job))]
        assert order.tolist()[: len(inner)] == inner


@given(dags(10), st.booleans())
@settings(max_examples=300)
def test_the_longest_path_goes_first(dag, whole):
    if whole and dag.time_s is not None:  # many ties, many zeros
        dag = dag.with_known(time_s=np.nan_to_num(dag.time_s) % 3 // 1)
    order = critical_path(dag)
    Schedule.of(dag, order)
    assert order.tolist() == plain.play(dag, plain.longest_ahead(dag))


def test_zero_times_still_give_an_order_of_the_dag():
    r"""All paths are equally long, and the numbers run against the edges: 3 -> 2 -> 1 -> 0."""
    chain = Dag.from_edges(4, [3, 2, 1], [2, 1, 0], time_s=[0, 0, 0, 0])
    assert critical_path(chain).tolist() == [3, 2, 1, 0]


@given(dags(10, known=False), st.integers(0, 2**32))
@settings(max_examples=200)
def test_random_orders_are_the_draws(dag, seed):
    draws = iter(np.random.default_rng(seed).random(dag.n).tolist())
    slots: list[int] = []

    def choose(eligible: list[int]) -> int:
        slots.extend(job for job in eligible if job not in slots)
        at = int(len(slots) * next(draws))
        job, slots[at] = slots[at], slots[-1]
        slots.pop()
        return job

    order = random_order(dag, seed)
    Schedule.of(dag, order)
    assert order.tolist() == plain.play(dag, choose)
    assert random_order(dag, np.random.default_rng(seed)).tolist() == order.tolist()


def test_every_order_has_its_chance():
    r"""0 frees 2 and 3; 1 stands beside; all four feed a sink.

    From the start 0 and 1 have the chance 1/2 each, then 1, 2, 3 have 1/3, and so on.
    """
    dag = Dag.from_edges(5, [0, 0, 1, 2, 3], [2, 3, 4, 4, 4])
    chance: dict[tuple[int, ...], Fraction] = {}

    def spread(done: tuple[int, ...], share: Fraction) -> None:
        ready = [job for job in range(4) if job not in done and set(dag.parents(job).tolist()) <= set(done)]
        if not ready:
            chance[done] = share
        for job in ready:
            spread((*done, job), share / len(ready))

    spread((), Fraction(1))
    rng = np.random.default_rng(0)
    runs = 12_000
    seen = Counter(tuple(random_order(dag, rng).tolist()[:4]) for _ in range(runs))
    assert seen.keys() == chance.keys()
    for order, share in chance.items():
        assert abs(seen[order] - runs * share) < 5 * (runs * share) ** 0.5


@given(dags(10))
@settings(max_examples=200)
def test_ties_go_to_the_longest_path_of_known_times(dag):
    ranks = tie_ranks(dag)
    preferred = sorted(range(dag.n), key=lambda job: (0 if dag.time_s is None else -plain.ahead(dag, job), job))
    assert np.argsort(ranks).tolist() == preferred
    assert ranks.dtype == np.int32


def test_a_rule_by_numbers_runs_on_the_relabelled_dag():
    """Two equal chains: the one that takes longer goes first."""
    dag = Dag.from_edges(["a", "b", "c", "d"], [0, 1], [2, 3], time_s=[1, 1, 1, 9])
    by_rank = np.argsort(tie_ranks(dag))
    other = graph.relabel(dag, by_rank)
    assert [other.names[job] for job in fifo(other)] == ["b", "a", "d", "c"]


def test_empty_dags_have_orders():
    empty, single = Dag.from_edges(0), Dag.from_edges(1)
    for rule in (fifo, lifo, critical_path, tie_ranks, lambda dag: random_order(dag, 1)):
        assert rule(empty).tolist() == []
        assert rule(single).tolist() == [0]


@pytest.mark.long
@pytest.mark.engine
def test_lifo_is_what_dagman_does_depth_first(tmp_path):
    need_pool()
    tmp_path.chmod(0o777)
    (tmp_path / "job.sub").write_text("universe = local\nexecutable = /bin/true\nlog = job.log\nqueue\n")
    (tmp_path / "deep.config").write_text("DAGMAN_SUBMIT_DEPTH_FIRST = True\nDAGMAN_USER_LOG_SCAN_INTERVAL = 1\n")
    file = tmp_path / "deep.dag"
    file.write_text(
        "CONFIG deep.config\n" + "".join(f"JOB {name} job.sub\n" for name in "abcd") + "PARENT a CHILD c d\n"
    )
    messages = run_dag(file, "-maxjobs", "1")
    dag = read(str(file))
    submitted = re.findall(r"Submitting (?:HTCondor )?Node (\w+) job", messages)
    assert submitted == [dag.names[job] for job in plain.play(dag, plain.newest, sinks=True)]
    inner = [name for name in submitted if len(dag.children(dag.index(name)))]
    assert [dag.names[job] for job in lifo(dag)][: len(inner)] == inner
