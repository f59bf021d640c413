"""What a site's Slurm is like: how it orders jobs, how many it takes, how long it remembers them.

Read from ``scontrol show config``, and from the accounting database where there is one. Whatever cannot be read is
taken as the value Slurm has by default; sites have limits that no command tells, so ``sbatch`` may still refuse a job
for now, and the engine then waits.

How Slurm is told which job goes first.

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

import os
import re
from dataclasses import dataclass
from typing import final

from eligo.engines._slurm.slurm_commands import ask
from eligo.errors import EngineError

__all__ = [
    "LARGEST",
    "Nice",
    "Site",
    "parse_config",
    "plan_nice",
    "read_site",
    "smallest_limit",
]

_UNITS = {"sec": 1, "min": 60, "hour": 3600}


@final
@dataclass(frozen=True, slots=True)
class Site:
    """What a site's Slurm is like.

    Attributes
    ----------
    multifactor
        Whether priorities are sums of weights (``priority/multifactor``), not the order of submission.
    age_weight, size_weight, max_age_s
        How much the time that a job waits adds to its priority, its size at most, and after which time.
    most_jobs
        How many jobs Slurm keeps, of all users, with those that ended less than `forget_s` ago.
    most_submitted
        How many jobs the user may have in the queue, where that is known.
    forget_s
        After how many seconds Slurm forgets a job that ended; 0 for never.
    database
        Whether ``sacct`` knows jobs that ended.
    version
        Such as ``22.05.8``.
    """

    multifactor: bool = True
    age_weight: int = 0
    size_weight: int = 0
    max_age_s: int = 7 * 86400
    most_jobs: int = 10_000
    most_submitted: int | None = None
    forget_s: int = 300
    database: bool = False
    version: str = ""


def read_site() -> Site:
    """Ask Slurm.

    Raises
    ------
    EngineError
        There is no Slurm, or it does not answer.
    """
    answer = ask(["scontrol", "show", "config"])
    if answer.code != 0:
        raise EngineError(
            f"Slurm does not answer: {answer.trouble}",
            hint="scontrol ping shows whether the controller runs; SLURM_CONF names its configuration",
        )
    site = parse_config(answer.out)
    if not site.database:
        return site
    from dataclasses import replace

    return replace(site, most_submitted=_ask_limits())


def parse_config(text: str) -> Site:
    r"""Take what counts from what ``scontrol show config`` prints.

    Examples
    --------
    >>> parse_config("PriorityType = priority/basic\nMinJobAge = 5 min\nMaxJobCount = 50").forget_s
    300
    """
    found = dict(re.findall(r"^(\w+) *= *(.*?) *$", text, re.MULTILINE))
    default = Site()
    return Site(
        multifactor=found.get("PriorityType", "priority/multifactor") == "priority/multifactor",
        age_weight=_number(found, "PriorityWeightAge", 0),
        size_weight=_number(found, "PriorityWeightJobSize", 0),
        max_age_s=max(1, _duration(found.get("PriorityMaxAge", ""), default.max_age_s)),
        most_jobs=_number(found, "MaxJobCount", default.most_jobs),
        forget_s=_seconds(found.get("MinJobAge", ""), default.forget_s),
        database="slurmdbd" in found.get("AccountingStorageType", ""),
        version=found.get("SLURM_VERSION", ""),
    )


def _number(found: dict[str, str], name: str, default: int) -> int:
    match = re.match(r"\d+", found.get(name, ""))
    return int(match[0]) if match else default


def _seconds(text: str, default: int) -> int:
    match = re.fullmatch(r"(\d+)(?: (\w+?)s?)?", text)
    return int(match[1]) * _UNITS.get(match[2] or "sec", 1) if match else default


def _duration(text: str, default: int) -> int:
    match = re.fullmatch(r"(?:(\d+)-)?(\d+):(\d+):(\d+)", text)
    if match is None:
        return default
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _ask_limits() -> int | None:
    user = str(os.geteuid())
    asked = (
        ["sacctmgr", "-nP", "show", "assoc", "where", f"user={user}", "format=MaxSubmitJobs,GrpSubmitJobs"],
        ["sacctmgr", "-nP", "show", "qos", "format=MaxSubmitJobsPerUser,MaxSubmitJobsPerAccount,GrpSubmitJobs"],
    )
    texts = []
    for argv in asked:
        try:
            answer = ask(argv, timeout_s=30)
        except EngineError:
            continue  # what is not known is found out by sbatch
        if answer.code == 0:
            texts.append(answer.out)
    return smallest_limit("\n".join(texts))


def smallest_limit(text: str) -> int | None:
    r"""Return the smallest number in a table of ``sacctmgr``: a limit that may not be ours, but is safe.

    Examples
    --------
    >>> smallest_limit("|500|\n200||"), smallest_limit("||")
    (200, None)
    """
    numbers = [int(cell) for line in text.splitlines() for cell in line.split("|") if cell.isdecimal()]
    return min((number for number in numbers if number > 0), default=None)


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
