"""The Dag: what it accepts, what it refuses, and that its arrays agree with the edges it was given."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eligo import CycleError, Dag, Data, EligoError
from eligo.dag import OUTSIDE, UNKNOWN
from tests.reference import graphs as reference
from tests.strategies import NAMES, dags, edge_sets


def edges_of(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


@given(edge_sets(cyclic=True))
@settings(max_examples=500)
@example((3, [(0, 1), (1, 2), (2, 0)]))
@example((1, [(0, 0)]))
def test_acyclic_or_a_shortest_cycle(case):
    n, pairs = case
    edges = set(pairs)
    if reference.is_acyclic(n, edges):
        dag = Dag.from_edges(n, [u for u, _ in pairs], [v for _, v in pairs])
        assert edges_of(dag) == edges
        assert dag.m == len(edges)
        assert dag.order.tolist() == reference.fifo_order(n, edges)
        return
    with pytest.raises(CycleError) as caught:
        Dag.from_edges(n, [u for u, _ in pairs], [v for _, v in pairs])
    cycle = [int(name) for name in caught.value.cycle]
    assert len(cycle) == reference.shortest_cycle_length(n, edges)
    assert reference.is_path((*cycle, cycle[0]), edges)
    assert cycle[0] == min(cycle)


@given(edge_sets())
@settings(max_examples=500)
def test_rows_are_sorted_and_mirror_each_other(case):
    n, pairs = case
    dag = Dag.from_edges(n, [u for u, _ in pairs], [v for _, v in pairs])
    for v in range(n):
        assert dag.children(v).tolist() == sorted({b for a, b in pairs if a == v})
        assert dag.parents(v).tolist() == sorted({a for a, b in pairs if b == v})


def test_a_long_cycle_is_cut_short_in_its_message():
    n = 100
    with pytest.raises(CycleError) as caught:
        Dag.from_edges(n, range(n), [(v + 1) % n for v in range(n)])
    assert len(caught.value.cycle) == n
    assert "(100 jobs)" in str(caught.value)


def test_the_cycle_is_the_shortest_even_behind_a_long_one():
    """0 -> 1 -> ... -> 49 -> 0, and 60 <-> 61 below it."""
    ring = [(v, (v + 1) % 50) for v in range(50)]
    pairs = [*ring, (49, 60), (60, 61), (61, 60)]
    with pytest.raises(CycleError) as caught:
        Dag.from_edges(62, [u for u, _ in pairs], [v for _, v in pairs])
    assert caught.value.cycle == ("60", "61")


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 12])
def test_the_cycle_is_the_shortest_beside_a_ring_too_long_to_search(length):
    """A ring of 100,000, from each job of which searching round would take 10^10 steps, then a ring of a few."""
    long = 100_000
    rings = [np.arange(long), long + np.arange(length)]
    turned = [np.roll(ring, -1) for ring in rings]
    with pytest.raises(CycleError) as caught:
        Dag.from_edges(long + length, np.concatenate(rings), np.concatenate(turned))
    assert caught.value.cycle == tuple(map(str, rings[1]))


@given(st.integers(3, 40), st.lists(st.tuples(st.integers(0, 39), st.integers(2, 39)), max_size=3), st.randoms())
@settings(max_examples=150)
def test_shortest_cycles_of_every_length(n, chords, random):
    """A ring with a few chords; random edges alone almost never leave a shortest cycle longer than three."""
    place = random.sample(range(n), n)
    edges = {(place[v], place[(v + 1) % n]) for v in range(n)}
    edges |= {(place[v % n], place[(v + skip) % n]) for v, skip in chords}
    with pytest.raises(CycleError) as caught:
        Dag.from_edges(n, [u for u, _ in edges], [v for _, v in edges])
    assert len(caught.value.cycle) == reference.shortest_cycle_length(n, edges)


@given(st.lists(st.tuples(NAMES, NAMES), max_size=10), st.lists(NAMES, max_size=5))
def test_from_names_numbers_by_first_mention(pairs, jobs):
    pairs = [(a, b) for a, b in pairs if a < b]
    dag = Dag.from_names(pairs, jobs)
    assert list(dag.names) == list(dict.fromkeys([*jobs, *(name for pair in pairs for name in pair)]))
    assert {(dag.names[u], dag.names[v]) for u, v in edges_of(dag)} == set(pairs)
    assert all(dag.index(name) == i for i, name in enumerate(dag.names))


@given(dags(names=NAMES))
def test_equality_sees_every_field(dag):
    assert dag == dag.with_known()
    assert dag != dag.with_known(time_s=np.full(dag.n, 12345.0)) or dag.n == 0
    assert (dag == dag.with_known(data=None)) == (dag.data is None)
    assert dag != object()
    with pytest.raises(TypeError):
        hash(dag)


def test_arrays_cannot_be_changed():
    dag = Dag.from_edges(2, [0], [1], time_s=[1, 2], data=Data.per_edge([0], [1], [5]))
    for array in (dag.succ, dag.succ_ptr, dag.pred, dag.pred_ptr, dag.order, dag.time_s, dag.data.size_bytes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        dag.names = ()


@given(dags(names=NAMES))
def test_copies_are_equal_and_as_unchangeable(dag):
    for copied in (pickle.loads(pickle.dumps(dag)), copy.deepcopy(dag)):
        assert copied == dag
        assert copied.order.tolist() == dag.order.tolist()
        arrays = [copied.succ, copied.pred, copied.order, copied.time_s, copied.data and copied.data.readers]
        assert not any(array.flags.writeable for array in arrays if array is not None)


def test_callers_arrays_stay_writable():
    sizes, times = np.array([5]), np.array([1.0, 2.0])
    Dag.from_edges(2, [0], [1], time_s=times, data=Data.per_edge(np.array([0]), np.array([1]), sizes))
    sizes[0], times[0] = 6, 3


def test_what_a_caller_does_to_its_arrays_later_changes_nothing():
    sizes, producer = np.array([5]), np.array([0], np.int32)
    data = Data.build(sizes, producer, [[1]])
    sizes[0], producer[0] = 6, 1
    assert (data.size_bytes.tolist(), data.producer.tolist()) == ([5], [0])


def test_a_copy_with_other_names_leaves_the_first_alone():
    dag = Dag.from_names([("a", "b")])
    copy = dataclasses.replace(dag, names=("x", "y"))
    assert ("x" in dag, "a" in copy, copy.index("x"), dag.index("a")) == (False, False, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"jobs": ["a", "b", "a"]}, "two jobs are called 'a'"),
        ({"jobs": [1, 2]}, "job names must be text"),
        ({"jobs": -1}, "must not be negative"),
        ({"jobs": 2, "tails": np.array([2**32]), "heads": [1]}, "no job number 4294967296"),
        ({"jobs": 2, "tails": [0], "heads": [2]}, "no job number 2: jobs are numbered 0 to 1"),
        ({"jobs": 2, "tails": [-1], "heads": [0]}, "no job number -1"),
        ({"jobs": 2, "tails": [0, 1], "heads": [1]}, "2 tails but 1 heads"),
        ({"jobs": 2, "tails": [0.5], "heads": [1]}, "flat list of whole numbers"),
        ({"jobs": 2, "time_s": [1]}, "time_s has 1 entries for 2 jobs"),
        ({"jobs": 1, "time_s": [-1]}, "not negative"),
        ({"jobs": 1, "time_s": [float("inf")]}, "finite"),
        ({"jobs": 1, "time_s": [2.0**62]}, "below 2.62 seconds"),
        ({"jobs": 1, "temp_bytes": [-2]}, "temp_bytes must lie between"),
        ({"jobs": 1, "memory_bytes": [2**62]}, "memory_bytes must lie between"),
        ({"jobs": 1, "count": [-1]}, "counts must not be negative"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        Dag.from_edges(**arguments)


def raw_data(reader_ptr: list[int], readers: list[int]) -> Data:
    """Data of job 0, put together without the help of ``Data.build``."""
    k = len(reader_ptr) - 1
    return Data(np.ones(k, np.int64), np.zeros(k, np.int32), np.array(reader_ptr), np.array(readers, np.int32))


@given(st.lists(st.lists(st.integers(0, 5)), max_size=5))
def test_the_rows_of_readers_that_build_makes_are_those_that_data_accepts(rows):
    data = Data.build([1] * len(rows), [OUTSIDE] * len(rows), rows)
    assert [data.readers_of(d).tolist() for d in range(data.k)] == [sorted(set(row)) for row in rows]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: Data.build([1], [3], [[0]]), "producer is not a job"),
        (lambda: Data.build([1], [0], [[3]]), "reader is not a job"),
        (lambda: Data.build([1], [0], [[0]]), "does not depend on it"),
        (lambda: Data.build([1], [1], [[0]]), "'0' reads a datum of job '1' but does not depend on it"),
        (lambda: Data.build([1, 2], [0], [[1]]), "same number of data"),
        (lambda: Data.build([-2], [0], [[1]]), "size_bytes must lie between"),
        (lambda: Data.build([1], [0], [[1]], names=["a", "b"]), "names must describe"),
        (lambda: Data.build([1], np.array([2**32]), [[1]]), "no job number 4294967296"),
        (lambda: Data.per_edge([0], np.array([2**32 + 1]), [1]), "no job number 4294967297"),
        (lambda: raw_data([1, 2], [0, 1]), "reader_ptr must rise"),
        (lambda: raw_data([0, 2, 1, 2], [1, 2]), "reader_ptr must rise"),
        (lambda: raw_data([0, 2], [2, 1]), "must ascend"),
        (lambda: raw_data([0, 1, 3], [1, 2, 2]), "must ascend"),
    ],
)
def test_refuses_data(data, message):
    with pytest.raises(ValueError, match=message):
        Dag.from_edges(3, [0, 1], [1, 2], data=data())


def test_a_reader_may_be_a_distant_descendant():
    data = Data.build([10, 3], [0, OUTSIDE], [[2], [0, 2]])
    dag = Dag.from_edges(3, [0, 1], [1, 2], data=data)
    assert dag.data.readers_of(0).tolist() == [2]


def test_all_unknown_is_the_same_as_not_given():
    dag = Dag.from_edges(2, time_s=[np.nan] * 2, temp_bytes=[UNKNOWN] * 2, count=[1, 1])
    assert dag == Dag.from_edges(2)


def test_unknown_name():
    with pytest.raises(EligoError, match="no job called 'x'"):
        Dag.from_edges(1).index("x")
