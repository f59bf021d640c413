"""Who reads and writes which file: against a plain-Python twin, and the rules one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data
from eligo.formats import _data_edges as data_edges
from eligo.formats._data_edges import FileUses, TooManyPairsError
from tests.reference import file_uses as twin
from tests.strategies import edge_sets


@st.composite
def workflows(draw: st.DrawFn) -> tuple[int, set[tuple[int, int]], list[twin.Use]]:
    n, edges = draw(edge_sets(max_jobs=7))
    if n == 0:
        return 0, set(), []
    use = st.tuples(
        st.integers(0, n - 1), st.sampled_from("rw"), st.sampled_from("abcd"), st.none() | st.integers(-2, 3)
    )
    return n, set(edges), draw(st.lists(use, max_size=20))


def collect(uses: list[twin.Use]) -> FileUses:
    made = FileUses()
    for job, kind, file, size in uses:
        (made.reads if kind == "r" else made.writes)(job, file, size)
    return made


def rows(data: Data | None) -> list[tuple[int, str, int, list[int]]]:
    if data is None:
        return []
    return [
        (int(data.producer[d]), data.name_of(d), int(data.size_bytes[d]), data.readers_of(d).tolist())
        for d in range(data.k)
    ]


@given(workflows())
def test_equals_the_twin(workflow):
    n, edges, uses = workflow
    made = collect(uses)
    tails, heads = made.implied()
    assert list(zip(tails.tolist(), heads.tolist(), strict=True)) == sorted(twin.implied(uses))
    dag = Dag.from_edges(n, [tail for tail, _ in edges], [head for _, head in edges])
    expected, left_out = twin.data(n, edges, uses)
    data = made.data(dag)
    assert rows(data) == expected
    assert made.left_out == left_out
    dag.with_known(data=data)  # the Dag's own check accepts it: no reader comes before its producer


@given(workflows())
def test_order_of_statements_matters_only_for_sizes(workflow):
    n, edges, uses = workflow
    plain = [(job, kind, file, None) for job, kind, file, _ in uses]
    dag = Dag.from_edges(n, [tail for tail, _ in edges], [head for _, head in edges])
    assert rows(collect(plain).data(dag)) == rows(collect(plain[::-1]).data(dag))


def test_the_producers_size_counts_else_the_first():
    made = FileUses()
    made.reads(1, "made", 7)
    made.writes(0, "made", 5)
    made.reads(1, "given", 3)
    made.reads(0, "given", 4)
    made.states("given", 9)
    data = made.data(Dag.from_edges(2, [0], [1]))
    assert rows(data) == [(OUTSIDE, "given", 3, [0, 1]), (0, "made", 5, [1])]
    assert made.conflicting == 2


def test_a_negative_size_is_unknown_and_no_conflict():
    made = FileUses()
    made.writes(0, "f", -1)
    made.reads(1, "f", -7)
    assert made.data(Dag.from_edges(2, [0], [1])).size_bytes.tolist() == [UNKNOWN]
    assert (made.negative, made.conflicting) == (1, 0)


def test_each_producer_has_its_copy():
    r"""
    0   1      both write f; 2 depends on 0 only, 3 on both, 4 on none
    |\ /
    2 3    4
    """
    made = FileUses()
    for job in (0, 1):
        made.writes(job, "f", 10 + job)
    for job in (2, 3, 4):
        made.reads(job, "f")
    data = made.data(Dag.from_edges(5, [0, 0, 1], [2, 3, 3]))
    assert rows(data) == [(0, "f", 10, [2, 3]), (1, "f", 11, [3])]
    assert made.left_out == 1


def test_only_pairs_that_could_be_joined_are_missing():
    """A chain of jobs that each change a log: that a later one writes what an earlier one read is no dependency."""
    made = FileUses()
    for job in (0, 1, 2):
        made.reads(job, "log")
        made.writes(job, "log")
    made.reads(3, "log")
    assert made.data(Dag.from_edges(4, [0, 1], [1, 2])).k == 4
    assert made.unjoined == 3  # job 3 with each of the others
    assert made.left_out == 1


def test_a_job_does_not_feed_itself():
    made = FileUses()
    for job in (0, 1):
        made.reads(job, "log", 5)
        made.writes(job, "log", 6)
    assert rows(made.data(Dag.from_edges(2, [0], [1]))) == [
        (OUTSIDE, "log", 5, [0]),
        (0, "log", 6, [1]),
        (1, "log", 6, []),
    ]
    assert made.left_out == 0


def test_listed_files_are_no_data():
    made = FileUses()
    made.states("catalogue entry", 5)
    assert made.data(Dag.from_edges(1)) is None


def test_names_are_restored_or_withheld():
    made = FileUses()
    made.writes(0, "b_2")
    made.writes(0, "c")
    dag = Dag.from_edges(1)
    assert made.data(dag, original={"b_2": "z"}).names == ("c", "z")
    assert made.data(dag, named=False).names is None


def test_crowds_are_not_enumerated(monkeypatch):
    """A file that all jobs read and write implies n^2 dependencies; the declared ones stay usable without it."""
    monkeypatch.setattr(data_edges, "MAX_PAIRS", 1000)
    made = FileUses()
    for job in range(100):
        made.reads(job, "everyone's")
        made.writes(job, "everyone's")
    made.writes(0, "plain")
    made.reads(1, "plain")
    with pytest.raises(TooManyPairsError, match="10,001 dependencies"):
        made.implied()
    data = made.data(Dag.from_edges(100, np.arange(99), np.arange(1, 100)))
    assert data.names == ("plain",)
    assert made.crowded == 1
