"""Our methods beside those of the papers, on the same instances: what is gained, and where nothing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo_papers.beyond import limits, orders
from eligo_papers.chapter import Chapter, Settings, Step

__all__ = ["chapter", "steps"]

_PARTS = (orders, limits)
_ABOUT = (
    "The instances of 002 and 004 once more, with what Eligo does by default: `best` orders the jobs, `auto` adds the "
    "dependencies that keep a limit, and both can be combined. `best` takes the order of the largest AREA of several, "
    "and `auto` the shortest critical path, so neither can be worse in that than the methods they choose from. "
    "Simulated times are another matter: the tables say where they are worse by more than chance explains."
)


def steps(settings: Settings) -> Sequence[Step]:
    """Return the steps of both parts."""
    return [step for part in _PARTS for step in part.steps(settings)]


def chapter(found: Mapping[str, Any], settings: Settings) -> Chapter:
    """Return the chapter, first on orders, then on limits."""
    parts = [part.sections(found, settings) for part in _PARTS]
    sections = [section for sections, _ in parts for section in sections]
    checks = [check for _, checks in parts for check in checks]
    return Chapter("beyond", "Beyond the papers", "", _ABOUT, checks, sections)
