"""The Schedule: an order of a dag's jobs, how many jobs it keeps ELIGIBLE at every step, and what it costs in memory.

A job is EXECUTED once it stands before the step, ELIGIBLE when all its parents are EXECUTED and it is not itself; jobs
without parents are ELIGIBLE from the start and count (Rosenberg and Yurkewych 2005, section 2.2). E(t) is the number
of ELIGIBLE jobs after t steps, t = 0..n; the sum of E is the AREA. An EXECUTED job is *open* while a child of it is
not EXECUTED, since its result must be kept; the largest number of open jobs is the memory cost.

Everything is computed from two numbers a job, both in O(n + m): the step at which its last parent is executed, and
the step at which its last child is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.data import job_numbers
from eligo.errors import EligoError
from eligo.graph import sinks

__all__ = ["Comparison", "Schedule", "area_of", "latest", "places", "sinks_last"]


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Schedule:
    """An order in which all jobs of a dag can be executed.

    Make one with :meth:`of` or with a strategy.

    Attributes
    ----------
    dag
        Whose jobs are ordered.
    order
        The jobs in order of execution.
    profile
        E(0), ..., E(n): the number of ELIGIBLE jobs after so many steps.

    Examples
    --------
    >>> fork = Dag.from_edges(["a", "b", "c", "alone"], [0, 0], [1, 2])
    >>> good, bad = Schedule.of(fork, [0, 1, 2, 3]), Schedule.of(fork, [3, 0, 1, 2])
    >>> good.profile.tolist(), bad.profile.tolist()
    ([2, 3, 2, 1, 0], [2, 1, 2, 1, 0])
    >>> good.area, good.memory_cost, good.priorities.tolist()
    (8, 1, [4, 3, 2, 1])
    """

    dag: Dag
    order: Int32
    profile: Int64

    @classmethod
    def of(cls, dag: Dag, order: ArrayLike) -> Schedule:
        """Check that an order names every job once and none before a parent of it.

        Raises
        ------
        EligoError
            The order is none of this dag; the message names the first job that is wrong.

        Examples
        --------
        >>> Schedule.of(Dag.from_names([("a", "b")]), [1, 0])
        Traceback (most recent call last):
            ...
        eligo.errors.EligoError: job 'b' stands before 'a', which it waits for
        """
        jobs = job_numbers(order, dag.n).copy()
        _check_once(dag, jobs)
        position = places(jobs)
        ready = latest(dag.pred_ptr, dag.pred, position)
        if np.any(late := ready > position):
            job = int(jobs[np.flatnonzero(late[jobs])[0]])
            parents = dag.parents(job)
            parent = int(parents[np.argmax(position[parents])])
            raise EligoError(f"job {dag.names[job]!r} stands before {dag.names[parent]!r}, which it waits for")
        n = dag.n
        steps = np.arange(n + 1)
        profile = np.cumsum(np.bincount(ready + 1, minlength=n + 1)[: n + 1]) - steps
        for array in (jobs, profile):
            array.flags.writeable = False
        return cls(dag, jobs, profile)

    @classmethod
    def of_names(cls, dag: Dag, names: list[str]) -> Schedule:
        """Return the schedule of an order given by job names.

        Examples
        --------
        >>> Schedule.of_names(Dag.from_names([("a", "b")]), ["a", "b"])
        Schedule(2 jobs, AREA 2)
        """
        return cls.of(dag, [dag.index(name) for name in names])

    @property
    def area(self) -> int:
        """The AREA: the sum of E(0), ..., E(n)."""
        return int(self.profile.sum())

    @property
    def priorities(self) -> Int32:
        """For each job its priority: n for the first of the order, 1 for the last."""
        n = self.dag.n
        priority = np.empty(n, np.int32)
        priority[self.order] = np.arange(n, 0, -1)
        return priority

    @property
    def names(self) -> list[str]:
        """The job names in order of execution."""
        return [self.dag.names[job] for job in self.order.tolist()]

    @property
    def open_jobs(self) -> Int64:
        """For each step 0..n the number of EXECUTED jobs that still have a child to execute."""
        n, position = self.dag.n, places(self.order)
        closed = latest(self.dag.succ_ptr, self.dag.succ, position)
        opened = closed >= 0
        changes = np.bincount(position[opened] + 1, minlength=n + 2) - np.bincount(closed[opened] + 1, minlength=n + 2)
        open_jobs: Int64 = np.cumsum(changes)[: n + 1]
        return open_jobs

    @property
    def memory_cost(self) -> int:
        """The largest number of open jobs at any step."""
        return int(self.open_jobs.max())

    def compare(self, other: Schedule) -> Comparison:
        """Compare step by step with another schedule of a dag with as many jobs.

        Examples
        --------
        >>> dag = Dag.from_edges(4, [0, 0], [1, 2])
        >>> Schedule.of(dag, [0, 1, 2, 3]).compare(Schedule.of(dag, [3, 0, 1, 2]))
        Comparison(ahead=1, behind=0, area=2, largest_lead=2, largest_lag=0)
        """
        if self.dag.n != other.dag.n:
            raise EligoError(f"schedules of {self.dag.n} and {other.dag.n} jobs cannot be compared step by step")
        return Comparison.of(self.profile - other.profile)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return NotImplemented
        return np.array_equal(self.order, other.order) and self.dag == other.dag

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Schedule.of, (self.dag, self.order)

    def __repr__(self) -> str:
        return f"Schedule({self.dag.n:,} job{'s' * (self.dag.n != 1)}, AREA {self.area:,})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one schedule's profile stands to another's.

    Attributes
    ----------
    ahead, behind
        The number of steps at which the first keeps more, or fewer, jobs ELIGIBLE.
    area
        The difference of the AREAs.
    largest_lead, largest_lag
        The largest difference at a step, either way.
    difference
        E of the first less E of the second, for every step 0..n.
    """

    ahead: int
    behind: int
    area: int
    largest_lead: int
    largest_lag: int
    difference: Int64 = field(repr=False, compare=False)

    @classmethod
    def of(cls, difference: Int64) -> Comparison:
        """Summarise the differences of two profiles."""
        return cls(
            int((difference > 0).sum()),
            int((difference < 0).sum()),
            int(difference.sum()),
            int(difference.max(initial=0)),
            int((-difference).max(initial=0)),
            difference,
        )

    @property
    def nowhere_behind(self) -> bool:
        """Whether the first keeps at least as many jobs ELIGIBLE at every step."""
        return self.behind == 0

    @property
    def same(self) -> bool:
        """Whether both keep as many jobs ELIGIBLE at every step."""
        return self.ahead == self.behind == 0


def places(order: ArrayLike) -> Int64:
    """Return for each job its place in an order of all jobs.

    Examples
    --------
    >>> places([2, 0, 1]).tolist()
    [1, 2, 0]
    """
    jobs = np.asarray(order)
    place = np.empty(len(jobs), np.int64)
    place[jobs] = np.arange(len(jobs))
    return place


def area_of(dag: Dag, order: Int32) -> int:
    """Return the AREA of an order that is known to be valid, without the rest of a Schedule.

    A job that is ELIGIBLE from step r on and executed as number p counts at steps r, ..., p.

    Examples
    --------
    >>> area_of(Dag.from_names([("a", "b"), ("a", "c")]), np.array([0, 1, 2], np.int32))
    4
    """
    ready = latest(dag.pred_ptr, dag.pred, places(order)) + 1
    return dag.n * (dag.n + 1) // 2 - int(ready.sum())


def latest(ptr: Int64, neighbours: Int32, place: Int64) -> Int64:
    """Return for each row of compressed sparse rows the latest place of its entries, -1 where it has none.

    Examples
    --------
    >>> join = Dag.from_edges(3, [0, 1], [2, 2])
    >>> latest(join.pred_ptr, join.pred, places([1, 0, 2])).tolist()
    [-1, -1, 1]
    """
    return _core.latest(ptr, neighbours, place)


def sinks_last(dag: Dag, order: Int32) -> Int32:
    """Return an order with its sinks moved to the end, ascending.

    Examples
    --------
    >>> sinks_last(Dag.from_edges(4, [1, 3], [0, 2]), np.array([1, 0, 3, 2], np.int32))
    array([1, 3, 0, 2], dtype=int32)
    """
    inner = np.diff(dag.succ_ptr) > 0
    return np.concatenate([order[inner[order]], sinks(dag)])


def _check_once(dag: Dag, jobs: Int32) -> None:
    """Refuse an order that does not name every job once."""
    counts = np.bincount(jobs, minlength=dag.n)
    for wrong, what in ((counts > 1, "stands twice"), (counts == 0, "is missing")):
        if wrong.any():
            raise EligoError(f"job {dag.names[int(np.argmax(wrong))]!r} {what} in the order")
