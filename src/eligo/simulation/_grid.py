"""The grid: who comes when to ask for jobs, how long jobs take there, and what goes wrong.

The model is that of Malewicz, Foster, Rosenberg and Wilde 2006 (section 4.1): workers arrive in batches, each asks for
one job, and those for whom there is none leave. docs/simulation.md states it to the letter, with all that can be
switched on beyond it. This module only holds the parameters, checked once.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Float64, Int32, Int64
from eligo.errors import EligoError

__all__ = ["ROUNDINGS", "ArrivalTrace", "Grid", "Throttle"]

ROUNDINGS = ("nearest", "up", "down", "geometric")
"""How the size of a batch, drawn from an exponential distribution, becomes a whole number."""

_LARGEST = 1e12  # of means, times and numbers of workers
_LEAST_PRESENT = 1e-9  # chance that a batch has any worker


@final
@dataclass(frozen=True, slots=True, eq=False)
class ArrivalTrace:
    """Batches as they were seen to arrive.

    Attributes
    ----------
    time
        When each batch came, ascending, in the unit of the job times.
    workers
        How many came in it, 1 or more.
    repeat_every
        After which time all of it begins again; ``None`` for nobody after the last.
    """

    time: Float64
    workers: Int64
    repeat_every: float | None = None

    @classmethod
    def of(cls, time: ArrayLike, workers: ArrayLike, repeat_every: float | None = None) -> ArrivalTrace:
        """Check arrivals; batches without workers are left out.

        Examples
        --------
        >>> ArrivalTrace.of([0, 2, 3], [4, 0, 1]).time.tolist()
        [0.0, 3.0]
        >>> ArrivalTrace.of([3, 2], [1, 1])
        Traceback (most recent call last):
            ...
        eligo.errors.EligoError: arrivals must be in the order of their times: 2 comes after 3
        """
        when, many = np.asarray(time, np.float64), np.asarray(workers)
        if when.ndim != 1 or when.shape != many.shape or not len(when):
            raise EligoError("arrivals need one time and one number of workers for each batch")
        if not np.all(np.isfinite(when) & (when >= 0) & (when <= _LARGEST)):
            raise EligoError("times of arrivals must be numbers from 0 to 1e12")
        if np.any(np.diff(when) < 0):
            late = int(np.argmax(np.diff(when) < 0))
            raise EligoError(
                f"arrivals must be in the order of their times: {when[late + 1]:g} comes after {when[late]:g}"
            )
        if many.dtype.kind not in "iu" or np.any(many < 0) or np.any(many > _LARGEST):
            raise EligoError("numbers of workers must be whole numbers from 0 to 1e12")
        if repeat_every is not None and not (repeat_every > when[-1] and math.isfinite(repeat_every)):
            raise EligoError(f"arrivals can begin again only after the last of them, at {when[-1]:g}")
        if not np.any(many):
            raise EligoError("nobody ever arrives", hint="give at least one batch with a worker in it")
        return cls(when[many > 0] + 0.0, many[many > 0].astype(np.int64), repeat_every)  # without negative zeros


@final
@dataclass(frozen=True, slots=True, eq=False)
class Throttle:
    """DAGMan's limits on what it sends to the queue.

    Attributes
    ----------
    max_jobs
        The most jobs that have been sent and are not done (``-maxjobs``); ``None`` for no limit.
    max_idle
        Nothing is sent while so many wait in the queue (``-maxidle``); ``None`` for no limit.
    category, category_max
        The category of each job, -1 for none, and the most jobs of each at a time (``CATEGORY``, ``MAXJOBS``).
    """

    max_jobs: int | None = None
    max_idle: int | None = None
    category: Int32 | None = None
    category_max: Int32 | None = None

    def __post_init__(self) -> None:
        for name, value in (("max_jobs", self.max_jobs), ("max_idle", self.max_idle)):
            if value is not None and not 1 <= value < 2**31:
                raise EligoError(f"with {name} = {value} no job would ever run", hint="give 1 or more, up to 2^31 - 1")
        if (self.category is None) != (self.category_max is None):
            raise EligoError("categories need a category for each job and a limit for each category")
        if self.category is None or self.category_max is None:
            return
        if np.any(self.category < -1) or np.any(self.category >= len(self.category_max)):
            raise EligoError("a job is in a category that has no limit", hint="-1 is for jobs in none")
        if np.any(self.category_max[self.category[self.category >= 0]] < 1):
            raise EligoError("a category with a limit of 0 has jobs: they would never run", hint="give 1 or more")


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """The grid of paper 002, and what is switched on beyond it.

    Times are in mean job times, or in seconds where jobs have their own.

    Attributes
    ----------
    interarrival
        Mean time between batches of workers.
    batch
        Mean number of workers in a batch.
    rounding
        How the size of a batch becomes a whole number, one of :data:`~eligo.simulation._grid.ROUNDINGS`.
    own_times
        Whether jobs take the times that the workflow states, instead of 1.
    sd
        Standard deviation of the factor by which the time of a job varies.
    arrivals
        Batches to use instead of random ones.
    processors
        This many workers from the beginning to the end, and nobody else.
    stay
        Whether workers wait where there is no job, and ask again after each job.
    spread
        Standard deviation of the logarithm of workers' speeds.
    fail, lost
        The chances that an allocation fails, and that its worker never comes back.
    deadline
        After which multiple of its expected time a job is given to another worker.
    copies
        How many workers each job is given to.
    throttle
        What DAGMan holds back.

    Examples
    --------
    >>> Grid(interarrival=0.1, batch=32).batch
    32.0
    >>> Grid(batch=0)
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: batch must be above 0, not 0
    hint: it is a mean number of workers, such as 16
    """

    interarrival: float = 1.0
    batch: float = 16.0
    rounding: str = "nearest"
    own_times: bool = False
    sd: float = 0.1
    arrivals: ArrivalTrace | None = None
    processors: int | None = None
    stay: bool = False
    spread: float = 0.0
    fail: float = 0.0
    lost: float = 0.0
    deadline: float | None = None
    copies: int = 1
    throttle: Throttle | None = None

    def __post_init__(self) -> None:
        self._take_plain_values()
        _check_mean("interarrival", self.interarrival, "it is a mean time between batches of workers, such as 1")
        _check_mean("batch", self.batch, "it is a mean number of workers, such as 16")
        if self.rounding not in ROUNDINGS:
            raise EligoError(f"no rounding is called {self.rounding!r}", hint=f"use one of {', '.join(ROUNDINGS)}")
        if self.rounding == "geometric" and self.batch < 1:
            raise EligoError("geometric batches have a mean of 1 or more", hint="use another rounding for smaller ones")
        if self.random_arrivals and not self.present > _LEAST_PRESENT:
            raise EligoError(
                f"with batches of {self.batch:g} workers on average hardly one would ever have any",
                hint="give a larger batch, or the rounding up",
            )
        for name, most in (("sd", 10), ("spread", 3)):
            if not 0 <= getattr(self, name) <= most:
                raise EligoError(f"{name} must be a number from 0 to {most}, not {getattr(self, name):g}")
        self._check_fates()
        if self.processors is not None:
            if self.arrivals is not None:
                raise EligoError("either a fixed number of processors or arrivals, not both")
            if self.processors < 1:
                raise EligoError(f"{self.processors} processors cannot run any job", hint="give 1 or more")
            if self.processors > _LARGEST:
                raise EligoError(f"there are no {self.processors} processors", hint="give at most 10^12")

    def _take_plain_values(self) -> None:
        """Make numbers of other kinds, such as numpy's, plain ones: they are hashed, written and sent elsewhere."""
        for name in ("interarrival", "batch", "sd", "spread", "fail", "lost", "deadline"):
            self._take(name, float, "a number")
        for name in ("processors", "copies"):
            self._take(name, operator.index, "a whole number")
        for name in ("own_times", "stay"):
            self._take(name, bool, "true or false")

    def _take(self, name: str, kind: Callable[[Any], Any], word: str) -> None:
        value = getattr(self, name)
        if value is None and name in ("deadline", "processors"):
            return
        try:
            object.__setattr__(self, name, kind(value))
        except (TypeError, ValueError, OverflowError):
            raise EligoError(f"{name} must be {word}, not {value!r}") from None

    def _check_fates(self) -> None:
        for name in ("fail", "lost"):
            if not 0 <= getattr(self, name) < 1:
                raise EligoError(f"{name} is a chance: from 0 to below 1, not {getattr(self, name):g}")
        if not self.fail + self.lost < 1:
            raise EligoError("fail and lost together must stay below 1, or no job is ever done")
        if self.deadline is not None and not 0 < self.deadline <= _LARGEST:
            raise EligoError(f"deadline must be above 0, not {self.deadline:g}", hint="3 means three times the mean")
        if not 1 <= self.copies <= 1000:
            raise EligoError(f"copies must be from 1 to 1,000, not {self.copies}")

    @property
    def present(self) -> float:
        """The chance that a batch has any worker."""
        return {"nearest": math.exp(-0.5 / self.batch), "down": math.exp(-1 / self.batch)}.get(self.rounding, 1.0)

    @property
    def gap(self) -> float:
        """The mean time between batches with workers."""
        return self.interarrival / self.present

    @property
    def scale(self) -> float:
        """The mean of the exponential distribution whose whole part, and 1, is the size of a batch with workers."""
        if self.rounding != "geometric":
            return float(self.batch)
        return -1 / math.log1p(-1 / self.batch) if self.batch > 1 else 0.0

    @property
    def staying(self) -> bool:
        """Whether workers stay, asked for or not."""
        return self.stay or self.processors is not None

    @property
    def random_arrivals(self) -> bool:
        """Whether batches come at random."""
        return self.arrivals is None and self.processors is None

    @property
    def extensions(self) -> dict[str, Any]:
        """What is switched on beyond paper 002."""
        plain = {field.name: field.default for field in fields(self)}
        kept = ("interarrival", "batch")
        return {name: getattr(self, name) for name in plain if name not in kept and getattr(self, name) != plain[name]}


def _check_mean(name: str, value: float, hint: str) -> None:
    if not value > 0:
        raise EligoError(f"{name} must be above 0, not {value:g}", hint=hint)
    if not value <= _LARGEST:
        raise EligoError(f"{name} must be at most 1e12, not {value:g}", hint=hint)
