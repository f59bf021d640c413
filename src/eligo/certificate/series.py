"""Series: parts of the order, one after the other, such that every job of a part waits for all of the part before.

If every job without a parent in its own part has an arc from each job of the part before that has no child in its own
part, then every job of a part depends on all jobs of all parts before: going up from any job of the part leads to one
of the former, and going down from any job of the part before leads to one of the latter. So every execution runs one
part after the other, and after t steps its ELIGIBLE jobs are those of the part it is in, at its step there:

    E_max(t) = E_max of part i at t - (jobs of the parts before i), while part i is being executed.

The order is IC-optimal if each part of it is; if one part admits no IC-optimal order, the whole admits none.

Cost: O(n + m) beside the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from eligo.certificate.piece import Piece
from eligo.certificate.reading import fields, shown, whole
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate.checker import Checker

__all__ = ["bound", "check"]


def bound(piece: Piece, witness: object, checker: Checker, depth: int) -> Int64:
    """Return the bound on e that bounds for the parts imply."""
    (_, value) = fields(witness, "a series", "by", "parts")
    if type(value) is not list or not value:
        raise CertificateError(f"parts must be a list of parts, not {shown(value)}")
    read = [fields(one, f"part {number}", "jobs", "witness") for number, one in enumerate(value)]
    sizes = np.array([whole(jobs, f"jobs of part {i}", 1, piece.n) for i, (jobs, _) in enumerate(read)], np.int64)
    if int(sizes.sum()) != piece.n:
        raise CertificateError(f"the parts have {int(sizes.sum())} jobs, the dag has {piece.n}")
    profile = [np.zeros(0, np.int64)]
    for number, (arcs, (_, its)) in enumerate(zip(_cut(piece, sizes), read, strict=True)):
        best = checker.bound_of_part(f"part {number}", arcs, its, depth)
        profile.append(Piece.of(*arcs).limit(best)[:-1])
    return piece.bound_from(np.concatenate([*profile, [0]]))


def check(piece: Piece, witness: object, checker: Checker, depth: int) -> str:
    """Return what shows that one part has no order that is the best at every step, or raise."""
    (_, before, jobs, its) = fields(witness, "a series", "by", "before", "jobs", "witness")
    start = whole(before, "before", 0, piece.n - 1)
    size = whole(jobs, "jobs", 1, piece.n - start)
    sizes = np.array([start, size, piece.n - start - size], np.int64)
    parts = list(_cut(piece, sizes[sizes > 0]))
    return f"jobs {start} to {start + size - 1}: {checker.impossible(Piece.of(*parts[int(start > 0)]), its, depth + 1)}"


def _cut(piece: Piece, sizes: Int64) -> Iterator[tuple[int, Int64, Int64]]:
    """Return of each part the number of its jobs and its own arcs, numbered from 0, once they are in series."""
    part = np.repeat(np.arange(len(sizes)), sizes)
    start = np.cumsum(sizes) - sizes
    of_tail, of_head = part[piece.tails], part[piece.heads]
    inside = of_tail == of_head
    tails, heads = piece.tails[inside], piece.heads[inside]
    last, first = np.ones(piece.n, np.bool_), np.ones(piece.n, np.bool_)
    last[tails] = False
    first[heads] = False
    joins = last[piece.tails] & first[piece.heads] & (of_head == of_tail + 1)
    found = np.bincount(of_tail[joins], minlength=len(sizes))[:-1]
    needed = np.bincount(part[last], minlength=len(sizes))[:-1] * np.bincount(part[first], minlength=len(sizes))[1:]
    if np.any(loose := found != needed):
        number = int(np.argmax(loose))
        raise CertificateError(f"not every job of part {number + 1} waits for all of part {number}")
    by_part = np.argsort(of_tail[inside], kind="stable")
    bounds = np.searchsorted(of_tail[inside][by_part], np.arange(len(sizes) + 1)).tolist()
    for number in range(len(sizes)):
        mine = by_part[bounds[number] : bounds[number + 1]]
        yield int(sizes[number]), tails[mine] - start[number], heads[mine] - start[number]
