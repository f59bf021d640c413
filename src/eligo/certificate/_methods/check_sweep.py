"""Sweep: independent parts whose best orders cannot be interleaved, so that no order is the best at every step.

1. *Prefix.* If the first steps find one ELIGIBLE job each, every order begins with them, and what follows is an order
   of the dag without them; its ELIGIBLE jobs are the same. So it may be looked at alone.
2. *Parts.* Each part is a union of connected components of what is left. In an IC-optimal order of a sum of dags, the
   jobs of each part, or of several parts, are in an order that is IC-optimal for them: if an ideal of a part had more
   ELIGIBLE jobs than the order's ideal of the same size, putting it in its place would beat the order. So if parts
   together admit no IC-optimal order, the whole admits none, also if further components are not named.
3. *Sweep.* The witness of each part shows its e_max. Let a be the e_max of the parts so far (of a sum: the best of the
   sum), b that of the next. An IC-optimal order, its sinks moved to the end, executes x non-sinks of the first and y
   of the second and has a(x) + b(y) on each diagonal x + y, and this must be the largest on that diagonal. It is a
   path from (0, 0) that goes one step in x or in y at a time. YES marks the places that such a path can reach. A
   diagonal without YES means that there is none. (Cordasco et al. 2010, section 3.)

O(N_a N_b) for each part after the first, one diagonal a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eligo.certificate._methods.check_composition import best_of_sum
from eligo.certificate._schema import distinct, fields
from eligo.certificate._subdag import Budget, Parts, Piece
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate._checker import Checker

__all__ = ["check_part", "check_sweep"]

_DIAGONAL_STEPS = 10_000


def check_sweep(piece: Piece, witness: object, checker: Checker, depth: int) -> str:
    """Return what shows that no order is the best at every step, or raise."""
    (_, value, prefix) = fields(witness, "a sweep", "by", "parts", prefix=[])
    kept = _after_prefix(piece, prefix)
    parts, witnesses = Parts.read_with_witnesses(value, "part", piece.n)
    _check_components(piece, parts, kept)
    best = np.zeros(1, np.int64)
    for number, (arcs, its) in enumerate(zip(parts.cut(piece, kept), witnesses, strict=True)):
        e = checker.optimum_of_part(f"part {number}", arcs, its, depth)
        diagonal = _diagonal_without_yes(best, e, checker.budget)
        if diagonal is not None:
            return f"parts 0 to {number}: the diagonal of {diagonal} non-sinks has no YES"
        best = best_of_sum(best, e, checker.budget)
    raise CertificateError("every diagonal of the sweep has a YES: it does not show that no IC-optimal order exists")


def check_part(piece: Piece, witness: object, checker: Checker, depth: int) -> str:
    """Return what shows that one part alone has no order that is the best at every step, or raise."""
    (_, jobs, its, prefix) = fields(witness, "a part", "by", "jobs", "witness", prefix=[])
    kept = _after_prefix(piece, prefix)
    parts = Parts.read([jobs], "part", piece.n)
    _check_components(piece, parts, kept)
    (arcs,) = parts.cut(piece, kept)
    return f"a part of {arcs[0]:,} jobs: {checker.impossible(Piece.of(*arcs), its, depth + 1)}"


def _after_prefix(piece: Piece, value: object) -> NDArray[np.bool_]:
    """Return which arcs are left after a prefix of jobs each of which is the only ELIGIBLE one in its turn."""
    prefix = distinct(value, "prefix", piece.n)
    if np.any(prefix != np.arange(len(prefix))):
        raise CertificateError("the prefix must be the first jobs of the order")
    if np.any(several := piece.profile[: len(prefix)] != 1):
        raise CertificateError(f"job {int(np.argmax(several))} of the prefix is not the only ELIGIBLE one in its turn")
    return piece.tails >= len(prefix)


def _check_components(piece: Piece, parts: Parts, kept: NDArray[np.bool_]) -> None:
    """Both ends of each arc must belong to one part, or to none."""
    tails, heads = piece.tails[kept], piece.heads[kept]
    owner = parts.owner.copy()
    to_sinks = piece.outdegree[heads] == 0
    owner[heads[to_sinks]] = owner[tails[to_sinks]]  # one of the parents'; all must agree
    if np.any(differ := owner[heads] != owner[tails]):
        job = int(heads[np.argmax(differ)])
        raise CertificateError(f"the parts are not whole components: job {job} and one of its parents are not together")


def _diagonal_without_yes(a: Int64, b: Int64, budget: Budget) -> int | None:
    """Return the first x + y for which no path of largest sums can reach a largest sum."""
    last_a, last_b = len(a) - 1, len(b) - 1
    budget.spend(len(a) * len(b) + (last_a + last_b) * _DIAGONAL_STEPS, "the table of a sweep")
    yes = np.zeros(len(a) + 1, np.bool_)  # yes[x + 1] at x, so that yes[0] stands left of the table
    yes[1] = True
    for total in range(1, last_a + last_b + 1):
        low, high = max(0, total - last_b), min(total, last_a)
        sums = a[low : high + 1] + b[total - high : total - low + 1][::-1]
        here = (sums == sums.max()) & (yes[low + 1 : high + 2] | yes[low : high + 1])
        if not here.any():
            return total
        yes[:] = False
        yes[low + 1 : high + 2] = here
    return None
