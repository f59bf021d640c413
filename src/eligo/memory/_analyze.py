"""All that is said of a workflow's memory: how much at worst, how little at best, and the certificate of both.

What limits cost: the critical path that each of several limits leads to.

Limits between the peak of the best sequential order (below which nothing is known to be reachable) and the worst peak
(where nothing is to be done). They are numbers of three digits, so that what people read is what they can ask for. A
limit costs about one worst peak for each step of its method; on large dags only ``schedule`` is asked, whose cost is
near-linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from eligo.certificate._memory_certificate import MemoryCertificate
from eligo.dag import Int32
from eligo.errors import EligoError, InfeasibleError
from eligo.memory._footprint import Ends, Footprint
from eligo.memory._limit import limit
from eligo.memory._lower_bound import LowerBound, lower_bound
from eligo.memory._sequential import Sequential, memory_along, sequential
from eligo.memory._worst_peak import WorstPeak, worst_peak

__all__ = [
    "Analysis",
    "CurvePoint",
    "advised",
    "analyse",
    "certify",
    "limit_curve",
    "round_up",
    "usual_points",
]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """How much memory executions occupy: at worst, at best, and what none stays below.

    Attributes
    ----------
    worst
        What no execution exceeds.
    lowest
        The sequential order of the smallest peak that was found.
    least
        A peak that every execution reaches.
    """

    worst: WorstPeak
    lowest: Sequential
    least: LowerBound

    @property
    def certificate(self) -> MemoryCertificate:
        """The proof of all three, for anyone to check."""
        return certify(self.worst, self.lowest.order, self.lowest.peak, self.least)


def analyse(footprint: Footprint) -> Analysis:
    """Find the worst peak, an order of small peak, and a lower bound.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("c", "d")])
    >>> found = analyse(footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 7]))))
    >>> found.worst.bound, found.lowest.peak, found.least.value
    (12, 7, 7)
    """
    worst = worst_peak(footprint)
    lowest = sequential(footprint)
    return Analysis(worst, lowest, lower_bound(footprint, worst.ends, _at_peak(footprint, lowest)))


def _at_peak(footprint: Footprint, lowest: Sequential) -> list[int]:
    """Return the job that runs when the order's peak is reached."""
    if footprint.dag.n == 0:
        return []
    step = int(np.argmax(memory_along(footprint, lowest.order)))
    return [int(lowest.order[min(max(step - 1, 0) // 2, footprint.dag.n - 1)])]


def certify(worst: WorstPeak, order: Int32, peak: int, least: LowerBound) -> MemoryCertificate:
    """Return the certificate of a worst peak, of an order's peak and of a lower bound.

    Raises
    ------
    EligoError
        The dag has dependencies that a limit added, and the model is the pebble game: there every dependency stands for
        a reader, so a checker could not tell the added ones.
    """
    print_ = worst.footprint
    if print_.rules.model == "pebble" and print_.k and len(print_.readers) != print_.dag.m:
        raise EligoError(
            "there is no certificate of a limit in the pebble game",
            hint="a checker would take the added dependencies for readers; use another model",
        )
    place = np.empty(print_.dag.n, np.int64)
    place[order] = np.arange(print_.dag.n)
    witness: dict[str, Any] = {
        "worst": _flow(worst.senders, worst.receivers, worst.amounts, place, print_),
        "attained": _attained(worst, place),
        "last_reader": _last_readers(worst.ends, place),
        "least": _least(least, place, print_),
    }
    rules = print_.rules
    return MemoryCertificate.of(
        print_.dag,
        {"model": rules.model, "resource": rules.resource, "unread": rules.unread, "inputs": rules.inputs},
        order,
        worst_peak=worst.bound,
        attained_peak=worst.attained,
        sequential_peak=peak,
        lower_bound=least.value,
        witness=witness,
        assumptions=print_.assumptions,
    )


def _events(events: Int32, place: np.ndarray, footprint: Footprint) -> list[int]:
    """Return events with jobs named by their places: starts, ends and freeings keep their ranges."""
    n = footprint.dag.n
    number = np.concatenate([place, place + n, 2 * n + np.arange(footprint.k)])
    placed: list[int] = number[events].tolist()
    return placed


def _flow(senders: Int32, receivers: Int32, amounts: Any, place: np.ndarray, footprint: Footprint) -> dict[str, Any]:
    return {
        "by": "flow",
        "senders": _events(senders, place, footprint),
        "receivers": _events(receivers, place, footprint),
        "amounts": amounts.tolist(),
    }


def _attained(worst: WorstPeak, place: np.ndarray) -> dict[str, Any]:
    state = {"started": np.sort(place[worst.started]).tolist(), "ended": np.sort(place[worst.ended]).tolist()}
    if worst.footprint.rules.one_event:
        del state["ended"]
    return state


def _last_readers(ends: Ends, place: np.ndarray) -> list[list[int]]:
    data = np.flatnonzero(ends.last >= 0)
    return [[datum, at] for datum, at in zip(data.tolist(), place[ends.last[data]].tolist(), strict=True)]


def _least(least: LowerBound, place: np.ndarray, footprint: Footprint) -> dict[str, Any] | None:
    if least.job is None:
        return None
    job = {"job": int(place[least.job])}
    if least.senders is None or least.receivers is None:
        return {"by": "need", **job}
    return {**_flow(least.senders, least.receivers, least.amounts, place, footprint), **job}


_FEW_JOBS, _SOME_JOBS = 2_000, 50_000

_SEVERAL_METHODS = 2000
"""Jobs up to which ``auto`` is asked; beyond, ``schedule``."""


@final
@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What one limit costs.

    Attributes
    ----------
    limit
        What no execution may exceed.
    critical_path
        The shortest critical path that was found, in seconds where times are known, else in jobs.
    method
        What found it; ``none`` where nothing is to be added.
    edges
        How many dependencies it adds.
    worst_peak
        What no execution exceeds then.
    """

    limit: int
    critical_path: float
    method: str
    edges: int
    worst_peak: int


def limit_curve(
    footprint: Footprint, analysis: Analysis, points: int, on_progress: Callable[[str], None] | None = None
) -> tuple[CurvePoint, ...]:
    """Return what some limits cost, from the smallest to the worst peak.

    Parameters
    ----------
    points
        How many limits below the worst peak to try; that one is free. With 0 there is no curve.
    on_progress
        Is told which limit is tried.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._analyze import analyse
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("c", "d"), ("e", "f")])
    >>> print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 6, 7])))
    >>> [(point.limit, point.critical_path, point.edges) for point in limit_curve(print_, analyse(print_), 2)]
    [(7, 6.0, 2), (12, 4.0, 2), (18, 2.0, 0)]
    """
    worst, lowest = analysis.worst.bound, analysis.lowest.peak
    if points < 1:
        return ()
    tell = on_progress or (lambda _: None)
    limits = sorted({round_up(lowest + (worst - lowest) * step // points) for step in range(points)})
    method = "auto" if footprint.dag.n <= _SEVERAL_METHODS else "schedule"
    curve = []
    for number, most in enumerate([*(most for most in limits if most < worst), worst], 1):
        tell(f"limit {number} of {len(limits) + 1}")
        try:
            found = limit(footprint, most, method=method, lowest=analysis.lowest)
        except InfeasibleError:  # a method that failed where another might not
            continue
        curve.append(CurvePoint(most, found.critical_path_after, found.method, len(found.tails), found.worst.bound))
    return _falling(curve)


def usual_points(n: int) -> int:
    """Return how many limits are worth their time for so many jobs.

    Examples
    --------
    >>> usual_points(2_000), usual_points(50_000), usual_points(50_001)
    (6, 3, 0)
    """
    return 6 if n <= _FEW_JOBS else 3 if n <= _SOME_JOBS else 0


def _falling(curve: Sequence[CurvePoint]) -> tuple[CurvePoint, ...]:
    """Return a curve in which a larger limit is never worse: what keeps a limit keeps every larger one."""
    best: list[CurvePoint] = []
    for point in curve:
        longer = bool(best) and best[-1].critical_path < point.critical_path
        best.append(replace(best[-1], limit=point.limit) if longer else point)
    return tuple(best)


def round_up(amount: int) -> int:
    """Return the smallest number of three digits and zeros that is not below another.

    Examples
    --------
    >>> round_up(123_456), round_up(999_001), round_up(640), round_up(0)
    (124000, 1000000, 640, 0)
    """
    scale: int = 10 ** max(0, len(str(amount)) - 3)
    return -(-amount // scale) * scale


def advised(curve: Sequence[CurvePoint], tolerated: float = 0.05) -> CurvePoint | None:
    """Return the smallest limit whose critical path is at most so much longer than without one.

    Examples
    --------
    >>> points = [CurvePoint(5, 9.0, "auto", 3, 5), CurvePoint(7, 4.1, "auto", 1, 7), CurvePoint(9, 4.0, "none", 0, 9)]
    >>> advised(points).limit
    7
    """
    shortest = curve[-1].critical_path if curve else 0.0
    return next((point for point in curve if point.critical_path <= (1 + tolerated) * shortest), None)
