"""Daggen: the generator of random workflows used by the memory-bounded scheduling papers.

A reimplementation, from a description of the behaviour, of the tool of Suter and Hunold (version of 2013): equal in
distribution, but seeded. Tasks are placed in levels of about n^fat; each task behind the first level draws its number
of parents, and each parent among the levels up to `jump` back.

What the tool does and a reader might not expect, kept here:

* The perfect width is ``trunc(exp(fat * ln n))``, which in floating point is one less than n^fat for some exact powers.
* A task may end with fewer parents than drawn, and with jump > 1 all of them may lie further back than one level.
* When a drawn parent is taken already, the search steps to the next task of that level, and the test that should see
  whether that one is taken compares the wrong number: duplicate edges occur. The random stream and the child counts,
  on which the later course depends, include them; the ``Dag`` merges each into one edge with one datum.

Cost: O(n + m), a Python loop over the edges: about a microsecond each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from eligo.dag import MAX_BYTES, MAX_SECONDS, Dag, Data, Float64, Int64
from eligo.errors import EligoError
from eligo.generate.family import Family, register
from eligo.generate.limits import MAX_JOBS, at_least, fits, within

__all__ = ["DaggenDraw", "daggen", "daggen_draw"]

_ROWS = 1024
_MAX_DATA = math.isqrt(MAX_BYTES // 8)


@dataclass(frozen=True, slots=True)
class DaggenDraw:
    """What daggen draws, before it becomes a Dag.

    Attributes
    ----------
    level_sizes
        Tasks of each level; tasks are numbered level by level.
    matrix_rows
        The data size d of each task: it sends a d x d matrix of doubles to each child.
    cost_flop
        Operations of each task.
    alpha
        The fraction of each task that cannot run in parallel (Amdahl); a Dag has no place for it.
    tails, heads
        The edges in the order of drawing, duplicates included.
    """

    level_sizes: Int64
    matrix_rows: Int64
    cost_flop: Float64
    alpha: Float64
    tails: Int64
    heads: Int64


def daggen(
    jobs: int = 100,
    *,
    fat: float = 0.5,
    regular: float = 0.9,
    density: float = 0.5,
    jump: int = 1,
    ccr: int = 0,
    mindata: int = 2048,
    maxdata: int = 11264,
    minalpha: float = 0.0,
    maxalpha: float = 0.2,
    shared: bool = False,
    flop_per_s: float = 1e9,
    seed: int = 0,
) -> Dag:
    """Return a dag as daggen makes them.

    Numbering: level by level, named from 1 on as daggen does. Times are the costs, and each edge carries 8 d^2 bytes.

    Parameters
    ----------
    fat, regular, density, jump
        The shape: mean width n^fat; how alike levels are; parents out of the previous level; levels an edge may span.
    ccr
        Not a ratio: the law of a task's cost. 1: a d^2; 2: 2 a d^2 log2 d; 3: d^3, with a even over 64 to 512; 0:
        one of the three for each task; any other: 0.
    mindata, maxdata
        Bounds of the data size d, which is a multiple of 1024. Where d is 0, law 2 gives no time (unknown).
    minalpha, maxalpha
        Bounds of Amdahl's fraction, drawn and left out: see :func:`daggen_draw`.
    shared
        A task's output of 8 d^2 bytes is one datum that all its children read, instead of one for each edge.
    flop_per_s
        Times are operations over this.

    Examples
    --------
    >>> dag = daggen(50, fat=0.8, density=0.2, seed=5)
    >>> dag.n, dag.data.k == dag.m, daggen(50, shared=True).data.k
    (50, True, 50)
    """
    if not 0 < flop_per_s < math.inf:
        raise EligoError(f"flop_per_s must be above 0, not {flop_per_s}", hint="1e9 is a gigaflop a second")
    draw = daggen_draw(
        jobs, fat=fat, regular=regular, density=density, jump=jump, ccr=ccr, mindata=mindata, maxdata=maxdata,
        minalpha=minalpha, maxalpha=maxalpha, seed=seed,
    )  # fmt: skip
    dag = Dag.from_edges(list(map(str, range(1, jobs + 1))), draw.tails, draw.heads)
    weight = 8 * draw.matrix_rows**2
    if shared:
        data = Data(weight, np.arange(jobs, dtype=np.int32), dag.succ_ptr.copy(), dag.succ.copy())
    else:
        data = Data.per_edge(dag.tails, dag.heads, weight[dag.tails])
    with np.errstate(over="ignore"):
        time_s = draw.cost_flop / flop_per_s
    if np.any(time_s >= MAX_SECONDS):
        raise EligoError("a task would take 2^62 seconds or more", hint="choose a larger flop_per_s or less data")
    return dag.with_known(time_s=time_s, data=data)


def daggen_draw(
    jobs: int = 100,
    *,
    fat: float = 0.5,
    regular: float = 0.9,
    density: float = 0.5,
    jump: int = 1,
    ccr: int = 0,
    mindata: int = 2048,
    maxdata: int = 11264,
    minalpha: float = 0.0,
    maxalpha: float = 0.2,
    seed: int = 0,
) -> DaggenDraw:
    """Return all that daggen draws, duplicate edges and Amdahl's fractions included; parameters as :func:`daggen`.

    Examples
    --------
    >>> daggen_draw(25, regular=1.0).level_sizes.tolist()
    [4, 4, 4, 4, 4, 4, 1]
    """
    at_least(1, jobs=jobs, mindata=mindata)
    at_least(0, jump=jump, ccr=ccr, seed=seed)
    at_least(mindata, maxdata=maxdata)
    within(0, 1, fat=fat, regular=regular, density=density)
    within(0, 1e9, minalpha=minalpha)
    within(minalpha, 1e9, maxalpha=maxalpha)
    within(1, _MAX_DATA, maxdata=maxdata)
    within(0, MAX_JOBS, jump=jump)
    fits(jobs)
    rng = np.random.Generator(np.random.PCG64(seed))
    sizes = _levels(jobs, fat, regular, rng)
    fits(jobs, density * float((sizes[1:].astype(float) * sizes[:-1]).sum()) / 2)
    rows, cost = _costs(jobs, ccr, mindata, maxdata, rng)
    alpha = rng.uniform(minalpha, maxalpha, jobs)
    return DaggenDraw(sizes, rows, cost, alpha, *_edges(sizes, density, jump, rng))


def _levels(jobs: int, fat: float, regular: float, rng: np.random.Generator) -> Int64:
    width = int(math.exp(fat * math.log(jobs)))
    spread = 100 - 100 * regular
    sizes: list[int] = []
    left = jobs
    while left:
        size = max(1, int(width * (1 + (rng.uniform(-spread, spread) if spread > 0 else 0.0) / 100)))
        sizes.append(min(size, left))
        left -= sizes[-1]
    return np.array(sizes, np.int64)


def _costs(jobs: int, ccr: int, mindata: int, maxdata: int, rng: np.random.Generator) -> tuple[Int64, Float64]:
    rows = _ROWS * (rng.uniform(mindata, maxdata, jobs).astype(np.int64) // _ROWS)
    factor = rng.uniform(64, 512, jobs)
    law = 1 + rng.uniform(mindata, maxdata, jobs).astype(np.int64) % 3 if ccr == 0 else np.full(jobs, ccr)
    size = rows.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):  # log2(0) makes the not-a-number of the tool itself
        laws = [factor * size**2, 2 * factor * size**2 * np.log2(size), size**3]
    cost = np.select([law == 1, law == 2, law == 3], laws, 0.0)
    return rows, cost


def _edges(sizes: Int64, density: float, jump: int, rng: np.random.Generator) -> tuple[Int64, Int64]:
    starts = (np.cumsum(sizes) - sizes).tolist()
    widths = sizes.tolist()
    children = [0] * int(sizes.sum())
    tails: list[int] = []
    heads: list[int] = []
    for level in range(1, len(widths)):
        before, first = widths[level - 1], starts[level]
        wanted = np.minimum(1 + (rng.random(widths[level]) * (density * before)).astype(np.int64), before)
        back = np.maximum(level - rng.uniform(1, max(jump, 1) + 1, int(wanted.sum())).astype(np.int64), 0)
        place = (rng.random(len(back)) * sizes[back]).astype(np.int64).tolist()
        back, drawn = back.tolist(), 0
        for task, count in enumerate(wanted.tolist(), start=first):
            parents: set[int] = set()
            for one in range(drawn, drawn + count):
                parent = _free_parent(starts[back[one]], widths[back[one]], place[one], parents, children)
                if parent >= 0:
                    parents.add(parent)
                    children[parent] += 1
                    tails.append(parent)
                    heads.append(task)
            drawn += count
    return np.array(tails, np.int64), np.array(heads, np.int64)


def _free_parent(start: int, width: int, place: int, parents: set[int], children: list[int]) -> int:
    """Return the first task from `place` on, going round, that is taken for free; -1 where all are parents.

    The tool's flaw: a task whose number of children equals the place of the wanted child in the list of the task just
    looked at (its last place, since that child was added last) is taken for free unseen.
    """
    last_place = -1
    for step in range(width):
        candidate = start + (place + step) % width
        if candidate not in parents or children[candidate] == last_place:
            return candidate
        last_place = children[candidate] - 1
    return -1


_BOUND = "of the data size, in matrix rows"

register(
    Family(
        "daggen",
        daggen,
        "random workflow as the tool daggen makes them",
        {
            "jobs": "number of tasks",
            "fat": "width exponent: mean tasks of a level are JOBS^FAT",
            "regular": "1: all levels alike; 0: level sizes from 0 to twice the mean",
            "density": "how many parents out of the previous level, 0 to 1",
            "jump": "how many levels back an edge may reach",
            "ccr": "law of the costs: 1, 2, 3, or 0 for one drawn for each task",
            "mindata": f"least {_BOUND}",
            "maxdata": f"largest {_BOUND}",
            "minalpha": "least Amdahl fraction (drawn, not written)",
            "maxalpha": "largest Amdahl fraction (drawn, not written)",
            "shared": "one datum for all children of a task instead of one for each edge",
            "flop_per_s": "operations a second, by which costs become times",
            "seed": "the dag is a function of this number",
        },
        "daggen --jobs 100 --fat 0.5 --regular 0.8 --density 0.2 --jump 2 --seed 1",
    ),
)
