"""AIRSN, a functional magnetic resonance imaging workflow: a double umbrella with fringes.

Malewicz et al. 2006, section 3.3: about twenty jobs (the handle) precede a fork (the first cover), followed by a join,
another fork (the second cover) and the final join; each job of the first cover also depends on a job of its own (a
fringe). 773 jobs at width 250 force a handle of 21: 21 + 3 * 250 + 2. No file of it is public and whether the handle
is a plain chain is not known; a chain is taken, with which the tool of 2006 gives its last job priority 753, as
printed there in Fig. 5.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.kinds import Kind, Plan
from eligo.generate.limits import at_least, fits

__all__ = ["airsn"]

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
