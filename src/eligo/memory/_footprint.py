"""The Footprint: which data occupy memory, from when to when, whatever model of memory is meant.

All models of ``models.py`` come to one form. A job's execution has a start and an end.

* A *datum* occupies ``size`` bytes from the start of its producer (or from the beginning, where it comes from outside)
  until all its readers have ended; one without readers stays for ever.
* ``running`` bytes are occupied from the start of a job to its end.

In the *simple* model of paper 004 data are freed when a job starts, in the moment in which its own are allocated. There
a job is one event (``one_event``), and a datum is occupied from the start of its producer to the start of its reader.

What an execution occupies depends only on which jobs have started and which have ended: the *state*. An execution of
any kind, sequential or parallel, is a sequence of states in which every job ends before its children start.

When data are free for certain, and the footprint as the kernels take it.

A datum is freed when its last reader ends. Which reader is last depends on the execution, unless one of them comes
after all others. Otherwise it is free at the latest when a job starts that comes after all its readers, a *follower*.
Both are looked for within a budget (``native/core/data_ends.hpp``); what is not found makes bounds looser, never wrong.

What is occupied in a state: which jobs have started, and which have ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from eligo import _core
from eligo.dag import OUTSIDE, Dag, Int32, Int64

__all__ = [
    "MOST_BYTES",
    "Bools",
    "Ends",
    "Footprint",
    "Rules",
    "compiled",
    "data_ends",
    "occupied",
    "present",
]

MOST_BYTES = 2**62
"""What all data together may come to at most, so that no sum of 64 bits overflows."""


@final
@dataclass(frozen=True, slots=True)
class Rules:
    """How data are meant to occupy memory.

    Attributes
    ----------
    model
        ``simple``, ``classical``, ``shared``, ``pebble`` or ``files``; see ``models.py``.
    resource
        ``memory`` or ``disk``: what it is that the data occupy.
    unread
        Whether outputs that no job reads ``stay`` for ever, or ``leave`` when their job ends.
    inputs
        Whether data from outside ``count`` from the beginning, or are somewhere else (``ignore``).
    """

    model: str
    resource: str
    unread: str = "stay"
    inputs: str = "ignore"

    @property
    def one_event(self) -> bool:
        """Whether a job frees its inputs in the moment in which it starts, as in the simple model."""
        return self.model == "simple"

    @property
    def unit(self) -> str:
        """What is counted."""
        return "pebbles" if self.model == "pebble" else "bytes"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """What the jobs of a dag occupy; made by ``models.footprint``.

    Attributes
    ----------
    dag
        The jobs.
    rules
        The model it came from.
    running
        Bytes occupied while each job runs (n); all 0 in the simple model.
    size, producer, reader_ptr, readers
        The k data that occupy anything, as in ``eligo.data.Data``; ``producer`` may be ``OUTSIDE``.
    datum
        For each of them its number in ``dag.data``, or -1 where it is none of these.
    premises
        What the model takes for granted, in words.
    doubts
        What was not known, or is left out, in words: whoever asks should be warned.
    """

    dag: Dag
    rules: Rules
    running: Int64
    size: Int64
    producer: Int32
    reader_ptr: Int64
    readers: Int32
    datum: Int32
    premises: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.running, self.size, self.producer, self.reader_ptr, self.readers, self.datum):
            array.flags.writeable = False

    @property
    def k(self) -> int:
        """The number of data."""
        return len(self.size)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """All that what is said of it rests on, in words."""
        return (*self.doubts, *self.premises)

    @property
    def base(self) -> int:
        """What is occupied before the first job starts."""
        return int(self.size[self.producer == OUTSIDE].sum())

    @property
    def outputs(self) -> Int64:
        """What each job allocates for its data when it starts."""
        made = self.producer != OUTSIDE
        total = np.zeros(self.dag.n, np.int64)
        np.add.at(total, self.producer[made], self.size[made])
        return total

    @property
    def inputs(self) -> Int64:
        """The total size of what each job reads."""
        total = np.zeros(self.dag.n, np.int64)
        np.add.at(total, self.readers, np.repeat(self.size, np.diff(self.reader_ptr)))
        return total

    @property
    def needs(self) -> Int64:
        """What is occupied at least while each job runs: its inputs, what it holds while running, and its outputs.

        In the simple model the larger of inputs and outputs: one is there just before the start, the other just after.
        """
        if self.rules.one_event:
            return np.maximum(self.inputs, self.outputs)
        return self.inputs + self.running + self.outputs

    def readers_of(self, datum: int) -> Int32:
        """Return the jobs that read one of the data."""
        return self.readers[self.reader_ptr[datum] : self.reader_ptr[datum + 1]]

    def on(self, dag: Dag) -> Footprint:
        """Return the same data on another dag of the same jobs, such as one with more edges."""
        return Footprint(
            dag,
            self.rules,
            self.running,
            self.size,
            self.producer,
            self.reader_ptr,
            self.readers,
            self.datum,
            self.premises,
            self.doubts,
        )


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
    >>> from eligo.memory._models import footprint
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


Bools = NDArray[np.bool_]


def occupied(footprint: Footprint, started: Bools, ended: Bools) -> int:
    """Return what is occupied when these jobs have started and these have ended.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_names([("a", "b")])
    >>> print_ = footprint(dag.with_known(data=Data.build([10], [0], [[1]], ["file"])))
    >>> occupied(print_, np.array([True, True]), np.array([True, False]))
    10
    """
    running = 0 if footprint.rules.one_event else int(footprint.running[started & ~ended].sum())
    return running + int(footprint.size[present(footprint, started, ended)].sum())


def present(footprint: Footprint, started: Bools, ended: Bools) -> Bools:
    """Return which data of the footprint are there then."""
    if footprint.k == 0:
        return np.zeros(0, np.bool_)
    gone = started if footprint.rules.one_event else ended
    left = np.concatenate(([0], np.cumsum(~gone[footprint.readers])))
    unread = left[footprint.reader_ptr[1:]] > left[footprint.reader_ptr[:-1]]
    made = footprint.producer == OUTSIDE
    made[~made] = started[footprint.producer[~made]]
    there: Bools = made & (unread | (footprint.reader_ptr[1:] == footprint.reader_ptr[:-1]))
    return there
