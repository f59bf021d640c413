"""Inspiral-like workflows: the search for gravitational waves of LIGO.

Shape, as in the workflows of the Pegasus gallery, in groups: TmpltBank -> Inspiral (one to one) -> Thinca (one for the
group) -> TrigBank -> Inspiral (one to one, the second stage, here called Veto) -> Thinca (the second, here Coinc). A
group of k templates has 4k + 2 jobs.

Groups of one stretch of data overlap: the last Inspiral of a group also feeds the next group's Coinc, and the first
Inspiral of a group the previous group's Coinc. This ties the groups of the stretch into a component that cannot be
split into bipartite ones, since each group's second stage waits for the other's first (Malewicz et al. 2006, section
3.3: a non-bipartite component with over 1,000 of 2,988 jobs). The first stretch holds more than half of all jobs; the
groups behind it stand alone, as those of the gallery do. How the real dag of 2006 came by its component is not known.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag, Int64
from eligo.generate.family import Family, register
from eligo.generate.kinds import Kind, Plan
from eligo.generate.limits import at_least, fits

__all__ = ["inspiral"]

# Means and spreads of the gallery's Inspiral_1000.
_BANK = Kind("TmpltBank", 18.1, 0.02, 9.9e5, 0.02)
_INSPIRAL = Kind("Inspiral", 462, 0.28, 3.1e5, 0.3)
_THINCA = Kind("Thinca", 5.4, 0.04, 3.6e4, 0.3)
_TRIGGER = Kind("TrigBank", 5.1, 0.06, 1.3e4, 0.3)
_VETO = Kind("Veto", 462, 0.28, 3.1e5, 0.3)
_COINCIDENCE = Kind("Coinc", 5.4, 0.04, 3.6e4, 0.3)

_FEWEST = 6
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
    at_least(_FEWEST, jobs=jobs, group=group)
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
