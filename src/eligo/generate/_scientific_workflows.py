"""Workflows made of kinds of jobs: a plan to which jobs are added kind by kind and linked by arrays of numbers.

Jobs of a real workflow come in a few kinds, such as Montage's mProject and mDiffFit. A kind has a name, from which its
jobs are named, and laws for the time a job takes and for the size of what it writes. Times and sizes are drawn, where
asked for, from gamma laws with the kind's mean and spread: positive and skewed like measured ones, and, with the small
spreads that most kinds have, near the mean.

What a job writes is one file that all its children read: one datum, counted once. A kind may instead write one file
for each child (``split``), as programs do that cut a file in pieces.

AIRSN, a functional magnetic resonance imaging workflow: a double umbrella with fringes.

Malewicz et al. 2006, section 3.3: about twenty jobs (the handle) precede a fork (the first cover), followed by a join,
another fork (the second cover) and the final join; each job of the first cover also depends on a job of its own (a
fringe). 773 jobs at width 250 force a handle of 21: 21 + 3 * 250 + 2. No file of it is public and whether the handle
is a plain chain is not known; a chain is taken, with which the tool of 2006 gives its last job priority 753, as
printed there in Fig. 5.

Epigenomics-like workflows: DNA sequences are split, mapped and merged.

Shape, as in the workflows of the Pegasus gallery: in each lane, fastqSplit feeds chains filterContams -> sol2sanger ->
fastq2bfq -> map, which a mapMerge joins; a last mapMerge joins the lanes where there are several; then maqindex and
pileup. Lanes of 35 chunks as in the gallery's largest file (seven lanes, 997 jobs).

Inspiral-like workflows: the search for gravitational waves of LIGO.

Shape, as in the workflows of the Pegasus gallery, in groups: TmpltBank -> Inspiral (one to one) -> Thinca (one for the
group) -> TrigBank -> Inspiral (one to one, the second stage, here called Veto) -> Thinca (the second, here Coinc). A
group of k templates has 4k + 2 jobs.

Groups of one stretch of data overlap: the last Inspiral of a group also feeds the next group's Coinc, and the first
Inspiral of a group the previous group's Coinc. This ties the groups of the stretch into a component that cannot be
split into bipartite ones, since each group's second stage waits for the other's first (Malewicz et al. 2006, section
3.3: a non-bipartite component with over 1,000 of 2,988 jobs). The first stretch holds more than half of all jobs; the
groups behind it stand alone, as those of the gallery do. How the real dag of 2006 came by its component is not known.

CyberShake-like workflows: seismic hazard at a site.

Shape, as in the workflows of the Pegasus gallery: ExtractSGT (a few) -> SeismogramSynthesis (many for each) -> ZipSeis
(one for all), and SeismogramSynthesis -> PeakValCalc (one to one) -> ZipPSA (one for all). With e extracts and s
syntheses that is e + 2s + 2 jobs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eligo.dag import Dag, Data, Float64, Int32, Int64
from eligo.generate._family import Family, at_least, fits, register

__all__ = [
    "Kind",
    "Plan",
    "airsn",
    "cybershake",
    "epigenomics",
    "inspiral",
]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of jobs.

    Attributes
    ----------
    name
        The first part of its jobs' names.
    time_s, time_spread
        Mean of the time a job takes, and standard deviation over mean.
    size_bytes, size_spread
        Likewise of the file, or each of the files, that it writes.
    split
        Whether it writes one file for each child instead of one for all.
    """

    name: str
    time_s: float
    time_spread: float
    size_bytes: float
    size_spread: float
    split: bool = False


class Plan:
    """A workflow under construction.

    Examples
    --------
    >>> plan = Plan()
    >>> prepare, work = Kind("prepare", 10, 0.1, 1e6, 0), Kind("work", 60, 0.5, 1e3, 0.2)
    >>> first = plan.add_one(prepare)
    >>> plan.link(first, plan.add(work, 3))
    >>> plan.build().names
    ('prepare', 'work_0', 'work_1', 'work_2')
    >>> plan.build(costs_seed=1).data.size_bytes[0]
    np.int64(1000000)
    """

    def __init__(self) -> None:
        self._kinds: list[tuple[Kind, int]] = []
        self._names: list[str] = []
        self._tails: list[Int64] = []
        self._heads: list[Int64] = []

    def add(self, kind: Kind, count: int) -> Int64:
        """Add jobs called ``kind_0``, ``kind_1``, ... and return their numbers; one call for each kind."""
        first = len(self._names)
        fits(first + count)
        self._kinds.append((kind, count))
        self._names += [f"{kind.name}_{number}" for number in range(count)]
        return np.arange(first, first + count, dtype=np.int64)

    def add_one(self, kind: Kind) -> Int64:
        """Add a job that is the only one of its kind and carries its name."""
        self._kinds.append((kind, 1))
        self._names.append(kind.name)
        return np.array([len(self._names) - 1], np.int64)

    def link(self, tails: ArrayLike, heads: ArrayLike) -> None:
        """Add edges from each of `tails` to the one of `heads` at the same place; one job on a side serves all."""
        tail, head = np.broadcast_arrays(np.asarray(tails, np.int64), np.asarray(heads, np.int64))
        self._tails.append(tail.ravel())
        self._heads.append(head.ravel())

    def build(self, *, costs_seed: int | None = None) -> Dag:
        """Return the dag, with times and sizes drawn from the seed where one is given."""
        dag = Dag.from_edges(self._names, np.concatenate(self._tails), np.concatenate(self._heads))
        if costs_seed is None:
            return dag
        at_least(0, seed=costs_seed)
        rng = np.random.Generator(np.random.PCG64(costs_seed))
        time_s = np.concatenate([_gamma(rng, kind.time_s, kind.time_spread, count) for kind, count in self._kinds])
        split = np.concatenate([np.full(count, kind.split) for kind, count in self._kinds])
        producer, ptr, readers, names = _files(dag, split)
        scale = np.concatenate([np.full(count, kind.size_bytes) for kind, count in self._kinds])[producer]
        spread = np.concatenate([np.full(count, kind.size_spread) for kind, count in self._kinds])[producer]
        size_bytes = np.maximum(1, np.rint(_gamma(rng, scale, spread, len(producer)))).astype(np.int64)
        return dag.with_known(
            time_s=np.round(time_s, 3), data=Data(size_bytes, producer.astype(np.int32), ptr, readers, names)
        )


def _gamma(rng: np.random.Generator, mean: ArrayLike, spread: ArrayLike, count: int) -> Float64:
    """Draw from the gamma law with this mean and standard deviation over mean; the mean itself where that is 0."""
    means, spreads = np.broadcast_to(mean, count), np.broadcast_to(spread, count).astype(float)
    shape = 1 / np.maximum(spreads, 1e-9) ** 2
    drawn: Float64 = np.where(spreads > 0, rng.standard_gamma(shape) / shape, 1.0) * means
    return drawn


def _files(dag: Dag, split: NDArray[np.bool_]) -> tuple[Int64, Int64, Int32, tuple[str, ...]]:
    """Return producer, offsets of readers, readers and names of all files, in the order of their producers."""
    children = np.diff(dag.succ_ptr)
    files = np.where(split & (children > 0), children, 1)
    producer = np.repeat(np.arange(dag.n, dtype=np.int64), files)
    readers = np.where(split[producer] & (children[producer] > 0), 1, children[producer])
    ptr = np.zeros(len(producer) + 1, np.int64)
    np.cumsum(readers, out=ptr[1:])
    place = np.arange(len(producer)) - np.repeat(np.cumsum(files) - files, files)
    names = tuple(
        f"{dag.names[job]}.out" if count == 1 else f"{dag.names[job]}.out.{which}"
        for job, which, count in zip(producer.tolist(), place.tolist(), files[producer].tolist(), strict=True)
    )
    return producer, ptr, dag.succ.copy(), names


# No times or sizes of AIRSN are public: these are round figures for volumes of a few megabytes.
_FRINGE = Kind("fringe", 10, 0.2, 2e6, 0.1)
_HANDLE = Kind("handle", 30, 0.2, 4e6, 0.1)
_COVER1 = Kind("first", 60, 0.2, 4e6, 0.1)
_JOIN1 = Kind("join", 60, 0.2, 4e6, 0.1)
_COVER2 = Kind("second", 60, 0.2, 4e6, 0.1)
_JOIN2 = Kind("last", 120, 0.2, 1e9, 0.1)


def airsn(width: int = 250, handle: int = 21, costs: bool = False, seed: int = 0) -> Dag:
    """Return AIRSN of a width: ``3 * width + handle + 2`` jobs.

    Numbering: the fringes ``fringe_i`` come before the handle ``handle_i``, so that an order that takes jobs as they
    come runs them first and starves; then the first cover ``first_i``, ``join``, the second cover ``second_i`` and
    ``last``.

    Examples
    --------
    >>> dag = airsn(250)
    >>> dag, [dag.names[job] for job in dag.parents(dag.index("first_7"))]
    (Dag(773 jobs, 1,270 edges), ['fringe_7', 'handle_20'])
    """
    at_least(1, width=width, handle=handle)
    fits(3 * width + handle + 2, 5 * width + handle)
    plan = Plan()
    fringes, stem = plan.add(_FRINGE, width), plan.add(_HANDLE, handle)
    first, join = plan.add(_COVER1, width), plan.add_one(_JOIN1)
    second, last = plan.add(_COVER2, width), plan.add_one(_JOIN2)
    plan.link(stem[:-1], stem[1:])
    plan.link(fringes, first)
    plan.link(np.repeat(stem[-1:], width), first)
    plan.link(first, join)
    plan.link(join, second)
    plan.link(second, last)
    return plan.build(costs_seed=seed if costs else None)


register(
    Family(
        "airsn",
        airsn,
        "AIRSN, a functional MRI workflow: 3 WIDTH + 23 jobs",
        {
            "width": "parallel jobs of each of the two forks",
            "handle": "jobs in the chain that precedes the first fork",
            "costs": "with times and file sizes",
            "seed": "times and sizes are a function of this number",
        },
        "airsn --width 250",
    ),
)


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

_FEWEST_EPIGENOMICS = 8


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
    at_least(_FEWEST_EPIGENOMICS, jobs=jobs)
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


# Means and spreads of the gallery's Inspiral_1000.
_BANK = Kind("TmpltBank", 18.1, 0.02, 9.9e5, 0.02)
_INSPIRAL = Kind("Inspiral", 462, 0.28, 3.1e5, 0.3)
_THINCA = Kind("Thinca", 5.4, 0.04, 3.6e4, 0.3)
_TRIGGER = Kind("TrigBank", 5.1, 0.06, 1.3e4, 0.3)
_VETO = Kind("Veto", 462, 0.28, 3.1e5, 0.3)
_COINCIDENCE = Kind("Coinc", 5.4, 0.04, 3.6e4, 0.3)

_FEWEST_INSPIRAL = 6
_STRETCH = 0.55


def inspiral(jobs: int = 1000, group: int = 50, costs: bool = False, seed: int = 0) -> Dag:
    """Return an Inspiral-like dag of exactly so many jobs, 6 or more.

    Where the groups' 4k + 2 jobs do not add up to the number asked for, the last group has a TrigBank with its Veto
    more, or its last TmpltBank feeds two Inspirals, or both. Numbering: kind after kind in the order above, groups in
    a row within each. Names are ``TmpltBank_i`` and so on.

    Parameters
    ----------
    group
        About how many jobs a group has; sizes vary from half to one and a half of it.

    Examples
    --------
    >>> dag = inspiral(100)
    >>> dag.n, [dag.names[job] for job in dag.children(dag.index("Inspiral_0"))]
    (100, ['Thinca_0'])
    """
    at_least(_FEWEST_INSPIRAL, jobs=jobs, group=group)
    at_least(0, seed=seed)
    fits(jobs, 2 * jobs)
    rng = np.random.Generator(np.random.PCG64(seed))
    banks, inspirals, triggers = _group_sizes(jobs, group, rng)
    groups = len(banks)
    plan = Plan()
    bank, first = plan.add(_BANK, int(banks.sum())), plan.add(_INSPIRAL, int(inspirals.sum()))
    thinca, trigger = plan.add(_THINCA, groups), plan.add(_TRIGGER, int(triggers.sum()))
    veto, coincidence = plan.add(_VETO, len(trigger)), plan.add(_COINCIDENCE, groups)
    plan.link(bank[np.minimum(np.arange(len(first)), len(bank) - 1)], first)
    plan.link(first, np.repeat(thinca, inspirals))
    plan.link(np.repeat(thinca, triggers), trigger)
    plan.link(trigger, veto)
    plan.link(veto, np.repeat(coincidence, triggers))
    ends = np.cumsum(inspirals)
    tied = np.arange(1, _stretch(banks, jobs))
    plan.link(first[ends[tied - 1] - 1], coincidence[tied])
    plan.link(first[ends[tied - 1]], coincidence[tied - 1])
    return plan.build(costs_seed=seed if costs else None)


def _group_sizes(jobs: int, group: int, rng: np.random.Generator) -> tuple[Int64, Int64, Int64]:
    """Return for each group its TmpltBanks, Inspirals and TrigBanks."""
    groups = max(1, round(jobs / group))
    while 6 * groups > jobs:
        groups -= 1
    quads, rest = divmod(jobs - 2 * groups, 4)
    weight = rng.uniform(0.5, 1.5, groups)
    # Rounding the running sum keeps the total; one each is set aside so that no group is empty.
    share = np.diff(np.rint(np.cumsum(weight) * ((quads - groups) / weight.sum())), prepend=0.0)
    banks = 1 + share.astype(np.int64)
    inspirals, triggers = banks.copy(), banks.copy()
    inspirals[-1] += rest % 2
    triggers[-1] += rest // 2
    return banks, inspirals, triggers


def _stretch(banks: Int64, jobs: int) -> int:
    """Return how many groups from the first on hold just over half the jobs."""
    return int(np.searchsorted(np.cumsum(4 * banks + 2), _STRETCH * jobs)) + 1


register(
    Family(
        "inspiral",
        inspiral,
        "Inspiral-like (LIGO): the search for gravitational waves",
        {
            "jobs": "number of jobs, 6 or more",
            "group": "jobs of a group, about",
            "costs": "with times and file sizes",
            "seed": "sizes of groups, times and sizes of files are a function of this number",
        },
        "inspiral --jobs 2988",
    ),
)


# Means and spreads of the gallery's CyberShake_1000.
_EXTRACT = Kind("ExtractSGT", 126, 0.25, 5.4e8, 0.3)
_SYNTHESIS = Kind("SeismogramSynthesis", 43.7, 0.28, 2.4e4, 0)
_PEAK = Kind("PeakValCalc", 1.1, 0.28, 216, 0)
_ZIP_SEIS = Kind("ZipSeis", 9.4, 0.1, 2.1e6, 0)
_ZIP_PSA = Kind("ZipPSA", 3.8, 0.1, 1.1e4, 0)

_FEWEST_CYBERSHAKE = 7


def cybershake(jobs: int = 1000, variations: int = 125, costs: bool = False, seed: int = 0) -> Dag:
    """Return a CyberShake-like dag of exactly so many jobs, 7 or more.

    Numbering: kind after kind (ExtractSGT, SeismogramSynthesis, PeakValCalc, ZipSeis, ZipPSA), the syntheses of one
    ExtractSGT together. Names are ``ExtractSGT_i`` and so on.

    Parameters
    ----------
    variations
        About how many syntheses an ExtractSGT feeds; numbers vary from half to one and a half of it.

    Examples
    --------
    >>> dag = cybershake(1000)
    >>> dag, len(dag.parents(dag.index("ZipPSA")))
    (Dag(1,000 jobs, 1,988 edges), 497)
    """
    at_least(_FEWEST_CYBERSHAKE, jobs=jobs)
    at_least(1, variations=variations)
    at_least(0, seed=seed)
    fits(jobs, 2 * jobs)
    extracts = min(max(1, round((jobs - 2) / (2 * variations + 1))), (jobs - 2) // 3)
    if (jobs - extracts) % 2:
        extracts += 1 if 3 * (extracts + 1) <= jobs - 2 else -1
    total = (jobs - 2 - extracts) // 2
    rng = np.random.Generator(np.random.PCG64(seed))
    weight = rng.uniform(0.5, 1.5, extracts)
    share = np.diff(np.rint(np.cumsum(weight) * ((total - extracts) / weight.sum())), prepend=0.0)
    plan = Plan()
    extract, synthesis, peak = plan.add(_EXTRACT, extracts), plan.add(_SYNTHESIS, total), plan.add(_PEAK, total)
    zip_seis, zip_psa = plan.add_one(_ZIP_SEIS), plan.add_one(_ZIP_PSA)
    plan.link(np.repeat(extract, 1 + share.astype(np.int64)), synthesis)
    plan.link(synthesis, peak)
    plan.link(synthesis, zip_seis)
    plan.link(peak, zip_psa)
    return plan.build(costs_seed=seed if costs else None)


register(
    Family(
        "cybershake",
        cybershake,
        "CyberShake-like: seismic hazard at a site",
        {
            "jobs": "number of jobs, 7 or more",
            "variations": "syntheses for each ExtractSGT, about",
            "costs": "with times and file sizes",
            "seed": "shares of the extracts, times and sizes are a function of this number",
        },
        "cybershake --jobs 1000",
    ),
)
