"""Data that are the weights of single edges, as DOT and edge lists state them.

In such files a size stands on an edge and is one datum with one reader. Where some edges state a size, the others' is
unknown; ``none`` says that an edge carries nothing. Of several sizes for one edge the largest is taken, so that a
memory bound holds whichever was meant.
"""

from __future__ import annotations

import numpy as np

from eligo import _core
from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data, Int32, Int64
from eligo.formats.sizes import parse_size

__all__ = ["NOTHING", "format_weight", "is_edge_weights", "merge_weights", "parse_weight", "weighted_edges"]

NOTHING = -2
"""The size of an edge that states that it carries no datum; less than ``UNKNOWN``, so that any statement beats it."""


def parse_weight(text: str) -> int:
    """Return what an edge says of its size: bytes, ``UNKNOWN`` or ``NOTHING``.

    Examples
    --------
    >>> parse_weight("5kB"), parse_weight("unknown"), parse_weight("none")
    (5000, -1, -2)
    """
    word = text.lower() if text.isalpha() else ""
    if word in ("none", "unknown"):
        return NOTHING if word == "none" else UNKNOWN
    return parse_size(text)


def format_weight(size_bytes: int) -> str:
    """Return the text that :func:`parse_weight` reads.

    Examples
    --------
    >>> format_weight(5000), format_weight(UNKNOWN), format_weight(NOTHING)
    ('5000', 'unknown', 'none')
    """
    return {UNKNOWN: "unknown", NOTHING: "none"}.get(size_bytes) or str(size_bytes)


def merge_weights(n: int, tails: Int32, heads: Int32, sizes: Int64) -> tuple[Data, Int64]:
    """Make one datum of each edge among `n` jobs, in the order given; repeated edges are one, of the largest size.

    Returns
    -------
    data, overruled
        The data, and the numbers of the edges that stated a smaller size than another edge of the same ends.

    Examples
    --------
    >>> ends = np.array([0, 0, 1], np.int32), np.array([1, 1, 2], np.int32)
    >>> data, overruled = merge_weights(3, *ends, np.array([10, 20, 5]))
    >>> data.size_bytes, overruled
    (array([20,  5]), array([0]))
    """
    _, first, group = np.unique(_keys(n, tails, heads), return_index=True, return_inverse=True)
    largest = np.full(len(first), NOTHING, np.int64)
    np.maximum.at(largest, group, sizes)
    overruled = np.flatnonzero((sizes >= 0) & (sizes != largest[group]))
    kept = np.sort(first)
    size = largest[group][kept]
    kept, size = kept[size != NOTHING], size[size != NOTHING]
    return Data.per_edge(tails[kept], heads[kept], size), overruled


def is_edge_weights(dag: Dag) -> bool:
    """Tell whether there are data and each is nameless, has one reader, and is the only one of its edge.

    Examples
    --------
    >>> dag = Dag.from_edges(3, [0, 0], [1, 2], data=Data.per_edge([0], [2], [5]))
    >>> is_edge_weights(dag), is_edge_weights(dag.with_known(data=Data.build([5], [0], [[1, 2]])))
    (True, False)
    """
    data = dag.data
    if data is None or data.names is not None or np.any(data.reader_counts != 1) or np.any(data.producer == OUTSIDE):
        return False
    single = len(np.unique(_keys(dag.n, data.producer, data.readers))) == data.k
    return single and bool(_core.has_edge(dag.succ_ptr, dag.succ, data.producer, data.readers).all())


def weighted_edges(dag: Dag) -> tuple[list[int], list[int], list[int]]:
    """Return the ends and sizes of all edges, those with a datum first, in the order of the data.

    A reader that makes data in the order of a file's edges then finds the same order. Only for dags of which
    :func:`is_edge_weights` holds.
    """
    assert dag.data is not None
    data = dag.data
    plain = ~np.isin(_keys(dag.n, dag.tails, dag.heads), _keys(dag.n, data.producer, data.readers))
    tails = np.concatenate([data.producer, dag.tails[plain]])
    heads = np.concatenate([data.readers, dag.heads[plain]])
    sizes = np.concatenate([data.size_bytes, np.full(int(plain.sum()), NOTHING, np.int64)])
    return tails.tolist(), heads.tolist(), sizes.tolist()


def _keys(n: int, tails: Int32, heads: Int32) -> Int64:
    return tails.astype(np.int64) * max(1, n) + heads
