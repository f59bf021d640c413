"""A grid in words, for people: who comes when, how long jobs take, what goes wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eligo.words import per_cent

if TYPE_CHECKING:
    from eligo.simulation.grid import Grid, Throttle

__all__ = ["grid_rows", "times_unit"]

_WORTH_SAYING = 0.005


def times_unit(value: float) -> str:
    """Return what times are counted in where jobs have none of their own.

    Examples
    --------
    >>> times_unit(1), times_unit(2.5)
    ('job time', 'job times')
    """
    return "job time" if value == 1 else "job times"


def grid_rows(grid: Grid, *, varies: bool = False) -> list[tuple[str, str, str]]:
    """Return a grid as rows of a table; in a sweep the random arrivals vary.

    Examples
    --------
    >>> from eligo.simulation.grid import Grid
    >>> for name, _, words in grid_rows(Grid()):
    ...     print(f"{name}: {words}")
    workers: batches of 16 on average, every 1 mean job time on average; each takes a job or leaves
    jobs: take 1 each, on average, with a standard deviation of 10 %
    """
    rows = [("workers", "", f"{_arrivals(grid, varies)}; {_manners(grid)}"), ("jobs", "", _times(grid))]
    fates = [words for words in _fates(grid) if words]
    held = _held_back(grid.throttle) if grid.throttle is not None else ""
    return rows + [(name, "", words) for name, words in (("failures", ", ".join(fates)), ("throttles", held)) if words]


def _arrivals(grid: Grid, varies: bool) -> str:
    if grid.processors is not None:
        return f"{grid.processors:,}, from the beginning to the end"
    if grid.arrivals is not None:
        again = grid.arrivals.repeat_every
        after = "then nobody" if again is None else f"again every {_time(grid, again)}"
        count = len(grid.arrivals.time)
        return f"{'1 batch' if count == 1 else f'{count:,} batches'} from a file, {after}"
    rule = {"nearest": "", "geometric": ", geometric"}.get(grid.rounding, f", rounded {grid.rounding}")
    if varies:
        return f"random batches{rule}"
    return f"batches of {grid.batch:,.6g} on average{rule}, every {_time(grid, grid.interarrival)} on average"


def _manners(grid: Grid) -> str:
    speeds = f", with speeds that differ (spread {grid.spread:g})" if grid.spread else ""
    return f"{'they stay and ask again' if grid.staying else 'each takes a job or leaves'}{speeds}"


def _times(grid: Grid) -> str:
    own = "take their own times" if grid.own_times else "take 1 each"
    if not grid.sd:
        return own
    sd, mean = per_cent(grid.sd).replace(".0", ""), _mean_factor(grid.sd)
    if mean < 1 + _WORTH_SAYING:
        return f"{own}, on average, with a standard deviation of {sd}"
    longer = f"take {mean:.3g} times their own times" if grid.own_times else f"take {mean:.3g} each"
    return f"{longer}, on average: normal with mean 1 and a standard deviation of {sd}, cut off at 0"


def _mean_factor(sd: float) -> float:
    """Return the mean of a normal distribution of mean 1 that is cut off at 0.

    Examples
    --------
    >>> _mean_factor(0.1), round(_mean_factor(1), 4)
    (1.0, 1.2876)
    """
    density = math.exp(-0.5 / sd**2) / math.sqrt(2 * math.pi)
    return 1 + sd * density / (1 - math.erfc(1 / (sd * math.sqrt(2))) / 2)


def _fates(grid: Grid) -> list[str]:
    return [
        f"{per_cent(grid.fail)} of allocations fail" if grid.fail else "",
        f"{per_cent(grid.lost)} of workers never come back" if grid.lost else "",
        f"written off after {grid.deadline:g} times the expected time" if grid.deadline is not None else "",
        f"each job given to {grid.copies:,} workers" if grid.copies > 1 else "",
    ]


def _held_back(throttle: Throttle) -> str:
    limits = 0 if throttle.category_max is None else len(throttle.category_max)
    words = [
        f"at most {throttle.max_jobs:,} in the queue or running" if throttle.max_jobs is not None else "",
        f"none sent while {throttle.max_idle:,} wait" if throttle.max_idle is not None else "",
        f"{'1 category' if limits == 1 else f'{limits:,} categories'} with a limit" if limits else "",
    ]
    return ", ".join(word for word in words if word)


def _time(grid: Grid, value: float) -> str:
    if grid.own_times:
        return f"{value:,.6g} s"
    return f"{value:,.6g} mean {times_unit(value)}"
