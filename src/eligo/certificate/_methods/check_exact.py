"""Exact: all ideals of the non-sinks, one by one.

Number the non-sinks in the order of execution. The ideals of the first v + 1 are those of the first v, and those of
them that hold all parents of v, with v added: each ideal comes up once, and nothing need be compared. A non-source
counts in an ideal if all its parents do; its last parent being v, it starts to count when v is added. So e_max(x), the
largest count over the ideals of x non-sinks, needs one pass, with ideals as rows of 64-bit words.

*That no IC-optimal order exists:* with sinks moved to the end an IC-optimal order stays one, since at every step more
non-sinks are executed. So one exists if and only if a chain of ideals, each with one non-sink more, has e_max(x) at
every x. The second pass keeps the ideals of x non-sinks that end such a chain, for growing x; when none is left, no
such order exists.

The witness states the number of ideals, which bounds memory and time before any is spent.

The largest yields of any ideal, without looking at ideals one by one.

Decide the non-sinks one after the other, parents before children: executed or not. What earlier decisions mean for
later ones is only which sets of parents are *spoilt*, having one that is not executed; and only those sets matter of
which a parent, or a job that waits for exactly this set, is still to be decided. Ideals that agree on these are one
*state*, which keeps for every number x of executed non-sinks the largest number of non-sources with all their parents
executed. A non-source is counted when the last of its parents is decided, unless the set is spoilt.

Every ideal belongs to exactly one state at the end, so the best over the states is e_max. The witness tells in which
sequence to decide, which makes the difference between few states and many, but not between right and wrong.

Cost: states times non-sinks; at most 2^w states if never more than w sets matter at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eligo.certificate._schema import distinct, fields, whole
from eligo.certificate._subdag import Budget, Piece
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate._checker import Checker

__all__ = [
    "check_exact",
    "check_frontier",
    "exact_bound",
    "frontier_bound",
    "largest_yields",
    "no_best_order",
]

Words = NDArray[np.uint64]

# What one word of one ideal costs to make and keep, and what a call costs, against one step of arithmetic.
_WORD_STEPS, _CALL_STEPS = 200, 10_000


class _Ideals:
    """The non-sinks of a piece, numbered 0..N-1 along its order, with their parents as rows of bits."""

    def __init__(self, piece: Piece, words: int) -> None:
        number = np.cumsum(piece.outdegree > 0) - 1
        parents = [0] * piece.n
        listed: list[list[int]] = [[] for _ in range(piece.n)]
        for tail, head in zip(number[piece.tails].tolist(), piece.heads.tolist(), strict=True):
            parents[head] |= 1 << tail
            listed[head].append(tail)
        members = dict(zip(parents, listed, strict=True))  # going through all bits would be quadratic
        self.words = words
        self.nonsinks = piece.nonsinks
        self.parents = [self.row(parents[job]) for job in np.flatnonzero(piece.outdegree > 0).tolist()]
        self.waiting: list[list[tuple[Words, int]]] = [[] for _ in range(self.nonsinks)]
        """For each non-sink the sets of parents it is the last of, and how many non-sources have each."""
        self.involved: list[list[tuple[Words, int]]] = [[] for _ in range(self.nonsinks)]
        """For each non-sink the sets of parents it is in, and how many non-sources have each."""
        for mask, count in Counter(mask for mask in parents if mask).items():
            entry = self.row(mask), count
            self.waiting[mask.bit_length() - 1].append(entry)
            for v in members[mask]:
                self.involved[v].append(entry)

    def row(self, mask: int) -> Words:
        return np.frombuffer(mask.to_bytes(8 * self.words, "little"), "<u8").astype(np.uint64)

    def grown(self, ideals: Words, v: int) -> Words:
        more: Words = ideals | self.row(1 << v)
        return more


def _hold(ideals: Words, wanted: Words) -> NDArray[np.bool_]:
    held: NDArray[np.bool_] = ((ideals & wanted) == wanted).all(axis=1)
    return held


def _count(ideals: Words, sets: list[tuple[Words, int]], budget: Budget) -> Int64:
    budget.spend(ideals.size * len(sets), "counting in ideals")
    counts = np.zeros(len(ideals), np.int64)
    for wanted, count in sets:
        counts += _hold(ideals, wanted) * count
    return counts


def exact_bound(piece: Piece, witness: object, checker: Checker, _: int = 0) -> Int64:
    """Return e_max, found by looking at every ideal of the non-sinks."""
    return _best(*_prepared(piece, witness, checker.budget), checker.budget)


def _prepared(piece: Piece, witness: object, budget: Budget) -> tuple[_Ideals, int]:
    (_, stated) = fields(witness, "an exact witness", "by", "ideals")
    most = 1 << piece.nonsinks if piece.nonsinks < 62 else 1 << 62
    ideals = whole(stated, "the number of ideals", piece.nonsinks + 1, most)  # the order itself passes N + 1 of them
    words = piece.nonsinks // 64 + 1
    budget.spend((ideals + piece.n + len(piece.tails)) * words * _WORD_STEPS, f"looking at {ideals:,} ideals")
    return _Ideals(piece, words), ideals


def _best(jobs: _Ideals, stated: int, budget: Budget) -> Int64:
    rows = np.zeros((stated, jobs.words), np.uint64)
    size, e = np.zeros(stated, np.int32), np.zeros(stated, np.int64)
    known = 1
    for v in range(jobs.nonsinks):
        budget.spend(known * jobs.words, "looking for ideals")
        old = np.flatnonzero(_hold(rows[:known], jobs.parents[v]))
        new = slice(known, known + len(old))
        if new.stop > stated:
            raise CertificateError(f"the non-sinks have more than the {stated:,} ideals stated")
        rows[new] = jobs.grown(rows[old], v)
        size[new] = size[old] + 1
        e[new] = e[old] + _count(rows[new], jobs.waiting[v], budget)
        known = new.stop
    if known < stated:
        raise CertificateError(f"the non-sinks have {known:,} ideals, not the {stated:,} stated")
    best = np.zeros(jobs.nonsinks + 1, np.int64)
    np.maximum.at(best, size, e)
    return best


def check_exact(piece: Piece, witness: object, checker: Checker, _: int = 0) -> str:
    """Return the step at which no order that was the best so far is the best, or raise."""
    return no_best_order(piece, exact_bound(piece, witness, checker), checker.budget)


def no_best_order(piece: Piece, best: Int64, budget: Budget) -> str:
    """Follow the ideals that have e_max, each from one that has it; return the step at which none is left, or raise."""
    words = piece.nonsinks // 64 + 1
    budget.spend((piece.n + len(piece.tails)) * words * _WORD_STEPS, "following the best ideals")
    jobs = _Ideals(piece, words)
    reached = np.zeros((1, jobs.words), np.uint64)
    for size in range(1, jobs.nonsinks + 1):
        grown = [_best_with(jobs, reached, v, int(best[size] - best[size - 1]), budget) for v in range(jobs.nonsinks)]
        every = np.ascontiguousarray(np.concatenate(grown))
        if not len(every):
            return f"enumeration: no order that is the best before non-sink {size} is the best at it"
        rows = every.view(f"V{8 * jobs.words}") if jobs.words > 1 else every
        reached = np.unique(rows.ravel()).view(np.uint64).reshape(-1, jobs.words)
    raise CertificateError("an order exists that is the best at every step")


def _best_with(jobs: _Ideals, ideals: Words, v: int, gain: int, budget: Budget) -> Words:
    """Add a non-sink to those ideals to which it can be added and then gains so much."""
    budget.spend(ideals.size + _CALL_STEPS, "following the best ideals")
    free = _hold(ideals, jobs.parents[v]) & ~_hold(ideals, jobs.row(1 << v))
    grown = jobs.grown(ideals[free], v)
    best: Words = grown[_count(grown, jobs.involved[v], budget) == gain]
    budget.spend(best.size * _WORD_STEPS, "following the best ideals")
    return best


_NONE = -(1 << 40)  # what no ideal has
# What a state costs beside its numbers, and what one of its numbers costs to make and keep.
_STATE_STEPS, _NUMBER_STEPS = 20_000, 32


def frontier_bound(piece: Piece, witness: object, checker: Checker, _: int = 0) -> Int64:
    """Return e_max."""
    (_by, sequence) = fields(witness, "a frontier", "by", "sequence")
    return largest_yields(piece, distinct(sequence, "the sequence", piece.n), checker.budget)


def check_frontier(piece: Piece, witness: object, checker: Checker, _: int = 0) -> str:
    """Return the step at which no order that was the best so far is the best, or raise."""
    return no_best_order(piece, frontier_bound(piece, witness, checker), checker.budget)


def largest_yields(piece: Piece, sequence: Int64, budget: Budget) -> Int64:
    """Return e_max(0), ..., e_max(N), deciding the non-sinks in a sequence.

    Examples
    --------
    >>> butterfly_and_arc = Piece.of(6, np.array([0, 0, 1, 1, 2]), np.array([3, 4, 3, 4, 5]))
    >>> largest_yields(butterfly_and_arc, np.array([2, 0, 1]), Budget(10**9)).tolist()
    [0, 1, 2, 3]
    """
    if not np.array_equal(np.sort(sequence), np.flatnonzero(piece.outdegree > 0)):
        raise CertificateError("the sequence does not name every non-sink once")
    # Sets are bits of one number, one for each: without a bound a million jobs would take all memory there is.
    budget.spend(4 * piece.n * piece.n, "deciding which non-sinks are executed")
    parents: list[list[int]] = [[] for _ in range(piece.n)]
    for tail, head in zip(piece.tails.tolist(), piece.heads.tolist(), strict=True):
        parents[head].append(tail)
    steps = _steps([tuple(sorted(one)) for one in parents], sequence.tolist())
    empty = np.full(piece.nonsinks + 1, _NONE, np.int64)
    empty[0] = 0
    states = {0: empty}
    for own, fed, completed, finished in steps:
        budget.spend(
            len(states) * (_NUMBER_STEPS * piece.nonsinks + _STATE_STEPS), "deciding which non-sinks are executed"
        )
        after: dict[int, Int64] = {}
        for spoilt, best in states.items():
            _keep(after, (spoilt | fed) & ~finished, best)
            if not spoilt & own:
                gain = sum(count for bit, count in completed if not spoilt & bit)
                _keep(after, spoilt & ~finished, np.concatenate(([_NONE], best[:-1] + gain)))
        states = after
    largest: Int64 = np.maximum.reduce(list(states.values()))
    return largest


def _keep(states: dict[int, Int64], spoilt: int, best: Int64) -> None:
    known = states.get(spoilt)
    states[spoilt] = best if known is None else np.maximum(known, best)


def _steps(parents: list[tuple[int, ...]], sequence: list[int]) -> list[tuple[int, int, list[tuple[int, int]], int]]:
    """Return for each non-sink in turn, as bits of sets of parents: the set it waits for, those it is in, those it is
    the last of with the number of jobs that wait for each, and those that no longer matter.
    """
    turn = {job: number for number, job in enumerate(sequence)}
    waiting: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for job, its in enumerate(parents):
        if its:
            waiting[its].append(job)
    bit = {its: 1 << number for number, its in enumerate(waiting)}
    fed: dict[int, int] = defaultdict(int)
    completed: dict[int, list[tuple[int, int]]] = defaultdict(list)
    finished: dict[int, int] = defaultdict(int)
    for its, jobs in waiting.items():
        last = max(turn[parent] for parent in its)
        late = [turn[job] for job in jobs if job in turn]
        if late and min(late) < last:
            raise CertificateError("the sequence decides a job before a parent of it")
        for parent in its:
            fed[parent] |= bit[its]
        completed[sequence[last]].append((bit[its], len(jobs)))
        finished[sequence[max([last, *late])]] |= bit[its]
    return [(bit.get(parents[job], 0), fed[job], completed[job], finished[job]) for job in sequence]
