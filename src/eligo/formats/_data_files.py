"""From data back to files: ids that a format allows, and for each job the files it reads and writes.

The inverse of :mod:`eligo.formats._data_edges`. Data may share a name (each producer's copy of ``fit.txt``), have none
(weights of edges), or be called what a format does not allow; a written file must give each datum an id of its own, or
reading it back would join what is separate. The names that had to change are kept beside, for a reader to restore.

Data that are the weights of single edges, as DOT and edge lists state them.

In such files a size stands on an edge and is one datum with one reader. Where some edges state a size, the others' is
unknown; ``none`` says that an edge carries nothing. Of several sizes for one edge the largest is taken, so that a
memory bound holds whichever was meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eligo import _core
from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data, Int32, Int64
from eligo.formats._base import Notes
from eligo.formats._numbers import parse_size

__all__ = [
    "NOTHING",
    "FileLists",
    "format_weight",
    "is_edge_weights",
    "keeps",
    "merge_weights",
    "parse_weight",
    "plain_ids",
    "weighted_edges",
]


def plain_ids(names: Sequence[str], forbidden: re.Pattern[str]) -> list[str]:
    """Return an id for each name, all different and free of `forbidden` characters; good names stay as they are.

    Examples
    --------
    >>> plain_ids(["a b", "a_b", "a?b", "", "a_b"], re.compile(r"[^a-z_]"))
    ['a_b_2', 'a_b', 'a_b_3', '_', 'a_b_4']
    """
    taken = {name for name in names if name and not forbidden.search(name)}
    unused = set(taken)
    last: dict[str, int] = {}
    ids = []
    for name in names:
        if name in unused:
            unused.remove(name)
            ids.append(name)
            continue
        base = forbidden.sub("_", name) or "_"
        candidate = base
        while candidate in taken:
            last[base] = last.get(base, 1) + 1
            candidate = f"{base}_{last[base]}"
        taken.add(candidate)
        ids.append(candidate)
    return ids


@dataclass(frozen=True, slots=True)
class FileLists:
    """The files of a dag as a format lists them.

    Attributes
    ----------
    ids
        One for each datum.
    inputs, outputs
        For each job the data it reads and writes, ascending.
    original
        The names of the data whose id is not their name.
    named
        Whether the names mean anything.
    """

    ids: list[str]
    inputs: list[list[int]]
    outputs: list[list[int]]
    original: dict[str, str]
    named: bool

    @classmethod
    def build(cls, dag: Dag, forbidden: re.Pattern[str], lost: Notes) -> FileLists:
        """List the files of a dag; names that no file can hold are noted in `lost`.

        Examples
        --------
        >>> from eligo.dag import Data
        >>> dag = Dag.from_edges(2, [0], [1], data=Data.per_edge([0], [1], [100]))
        >>> lists = FileLists.build(dag, re.compile("[^a-z0-9]"), Notes())
        >>> lists.ids, lists.outputs, lists.inputs, lists.named
        (['data0'], [[0], []], [[], [0]], False)
        """
        inputs: list[list[int]] = [[] for _ in range(dag.n)]
        outputs: list[list[int]] = [[] for _ in range(dag.n)]
        data = dag.data
        if data is None:
            return cls([], inputs, outputs, {}, True)
        for datum, job in enumerate(data.producer.tolist()):
            if job != OUTSIDE:
                outputs[job].append(datum)
        readings = np.repeat(np.arange(data.k), data.reader_counts)
        for _ in np.flatnonzero((data.producer == OUTSIDE) & (data.reader_counts == 0)):
            lost.say("a datum from outside the workflow is read by no job: left out")
        for datum, job in zip(readings.tolist(), data.readers.tolist(), strict=True):
            inputs[job].append(datum)
        if data.names is None:
            width = len(str(max(data.k - 1, 0)))  # of equal length, so that sorting by name keeps the order
            return cls([f"data{datum:0{width}}" for datum in range(data.k)], inputs, outputs, {}, False)
        ids = plain_ids(data.names, forbidden)
        pairs = zip(ids, data.names, strict=True)
        original = {file: name for file, name in pairs if file != name and keeps(name, lost)}
        return cls(ids, inputs, outputs, original, True)


def keeps(name: str, lost: Notes) -> bool:
    """Tell whether a name is text that can be written and read again; if not, note it.

    Examples
    --------
    >>> keeps("é", Notes()), keeps("", Notes())
    (True, False)
    """
    if name and "\0" not in name and name.encode("utf-8", "ignore").decode() == name:
        return True
    lost.say("a name is empty, holds NUL or is not UTF-8: another was made up")
    return False


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
