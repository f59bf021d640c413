"""The main verb: an order of the jobs of any dag, by a strategy, with what is known of how good it is.

(Skeleton: the strategies are filled in one by one.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from eligo.certificate import Certificate
from eligo.dag import Dag, Int64
from eligo.errors import EligoError
from eligo.priority.theory import settle
from eligo.schedule import Schedule, sinks_last

__all__ = ["STRATEGIES", "Prioritized", "prioritize"]

STRATEGIES = ("best", "prio", "area", "prio-2006", "exact", "fifo", "lifo", "critical-path", "random")


@dataclass(frozen=True, slots=True, eq=False)
class Prioritized:
    """An order of the jobs of a dag, and how good it is.

    Attributes
    ----------
    schedule
        The order; its ``priorities`` are n for the first job, 1 for the last.
    strategy
        Which strategy made it; for ``best`` the one that won.
    claim
        ``ic-optimal``: no order keeps more jobs ELIGIBLE at any step. ``none-exists``: no order is best at every step.
        ``best-effort``: neither is proved.
    bound
        For every step 0..n a number of ELIGIBLE jobs that no order exceeds.
    fifo
        The order that engines use today.
    areas
        The AREA of every strategy that was tried, in that order.
    blocks, classes
        Into how many blocks the dag falls, and how many different yields they have.
    certificate
        Proves the claim, or, for ``best-effort``, the bound.
    """

    schedule: Schedule
    strategy: str
    claim: Literal["ic-optimal", "none-exists", "best-effort"]
    bound: Int64
    fifo: Schedule
    areas: Mapping[str, int]
    blocks: int
    classes: int
    certificate: Certificate | None

    @property
    def area_bound(self) -> int:
        """What no order's AREA exceeds."""
        return int(self.bound.sum())

    @property
    def gap(self) -> float:
        """How far the AREA may be from the best, at most, as a fraction of the bound."""
        return 1 - self.schedule.area / self.area_bound if self.area_bound else 0.0


def prioritize(dag: Dag, strategy: str = "best", *, weigh_times: bool = False, seed: int = 0) -> Prioritized:
    """Order the jobs of a dag so that as many as possible are ELIGIBLE at every step.

    Parameters
    ----------
    strategy
        One of :data:`STRATEGIES`.
    weigh_times
        Whether, of jobs that are equally good, the one with the longest path of known times behind it goes first.
    seed
        Of the strategy ``random``.

    Examples
    --------
    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> found = prioritize(dag)
    >>> found.schedule.names, found.claim
    (['c', 'a', 'b', 'd', 'e'], 'ic-optimal')
    """
    if strategy not in STRATEGIES:
        raise EligoError(f"there is no strategy {strategy!r}", hint=f"one of: {', '.join(STRATEGIES)}")
    fifo = Schedule.of(dag, sinks_last(dag, dag.order))
    settled = settle(dag)
    schedule = settled.schedule or fifo
    claim: Literal["ic-optimal", "none-exists", "best-effort"] = (
        "best-effort" if settled.claim == "unknown" else settled.claim
    )
    return Prioritized(
        schedule,
        "prio" if settled.schedule is not None else "fifo",
        claim,
        schedule.profile,
        fifo,
        {"prio": schedule.area, "fifo": fifo.area},
        1,
        1,
        settled.certificate,
    )
