"""What can be reproduced, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from eligo_papers.chapter import Chapter, Settings, Step

__all__ = ["STUDIES", "Study", "StudyModule", "load_study"]


class StudyModule(Protocol):
    """What the module of a study offers."""

    def steps(self, settings: Settings) -> Sequence[Step]:
        """Return the pieces of work whose results the chapter needs."""

    def chapter(self, found: Mapping[str, Any], settings: Settings) -> Chapter:
        """Return the chapter, from the results of the steps by their names."""


class Study(NamedTuple):
    """A study: where it is, and what it is about."""

    module: str
    title: str


STUDIES = {
    "000": Study(
        "eligo_papers.guidelines", "Rosenberg and Yurkewych 2005: meshes, trees and FFT dags, eager and IC-optimal"
    ),
    "001": Study("eligo_papers.sweep", "Cordasco, Malewicz and Rosenberg 2010: sums of dags, interleaved"),
    "002": Study(
        "eligo_papers.prio", "Malewicz, Foster, Rosenberg and Wilde 2006: prio against fifo on four workflows"
    ),
    "003": Study("eligo_papers.strands", "Cordasco, Malewicz and Rosenberg 2007: strands and duality"),
    "004": Study("eligo_papers.memory", "Marchal, Simon and Vivien 2018: limits that every execution keeps"),
    "beyond": Study("eligo_papers.beyond", "our methods beside theirs, on the same instances"),
}


def load_study(name: str) -> StudyModule:
    """Return the module of a study."""
    return cast(StudyModule, import_module(STUDIES[name].module))
