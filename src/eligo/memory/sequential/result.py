"""The answer to how low one can go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from eligo.dag import Int32

__all__ = ["Sequential"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sequential:
    """An order of the jobs, one after the other, with what it occupies.

    Attributes
    ----------
    order
        Every job once, parents before children.
    peak
        What it occupies at most.
    method
        What found it.
    proved
        Whether no order has a smaller peak.
    candidates
        The peak of each method that was tried, in the order in which they were.
    """

    order: Int32
    peak: int
    method: str
    proved: bool
    candidates: dict[str, int] = field(default_factory=dict)
