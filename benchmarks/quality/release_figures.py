"""The figures by which releases are compared: what they mean, which way is better, how noisy they are.

Figures of quality come from fixed dags and fixed seeds, and algorithms count work, not seconds: measured twice they are
the same, so their noise is what rounding and another numpy may do. The simulated ratio is the same twice as well, but
changes with every change of how random numbers are drawn; its noise is 4 of its standard errors, what ``eligo
simulate`` takes for a clear difference.

Figures of speed (``release_speeds.py``) are times over that of plain Python in the same minute. A machine that is twice
as fast has about the same ratio; another Python has not, so they are compared only with those of the same Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.measure import geometric_mean
from benchmarks.quality.corpus import CORPUS, workflows
from benchmarks.quality.limits import daggen_set
from benchmarks.quality.release_speeds import NOISE, Speeds
from benchmarks.quality.strategies import FAMILIES
from eligo import EligoError, Grid, generate, graph, prioritize, settle, simulate
from eligo.dag import Dag
from eligo.errors import InfeasibleError
from eligo.memory._analyze import analyse
from eligo.memory._footprint import Footprint
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.memory._sequential import dfs, peak_of
from eligo.memory._worst_peak import worst_peak

__all__ = ["FIGURES", "Figure", "Measured", "measure"]

_ROUNDING = 0.01  # of per cent
_RATIO_ROUNDING = 0.001
_CLEAR = 4  # standard errors
_LIMITS = (0.0, 0.2, 0.4, 0.6, 0.8)  # 0 is the depth-first peak, 1 the worst peak
_STATES = 10_000  # that exact search may look at: few, since all is settled with many, and nothing could get better
_STATES_FOR_REAL = 100_000  # as in theory.py

_RANDOM: list[Callable[[int], Dag]] = [
    lambda seed: generate.uniform(60, probability=0.04, seed=seed),
    lambda seed: generate.uniform(80, probability=0.03, seed=seed),
    lambda seed: generate.layered(80, layers=8, probability=0.12, seed=seed),
    lambda seed: generate.daggen(80, density=0.2, seed=seed),
    lambda seed: generate.series_parallel(60, seed=seed),
    lambda seed: generate.random_tree(60, seed=seed),
]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a column means.

    Attributes
    ----------
    unit
        Of what; ``per cent``, or what it is a ratio to.
    larger_is_better
        Or smaller.
    of_python
        Whether it depends on the Python that measures.
    """

    unit: str
    larger_is_better: bool
    of_python: bool = False


class Measured(NamedTuple):
    """A figure, and by how much it may be worse without meaning anything."""

    value: float
    noise: float


FIGURES: dict[str, Figure] = {
    "area-best": Figure("per cent of the bound", larger_is_better=True),
    "area-prio": Figure("per cent of the bound", larger_is_better=True),
    "area-prio-2006": Figure("per cent of the bound", larger_is_better=True),
    "settled": Figure("per cent of random dags", larger_is_better=True),
    "path-auto": Figure("times that without a limit", larger_is_better=False),
    "path-schedule": Figure("times that without a limit", larger_is_better=False),
    "limit-failures": Figure("limits not kept", larger_is_better=False),
    "sequential": Figure("times the lower bound", larger_is_better=False),
    "simulated": Figure("times fifo's", larger_is_better=False),
    **{f"time-{name}": Figure("times ten plain sorts", larger_is_better=False, of_python=True) for name in NOISE},
    "real-area-best": Figure("per cent of the bound", larger_is_better=True),
    "real-settled": Figure("per cent of real workflows", larger_is_better=True),
    "real-sequential": Figure("times the lower bound", larger_is_better=False),
}


def measure(directory: Path = CORPUS, *, graphs: int = 10, jobs: int = 48_013) -> dict[str, Measured]:
    """Return today's figures; those of real workflows only where there are any.

    Parameters
    ----------
    graphs
        How many dags of each family; other figures come of fewer or more in proportion.
    jobs
        Of the dag on which speed is measured.
    """
    speeds = Speeds(jobs)
    found: dict[str, Measured] = {}
    parts: list[Callable[[], dict[str, Measured]]] = [
        lambda: _areas(graphs),
        lambda: {"settled": _settled([make(seed) for make in _RANDOM for seed in range(4 * graphs)], _STATES)},
        lambda: _limits(graphs),
        lambda: {"simulated": _simulated(10 * graphs)},
        lambda: _real(directory),
    ]
    for part in parts:
        speeds.go_on()  # between all others: a machine is slow in waves, and one may miss these
        found |= part()
    speeds.go_on()
    ratios = {f"time-{name}": Measured(ratio, NOISE[name] * ratio) for name, ratio in speeds.ratios().items()}
    return {name: {**found, **ratios}[name] for name in FIGURES if name in found or name in ratios}


def _areas(graphs: int) -> dict[str, Measured]:
    """Mean AREA over the bound; each family counts as much as any other, and each has seeds from 0 to 19."""
    names = ("best", "prio", "prio-2006")
    shares = []
    for family in FAMILIES.values():
        for seed in range(0, 20, 20 // graphs):
            dag = graph.remove_shortcuts(family(seed))
            found = prioritize(dag)
            others = [prioritize(dag, name) for name in names[1:]]
            shares.append([one.schedule.area / found.area_bound for one in (found, *others)])
    means = 100 * np.mean(shares, axis=0)
    return {f"area-{name}": Measured(float(mean), _ROUNDING) for name, mean in zip(names, means, strict=True)}


def _settled(dags: list[Dag], budget: int) -> Measured:
    """How often the theory finds an IC-optimal order or proves that there is none."""
    return Measured(100 * float(np.mean([settle(dag, budget).claim != "unknown" for dag in dags])), _ROUNDING)


def _limits(graphs: int) -> dict[str, Measured]:
    """Critical paths at limits from the depth-first peak up, and the peak of one job after the other, on 004's dags."""
    paths: dict[str, list[float]] = {"auto": [], "schedule": []}
    peaks, failures = [], 0
    dags = [dag for density in (0.2, 0.8) for dag in daggen_set(density, (25, 50))]
    for dag in dags[:: max(1, 20 // graphs)]:
        print_ = footprint(dag)
        peaks.append(_over_bound(print_))
        low, high = peak_of(print_, dfs(dag)), worst_peak(print_).bound
        for at in _LIMITS if low < high else ():
            for method, ratios in paths.items():
                try:
                    found = limit(print_, low + int(at * (high - low) + 0.5), method=method)
                except InfeasibleError:
                    failures += 1
                else:
                    ratios.append(found.critical_path_after / found.critical_path_before)
    return {
        **{f"path-{name}": Measured(float(np.mean(ratios)), _RATIO_ROUNDING) for name, ratios in paths.items()},
        "limit-failures": Measured(failures, 0),
        "sequential": Measured(geometric_mean(peaks), _RATIO_ROUNDING),
    }


def _over_bound(print_: Footprint) -> float:
    found = analyse(print_)
    return max(found.lowest.peak, 1) / max(found.least.value, 1)


def _simulated(samples: int) -> Measured:
    """The time of prio over that of fifo on AIRSN, where the workers of 002's Fig. 6 come."""
    grid = Grid(interarrival=1, batch=16)
    found = simulate(
        generate.airsn(250), ("prio", "fifo"), grid=grid, samples=samples, runs=100, common=True, on="here"
    )
    told = found.estimates()["prio/fifo"]
    if told is None:
        raise AssertionError("there is no ratio of execution times")
    return Measured(told.ratio, _CLEAR * told.error)


def _real(directory: Path) -> dict[str, Measured]:
    dags = [dag for _, dag in workflows(directory)]
    if not dags:
        return {}
    areas = [100 * (1 - prioritize(dag).gap) for dag in dags]
    peaks = [_over_bound(print_) for print_ in _footprints(dags)]
    return {
        "real-area-best": Measured(float(np.mean(areas)), _ROUNDING),
        "real-settled": _settled(dags, _STATES_FOR_REAL),
        **({"real-sequential": Measured(geometric_mean(peaks), _RATIO_ROUNDING)} if peaks else {}),
    }


def _footprints(dags: list[Dag]) -> Iterator[Footprint]:
    for dag in dags:
        try:
            yield footprint(dag)
        except EligoError:
            continue  # no sizes
