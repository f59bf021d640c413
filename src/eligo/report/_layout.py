"""Where to draw the jobs of a dag: in rows, arrows pointing down, few crossings, parents centred over children.

The steps are those of Sugiyama, Tagawa and Toda 1981, each plain and deterministic:

1. *Rows* (here). A job's row is its level. A job with fewer parents than children then sinks as far as its children let
   it: that shortens more arrows than it lengthens, and puts a source beside the jobs it is needed with.
2. *Bends* (here). An arrow over several rows gets a bend in each row it passes, so that it claims a place there and
   all arrows join neighbouring rows. Bends are bounded: where there would be too many, the longest go without.
3. *Order within rows*: :mod:`eligo.report._layers`.
4. *Places*: :mod:`eligo.report._layers`.

Components are laid out apart and put side by side in the order of their first jobs: what a row holds of one component
is a rung of its own.

Cost: near-linear in jobs and edges, since steps 3 and 4 are near-linear in arrows and bends are bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eligo.dag import Dag, Float64, Int64
from eligo.graph import components, levels
from eligo.report._layers import Ladder, count_crossings, order_rungs, place_rungs
from eligo.schedule import places

__all__ = ["Layout", "place_jobs"]

_BENDS_A_JOB = 20
_BEND_WIDTH = 0.4
_COMPONENT_GAP = 0.5
_DECIMALS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where each job of a dag stands; a job is one unit wide, rows are one unit apart and grow downwards.

    Attributes
    ----------
    x, y
        The place of each job; the leftmost job or bend stands at 0, jobs of one row are at least 1 apart.
    bends
        For each edge that passes bends, by its number in ``dag.succ``: their places (x, y), from top to bottom.
    crossings
        How many pairs of arrows cross, bends included.
    """

    x: Float64
    y: Float64
    bends: dict[int, Float64]
    crossings: int

    @property
    def width(self) -> float:
        """How far the rightmost job or bend stands from the leftmost."""
        ends = [self.x, *(points[:, 0] for points in self.bends.values())]
        return max(float(x.max(initial=0.0)) for x in ends)

    @property
    def height(self) -> float:
        """How far the lowest row is from the topmost."""
        return float(self.y.max(initial=0.0))


def place_jobs(dag: Dag) -> Layout:
    r"""Return places for the jobs of a dag, and for the bends of its long edges.

    Examples
    --------
    ::

        0   1   2      the reduction-mesh: each job
         \ / \ /       centred below its parents
          3   4
           \ /
            5

    >>> places = place_jobs(Dag.from_edges(6, [0, 1, 1, 2, 3, 4], [3, 3, 4, 4, 5, 5]))
    >>> places.x.tolist(), places.y.tolist()
    ([0.0, 1.0, 2.0, 0.5, 1.5, 1.0], [0.0, 0.0, 0.0, 1.0, 1.0, 2.0])
    >>> places.crossings
    0
    """
    row = _rows(dag)
    tails, heads = dag.tails.astype(np.int64), dag.heads.astype(np.int64)
    passed = row[heads] - row[tails] - 1
    bent = _affordable(passed, _BENDS_A_JOB * dag.n)
    bends = np.where(bent, passed, 0)
    edge = np.repeat(np.arange(dag.m), bends)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(bends) - bends, bends) + 1

    rows = np.concatenate([row, row[tails[edge]] + nth])
    job_part = components(dag).astype(np.int64)
    part = np.concatenate([job_part, job_part[tails[edge]]])
    number, start = _number(rows, part, _natural(dag, row, edge, nth))
    chain_tails, chain_heads = _chains(dag, bends, bent)
    width = np.empty(len(rows))
    width[number] = np.where(np.arange(len(rows)) < dag.n, 1.0, _BEND_WIDTH)
    ladder = Ladder.of(start, width, number[chain_tails], number[chain_heads])

    order = order_rungs(ladder)
    x = _side_by_side(place_rungs(ladder, order)[number], width[number], part)
    points = np.column_stack([x, rows])
    of_edges = np.split(points[dag.n :], np.cumsum(bends)[:-1]) if dag.m else []
    return Layout(
        points[: dag.n, 0].copy(),
        points[: dag.n, 1].copy(),
        {e: bend for e, bend in enumerate(of_edges) if len(bend)},
        count_crossings(ladder, order),
    )


def _rows(dag: Dag) -> Int64:
    """Return each job's level, or further down where that shortens more arrows than it lengthens."""
    row = levels(dag).astype(np.int64)
    fewer_parents = np.diff(dag.pred_ptr) < np.diff(dag.succ_ptr)
    for job in dag.order[::-1][fewer_parents[dag.order[::-1]]].tolist():
        row[job] = row[dag.children(job)].min() - 1
    return row


def _affordable(passed: Int64, budget: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Choose the edges that get their bends: all, or the shortest as far as the budget goes."""
    chosen = np.empty(len(passed), np.bool_)
    order = np.argsort(passed, kind="stable")
    chosen[order] = np.cumsum(passed[order]) <= budget
    return chosen


def _natural(dag: Dag, row: Int64, edge: Int64, nth: Int64) -> Float64:
    """Return how far right jobs, then bends, stand at first: jobs by number, bends on the line between their ends."""
    order = np.lexsort((np.arange(dag.n), row))
    size = np.bincount(row)
    rank = np.empty(dag.n)
    rank[order] = np.arange(dag.n) - np.repeat(np.cumsum(size) - size, size)
    share = (rank + 0.5) / size[row]
    tail, head = dag.tails[edge], dag.heads[edge]
    along = nth / (row[head] - row[tail])
    return np.concatenate([share, share[tail] * (1 - along) + share[head] * along])


def _number(rows: Int64, part: Int64, natural: Float64) -> tuple[Int64, Int64]:
    """Number the nodes rung by rung; return the numbers, and the first of each rung with the end."""
    rung = part * (rows.max(initial=0) + 1) + rows
    order = np.lexsort((natural, rung))
    begins = np.flatnonzero(np.diff(rung[order], prepend=-1))
    return places(order), np.append(begins, len(order))


def _chains(dag: Dag, bends: Int64, bent: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[Int64, Int64]:
    """Cut each edge into arrows from job over bends to job; bends are numbered after the jobs, edge by edge."""
    first = dag.n + np.cumsum(bends) - bends
    bend = np.arange(dag.n, dag.n + int(bends.sum()))
    some = bends > 0
    last = first + bends - 1
    inner = np.ones(len(bend), np.bool_)
    inner[last[some] - dag.n] = False
    direct = bent & ~some
    tails, heads = dag.tails.astype(np.int64), dag.heads.astype(np.int64)
    return (
        np.concatenate([tails[direct], tails[some], bend[inner], last[some]]),
        np.concatenate([heads[direct], first[some], bend[inner] + 1, heads[some]]),
    )


def _side_by_side(x: Float64, width: Float64, part: Int64) -> Float64:
    """Shift the components so that each begins where the one before ends."""
    if not len(x):
        return x
    left, right = np.full(part.max() + 1, np.inf), np.full(part.max() + 1, -np.inf)
    np.minimum.at(left, part, x - width / 2)
    np.maximum.at(right, part, x + width / 2)
    room = right - left + _COMPONENT_GAP
    shift = np.cumsum(room) - room - left
    moved: Float64 = x + shift[part]
    rounded: Float64 = np.round(moved - moved.min(), _DECIMALS)
    return rounded
