"""Advice as one paragraph: what to expect, in plain words, with numbers and their units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eligo.simulation.contest import ENOUGH_SAMPLES
from eligo.simulation.ratios import Summary
from eligo.simulation.results import Point

if TYPE_CHECKING:
    from eligo.simulation.advising import Advice

__all__ = ["paragraph_of"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def paragraph_of(advice: Advice) -> str:
    """Return what there is to say, as one line."""
    start = {"chain": _chain, "independent": _independent, "pays": _pays, "even": _even, "hurts": _hurts}
    return start[advice.verdict](advice)


def _chain(advice: Advice) -> str:
    if advice.jobs == 1:
        return "The workflow has one job: there is no order to choose, so prioritising makes no difference on any grid."
    return (
        f"The {advice.jobs:,} jobs form a chain: there is only one order, so prioritising makes no difference on any"
        " grid."
    )


def _independent(advice: Advice) -> str:
    return (
        f"The {advice.jobs:,} jobs do not depend on each other: all can run from the beginning, whatever the order, so "
        "prioritising makes no difference on any grid."
    )


def _pays(advice: Advice) -> str:
    assert advice.best is not None
    return " ".join(
        [
            f"Prioritising ({advice.strategy} against {advice.against}) pays on this workflow of {advice.jobs:,} jobs"
            f" where workers come in {_regions(advice)}:"
            " there it saves 1 % of the execution time or more.",
            _best(advice, advice.best),
            _elsewhere(advice),
        ]
    )


def _even(advice: Advice) -> str:
    text = (
        f"On this workflow of {advice.jobs:,} jobs prioritising makes no clear difference: on none of {_tried(advice)}"
        f" do the execution times of {advice.strategy} and {advice.against} clearly differ by 1 % or more."
    )
    found = _time_ratio(advice.best)
    if found is None or advice.best is None:
        return text
    return (
        f"{text} The best of them, {_where(advice, advice.best)}, came to {found.mean:.3f} times the execution time"
        f" when it was run again ({_interval(advice, found)})."
    )


def _hurts(advice: Advice) -> str:
    return (
        f"Prioritising ({advice.strategy} against {advice.against}) does not pay on this workflow of"
        f" {advice.jobs:,} jobs: none of {_tried(advice)} clearly gains 1 % of the execution time or more,"
        f" and some lose. {_loss(advice)}"
    )


def _best(advice: Advice, best: Point) -> str:
    mine, theirs = (best.strategies[name] for name in (advice.strategy, advice.against))
    found = _time_ratio(best)
    assert found is not None
    times = [_duration(advice, of["execution_time"].mean) for of in (mine, theirs)]
    stalling, used = (_change(mine[metric], theirs[metric]) for metric in ("stalling", "utilization"))
    return (
        f"It does most with {_where(advice, best)}: the workflow then takes {times[0]} on average instead of"
        f" {times[1]}, {_percent(1 - found.mean)} less ({_interval(advice, found)});"
        f" the share of batches that find no job to run is {stalling},"
        f" and the share of requests that get a job is {used}."
    )


def _change(mine: Summary, theirs: Summary) -> str:
    now, before = _percent(mine.mean), _percent(theirs.mean)
    return f"{now} as before" if now == before else f"{now} instead of {before}"


def _elsewhere(advice: Advice) -> str:
    edges = "" if advice.complete else " Not all grids beside these could be tried, so it may pay on more of them."
    text = f"On the rest of {_tried(advice)} it makes no clear difference of 1 %"
    if advice.worst is None:
        return f"{text}, and on none does it clearly hurt.{edges}"
    return f"{text}, but on some it hurts.{edges} {_loss(advice)}"


def _loss(advice: Advice) -> str:
    found = _time_ratio(advice.worst)
    assert found is not None
    assert advice.worst is not None
    return (
        f"It loses most with {_where(advice, advice.worst)}: there the workflow takes {_percent(found.mean - 1)} longer"
        f" ({_interval(advice, found)})."
    )


def _time_ratio(point: Point | None) -> Summary | None:
    if point is None:
        return None
    (by_metric,) = point.ratios.values()
    return by_metric["execution_time"]


def _interval(advice: Advice, found: Summary) -> str:
    of = f"means of {advice.runs} runs" if advice.runs > 1 else "single runs"
    if advice.samples < ENOUGH_SAMPLES:
        return f"a ratio of {found.low:.3f} to {found.high:.3f} in {advice.samples} pairs of {of}"
    return f"95 % interval of the ratio {found.low:.3f} to {found.high:.3f}, for {of}"


def _regions(advice: Advice) -> str:
    """Name the grids for which it pays; what is said holds for all of them."""
    parts = []
    for low, high, between in _merged(advice.regions):
        size = _workers(low) if low == high else f"{low:,.0f} to {_workers(high)}"
        parts.append(f"{size} every {_span(advice, between)}")
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
    return f"batches of about {listed}"


def _merged(regions: list[tuple[float, float, float]]) -> list[tuple[float, float, list[float]]]:
    """Put neighbouring times between batches together whose batches differ by a factor of 2 at most.

    Examples
    --------
    >>> _merged([(0.1, 1, 64), (1, 2, 512), (10, 1, 256)])
    [(1, 64, [0.1]), (2, 256, [1, 10])]
    """
    merged: list[tuple[float, float, list[float]]] = []
    for interarrival, low, high in regions:
        if merged:
            low_before, high_before, between = merged[-1]
            inner = max(low, low_before), min(high, high_before)
            outer = min(low, low_before), max(high, high_before)
            if inner[0] <= min(2 * outer[0], inner[1]) and outer[1] <= 2 * inner[1]:
                merged[-1] = *inner, [*between, interarrival]
                continue
        merged.append((low, high, [interarrival]))
    return merged


def _tried(advice: Advice) -> str:
    batches = sorted({look.batch for look in advice.looks})
    between = sorted({look.interarrival for look in advice.looks})
    return (
        f"the {len(advice.looks)} grids tried (batches of {batches[0]:,.0f} to {_workers(batches[-1])}"
        f" every {_span(advice, between)})"
    )


def _where(advice: Advice, point: Point) -> str:
    return f"batches of about {_workers(point.batch)} every {_span(advice, [point.interarrival])}"


def _workers(number: float) -> str:
    return f"{number:,.0f} worker{'s' * (number != 1)}"


def _span(advice: Advice, values: list[float]) -> str:
    if len(values) == 1:
        return "mean job time" if values[0] == 1 and not advice.seconds else _duration(advice, values[0])
    first = _duration(advice, values[0])
    return f"{first if advice.seconds else first.split()[0]} to {_duration(advice, values[-1])}"


def _duration(advice: Advice, value: float) -> str:
    if not advice.seconds:
        return f"{_short(value)} mean job times"
    for unit, length in (("days", _DAY), ("h", _HOUR), ("min", _MINUTE)):
        if value >= 2 * length:
            return f"{_short(value / length)} {unit}"
    return f"{_short(value)} s"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if abs(share) < 0.1 else f"{100 * share:.0f} %"
