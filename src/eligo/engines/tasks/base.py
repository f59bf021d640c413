"""What every module of this package offers: ``maker(document)``, which knows what the jobs of a file run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from eligo.engines.plan import Categories, Task

__all__ = ["Maker"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """What a workflow file asks for beside its jobs and edges.

    Attributes
    ----------
    task
        Returns what a job does, by its index; raises ``ParseError`` where the file asks for what nobody can do.
    final
        What runs when all else is over.
    categories
        How many jobs of a kind may run at once.
    warnings
        What was taken otherwise than it is written, as sentences.
    """

    task: Callable[[int], Task]
    final: Task | None = None
    categories: Categories | None = None
    warnings: tuple[str, ...] = ()
