"""The simplified pebble game: each step executes one ELIGIBLE job (Rosenberg and Yurkewych 2005, section 2.2.2).

It follows from the full game under the assumption that jobs are executed in the order of their allocation: what matters
then is only which jobs are EXECUTED, ELIGIBLE or neither. The game counts for each job the parents still to be
executed and the children still to be executed; the first count falling to 0 makes a job ELIGIBLE, the second closes
it, so that its result need not be kept. A move, or taking one back, costs O(1 + degree).
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag, Int64
from eligo.errors import EligoError
from eligo.schedule import Schedule

__all__ = ["SimpleGame", "job_number"]


class SimpleGame:
    """The simplified game: each step executes one ELIGIBLE job.

    Examples
    --------
    >>> game = SimpleGame(Dag.from_names([("a", "b"), ("a", "c")]))
    >>> game.execute(0), game.eligible, game.profile.tolist(), game.open_jobs
    ([1, 2], 2, [1, 2], 1)
    >>> game.execute(0)
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: job 'a' is executed already
    """

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._missing = np.diff(dag.pred_ptr).tolist()
        self._unserved = np.diff(dag.succ_ptr).tolist()
        self._done = [False] * dag.n
        self._order: list[int] = []
        self._profile: list[int] = [self._missing.count(0)]
        self._open = [0]
        self._most_open = [0]

    @property
    def order(self) -> list[int]:
        """The jobs executed so far, first to last."""
        return list(self._order)

    @property
    def eligible(self) -> int:
        """The number of ELIGIBLE jobs now."""
        return self._profile[-1]

    @property
    def profile(self) -> Int64:
        """E(0), ..., E(t) after t steps."""
        return np.array(self._profile, np.int64)

    @property
    def open_jobs(self) -> int:
        """The number of EXECUTED jobs that have a child to execute."""
        return self._open[-1]

    @property
    def memory_cost(self) -> int:
        """The largest number of open jobs so far."""
        return self._most_open[-1]

    @property
    def finished(self) -> bool:
        """Whether every job is executed."""
        return len(self._order) == self.dag.n

    def is_eligible(self, job: int) -> bool:
        """Tell whether a job can be executed next.

        Examples
        --------
        >>> game = SimpleGame(Dag.from_edges(2, [0], [1]))
        >>> game.is_eligible(0), game.is_eligible(1)
        (True, False)
        """
        job = job_number(self.dag, job)
        return not self._done[job] and self._missing[job] == 0

    def execute(self, job: int) -> list[int]:
        """Execute an ELIGIBLE job; return the jobs that become ELIGIBLE by it.

        Examples
        --------
        >>> SimpleGame(Dag.from_names([("a", "b")])).execute(1)
        Traceback (most recent call last):
            ...
        eligo.errors.EligoError: job 'b' waits for 'a'
        """
        job = job_number(self.dag, job)
        self._check(job)
        self._done[job] = True
        self._order.append(job)
        fresh = []
        for child in self.dag.children(job).tolist():
            self._missing[child] -= 1
            if self._missing[child] == 0:
                fresh.append(child)
        closed = 0
        for parent in self.dag.parents(job).tolist():
            self._unserved[parent] -= 1
            closed += self._unserved[parent] == 0
        self._profile.append(self._profile[-1] - 1 + len(fresh))
        self._open.append(self._open[-1] - closed + (self._unserved[job] > 0))
        self._most_open.append(max(self._most_open[-1], self._open[-1]))
        return fresh

    def undo(self) -> int:
        """Take back the last step; return its job.

        Examples
        --------
        >>> game = SimpleGame(Dag.from_edges(2, [0], [1]))
        >>> game.execute(0), game.undo(), game.eligible
        ([1], 0, 1)
        """
        if not self._order:
            raise EligoError("no job is executed: there is no step to take back")
        job = self._order.pop()
        self._done[job] = False
        for child in self.dag.children(job).tolist():
            self._missing[child] += 1
        for parent in self.dag.parents(job).tolist():
            self._unserved[parent] += 1
        for history in (self._profile, self._open, self._most_open):
            history.pop()
        return job

    def play(self, schedule: Schedule) -> None:
        """Execute a schedule's jobs in order, from the start or from where the game stands in that order.

        Examples
        --------
        >>> dag = Dag.from_edges(3, [0, 0], [1, 2])
        >>> game = SimpleGame(dag)
        >>> game.play(Schedule.of(dag, [0, 2, 1]))
        >>> game.profile.tolist()
        [1, 2, 1, 0]
        """
        jobs = schedule.order.tolist()
        for job in jobs[len(self._order) :] if jobs[: len(self._order)] == self._order else jobs:
            self.execute(job)

    def _check(self, job: int) -> None:
        name = self.dag.names[job]
        if self._done[job]:
            raise EligoError(f"job {name!r} is executed already")
        if self._missing[job]:
            waits = next(parent for parent in self.dag.parents(job).tolist() if not self._done[parent])
            raise EligoError(f"job {name!r} waits for {self.dag.names[waits]!r}")


def job_number(dag: Dag, job: int) -> int:
    """Check that a job exists; return its number as a plain integer.

    Examples
    --------
    >>> job_number(Dag.from_edges(2), 2)
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: there is no job number 2
    hint: jobs are numbered 0 to 1
    """
    if not 0 <= job < dag.n:
        raise EligoError(f"there is no job number {job}", hint=f"jobs are numbered 0 to {dag.n - 1}")
    return int(job)
