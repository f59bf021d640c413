"""Where a run stands, kept up to date: how many jobs are done, running, eligible, failed, and how long it will take.

Problem: a run of a million jobs tells of each as it goes on, and counting all anew each time would take hours.

Idea: what changes with one job are its own status, the number of parents its children still wait for, and, where it
failed, which of those behind it can never run. So each job costs its degree, and each edge is followed at most twice in
a whole run.

Invariant: a waiting job is *eligible* if all its parents are done, *hopeless* if one before it failed for good.
Resuming lets failed jobs wait again before it is counted, so none is hopeless from an earlier run.

How long it will take follows from the pace: the work that was done since we looked first (seconds where job times are
known, else jobs), against the work that is left and not hopeless.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eligo.dag import Dag
from eligo.engines.state import JobStatus

__all__ = ["Tally"]

_WAITING, _RUNNING, _DONE, _FAILED = JobStatus.WAITING, JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED


class Tally:
    """Counts of the jobs of a run.

    Attributes
    ----------
    eligible
        How many wait for nothing but a place to run.
    hopeless
        How many can never run, since one before them failed.
    work_left, work_done
        What is to do, and what was done since this tally began.

    Examples
    --------
    >>> tally = Tally(Dag.from_names([("a", "b"), ("a", "c"), ("c", "d")]), [0, 0, 0, 0])
    >>> tally.look(0, JobStatus.DONE)
    >>> tally.done, tally.eligible
    (1, 2)
    >>> tally.look(2, JobStatus.RUNNING)
    >>> tally.look(2, JobStatus.FAILED)
    >>> tally.failed, tally.hopeless, tally.eligible, tally.left_s(6.0)
    (1, 1, 1, 3.0)
    """

    def __init__(self, dag: Dag, status: Sequence[int]) -> None:
        self.dag = dag
        self.n = dag.n
        self._status = list(status)
        now = np.asarray(status, np.int8).reshape(dag.n)
        waited_for = np.bincount(dag.heads[now[dag.tails] != _DONE], minlength=dag.n)
        self._left: list[int] = waited_for.tolist()
        self._counts: list[int] = np.bincount(now, minlength=len(JobStatus)).tolist()
        self.eligible = int(np.count_nonzero((now == _WAITING) & (waited_for == 0)))
        self._weight = _weights(dag)
        open_jobs = np.flatnonzero((now == _WAITING) | (now == _RUNNING))
        self.work_left = float(sum(self._weight[job] for job in open_jobs.tolist()))
        self.work_done = 0.0
        self.hopeless = 0
        self._is_hopeless = bytearray(dag.n)
        for job in np.flatnonzero(now == _FAILED).tolist():
            self._give_up_behind(job)

    @property
    def done(self) -> int:
        """How many have succeeded."""
        return self._counts[_DONE]

    @property
    def running(self) -> int:
        """How many run."""
        return self._counts[_RUNNING]

    @property
    def failed(self) -> int:
        """How many have failed for good."""
        return self._counts[_FAILED]

    @property
    def waiting(self) -> int:
        """How many have yet to start, eligible and hopeless ones too."""
        return self._counts[_WAITING]

    def look(self, job: int, status: int) -> None:
        """Take note of what a job's status is now; the same once more changes nothing."""
        old = self._status[job]
        if old == status:
            return
        self._status[job] = status
        self._counts[old] -= 1
        self._counts[status] += 1
        if not self._left[job]:
            self.eligible += (status == _WAITING) - (old == _WAITING)
        if (status == _DONE) != (old == _DONE):
            self._tell_children(job, -1 if status == _DONE else 1)
        if (status >= _DONE) != (old >= _DONE) and not self._is_hopeless[job]:
            work = self._weight[job] if status >= _DONE else -self._weight[job]
            self.work_left -= work
            self.work_done += work
        if status == _FAILED:
            self._give_up_behind(job)

    def left_s(self, elapsed_s: float) -> float | None:
        """Return how long the rest will take at the pace of the seconds so far; ``None`` while nobody can tell."""
        if self.work_done <= 0 or elapsed_s <= 0:
            return None
        return elapsed_s * max(self.work_left, 0.0) / self.work_done

    def _tell_children(self, job: int, change: int) -> None:
        left, status = self._left, self._status
        for child in self.dag.children(job).tolist():
            was = left[child] == 0
            left[child] += change
            if status[child] == _WAITING:
                self.eligible += (left[child] == 0) - was

    def _give_up_behind(self, job: int) -> None:
        stack = [job]
        while stack:
            for child in self.dag.children(stack.pop()).tolist():
                if not self._is_hopeless[child]:
                    self._is_hopeless[child] = 1
                    stack.append(child)
                    if self._status[child] == _WAITING:
                        self.hopeless += 1
                        self.work_left -= self._weight[child]


def _weights(dag: Dag) -> list[float]:
    """Return how much work each job is: its time, a middling one where it is unknown, or 1 where all are."""
    known = None if dag.time_s is None else dag.time_s[~np.isnan(dag.time_s)]
    if dag.time_s is None or known is None or not known.sum() > 0:
        return [1.0] * dag.n
    weights: list[float] = np.where(np.isnan(dag.time_s), known.mean(), dag.time_s).tolist()
    return weights
