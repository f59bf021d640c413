"""Dual-concave: read backwards, the order is concave.

For every dag and its dual (all arcs reversed), E_max(t) >= k if and only if the dual's E_max(n - t - k) >= k: both say
that there are ideals I in J with |I| = t and |J| = t + k such that no arc joins two jobs of J without I. Hence, with
f(s) = s + E_max(s) of the dual, E_max(t) = j - min {s : f(s) >= j} where j = n - t.

The dual's E_max is known from one order of the dual that is concave. The one tried here reverses packets: a packet
holds the jobs that one step of the given order makes ELIGIBLE, and packets go last to first. It need not be trusted to
be optimal: only its being concave counts. O((n + m) log n).
"""

from __future__ import annotations

import numpy as np

from eligo.certificate.concave import concave_bound
from eligo.certificate.piece import Piece
from eligo.certificate.reading import fields
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["bound"]


def bound(piece: Piece, witness: object, *_: object) -> Int64:
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
