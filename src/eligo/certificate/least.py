"""Least: several bounds hold at once, so at every step the smallest does."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from eligo.certificate.piece import Piece
from eligo.certificate.reading import fields, shown
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate.checker import Checker

__all__ = ["bound"]


def bound(piece: Piece, witness: object, checker: Checker, depth: int) -> Int64:
    """Return the smallest of some bounds on e."""
    (_, value) = fields(witness, "a choice of bounds", "by", "of")
    if type(value) is not list or not value:
        raise CertificateError(f"of must be a list of witnesses, not {shown(value)}")
    least: Int64 = reduce(np.minimum, [checker.bound(piece, its, depth + 1) for its in value])
    return least
