"""Dags made of dags: the dual, other names and numbers, parts of one, and several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import OUTSIDE, Dag, Data, Int32, Int64
from eligo.data import job_numbers
from eligo.graph.shape import reachable

__all__ = [
    "cut_out",
    "dual",
    "edges_between",
    "grouped",
    "induced_subdag",
    "relabel",
    "rename",
    "sum_of",
]


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
