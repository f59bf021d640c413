"""How far from each other to draw the nodes of each rung, so that meshes look like meshes and trees like trees.

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

import numpy as np

from eligo.dag import Float64, Int64
from eligo.report.ladder import Ladder

__all__ = ["place_rungs"]

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
