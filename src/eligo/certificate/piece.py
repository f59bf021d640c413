"""A dag as the checkers see it: its jobs are the places 0..n-1 of an order, its arcs are pairs of places.

What is proved is always a bound on one function. Let N be the number of non-sinks and e(x), x = 0..N, the number of
non-sources all of whose parents are among x executed non-sinks. With S sources,

    E_max(t) = S - t + e_max(min(t, N)),   t = 0..n,

where e_max(x) is the largest e over the ideals (sets closed under parents) of x non-sinks. For an ideal I has S - |I|
+ c(I) ELIGIBLE jobs, c(I) counting the non-sources whose parents all lie in I; c depends on the non-sinks of I only
and grows with them; and an ideal of t <= N jobs can give its sinks for further non-sinks. So a method has to bound e,
and an order is IC-optimal if its own profile is S - t + bound(min(t, N)) at every t.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["Piece"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A dag in an order of execution.

    Attributes
    ----------
    n
        The number of jobs.
    tails, heads
        The arcs, as places in the order; every arc leads forward.
    indegree, outdegree
        For each job the number of arcs that enter and leave it.
    e
        e(0), ..., e(N) along the order's non-sinks.

    Examples
    --------
    >>> fork = Piece.of(3, np.array([0, 0]), np.array([1, 2]))
    >>> fork.sources, fork.nonsinks, fork.e.tolist(), fork.profile.tolist()
    (1, 1, [0, 2], [1, 2, 1, 0])
    """

    n: int
    tails: Int64
    heads: Int64
    indegree: Int64
    outdegree: Int64
    e: Int64

    @classmethod
    def of(cls, n: int, tails: Int64, heads: Int64) -> Piece:
        """Check that the order can be executed, and count e along it."""
        if np.any(tails >= heads):
            raise CertificateError("the jobs are listed in an order in which they cannot be executed")
        indegree, outdegree = np.bincount(heads, minlength=n), np.bincount(tails, minlength=n)
        last_parent = np.full(n, -1, np.int64)
        np.maximum.at(last_parent, heads, tails)
        # A non-source counts from the moment its last parent is executed, as the so-many-th non-sink.
        moment = np.cumsum(outdegree > 0)[last_parent[indegree > 0]]
        e = np.cumsum(np.bincount(moment, minlength=int((outdegree > 0).sum()) + 1))
        return cls(n, tails, heads, indegree, outdegree, e)

    @property
    def sources(self) -> int:
        """The number of jobs without parents, S."""
        return int((self.indegree == 0).sum())

    @property
    def nonsinks(self) -> int:
        """The number of jobs with children, N."""
        return len(self.e) - 1

    @property
    def profile(self) -> Int64:
        """E(0), ..., E(n) of the order itself, wherever its sinks stand."""
        executed = np.concatenate(([0], np.cumsum(self.outdegree > 0)))
        return self.sources - np.arange(self.n + 1) + self.e[executed]

    @property
    def memory_cost(self) -> int:
        """The largest number of executed jobs with a child that is not."""
        last_child = np.full(self.n, -1, np.int64)
        np.maximum.at(last_child, self.tails, self.heads)
        opens = np.flatnonzero(last_child >= 0) + 1
        closes = last_child[last_child >= 0] + 1
        change = np.bincount(opens, minlength=self.n + 1) - np.bincount(closes, minlength=self.n + 1)
        return int(np.cumsum(change).max(initial=0))

    def limit(self, bound: Int64) -> Int64:
        """Return the profile, E(0), ..., E(n), that a bound on e allows."""
        steps = np.arange(self.n + 1)
        return self.sources - steps + bound[np.minimum(steps, self.nonsinks)]

    def bound_from(self, profile: Int64) -> Int64:
        """Return the bound on e that a bound on E(0), ..., E(N) or beyond amounts to."""
        steps = np.arange(self.nonsinks + 1)
        return profile[: self.nonsinks + 1] - self.sources + steps
