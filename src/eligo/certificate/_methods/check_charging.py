"""Charging: units of blame that flow from jobs to their ancestors, so that a bound can be read off where they end.

Every job with parents holds one unit, `scale` shares, and sends at least that much to its parents: its own unit, and
what it does not keep of what its children send it. What a job keeps is its *load*. Take any ideal I. If all parents of
a job are in I, so are all its ancestors, so its unit ends as load of jobs in I, whatever way it went. So the number of
such jobs is at most the load of I divided by `scale`, and for |I| = t at most the t largest loads. With S sources,

    E_max(t) <= S - t + (sum of the t largest loads) / scale,  and E_max(t) <= n - t.

*Windows*, where the witness asks for them. Let a(v) and d(v) be the numbers of ancestors and descendants. An ideal of t
jobs has no job with a(v) >= t, and has every job with d(v) > n - t - 1: its descendants would be outside too. So the
sum is that of the jobs that must be in it, and of the largest loads among those that may. And a job is ELIGIBLE at t
only if a(v) <= t and d(v) <= n - t - 1, which bounds their number.

Last, E_max(t) <= E_max(t + 1) + 1, since executing an ELIGIBLE job leaves the other ELIGIBLE jobs as they are.

Cost: O(m + n log n); with windows O(n m / 64 + n^2).

Concave: each non-sink of the order makes at most as many jobs ELIGIBLE as the one before it.

Charge every non-source to its parent that the order executes last; then job v bears y(v) = e(x) - e(x - 1) charges
where v is the x-th non-sink. Take any ideal with x non-sinks. A non-source whose parents all lie in it is charged to
one of them, so there are at most sum y(v) over these x non-sinks, and if y never grows along the order, at most the
sum of its first x, which is e(x). So the order is IC-optimal, whatever the dag. O(n + m).

Dual-concave: read backwards, the order is concave.

For every dag and its dual (all arcs reversed), E_max(t) >= k if and only if the dual's E_max(n - t - k) >= k: both say
that there are ideals I in J with |I| = t and |J| = t + k such that no arc joins two jobs of J without I. Hence, with
f(s) = s + E_max(s) of the dual, E_max(t) = j - min {s : f(s) >= j} where j = n - t.

The dual's E_max is known from one order of the dual that is concave. The one tried here reverses packets: a packet
holds the jobs that one step of the given order makes ELIGIBLE, and packets go last to first. It need not be trusted to
be optimal: only its being concave counts. O((n + m) log n).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from eligo.certificate._schema import fields, flag, integers, whole
from eligo.certificate._subdag import Piece
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate._checker import Checker

__all__ = [
    "charging_bound",
    "concave_bound",
    "concave_order_bound",
    "dual_concave_bound",
]

_MOST_SHARES = 2**31
_MOST_IN_ALL = 2**62  # so that no sum overflows


def charging_bound(piece: Piece, witness: object, checker: Checker, _: int) -> Int64:
    """Return the bound on e that the loads imply."""
    (_by, value, shares, windows) = fields(witness, "a charging", "by", "scale", "flow", "windows")
    scale = whole(value, "scale", 1, _MOST_SHARES)
    load = _loads(piece, scale, integers(shares, "flow", 0, _MOST_IN_ALL))
    if flag(windows, "windows"):
        profile = _within_windows(piece, scale, load, checker)
    else:
        most = np.concatenate(([0], np.cumsum(np.sort(load)[::-1]))) // scale
        profile = np.minimum(piece.sources + most, piece.n) - np.arange(piece.n + 1)
    # E(t) - (t's distance from the end) must not grow towards the end.
    steps = np.arange(piece.n + 1)
    tight = np.minimum.accumulate((profile + steps)[::-1])[::-1] - steps
    return piece.bound_from(tight)


def _loads(piece: Piece, scale: int, flow: Int64) -> Int64:
    """Return what each job keeps; edges are listed by the place of the child, then of the parent."""
    if len(flow) != len(piece.tails):
        raise CertificateError(f"flow has {len(flow):,} entries for {len(piece.tails):,} edges")
    if sum(flow.tolist()) > _MOST_IN_ALL:
        raise CertificateError("more flows than 64 bits can add up")
    by_child = np.lexsort((piece.tails, piece.heads))
    ends = np.concatenate(([0], np.cumsum(piece.indegree)))
    total = np.concatenate(([0], np.cumsum(flow)))
    sent = total[ends[1:]] - total[ends[:-1]]
    got = np.zeros(piece.n, np.int64)
    np.add.at(got, piece.tails[by_child], flow)
    unit = np.where(piece.indegree > 0, scale, 0)
    if np.any(short := sent < unit):
        raise CertificateError(f"job {int(np.argmax(short))} sends less than its unit to its parents")
    load: Int64 = got + unit - sent
    if np.any(over := load < 0):
        raise CertificateError(f"job {int(np.argmax(over))} sends more to its parents than it has")
    return load


def _within_windows(piece: Piece, scale: int, load: Int64, checker: Checker) -> Int64:
    n = piece.n
    checker.budget.spend(n * len(piece.tails) // 64 + n * n, "counting ancestors")
    before = _count_reached(n, piece.tails, piece.heads)
    behind = _count_reached(n, n - 1 - piece.heads, n - 1 - piece.tails)[::-1]
    largest_first = np.argsort(-load, kind="stable")
    load_first, before_first, behind_first = (each[largest_first] for each in (load, before, behind))
    profile = np.empty(n + 1, np.int64)
    for t in range(n + 1):
        must = behind_first >= n - t
        may = (before_first < t) & ~must
        rendered = load_first[must].sum() + load_first[may][: t - int(must.sum())].sum()
        window = int(((before <= t) & (behind < n - t)).sum())
        profile[t] = min(piece.sources + int(rendered) // scale - t, n - t, window)
    return profile


def _count_reached(n: int, tails: Int64, heads: Int64) -> Int64:
    """Return for each job the number of its ancestors; every edge leads forward."""
    by_head = np.argsort(heads, kind="stable")
    parents = tails[by_head].tolist()
    ends = np.concatenate(([0], np.cumsum(np.bincount(heads, minlength=n)))).tolist()
    ancestors: list[int] = []
    for start, stop in pairwise(ends):
        mine = 0
        for parent in parents[start:stop]:
            mine |= ancestors[parent] | 1 << parent
        ancestors.append(mine)
    return np.array([mine.bit_count() for mine in ancestors], np.int64)


def concave_order_bound(piece: Piece, witness: object, *_: object) -> Int64:
    """Return the order's own e, if it is concave."""
    fields(witness, "a concave witness", "by")
    return concave_bound(piece)


def concave_bound(piece: Piece) -> Int64:
    """Return the order's own e, if it is concave."""
    grows = np.flatnonzero(np.diff(piece.e, n=2) > 0)
    if grows.size:
        x = int(grows[0]) + 1
        first, second = (int(piece.e[k + 1] - piece.e[k]) for k in (x - 1, x))
        raise CertificateError(
            f"not concave: non-sink {x} of the order makes {first} jobs ELIGIBLE, the next one {second}"
        )
    return piece.e


def dual_concave_bound(piece: Piece, witness: object, *_: object) -> Int64:
    """Return the bound on e that a concave order of the dual implies."""
    fields(witness, "a dual-concave witness", "by")
    dual = _packets_reversed(piece)
    try:
        f = dual.limit(concave_bound(dual)) + np.arange(piece.n + 1)
    except CertificateError as error:
        raise CertificateError(f"the dual order is {error.text}") from None
    j = piece.n - np.arange(piece.n + 1)
    return piece.bound_from(j - np.searchsorted(f, j))


def _packets_reversed(piece: Piece) -> Piece:
    # A child becomes ELIGIBLE after its parent is executed, so in a later packet: the dual executes it earlier.
    moment = np.full(piece.n, -1, np.int64)
    np.maximum.at(moment, piece.heads, piece.tails)
    place = np.empty(piece.n, np.int64)
    place[np.argsort(-moment, kind="stable")] = np.arange(piece.n)
    return Piece.of(piece.n, place[piece.heads], place[piece.tails])
