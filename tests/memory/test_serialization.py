"""The methods of serialisation, step by step and from a schedule."""

from __future__ import annotations

import numpy as np
import pytest

from eligo import _core
from eligo.dag import Dag
from eligo.graph import reachable
from eligo.memory._footprint import Ends, Footprint, compiled, data_ends
from eligo.memory._models import MODELS
from eligo.memory._sequential import peak_of, sequential
from eligo.memory._serialization import RULES, Pairs, edges_of, from_schedule, needed_only, step_by_step, work_of
from eligo.memory._worst_peak import worst_peak
from tests.memory.footprints import random_footprint
from tests.reference.memory_states import least_peak, true_worst_peak
from tests.reference.safe_schedule_twin import handed_on_within, safe_schedule

BUDGET = 10**8


def urgency_of(print_: Footprint) -> np.ndarray:
    dag = print_.dag
    return _core.longest_paths(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]), work_of(dag))


def add_pairs(print_: Footprint, ends: Ends, pairs: Pairs) -> tuple[Dag, np.ndarray, np.ndarray]:
    tails, heads = needed_only(print_.dag, *edges_of(print_, ends, pairs))
    return print_.dag.with_edges(tails, heads), tails, heads


def limits(print_: Footprint) -> list[int]:
    """Return limits that some order keeps, from the tightest to the loosest that still asks for something."""
    low, high = least_peak(print_), worst_peak(print_, trials=0).bound
    return sorted({low, (low + high) // 2, high - 1} - set(range(low)))


@pytest.mark.parametrize("model", MODELS)
def test_the_safe_schedule_is_its_twin(model: str) -> None:
    for seed in range(150):
        print_ = random_footprint(seed, 7, model)
        order = sequential(print_).order
        for most in {peak_of(print_, order), (peak_of(print_, order) + worst_peak(print_, trials=0).bound) // 2}:
            urgency, work = urgency_of(print_), work_of(print_.dag)
            release = np.random.default_rng(seed).choice([0.0, 1.0, 3.0], print_.dag.n)
            events = compiled(print_, data_ends(print_)).safe_schedule(
                order, work, urgency, release, most - print_.base
            )
            expected = safe_schedule(print_, order.tolist(), work, urgency=urgency, release=release, limit=most)
            assert events.tolist() == expected, seed
            assert handed_on_within(print_, events.tolist(), most)


@pytest.mark.parametrize("model", MODELS)
def test_handing_on_keeps_the_limit_and_the_schedules_length(model: str) -> None:
    for seed in range(200):
        print_ = random_footprint(seed, 7, model)
        ends, order = data_ends(print_), sequential(print_).order
        for most in limits(print_):
            if peak_of(print_, order) > most:
                continue
            at_once = np.zeros(print_.dag.n)
            pairs = from_schedule(print_, ends, most, order=order, urgency=urgency_of(print_), release=at_once)
            assert pairs.state == "within"
            dag, tails, heads = add_pairs(print_, ends, pairs)
            assert true_worst_peak(print_.on(dag)) <= most, seed
            kernel = compiled(print_, ends)
            events = kernel.safe_schedule(order, work_of(dag), urgency_of(print_), at_once, most - print_.base).tolist()
            when = {event: at for at, event in enumerate(events)}
            freed = 0 if print_.rules.one_event else print_.dag.n  # the simple model frees at the start
            assert all(when[freed + u] < when[v] for u, v in zip(tails.tolist(), heads.tolist(), strict=True))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("batch", [1, 3])
def test_steps_end_within_the_limit_or_are_stuck(rule: str, batch: int) -> None:
    stuck = 0
    for seed in range(400):
        print_ = random_footprint(seed, 7)
        ends, order = data_ends(print_), sequential(print_).order
        for most in limits(print_):
            if rule == "respect-order" and peak_of(print_, order) > most:
                continue
            pairs = step_by_step(print_, ends, most, rule, order=order, batch=batch, budget=BUDGET)
            if pairs.state == "stuck":
                stuck += 1
                continue
            dag, _, _ = add_pairs(print_, ends, pairs)
            assert true_worst_peak(print_.on(dag)) <= most, seed
    assert stuck == 0 if rule == "respect-order" else stuck < 200


def test_respect_order_adds_only_what_the_order_allows() -> None:
    for seed in range(100):
        print_ = random_footprint(seed, 7)
        order = sequential(print_).order
        place = np.argsort(order)
        pairs = step_by_step(
            print_, data_ends(print_), peak_of(print_, order), "respect-order", order=order, batch=1, budget=BUDGET
        )
        dag, tails, heads = add_pairs(print_, data_ends(print_), pairs)
        assert np.all(place[tails] < place[heads])
        assert peak_of(print_, order) == peak_of(print_.on(dag), order)


def test_the_first_pair_of_min_levels_is_the_best_of_all() -> None:
    """Compared with every pair of a started and an unended job without a path, on the simple model."""
    compared = 0
    for seed in range(300):
        print_ = random_footprint(seed, 7, "simple")
        worst = worst_peak(print_, trials=0)
        dag = print_.dag
        if not print_.rules.one_event or worst.bound <= least_peak(print_):
            continue
        _, job, _, later, _, _, _ = compiled(print_, worst.ends).serialize(
            work_of(dag), worst.bound - 1 - print_.base, RULES["min-levels"], dag.order, 1, BUDGET
        )
        if not len(job):
            continue
        finish = _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, work_of(dag))
        top, bottom = finish - work_of(dag), urgency_of(print_)
        state = compiled(print_, worst.ends).worst_state()
        smallest, largest = state[4].astype(bool), state[5].astype(bool)
        pairs = [
            (top[u] + bottom[v], u, v)
            for u in np.flatnonzero(~largest).tolist()
            for v in np.flatnonzero(smallest).tolist()
            if not reachable(dag, v, u)[0]
        ]
        if pairs:
            assert top[job[0]] + bottom[later[0]] == min(pairs)[0], seed
            compared += 1
    assert compared > 50


def test_a_budget_ends_the_search() -> None:
    print_ = random_footprint(5, 7, "pebble")
    pairs = step_by_step(print_, data_ends(print_), 0, "min-levels", batch=1, budget=0)
    assert pairs.state == "gave up"


def test_edges_that_follow_from_others_are_left_out() -> None:
    print_ = random_footprint(3, 7, "pebble")
    n = print_.dag.n
    order = print_.dag.order
    everything = [(int(order[i]), int(order[j])) for i in range(n) for j in range(i + 1, n)]
    pairs = Pairs(
        np.array([u for u, _ in everything], np.int32),
        np.full(len(everything), -1, np.int32),
        np.array([v for _, v in everything], np.int32),
    )
    dag, tails, heads = add_pairs(print_, data_ends(print_), pairs)
    joined = set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    assert {(int(order[i]), int(order[i + 1])) for i in range(n - 1)} <= joined
    assert len(tails) == len(heads) <= n - 1
