"""What an execution occupies over time, by any model of memory.

The events of a trace are taken one by one. The start of a job allocates its outputs and what it holds while it runs;
its end frees the latter, and each datum that it is the last to read; in the simple model, where a job is one event, its
start frees what it is the last to read. So each event changes what is occupied by a number, and sums of these are the
curve. The sequence is exact (see ``eligo.trace``): at one instant ends free before starts allocate, and what jobs
occupy that take no time is seen too. Jobs that start at one instant do so one after the other. A curve may thus have
several values at one instant.

Whatever the times and the workers, each of its values is that of a state (started jobs, ended jobs), so none exceeds
the worst peak of the footprint on the dag that was executed (Theorem 1 of Marchal, Simon and Vivien 2018).

Cost: O(n + k + r) for k data with r readers in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eligo import _core
from eligo.dag import OUTSIDE, Float64, Int64
from eligo.errors import EligoError
from eligo.memory.footprint import Footprint
from eligo.trace import Trace

__all__ = ["MemoryUse", "memory_over_time", "peak_of_trace"]


class MemoryUse(NamedTuple):
    """A curve of steps: ``size_bytes[i]`` are occupied from ``time_s[i]`` on, until the next.

    The first value is what is there before the first event; then comes one for each event, so several may have the same
    time.
    """

    time_s: Float64
    size_bytes: Int64

    @property
    def peak(self) -> int:
        """The most that is ever occupied."""
        return int(self.size_bytes.max())


def memory_over_time(footprint: Footprint, trace: Trace) -> MemoryUse:
    """Return what an execution occupies, event by event.

    Parameters
    ----------
    footprint
        What the jobs occupy. Its dag may be another than that of the trace, with the same jobs.

    Examples
    --------
    A job makes 5 bytes that the next one reads, which makes 3 that nobody does:

    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory.models import footprint
    >>> data = Data.build([5, 3], producer=[0, 1], readers=[[1], []])
    >>> chain = Dag.from_names([("a", "b")], time_s=[1, 2], data=data)
    >>> use = memory_over_time(footprint(chain, "shared"), Trace.of(chain, [0, 1], [1, 3]))
    >>> use.time_s.tolist(), use.size_bytes.tolist(), use.peak
    ([0.0, 0.0, 1.0, 1.0, 3.0], [0, 5, 5, 8, 3], 8)
    """
    if footprint.dag is not trace.dag and footprint.dag.names != trace.dag.names:
        raise EligoError(
            "the footprint and the trace are of different jobs", hint="make both of the same workflow, limited or not"
        )
    time = trace.event_times()
    begin = time[:1] if len(time) else np.zeros(1)
    size = np.cumsum(np.concatenate(([footprint.base], _changes(footprint, trace))))
    return MemoryUse(np.concatenate([begin, time]), size)


def peak_of_trace(footprint: Footprint, trace: Trace) -> int:
    """Return the most that an execution ever occupies.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.memory.models import footprint
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> peak_of_trace(footprint(fork, "pebble"), Trace.of(fork, [0, 1, 1], [1, 2, 2]))
    3
    """
    return memory_over_time(footprint, trace).peak


def _changes(footprint: Footprint, trace: Trace) -> Int64:
    """Return by how much each event changes what is occupied."""
    start, end = trace.places()
    never = len(trace.events)
    change = np.zeros(never + 1, np.int64)  # what never happens has a place of its own behind the rest
    if not footprint.rules.one_event:
        np.add.at(change, start, footprint.running)
        np.subtract.at(change, end, footprint.running)
    outside = footprint.producer == OUTSIDE
    made = np.where(outside, -1, start[footprint.producer])
    np.add.at(change, made[~outside], footprint.size[~outside])
    freed = _core.latest(footprint.reader_ptr, footprint.readers, start if footprint.rules.one_event else end)
    freed[np.diff(footprint.reader_ptr) == 0] = never
    # Clocks may differ so much that a reader ended before the producer started: then nothing is ever there.
    np.subtract.at(change, np.maximum(freed, made), footprint.size)
    return change[:never]
