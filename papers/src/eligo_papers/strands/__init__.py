"""Chapter 003: Cordasco, Malewicz and Rosenberg 2007, strands, their greedy schedules and their dualities.

The strands of Fig. 3 scheduled and drawn, the theorems held against all strands of small sizes and all their schedules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo_papers.chapter import Chapter, Settings, Step
from eligo_papers.strands import classes, duality, greedy

__all__ = ["chapter", "steps"]


def steps(settings: Settings) -> Sequence[Step]:
    """Return the pieces of work of the chapter."""
    return [*greedy.steps(settings), *duality.steps(settings), *classes.steps(settings)]


def chapter(found: Mapping[str, Any], settings: Settings) -> Chapter:
    """Return the chapter, from the results of its steps."""
    results = dict(found)
    return Chapter(
        "003",
        "Strands and duality",
        "G. Cordasco, G. Malewicz, A. L. Rosenberg 2007: Advances in IC-Scheduling Theory: Scheduling Expansive and "
        "Reductive Dags and Scheduling Dags via Duality. IEEE Transactions on Parallel and Distributed Systems 18, "
        "1607-1617",
        "The paper schedules strands, bipartite dags that hang together in a row, by looking ahead along the row, "
        "and derives schedules and priorities of a strand from those of its dual. All its own theorems come out true, "
        "on all strands and sums of small sizes and however ties go. Theorem 2.1, which it cites and on which section "
        "6.1 rests, is false as it counts ELIGIBLE nodes, and right if sources count too (see 001). Two things are "
        "unsaid and needed: a single arc is a strand, and every W-strand has priority over every M-strand. The "
        "dualities hold for all dags, if all ELIGIBLE nodes are counted.",
        [*greedy.checks(results), *duality.checks(results), *classes.checks(results)],
        [
            greedy.figure_section(results),
            greedy.section(results),
            duality.section(results),
            classes.section(results),
        ],
    )
