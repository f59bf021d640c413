"""A submission of a job, from the moment we decide on it until its end is on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

__all__ = ["Entry"]


@final
@dataclass(slots=True, eq=False)
class Entry:
    """A submission.

    Attributes
    ----------
    job, number
        The job, and the number of the submission in the run, from 1; together they are its key.
    tries
        How often the job was tried in earlier submissions.
    id
        Slurm's number, once it is known.
    since
        When it was last known to be in the queue, by the monotonic clock; 0 before it was accepted.
    cancelling
        Whether we told Slurm to end it.
    running_since
        When we learnt that it runs, by the monotonic clock; ``None`` while it does not.
    lost
        How often the job began, in this submission or before, and was lost through no fault of its own.
    starts, retried
        How many of its starts and of its tries have been told of.
    worker
        Where it runs.
    missing
        How often it was neither in the queue nor among those that ended.
    dropped
        Whether it counts no more: it is over, or was taken back.
    """

    job: int
    number: int
    tries: int = 0
    id: str = ""
    since: float = 0.0
    cancelling: bool = False
    running_since: float | None = None
    lost: int = 0
    starts: int = 0
    retried: int = 0
    worker: int = -1
    start_s: float = 0.0
    missing: int = 0
    dropped: bool = False

    @property
    def key(self) -> str:
        """The name of its files, and what its comment in Slurm ends with."""
        return f"{self.job}-{self.number}"

    @property
    def attempt(self) -> int:
        """Which run of the job this is, or would be, from 1."""
        return self.tries + self.retried + self.lost + 1

    def handle(self) -> str:
        """Return what a later Eligo must know of it.

        Examples
        --------
        >>> Entry.of(4, Entry(4, 2, id="77", cancelling=True).handle()).key
        '4-2'
        """
        counts = (self.tries, self.lost, self.starts, self.retried)
        return " ".join(map(str, (self.number, self.id or "-", *counts, *(["ending"] if self.cancelling else []))))

    @classmethod
    def of_key(cls, key: str) -> Entry:
        """Return a submission of which nothing but its key is known.

        Examples
        --------
        >>> Entry.of_key("4-2").number
        2
        """
        job, _, number = key.partition("-")
        return cls(int(job), int(number))

    @classmethod
    def of(cls, job: int, handle: str) -> Entry:
        """Return the submission that an earlier Eligo noted."""
        number, slurm_id, tries, lost, starts, retried, *ending = handle.split()
        return cls(
            job,
            int(number),
            int(tries),
            "" if slurm_id == "-" else slurm_id,
            cancelling=bool(ending),
            lost=int(lost),
            starts=int(starts),
            retried=int(retried),
        )
