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
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.budget import Budget
from eligo.certificate.piece import Piece
from eligo.certificate.reading import fields, whole
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate.checker import Checker

__all__ = ["bound", "check", "no_best_order"]

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


def bound(piece: Piece, witness: object, checker: Checker, _: int = 0) -> Int64:
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


def check(piece: Piece, witness: object, checker: Checker, _: int = 0) -> str:
    """Return the step at which no order that was the best so far is the best, or raise."""
    return no_best_order(piece, bound(piece, witness, checker), checker.budget)


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
