"""Advice: for which grids prioritising pays on a workflow, and how much, by a small sweep that looks where it pays.

Nobody knows the grid in advance, so the question is for which of them it matters. Paper 002 looked at 119 pairs of a
mean time between batches and a mean batch size, with 90,000 runs each: hours. Here

1. a *coarse look* at every second batch size for a few times between batches tells where the gain is, since gains
   reach over many powers of two;
2. points that may pay, or hurt, but not clearly so, are looked at more *sharply*, with four times as many runs;
3. the look *spreads* from points where it pays, or hurts, to their neighbours, until the edges are found;
4. the best point, and the worst if prioritising hurts anywhere, are run again with *independent* random numbers: of
   many noisy points the best one looks better than it is.

Strategies meet common random numbers, so that a few runs tell ratios apart. With x and y the execution times of q
matched runs, the ratio is r = sum x / sum y, and its error, by linearisation, sqrt(sum (x - r y)^2 / (q (q - 1))) /
mean y. It *pays* if r is 0.99 or less, and below 1 by so many errors that chance would do that once in a thousand
points.

The work is bounded: what runs are thought to take, in seconds, is divided among the four steps, and decides how many
runs a point gets and how many points are looked at. It is an estimate that depends on the arguments alone, never a
clock: the same question has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from eligo import _core
from eligo.dag import Dag, Float64
from eligo.errors import EligoError
from eligo.simulation.comparing import plain_summary
from eligo.simulation.contest import Contest, make_contest
from eligo.simulation.grid import Grid
from eligo.simulation.places import Place, open_place
from eligo.simulation.results import Point
from eligo.simulation.runs import COLUMNS, expected_times, seconds_per_run
from eligo.simulation.sampling import collect
from eligo.simulation.sweeping import BATCHES, INTERARRIVALS

__all__ = ["Advice", "Look", "advise"]

GAIN = 0.01
"""What is worth mentioning: a hundredth of the execution time."""

_WORK_S, _MOST_WORK_S = 15.0, 90.0  # of one core, by ``seconds_per_run``
_PAIRS = 1500  # so many runs of each strategy are allowed on top, up to the most
_COARSE, _SHARPEN, _SPREAD = 0.4, 0.55, 0.75  # the share of it that is spent at most when each step is done
_COARSE_PLANS = (  # rows (times between batches) and step between columns (batch sizes), from thorough to scant
    ((1, 2, 3, 4), 2),
    ((2, 3, 4), 2),
    ((2, 3), 3),
    ((3,), 3),
)
_MOST_RUNS, _ENOUGH_RUNS, _FEWEST_RUNS = 400, 3, 2  # of a point; large dags vary little from run to run
_CONFIRM_SAMPLES, _CONFIRM_RUNS = 100, 20
_TIME = COLUMNS.index("execution_time")

_Place = tuple[int, int]  # on the lattice: which time between batches, which batch size


class Look(NamedTuple):
    """What a few runs said of one grid: the ratio of execution times, and its standard error."""

    interarrival: float
    batch: float
    ratio: float
    error: float
    runs: int

    def facts(self) -> dict[str, float | None]:
        """Return it as plain values; a ratio that is infinite, since runs did not end, is ``None``."""
        return {name: value if math.isfinite(value) else None for name, value in self._asdict().items()}

    @property
    def margin(self) -> float:
        """How far chance may take the ratio, once in a thousand times."""
        return self.error * (3 + 12 / max(self.runs - 1, 1))  # about Student's t

    @property
    def pays(self) -> bool:
        """Whether prioritising clearly gains, and a hundredth or more."""
        return self.ratio <= 1 - GAIN and self.ratio + self.margin < 1

    @property
    def hurts(self) -> bool:
        """Whether it clearly loses, and a hundredth or more."""
        return self.ratio >= 1 + GAIN and self.ratio - self.margin > 1

    @property
    def is_likely(self) -> bool:
        """Whether it pays, or hurts, as far as one can tell: enough to look further, not to say so."""
        return abs(self.ratio - 1) > max(2 * self.error, GAIN) and math.isfinite(self.error)

    @property
    def is_doubtful(self) -> bool:
        """Whether more runs could well show that it pays, or hurts."""
        return math.isfinite(self.error) and not (self.pays or self.hurts) and abs(self.ratio - 1) + self.error > GAIN


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    """For which grids prioritising pays, and how much.

    Attributes
    ----------
    verdict
        ``pays``; ``even``, where no grid that was tried makes a clear difference; ``hurts``, where it only ever loses;
        ``chain`` or ``independent`` where there was nothing to try.
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

    @property
    def regions(self) -> list[tuple[float, float, float]]:
        """For each time between batches for which it clearly pays: that, and the smallest and largest such batch."""
        paying: dict[float, list[float]] = {}
        for look in self.looks:
            if look.pays:
                paying.setdefault(look.interarrival, []).append(look.batch)
        return [(interarrival, min(batches), max(batches)) for interarrival, batches in sorted(paying.items())]

    @property
    def paragraph(self) -> str:
        """The advice in words."""
        from eligo.simulation.advice_words import paragraph_of

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
            "best": _plain(self.best),
            "worst": _plain(self.worst),
            "samples": self.samples,
            "runs": self.runs,
            "pays": [dict(zip(("interarrival", "low", "high"), region, strict=True)) for region in self.regions],
            "complete": self.complete,
            "looks": [look.facts() for look in self.looks],
        }


def _plain(point: Point | None) -> dict[str, Any] | None:
    if point is None:
        return None
    return {
        "interarrival": point.interarrival,
        "batch": point.batch,
        "ratios": {
            of: {metric: plain_summary(five) for metric, five in by_metric.items()}
            for of, by_metric in point.ratios.items()
        },
        "strategies": {
            of: {metric: plain_summary(five) for metric, five in by_metric.items()}
            for of, by_metric in point.strategies.items()
        },
    }


def advise(
    dag: Dag,
    strategy: Any = "best",
    *,
    against: str = "fifo",
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
        What is compared with what; the strategy may also be a schedule or an order.
    grid
        All but the times between batches and their sizes, which vary.
    work_s
        How much work to spend: seconds of one core, by an estimate that does not look at a clock. By default 15, or up
        to 90 for large dags.
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
    grid = Grid() if grid is None else grid
    if not dag.n:
        raise EligoError("no jobs: nothing to simulate", hint="give a workflow with at least one job")
    if not grid.random_arrivals:
        raise EligoError(
            "advice varies when workers come: it cannot have fixed processors or arrivals from a file",
            hint="leave these out, or simulate one grid",
        )
    name = strategy if isinstance(strategy, str) else getattr(strategy, "name", "order")
    asked = (dag.n, name, against, seed, grid.own_times)
    plain = _verdict_without_trying(dag, grid)
    if plain is not None:
        return Advice(plain, *asked)
    contest = make_contest(dag, [strategy, against], samples=1, runs=1, seed=seed, common=True, against=against)
    tell = on_progress if on_progress is not None else lambda _: None
    with open_place(on) as place:
        return _Search(contest, grid, place, work_s, tell).advice(asked)


def _verdict_without_trying(dag: Dag, grid: Grid) -> str | None:
    """Tell dags that leave nothing to choose."""
    order = dag.order
    if _core.has_edge(dag.succ_ptr, dag.succ, order[:-1], order[1:]).all():
        return "chain"
    if not dag.m and not grid.own_times and grid.throttle is None:
        return "independent"
    return None


class _Search:
    """Looks at points of the lattice, within the work allowed."""

    def __init__(
        self, contest: Contest, grid: Grid, place: Place, work_s: float | None, tell: Callable[[float], None]
    ) -> None:
        self.contest = contest
        self.grid = grid
        self.place = place
        self.tell = tell
        unit = float(expected_times(contest.dag, grid).mean()) or 1.0
        self.interarrivals = [value * unit for value in INTERARRIVALS]
        # A batch beyond twice the jobs serves all who are ELIGIBLE, as any larger one does.
        self.batches = [size for size in BATCHES if size < 4 * contest.dag.n]
        self.looks: dict[_Place, Look] = {}
        self.spent = 0.0
        pair = self._seconds([(3, min(4, len(self.batches) - 1))])
        self.work_s = min(_WORK_S + _PAIRS * pair, _MOST_WORK_S) if work_s is None else work_s

    def advice(self, asked: tuple[int, str, str, int, bool]) -> Advice:
        self.tell(0.0)
        self._look_coarsely()
        self._sharpen()
        complete = self._spread()
        found = self._confirm()
        self.tell(1.0)
        looks = tuple(sorted(self.looks.values()))
        hurts = found.worst is not None and any(look.hurts for look in looks)
        verdict = "pays" if any(look.pays for look in looks) else "hurts" if hurts else "even"
        worst = found.worst if hurts else None
        return Advice(verdict, *asked, looks, found.best, worst, found.samples, found.runs, complete)

    def _grid(self, at: _Place) -> Grid:
        return replace(self.grid, interarrival=self.interarrivals[at[0]], batch=self.batches[at[1]])

    def _seconds(self, places: Iterable[_Place]) -> float:
        """Return what a run of each strategy at each place is thought to take."""
        return sum(seconds_per_run(setup) for at in places for setup in self.contest.setups(self._grid(at)))

    def _look_coarsely(self) -> None:
        plans = []
        for rows, step in _COARSE_PLANS:
            places = [(row, column) for row in rows for column in range(0, len(self.batches), step)]
            plans.append((int(min(_COARSE * self.work_s / self._seconds(places), _MOST_RUNS)), places))
        runs, places = next((plan for plan in plans if plan[0] >= _ENOUGH_RUNS), plans[-1])
        self._look(places, max(runs, _FEWEST_RUNS))

    def _look(self, places: list[_Place], runs: int) -> None:
        found: dict[int, Float64] = {}
        work = [setup for at in places for setup in self.contest.setups(self._grid(at))]
        for number, rows in self._collect(work, runs, 1, self._seconds(places) * runs):
            found[number] = rows[:, _TIME]
        for number, at in enumerate(places):
            self._note(at, found[2 * number], found[2 * number + 1], runs)

    def _note(self, at: _Place, mine: Float64, theirs: Float64, runs: int) -> None:
        where = self.interarrivals[at[0]], self.batches[at[1]]
        self.looks[at] = Look(*where, *_ratio_and_error(mine, theirs), runs)

    def _collect(self, work: list[Any], samples: int, runs: int, seconds: float) -> Iterator[tuple[int, Float64]]:
        before = self.spent

        def tell(share: float) -> None:
            self.tell(min((before + share * seconds) / self.work_s, 1.0))

        yield from collect(self.place, work, samples, runs, tell)
        self.spent = before + seconds

    def _sharpen(self) -> None:
        """Look again at points that are not clear, those first that are farthest from even in spite of their errors."""
        for _ in range(2):
            doubtful = [at for at, look in self.looks.items() if look.is_doubtful and look.runs < _MOST_RUNS]
            doubtful.sort(key=lambda at: (self.looks[at].error - abs(self.looks[at].ratio - 1), at))
            self._look_within(_SHARPEN, [(at, min(4 * self.looks[at].runs, _MOST_RUNS)) for at in doubtful])

    def _look_within(self, share: float, wanted: list[tuple[_Place, int]]) -> bool:
        """Look at places, with so many runs each, as far as the work allows; return whether it allowed all."""
        left = share * self.work_s - self.spent
        chosen: dict[int, list[_Place]] = {}
        for at, runs in wanted:
            left -= self._seconds([at]) * runs
            if left < 0:
                break
            chosen.setdefault(runs, []).append(at)
        for runs, places in chosen.items():
            self._look(places, runs)
        return left >= 0

    def _spread(self) -> bool:
        """Look at neighbours of points where it pays or hurts, round by round; return whether none is left."""
        for _ in range(len(self.batches)):
            wanted = self._neighbours()
            if not wanted or not self._look_within(_SPREAD, wanted):
                return not wanted
        return not self._neighbours()

    def _neighbours(self) -> list[tuple[_Place, int]]:
        """Return places to look at beside such points, with as many runs, those beside the largest gains first."""
        beside: dict[_Place, Look] = {}
        for (row, column), look in sorted(self.looks.items(), key=lambda each: (each[1].ratio, each[0])):
            if not look.is_likely:
                continue
            for at in ((row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)):
                inside = 0 <= at[0] < len(self.interarrivals) and 0 <= at[1] < len(self.batches)
                if inside and at not in self.looks:
                    beside.setdefault(at, look)
        return [(at, look.runs) for at, look in beside.items()]

    def _confirm(self) -> _Confirmed:
        """Run the best and the worst place again, if they seem to be that, with numbers of their own."""
        finite = [at for at, look in self.looks.items() if math.isfinite(look.ratio)]
        best = min(finite, key=lambda at: (self.looks[at].ratio + self.looks[at].error, at), default=None)
        worst = max(finite, key=lambda at: (self.looks[at].ratio - self.looks[at].error, at), default=None)
        if best is not None and not (self.looks[best].ratio < 1 and self.looks[best].is_likely):
            best = None
        if worst is not None and not self.looks[worst].hurts:
            worst = None
        places = [at for at in (best, worst) if at is not None]
        if not places:
            return _Confirmed(None, None, 0, 0)
        seconds = self._seconds(places)
        total = int(min((1 - _SPREAD) * self.work_s / seconds, _CONFIRM_SAMPLES * _CONFIRM_RUNS))
        samples = max(min(total, _CONFIRM_SAMPLES), _FEWEST_RUNS)
        runs = max(total // samples, 1)
        again = replace(self.contest, samples=samples, runs=runs, seed=self.contest.seed + 1)
        work = [setup for at in places for setup in again.setups(self._grid(at))]
        rows = dict(self._collect(work, samples, runs, seconds * samples * runs))
        points = {at: self._judged(again, at, rows[2 * i], rows[2 * i + 1]) for i, at in enumerate(places)}
        return _Confirmed(points[best] if best else None, points[worst] if worst else None, samples, runs)

    def _judged(self, again: Contest, at: _Place, mine: Float64, theirs: Float64) -> Point:
        """Take independent runs for what is true of a place, instead of those that made it look best."""
        self._note(at, mine[:, _TIME], theirs[:, _TIME], again.samples * again.runs)
        judged = again.judge(self._grid(at), dict(zip(again.names, (mine, theirs), strict=True)))
        return Point(self.interarrivals[at[0]], self.batches[at[1]], *judged)


class _Confirmed(NamedTuple):
    best: Point | None
    worst: Point | None
    samples: int
    runs: int


def _ratio_and_error(mine: Float64, theirs: Float64) -> tuple[float, float]:
    """Return the ratio of the means of matched runs and its standard error, both infinite where runs did not end."""
    if not (np.isfinite(mine).all() and np.isfinite(theirs).all() and theirs.any()):
        return math.inf, math.inf
    ratio = math.fsum(mine) / math.fsum(theirs)
    squares = math.fsum(((mine - ratio * theirs) ** 2).tolist())
    return ratio, math.sqrt(squares / (len(mine) * max(len(mine) - 1, 1))) / (math.fsum(theirs) / len(theirs))
