"""Random dags: layered, uniform, and series-parallel.

Edges that are present independently with one probability are not drawn one pair at a time: the gaps between present
pairs are geometric, so only those present are drawn, and their positions in the list of all pairs are turned into
jobs by arithmetic. Cost: O(n + m), in arrays. The same seed gives the same dag.

Daggen: the generator of random workflows used by the memory-bounded scheduling papers.

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
from eligo.generate._family import MAX_JOBS, Family, at_least, fits, register, within

__all__ = [
    "DaggenDraw",
    "daggen",
    "daggen_draw",
    "layered",
    "series_parallel",
    "uniform",
]

_CHUNK = 1 << 22


def layered(jobs: int = 100, layers: int = 10, probability: float = 0.3, seed: int = 0) -> Dag:
    """Return a dag of layers as even as can be, each pair of jobs in neighbouring layers joined with one probability.

    A job behind the first layer that would have no parent gets one drawn evenly from the layer before, so a job's
    level is its layer. Numbering: layer by layer.

    Examples
    --------
    >>> from eligo.graph import levels
    >>> levels(layered(6, layers=3, seed=1)).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    at_least(1, jobs=jobs, layers=layers)
    at_least(layers, jobs=jobs)
    at_least(0, seed=seed)
    within(0, 1, probability=probability)
    fits(jobs)
    start = np.arange(layers + 1, dtype=np.int64) * jobs // layers
    width = np.diff(start)
    area = np.append(np.int64(0), np.cumsum(width[:-1] * width[1:]))
    fits(jobs, jobs + probability * float(area[-1]))
    rng = np.random.Generator(np.random.PCG64(seed))
    position = _present(int(area[-1]), probability, rng)
    layer = np.searchsorted(area, position, side="right") - 1
    above, below = np.divmod(position - area[layer], width[layer + 1])
    tails, heads = start[layer] + above, start[layer + 1] + below
    orphan = np.setdiff1d(np.arange(start[1], jobs), heads)
    home = np.searchsorted(start, orphan, side="right") - 2
    return Dag.from_edges(
        jobs,
        np.concatenate([tails, start[home] + rng.integers(0, width[home])]),
        np.concatenate([heads, orphan]),
    )


def uniform(jobs: int = 100, probability: float = 0.05, seed: int = 0) -> Dag:
    """Return a dag in which each pair of jobs is joined with one probability, from the lower number to the higher.

    Numbering: a topological order. Jobs may be isolated.

    Examples
    --------
    >>> uniform(4, probability=1).m
    6
    """
    at_least(1, jobs=jobs)
    at_least(0, seed=seed)
    within(0, 1, probability=probability)
    fits(jobs)
    pairs = jobs * (jobs - 1) // 2
    fits(jobs, probability * pairs)
    rng = np.random.Generator(np.random.PCG64(seed))
    position = _present(pairs, probability, rng)
    # Pairs are listed by their higher end h: those of h begin at h (h - 1) / 2. The root is right up to one.
    head = ((1 + np.sqrt(8.0 * position + 1)) / 2).astype(np.int64)
    head -= head * (head - 1) // 2 > position
    head += (head + 1) * head // 2 <= position
    return Dag.from_edges(jobs, position - head * (head - 1) // 2, head)


def _present(total: int, probability: float, rng: np.random.Generator) -> Int64:
    """Return, ascending, which of `total` positions are taken if each is with this probability, independently."""
    if probability >= 1:
        return np.arange(total, dtype=np.int64)
    if probability <= 0 or total == 0:
        return np.empty(0, np.int64)
    found: list[Int64] = []
    last = -1
    while last < total:
        expected = (total - last) * probability
        # Gaps beyond the end are all alike: cut there, and few enough at a time, their sum stays within 64 bits.
        count = int(min(expected + 4 * np.sqrt(expected) + 16, _CHUNK, 2**62 // (total + 1)))
        run = last + np.cumsum(np.minimum(rng.geometric(probability, count), total + 1))
        found.append(run[run < total])
        last = int(run[-1])
    return np.concatenate(found)


def series_parallel(jobs: int = 100, parallel: float = 0.5, seed: int = 0) -> Dag:
    """Return a random two-terminal series-parallel dag.

    It starts as one edge and grows a job at a time: an edge drawn evenly is either cut in two by the new job (series)
    or gets a path through the new job beside it (parallel). An edge that is still beside a path in the end is a
    shortcut and left out.

    Numbering: job 0 is the only source, job 1 the only sink, the others are numbered in the order of their insertion.

    Parameters
    ----------
    parallel
        The chance of the second kind of step.

    Examples
    --------
    >>> dag = series_parallel(30, seed=4)
    >>> dag.n, len(dag.parents(0)), len(dag.children(1))
    (30, 0, 0)
    """
    at_least(2, jobs=jobs)
    at_least(0, seed=seed)
    within(0, 1, parallel=parallel)
    fits(jobs, 2 * jobs)
    rng = np.random.Generator(np.random.PCG64(seed))
    beside = (rng.random(jobs - 2) < parallel).tolist()
    place = rng.random(jobs - 2).tolist()
    tails, heads, shortcut = [0], [1], [False]
    for step, job in enumerate(range(2, jobs)):
        edge = int(place[step] * len(tails))
        if beside[step]:
            shortcut[edge] = True
            tails += [tails[edge], job]
            heads += [job, heads[edge]]
            shortcut += [False, False]
        else:
            tails.append(job)
            heads.append(heads[edge])
            shortcut.append(False)
            heads[edge], shortcut[edge] = job, False
    kept = ~np.array(shortcut)
    return Dag.from_edges(jobs, np.array(tails)[kept], np.array(heads)[kept])


_SEED = "the dag is a function of this number"

register(
    Family(
        "layered",
        layered,
        "random layered dag: edges between neighbouring layers",
        {
            "jobs": "number of jobs",
            "layers": "number of layers",
            "probability": "chance of each edge between neighbouring layers",
            "seed": _SEED,
        },
        "layered --jobs 1000 --layers 20 --probability 0.05 --seed 1",
    ),
    Family(
        "uniform",
        uniform,
        "random dag: any edge from a lower to a higher number",
        {"jobs": "number of jobs", "probability": "chance of each edge", "seed": _SEED},
        "uniform --jobs 1000 --probability 0.003 --seed 1",
    ),
    Family(
        "series-parallel",
        series_parallel,
        "random two-terminal series-parallel dag",
        {"jobs": "number of jobs", "parallel": "chance that a job is put beside an edge, not into it", "seed": _SEED},
        "series-parallel --jobs 200 --seed 1",
    ),
)


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
