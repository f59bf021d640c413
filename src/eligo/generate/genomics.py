"""Epigenomics-like workflows: DNA sequences are split, mapped and merged.

Shape, as in the workflows of the Pegasus gallery: in each lane, fastqSplit feeds chains filterContams -> sol2sanger ->
fastq2bfq -> map, which a mapMerge joins; a last mapMerge joins the lanes where there are several; then maqindex and
pileup. Lanes of 35 chunks as in the gallery's largest file (seven lanes, 997 jobs).
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.kinds import Kind, Plan
from eligo.generate.limits import at_least, fits

__all__ = ["epigenomics"]

# Means of the gallery's Epigenomics_997; spreads without its negative sizes.
_SPLIT = Kind("fastqSplit", 54.5, 0.3, 1.05e7, 0.3, split=True)
_STEPS = (
    Kind("filterContams", 1.4, 0.8, 5.3e6, 0.3),
    Kind("sol2sanger", 0.4, 0.8, 4.3e6, 0.3),
    Kind("fastq2bfq", 0.65, 0.8, 1.0e6, 0.3),
    Kind("map", 15_700, 0.26, 1.1e6, 0.3),
)
_MERGE = Kind("mapMerge", 11, 0.5, 2.4e7, 0.3)
_MERGE_ALL = Kind("mapMergeAll", 130, 0.3, 2.4e8, 0.3)
_INDEX = Kind("maqindex", 0.2, 0.1, 4.3e6, 0.1)
_PILEUP = Kind("pileup", 6034, 0.1, 9.4e6, 0.1)

_FEWEST = 8


def epigenomics(jobs: int = 1000, chunks: int = 35, costs: bool = False, seed: int = 0) -> Dag:
    """Return an Epigenomics-like dag of exactly so many jobs, 8 or more.

    Where chains of four do not add up to the number asked for, the last chunk's chain is a further one of fewer steps:
    reads that come filtered, or filtered and converted. Numbering: kind after kind in the order above, lane after
    lane within each. Names are ``fastqSplit_i`` and so on; the merge of all lanes is ``mapMergeAll``.

    Parameters
    ----------
    chunks
        About how many chunks a lane is split into.

    Examples
    --------
    >>> dag = epigenomics(997)
    >>> dag, len(dag.children(0)), len(dag.parents(dag.index("mapMergeAll")))
    (Dag(997 jobs, 1,234 edges), 35, 7)
    """
    at_least(_FEWEST, jobs=jobs)
    at_least(1, chunks=chunks)
    at_least(0, seed=seed)
    fits(jobs, 2 * jobs)
    lanes = max(1, min(round((jobs - 3) / (4 * chunks + 2)), (jobs - 3) // 6))
    fixed = 4 if lanes == 1 else 2 * lanes + 3
    whole, rest = divmod(jobs - fixed, 4)
    lane = np.repeat(np.arange(lanes), np.diff(np.arange(lanes + 1) * whole // lanes))
    lane_and_rest = np.append(lane, lanes - 1) if rest else lane
    plan = Plan()
    split = plan.add(_SPLIT, lanes)
    before = split[lane]
    for step, kind in enumerate(_STEPS):
        if step == len(_STEPS) - rest:  # the short chain begins here
            before = np.append(before, split[-1])
        here = plan.add(kind, len(before))
        plan.link(before, here)
        before = here
    merge = plan.add(_MERGE, lanes)
    plan.link(before, merge[lane_and_rest])
    merged = merge
    if lanes > 1:
        merged = plan.add_one(_MERGE_ALL)
        plan.link(merge, merged)
    index, pileup = plan.add_one(_INDEX), plan.add_one(_PILEUP)
    plan.link(merged, index)
    plan.link(index, pileup)
    return plan.build(costs_seed=seed if costs else None)


register(
    Family(
        "epigenomics",
        epigenomics,
        "Epigenomics-like: DNA sequences split, mapped and merged",
        {
            "jobs": "number of jobs, 8 or more",
            "chunks": "chunks of a lane, about",
            "costs": "with times and file sizes",
            "seed": "times and sizes are a function of this number",
        },
        "epigenomics --jobs 1000",
    ),
)
