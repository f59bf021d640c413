"""What limits cost: the critical path that each of several limits leads to.

Limits between the peak of the best sequential order (below which nothing is known to be reachable) and the worst peak
(where nothing is to be done). They are numbers of three digits, so that what people read is what they can ask for. A
limit costs about one worst peak for each step of its method; on large dags only ``schedule`` is asked, whose cost is
near-linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import final

from eligo.errors import InfeasibleError
from eligo.memory.analysis import Analysis
from eligo.memory.footprint import Footprint
from eligo.memory.limiting import limit

__all__ = ["CurvePoint", "advised", "limit_curve", "round_up", "usual_points"]

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
    >>> from eligo.memory.analysis import analyse
    >>> from eligo.memory.models import footprint
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
