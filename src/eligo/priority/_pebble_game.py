"""The Internet-computing pebble game, in its full and in its simplified form.

A Server owns the dag; Clients whose number and speed nobody knows ask it for jobs (Rosenberg and Yurkewych 2005,
section 2.2). A job carries an EBU pebble once it is eligible but unallocated, an EAA pebble once a Client has it, an
XEQ pebble once a Client has returned it; the Server can serve a Client only while some job carries EBU. Section 1.1's
safety devices are options: a job given to several Clients, and a job taken back from a Client that is late.

If jobs come back in the order in which they went out, EAA and XEQ need not be told apart, and each step executes one
ELIGIBLE job. This is the simplified game (``simple_game.py``), in which profiles and memory costs are defined.

The Server keeps for each job the number of its parents that are not executed, so a move looks only at the job's
children: O(1 + degree), and O(log n) more to find the best EBU job where the Server follows a schedule.

The simplified pebble game: each step executes one ELIGIBLE job (Rosenberg and Yurkewych 2005, section 2.2.2).

It follows from the full game under the assumption that jobs are executed in the order of their allocation: what matters
then is only which jobs are EXECUTED, ELIGIBLE or neither. The game counts for each job the parents still to be
executed and the children still to be executed; the first count falling to 0 makes a job ELIGIBLE, the second closes
it, so that its result need not be kept. A move, or taking one back, costs O(1 + degree).
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import IntEnum
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from eligo.dag import Dag, Int64
from eligo.errors import EligoError
from eligo.schedule import Schedule, places

__all__ = [
    "Move",
    "Pebble",
    "ServerGame",
    "SimpleGame",
    "job_number",
]


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


class Pebble(IntEnum):
    """What lies on a job."""

    NONE = 0
    EBU = 1
    EAA = 2
    XEQ = 3


class Move(NamedTuple):
    """One line of a game's log.

    ``kind`` is ``allocate``, ``ignore`` (the Client still owes a job), ``withdraw`` (no job can be allocated),
    ``return``, ``late`` (of a job already executed: no effect) or ``forget``.
    """

    kind: str
    client: Hashable
    job: int | None


class ServerGame:
    """The full game: a Server, any number of Clients, and pebbles EBU, EAA and XEQ.

    Parameters
    ----------
    schedule
        The EBU job that stands first in it is allocated first; without one, the job that has been EBU longest.
    copies
        How many Clients may hold the same job at a time. With more than one, a Client that finds no EBU job gets a
        copy of an EAA job, of each in turn.

    Examples
    --------
    >>> game = ServerGame(Dag.from_edges(3, [0, 1], [2, 2]))
    >>> game.ask("ann"), game.ask("bob"), game.ask("cid")
    (0, 1, None)
    >>> game.gridlock, game.give_back("ann"), game.give_back("bob")
    (True, [], [2])
    >>> game.counts[Pebble.EBU], game.counts[Pebble.XEQ]
    (1, 2)
    """

    def __init__(self, dag: Dag, schedule: Schedule | None = None, copies: int = 1) -> None:
        if copies < 1:
            raise EligoError(f"copies must be at least 1, not {copies}")
        self.dag = dag
        self.copies = copies
        self.counts = dict.fromkeys(Pebble, 0)
        self.counts[Pebble.NONE] = dag.n
        self.log: list[Move] = []
        self._pebble = [Pebble.NONE] * dag.n
        self._missing = np.diff(dag.pred_ptr).tolist()
        self._owes: dict[Hashable, int] = {}
        self._forgotten: set[Hashable] = set()
        self._holders = [0] * dag.n
        self._waiting = _Waiting(dag, schedule)
        self._lent: dict[int, None] = {}  # EAA jobs that one more Client may hold, next first
        for job in np.flatnonzero(np.diff(dag.pred_ptr) == 0).tolist():
            self._place(job, Pebble.EBU)

    def pebble(self, job: int) -> Pebble:
        """Return what lies on a job.

        Examples
        --------
        >>> ServerGame(Dag.from_edges(2, [0], [1])).pebble(1)
        <Pebble.NONE: 0>
        """
        return self._pebble[job_number(self.dag, job)]

    def owes(self, client: Hashable) -> int | None:
        """Return the job that a Client was given and has not returned.

        Examples
        --------
        >>> game = ServerGame(Dag.from_edges(2, [0], [1]))
        >>> game.owes("ann"), game.ask("ann"), game.owes("ann")
        (None, 0, 0)
        """
        return self._owes.get(client)

    @property
    def eligible(self) -> int:
        """The number of jobs that can be allocated: those with EBU."""
        return self.counts[Pebble.EBU]

    @property
    def gridlock(self) -> bool:
        """Whether nothing can be allocated until some Client returns a job."""
        return self.eligible == 0 and self.counts[Pebble.EAA] > 0

    @property
    def finished(self) -> bool:
        """Whether every job is executed."""
        return self.counts[Pebble.XEQ] == self.dag.n

    def ask(self, client: Hashable, job: int | None = None) -> int | None:
        """Let a Client ask for a job, or for this job; return the one it gets, if any (rule 2).

        A Client that owes a job is ignored, even if the Server has taken that job back.

        Raises
        ------
        EligoError
            The job asked for cannot be allocated.

        Examples
        --------
        >>> game = ServerGame(Dag.from_edges(3, [0], [1]))
        >>> game.ask("ann", job=2), game.ask("ann"), game.log[-1].kind
        (2, None, 'ignore')
        >>> game.ask("bob", job=1)
        Traceback (most recent call last):
            ...
        eligo.errors.EligoError: job '1' cannot be allocated: it is not eligible
        """
        if client in self._owes:
            return self._record("ignore", client, None)
        if job is None:
            job = self._waiting.first() if self.eligible else next(iter(self._lent), None)
            if job is None:
                return self._record("withdraw", client, None)
        else:
            job = job_number(self.dag, job)
            self._check_allocation(job)
        self._owes[client] = job
        self._place(job, Pebble.EAA)
        self._hold(job, 1)
        return self._record("allocate", client, job)

    def give_back(self, client: Hashable) -> list[int]:
        """Let a Client return its job, executed; return the jobs that become EBU by it (rule 3).

        A job that another Client has returned before is accepted without effect. One that the Server had taken back
        counts, late as it is.

        Examples
        --------
        >>> game = ServerGame(Dag.from_edges(3, [0, 0], [1, 2]), copies=2)
        >>> game.ask("ann"), game.ask("bob"), game.give_back("bob"), game.give_back("ann")
        (0, 0, [1, 2], [])
        """
        job = self._owed_by(client)
        del self._owes[client]
        late = self._pebble[job] == Pebble.XEQ
        self._place(job, Pebble.XEQ)
        self._hold(job, 0 if client in self._forgotten else -1)
        self._forgotten.discard(client)
        self._record("late" if late else "return", client, job)
        fresh = []
        for child in () if late else self.dag.children(job).tolist():
            self._missing[child] -= 1
            if self._missing[child] == 0:
                self._place(child, Pebble.EBU)
                fresh.append(child)
        return fresh

    def forget(self, client: Hashable) -> int:
        """Take back the job of a Client that is late; return it. It is EBU again unless another Client has it too.

        The Client still owes it: it is ignored until it returns the job, which is then welcome.

        Examples
        --------
        >>> game = ServerGame(Dag.from_edges(2, [0], [1]))
        >>> game.ask("ann"), game.forget("ann"), game.ask("bob"), game.give_back("ann"), game.give_back("bob")
        (0, 0, 0, [1], [])
        """
        job = self._owed_by(client)
        if client in self._forgotten:
            raise EligoError(f"job {self.dag.names[job]!r} was taken back from client {client!r} before")
        self._forgotten.add(client)
        self._hold(job, -1)
        if self._holders[job] == 0 and self._pebble[job] == Pebble.EAA:
            self._place(job, Pebble.EBU)
        self._record("forget", client, job)
        return job

    def _place(self, job: int, pebble: Pebble) -> None:
        before = self._pebble[job]
        self.counts[before] -= 1
        self.counts[pebble] += 1
        self._pebble[job] = pebble
        if before == Pebble.EBU:
            self._waiting.remove(job)
        if pebble == Pebble.EBU:
            self._waiting.add(job)

    def _hold(self, job: int, change: int) -> None:
        """So many more Clients hold a job whose pebble is placed."""
        self._holders[job] += change
        if change >= 0:  # allocated: to the end of the line
            self._lent.pop(job, None)
        if self._pebble[job] == Pebble.EAA and 0 < self._holders[job] < self.copies:
            self._lent[job] = None
        else:
            self._lent.pop(job, None)

    def _check_allocation(self, job: int) -> None:
        pebble = self._pebble[job]
        if pebble == Pebble.EBU or job in self._lent:
            return
        why = {
            Pebble.NONE: "it is not eligible",
            Pebble.EAA: "as many clients hold it as may",
            Pebble.XEQ: "it is executed",
        }
        raise EligoError(f"job {self.dag.names[job]!r} cannot be allocated: {why[pebble]}")

    def _owed_by(self, client: Hashable) -> int:
        if client not in self._owes:
            raise EligoError(f"client {client!r} has no job to return", hint="a client first asks for a job")
        return self._owes[client]

    def _record(self, kind: str, client: Hashable, job: int | None) -> int | None:
        self.log.append(Move(kind, client, job))
        return job


class _Waiting:
    """The jobs with EBU: first the one that stands first in a schedule, or else the one that waits longest."""

    def __init__(self, dag: Dag, schedule: Schedule | None) -> None:
        self._jobs: dict[int, None] = {}  # a set in order of insertion
        self._rank: list[int] | None = None
        if schedule is not None:
            if schedule.dag is not dag and schedule.dag != dag:
                raise EligoError("the schedule is of another dag")
            self._rank = places(schedule.order).tolist()
            self._order = schedule.order.tolist()
            self._heap: list[int] = []

    def add(self, job: int) -> None:
        self._jobs[job] = None
        if self._rank is not None:
            heappush(self._heap, self._rank[job])

    def remove(self, job: int) -> None:
        del self._jobs[job]  # its entry in the heap goes when it comes up

    def first(self) -> int | None:
        if self._rank is None or not self._jobs:
            return next(iter(self._jobs), None)
        while (job := self._order[self._heap[0]]) not in self._jobs:
            heappop(self._heap)
        return int(job)
