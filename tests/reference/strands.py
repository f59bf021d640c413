"""003's greedy for sums of strands in plain Python: the twin of the compiled one, which benchmarks compare with it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise


class _Piece:
    """What is left of a strand: places first..last of the row; `gains` from the best place on order the pieces."""

    def __init__(self, letters: Sequence[int], first: int, last: int, number: Sequence[int]) -> None:
        self.first, self.last = first, last
        self.best = largest_suffix(letters, first, last)
        self.gains = list(letters[self.best : last + 1])
        self.number = number[self.best]

    def __lt__(self, other: _Piece) -> bool:
        # The last gain is never 0, so that a longer piece that agrees gains more.
        return self.gains > other.gains or (self.gains == other.gains and self.number < other.number)


def strand_order(completed: Sequence[int], row: Sequence[int], starts: Sequence[int]) -> list[int]:
    """Return the order of the sources.

    Parameters
    ----------
    completed
        For each place in the row, how many sinks have their rightmost parent there.
    row, starts
        The sources from left to right, and where each strand begins.
    """
    letters = list(completed)
    waiting = []
    for first, end in pairwise(starts):
        letters[first] += 1
        waiting.append(_Piece(letters, first, end - 1, row))
    heapq.heapify(waiting)
    order = []
    while waiting:
        piece = heapq.heappop(waiting)
        order.append(row[piece.best])
        for first, last, side in (
            (piece.first, piece.best - 1, piece.best - 1),
            (piece.best + 1, piece.last, piece.best + 1),
        ):
            if first <= last:
                letters[side] += 1
                heapq.heappush(waiting, _Piece(letters, first, last, row))
    return order


def largest_suffix(letters: Sequence[int], first: int, last: int) -> int:
    """Return where the largest suffix of ``letters[first..last]`` begins, in linear time (Duval)."""
    best, rival, equal, period = first, first + 1, 0, 1
    while rival + equal <= last:
        one, two = letters[best + equal], letters[rival + equal]
        if one == two:
            equal += 1
            if equal == period:
                rival, equal = rival + period, 0
        elif one > two:
            rival, equal = rival + equal + 1, 0
            period = rival - best
        else:
            best, rival, equal, period = rival, rival + 1, 0, 1
    return best
