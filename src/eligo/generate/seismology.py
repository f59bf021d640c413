"""CyberShake-like workflows: seismic hazard at a site.

Shape, as in the workflows of the Pegasus gallery: ExtractSGT (a few) -> SeismogramSynthesis (many for each) -> ZipSeis
(one for all), and SeismogramSynthesis -> PeakValCalc (one to one) -> ZipPSA (one for all). With e extracts and s
syntheses that is e + 2s + 2 jobs.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.family import Family, register
from eligo.generate.kinds import Kind, Plan
from eligo.generate.limits import at_least, fits

__all__ = ["cybershake"]

# Means and spreads of the gallery's CyberShake_1000.
_EXTRACT = Kind("ExtractSGT", 126, 0.25, 5.4e8, 0.3)
_SYNTHESIS = Kind("SeismogramSynthesis", 43.7, 0.28, 2.4e4, 0)
_PEAK = Kind("PeakValCalc", 1.1, 0.28, 216, 0)
_ZIP_SEIS = Kind("ZipSeis", 9.4, 0.1, 2.1e6, 0)
_ZIP_PSA = Kind("ZipPSA", 3.8, 0.1, 1.1e4, 0)

_FEWEST = 7


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
    at_least(_FEWEST, jobs=jobs)
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
