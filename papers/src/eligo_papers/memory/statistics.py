"""The numbers behind 004's tables and plots, from what the steps found.

As in 004, what a method came to is divided by what the graph has without a bound, and a method that failed has an
infinite critical path: it counts in the quartiles, and methods that fail differently often can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from eligo_papers.memory.graphs import DAGGEN
from eligo_papers.memory.runs import PROCESSORS
from eligo_papers.plots.box_plots import quantile

__all__ = ["QUARTERS", "TABLE_1", "TABLE_2", "TABLE_3", "Measure", "Record", "bounds_in", "failures", "live"]
__all__ += ["measure_of", "medians", "normalised", "processors_of", "quartiles", "ratios"]

Record = Mapping[str, Any]
"""What ``runs.measure`` tells of a graph."""

QUARTERS = (0.25, 0.5, 0.75)

TABLE_1 = {
    "DAGGEN dense": {"cases": 572, "min-levels": 1, "respect-order": 0, "max-min-size": 2, "max-size": 6, "ilp": 26},
    "DAGGEN sparse": {
        "cases": 572,
        "min-levels": 12,
        "respect-order": 0,
        "max-min-size": 5,
        "max-size": 12,
        "ilp": 102,
    },
    "LIGO": {"cases": 220, "min-levels": 20, "respect-order": 0, "max-min-size": 3, "max-size": 13},
    "MONTAGE": {"cases": 220, "min-levels": 1, "respect-order": 0, "max-min-size": 0, "max-size": 0},
    "GENOME": {"cases": 220, "min-levels": 0, "respect-order": 0, "max-min-size": 0, "max-size": 17},
}
"""Failures, as printed."""
TABLE_2 = {
    "DAGGEN dense": (1.2, 1.3, 1.4),
    "DAGGEN sparse": (1.7, 2.0, 2.5),
    "LIGO": (21.2, 21.7, 22.1),
    "MONTAGE": (5.5, 6.2, 6.8),
    "GENOME": (20.1, 21.5, 22.0),
}
"""Quartiles of worst peak over depth-first peak, as printed."""
TABLE_3 = {
    "DAGGEN dense": (-0.03, 0.31, 0.71),
    "DAGGEN sparse": (0.39, 0.6, 0.75),
    "LIGO": (0.99, 1.0, 1.0),
    "MONTAGE": (0.88, 0.9, 0.93),
    "GENOME": (1.0, 1.0, 1.0),
}
"""Quartiles of the normalised memory of EFT, as printed."""


class Measure(NamedTuple):
    """What is measured of a graph with more edges: its critical path, or its makespan on some processors."""

    name: str
    place: int

    def before(self, record: Record) -> float:
        """Return what the graph has without a bound."""
        return float(record["path"] if self.place == 0 else record["makespans"][self.place - 1])


def measure_of(processors: int | None) -> Measure:
    """Return the measure: the critical path, or the makespan on so many processors.

    Examples
    --------
    >>> measure_of(5)
    Measure(name='makespan on 5 processors', place=2)
    """
    if processors is None:
        return Measure("critical path", 0)
    return Measure(f"makespan on {processors} processors", 1 + PROCESSORS.index(processors))


def processors_of(name: str) -> int:
    """Return on how many processors 004 simulates a set.

    Examples
    --------
    >>> processors_of("DAGGEN sparse"), processors_of("LIGO, own")
    (2, 5)
    """
    return 2 if name in DAGGEN or name.startswith("daggen") else 5


def live(records: Sequence[Record]) -> list[Record]:
    """Return the graphs whose smallest and largest bound differ; 004 discards the others.

    Examples
    --------
    >>> live([{"bounds": []}, {"bounds": [{"at": 0.0}]}])
    [{'bounds': [{'at': 0.0}]}]
    """
    return [record for record in records if record["bounds"]]


def bounds_in(records: Sequence[Record]) -> list[float]:
    """Return the bounds that were tried.

    Examples
    --------
    >>> bounds_in([{"bounds": []}, {"bounds": [{"at": 0.0}, {"at": 1.0}]}])
    [0.0, 1.0]
    """
    return [bound["at"] for bound in live(records)[0]["bounds"]] if live(records) else []


def ratios(records: Sequence[Record], method: str, at: float, measure: Measure) -> list[float]:
    """Return what a method came to at a bound over what there is without one; infinite where it failed.

    Examples
    --------
    >>> record = {"path": 4.0, "bounds": [{"at": 0.5, "methods": {"auto": [6.0], "max-size": None}}]}
    >>> [ratios([record], method, 0.5, measure_of(None)) for method in ("auto", "max-size")]
    [[1.5], [inf]]
    """
    found = []
    for record in live(records):
        for bound in record["bounds"]:
            if bound["at"] == at:
                numbers = bound["methods"][method]
                found.append(math.inf if numbers is None else numbers[measure.place] / measure.before(record))
    return found


def medians(records: Sequence[Record], method: str, measure: Measure) -> dict[float, float]:
    """Return the median at each bound, infinite where the method fails on more than half of the graphs.

    Examples
    --------
    >>> record = {"path": 4.0, "bounds": [{"at": 0.5, "methods": {"auto": [6.0]}}]}
    >>> medians([record], "auto", measure_of(None))
    {0.5: 1.5}
    """
    return {at: quantile(ratios(records, method, at, measure), 0.5) for at in bounds_in(records)}


def failures(records: Sequence[Record], method: str) -> dict[float, int]:
    """Return at each bound on how many graphs a method failed.

    Examples
    --------
    >>> record = {"path": 4.0, "bounds": [{"at": 0.5, "methods": {"auto": [6.0], "max-size": None}}]}
    >>> failures([record], "auto"), failures([record], "max-size")
    ({0.5: 0}, {0.5: 1})
    """
    path = measure_of(None)
    return {at: sum(map(math.isinf, ratios(records, method, at, path))) for at in bounds_in(records)}


def quartiles(values: Iterable[float]) -> tuple[float, float, float]:
    """Return the quartiles.

    Examples
    --------
    >>> quartiles([1, 2, 3, 4, 5])
    (2.0, 3.0, 4.0)
    """
    ascending = sorted(values)
    low, middle, high = (quantile(ascending, share) for share in QUARTERS)
    return low, middle, high


def normalised(records: Sequence[Record], way: str, processors: str) -> list[float]:
    """Return the normalised memory of EFT on each graph: 0 is the depth-first peak, 1 the worst.

    Examples
    --------
    >>> normalised([{"bounds": [{}], "eft": {"in turn": {"2": 0.25}}}], "in turn", "2")
    [0.25]
    """
    return [record["eft"].get(way, record["eft"]["in turn"])[processors] for record in live(records)]
