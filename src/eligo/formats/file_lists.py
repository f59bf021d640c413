"""From data back to files: ids that a format allows, and for each job the files it reads and writes.

The inverse of :mod:`eligo.formats.files`. Data may share a name (each producer's copy of ``fit.txt``), have none
(weights of edges), or be called what a format does not allow; a written file must give each datum an id of its own, or
reading it back would join what is separate. The names that had to change are kept beside, for a reader to restore.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eligo.dag import OUTSIDE, Dag
from eligo.formats.base import Notes

__all__ = ["FileLists", "keeps", "plain_ids"]


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
