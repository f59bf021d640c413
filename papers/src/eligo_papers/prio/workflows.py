"""The workflows of paper 002: generated ones of the printed sizes, and others where a folder has them.

A workflow is told to a step by its *source*, which JSON can hold: a family of ``eligo.generate`` with its arguments, a
file with its digest (so that a result is never taken for one of another file), or a variant of ``variants``.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import eligo
from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo_papers.chapter import Settings

__all__ = ["Workflow", "dag_of", "file_source", "find_files", "generated", "workflows"]

Source = Mapping[str, Any]

_KINDS = {"Montage": re.compile("montage", re.IGNORECASE), "Inspiral": re.compile("inspiral", re.IGNORECASE)}
# WfCommons has traces of executions; the DAX files of the Pegasus gallery were made by a generator.
_ORIGINS = {
    (".json", ".json.gz"): ("real", "a trace"),
    (".xml", ".dax"): ("gallery", "a file of the Pegasus gallery, which a generator made"),
}
_LARGEST_READ = 50_000_000  # bytes; a folder may hold anything


@dataclass(frozen=True, slots=True)
class Workflow:
    """One of the workflows, and how much it is simulated.

    Attributes
    ----------
    name, title
        For steps and files, and for readers.
    figure
        Which figure of the paper shows its simulation; nothing for workflows from files.
    source
        What it is made from.
    known, chosen
        What the paper says of it, and what had to be chosen here.
    samples, runs
        p and q of the simulation.
    run_s
        What one run takes, about, in seconds, where batches do not come more often than jobs end.
    """

    name: str
    title: str
    figure: str
    source: Source
    known: str
    chosen: str
    samples: int
    runs: int
    run_s: float


def dag_of(source: Source) -> Dag:
    """Return the dag that a source tells of.

    Examples
    --------
    >>> dag_of({"family": "airsn", "arguments": {"width": 250}})
    Dag(773 jobs, 1,270 edges)
    >>> dag_of({"variant": "shuffled", "arguments": {"of": {"family": "airsn", "arguments": {"width": 8}}, "seed": 1}})
    Dag(47 jobs, 60 edges)
    """
    if "file" in source:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # oddities of real files: docs/formats tells of them
            return eligo.read(source["file"])
    if "variant" in source:
        from eligo_papers.prio.variants import VARIANTS

        return VARIANTS[source["variant"]](**source["arguments"])
    made: Dag = getattr(generate, source["family"])(**source["arguments"])
    return made


_AIRSN = (
    "773 jobs at width 250; about twenty jobs (the handle) precede a fork of 250, then a join, a second fork of 250, "
    "the last join; each job of the first fork also waits for a job of its own (a fringe); the job before the first "
    "fork has priority 753, so 20 jobs go before it",
    "the handle is a chain of 21 jobs, the number that the rest leaves; the fringes stand before it in the file",
)
_INSPIRAL = (
    "2,988 jobs; a component that is not bipartite has over 1,000 of them",
    "groups as in the Pegasus gallery (TmpltBank, Inspiral, Thinca, TrigBank, Inspiral, Thinca); groups that hold 55 % "
    "of the jobs are tied to their neighbours so that a component of that kind arises, the others stand alone",
)
_MONTAGE = (
    "7,881 jobs; a bipartite component has over 1,000 of them; its sources have a few to about ten children, some of "
    "them shared",
    "one mosaic as in the Pegasus gallery; images lie in a square and stand in the file row by row",
)
_SDSS = (
    "48,013 jobs; a bipartite component has over 1,500 of them; its sources have three children each, some shared",
    "stripes of about 800 fields; a search reads three neighbouring fields; fields stand in the file along the stripe",
)


class _Scales(NamedTuple):
    """How large a workflow is at the smallest scale and in the paper, and p and q at the other two scales."""

    key: str
    tiny: int
    printed: int
    quick: tuple[int, int]
    full: tuple[int, int]


def _generated(
    settings: Settings, name: str, titles: tuple[str, str], *, words: tuple[str, str], run_s: float, scales: _Scales
) -> Workflow:
    jobs = settings.pick(tiny=scales.tiny, quick=scales.printed, full=scales.printed)
    samples, runs = settings.pick(tiny=(12, 2), quick=scales.quick, full=scales.full)
    source = {"family": name, "arguments": {scales.key: jobs}}
    return Workflow(name, *titles, source, *words, samples, runs, run_s)


def generated(settings: Settings) -> list[Workflow]:
    """Return the four workflows of the paper, generated.

    Examples
    --------
    >>> [(one.title, one.samples, one.runs) for one in generated(Settings("full"))]
    [('AIRSN', 300, 300), ('Inspiral', 300, 300), ('Montage', 300, 300), ('SDSS', 300, 50)]
    """
    airsn = _Scales("width", 20, 250, (60, 20), (300, 300))
    inspiral = _Scales("jobs", 60, 2_988, (50, 12), (300, 300))
    montage = _Scales("jobs", 100, 7_881, (40, 5), (300, 300))
    sdss = _Scales("jobs", 200, 48_013, (40, 3), (300, 50))  # q = 300 would take more than a day
    return [
        _generated(settings, "airsn", ("AIRSN", "Fig. 6"), words=_AIRSN, run_s=25e-6, scales=airsn),
        _generated(settings, "inspiral", ("Inspiral", "Fig. 7"), words=_INSPIRAL, run_s=100e-6, scales=inspiral),
        _generated(settings, "montage", ("Montage", "Fig. 9"), words=_MONTAGE, run_s=285e-6, scales=montage),
        _generated(settings, "sdss", ("SDSS", "Fig. 8"), words=_SDSS, run_s=1.8e-3, scales=sdss),
    ]


def workflows(settings: Settings) -> list[Workflow]:
    """Return the four generated workflows, and the largest Montage and Inspiral that the folder has."""
    samples, runs = settings.pick(tiny=(12, 2), quick=(40, 12), full=(300, 300))
    found = generated(settings)
    for kind, path, jobs in find_files(settings.data):
        origin, words = next(told for ends, told in _ORIGINS.items() if path.name.endswith(ends))
        title = f"{kind}, {origin}, {jobs:,} jobs"
        chosen = f"nothing: {words} ({path.name}), with its own size"
        source = file_source(path)
        found.append(Workflow(f"{origin}-{kind.lower()}", title, "", source, "", chosen, samples, runs, jobs * 40e-9))
    return found


def file_source(path: Path) -> Source:
    """Return the source of a workflow in a file."""
    return {"file": str(path), "digest": hashlib.sha256(path.read_bytes()).hexdigest()[:16]}


def find_files(data: Path | None) -> list[tuple[str, Path, int]]:
    """Return the largest Montage and the largest Inspiral among DAX and WfFormat files in a folder, with their jobs.

    Examples
    --------
    >>> find_files(None)
    []
    """
    if data is None:
        return []
    found = []
    for kind, pattern in _KINDS.items():
        sizes = {path: dag.n for path, dag in _read_all(data, pattern)}
        if sizes:
            largest = max(sorted(sizes), key=lambda path: sizes[path])
            found.append((kind, largest, sizes[largest]))
    return found


def _read_all(data: Path, pattern: re.Pattern[str]) -> Iterator[tuple[Path, Dag]]:
    for path in sorted(data.rglob("*")):
        if not (pattern.search(path.name) and path.name.endswith(sum(_ORIGINS, ())) and path.is_file()):
            continue
        if path.stat().st_size > _LARGEST_READ:
            continue
        try:
            yield path, dag_of({"file": str(path)})
        except EligoError:
            continue  # not a workflow after all
