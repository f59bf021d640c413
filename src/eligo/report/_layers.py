"""A layered drawing as arrays: rungs of nodes, and arrows that join a rung to a later one.

A *rung* is what one row of the drawing holds of one component of the dag. Nodes (jobs, and bends of long edges) are
numbered rung by rung, so a rung is a range of numbers; arrows are kept twice, sorted by head and by tail, so those into
a rung and those out of it are ranges too. Ordering the rungs and placing their nodes are both a matter of sweeping over
the rungs, asking each time for the mean of something over the neighbours above or below.

In which order to draw the nodes of each rung, so that few arrows cross.

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

How far from each other to draw the nodes of each rung, so that meshes look like meshes and trees like trees.

In its rung a node must keep its turn and a distance from the next. Within these bounds it follows a wish, and the rungs
are swept down and up, in three stages with a wish each:

1. *Together*: to stand at the mean of all its neighbours. This shortens arrows, and no part of a dag strays from the
   rest.
2. *In line*: at the mean of the neighbours above or of those below, whichever are more; where they are equally many, of
   those above in a sweep down, below in a sweep up. So the root of a tree stands in the middle of its branches, and
   chains become straight in one sweep.
3. *Smooth*: jobs stay, bends wish to stand halfway between the next above and the next below.

The second does not hold parts together, and repeated often would push them apart: hence few rounds of it.

Each rung is placed as a whole: of all places that are allowed, those with the least sum of squared distances from the
wishes. With the required distances taken off, "allowed" means ascending, and the problem is isotonic regression: walk
along the row; where a wish lies left of the group before it, both become one group at their common mean. That is
exact, linear, and does not know left from right, so a symmetric order is drawn symmetrically.

Cost: O(a) a sweep, for a arrows; a bounded number of sweeps.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo.dag import Float64, Int64
from eligo.schedule import places

__all__ = [
    "Arrows",
    "Ladder",
    "count_crossings",
    "order_rungs",
    "place_rungs",
]


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """Arrows sorted by one of their ends; ``ptr[r]`` is the first whose ``end`` lies in rung r."""

    end: Int64
    other: Int64
    ptr: Int64

    @classmethod
    def sorted_by(cls, end: Int64, other: Int64, start: Int64) -> Self:
        """Sort arrows by one end, then by the other."""
        order = np.lexsort((other, end))
        return cls(end[order], other[order], np.searchsorted(end[order], start))

    def mean(self, rung: int, first: int, size: int, value: Float64) -> tuple[Float64, Int64]:
        """Return the mean of `value` over the other ends for each node of a rung, and how many those are."""
        here = slice(self.ptr[rung], self.ptr[rung + 1])
        node = self.end[here] - first
        count = np.bincount(node, minlength=size)
        total = np.bincount(node, weights=value[self.other[here]], minlength=size)
        return total / np.maximum(count, 1), count


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """Nodes in rungs, and the arrows between them.

    Attributes
    ----------
    start
        The first node of each rung, and the number of nodes.
    width
        How much room each node takes in its row: 1 for a job, less for a bend.
    into, out
        The arrows by their heads and by their tails.

    Examples
    --------
    >>> ladder = Ladder.of([0, 2, 3], [1.0, 1.0, 1.0], [0, 1], [2, 2])
    >>> ladder.above(1, np.array([3.0, 5.0, 0.0]))
    (array([4.]), array([2]))
    """

    start: Int64
    width: Float64
    into: Arrows
    out: Arrows

    @classmethod
    def of(cls, start: ArrayLike, width: ArrayLike, tails: ArrayLike, heads: ArrayLike) -> Self:
        """Build a ladder from the first node of each rung, the nodes' widths, and arrows."""
        first, tail, head = (np.asarray(a, np.int64) for a in (start, tails, heads))
        return cls(
            first,
            np.asarray(width, np.float64),
            Arrows.sorted_by(head, tail, first),
            Arrows.sorted_by(tail, head, first),
        )

    @property
    def rungs(self) -> int:
        """The number of rungs."""
        return len(self.start) - 1

    @property
    def first(self) -> Int64:
        """For each node the first node of its rung."""
        return np.repeat(self.start[:-1], np.diff(self.start))

    @property
    def bend(self) -> NDArray[np.bool_]:
        """Which nodes are bends: those that take less room than a job."""
        return self.width < 1.0

    def part(self, rung: int, value: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the nodes of a rung."""
        return value[self.start[rung] : self.start[rung + 1]]

    def above(self, rung: int, value: Float64) -> tuple[Float64, Int64]:
        """Return the mean of `value` over the neighbours above each node of a rung, and how many those are."""
        a, b = self.start[rung : rung + 2].tolist()
        return self.into.mean(rung, a, b - a, value)

    def below(self, rung: int, value: Float64) -> tuple[Float64, Int64]:
        """Return the mean of `value` over the neighbours below each node of a rung, and how many those are."""
        a, b = self.start[rung : rung + 2].tolist()
        return self.out.mean(rung, a, b - a, value)


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


_STILL = 1e-4
_HEAVY = 1e3


def place_rungs(ladder: Ladder, place: Int64) -> Float64:
    """Return for each node how far to the right it stands, for rungs in this order.

    Examples
    --------
    >>> ladder = Ladder.of([0, 1, 3], [1.0, 1.0, 1.0], [0, 0], [1, 2])
    >>> place_rungs(ladder, np.array([0, 0, 1])).tolist()
    [0.0, -0.5, 0.5]
    """
    members = np.lexsort((place, ladder.first))
    offset = np.empty(len(members))
    for a, b in zip(ladder.start[:-1].tolist(), ladder.start[1:].tolist(), strict=True):
        room = ladder.width[members[a:b]]
        offset[a:b] = np.cumsum(room) - room / 2 - room.sum() / 2
    x = np.empty(len(members))
    x[members] = offset
    for wishes, rounds in ((_together, 30), (_in_line, 4), (_smooth, 6)):
        weight = np.where(ladder.bend, 1.0, _HEAVY if wishes is _smooth else 1.0)
        for _ in range(rounds):
            before = x.copy()
            for down in (True, False):
                for rung in range(ladder.rungs) if down else reversed(range(ladder.rungs)):
                    here = members[ladder.start[rung] : ladder.start[rung + 1]]
                    away = offset[ladder.start[rung] : ladder.start[rung + 1]]
                    wish = wishes(ladder, rung, x, down)[here - ladder.start[rung]]
                    x[here] = _ascending(wish - away, weight[here]) + away
            if np.abs(x - before).max(initial=0.0) < _STILL:
                break
    return x


def _together(ladder: Ladder, rung: int, x: Float64, down: bool) -> Float64:
    above, parents = ladder.above(rung, x)
    below, children = ladder.below(rung, x)
    mean = (above * parents + below * children) / np.maximum(parents + children, 1)
    return np.where(parents + children > 0, mean, ladder.part(rung, x))


def _in_line(ladder: Ladder, rung: int, x: Float64, down: bool) -> Float64:
    above, parents = ladder.above(rung, x)
    below, children = ladder.below(rung, x)
    wish = np.where(parents >= children if down else parents > children, above, below)
    return np.where(parents + children > 0, wish, ladder.part(rung, x))


def _smooth(ladder: Ladder, rung: int, x: Float64, down: bool) -> Float64:
    between = (ladder.above(rung, x)[0] + ladder.below(rung, x)[0]) / 2
    return np.where(ladder.part(rung, ladder.bend), between, ladder.part(rung, x))


def _ascending(wishes: Float64, weights: Float64) -> Float64:
    """Return the ascending numbers with the least weighted sum of squared distances from these."""
    groups: list[tuple[float, float, int]] = []
    for wish, heft in zip(wishes.tolist(), weights.tolist(), strict=True):
        mean, weight, size = wish, heft, 1
        while groups and groups[-1][0] >= mean:
            other, more, count = groups.pop()
            mean = (mean * weight + other * more) / (weight + more)
            weight, size = weight + more, size + count
        groups.append((mean, weight, size))
    return np.repeat([mean for mean, _, _ in groups], [size for _, _, size in groups])
