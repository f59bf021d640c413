"""The largest yields of any ideal, without looking at ideals one by one.

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

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from eligo.certificate.budget import Budget
from eligo.certificate.exact import no_best_order
from eligo.certificate.piece import Piece
from eligo.certificate.reading import distinct, fields
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate.checker import Checker

__all__ = ["bound", "check", "largest_yields"]

_NONE = -(1 << 40)  # what no ideal has
# What a state costs beside its numbers, and what one of its numbers costs to make and keep.
_STATE_STEPS, _NUMBER_STEPS = 20_000, 32


def bound(piece: Piece, witness: object, checker: Checker, _: int = 0) -> Int64:
    """Return e_max."""
    (_by, sequence) = fields(witness, "a frontier", "by", "sequence")
    return largest_yields(piece, distinct(sequence, "the sequence", piece.n), checker.budget)


def check(piece: Piece, witness: object, checker: Checker, _: int = 0) -> str:
    """Return the step at which no order that was the best so far is the best, or raise."""
    return no_best_order(piece, bound(piece, witness, checker), checker.budget)


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
