"""Advice: for which grids prioritising pays on a workflow, and how much.

Some workflows leave nothing to choose: a chain has one order, and independent jobs can all run from the beginning. For
all others ``looking.py`` searches the grids of paper 002 for those where it pays, and ``advice_words.py`` says so.

Advice as one paragraph: what to expect, in plain words, with numbers and their units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eligo import _core
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.simulation._executors import open_place
from eligo.simulation._experiment import make_contest
from eligo.simulation._grid import Grid
from eligo.simulation._grid_search import Look, Search
from eligo.simulation._ratios import Estimate, Summary
from eligo.simulation._simulate import check_kinds, estimates_of
from eligo.simulation._sweep_results import Point

if TYPE_CHECKING:
    pass

__all__ = [
    "Advice",
    "Look",
    "advise",
    "duration",
    "paragraph_of",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Advice:
    """For which grids prioritising pays, and how much.

    Attributes
    ----------
    verdict
        ``pays``; ``hurts``; ``mixed``, where it does the one on some grids and the other on others; ``even``, where no
        grid that was tried makes a clear difference; ``chain`` or ``independent`` where there was nothing to try.
    looks
        All grids that were tried, ascending.
    best, worst
        The grid with the largest gain, and with the largest loss if that is clear, run again with independent numbers.
    samples, runs
        How many of these.
    complete
        Whether the edges of where it pays were all found within the work allowed.
    seconds
        Whether times are in seconds; else they are in mean job times.
    jobs, strategy, against, seed
        What was asked.
    """

    verdict: str
    jobs: int
    strategy: str
    against: str
    seed: int
    seconds: bool
    looks: tuple[Look, ...] = ()
    best: Point | None = None
    worst: Point | None = None
    samples: int = 0
    runs: int = 0
    complete: bool = True

    def __repr__(self) -> str:
        return f"<Advice: {self.verdict}, {self.strategy} against {self.against}; {len(self.looks)} grids tried>"

    def clear(self, sign: int) -> list[Look]:
        """Return the grids on which it clearly pays (1), or hurts (-1)."""
        return [look for look in self.looks if look.clearly(sign)]

    @property
    def regions(self) -> list[tuple[float, float, float]]:
        """For each time between batches for which it clearly pays: that, and the smallest and largest such batch."""
        return self._rows(1)

    @property
    def losses(self) -> list[tuple[float, float, float]]:
        """The same where it clearly hurts."""
        return self._rows(-1)

    def _rows(self, sign: int) -> list[tuple[float, float, float]]:
        rows: dict[float, list[float]] = {}
        for look in self.clear(sign):
            rows.setdefault(look.interarrival, []).append(look.batch)
        return [(interarrival, min(batches), max(batches)) for interarrival, batches in sorted(rows.items())]

    @property
    def paragraph(self) -> str:
        """The advice in words."""
        return paragraph_of(self)

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain values for ``json.dumps``."""
        return {
            "advice": self.paragraph,
            "verdict": self.verdict,
            "strategy": self.strategy,
            "against": self.against,
            "seed": self.seed,
            "unit": "s" if self.seconds else "mean job time",
            "best": None if self.best is None else self.best.facts(),
            "worst": None if self.worst is None else self.worst.facts(),
            "samples": self.samples,
            "runs": self.runs,
            "grids": {"tried": len(self.looks), "pays": len(self.clear(1)), "hurts": len(self.clear(-1))},
            "pays": _named(self.regions),
            "hurts": _named(self.losses),
            "complete": self.complete,
            "looks": [look.facts() for look in self.looks],
        }


def _named(rows: list[tuple[float, float, float]]) -> list[dict[str, float]]:
    return [dict(zip(("interarrival", "low", "high"), row, strict=True)) for row in rows]


def advise(
    dag: Dag,
    strategy: Any = "best",
    *,
    against: Any = "fifo",
    grid: Grid | None = None,
    seed: int = 0,
    work_s: float | None = None,
    on: str = "processes",
    on_progress: Callable[[float], None] | None = None,
) -> Advice:
    """Find for which grids prioritising pays on a workflow.

    Parameters
    ----------
    strategy, against
        What is compared with what: strategies by name, or made by ``contender``; the first may also be a schedule or
        an order.
    grid
        All but the times between batches and their sizes, which vary.
    work_s
        How much work to spend: seconds of one core, by an estimate that does not look at a clock. By default 15, or up
        to 100 for large dags.
    seed, on, on_progress
        As for ``simulate``.

    Raises
    ------
    EligoError
        The dag is empty, or the grid leaves nothing to vary.

    Examples
    --------
    >>> advise(Dag.from_names([("a", "b"), ("b", "c")])).verdict
    'chain'
    """
    check_kinds(dag, grid)
    grid = Grid() if grid is None else grid
    if not dag.n:
        raise EligoError("no jobs: nothing to simulate", hint="give a workflow with at least one job")
    if not grid.random_arrivals:
        raise EligoError(
            "advice varies when workers come: it cannot have fixed processors or arrivals from a file",
            hint="leave these out, or simulate one grid",
        )
    if grid.lost > 0 and grid.deadline is None:
        raise EligoError(
            "where workers never come back and there is no deadline, hardly a run ends: there is nothing to compare",
            hint="give a deadline, such as 3 times the mean",
        )
    name, other = (each if isinstance(each, str) else getattr(each, "name", "order") for each in (strategy, against))
    asked = (dag.n, name, other, seed, grid.own_times)
    plain = _verdict_without_trying(dag, grid)
    if plain is not None:
        return Advice(plain, *asked)
    contest = make_contest(dag, [strategy, against], samples=1, runs=1, seed=seed, common=True, against=other)
    tell = on_progress if on_progress is not None else lambda _: None
    with open_place(on) as place:
        verdict, looks, best, worst, samples, runs, complete = Search(contest, grid, place, work_s, tell).run()
    return Advice(verdict, *asked, looks, best, worst, samples, runs, complete)


def _verdict_without_trying(dag: Dag, grid: Grid) -> str | None:
    """Tell dags that leave nothing to choose."""
    order = dag.order
    if _core.has_edge(dag.succ_ptr, dag.succ, order[:-1], order[1:]).all():
        return "chain"
    if not dag.m and not grid.own_times and grid.throttle is None:
        return "independent"
    return None


_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_MOST_PARTS = 3  # of which a description of grids is made, if it can be


def paragraph_of(advice: Advice) -> str:
    """Return what there is to say, as one line."""
    start = {"chain": _chain, "independent": _independent, "even": _even}
    return start.get(advice.verdict, _clear)(advice)


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


def _clear(advice: Advice) -> str:
    """Say where it pays and where it hurts, what is true on more grids first."""
    gains, losses = len(advice.clear(1)), len(advice.clear(-1))
    who = f"Prioritising ({advice.strategy} against {advice.against})"
    of = f"on this workflow of {advice.jobs:,} jobs"
    if not losses:
        start = f"{who} pays {of}: {_side(advice, 1)}."
    elif not gains:
        start = f"{who} does not pay {of}, and hurts on some grids: {_side(advice, -1)}."
    else:
        more = 1 if gains > losses else -1
        verbs = ("pays", "hurts")[::more]
        against = f"{max(gains, losses)} of the {len(advice.looks)} grids tried against {min(gains, losses)}"
        often = f"as often as it {verbs[1]}" if gains == losses else f"more often than it {verbs[1]}"
        start = f"{who} {verbs[0]} {often} {of} ({against}): {_side(advice, more)}. But {_side(advice, -more)}."
    best = _best(advice, advice.best) if gains and advice.best is not None else ""
    worst = _loss(advice, advice.worst) if losses and advice.worst is not None else ""
    parts = [best, worst] if gains > losses else [worst, best]
    return " ".join(part for part in (start, *parts, _elsewhere(advice, gains, losses)) if part)


def _side(advice: Advice, sign: int) -> str:
    verb = "saves" if sign > 0 else "costs"
    return f"where workers come in {_grids(advice, sign)} it clearly {verb} 1 % of the execution time or more"


def _even(advice: Advice) -> str:
    text = (
        f"On this workflow of {advice.jobs:,} jobs prioritising makes no clear difference: on none of {_tried(advice)}"
        f" do the execution times of {advice.strategy} and {advice.against} clearly differ by 1 % or more."
    )
    found = _time_ratio(advice, advice.best)
    if found is None or advice.best is None:
        return text
    return (
        f"{text} The best of them, {_where(advice, advice.best)}, came to {found.ratio:.3f} times the execution time"
        f" when it was run again ({_interval(advice, advice.best, found)})."
    )


def _best(advice: Advice, best: Point) -> str:
    mine, theirs = (best.strategies[name] for name in (advice.strategy, advice.against))
    found = _time_ratio(advice, best)
    assert found is not None
    times = [_duration(advice, of["execution_time"].mean) for of in (mine, theirs)]
    stalling, used = (_change(mine[metric], theirs[metric]) for metric in ("stalling", "utilization"))
    return (
        f"It does most with {_where(advice, best)}: the workflow then takes {times[0]} on average instead of"
        f" {times[1]}, {_percent(1 - found.ratio)} less ({_interval(advice, best, found)});"
        f" the share of batches that find no job to run is {stalling},"
        f" and the share of requests that get a job is {used}."
    )


def _change(mine: Summary, theirs: Summary) -> str:
    now, before = _percent(mine.mean), _percent(theirs.mean)
    return f"{now} as before" if now == before else f"{now} instead of {before}"


def _elsewhere(advice: Advice, gains: int, losses: int) -> str:
    clear = "no such gain is clear, and no loss" if not losses else "no such loss is clear, and no gain"
    edges = "" if advice.complete else " Not all grids beside these could be tried, so there may be more of them."
    rest = len(advice.looks) - gains - losses
    if not rest:
        return f"These are all of {_tried(advice)}.{edges}"
    return f"On the other {rest} of {_tried(advice)} {clear if not (gains and losses) else 'neither is clear'}.{edges}"


def _loss(advice: Advice, worst: Point) -> str:
    found = _time_ratio(advice, worst)
    assert found is not None
    return (
        f"It loses most with {_where(advice, worst)}: the workflow then takes {_percent(found.ratio - 1)} longer"
        f" ({_interval(advice, worst, found)})."
    )


def _time_ratio(advice: Advice, point: Point | None) -> Estimate | None:
    if point is None:
        return None
    (found,) = estimates_of(point.strategies, point.ratios, "execution_time", advice.samples).values()
    return found


def _interval(advice: Advice, point: Point, found: Estimate) -> str:
    of = f"means of {advice.runs} runs" if advice.runs > 1 else "single runs"
    (by_metric,) = point.ratios.values()
    quotients = by_metric["execution_time"]
    assert quotients is not None
    if not found.is_enough:
        return f"a ratio of {quotients.low:.3f} to {quotients.high:.3f} in {advice.samples} pairs of {of}"
    return f"a ratio of {found}; {of} vary from {quotients.low:.3f} to {quotients.high:.3f}"


def _grids(advice: Advice, sign: int) -> str:
    """Describe the grids on which it pays (1) or hurts (-1): all of them are inside, and how many others is told."""
    tried = sorted({look.interarrival for look in advice.looks})
    parts = _merged(advice.regions if sign > 0 else advice.losses, tried)
    words, inside = [], set[Look]()
    for low, high, between in parts:
        size = _workers(low) if low == high else f"{low:,.0f} to {_workers(high)}"
        words.append(f"about {size} every {_span(advice, between)}")
        inside |= {look for look in advice.looks if look.interarrival in between and low <= look.batch <= high}
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return f"batches of {listed} (on {_share(len(advice.clear(sign)), len(inside))} there)"


def _share(some: int, all_of_them: int) -> str:
    if some == all_of_them:
        return "the one grid tried" if some == 1 else f"all {some} grids tried"
    return f"{some} of the {all_of_them} grids tried"


def _merged(rows: list[tuple[float, float, float]], tried: list[float]) -> list[tuple[float, float, list[float]]]:
    """Put neighbouring times between batches together, as what holds their batches; by more steps if there are many.

    Examples
    --------
    >>> _merged([(0.1, 1, 64), (1, 2, 512), (10, 1, 256)], [0.1, 1, 10])
    [(1, 64, [0.1]), (1, 512, [1, 10])]
    """
    merged: list[tuple[float, float, list[float]]] = []
    for factor in (2, 4, 16, 2**16):
        merged = [
            (min(low for _, low, _ in group), max(high for *_, high in group), [between for between, *_ in group])
            for group in _neighbours(rows, tried, factor)
        ]
        if len(merged) <= _MOST_PARTS:
            break
    return merged


def _neighbours(
    rows: list[tuple[float, float, float]], tried: list[float], factor: float
) -> list[list[tuple[float, float, float]]]:
    """Group rows that follow each other, overlap, and whose ends differ by so much at most."""
    groups: list[list[tuple[float, float, float]]] = []
    for row in rows:
        if groups:
            joined = [*groups[-1], row]
            lows, highs = [low for _, low, _ in joined], [high for *_, high in joined]
            beside = tried.index(row[0]) == tried.index(groups[-1][-1][0]) + 1
            if beside and max(lows) <= min(*highs, factor * min(lows)) and max(highs) <= factor * min(highs):
                groups[-1] = joined
                continue
        groups.append([row])
    return groups


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
    return duration(value) if advice.seconds else f"{_short(value)} mean job times"


def duration(value: float) -> str:
    """Return seconds with three digits, in the unit that people think in.

    Examples
    --------
    >>> duration(0.00500268), duration(90), duration(5000), duration(36_000), duration(1e6)
    ('0.005 s', '90 s', '83.3 min', '10 h', '11.6 days')
    """
    for unit, length in (("days", _DAY), ("h", _HOUR), ("min", _MINUTE)):
        if value >= 2 * length:
            return f"{_short(value / length)} {unit}"
    return f"{_short(value)} s"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if abs(share) < 0.1 else f"{100 * share:.0f} %"
