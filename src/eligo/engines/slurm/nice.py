"""How Slurm is told which job goes first.

Problem: among jobs that could start, the one with the highest priority shall. A plain user can only make a job *less*
urgent, by ``--nice``. What that does depends on the site.

``priority/multifactor``: a job's priority is a base, the same for all of a user's jobs of one kind, less its nice
value, and never below 1. So the nice value of a job is its rank, 0 for the first. Where the time that a job has waited
counts, ranks are spread, so that a job which came some minutes earlier does not pass. Where the base is smaller than
the largest rank, ranks are pressed together: neighbours then start in the order in which they were submitted, which is
by priority among those that could be submitted together.

``priority/basic``: each submission lowers the base by one. The nice value makes up for that: rank less the number of
the submission. Submissions of others between ours lower it too, and so the ranks are spread here as well.

The price is the same everywhere: jobs of other users with the same base go before those of ours that are nice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from eligo.engines.slurm.site import Site

__all__ = ["LARGEST", "Nice", "plan_nice"]

LARGEST = 2_147_483_645
"""The largest nice value."""
_HORIZON_S = 86400
_BASIC_SPREAD = 10


@final
@dataclass(frozen=True, slots=True)
class Nice:
    """The nice value of each job.

    Attributes
    ----------
    jobs
        How many there are.
    spread
        How far two neighbours in rank are apart; below 1 where they are pressed together.
    compensate
        Whether each submission lowers the base by one.
    """

    jobs: int
    spread: float
    compensate: bool = False

    def of(self, rank: int, number: int) -> int:
        """Return the nice value of a job, when it is submission `number` of the run, from 1.

        Examples
        --------
        >>> Nice(4, 1.0).of(3, 1), Nice(4, 1.0, compensate=True).of(0, 1), Nice(10, 0.5).of(7, 1)
        (3, 7, 3)
        """
        value = int(rank * self.spread)
        if self.compensate:
            value += max(0, 2 * self.jobs - number)
        return min(max(value, 0), LARGEST)

    @property
    def largest(self) -> int:
        """The largest of all."""
        return self.of(self.jobs - 1, 0) if self.jobs else 0


def plan_nice(site: Site, jobs: int, base: int | None = None) -> Nice:
    """Choose the nice values, `base` being the priority of a job with none, where it is known.

    Examples
    --------
    >>> plan_nice(Site(), 100), plan_nice(Site(), 100, base=51).spread
    (Nice(jobs=100, spread=1.0, compensate=False), 0.5)
    """
    if not site.multifactor:
        return Nice(jobs, float(max(1, min(_BASIC_SPREAD, (LARGEST - 2 * jobs) // max(1, jobs)))), compensate=True)
    wanted = 1 + site.age_weight * _HORIZON_S // site.max_age_s + site.size_weight
    room = LARGEST if base is None else max(0, base - 1)
    return Nice(jobs, float(wanted) if wanted * jobs <= room else room / max(1, jobs))
