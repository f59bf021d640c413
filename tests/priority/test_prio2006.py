"""The heuristic of 2006 is that of the text, and always an order of the dag."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, EligoError, InfeasibleError, _core, graph
from eligo.generate import airsn, sdss
from eligo.priority import _priority_relation as priority_relation
from eligo.priority._strategies.plain_orders import fifo
from eligo.priority._strategies.prio import parts_2006, prio_2006
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.reference import decomposition
from tests.reference import prio2006_twin as plain
from tests.strategies import dags

UNBOUNDED = 2**62


def random_dag(rng: np.random.Generator, most_jobs: int) -> Dag:
    """Return a sparse dag without shortcuts, with edges of limited length, numbered at random."""
    n = int(rng.integers(2, most_jobs))
    m, longest = int(n * rng.uniform(0.5, 1.7)), int(rng.integers(1, n))
    tails = rng.integers(0, n - 1, m)
    heads = np.minimum(tails + rng.integers(1, longest + 1, m), n - 1)
    number = rng.permutation(n)
    return graph.remove_shortcuts(Dag.from_edges(n, number[tails], number[heads]))


@given(dags(11, known=False))
@settings(max_examples=400)
def test_it_is_the_heuristic_of_the_text(dag):
    dag = graph.remove_shortcuts(dag)
    order = prio_2006(dag)
    Schedule.of(dag, order)
    assert order.tolist() == plain.prio_2006(dag)


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_heuristic_of_the_text_on_sparse_dags(seed):
    rng = np.random.default_rng(seed)
    parts = 0
    for _ in range(150):
        dag = random_dag(rng, 24)
        assert prio_2006(dag).tolist() == plain.prio_2006(dag)
        parts += parts_2006(dag)[2]
    assert parts > 400  # else the superdag is never asked


@given(dags(11, known=False), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_which_minimal_set_is_detached_first_does_not_matter(dag, chance: random.Random):
    dag = graph.remove_shortcuts(dag)
    assert plain.prio_2006(dag, chance.choice) == plain.prio_2006(dag)


@given(dags(12, known=False))
@settings(max_examples=300)
def test_parts_are_those_of_the_text(dag):
    dag = graph.remove_shortcuts(dag)
    of, into, count = parts_2006(dag)
    ours = {
        (frozenset(np.flatnonzero(of == part).tolist()), frozenset(np.flatnonzero(into == part).tolist()))
        for part in range(count)
    }
    arcs = set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    found = [part for part in plain.decompose(dag.n, arcs) if part.arcs]
    assert ours == {(frozenset(part.nonsinks), frozenset(part.nonsources)) for part in found}
    assert {jobs for jobs, _ in ours} == {
        part.nonsinks for part in decomposition.decompose(dag, repaired=False) if part.nonsinks
    }
    kept = {(u, v) for u, v in arcs if of[u] == into[v]}
    assert kept == {arc for part in found for arc in part.arcs}
    assert [int(np.argmax(of == part)) for part in range(count)] == sorted({min(jobs) for jobs, _ in ours})


@given(dags(12, known=False))
@settings(max_examples=200)
def test_shortcuts_do_no_harm(dag):
    Schedule.of(dag, prio_2006(dag))


# What the errata and the paper say


def test_the_lost_arc_of_the_errata():
    r"""0->2,3; 1->3,5; 2->4,5; 4->6: the arc 2->4 is in no part.

    With 4 and 6 numbered first their part goes first among equals, and 4 comes before its parent.
    """
    dag = Dag.from_edges(7, [0, 0, 1, 1, 2, 2, 4], [2, 3, 3, 5, 4, 5, 6])
    of, into, count = parts_2006(dag)
    assert count == 2
    assert [(u, v) for u, v in zip(dag.tails, dag.heads, strict=True) if of[u] != into[v]] == [(2, 4)]
    other = graph.relabel(dag, [4, 6, 0, 1, 2, 3, 5])
    with pytest.raises(EligoError, match="stands before"):
        Schedule.of(other, plain.prio_2006(other, mended=False))
    Schedule.of(other, prio_2006(other))


def test_outdegree_counts_among_eligible_jobs():
    """0->3,4; 1->3; 2->4,5,6; 3->5,6: by outdegree alone 3 would come before its parent 1."""
    dag = Dag.from_edges(7, [0, 0, 1, 2, 2, 2, 3, 3], [3, 4, 3, 4, 5, 6, 5, 6])
    assert prio_2006(dag).tolist() == [2, 0, 1, 3, 4, 5, 6]


def test_fifo_can_be_better():
    """0->4,6; 1,2,3->5; 5->6: AREA 16; the queue of ELIGIBLE jobs has 17, and 18 with its sinks put off."""
    dag = Dag.from_edges(7, [0, 0, 1, 2, 3, 5], [4, 6, 5, 5, 5, 6])
    assert Schedule.of(dag, prio_2006(dag)).area == 16
    assert Schedule.of(dag, dag.order).area == 17
    assert Schedule.of(dag, fifo(dag)).area == 18


def test_airsn_gives_its_bottleneck_priority_753():
    dag = airsn(250)
    priorities = Schedule.of(dag, prio_2006(dag)).priorities
    assert priorities[dag.index("handle_20")] == 753


def test_the_example_of_the_paper():
    dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    schedule = Schedule.of(dag, prio_2006(dag))
    assert schedule.names == ["c", "a", "b", "d", "e"]
    assert schedule.priorities.tolist() == [4, 3, 5, 2, 1]


# Families of Fig. 2


def w_arcs(s: int, d: int) -> list[tuple[int, int]]:
    return [(i, i * (d - 1) + j) for i in range(s) for j in range(d)]


def n_arcs(s: int) -> list[tuple[int, int]]:
    return [(i, i) for i in range(s)] + [(i, i + 1) for i in range(s - 1)]


@pytest.mark.parametrize("seed", range(40))
def test_families_go_from_left_to_right(seed):
    rng = np.random.default_rng(seed)
    s, d, kind = int(rng.integers(2, 30)), int(rng.integers(2, 6)), "wmnc"[seed % 4]
    arcs = {
        "w": w_arcs(s, d),
        "m": [(v, u) for u, v in w_arcs(s, d)],
        "n": n_arcs(s),
        "c": [*n_arcs(s + 1), (s, 0)],
    }[kind]
    sources = 1 + max(u for u, _ in arcs)
    jobs = sources + 1 + max(v for _, v in arcs)
    number = rng.permutation(jobs)
    dag = Dag.from_edges(jobs, [number[u] for u, _ in arcs], [number[sources + v] for _, v in arcs])
    row = prio_2006(dag).tolist()[:sources]
    right = number[:sources].tolist()
    if kind == "n":
        assert row == right
    elif kind == "c":
        ring = right + right
        start = right.index(min(right))
        assert row == min(ring[start : start + sources], ring[start + sources : start : -1])
    else:  # the private sources of a sink of an M may stand in any order: ascending
        width = 1 if kind == "w" else d - 1
        assert row == min(ascending(right, width), ascending(right[::-1], width))


def ascending(row: list[int], width: int) -> list[int]:
    """Sort the sources that only one sink has, in the row of an M whose sinks have width + 1 parents each."""
    shared = set(row[width:-width:width]) if width > 1 else set(row)
    out, private = [], []
    for job in row:
        if job in shared:
            out += [*sorted(private), job]
            private = []
        else:
            private.append(job)
    return out + sorted(private)


# Priorities


PROFILES = st.lists(st.integers(1, 9), min_size=1, max_size=9)


def kernel(one: list[int], two: list[int], most: int = UNBOUNDED) -> Fraction:
    return Fraction(*_core.r_priority(np.array(one, np.int64), np.array(two, np.int64), most))


@given(PROFILES, PROFILES, st.integers(0, 30))
@settings(max_examples=400)
def test_priorities_are_the_definition(one, two, most):
    expected = min(plain.priority(one, two), Fraction(1))
    assert kernel(one, two) == expected
    assert 0 <= kernel(one, two, most) <= expected  # with too little work a lower bound


@pytest.mark.parametrize("seed", range(20))
def test_priorities_of_long_profiles(seed):
    rng = np.random.default_rng(seed)

    def profile() -> list[int]:
        gains = rng.choice([0, 0, 1, 2, 5], int(rng.integers(1, 400)), p=rng.dirichlet([1] * 5))
        if seed % 3:
            gains = np.sort(gains)[:: 1 if seed % 3 == 1 else -1]
        e = np.concatenate(([0], np.cumsum(gains))) - np.arange(len(gains) + 1)
        return (e - min(e.min(), 0) + rng.integers(1, 50)).tolist()

    one, two = profile(), profile()
    for a, b in ((one, two), (two, one), (one, one)):
        assert kernel(a, b) == priority_relation.r_priority(a, b)


# Size


def blocks_of_many_shapes(count: int, sources: int) -> Dag:
    """Return random bipartite dags side by side, each connected; nearly all have profiles of their own."""
    rng = np.random.default_rng(0)
    tails, heads = [], []
    for start in range(0, count * 2 * sources, 2 * sources):
        path = np.arange(sources)
        tails += [start + path, start + path[1:], start + rng.integers(0, sources, 2 * sources)]
        heads += [start + sources + path, start + sources + path[:-1], start + sources + np.tile(path, 2)]
    return Dag.from_edges(count * 2 * sources, np.concatenate(tails), np.concatenate(heads))


def test_the_budget_bounds_the_work_and_says_so():
    dag = blocks_of_many_shapes(60, 12)
    order = prio_2006(dag)
    Schedule.of(dag, order)
    with pytest.raises(InfeasibleError, match="more than the 100 steps") as caught:
        prio_2006(dag, budget=100)
    assert "prio or area" in caught.value.hint
    least = next(budget for budget in (2**k for k in range(30)) if not fails(dag, budget))
    assert all(fails(dag, least // 2) and not fails(dag, least) for _ in range(3))
    assert np.array_equal(prio_2006(dag, least), order)


def fails(dag: Dag, budget: int) -> bool:
    try:
        prio_2006(dag, budget)
    except InfeasibleError:
        return True
    return False


def test_large_dags_do_not_take_for_ever():
    rng = np.random.default_rng(0)
    tails = rng.integers(0, 59_999, 150_000)
    heads = tails + 1 + (rng.random(150_000) * (59_999 - tails)).astype(np.int64)
    with no_hang():
        for dag in (
            sdss(48_013),
            airsn(20_000),
            graph.remove_shortcuts(Dag.from_edges(60_000, tails, heads)),
            Dag.from_edges(100_000, np.arange(99_999), np.arange(1, 100_000)),
            blocks_of_many_shapes(2, 20_000),
        ):
            Schedule.of(dag, prio_2006(dag))
