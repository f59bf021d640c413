"""A dag as the checkers see it: its jobs are the places 0..n-1 of an order, its arcs are pairs of places.

What is proved is always a bound on one function. Let N be the number of non-sinks and e(x), x = 0..N, the number of
non-sources all of whose parents are among x executed non-sinks. With S sources,

    E_max(t) = S - t + e_max(min(t, N)),   t = 0..n,

where e_max(x) is the largest e over the ideals (sets closed under parents) of x non-sinks. For an ideal I has S - |I|
+ c(I) ELIGIBLE jobs, c(I) counting the non-sources whose parents all lie in I; c depends on the non-sinks of I only
and grows with them; and an ideal of t <= N jobs can give its sinks for further non-sinks. So a method has to bound e,
and an order is IC-optimal if its own profile is S - t + bound(min(t, N)) at every t.

Parts of a dag, named in a witness by their non-sinks: read, numbered by themselves, and cut out.

A part is some non-sinks, in the order in which its own schedule executes them, with all arcs that leave them. Its jobs
are numbered by themselves: the listed ones first, as listed; then the others that its arcs lead to, its sinks, in the
order in which they stand in the whole. A witness of the part speaks of it in these numbers.

How much work a checker may do: counted in steps, not in seconds, so that its answers repeat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from eligo.certificate._schema import distinct, fields, shown
from eligo.dag import Int64
from eligo.errors import CertificateError, InfeasibleError

__all__ = [
    "Arcs",
    "Budget",
    "Parts",
    "Piece",
]


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


Arcs = tuple[int, Int64, Int64]
"""How many jobs, and the tails and heads of the arcs between them."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Disjoint lists of non-sinks of a piece.

    Attributes
    ----------
    noun
        What a part is called in messages.
    owner
        For each job of the whole the part that lists it, -1 where none does.
    place
        For each listed job its place in the list.
    sizes
        How many jobs each part lists, at least one.
    """

    noun: str
    owner: Int64
    place: Int64
    sizes: Int64

    @classmethod
    def read(cls, lists: list[object], noun: str, n: int) -> Parts:
        """Make parts from lists of jobs of which nothing is known."""
        for number, jobs in enumerate(lists):
            if type(jobs) is not list or not jobs:
                raise CertificateError(f"{noun} {number} must list some jobs, not {shown(jobs)}")
        flat = distinct(list(chain.from_iterable(lists)), f"jobs of {noun}s", n)  # type: ignore[arg-type]
        sizes = np.array(list(map(len, lists)), np.int64)  # type: ignore[arg-type]
        owner, place = np.full(n, -1, np.int64), np.zeros(n, np.int64)
        owner[flat] = np.repeat(np.arange(len(sizes)), sizes)
        place[flat] = np.arange(len(flat)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return cls(noun, owner, place, sizes)

    @classmethod
    def read_with_witnesses(cls, value: object, noun: str, n: int) -> tuple[Parts, list[Any]]:
        """Make parts from a list of mappings with ``jobs`` and ``witness``."""
        if type(value) is not list:
            raise CertificateError(f"{noun}s must be a list, not {shown(value)}")
        read = [fields(one, f"{noun} {number}", "jobs", "witness") for number, one in enumerate(value)]
        return cls.read([jobs for jobs, _ in read], noun, n), [witness for _, witness in read]

    def cut(self, piece: Piece, kept: NDArray[np.bool_]) -> Iterator[Arcs]:
        """Return of each part the number of its jobs, and the tails and heads of its arcs, ascending.

        Arcs that are not kept are left out; every listed job must have one that is.
        """
        arcs = np.flatnonzero(kept & (self.owner[piece.tails] >= 0))
        tails, heads = piece.tails[arcs], piece.heads[arcs]
        part = self.owner[tails]
        childless = (self.owner >= 0) & (np.bincount(tails, minlength=piece.n) == 0)
        if childless.any():
            job = int(np.argmax(childless))
            raise CertificateError(f"{self.noun} {self.owner[job]} lists job {job}, which has no children there")
        outside = self.owner[heads] != part
        number = self.place[heads]
        meetings, which = np.unique(part[outside] * piece.n + heads[outside], return_inverse=True)
        first = np.searchsorted(meetings, np.arange(len(self.sizes) + 1) * piece.n)
        number[outside] = self.sizes[part[outside]] + which - first[part[outside]]
        by_part = np.lexsort((number, self.place[tails], part))
        bounds = np.searchsorted(part[by_part], np.arange(len(self.sizes) + 1)).tolist()
        tails, heads = self.place[tails][by_part], number[by_part]
        jobs = (self.sizes + np.diff(first)).tolist()
        return (
            (jobs[i], tails[bounds[i] : bounds[i + 1]], heads[bounds[i] : bounds[i + 1]])
            for i in range(len(self.sizes))
        )


@final
class Budget:
    """So many elementary steps, a nanosecond or two each, for whatever takes more than linear time.

    Examples
    --------
    >>> Budget(100).spend(101, "the table")
    Traceback (most recent call last):
        ...
    eligo.errors.InfeasibleError: the table would take more than the 100 steps allowed
    hint: allow more, with --budget or verify(..., budget=...): a billion steps take seconds
    """

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._left = steps

    def spend(self, steps: int, what: str) -> None:
        """Take steps off the budget before they are done."""
        self._left -= steps
        if self._left < 0:
            raise InfeasibleError(
                f"{what} would take more than the {self._steps:,} steps allowed",
                hint="allow more, with --budget or verify(..., budget=...): a billion steps take seconds",
            )
