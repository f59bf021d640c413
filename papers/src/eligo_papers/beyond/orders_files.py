"""Simulated times of all workflows in a folder, on a few grids each: is ``best`` slower on any of them?

The two real workflows of the chapter on paper 002 are the largest of their kinds; what is true of these need not be of
others. Every file with enough jobs to matter and few enough to be quick is simulated here, as those are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo.errors import EligoError
from eligo_papers.chapter import Settings, Step
from eligo_papers.prio.grid import OURS, SEED, THEIRS, Point, points_of, simulate_points
from eligo_papers.prio.workflows import Source, dag_of

__all__ = ["file_points", "file_steps", "simulate_files"]

_TIMES = (0.1, 1.0, 10.0)
_BATCHES = tuple(2.0**power for power in range(9))
_JOBS = 20, 5_000


def simulate_files(
    sources: Mapping[str, Source], jobs: Sequence[int], *, samples: int, runs: int, seed: int
) -> dict[str, list[dict[str, Any]]]:
    """Simulate all workflows that have from so many to so many jobs; return the records of each.

    Examples
    --------
    >>> sources = {"small": {"family": "airsn", "arguments": {"width": 2}}}
    >>> found = simulate_files(sources, [20, 100], samples=12, runs=1, seed=1)
    >>> len(found["small"]), list(found["small"][0]["estimates"])
    (27, ['best/fifo', 'best/prio-2006', 'prio-2006/fifo'])
    """
    found = {}
    least, most = jobs
    for name, source in sources.items():
        try:
            if least <= dag_of(source).n <= most:
                found[name] = simulate_points(
                    source, [OURS, THEIRS], _TIMES, _BATCHES, samples=samples, runs=runs, seed=seed
                )
        except EligoError:
            continue  # no workflow, or one with too many different components for prio-2006
    return found


def file_steps(folders: Mapping[str, Mapping[str, Source]], settings: Settings) -> list[Step]:
    """Return a step for each folder of files."""
    samples, runs = _samples(settings)
    arguments = {"jobs": list(_JOBS), "samples": samples, "runs": runs, "seed": SEED}
    a_file_s = 0.2 + len(_TIMES) * len(_BATCHES) * samples * runs * 3 * 12e-6
    return [
        Step(_name(folder), simulate_files, {"sources": sources, **arguments}, weight=0.5 + a_file_s * len(sources))
        for folder, sources in folders.items()
    ]


def _samples(settings: Settings) -> tuple[int, int]:
    samples, runs = settings.pick(tiny=(12, 2), quick=(40, 5), full=(100, 30))
    return samples, runs


def _name(folder: str) -> str:
    return f"simulate files in {folder}"


def file_points(
    found: Mapping[str, Any], folders: Mapping[str, Mapping[str, Source]], settings: Settings
) -> dict[str, list[Point]]:
    """Return the points of each file, by its name."""
    samples, _ = _samples(settings)
    return {name: points_of(records, samples) for folder in folders for name, records in found[_name(folder)].items()}
