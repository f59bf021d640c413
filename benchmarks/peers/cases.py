"""The workflows on which peers are compared: real ones where they are there, and generated ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.corpus import workflows
from benchmarks.speed.closure_graphs import FAMILIES
from eligo import generate
from eligo.dag import Dag

__all__ = ["REAL", "Case", "cases"]

REAL = "real workflows"
"""What the rows of real workflows begin with."""


class Case(NamedTuple):
    """A workflow, and the row of the tables in which it counts; real ones of a folder are a row together."""

    name: str
    row: str
    jobs: int
    make: Callable[[], Dag]


_GENERATED: list[tuple[str, int, Callable[[], Dag]]] = [
    ("AIRSN", 773, lambda: generate.airsn(250)),
    ("daggen", 1_000, lambda: generate.daggen(1_000)),
    ("Inspiral-like", 2_988, lambda: generate.inspiral(2_988)),
    ("Montage-like", 7_881, lambda: generate.montage(7_881)),
    ("daggen", 10_000, lambda: generate.daggen(10_000)),
    ("layered", 10_000, lambda: FAMILIES["layered"](10_000)),
    ("SDSS-like", 48_013, lambda: generate.sdss(48_013)),
    ("layered", 100_000, lambda: FAMILIES["layered"](100_000)),
    ("random", 100_000, lambda: FAMILIES["random"](100_000)),
    ("random", 1_000_000, lambda: FAMILIES["random"](1_000_000)),
]


def cases(directory: Path, largest: int) -> list[Case]:
    """Return the workflows of a directory and the generated ones, those of up to so many jobs.

    Workflows without any edge are left out: there is nothing to ask of them.
    """
    found = []
    for file, dag in workflows(directory):
        if dag.m > 0 and dag.n <= largest:
            inside = file.relative_to(directory)
            found.append(Case(str(inside), f"{REAL}, {inside.parts[0]}", dag.n, lambda dag=dag: dag))  # type: ignore[misc]
    for name, jobs, make in _GENERATED:
        if jobs <= largest:
            title = f"{name}, {jobs:,} jobs"
            found.append(Case(title, title, jobs, make))
    return found
