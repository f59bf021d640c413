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
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.parts import Parts
from eligo.certificate.piece import Piece
from eligo.certificate.profiles import best_of_sums, has_priority, in_a_row
from eligo.certificate.reading import distinct, fields, pairs, shown
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate.checker import Checker

__all__ = ["bound"]


def bound(piece: Piece, witness: object, checker: Checker, depth: int) -> Int64:
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
