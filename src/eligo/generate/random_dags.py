"""Random dags: layered, uniform, and series-parallel.

Edges that are present independently with one probability are not drawn one pair at a time: the gaps between present
pairs are geometric, so only those present are drawn, and their positions in the list of all pairs are turned into
jobs by arithmetic. Cost: O(n + m), in arrays. The same seed gives the same dag.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag, Int64
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least, fits, within

__all__ = ["layered", "series_parallel", "uniform"]

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
