"""Chapter 001: Cordasco, Malewicz and Rosenberg 2010, sums of dags and interleaved schedules.

All tables field by field, the dags of the figures with certificates, the theorems on small dags, and section 5.2's
algorithms for planar bipartite trees, counted and timed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo_papers.chapter import Chapter, Settings, Step
from eligo_papers.sweep import dags, planar_trees_timing, tables, theorems

__all__ = ["chapter", "steps"]


def steps(settings: Settings) -> Sequence[Step]:
    """Return the pieces of work of the chapter."""
    return [
        *tables.steps(),
        *dags.steps(),
        *theorems.steps(settings),
        *planar_trees_timing.steps(settings),
    ]


def chapter(found: Mapping[str, Any], settings: Settings) -> Chapter:
    """Return the chapter, from the results of its steps."""
    results = dict(found)
    return Chapter(
        "001",
        "Sums of dags, interleaved",
        "G. Cordasco, G. Malewicz, A. L. Rosenberg 2010: Extending IC-Scheduling via the Sweep Algorithm",
        "The paper finds IC-optimal schedules of sums of dags, in which the summands take turns, or proves that "
        "there is none. All its tables come out as printed, field by field, and so do its answers for the dags of "
        "its figures, each with a verified certificate. Theorem 2.1, which it cites, is false for its way of "
        "counting ELIGIBLE nodes and right when sources count too; one claim in a proof needs a condition; and the "
        "quadratic time of section 5.2 rests on an assumption that does not hold, though random trees come close to "
        "it.",
        [
            *tables.checks(results),
            *dags.checks(results),
            *theorems.checks(results),
            *planar_trees_timing.checks(results),
        ],
        [
            tables.section(results),
            dags.yes_section(results),
            dags.no_section(results),
            theorems.section(results),
            planar_trees_timing.section(results, settings),
        ],
    )
