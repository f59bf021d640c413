"""Traces as Chrome trace JSON (the Trace Event Format), for Perfetto and chrome://tracing. Only written.

Each job is one complete event (``"ph": "X"``) in the thread of its lane; threads are named after workers, and counters
(``"ph": "C"``) show how many jobs run and are ELIGIBLE, and what is occupied. Lanes are those of ``eligo.trace``,
so that no two events of a thread overlap: viewers drop those that do. What else viewers want:

* Times are whole microseconds. Starts and ends are rounded, not durations, so rounding never makes neighbours overlap.
* Threads and the process count from 1: viewers take 0 for the idle thread of the kernel.
* Characters beyond ASCII are written as they are, since Perfetto refuses even correct pairs of surrogate escapes. Lone
  surrogates, which bytes that are no UTF-8 become when read, cannot be: U+FFFD stands for them. A backslash at the end
  is written by its number: Perfetto takes the quote after any other for a part of the text, and gives up.
* A job that has not ended lasts until the last event of the trace, and says so in its category.

Of several values at one microsecond a counter shows the last; of memory the largest comes before it, lest a peak be
lost. Text is made line by line and joined by the thousands: memory beyond the trace does not depend on the file's size.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from json.encoder import encode_basestring

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Float64, Int64
from eligo.errors import EligoError
from eligo.formats._source import replace_file
from eligo.trace import ANYWHERE, Lanes, Trace, lanes_of

__all__ = ["generate_trace", "write_trace"]

_LARGEST_US = 2.0**53  # whole numbers stay exact in every reader, and in nanoseconds fit 64 bits
_LINES = 10_000
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_trace(
    trace: Trace,
    path: str | os.PathLike[str],
    *,
    name: str = "workflow",
    unit_s: float = 1.0,
    priority: ArrayLike | None = None,
    memory: tuple[ArrayLike, ArrayLike] | None = None,
) -> None:
    """Write a trace to a file, whole or not at all; ``-`` is standard output, ``.gz`` is packed.

    Parameters
    ----------
    name
        What the process is called.
    unit_s
        How many seconds to show for one unit of the trace's time, such as 60 where a mean job takes a minute.
    priority
        A number for each job, shown with it.
    memory
        Times and what is occupied from each of them on, such as a ``simulation.MemoryUse``.

    Raises
    ------
    EligoError
        Times are out of the format's range, or there is not one priority for each job.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> write_trace(Trace.of(Dag.from_edges(["a"]), [0], [2.5], [0]), "-")
    {"traceEvents":[
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"workflow"}},
    {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker 0"}},
    {"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":0}},
    {"ph":"X","pid":1,"tid":1,"ts":0,"dur":2500000,"name":"a","cat":"job","args":{"job":"a","worker":0}},
    {"ph":"C","pid":1,"ts":0,"name":"jobs","args":{"running":1,"ELIGIBLE":0}},
    {"ph":"C","pid":1,"ts":2500000,"name":"jobs","args":{"running":0,"ELIGIBLE":0}}
    ],"otherData":{"jobs":1}}
    """
    lines = generate_trace(trace, name=name, unit_s=unit_s, priority=priority, memory=memory)
    replace_file(path, _encoded(lines))


def generate_trace(
    trace: Trace,
    *,
    name: str = "workflow",
    unit_s: float = 1.0,
    priority: ArrayLike | None = None,
    memory: tuple[ArrayLike, ArrayLike] | None = None,
) -> Iterator[str]:
    """Check everything, then return the lines of a trace's JSON one by one; parameters as of :func:`write_trace`.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> import json
    >>> text = "".join(generate_trace(Trace.of(Dag.from_names([("a", "b")]), [0, 1], [1, 3])))
    >>> [(event["name"], event["ts"]) for event in json.loads(text)["traceEvents"] if event["ph"] == "X"]
    [('a', 0), ('b', 1000000)]
    """
    clock = _Clock(trace, unit_s)
    ranks = _priorities(trace, priority)
    counters = [_job_counters(trace, clock)]
    if memory is not None:
        counters.append(_memory_counters(*memory, clock))
    lanes = lanes_of(trace)
    return _document([_names(lanes, name), _jobs(trace, lanes, clock, ranks), *counters], trace)


class _Clock:
    """Turns the times of a trace into whole microseconds from 0 on."""

    def __init__(self, trace: Trace, unit_s: float) -> None:
        if not (unit_s > 0 and math.isfinite(unit_s)):
            raise EligoError(f"a unit of time must take a number of seconds above 0, not {unit_s:g}")
        times = trace.event_times()
        first = float(times[0]) if len(times) else 0.0
        self._origin = first if trace.measured else min(first, 0.0)
        self._factor = unit_s * 1e6
        self.last = int(self(times[-1:])[0]) if len(times) else 0

    def __call__(self, times: Float64) -> Int64:
        with np.errstate(over="ignore"):
            scaled = (times - self._origin) * self._factor
        if scaled.size and not np.abs(scaled).max() < _LARGEST_US:
            raise EligoError(
                "the times are too long for a Chrome trace, which ends after 285 years",
                hint="show a unit of time as fewer seconds",
            )
        return np.rint(scaled).astype(np.int64)


def _document(parts: Iterable[Iterator[str]], trace: Trace) -> Iterator[str]:
    yield '{"traceEvents":[\n'
    between = ""
    for part in parts:
        for line in part:
            yield between + line
            between = ",\n"
    notes = "".join(f",{_quote(f'assumption {i + 1}')}:{_quote(text)}" for i, text in enumerate(trace.assumptions))
    yield f'\n],"otherData":{{"jobs":{trace.dag.n}{notes}}}}}\n'


def _names(lanes: Lanes, name: str) -> Iterator[str]:
    yield f'{{"ph":"M","pid":1,"name":"process_name","args":{{"name":{_quote(name)}}}}}'
    for lane, owner in enumerate(lanes.worker.tolist()):
        label = f"worker {owner}" if owner != ANYWHERE else f"slot {lane}"
        head = f'{{"ph":"M","pid":1,"tid":{lane + 1},"name":'
        yield f'{head}"thread_name","args":{{"name":"{label}"}}}}'
        yield f'{head}"thread_sort_index","args":{{"sort_index":{lane}}}}}'


def _jobs(trace: Trace, lanes: Lanes, clock: _Clock, priority: list[str] | None) -> Iterator[str]:
    """Yield an event for each job that started, in the order of starts."""
    order, names = trace.order, trace.dag.names
    start = clock(trace.start_s[order])
    open_ = np.isnan(trace.end_s[order])
    end = np.full(len(order), clock.last)
    end[~open_] = clock(trace.end_s[order[~open_]])
    columns = order, lanes.lane[order] + 1, start, end - start, open_, trace.worker[order]
    for job, tid, ts, dur, unfinished, worker in zip(*(column.tolist() for column in columns), strict=True):
        quoted = _quote(names[job])
        kind = "job,unfinished" if unfinished else "job"
        rank = f',"priority":{priority[job]}' if priority else ""
        where = f',"worker":{worker}' if worker != ANYWHERE else ""
        yield (
            f'{{"ph":"X","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"name":{quoted},"cat":"{kind}",'
            f'"args":{{"job":{quoted}{rank}{where}}}}}'
        )


def _job_counters(trace: Trace, clock: _Clock) -> Iterator[str]:
    eligible, running = trace.counts()
    time = np.concatenate([[0], clock(trace.event_times())])  # before the first event jobs may wait for workers
    last = np.flatnonzero(np.diff(time, append=-1))
    for ts, run, wait in zip(*(a.tolist() for a in (time[last], running[last], eligible[last])), strict=True):
        yield f'{{"ph":"C","pid":1,"ts":{ts},"name":"jobs","args":{{"running":{run},"ELIGIBLE":{wait}}}}}'


def _memory_counters(times: ArrayLike, sizes: ArrayLike, clock: _Clock) -> Iterator[str]:
    time, size = np.asarray(times, np.float64), np.asarray(sizes)
    if time.ndim != 1 or time.shape != size.shape or size.dtype.kind not in "iuf" or not np.all(np.isfinite(size)):
        raise EligoError("memory needs one size for each time")
    if not np.all(np.isfinite(time)) or np.any(np.diff(time) < 0):
        raise EligoError("times of memory must be numbers, in order")
    if not len(time):
        return iter(())
    stamp = clock(time)
    first = np.flatnonzero(np.diff(stamp, prepend=stamp[:1] - 1))
    last = np.append(first[1:], len(stamp)) - 1
    return _memory_lines(stamp[first].tolist(), np.maximum.reduceat(size, first).tolist(), size[last].tolist())


def _memory_lines(stamps: list[int], largest: list[float], last: list[float]) -> Iterator[str]:
    for ts, most, final in zip(stamps, largest, last, strict=True):
        for value in (most, final) if most != final else (final,):
            yield f'{{"ph":"C","pid":1,"ts":{ts},"name":"memory","args":{{"bytes":{value}}}}}'


def _priorities(trace: Trace, priority: ArrayLike | None) -> list[str] | None:
    if priority is None:
        return None
    values = np.asarray(priority)
    if values.shape != (trace.dag.n,) or values.dtype.kind not in "iuf" or not np.all(np.isfinite(values)):
        raise EligoError(f"priorities must be one number for each of the {trace.dag.n} jobs")
    return [repr(value) for value in values.tolist()]


def _quote(text: str) -> str:
    known = _SURROGATE.sub("\ufffd", text)
    if known.endswith("\\"):
        return encode_basestring(known[:-1])[:-1] + '\\u005c"'
    return encode_basestring(known)


def _encoded(lines: Iterator[str]) -> Iterator[bytes]:
    while some := "".join(islice(lines, _LINES)):
        yield some.encode()
