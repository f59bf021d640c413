"""Chains and fork-joins: the two shapes that every workflow language has a word for."""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least, fits

__all__ = ["chain", "fork_join"]


def chain(length: int = 10) -> Dag:
    """Return jobs in a row, each the only parent of the next.

    Numbering: from the source to the sink.

    Examples
    --------
    >>> chain(3)
    Dag(3 jobs, 2 edges)
    """
    at_least(1, length=length)
    fits(length)
    jobs = np.arange(length, dtype=np.int32)
    return Dag.from_edges(length, jobs[:-1], jobs[1:])


def fork_join(width: int = 4, stages: int = 1) -> Dag:
    """Return a fork of `width` parallel jobs followed by a join; the join is the fork of the next stage.

    ``stages * (width + 1) + 1`` jobs. Numbering: the first fork, then for each stage its parallel jobs and its join.

    Examples
    --------
    >>> dag = fork_join(3, stages=2)
    >>> dag, dag.children(4).tolist()
    (Dag(9 jobs, 12 edges), [5, 6, 7])
    """
    at_least(1, width=width, stages=stages)
    fits(stages * (width + 1) + 1, 2 * stages * width)
    forks = (width + 1) * np.arange(stages)[:, None]
    parallel = forks + np.arange(1, width + 1)
    ends = np.broadcast_to(forks, parallel.shape)
    return Dag.from_edges(
        stages * (width + 1) + 1,
        np.concatenate([ends, parallel], axis=None),
        np.concatenate([parallel, ends + width + 1], axis=None),
    )


register(
    Family("chain", chain, "jobs in a row", {"length": "number of jobs"}, "chain --length 20"),
    Family(
        "fork-join",
        fork_join,
        "one or more forks of equal width, each followed by a join",
        {"width": "parallel jobs of each fork", "stages": "number of forks, one after another"},
        "fork-join --width 50 --stages 3",
    ),
)
