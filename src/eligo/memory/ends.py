"""When data are free for certain, and the footprint as the kernels take it.

A datum is freed when its last reader ends. Which reader is last depends on the execution, unless one of them comes
after all others. Otherwise it is free at the latest when a job starts that comes after all its readers, a *follower*.
Both are looked for within a budget (``native/core/data_ends.hpp``); what is not found makes bounds looser, never wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from eligo import _core
from eligo.dag import Int32, Int64
from eligo.memory.footprint import Footprint

__all__ = ["Ends", "compiled", "data_ends"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """When shared data are free for certain.

    Attributes
    ----------
    last
        For each datum the reader that all its other readers come before, or -1.
    followed, followers
        Pairs of a datum without such a reader and a job that comes after all its readers.
    latest_ptr, latest
        For each datum the readers that no other reader is known to come after.
    """

    last: Int32
    followed: Int32
    followers: Int32
    latest_ptr: Int64
    latest: Int32

    @property
    def arcs(self) -> int:
        """How many pairs there are of what comes after what, beside the dag's edges."""
        return len(self.followed) + len(self.latest)

    def latest_of(self, datum: int) -> Int32:
        """Return the readers of a datum that no other reader is known to come after."""
        return self.latest[self.latest_ptr[datum] : self.latest_ptr[datum + 1]]

    def freed_by(self, datum: int, reader: int) -> Ends:
        """Return the same with one datum freed at the end of a certain reader, whoever else reads it."""
        last = self.last.copy()
        last[datum] = reader
        return replace(self, last=last)

    def with_known(self, known: Ends) -> Ends:
        """Return the same with what is known of the dag before edges were added, which stays true."""
        last = np.where(self.last >= 0, self.last, known.last)
        return replace(self, last=last).followed_too(known.followed, known.followers)

    def followed_too(self, data: Int32, jobs: Int32) -> Ends:
        """Return the same with more pairs of data and jobs that come after all their readers."""
        return replace(
            self,
            followed=np.concatenate([self.followed, data]).astype(np.int32),
            followers=np.concatenate([self.followers, jobs]).astype(np.int32),
        )


def data_ends(footprint: Footprint) -> Ends:
    """Return when the data of a footprint are free for certain.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory.models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> ends = data_ends(footprint(dag.with_known(data=Data.build([10], [0], [[1, 2]]))))
    >>> ends.last, ends.followers
    (array([-1], dtype=int32), array([3], dtype=int32))
    """
    dag = footprint.dag
    return Ends(
        *_core.data_ends(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, footprint.reader_ptr, footprint.readers)
    )


def compiled(footprint: Footprint, ends: Ends) -> _core.MemoryPrint:
    """Return what the kernels work on."""
    dag = footprint.dag
    return _core.MemoryPrint(
        dag.succ_ptr,
        dag.succ,
        dag.pred_ptr,
        dag.pred,
        dag.order,
        footprint.running,
        footprint.size,
        footprint.producer,
        footprint.reader_ptr,
        footprint.readers,
        footprint.rules.one_event,
        ends.last,
        ends.followed,
        ends.followers,
        ends.latest_ptr,
        ends.latest,
    )
