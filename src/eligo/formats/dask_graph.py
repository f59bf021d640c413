"""Dags of Dask graphs: one job for each key, in the order of the graph.

A Dask graph maps keys to tasks; a task depends on the keys it mentions. Both forms are read: the task objects of
2024.12 and later, which state their dependencies, and the older nested tuples, which Dask itself searches for keys.
What a task mentions but the graph does not hold (results kept on a cluster, for instance) is no job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from eligo.dag import Dag
from eligo.errors import MissingExtraError

__all__ = ["from_dask"]


def from_dask(*graphs: Any, optimize: bool = False) -> Dag:
    """Return the dag of one or more Dask collections, or of a graph.

    A string key is the job's name; other keys (tuples, numbers, bytes) are named by ``str``, as Dask's own dashboard
    shows them. Job ``i`` is the ``i``-th key of the graph.

    Parameters
    ----------
    *graphs
        Collections (delayed, array, bag, data frame), high-level graphs, or dictionaries of keys and tasks.
    optimize
        Whether collections are optimised first, as ``compute`` does; jobs are then those that would really run.

    Raises
    ------
    CycleError
        The tasks depend on each other in a circle.
    MissingExtraError
        Dask is not installed.

    Examples
    --------
    >>> from_dask({"x": 1, "y": (abs, "x"), ("z", 0): (sum, ["x", "y"])}).names
    ('x', 'y', "('z', 0)")
    """
    try:
        dask: Any = import_module("dask")
        get_dependencies = import_module("dask.core").get_dependencies
    except ImportError:
        raise MissingExtraError("dask", "dask") from None
    if optimize:
        graphs = dask.optimize(*graphs)
    tasks: dict[Any, Any] = {}
    for graph in graphs:
        tasks.update(_graph_of(graph))
    number = {key: place for place, key in enumerate(tasks)}
    tails: list[int] = []
    heads: list[int] = []
    for head, task in enumerate(tasks.values()):
        needed = getattr(task, "dependencies", None)
        if needed is None or callable(needed):
            needed = get_dependencies(tasks, task=task)
        inside = [number[key] for key in needed if key in number]
        tails.extend(inside)
        heads.extend([head] * len(inside))
    return Dag.from_edges(_names(tasks), tails, heads)


def _graph_of(graph: Any) -> Mapping[Any, Any]:
    if isinstance(graph, Mapping):
        return graph
    make = getattr(graph, "__dask_graph__", None)
    tasks = make() if callable(make) else None
    if not isinstance(tasks, Mapping):
        raise TypeError(f"a Dask collection or graph is needed, not {type(graph).__name__}")
    return tasks


def _names(keys: Iterable[Any]) -> list[str]:
    """Name each key by its text; of different keys with the same text the later ones get a number."""
    names: dict[str, None] = {}
    for key in keys:
        name = text = key if isinstance(key, str) else str(key)
        again = 1
        while name in names:
            again += 1
            name = f"{text} ({again})"
        names[name] = None
    return list(names)
