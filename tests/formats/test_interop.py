from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from eligo.dag import MAX_BYTES, UNKNOWN, Dag, Data
from eligo.errors import CycleError, EligoError, MissingExtraError
from eligo.formats._interop import from_networkx, from_rustworkx, to_networkx, to_rustworkx
from tests.formats.random_dags import dags, edge_names

nx = pytest.importorskip("networkx")
rx = pytest.importorskip("rustworkx")


@given(dags())
@settings(max_examples=200, deadline=None)
def test_round_trips(dag: Dag) -> None:
    expected = dag
    if dag.data is not None and dag.data.k == 0 and dag.data.names is not None:
        expected = dag.with_known(data=Data.build([], [], []))  # no data are neither named nor nameless
    assert from_networkx(to_networkx(dag)) == expected
    assert from_rustworkx(to_rustworkx(dag)) == expected


@given(dags(data="none"))
@settings(deadline=None)
def test_the_graphs_agree_with_the_dag(dag: Dag) -> None:
    graph = to_networkx(dag)
    assert list(graph) == list(dag.names)
    assert set(graph.edges) == edge_names(dag)
    assert nx.is_directed_acyclic_graph(graph)
    assert rx.topological_sort(to_rustworkx(dag)) is not None
    assert [node["name"] for node in to_rustworkx(dag).nodes()] == list(dag.names)


def test_sizes_of_edges() -> None:
    graph = nx.DiGraph()
    graph.add_edge("a", "b", size_bytes="2kB")
    graph.add_edge("b", "c")
    graph.add_edge("a", "c", size_bytes=None)
    graph.add_edge("c", "d", size_bytes=np.int64(7))
    data = from_networkx(graph).data
    assert data is not None
    assert sorted(data.size_bytes.tolist()) == [UNKNOWN, UNKNOWN, 7, 2000]
    assert to_networkx(Dag.from_edges(2, [0], [1], data=Data.per_edge([0], [1], [5]))).edges["0", "1"] == {
        "size_bytes": 5
    }


def test_parallel_edges_are_one_of_the_largest_size() -> None:
    graph = nx.MultiDiGraph([(1, 2, {"size_bytes": 5}), (1, 2, {"size_bytes": 9}), (1, 2, {})])
    dag = from_networkx(graph)
    assert dag.m == 1
    assert dag.data is not None
    assert dag.data.size_bytes.tolist() == [9]
    parallel = rx.PyDiGraph()
    parallel.extend_from_edge_list([(0, 1), (0, 1)])
    assert from_rustworkx(parallel).m == 1


def test_nodes_of_rustworkx() -> None:
    graph = rx.PyDiGraph()
    graph.add_nodes_from(["a", {"name": "b", "time_s": 3}, {"colour": 1}, 4.5, "gone", "last"])
    graph.remove_node(4)
    graph.add_edge(0, 5, 1.0)
    dag = from_rustworkx(graph)
    assert dag.names == ("a", "b", "2", "3", "last")
    assert edge_names(dag) == {("a", "last")}
    assert dag.time_s is not None
    assert dag.time_s[1] == 3
    assert dag.data is None


def test_undirected_graphs_are_refused() -> None:
    for convert, graph in ((from_networkx, nx.path_graph(3)), (from_rustworkx, rx.generators.path_graph(3))):
        with pytest.raises(EligoError, match="undirected"):
            convert(graph)


def test_cycles() -> None:
    with pytest.raises(CycleError):
        from_networkx(nx.cycle_graph(3, nx.DiGraph))
    with pytest.raises(CycleError):
        from_rustworkx(rx.generators.directed_cycle_graph(3))
    with pytest.raises(CycleError):
        from_networkx(nx.DiGraph([(1, 1)]))


def test_names_that_collide_are_refused() -> None:
    with pytest.raises(EligoError, match="two nodes are called '1'"):
        from_networkx(nx.DiGraph([(1, "1")]))


@pytest.mark.parametrize(
    "known",
    [
        {"time_s": -1}, {"time_s": "x"}, {"time_s": float("inf")}, {"time_s": [1]}, {"time_s": True},
        {"temp_bytes": -1}, {"temp_bytes": 1.5}, {"temp_bytes": MAX_BYTES}, {"temp_bytes": 10**5000},
        {"temp_bytes": float("nan")}, {"temp_bytes": 1 + 2j}, {"memory_bytes": -(10**5000)},
        {"count": 1.5}, {"count": None},
    ],
)  # fmt: skip
def test_bad_attributes(known: dict[str, Any]) -> None:
    graph = nx.DiGraph()
    graph.add_node("a", **known)
    with pytest.raises(EligoError, match="of 'a'"):
        from_networkx(graph)


@pytest.mark.parametrize(
    "data",
    [
        5, [5], [{}], [{"name": "x", "size_bytes": 1, "producer": "z", "readers": []}],
        [{"name": "x", "size_bytes": 1, "producer": "b", "readers": ["a"]}],
        [{"name": "x", "size_bytes": -1, "producer": "a", "readers": ["b"]}],
        [{"name": "x", "size_bytes": 1, "producer": "a", "readers": 5}],
        [{"name": "x", "size_bytes": 1, "producer": [], "readers": []}],
    ],
)  # fmt: skip
def test_bad_data(data: Any) -> None:
    graph = nx.DiGraph([("a", "b")], data=data)
    with pytest.raises(EligoError):
        from_networkx(graph)


@pytest.mark.parametrize(
    ("convert", "package"),
    [
        (from_networkx, "networkx"),
        (to_networkx, "networkx"),
        (from_rustworkx, "rustworkx"),
        (to_rustworkx, "rustworkx"),
    ],
)
def test_a_missing_package_is_named(
    convert: Callable[[Any], Any], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        convert(Dag.from_edges(1))
    assert caught.value.package == package
    assert caught.value.extra == "graphs"


def test_other_things_are_refused() -> None:
    for convert in (from_networkx, from_rustworkx):
        with pytest.raises(TypeError):
            convert({"a": ["b"]})
