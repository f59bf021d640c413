from __future__ import annotations

import sys
from operator import add
from typing import Any

import pytest

from eligo.dag import Dag
from eligo.errors import CycleError, MissingExtraError
from eligo.formats._interop import from_dask
from tests.formats.random_dags import edge_names

dask = pytest.importorskip("dask")


def inc(value: int) -> int:
    return value + 1


def check(graph: Any) -> Dag:
    """Our edges are Dask's dependencies, our order is valid for Dask, and Dask's order is valid for us."""
    from dask.core import get_dependencies
    from dask.order import order

    tasks = dict(graph if isinstance(graph, dict) else graph.__dask_graph__())
    dag = from_dask(graph)
    keys = list(tasks)
    assert dag.n == len(keys)
    wanted = {(dep, key) for key in keys for dep in get_dependencies(tasks, key=key)}
    assert {(keys[tail], keys[head]) for tail, head in zip(dag.tails, dag.heads, strict=True)} == wanted
    place = {keys[job]: when for when, job in enumerate(dag.order.tolist())}
    assert all(place[dep] < place[key] for dep, key in wanted)
    theirs = order(tasks)
    assert all(theirs[keys[tail]] < theirs[keys[head]] for tail, head in zip(dag.tails, dag.heads, strict=True))
    return dag


def test_old_tuples() -> None:
    """x -> y -> z, x -> z through nested lists and tasks.

        x
       / \\
      y   |
       \\ /
        z
    """
    dag = check({"x": 1, "y": (inc, "x"), "z": (sum, [(inc, "y"), ["x", 5]])})
    assert edge_names(dag) == {("x", "y"), ("x", "z"), ("y", "z")}


def test_keys_of_other_types() -> None:
    dag = check({("a", 0, 1): 1, b"b": (inc, ("a", 0, 1)), 7: (inc, b"b"), "s": (add, 7, b"b")})
    assert dag.names == ("('a', 0, 1)", "b'b'", "7", "s")


def test_keys_with_the_same_text_stay_apart() -> None:
    dag = from_dask({("a", 0): 1, "('a', 0)": (inc, ("a", 0)), "('a', 0) (2)": 5})
    assert len(set(dag.names)) == 3
    assert dag.m == 1


def test_task_objects() -> None:
    spec = pytest.importorskip("dask._task_spec")
    task = spec.Task("b", inc, spec.TaskRef("a"))
    graph = {"a": spec.DataNode("a", 1), "b": task, "c": spec.Alias("c", "b"), "d": (add, "b", "c")}
    assert edge_names(from_dask(graph)) == {("a", "b"), ("b", "c"), ("b", "d"), ("c", "d")}


def test_dependencies_outside_the_graph_are_no_jobs() -> None:
    spec = pytest.importorskip("dask._task_spec")
    assert from_dask({"b": spec.Task("b", inc, spec.TaskRef("kept elsewhere"))}).n == 1


def test_delayed() -> None:
    step = dask.delayed(inc)
    total = dask.delayed(sum)([step(value) for value in range(5)])
    dag = check(total)
    assert dag.n >= 6
    assert (dag.succ_ptr[1:] == dag.succ_ptr[:-1]).sum() == 1
    both = from_dask(step(1), step(2))
    assert (both.n, both.m) == (2, 0)


def test_array_bag_and_frame() -> None:
    array = pytest.importorskip("dask.array")
    dag = check((array.ones((6, 6), chunks=2) + 1).sum())
    assert dag.n > 18
    bag = pytest.importorskip("dask.bag")
    check(bag.from_sequence(range(6), npartitions=3).map(inc).sum())
    frame = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    table = frame.from_pandas(pandas.DataFrame({"a": range(6), "b": range(6)}), npartitions=3)
    check((table.a + table.b).sum())


def test_high_level_graph_and_optimisation() -> None:
    array = pytest.importorskip("dask.array")
    total = (array.ones((6, 6), chunks=2) + 1 + 2 + 3).sum()
    plain = from_dask(total.__dask_graph__())
    assert plain == from_dask(total)
    assert from_dask(total, optimize=True).n < plain.n


def test_cycles_and_other_things_are_refused() -> None:
    with pytest.raises(CycleError):
        from_dask({"a": (inc, "b"), "b": (inc, "a")})
    with pytest.raises(TypeError):
        from_dask(5)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(MissingExtraError) as caught:
        from_dask({})
    assert (caught.value.package, caught.value.extra) == ("dask", "dask")
