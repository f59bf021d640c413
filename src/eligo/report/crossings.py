"""In which order to draw the nodes of each rung, so that few arrows cross.

Finding the fewest crossings is NP-hard even for two rows. The common remedy (Sugiyama, Tagawa and Toda 1981): sweep
down and up; each node of a rung goes to the mean place of its neighbours in the rung just ordered. Ties are broken
by the order that was, or against it, in turn, since either can be a dead end. Then neighbours in a rung swap
wherever that saves crossings.

There are two starts: the given numbering, and a breadth-first walk from an end of the drawing, which unrolls strands
and all that is longer than wide (sweeps alone leave them folded: 377 crossings in eight zigzags of 40 jobs in random
order, none with it). Of all orders met the one with the fewest crossings is kept. But numbers often have a meaning (the
butterflies of an FFT stand in line, though some 30% of their crossings could be saved), so unless at least half of
its crossings can be saved the given numbering stands. Either way the result is never worse than it.

Crossings are counted for all rungs at once. Sort arrows by tail, then by head: two cross where their heads are in
inverse order. Inversions are counted bit by bit: of two numbers the larger has a one at the highest bit where they
differ.

Cost: O(a log a) a sweep, for a arrows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from eligo.dag import Int64
from eligo.report.ladder import Ladder
from eligo.schedule import places

__all__ = ["count_crossings", "order_rungs"]

_SWEEPS = 40
_PATIENCE = 12
_SWAPPINGS = 8
_WORTH = 0.5


def order_rungs(ladder: Ladder) -> Int64:
    """Return for each node its place in its rung, 0 for the leftmost.

    Examples
    --------
    >>> ladder = Ladder.of([0, 2, 4], [1.0] * 4, [0, 1], [3, 2])
    >>> order_rungs(ladder).tolist()
    [0, 1, 1, 0]
    """
    natural = np.arange(len(ladder.width)) - ladder.first
    best, fewest = natural, count_crossings(ladder, natural)
    for start in (natural, _from_an_end(ladder)):
        place, waited = start, 0
        for sweep in range(_SWEEPS + 1):
            found = count_crossings(ladder, place)
            if found < fewest:
                best, fewest, waited = place, found, 0
            waited += 1
            if fewest == 0 or waited > _PATIENCE:
                break
            place = _sweep(ladder, place, down=sweep % 2 == 0, reverse_ties=sweep % 4 >= 2)
    if fewest:
        best = _swap(ladder, best)
    return best if count_crossings(ladder, best) <= _WORTH * count_crossings(ladder, natural) else natural


def count_crossings(ladder: Ladder, place: Int64) -> int:
    """Return how many pairs of arrows cross when the nodes of each rung stand in these places.

    Examples
    --------
    >>> ladder = Ladder.of([0, 2, 4], [1.0] * 4, [0, 1], [3, 2])
    >>> count_crossings(ladder, np.array([0, 1, 0, 1])), count_crossings(ladder, np.array([0, 1, 1, 0]))
    (1, 0)
    """
    everywhere = ladder.first + place
    tail, head = everywhere[ladder.out.end], everywhere[ladder.out.other]
    return _inversions(head[np.lexsort((head, tail))])


def _inversions(values: Int64) -> int:
    """Return the number of pairs of which the earlier is larger."""
    total = 0
    for bit in reversed(range(int(values.max(initial=0)).bit_length())):  # downwards, so that sorting keeps the order
        values = values[np.argsort(values >> (bit + 1), kind="stable")]
        group, one = values >> (bit + 1), (values >> bit) & 1
        ones = np.cumsum(one)
        begins = np.flatnonzero(np.diff(group, prepend=-1))
        before = np.repeat((ones - one)[begins], np.diff(begins, append=len(values)))
        total += int(((ones - before) * (1 - one)).sum())
    return total


def _sweep(ladder: Ladder, place: Int64, *, down: bool, reverse_ties: bool) -> Int64:
    """Order each rung by the mean place of its neighbours in the one before; nodes without any stay where they are."""
    place = place.copy()
    value = place.astype(np.float64)
    mean = ladder.above if down else ladder.below
    for rung in range(ladder.rungs) if down else reversed(range(ladder.rungs)):
        a, b = ladder.start[rung : rung + 2].tolist()
        wish, count = mean(rung, value)
        moving = np.flatnonzero(count)
        now = place[a:b][moving]
        order = np.lexsort((-now if reverse_ties else now, wish[moving]))
        place[a:b][moving[order]] = np.sort(now)
        value[a:b] = place[a:b]
    return place


def _from_an_end(ladder: Ladder) -> Int64:
    """Return the places of nodes when each rung is in the order of a breadth-first walk from an end of the drawing.

    An end is a node as far away as can be from one that is as far away as can be from the first.
    """
    n = len(ladder.width)
    neighbours = [up + down for up, down in zip(*_neighbours(ladder), strict=True)]
    met, turn = np.full(n, -1), np.empty(n, np.int64)
    turns = walks = 0
    for begin in range(n):
        if met[begin] >= 0:
            continue
        walk = [begin]
        for _ in range(3):
            walk = _walk(walk[-1], neighbours, met, walks)
            walks += 1
        turn[walk] = np.arange(turns, turns + len(walk))
        turns += len(walk)
    return places(np.lexsort((turn, ladder.first))) - ladder.first


def _walk(begin: int, neighbours: list[list[int]], met: Int64, walk: int) -> list[int]:
    """Return all nodes that can be reached, the nearest first; marks them with the number of the walk."""
    met[begin] = walk
    reached = [begin]
    for node in reached:
        for other in neighbours[node]:
            if met[other] != walk:
                met[other] = walk
                reached.append(other)
    return reached


def _swap(ladder: Ladder, place: Int64) -> Int64:
    """Swap neighbours in a rung wherever that saves crossings, until a round brings nothing."""
    parents, children = _neighbours(ladder)
    where = place.tolist()
    rows = [[0] * (b - a) for a, b in zip(ladder.start[:-1].tolist(), ladder.start[1:].tolist(), strict=True)]
    for row, a in zip(rows, ladder.start.tolist(), strict=False):
        for node in range(a, a + len(row)):
            row[where[node]] = node
    for _ in range(_SWAPPINGS):
        if not sum([_swap_in(row, where, parents, children) for row in rows]):
            break
    return np.array(where, np.int64)


def _swap_in(row: list[int], where: list[int], parents: list[list[int]], children: list[list[int]]) -> int:
    """Swap neighbours in one rung from left to right; return how many crossings that saved."""
    up = {node: sorted([where[p] for p in parents[node]]) for node in row}
    down = {node: sorted([where[c] for c in children[node]]) for node in row}
    saved = 0
    for i in range(len(row) - 1):
        left, right = row[i], row[i + 1]
        gain = _gain(up[left], up[right]) + _gain(down[left], down[right])
        if gain > 0:
            row[i], row[i + 1] = right, left
            where[left], where[right] = i + 1, i
            saved += gain
    return saved


def _gain(left: list[int], right: list[int]) -> int:
    """Return how many more crossings arrows to places `left` and `right` make in this order than in the other."""
    if len(left) > len(right):  # a look-up for each of the fewer, or a hub that moves along a row costs its square
        return -_gain(right, left)
    return sum([bisect_left(right, a) + bisect_right(right, a) - len(right) for a in left])


def _neighbours(ladder: Ladder) -> tuple[list[list[int]], list[list[int]]]:
    parents: list[list[int]] = [[] for _ in ladder.width]
    children: list[list[int]] = [[] for _ in ladder.width]
    for tail, head in zip(ladder.out.end.tolist(), ladder.out.other.tolist(), strict=True):
        children[tail].append(head)
        parents[head].append(tail)
    return parents, children
