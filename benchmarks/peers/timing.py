"""How long things take that may take microseconds or a minute: in turn, as often as fits into some seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.measure import best_times, cpu

__all__ = ["alternately"]

_MOST_TURNS = 15


def alternately(actions: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """Return the least processor time of each action; at least one turn, and more while `seconds` last."""
    once = best_times(actions, 1, cpu)
    turns = min(_MOST_TURNS, int(seconds / max(sum(once), 1e-6)))
    again = best_times(actions, turns, cpu)  # infinite where there is no time for it
    return [min(pair) for pair in zip(once, again, strict=True)]
