"""Concave: each non-sink of the order makes at most as many jobs ELIGIBLE as the one before it.

Charge every non-source to its parent that the order executes last; then job v bears y(v) = e(x) - e(x - 1) charges
where v is the x-th non-sink. Take any ideal with x non-sinks. A non-source whose parents all lie in it is charged to
one of them, so there are at most sum y(v) over these x non-sinks, and if y never grows along the order, at most the
sum of its first x, which is e(x). So the order is IC-optimal, whatever the dag. O(n + m).
"""

from __future__ import annotations

import numpy as np

from eligo.certificate.piece import Piece
from eligo.certificate.reading import fields
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["bound", "concave_bound"]


def bound(piece: Piece, witness: object, *_: object) -> Int64:
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
