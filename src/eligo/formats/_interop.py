"""Dags to and from the graphs of networkx and rustworkx.

Jobs are nodes, in order; times and sizes are attributes of nodes under the names the Dag has for them, left out where
unknown. In networkx a job's name is the node itself, in rustworkx it stands in the node's dictionary under ``name``.
Where every edge carries one nameless datum, the edge has ``size_bytes`` (``None``: unknown). Any other data are a list
in the graph's own attributes under ``data``, each an object with ``name``, ``size_bytes``, ``producer`` and
``readers``; jobs are meant by name, and a producer of ``None`` is outside the workflow.

There and back again gives an equal dag. Graphs of other origin may have any hashable nodes and parallel edges: names
are made by ``str``, parallel edges are one, with the largest of their sizes.

Dags of Dask graphs: one job for each key, in the order of the graph.

A Dask graph maps keys to tasks; a task depends on the keys it mentions. Both forms are read: the task objects of
2024.12 and later, which state their dependencies, and the older nested tuples, which Dask itself searches for keys.
What a task mentions but the graph does not hold (results kept on a cluster, for instance) is no job.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from math import isnan
from numbers import Number
from typing import Any

import numpy as np

from eligo.dag import MAX_BYTES, OUTSIDE, UNKNOWN, Dag, Data
from eligo.errors import EligoError, MissingExtraError
from eligo.formats._data_files import is_edge_weights, merge_weights
from eligo.formats._numbers import parse_count, parse_seconds, parse_size

__all__ = [
    "from_dask",
    "from_networkx",
    "from_rustworkx",
    "to_networkx",
    "to_rustworkx",
]

Attributes = Mapping[str, Any]


def to_networkx(dag: Dag) -> Any:
    """Return the dag as a ``networkx.DiGraph``.

    Raises
    ------
    MissingExtraError
        networkx is not installed.

    Examples
    --------
    >>> graph = to_networkx(Dag.from_names([("a", "b")], time_s=[1, 2]))
    >>> graph.nodes["b"], list(graph.edges)
    ({'time_s': 2.0}, [('a', 'b')])
    """
    networkx = _module("networkx")
    graph = networkx.DiGraph(**_graph_attributes(dag))
    graph.add_nodes_from(zip(dag.names, _node_attributes(dag), strict=True))
    names = dag.names
    graph.add_edges_from((names[tail], names[head], known) for tail, head, known in _edges(dag))
    return graph


def from_networkx(graph: Any) -> Dag:
    """Return the dag of a networkx graph.

    Raises
    ------
    CycleError
        The graph has a cycle.
    EligoError
        It is undirected, two nodes have the same text, or an attribute is no time or size.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.path_graph(3, networkx.DiGraph))
    Dag(3 jobs, 2 edges)
    """
    networkx = _module("networkx")
    if not isinstance(graph, networkx.Graph):
        raise TypeError(f"a networkx graph is needed, not {type(graph).__name__}")
    if not graph.is_directed():
        raise _undirected()
    number = {node: place for place, node in enumerate(graph.nodes)}
    return _build(
        [(str(node), known) for node, known in graph.nodes(data=True)],
        [(number[tail], number[head], known) for tail, head, known in graph.edges(data=True)],
        graph.graph,
    )


def to_rustworkx(dag: Dag) -> Any:
    """Return the dag as a ``rustworkx.PyDiGraph``; node numbers are job numbers.

    Raises
    ------
    MissingExtraError
        rustworkx is not installed.

    Examples
    --------
    >>> graph = to_rustworkx(Dag.from_names([("a", "b")], time_s=[1, 2]))
    >>> graph[1], list(graph.edge_list())
    ({'name': 'b', 'time_s': 2.0}, [(0, 1)])
    """
    rustworkx = _module("rustworkx")
    graph = rustworkx.PyDiGraph(attrs=_graph_attributes(dag))
    graph.add_nodes_from(
        [{"name": name, **known} for name, known in zip(dag.names, _node_attributes(dag), strict=True)]
    )
    graph.add_edges_from([(tail, head, known or None) for tail, head, known in _edges(dag)])
    return graph


def from_rustworkx(graph: Any) -> Dag:
    """Return the dag of a rustworkx graph.

    A node's name is its value if that is a string, the value's ``name`` if it is a dictionary that has one, and the
    node's number otherwise.

    Raises
    ------
    CycleError
        The graph has a cycle.
    EligoError
        It is undirected, two nodes have the same name, or an attribute is no time or size.

    Examples
    --------
    >>> import rustworkx
    >>> graph = rustworkx.PyDiGraph()
    >>> _ = graph.extend_from_edge_list([(0, 1), (0, 2)])
    >>> from_rustworkx(graph).names
    ('0', '1', '2')
    """
    rustworkx = _module("rustworkx")
    if isinstance(graph, rustworkx.PyGraph):
        raise _undirected()
    if not isinstance(graph, rustworkx.PyDiGraph):
        raise TypeError(f"a rustworkx graph is needed, not {type(graph).__name__}")
    number = {node: place for place, node in enumerate(graph.node_indices())}
    return _build(
        [_payload(node, graph[node]) for node in number],
        [(number[tail], number[head], _mapping(known)) for tail, head, known in graph.weighted_edge_list()],
        _mapping(graph.attrs),
    )


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(name, "graphs") from None


def _undirected() -> EligoError:
    return EligoError(
        "an undirected graph does not say which job waits for which", hint="make it a directed graph first"
    )


def _payload(node: int, value: Any) -> tuple[str, Attributes]:
    if isinstance(value, str):
        return value, {}
    known = _mapping(value)
    return str(known.get("name", node)), known


def _mapping(value: Any) -> Attributes:
    return value if isinstance(value, Mapping) else {}


# From a dag


def _graph_attributes(dag: Dag) -> dict[str, Any]:
    data = dag.data
    if data is None or _every_edge_has_a_datum(dag):
        return {}
    listed = [
        {
            "name": None if data.names is None else data.names[datum],
            "size_bytes": None if size == UNKNOWN else size,
            "producer": None if producer == OUTSIDE else dag.names[producer],
            "readers": [dag.names[reader] for reader in data.readers_of(datum)],
        }
        for datum, (size, producer) in enumerate(zip(data.size_bytes.tolist(), data.producer.tolist(), strict=True))
    ]
    return {"data": listed}


def _every_edge_has_a_datum(dag: Dag) -> bool:
    """Tell whether the data are one for each edge, in the order of the edges."""
    data = dag.data
    return (
        data is not None
        and 0 < data.k == dag.m
        and is_edge_weights(dag)
        and np.array_equal(data.producer, dag.tails)
        and np.array_equal(data.readers, dag.heads)
    )


def _node_attributes(dag: Dag) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = [{} for _ in range(dag.n)]
    for key in ("time_s", "temp_bytes", "memory_bytes", "count"):
        column = getattr(dag, key)
        for known, value in zip(nodes, [] if column is None else column.tolist(), strict=False):
            if not isnan(value) and value != UNKNOWN:
                known[key] = value
    return nodes


def _edges(dag: Dag) -> Iterable[tuple[int, int, dict[str, Any]]]:
    ends = zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)
    if dag.data is None or not _every_edge_has_a_datum(dag):
        return ((tail, head, {}) for tail, head in ends)
    sizes = dag.data.size_bytes.tolist()
    return (
        (tail, head, {"size_bytes": None if size == UNKNOWN else size})
        for (tail, head), size in zip(ends, sizes, strict=True)
    )


# To a dag


def _build(
    nodes: Sequence[tuple[str, Attributes]], edges: Sequence[tuple[int, int, Attributes]], graph: Attributes
) -> Dag:
    names = [name for name, _ in nodes]
    if len(set(names)) < len(names):
        repeated, _ = Counter(names).most_common(1)[0]
        raise EligoError(f"two nodes are called {repeated!r}", hint="relabel the nodes so that their names differ")
    tails = np.array([tail for tail, _, _ in edges], np.int32)
    heads = np.array([head for _, head, _ in edges], np.int32)
    try:
        return Dag.from_edges(
            names,
            tails,
            heads,
            time_s=_column(nodes, "time_s", _seconds, float("nan")),
            temp_bytes=_column(nodes, "temp_bytes", _size, UNKNOWN),
            memory_bytes=_column(nodes, "memory_bytes", _size, UNKNOWN),
            count=_column(nodes, "count", _count, 1),
            data=_listed(names, graph["data"]) if "data" in graph else _weights(names, edges, tails, heads),
        )
    except ValueError as error:
        raise EligoError(str(error), hint="check the attribute data of the graph") from None


def _column(nodes: Sequence[tuple[str, Attributes]], key: str, read: Callable[[Any], Any], missing: Any) -> Any:
    if not any(key in known for _, known in nodes):
        return None
    return [_checked(read, known[key], f"{key} of {name!r}") if key in known else missing for name, known in nodes]


def _weights(names: list[str], edges: Sequence[tuple[int, int, Attributes]], tails: Any, heads: Any) -> Data | None:
    if not any("size_bytes" in known for _, _, known in edges):
        return None
    sizes = [
        _checked(_size, known.get("size_bytes"), f"size_bytes of the edge from {names[tail]!r} to {names[head]!r}")
        for tail, head, known in edges
    ]
    return merge_weights(len(names), tails, heads, np.array(sizes, np.int64))[0]


def _listed(names: list[str], data: Any) -> Data:
    number: dict[Any, int] = {name: place for place, name in enumerate(names)}
    try:
        rows = [(row["name"], row["size_bytes"], row["producer"], list(row["readers"])) for row in data]
        producers = [OUTSIDE if producer is None else number[producer] for _, _, producer, _ in rows]
        readers = [[number[reader] for reader in row] for _, _, _, row in rows]
    except (KeyError, TypeError) as error:
        raise EligoError(
            f"the attribute data of the graph is malformed: {error}",
            hint="each datum has a name, size_bytes, a producer and readers, which are nodes",
        ) from None
    sizes = [_checked(_size, size, f"size_bytes of datum {name!r}") for name, size, _, _ in rows]
    named = bool(rows) and all(name is not None for name, _, _, _ in rows)
    return Data.build(sizes, producers, readers, [str(name) for name, _, _, _ in rows] if named else None)


def _checked(read: Callable[[Any], Any], value: Any, what: str) -> Any:
    try:
        return read(value)
    except EligoError as error:
        raise EligoError(f"{what}: {error.text}", hint=error.hint) from None


def _text(value: Any) -> str:
    """Return a number as text, so that it goes through the same exact readers as the numbers of files."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, Number):
        return repr(type(value))
    if isinstance(value, int) and abs(value) >= MAX_BYTES:  # whose digits Python may refuse to print
        return str(MAX_BYTES if value > 0 else -MAX_BYTES)
    return str(value)


def _size(value: Any) -> int:
    return UNKNOWN if value is None else parse_size(_text(value))


def _count(value: Any) -> int:
    return parse_count(_text(value))


def _seconds(value: Any) -> float:
    if value is None or (isinstance(value, float | np.floating) and isnan(value)):
        return float("nan")
    return parse_seconds(_text(value))


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
