"""Why a limit cannot be kept, or was not: which job is in the way, what is proved, and how low one can go."""

from __future__ import annotations

import numpy as np

from eligo.errors import InfeasibleError
from eligo.memory.ends import Ends
from eligo.memory.footprint import Footprint
from eligo.memory.lower_bound import lower_bound
from eligo.memory.sequential import Sequential

__all__ = ["why_not"]


def why_not(
    footprint: Footprint, ends: Ends, most: int, *, lowest: Sequential, method: str, gave_up: bool
) -> InfeasibleError:
    """Return the error for a limit that a method did not reach.

    Parameters
    ----------
    lowest
        The order of the smallest peak that is known: its peak is the smallest limit known to be reachable.
    gave_up
        Whether the method used up its budget.
    """
    unit = footprint.rules.unit
    if lowest.peak <= most:
        how = "used up its budget of work before it found a" if gave_up else "found no"
        text = f"{method} {how} way to keep every execution within {most:,} {unit}"
        return InfeasibleError(text, hint="the method auto does not fail here", reachable=lowest.peak)
    hint = f"the smallest limit known to be reachable is {lowest.peak:,} {unit}"
    if lowest.proved:
        hint += ", and no smaller one is"
    return InfeasibleError(_obstacle(footprint, ends, most, lowest), hint=hint, reachable=lowest.peak)


def _obstacle(footprint: Footprint, ends: Ends, most: int, lowest: Sequential) -> str:
    names, unit, needs = footprint.dag.names, footprint.rules.unit, footprint.needs
    if needs.max(initial=0) > most:
        job = int(np.argmax(needs))
        return f"job {names[job]!r} alone occupies {int(needs[job]):,} {unit}, more than the limit of {most:,}"
    least = lower_bound(footprint, ends)
    if least.value > most:
        where = "" if least.job is None else f" while job {names[least.job]!r} runs"
        return f"every execution occupies at least {least.value:,} {unit}{where}, the limit is {most:,}"
    if lowest.proved:
        return f"no execution keeps within {most:,} {unit}"
    return f"no order of the jobs within {most:,} {unit} was found; every one occupies {least.value:,}"
