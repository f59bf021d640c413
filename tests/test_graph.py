"""The verbs on dags agree with their plain twins, and with each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, Data, _core, graph
from eligo.dag import OUTSIDE
from tests.reference import graphs as reference
from tests.strategies import NAMES, dags, edge_sets


def edges_of(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def build(case) -> Dag:
    n, pairs = case
    return Dag.from_edges(n, [u for u, _ in pairs], [v for _, v in pairs])


@given(edge_sets(12))
@settings(max_examples=500)
def test_shape_agrees_with_the_twins(case):
    n, pairs = case
    edges = set(pairs)
    dag = build(case)
    assert graph.levels(dag).tolist() == reference.levels(n, edges)
    assert graph.heights(dag).tolist() == reference.levels(n, {(v, u) for u, v in edges})
    assert graph.components(dag).tolist() == reference.components(n, edges)
    assert graph.sources(dag).tolist() == [v for v in range(n) if not any(b == v for _, b in edges)]
    assert graph.sinks(dag).tolist() == [v for v in range(n) if not any(a == v for a, _ in edges)]
    every = np.arange(n, dtype=np.int32)
    joined = _core.has_edge(dag.succ_ptr, dag.succ, np.repeat(every, n), np.tile(every, n))
    assert joined.tolist() == [(v, w) in edges for v in range(n) for w in range(n)]
    reached = reference.reach(n, edges)
    first, second = [v for v in range(n) for _ in range(n)], list(range(n)) * n
    assert graph.reachable(dag, first, second).tolist() == [w in reached[v] for v in range(n) for w in range(n)]


def random_dag(rng: np.random.Generator, n: int, m: int, span: int) -> Dag:
    """Edges that skip up to `span` jobs of a hidden order, so that shortcuts of every length occur."""
    tail = rng.integers(0, n - 1, m)
    head = np.minimum(tail + rng.integers(1, span + 1, m), n - 1)
    keep = tail < head
    place = rng.permutation(n)
    return Dag.from_edges(n, place[tail[keep]], place[head[keep]])


def found(dag: Dag, searches: int) -> set[tuple[int, int]]:
    """The kernel's shortcuts under a budget for searches; with 0, landmarks and bit sweeps must decide all."""
    mask = _core.shortcuts(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, searches).view(np.bool_)
    return set(zip(dag.tails[mask].tolist(), dag.heads[mask].tolist(), strict=True))


@given(edge_sets(10), st.integers(0, 3))
@settings(max_examples=600)
def test_shortcuts_agree_with_the_twin(case, searches):
    dag = build(case)
    assert found(dag, searches) == reference.shortcuts(case[0], set(case[1]))


@pytest.mark.parametrize("searches", [0, 1, 32])
@pytest.mark.parametrize(("n", "m", "span"), [(60, 200, 8), (80, 400, 79), (300, 2000, 40), (700, 9000, 699)])
def test_every_way_of_deciding_finds_the_same_shortcuts(n, m, span, searches):
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(n + m)
    for _ in range(3):
        dag = random_dag(rng, n, m, span)
        kept = networkx.transitive_reduction(networkx.DiGraph(sorted(edges_of(dag)))).edges
        assert edges_of(dag) - found(dag, searches) == set(kept)


def test_more_hard_tails_than_one_sweep_carries():
    """A chain of 3,000 with a long skip from every job: with no searches allowed, some thousand tails are hard."""
    n = 3000
    rng = np.random.default_rng(5)
    tail = np.arange(n - 2)
    head = tail + 2 + rng.integers(0, n - 2 - tail)
    dag = Dag.from_edges(n, [*range(n - 1), *tail], [*range(1, n), *head])
    assert found(dag, 0) == set(zip(tail.tolist(), head.tolist(), strict=True))


@given(dags(10))
@settings(max_examples=150)
def test_removing_shortcuts_keeps_reachability_and_knowledge(dag):
    reduced = graph.remove_shortcuts(dag)
    assert reference.reach(dag.n, edges_of(reduced)) == reference.reach(dag.n, edges_of(dag))
    assert len(graph.shortcuts(reduced)[0]) == 0
    assert reduced == Dag.from_edges(dag.names, reduced.tails, reduced.heads).with_known(
        time_s=dag.time_s, temp_bytes=dag.temp_bytes, memory_bytes=dag.memory_bytes, count=dag.count, data=dag.data
    )


@given(dags(10))
def test_critical_path(dag):
    path = graph.critical_path(dag)
    weight = [1.0] * dag.n if dag.time_s is None else np.nan_to_num(dag.time_s).tolist()
    assert path.length == pytest.approx(reference.longest_path(dag.n, edges_of(dag), weight))
    assert sum(weight[v] for v in path.jobs) == pytest.approx(path.length)
    assert reference.is_path(path.jobs, edges_of(dag))
    assert path.in_seconds == (dag.time_s is not None)


@given(dags(9))
def test_dual_turns_edges_round_and_back(dag):
    dual = graph.dual(dag)
    assert edges_of(dual) == {(v, u) for u, v in edges_of(dag)}
    assert graph.levels(dual).tolist() == graph.heights(dag).tolist()
    if dag.data is None or (dag.data.names is None and np.all(dag.data.reader_counts == 1)):
        assert graph.dual(dual) == dag


@given(dags(9, names=NAMES), st.randoms(use_true_random=False))
def test_relabelling_there_and_back(dag, random):
    order = list(range(dag.n))
    random.shuffle(order)
    moved = graph.relabel(dag, order)
    assert [moved.names[i] for i in range(dag.n)] == [dag.names[v] for v in order]
    back = graph.relabel(moved, np.argsort(order))
    assert edges_of(back) == edges_of(dag)
    assert back.names == dag.names
    if dag.time_s is not None:
        assert np.array_equal(back.time_s, dag.time_s, equal_nan=True)
    if dag.data is not None and not np.any((dag.data.producer == OUTSIDE) & (dag.data.reader_counts == 0)):
        assert back == dag


@given(dags(9), st.data())
def test_induced_subdag_keeps_edges_and_data_among_its_jobs(dag, data):
    chosen = data.draw(st.lists(st.integers(0, dag.n - 1), unique=True)) if dag.n else []
    part = graph.induced_subdag(dag, chosen)
    assert {(chosen[u], chosen[v]) for u, v in edges_of(part)} == {
        (u, v) for u, v in edges_of(dag) if u in chosen and v in chosen
    }
    if dag.data is None:
        assert part.data is None
        return
    reached = reference.reach(part.n, edges_of(part))
    expected = []
    for d in range(dag.data.k):
        producer = int(dag.data.producer[d])
        maker = chosen.index(producer) if producer in chosen else OUTSIDE
        readers = sorted(chosen.index(r) for r in dag.data.readers_of(d).tolist() if r in chosen)
        readers = [r for r in readers if maker == OUTSIDE or r in reached[maker]]
        if maker != OUTSIDE or readers:
            expected.append((int(dag.data.size_bytes[d]), maker, readers))
    got = part.data
    if got is None:
        assert expected == []
        return
    assert [
        (int(got.size_bytes[d]), int(got.producer[d]), got.readers_of(d).tolist()) for d in range(got.k)
    ] == expected


@given(st.lists(dags(5), max_size=4))
def test_sum_holds_each_dag_unchanged(parts):
    total = graph.sum_of(parts)
    assert total.n == sum(part.n for part in parts)
    assert total.m == sum(part.m for part in parts)
    at = 0
    for part in parts:
        piece = graph.rename(graph.induced_subdag(total, range(at, at + part.n)), part.names)
        assert edges_of(piece) == edges_of(part)
        if part.time_s is not None and part.n:
            assert np.array_equal(piece.time_s, part.time_s, equal_nan=True)
        if piece.data is not None:
            inside = piece.data
            touched = (part.data.producer != OUTSIDE) | (part.data.reader_counts > 0)
            assert inside.size_bytes.tolist() == part.data.size_bytes[touched].tolist()
        at += part.n


def test_sum_keeps_unique_names_and_marks_others():
    one, two = Dag.from_names([("a", "b")]), Dag.from_names([("c", "d")])
    assert graph.sum_of([one, two]).names == ("a", "b", "c", "d")
    assert graph.sum_of([one, one]).names == ("0.a", "0.b", "1.a", "1.b")
    assert graph.sum_of([]).n == 0


def test_width_of_nothing():
    assert graph.width(Dag.from_edges(0)) == 0
    assert graph.critical_path(Dag.from_edges(0)).jobs == ()


@pytest.mark.parametrize(
    "verb",
    [
        lambda d: graph.reachable(d, [0], [5]),
        lambda d: graph.reachable(d, [-1], [0]),
        lambda d: graph.reachable(d, [2**32], [1]),
        lambda d: graph.induced_subdag(d, [5]),
        lambda d: graph.relabel(d, [0, 2**32 + 1]),
    ],
)
def test_job_numbers_out_of_range(verb):
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        verb(Dag.from_edges(2))


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 1, 0]])
def test_relabel_needs_a_permutation(order):
    with pytest.raises(ValueError, match="every job once"):
        graph.relabel(Dag.from_edges(2), order)


def test_a_mask_is_no_list_of_jobs():
    """Taken as numbers, [True, False] would choose job 1, then job 0."""
    with pytest.raises(ValueError, match="whole numbers"):
        graph.induced_subdag(Dag.from_edges(2), np.array([True, False]))


def test_data_names_survive_a_sum():
    dag = Dag.from_edges(2, [0], [1], data=Data.build([5], [0], [[1]], ["f"]))
    assert graph.sum_of([dag, dag]).data.names == ("0.f", "1.f")
