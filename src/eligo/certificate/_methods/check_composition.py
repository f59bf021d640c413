"""Composition: blocks that share no child, groups of blocks in a row, each with priority over the next.

1. *Arcs may be dropped.* Without some arcs every ideal stays an ideal and every ELIGIBLE job stays ELIGIBLE, so a
   bound for what is left is a bound for the whole. (Mostly these are shortcuts, but that need not be so.)
2. *Blocks.* The non-sinks are shared out among blocks so that all parents of any one job are in one block. A block is
   its non-sinks with all arcs that leave them. For an ideal I let I_b be its non-sinks in block b: an ideal of the
   block. Every non-source is a child in one block only, so the number of those with all parents in I is the sum over b
   of the same number for I_b in block b, at most the sum of e_max of b at |I_b|. The witness of each block bounds
   its e_max.
3. *Groups.* Within a group the best of the sum is computed. Each group, with its best, has priority over the next; so
   executing group by group is the best of the whole sum (``profiles.py``), and that is the bound.

Nothing is required of the order in which blocks depend on each other: if the order of the whole attains the bound, it
is IC-optimal. (Malewicz, Rosenberg, Yurkewych 2006 as in Cordasco et al. 2010, Theorem 2.1; the proof is that of the
errata.)

Cost: O((n + m) log n) beside the blocks, of which equal ones with equal witnesses are checked once, and the groups, of
which equal pairs are compared once.

Series: parts of the order, one after the other, such that every job of a part waits for all of the part before.

If every job without a parent in its own part has an arc from each job of the part before that has no child in its own
part, then every job of a part depends on all jobs of all parts before: going up from any job of the part leads to one
of the former, and going down from any job of the part before leads to one of the latter. So every execution runs one
part after the other, and after t steps its ELIGIBLE jobs are those of the part it is in, at its step there:

    E_max(t) = E_max of part i at t - (jobs of the parts before i), while part i is being executed.

The order is IC-optimal if each part of it is; if one part admits no IC-optimal order, the whole admits none.

Cost: O(n + m) beside the parts.

Least: several bounds hold at once, so at every step the smallest does.

Two operations on functions e(0..N) with e(0) = 0: the best of a sum, and the relation "has priority over".

*Best of a sum.* Executing x non-sinks of one dag and y of another beside it makes a(x) + b(y) jobs ELIGIBLE. The best
for every x + y is the (max,+) convolution. Two concave functions merge their increments, largest first. Of two convex
ones, the sum for a fixed x + y is convex along x, so its maximum is at one of the two ends. All else is quadratic.

*Priority.* a has priority over b if executing a as far as possible, then b, is the best of the sum at every step: a(x)
+ b(y) <= a(x') + b(y') where x' = min(x + y, N_a) and y' = x + y - x'. As x' - x = y - y' = d and either x' = N_a or
y' = 0, this says for d up to N_a and N_b: (1) any d steps in a row of a gain at least b(d); (2) the last d steps of a
gain at least as much as any d steps in a row of b.

*It is transitive* over functions with N >= 1. Let a precede b and b precede c, and write d = q N_b + r. Cut d steps in
a row of a into a first run of r and q runs of N_b: by (1) they gain at least b(r) + q b(N_b). The first d steps of c,
cut the same way, gain at most that: the first r by (1), each further N_b by (2). Likewise the last d steps of a, cut
into q runs of N_b and then the last r, gain at least q b(N_b) plus the last r steps of b, and any d steps in a row of
c at most that. So along a chain every function has priority over every later one. Then steps can be moved from any
function with steps done to an earlier one with steps left, as many as fit, without loss, until each function is done
before the next begins: executing a chain in its order is the best of its sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eligo.certificate._schema import distinct, fields, pairs, shown, whole
from eligo.certificate._subdag import Budget, Parts, Piece
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate._checker import Checker

__all__ = [
    "best_of_sum",
    "best_of_sums",
    "check_series",
    "composition_bound",
    "has_priority",
    "in_a_row",
    "least_bound",
    "series_bound",
]


def series_bound(piece: Piece, witness: object, checker: Checker, depth: int) -> Int64:
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


def check_series(piece: Piece, witness: object, checker: Checker, depth: int) -> str:
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


def least_bound(piece: Piece, witness: object, checker: Checker, depth: int) -> Int64:
    """Return the smallest of some bounds on e."""
    (_, value) = fields(witness, "a choice of bounds", "by", "of")
    if type(value) is not list or not value:
        raise CertificateError(f"of must be a list of witnesses, not {shown(value)}")
    least: Int64 = reduce(np.minimum, [checker.bound(piece, its, depth + 1) for its in value])
    return least


def best_of_sum(a: Int64, b: Int64, budget: Budget) -> Int64:
    """Return the largest a(x) + b(y) for each x + y.

    Examples
    --------
    >>> best_of_sum(np.array([0, 0, 3]), np.array([0, 1]), Budget(100)).tolist()
    [0, 1, 3, 4]
    """
    if _concave(a) and _concave(b):
        return best_of_sums([a, b], budget)
    total = np.arange(len(a) + len(b) - 1)
    if _convex(a) and _convex(b):
        x, y = np.minimum(total, len(a) - 1), np.minimum(total, len(b) - 1)
        ends: Int64 = np.maximum(a[x] + b[total - x], b[y] + a[total - y])
        return ends
    if len(a) > len(b):
        a, b = b, a
    budget.spend(len(a) * len(b), "the best of a sum")
    best = np.zeros(len(total), np.int64)
    for done, gain in enumerate(a.tolist()):
        reached = best[done : done + len(b)]
        np.maximum(reached, b + gain, out=reached)
    return best


def best_of_sums(functions: list[Int64], budget: Budget) -> Int64:
    """Return the best of a sum of any number of functions, at least one.

    Examples
    --------
    >>> best_of_sums([np.array([0, 0, 3]), np.array([0, 1]), np.array([0, 2])], Budget(100)).tolist()
    [0, 2, 3, 5, 6]
    """
    copies: dict[bytes, list[Int64]] = {}
    for e in functions:
        copies.setdefault(e.tobytes(), []).append(e)
    gains = [np.zeros(0, np.int64)]
    others: list[Int64] = []
    for same in copies.values():
        if _concave(same[0]):
            gains.append(np.tile(np.diff(same[0]), len(same)))
        elif has_priority(same[0], same[0], budget):  # then one is best finished before the next begins
            others.append(in_a_row(same))
        else:
            others += same
    best = np.concatenate(([0], np.cumsum(np.sort(np.concatenate(gains))[::-1])))
    for e in sorted(others, key=len):
        best = best_of_sum(best, e, budget)
    return best


def has_priority(a: Int64, b: Int64, budget: Budget) -> bool:
    """Tell whether executing a first, then b, is the best of their sum at every step.

    Examples
    --------
    >>> fork, join = np.array([0, 2]), np.array([0, 0, 1])
    >>> has_priority(fork, join, Budget(100)), has_priority(join, fork, Budget(100))
    (True, False)
    """
    most = min(len(a), len(b)) - 1
    last_of_a = (a[-1] - a[::-1])[: most + 1]
    return bool(
        np.all(_least_windows(a, most, budget) >= b[: most + 1])
        and np.all(last_of_a >= -_least_windows(-b, most, budget))
    )


def in_a_row(functions: list[Int64]) -> Int64:
    """Return e of executing one after the other.

    Examples
    --------
    >>> in_a_row([np.array([0, 2]), np.array([0, 0, 1])]).tolist()
    [0, 2, 2, 3]
    """
    zero = np.zeros(1, np.int64)
    return np.cumsum(np.concatenate([zero, *(e[1:] - e[:-1] for e in functions)]))


def _least_windows(e: Int64, most: int, budget: Budget) -> Int64:
    """Return the least that any d steps in a row gain, for d = 0..most."""
    if _concave(e):
        last: Int64 = (e[-1] - e[::-1])[: most + 1]
        return last
    if _convex(e):
        return e[: most + 1]
    budget.spend(len(e) * (most + 1), "comparing two groups")
    return np.array([(e[d:] - e[: len(e) - d]).min() for d in range(most + 1)], np.int64)


def _concave(e: Int64) -> bool:
    return not np.any(np.diff(e, n=2) > 0)


def _convex(e: Int64) -> bool:
    return not np.any(np.diff(e, n=2) < 0)


def composition_bound(piece: Piece, witness: object, checker: Checker, depth: int) -> Int64:
    """Return the bound on e that the blocks and groups of a composition imply."""
    (_, dropped, blocks, groups) = fields(witness, "a composition", "by", "dropped", "blocks", "groups")
    kept = _kept(piece, pairs(dropped, "dropped arcs", piece.n))
    parts, witnesses = Parts.read_with_witnesses(blocks, "block", piece.n)
    _check_shared_out(piece, parts, kept)
    best = [
        checker.bound_of_part(f"block {number}", arcs, its, depth)
        for number, (arcs, its) in enumerate(zip(parts.cut(piece, kept), witnesses, strict=True))
    ]
    chain_of_groups = [
        best[group[0]] if len(group) == 1 else best_of_sums([best[b] for b in group], checker.budget)
        for group in _groups(groups, len(best))
    ]
    _check_chain(chain_of_groups, checker)
    total = in_a_row(chain_of_groups)
    new_sources = int((np.bincount(piece.heads[kept], minlength=piece.n) == 0).sum()) - piece.sources
    return new_sources + total[np.minimum(np.arange(piece.nonsinks + 1), len(total) - 1)]


def _kept(piece: Piece, dropped: Int64) -> NDArray[np.bool_]:
    """Return which arcs are kept; those dropped must exist."""
    arcs = piece.tails * piece.n + piece.heads
    wanted = dropped[:, 0] * piece.n + dropped[:, 1]
    kept = ~np.isin(arcs, wanted)
    if len(arcs) - int(kept.sum()) != len(wanted):
        raise CertificateError("a dropped arc does not exist, or is dropped twice")
    return kept


def _check_shared_out(piece: Piece, parts: Parts, kept: NDArray[np.bool_]) -> None:
    """Every job with a child is in a block, and all parents of any job are in one."""
    tails, heads = piece.tails[kept], piece.heads[kept]
    block = parts.owner[tails]
    if np.any(block < 0):
        raise CertificateError(f"job {int(tails[np.argmax(block < 0)])} has children but is in no block")
    of_child = np.empty(piece.n, np.int64)
    of_child[heads] = block  # one of them; all must agree
    if np.any(differ := of_child[heads] != block):
        raise CertificateError(f"job {int(heads[np.argmax(differ)])} has parents in two blocks")


def _groups(value: object, blocks: int) -> list[list[int]]:
    if type(value) is not list or not set(map(type, value)) <= {list}:
        raise CertificateError(f"groups must be a list of lists, not {shown(value)}")
    if not all(value):
        raise CertificateError("a group has no blocks")
    if len(distinct(list(chain.from_iterable(value)), "groups", blocks)) < blocks:
        raise CertificateError("a block is in no group")
    return value


def _check_chain(groups: list[Int64], checker: Checker) -> None:
    known: dict[tuple[bytes, bytes], bool] = {}
    names = [e.tobytes() for e in groups]
    for number, (one, other) in enumerate(pairwise(zip(names, groups, strict=True))):
        pair = one[0], other[0]
        if pair not in known:
            known[pair] = has_priority(one[1], other[1], checker.budget)
        if not known[pair]:
            raise CertificateError(f"group {number} has no priority over group {number + 1}")
