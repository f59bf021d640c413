"""How much work a checker may do: counted in steps, not in seconds, so that its answers repeat."""

from __future__ import annotations

from typing import final

from eligo.errors import InfeasibleError

__all__ = ["Budget"]


@final
class Budget:
    """So many elementary steps, a nanosecond or two each, for whatever takes more than linear time.

    Examples
    --------
    >>> Budget(100).spend(101, "the table")
    Traceback (most recent call last):
        ...
    eligo.errors.InfeasibleError: the table would take more than the 100 steps allowed
    hint: allow more, with --budget or verify(..., budget=...): a billion steps take seconds
    """

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._left = steps

    def spend(self, steps: int, what: str) -> None:
        """Take steps off the budget before they are done."""
        self._left -= steps
        if self._left < 0:
            raise InfeasibleError(
                f"{what} would take more than the {self._steps:,} steps allowed",
                hint="allow more, with --budget or verify(..., budget=...): a billion steps take seconds",
            )
