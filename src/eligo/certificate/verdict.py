"""What a check came to, when it did not fail."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Verdict"]

_MEANING = {
    "ic-optimal": "no execution has more ELIGIBLE jobs than this order, at any step",
    "no-ic-optimal": "no order has the most ELIGIBLE jobs possible at every step",
    "bound": "no order has an AREA above the bound stated",
    "memory": "no execution occupies more than the worst peak stated, and none has a smaller peak than the lower bound",
    "profile": "the numbers are those of the order",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim that was found true.

    Attributes
    ----------
    claim
        What was claimed.
    checks
        What was checked, in words, one sentence each.
    assumptions
        What the certificate takes for granted.
    """

    claim: str
    checks: tuple[str, ...]
    assumptions: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The claim and what it means, in one line."""
        return f"{self.claim}: {_MEANING[self.claim]}"
