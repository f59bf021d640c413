"""Verbs on one Dag or several: its shape, its parts, and dags made from dags.

All are linear in jobs and edges, but for shortcut removal, which has no linear algorithm and is kept near it (see
``native/core/shortcuts.hpp``), and the topological order, which a Dag carries from its construction (``dag.order``).

What a dag looks like: its ends, levels and components, its longest path, who depends on whom, and its shortcuts.

Dags made of dags: the dual, other names and numbers, parts of one, and several side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo import _core
from eligo.dag import OUTSIDE, Dag, Data, Int32, Int64
from eligo.data import job_numbers

__all__ = [
    "Bools",
    "CriticalPath",
    "components",
    "critical_path",
    "cut_out",
    "dual",
    "edges_between",
    "grouped",
    "heights",
    "induced_subdag",
    "joined",
    "levels",
    "reachable",
    "relabel",
    "remove_shortcuts",
    "rename",
    "shortcuts",
    "sinks",
    "sources",
    "sum_of",
    "width",
]

Bools = NDArray[np.bool_]

# Looked-at arcs for each job and edge. Measured from 8 to 128: only dense random dags (10 edges a job) feel it, and
# there less is better, since bit sweeps decide the rest faster (12 s against 26 s at 3*10^6 edges).
_SEARCHES = 8


def sources(dag: Dag) -> Int32:
    """Return the jobs that wait for none, ascending.

    Examples
    --------
    >>> sources(Dag.from_edges(3, [0, 1], [2, 2]))
    array([0, 1], dtype=int32)
    """
    return np.flatnonzero(np.diff(dag.pred_ptr) == 0).astype(np.int32)


def sinks(dag: Dag) -> Int32:
    """Return the jobs that none waits for, ascending.

    Examples
    --------
    >>> sinks(Dag.from_edges(3, [0, 1], [2, 2]))
    array([2], dtype=int32)
    """
    return np.flatnonzero(np.diff(dag.succ_ptr) == 0).astype(np.int32)


def levels(dag: Dag) -> Int32:
    """Return for each job the number of edges on the longest path that leads to it.

    Examples
    --------
    >>> levels(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    array([0, 1, 2], dtype=int32)
    """
    return _core.levels(dag.pred_ptr, dag.pred, dag.order)


def heights(dag: Dag) -> Int32:
    """Return for each job the number of edges on the longest path that leaves it.

    Examples
    --------
    >>> heights(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    array([2, 1, 0], dtype=int32)
    """
    return _core.levels(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]))


def width(dag: Dag) -> int:
    """Return the number of jobs on the widest level.

    Examples
    --------
    >>> width(Dag.from_edges(4, [0, 0, 0], [1, 2, 3]))
    3
    """
    return int(np.bincount(levels(dag)).max()) if dag.n else 0


def components(dag: Dag) -> Int32:
    """Return for each job the number of its connected component; components are numbered by their first job.

    Examples
    --------
    >>> components(Dag.from_edges(4, [0, 1], [2, 3]))
    array([0, 1, 0, 1], dtype=int32)
    """
    return _core.components(dag.succ_ptr, dag.succ)


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The longest chain of jobs, which no number of workers can shorten.

    Attributes
    ----------
    length
        In seconds where times are known (unknown ones count as 0), else in jobs.
    in_seconds
        Which of the two.
    jobs
        The jobs along it, first to last.
    """

    length: float
    in_seconds: bool
    jobs: tuple[int, ...]


def critical_path(dag: Dag) -> CriticalPath:
    """Find the longest chain of jobs.

    Examples
    --------
    >>> critical_path(Dag.from_edges(3, [0, 0], [1, 2], time_s=[1, 2, 4]))
    CriticalPath(length=5.0, in_seconds=True, jobs=(0, 2))
    >>> critical_path(Dag.from_edges(3, [0, 0], [1, 2])).length
    2.0
    """
    weight = np.ones(dag.n) if dag.time_s is None else np.nan_to_num(dag.time_s, nan=0.0)
    finish = _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, weight)
    if dag.n == 0:
        return CriticalPath(0.0, dag.time_s is not None, ())
    job = int(np.argmax(finish))
    length = float(finish[job])
    path = [job]
    begin, parent, ends = dag.pred_ptr.tolist(), dag.pred.tolist(), finish.tolist()  # arrays cost more a step
    while parents := parent[begin[path[-1]] : begin[path[-1] + 1]]:
        path.append(max(parents, key=ends.__getitem__))
    return CriticalPath(length, dag.time_s is not None, tuple(reversed(path)))


def joined(dag: Dag, tails: Int32, heads: Int32) -> Bools:
    """Tell of pairs of jobs which of them an edge joins.

    Examples
    --------
    >>> dag = Dag.from_edges(3, [0, 1], [1, 2])
    >>> joined(dag, np.array([0, 0], np.int32), np.array([1, 2], np.int32)).tolist()
    [True, False]
    """
    return _core.has_edge(dag.succ_ptr, dag.succ, tails, heads).view(np.bool_)


def reachable(dag: Dag, from_jobs: ArrayLike, to_jobs: ArrayLike) -> Bools:
    """Tell for pairs of jobs whether the second depends on the first, directly or not.

    Examples
    --------
    >>> reachable(Dag.from_edges(3, [0, 1], [1, 2]), [0, 2], [2, 0])
    array([ True, False])
    """
    pairs = np.broadcast_arrays(np.atleast_1d(from_jobs), np.atleast_1d(to_jobs))
    first, second = (job_numbers(side, dag.n) for side in pairs)
    return _core.reachable(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, first, second).view(np.bool_)


def shortcuts(dag: Dag) -> tuple[Int32, Int32]:
    """Return the edges beside which a longer path leads: their tails and heads.

    Examples
    --------
    >>> shortcuts(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    (array([0], dtype=int32), array([2], dtype=int32))
    """
    mask = _shortcut_mask(dag)
    return dag.tails[mask], dag.heads[mask]


def remove_shortcuts(dag: Dag) -> Dag:
    """Return the dag without its shortcuts (the transitive reduction); the same orders remain possible.

    Examples
    --------
    >>> remove_shortcuts(Dag.from_edges(3, [0, 1, 0], [1, 2, 2])).m
    2
    """
    keep = ~_shortcut_mask(dag)
    return dag if keep.all() else dag.thinned(keep)


def _shortcut_mask(dag: Dag) -> Bools:
    return _core.shortcuts(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, _SEARCHES).view(np.bool_)


def dual(dag: Dag) -> Dag:
    """Return the dag with every edge reversed.

    Times and space of jobs stay. Data that pass along one edge turn round with it; data without a producer, without a
    reader or with several readers have no counterpart and are left out.

    Examples
    --------
    >>> dual(Dag.from_edges(3, [0, 0], [1, 2])).children(1)
    array([0], dtype=int32)
    """
    data = dag.data
    if data is not None:
        plain = (data.reader_counts == 1) & (data.producer != OUTSIDE)
        data = Data(
            data.size_bytes[plain],
            data.readers[data.reader_ptr[:-1][plain]],
            np.arange(int(plain.sum()) + 1, dtype=np.int64),
            data.producer[plain],
            None if data.names is None else tuple(data.names[d] for d in np.flatnonzero(plain)),
        )
    return _rebuild(dag, dag.names, dag.heads, dag.tails, data)


def relabel(dag: Dag, order: ArrayLike) -> Dag:
    """Renumber the jobs: job ``order[i]`` becomes job i, with its name and all that is known of it.

    Examples
    --------
    >>> relabel(Dag.from_names([("a", "b")]), [1, 0]).names
    ('b', 'a')
    """
    chosen = job_numbers(order, dag.n)
    if len(chosen) != dag.n or len(np.unique(chosen)) < dag.n:
        raise ValueError("order must name every job once")
    return induced_subdag(dag, chosen)


def rename(dag: Dag, names: Sequence[str]) -> Dag:
    """Return the same dag with other job names.

    Examples
    --------
    >>> rename(Dag.from_edges(2, [0], [1]), ["first", "second"]).index("second")
    1
    """
    return _rebuild(dag, tuple(names), dag.tails, dag.heads, dag.data)


def induced_subdag(dag: Dag, jobs: ArrayLike) -> Dag:
    """Return the dag of some jobs, numbered in the order given, and the edges between them.

    A datum whose producer is left out becomes an input from outside; a reader that no longer depends on the producer,
    because the path between them is cut, no longer reads it. Data that none of the jobs touches are left out.

    Examples
    --------
    >>> induced_subdag(Dag.from_edges(4, [0, 1, 2], [1, 2, 3]), [3, 2]).children(1)
    array([0], dtype=int32)
    """
    chosen = job_numbers(jobs, dag.n)
    tails, heads = edges_between(dag, chosen)
    bare = Dag.from_edges(
        [dag.names[job] for job in chosen],
        tails,
        heads,
        time_s=None if dag.time_s is None else dag.time_s[chosen],
        temp_bytes=None if dag.temp_bytes is None else dag.temp_bytes[chosen],
        memory_bytes=None if dag.memory_bytes is None else dag.memory_bytes[chosen],
        count=None if dag.count is None else dag.count[chosen],
    )
    return bare if dag.data is None else bare.with_known(data=_restrict(dag.data, _numbers(dag, chosen), bare))


def edges_between(dag: Dag, jobs: ArrayLike) -> tuple[Int32, Int32]:
    """Return the tails and heads of the edges between some jobs, which are numbered in the order given.

    Examples
    --------
    >>> edges_between(Dag.from_edges(4, [0, 1, 2], [1, 2, 3]), [3, 2])
    (array([1], dtype=int32), array([0], dtype=int32))
    """
    chosen = job_numbers(jobs, dag.n)
    degree = dag.succ_ptr[chosen + 1] - dag.succ_ptr[chosen]
    tails = np.repeat(np.arange(len(chosen), dtype=np.int32), degree)
    starts = np.repeat(dag.succ_ptr[chosen] - np.cumsum(degree) + degree, degree)
    heads = _numbers(dag, chosen)[dag.succ[starts + np.arange(len(tails))]]
    return tails[heads >= 0], heads[heads >= 0]


def cut_out(dag: Dag, parts: Sequence[Int32]) -> list[Dag]:
    """Return of each of many parts, which share no job, the dag of its jobs as listed: O(n + m) for all together.

    Examples
    --------
    >>> [part.m for part in cut_out(Dag.from_edges(4, [0, 1, 2], [1, 2, 3]), [np.array([0, 1]), np.array([3, 2])])]
    [1, 1]
    """
    of, place = np.full(dag.n, -1, np.int64), np.zeros(dag.n, np.int64)
    for number, jobs in enumerate(parts):
        of[jobs] = number
        place[jobs] = np.arange(len(jobs))
    tails, heads = dag.tails, dag.heads
    inside = np.flatnonzero((of[tails] == of[heads]) & (of[tails] >= 0))
    inside = inside[np.argsort(of[tails[inside]], kind="stable")]
    bounds = np.searchsorted(of[tails[inside]], np.arange(len(parts) + 1)).tolist()
    own_tails, own_heads = place[tails[inside]], place[heads[inside]]
    return [
        Dag.from_edges(len(jobs), own_tails[start:stop], own_heads[start:stop])
        for jobs, (start, stop) in zip(parts, pairwise(bounds), strict=True)
    ]


def _numbers(dag: Dag, chosen: Int32) -> Int32:
    """Return for each job its place among those chosen, -1 where it is none of them."""
    number = np.full(dag.n, -1, np.int32)
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    return number


def grouped(number: Int32, count: int) -> tuple[Int64, Int32]:
    """Return the jobs with each number of 0..count-1, ascending, as compressed sparse rows; -1 leaves a job out.

    Examples
    --------
    >>> grouped(np.array([1, -1, 0, 1], np.int32), 2)
    (array([0, 1, 3]), array([2, 0, 3], dtype=int32))
    """
    order = np.argsort(number, kind="stable")
    ptr = np.concatenate(([0], np.cumsum(np.bincount(number[number >= 0], minlength=count))))
    return ptr.astype(np.int64), order[len(number) - ptr[-1] :].astype(np.int32)


def _restrict(data: Data, number: Int32, dag: Dag) -> Data:
    """Carry data over to a dag whose jobs are those with a `number`."""
    kept_producer = np.where(data.producer == OUTSIDE, OUTSIDE, number[data.producer]).astype(np.int32)
    datum = np.repeat(np.arange(data.k), data.reader_counts)
    reader = number[data.readers]
    maker = kept_producer[datum]
    fine = reader >= 0
    within = fine & (maker != OUTSIDE)
    fine[within] = reachable(dag, maker[within], reader[within])
    # Every datum that is left has its producer or at least one reader inside.
    touched = kept_producer != OUTSIDE
    touched[datum[fine]] = True
    by_reader = np.lexsort((reader[fine], datum[fine]))
    counts = np.bincount(datum[fine], minlength=data.k)[touched]
    return Data(
        data.size_bytes[touched],
        kept_producer[touched],
        np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
        reader[fine][by_reader],
        None if data.names is None else tuple(data.names[d] for d in np.flatnonzero(touched)),
    )


def sum_of(dags: Sequence[Dag]) -> Dag:
    """Put dags side by side, without edges between them; jobs are numbered dag by dag.

    Names stay where they are unique; otherwise the i-th dag's jobs are called ``i.name``. What is known of times and
    data is unknown for the jobs of a dag that has none.

    Examples
    --------
    >>> sum_of([Dag.from_edges(1), Dag.from_edges(2, [0], [1])]).names
    ('0.0', '1.0', '1.1')
    """
    start = np.concatenate(([0], np.cumsum([dag.n for dag in dags], dtype=np.int64)))
    names = [name for dag in dags for name in dag.names]
    if len(set(names)) < len(names):
        names = [f"{i}.{name}" for i, dag in enumerate(dags) for name in dag.names]

    def column(field: str, unknown: float) -> ArrayLike | None:
        parts = [getattr(dag, field) for dag in dags]
        if all(part is None for part in parts):
            return None
        return np.concatenate(
            [np.full(dag.n, unknown) if part is None else part for dag, part in zip(dags, parts, strict=True)]
        )

    return Dag.from_edges(
        names,
        np.concatenate([dag.tails + start[i] for i, dag in enumerate(dags)]) if dags else (),
        np.concatenate([dag.heads + start[i] for i, dag in enumerate(dags)]) if dags else (),
        time_s=column("time_s", np.nan),
        temp_bytes=column("temp_bytes", -1),
        memory_bytes=column("memory_bytes", -1),
        count=column("count", 1),
        data=_data_sum(dags, start),
    )


def _data_sum(dags: Sequence[Dag], start: Int64) -> Data | None:
    parts = [(i, dag.data) for i, dag in enumerate(dags) if dag.data is not None]
    if not parts:
        return None
    names = None
    if any(data.names is not None for _, data in parts):
        names = tuple(f"{i}.{data.name_of(d)}" for i, data in parts for d in range(data.k))
    return Data(
        np.concatenate([data.size_bytes for _, data in parts]),
        np.concatenate([np.where(data.producer == OUTSIDE, OUTSIDE, data.producer + start[i]) for i, data in parts])
        .astype(np.int32),
        np.concatenate(([0], np.cumsum(np.concatenate([data.reader_counts for _, data in parts]), dtype=np.int64))),
        np.concatenate([data.readers + start[i] for i, data in parts]).astype(np.int32),
        names,
    )  # fmt: skip


def _rebuild(dag: Dag, names: Sequence[str], tails: ArrayLike, heads: ArrayLike, data: Data | None) -> Dag:
    """Make a dag with the same jobs and what is known of them, but other names, edges or data."""
    return Dag.from_edges(
        names,
        tails,
        heads,
        time_s=dag.time_s,
        temp_bytes=dag.temp_bytes,
        memory_bytes=dag.memory_bytes,
        count=dag.count,
        data=data,
    )
