"""The Dag: jobs, the dependencies between them, and what is known of their times and data.

Jobs are numbered 0..n-1 in the order in which they were first defined; every array here is indexed by that number.
Dependencies are kept as compressed sparse rows in both directions, sorted and without duplicates. What jobs pass
to each other is a list of *data* (files): one producer, any number of readers, one size. A datum that several jobs
read is one datum and counts once; an edge with a weight of its own is a datum with one reader.

Everything is checked once, on construction, in O(n + m); after that a Dag never changes and every function may rely
on its being acyclic. Numbers that a format does not state are *unknown*: ``nan`` for times, -1 for sizes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo import _core
from eligo.data import (
    MAX_BYTES,
    MAX_SECONDS,
    OUTSIDE,
    UNKNOWN,
    Data,
    Float64,
    Int32,
    Int64,
    check_sizes,
    job_numbers,
    whole_sizes,
)
from eligo.errors import CycleError, EligoError

__all__ = ["MAX_BYTES", "MAX_SECONDS", "OUTSIDE", "UNKNOWN", "Dag", "Data", "Float64", "Int32", "Int64"]

_Array = TypeVar("_Array", Int32, Int64, Float64)

_CYCLE_BUDGET = 20_000_000


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dag:
    """Jobs and their dependencies: immutable, acyclic, without duplicate edges.

    Make one with :meth:`from_edges`, :meth:`from_names`, ``eligo.read`` or a generator.

    Attributes
    ----------
    names
        Job names, unique, in the order of first definition.
    succ_ptr, succ, pred_ptr, pred
        Children and parents as compressed sparse rows, each row ascending.
    time_s
        How long each job takes; ``nan`` where unknown; ``None`` where unknown of all.
    temp_bytes
        Space a job needs only while it runs, of the same kind as the data; ``UNKNOWN`` or ``None`` likewise.
    memory_bytes
        Main memory a job states it uses while it runs; likewise.
    count
        How many tasks each job stands for (``queue 10`` is one job that counts 10); ``None`` where 1 for all.
    data
        What jobs pass to each other, or ``None`` where nothing is known of it.

    Examples
    --------
    >>> dag = Dag.from_names([("prepare", "left"), ("prepare", "right"), ("left", "join"), ("right", "join")])
    >>> dag
    Dag(4 jobs, 4 edges)
    >>> [dag.names[child] for child in dag.children(0)]
    ['left', 'right']
    """

    names: tuple[str, ...]
    succ_ptr: Int64
    succ: Int32
    pred_ptr: Int64
    pred: Int32
    order: Int32
    """The first-in-first-out topological order: sources by number, then jobs as their last parent is placed."""
    time_s: Float64 | None = None
    temp_bytes: Int64 | None = None
    memory_bytes: Int64 | None = None
    count: Int64 | None = None
    data: Data | None = None
    _index: dict[str, int] = field(default_factory=dict, init=False)

    @classmethod
    def from_edges(
        cls,
        jobs: int | Sequence[str],
        tails: ArrayLike = (),
        heads: ArrayLike = (),
        *,
        time_s: ArrayLike | None = None,
        temp_bytes: ArrayLike | None = None,
        memory_bytes: ArrayLike | None = None,
        count: ArrayLike | None = None,
        data: Data | None = None,
    ) -> Dag:
        """Build a dag from arrays: job ``tails[i]`` must complete before job ``heads[i]`` starts.

        Parameters
        ----------
        jobs
            The job names, or just how many there are; they are then named by their numbers.

        Raises
        ------
        CycleError
            Carries the shortest cycle that could be found.

        Examples
        --------
        >>> Dag.from_edges(3, [0, 0, 0], [1, 2, 1]).m
        2
        >>> Dag.from_edges(["a", "b"], [0, 1], [1, 0])
        Traceback (most recent call last):
            ...
        eligo.errors.CycleError: the jobs form a cycle: a -> b -> a
        hint: remove one of these dependencies: jobs that wait for each other never run
        """
        names = _names(jobs)
        n = len(names)
        tail, head = job_numbers(tails, n), job_numbers(heads, n)
        if len(tail) != len(head):
            raise ValueError(f"{len(tail)} tails but {len(head)} heads")
        rows = _core.build_two_way(n, tail, head)
        order = _core.topological_order(*rows)
        if len(order) < n:
            raise CycleError([names[v] for v in _core.short_cycle(*rows, _CYCLE_BUDGET)])
        for array in (*rows, order):
            array.flags.writeable = False
        dag = cls(
            names,
            *rows,
            order,
            _times(time_s, n),
            _sizes(temp_bytes, n, "temp_bytes"),
            _sizes(memory_bytes, n, "memory_bytes"),
            _counts(count, n),
            data if data is not None and data.k else None,
        )
        if data is not None:
            _check_data(dag, data)
        return dag

    @classmethod
    def from_names(cls, edges: Iterable[tuple[Hashable, Hashable]], jobs: Iterable[Hashable] = (), **known: Any) -> Dag:
        """Build a dag from pairs of names; `jobs` come first, then names in the order in which edges mention them.

        Further keywords are those of :meth:`from_edges`.

        Examples
        --------
        >>> Dag.from_names([("a", "b")], jobs=["alone"]).names
        ('alone', 'a', 'b')
        """
        number: dict[Hashable, int] = {}
        for job in jobs:
            number.setdefault(job, len(number))
        tails: list[int] = []
        heads: list[int] = []
        for tail, head in edges:
            tails.append(number.setdefault(tail, len(number)))
            heads.append(number.setdefault(head, len(number)))
        return cls.from_edges([str(job) for job in number], tails, heads, **known)

    def thinned(self, keep: NDArray[np.bool_]) -> Dag:
        """Return the same dag with only some of its edges, of which paths must lead beside all others.

        Then the same orders remain possible, the first-in-first-out one is the same, and so is who depends on whom:
        what is known of the jobs stays as it is.

        Examples
        --------
        >>> Dag.from_edges(3, [0, 0, 1], [1, 2, 2]).thinned(np.array([True, False, True])).m
        2
        """
        succ_ptr, succ, pred_ptr, pred = rows = _core.build_two_way(self.n, self.tails[keep], self.heads[keep])
        for array in rows:
            array.flags.writeable = False
        return replace(self, succ_ptr=succ_ptr, succ=succ, pred_ptr=pred_ptr, pred=pred)

    def with_edges(self, tails: ArrayLike, heads: ArrayLike) -> Dag:
        """Return the same jobs with more edges; all that is known of them stays as it is.

        Raises
        ------
        CycleError
            The new edges close one.

        Examples
        --------
        >>> Dag.from_edges(3, [0], [1]).with_edges([1], [2]).m
        2
        """
        more_tails, more_heads = job_numbers(tails, self.n), job_numbers(heads, self.n)
        rows = _core.build_two_way(
            self.n, np.concatenate([self.tails, more_tails]), np.concatenate([self.heads, more_heads])
        )
        order = _core.topological_order(*rows)
        if len(order) < self.n:
            raise CycleError([self.names[v] for v in _core.short_cycle(*rows, _CYCLE_BUDGET)])
        for array in (*rows, order):
            array.flags.writeable = False
        succ_ptr, succ, pred_ptr, pred = rows
        return replace(self, succ_ptr=succ_ptr, succ=succ, pred_ptr=pred_ptr, pred=pred, order=order)

    @property
    def n(self) -> int:
        """The number of jobs."""
        return len(self.names)

    @property
    def m(self) -> int:
        """The number of edges."""
        return len(self.succ)

    def children(self, job: int) -> Int32:
        """Return the jobs that wait for `job`, ascending."""
        return self.succ[self.succ_ptr[job] : self.succ_ptr[job + 1]]

    def parents(self, job: int) -> Int32:
        """Return the jobs that `job` waits for, ascending."""
        return self.pred[self.pred_ptr[job] : self.pred_ptr[job + 1]]

    @property
    def tails(self) -> Int32:
        """The first job of every edge, in the order of ``succ``."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.succ_ptr))

    @property
    def heads(self) -> Int32:
        """The second job of every edge."""
        return self.succ

    def index(self, name: str) -> int:
        """Return the number of the job with this name.

        Examples
        --------
        >>> Dag.from_names([("a", "b")]).index("b")
        1
        """
        try:
            return self._numbers()[name]
        except KeyError:
            raise EligoError(f"there is no job called {name!r}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._numbers()

    def _numbers(self) -> dict[str, int]:
        """Return the number of each name; made when it is first asked for, as few dags ever are."""
        if not self._index:
            self._index.update(zip(self.names, range(self.n), strict=True))
        return self._index

    def with_known(self, **known: Any) -> Dag:
        """Return the same jobs and edges with other times, sizes or data; what is not named stays.

        Examples
        --------
        >>> Dag.from_edges(2, [0], [1]).with_known(time_s=[1.5, 2]).time_s
        array([1.5, 2. ])
        """
        return Dag.from_edges(self.names, self.tails, self.heads, **{**self._known(), **known})

    def _known(self) -> dict[str, Any]:
        return {
            "time_s": self.time_s,
            "temp_bytes": self.temp_bytes,
            "memory_bytes": self.memory_bytes,
            "count": self.count,
            "data": self.data,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew where it is unpickled or copied: numpy forgets there that arrays are read-only.
        return _rebuild, (self.names, self.tails, self.heads, self._known())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dag):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.succ_ptr, other.succ_ptr)
            and np.array_equal(self.succ, other.succ)
            and _same(self.time_s, other.time_s)
            and _same(self.temp_bytes, other.temp_bytes)
            and _same(self.memory_bytes, other.memory_bytes)
            and _same(self.count, other.count)
            and self.data == other.data
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Dag({self.n:,} job{'s' * (self.n != 1)}, {self.m:,} edge{'s' * (self.m != 1)})"


def _rebuild(names: tuple[str, ...], tails: Int32, heads: Int32, known: dict[str, Any]) -> Dag:
    return Dag.from_edges(names, tails, heads, **known)


def _names(jobs: int | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(jobs, (int, np.integer)):
        names = tuple(jobs)
        if not set(map(type, names)) <= {str}:
            raise ValueError("job names must be text")
        if len(set(names)) < len(names):
            seen: set[str] = set()
            repeated = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise ValueError(f"two jobs are called {repeated!r}")
        return names
    if jobs < 0:
        raise ValueError(f"the number of jobs must not be negative, like {jobs}")
    return tuple(map(str, range(jobs)))


def _same(mine: Float64 | Int64 | None, theirs: Float64 | Int64 | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")


def _column(values: _Array, n: int, name: str) -> _Array:
    if values.shape != (n,):
        raise ValueError(f"{name} has {values.size} entries for {n} jobs")
    values.flags.writeable = False
    return values


def _times(values: ArrayLike | None, n: int) -> Float64 | None:
    if values is None:
        return None
    times = _column(np.array(values, np.float64), n, "time_s")
    if np.isnan(times).all():
        return None
    if np.any(times < 0) or np.any(times >= MAX_SECONDS):
        raise ValueError("times must be finite, below 2^62 seconds and not negative")
    return times


def _sizes(values: ArrayLike | None, n: int, name: str) -> Int64 | None:
    if values is None:
        return None
    sizes = _column(whole_sizes(values, name), n, name)
    check_sizes(sizes, name)
    return None if (sizes == UNKNOWN).all() else sizes


def _counts(values: ArrayLike | None, n: int) -> Int64 | None:
    if values is None:
        return None
    counts = _column(whole_sizes(values, "count"), n, "count")
    if np.any(counts < 0):
        raise ValueError("counts must not be negative")
    return None if (counts == 1).all() else counts


def _check_data(dag: Dag, data: Data) -> None:
    """Every reader must come after the producer, or the datum could be read before it exists."""
    if data.k == 0:
        return
    if data.producer.min() < OUTSIDE or data.producer.max() >= dag.n:
        raise ValueError("a datum's producer is not a job")
    if data.readers.size and (data.readers.min() < 0 or data.readers.max() >= dag.n):
        raise ValueError("a datum's reader is not a job")
    maker = np.repeat(data.producer, data.reader_counts)
    inside = maker != OUTSIDE
    maker, reader = maker[inside], data.readers[inside]
    joined = _core.has_edge(dag.succ_ptr, dag.succ, maker, reader).view(np.bool_)
    maker, reader = maker[~joined], reader[~joined]
    reached = _core.reachable(dag.succ_ptr, dag.succ, dag.pred_ptr, dag.pred, maker, reader).view(np.bool_)
    if not reached.all():
        bad = int(np.flatnonzero(~reached)[0])
        raise ValueError(
            f"job {dag.names[reader[bad]]!r} reads a datum of job {dag.names[maker[bad]]!r} but does not depend on it"
        )
