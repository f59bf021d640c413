"""SDSS-like workflows: the search for clusters of galaxies in the Sloan Digital Sky Survey.

The real dag is not public. What is known of it (Malewicz et al. 2006, section 3.3): 48,013 jobs, a bipartite component
with over 1,500 jobs whose sources have three children each, some of them shared. Its method runs along stripes of the
sky, field by field; a middle step reads the neighbouring fields; a catalogue comes last.

Taken here: a stripe of s fields has s jobs fieldPrep, s + 2 jobs brgSearch, each of which reads up to three
neighbouring fields (field i feeds searches i, i + 1 and i + 2), one bcgSearch behind each brgSearch, and a bcgCoalesce
that joins the stripe: 3s + 5 jobs. A getCatalog joins all stripes. The fields and searches of a stripe are the
bipartite component, 2s + 2 jobs of it: 1,598 or more at 48,013 jobs in stripes of about 800 fields.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.kinds import Kind, Plan
from eligo.generate.limits import at_least, fits

__all__ = ["sdss"]

# No times or sizes of this dag are public: round figures for tables of galaxies.
_FIELD = Kind("fieldPrep", 20, 0.3, 2e6, 0.3)
_SEARCH = Kind("brgSearch", 60, 0.4, 5e5, 0.5)
_CLUSTER = Kind("bcgSearch", 90, 0.4, 1e5, 0.5)
_COALESCE = Kind("bcgCoalesce", 120, 0.2, 1e7, 0.2)
_CATALOG = Kind("getCatalog", 300, 0.1, 1e8, 0.1)

_FEWEST = 9


def sdss(jobs: int = 1000, stripe: int = 800, costs: bool = False, seed: int = 0) -> Dag:
    """Return an SDSS-like dag of exactly so many jobs, 9 or more.

    Where the stripes' jobs do not add up to the number asked for, the last brgSearch has one or two bcgSearch more.
    Numbering: kind after kind in the order above, stripe after stripe within each. Names are ``fieldPrep_i`` and so
    on.

    Parameters
    ----------
    stripe
        About how many fields a stripe has.

    Examples
    --------
    >>> dag = sdss(100)
    >>> dag.n, [dag.names[job] for job in dag.children(5)]
    (100, ['brgSearch_5', 'brgSearch_6', 'brgSearch_7'])
    """
    at_least(_FEWEST, jobs=jobs)
    at_least(1, stripe=stripe)
    at_least(0, seed=seed)
    fits(jobs, 3 * jobs)
    stripes = min(max(1, round((jobs - 1) / (3 * stripe + 5))), (jobs - 1) // 8)
    total, rest = divmod(jobs - 1 - 5 * stripes, 3)
    fields = np.diff(np.arange(stripes + 1) * total // stripes)  # as even as can be
    plan = Plan()
    field, search = plan.add(_FIELD, total), plan.add(_SEARCH, total + 2 * stripes)
    cluster = plan.add(_CLUSTER, len(search) + rest)
    coalesce, catalog = plan.add(_COALESCE, stripes), plan.add_one(_CATALOG)
    of_field = np.repeat(np.arange(stripes), fields)
    own = search[np.arange(total) + 2 * of_field]
    plan.link(field[:, None], own[:, None] + np.arange(3))
    searched = np.minimum(np.arange(len(cluster)), len(search) - 1)
    plan.link(search[searched], cluster)
    plan.link(cluster, coalesce[np.repeat(np.arange(stripes), fields + 2)[searched]])
    plan.link(coalesce, catalog)
    return plan.build(costs_seed=seed if costs else None)


register(
    Family(
        "sdss",
        sdss,
        "SDSS-like: the search for clusters of galaxies",
        {
            "jobs": "number of jobs, 9 or more",
            "stripe": "fields of a stripe, about",
            "costs": "with times and file sizes",
            "seed": "times and sizes are a function of this number",
        },
        "sdss --jobs 48013",
    ),
)
