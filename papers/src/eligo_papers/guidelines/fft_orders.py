"""Orders of FFT dags: node <l, x> is job (d - l) 2^d + x, so that sources come first (000, section 2.1.3)."""

from __future__ import annotations

__all__ = ["fours_order", "from_the_right", "paired_order"]


def from_the_right(dim: int, job: int) -> int:
    """Return the string of a job read from the right, as a number: the rank of the eager play.

    Examples
    --------
    >>> [from_the_right(2, job) for job in range(4)]
    [0, 2, 1, 3]
    """
    x = job % 2**dim
    return sum(1 << (dim - 1 - symbol) for symbol in range(dim) if x >> symbol & 1)


def paired_order(dim: int) -> list[int]:
    """Return the jobs of F_d level by level, those with the same children in a row (Corollary 5.1).

    Examples
    --------
    >>> paired_order(2)
    [0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    """
    width = 2**dim
    order = []
    for row in range(dim):
        bit = 1 << (dim - 1 - row)
        order += [row * width + y for x in range(width) if not x & bit for y in (x, x | bit)]
    return order + list(range(dim * width, (dim + 1) * width))


def fours_order(dim: int) -> list[int]:
    """Return the jobs of F_d level by level in pairs, two pairs that the same four nodes feed in a row: the cheapest.

    Examples
    --------
    >>> fours_order(2)
    [0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    """
    width = 2**dim
    order = []
    for row in range(dim):
        bit = 1 << (dim - 1 - row)
        # The other pair that the same four nodes feed; sources are fed by none.
        near = bit << 1 if row else bit >> 1 or width
        first = [x for x in range(width) if not x & (bit | near)]
        fours = [(x, x | bit, x | near, x | bit | near) for x in first]
        order += [row * width + y for four in fours for y in four if y < width]
    return order + list(range(dim * width, (dim + 1) * width))
