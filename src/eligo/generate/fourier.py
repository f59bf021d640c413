"""The dag of the fast Fourier transform, in arrays, O(n)."""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least, fits, within

__all__ = ["fft"]


def fft(dim: int = 3) -> Dag:
    """Return the FFT dag of 2^d inputs (Rosenberg and Yurkewych 2005, section 2.1.3).

    It has (d + 1) 2^d jobs and d 2^(d+1) edges. Node <l, x> of level l > 0 feeds the two nodes of level l - 1 whose
    strings equal x or differ from it in symbol d - l, counted from 0. Numbering: level d, the sources, first, down to
    level 0; within a level by x read as a binary number. So <l, x> is job (d - l) 2^d + x.

    Examples
    --------
    >>> butterfly = fft(1)
    >>> butterfly, butterfly.children(0).tolist(), butterfly.children(1).tolist()
    (Dag(4 jobs, 4 edges), [2, 3], [2, 3])
    """
    at_least(0, dim=dim)
    within(0, 64, dim=dim)
    fits((dim + 1) << dim, dim << (dim + 1))
    width = 1 << dim
    row = np.arange(dim, dtype=np.int64)[:, None]  # row r is level d - r
    position = np.arange(width, dtype=np.int64)
    partner = position ^ (1 << (dim - 1 - row))
    tails = row * width + position
    below = (row + 1) * width
    return Dag.from_edges(
        (dim + 1) * width,
        np.concatenate([tails, tails], axis=None),
        np.concatenate([below + position, below + partner], axis=None),
    )


register(
    Family("fft", fft, "the fast Fourier transform", {"dim": "2^DIM inputs"}, "fft --dim 3"),
)
