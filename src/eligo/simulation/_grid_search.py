"""Looking for the grids on which prioritising pays: a small sweep that spends its work where it pays.

Nobody knows the grid in advance, so the question is for which of them it matters. Paper 002 looked at 119 pairs of a
mean time between batches and a mean batch size, with 90,000 runs each: hours. Here

1. a *coarse look* at every second batch size for a few times between batches tells where the gain is, since gains
   reach over many powers of two;
2. points that may pay, or hurt, but not clearly so, are looked at more *sharply*, with four times as many runs;
3. the look *spreads* from points where it pays, or hurts, to their neighbours, until the edges are found;
4. the best point, and the worst if prioritising hurts anywhere, are run again with *independent* random numbers: of
   many noisy points the best one looks better than it is. One that was chance gives way to the next, so that what is
   left as clear on either side has at least one confirmed point.

Strategies meet common random numbers, so that a few runs tell ratios apart. With x and y the execution times of q
matched runs, the ratio is r = sum x / sum y, and its error, by linearisation, sqrt(sum (x - r y)^2 / (q (q - 1))) /
mean y. It *pays* if r is 0.99 or less, and below 1 by so many errors that chance would do that once in ten thousand
points.

The work is bounded: what runs are thought to take, in seconds, is divided among the four steps, and decides how many
runs a point gets and how many points are looked at. It is an estimate that depends on the arguments alone, never a
clock: the same question has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from eligo.dag import Float64
from eligo.simulation._executors import Place, collect
from eligo.simulation._experiment import Contest
from eligo.simulation._grid import Grid
from eligo.simulation._grid_sweep import BATCHES, INTERARRIVALS
from eligo.simulation._ratios import margin
from eligo.simulation._runs import COLUMNS, expected_times, seconds_per_run
from eligo.simulation._sweep_results import Point

__all__ = ["GAIN", "Found", "Look", "Search"]

GAIN = 0.01
"""What is worth mentioning: a hundredth of the execution time."""

_WORK_S, _MOST_WORK_S = 15.0, 100.0  # of one core, by ``seconds_per_run``
_PAIRS = 1500  # so many runs of each strategy are allowed on top, up to the most
_COARSE, _SHARPEN, _SPREAD = 0.4, 0.55, 0.75  # the share of it that is spent at most when each step is done
_COARSE_PLANS = (  # rows (times between batches) and step between columns (batch sizes), from thorough to scant
    ((1, 2, 3, 4), 2),
    ((2, 3, 4), 2),
    ((2, 3), 3),
    ((3,), 3),
)
_ENOUGH_RUNS, _FEWEST_RUNS = 3, 2  # of a point at a coarse look; large dags vary little from run to run
_MOST_RUNS, _MOST_SHARP_RUNS = 150, 600
_CONFIRM_SAMPLES, _CONFIRM_RUNS = 100, 20
_TRIES, _MOST_TRIES = 2, 8  # places that are run again on either side: those that are likely, those that are clear
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
        """How far chance may take the ratio, once in ten thousand times."""
        return margin(self.error, self.runs)

    @property
    def pays(self) -> bool:
        """Whether prioritising clearly gains, and a hundredth or more."""
        return self.ratio <= 1 - GAIN and self.ratio + self.margin < 1

    @property
    def hurts(self) -> bool:
        """Whether it clearly loses, and a hundredth or more."""
        return self.ratio >= 1 + GAIN and self.ratio - self.margin > 1

    def clearly(self, sign: int) -> bool:
        """Whether it pays (1), or hurts (-1)."""
        return self.pays if sign > 0 else self.hurts

    @property
    def is_likely(self) -> bool:
        """Whether it pays, or hurts, as far as one can tell: enough to look further, not to say so."""
        return abs(self.ratio - 1) >= max(2 * self.error, GAIN) and math.isfinite(self.error)

    @property
    def is_doubtful(self) -> bool:
        """Whether more runs could well show that it pays, or hurts."""
        return math.isfinite(self.error) and not (self.pays or self.hurts) and abs(self.ratio - 1) + self.error > GAIN


class Found(NamedTuple):
    """What a search came to; see ``Advice``."""

    verdict: str
    looks: tuple[Look, ...]
    best: Point | None
    worst: Point | None
    samples: int
    runs: int
    complete: bool


class Search:
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
        self.confirmed: set[_Place] = set()
        self.spent = 0.0
        pair = self._seconds([(3, min(4, len(self.batches) - 1))])
        self.work_s = min(_WORK_S + _PAIRS * pair, _MOST_WORK_S) if work_s is None else work_s

    def run(self) -> Found:
        """Take the four steps."""
        self.tell(0.0)
        self._look_coarsely()
        self._sharpen()
        complete = self._spread()
        ends = [at for sign in (1, -1) if (at := self._extreme(sign)) is not None]
        samples, runs = self._samples_to_confirm(ends)
        best, pays = self._confirm(1, samples, runs)
        worst, hurts = self._confirm(-1, samples, runs)
        self.tell(1.0)
        verdict = {(True, True): "mixed", (True, False): "pays", (False, True): "hurts"}.get((pays, hurts), "even")
        looks = tuple(sorted(self.looks.values()))
        return Found(verdict, looks, best, worst if hurts else None, samples, runs, complete)

    def _samples_to_confirm(self, ends: list[_Place]) -> tuple[int, int]:
        if not ends:
            return 0, 0
        most = _CONFIRM_SAMPLES * _CONFIRM_RUNS
        total = int(min((1 - _SPREAD) * self.work_s / self._seconds(ends), most))
        samples = max(min(total, _CONFIRM_SAMPLES), _FEWEST_RUNS)
        return samples, max(total // samples, 1)

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
            doubtful = [at for at, look in self.looks.items() if look.is_doubtful and look.runs < _MOST_SHARP_RUNS]
            doubtful.sort(key=lambda at: (self.looks[at].error - abs(self.looks[at].ratio - 1), at))
            self._look_within(_SHARPEN, [(at, min(4 * self.looks[at].runs, _MOST_SHARP_RUNS)) for at in doubtful])

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

    def _confirm(self, sign: int, samples: int, runs: int) -> tuple[Point | None, bool]:
        """Run the place that seems to gain (1) or lose (-1) most again, or the next; tell whether it clearly does."""
        point = None
        again = replace(self.contest, samples=samples, runs=runs, seed=self.contest.seed + 1)
        for tried in range(_MOST_TRIES):
            at = self._extreme(sign)
            if at is None or (tried >= _TRIES and not self.looks[at].clearly(sign)):
                break
            grid = self._grid(at)
            found = dict(self._collect(again.setups(grid), samples, runs, self._seconds([at]) * samples * runs))
            # From now on independent runs tell of this place, not those that made it look best.
            self._note(at, found[0][:, _TIME], found[1][:, _TIME], samples * runs)
            self.confirmed.add(at)
            judged = again.judge(grid, dict(zip(again.names, (found[0], found[1]), strict=True)))
            point = Point(self.interarrivals[at[0]], self.batches[at[1]], *judged)
            if self.looks[at].clearly(sign):
                return point, True
        return point, False

    def _extreme(self, sign: int) -> _Place | None:
        """Return the place that seems to gain (1) or lose (-1) most, of those that clearly do if there are any."""
        open_looks = {at: look for at, look in self.looks.items() if at not in self.confirmed and look.is_likely}
        clear = [at for at, look in open_looks.items() if look.clearly(sign)]
        likely = [at for at, look in open_looks.items() if (1 - look.ratio) * sign > 0]
        return min(
            clear or likely, key=lambda at: (sign * open_looks[at].ratio + open_looks[at].error, at), default=None
        )


def _ratio_and_error(mine: Float64, theirs: Float64) -> tuple[float, float]:
    """Return the ratio of the means of matched runs and its standard error, both infinite where runs did not end."""
    if not (np.isfinite(mine).all() and np.isfinite(theirs).all() and theirs.any()):
        return math.inf, math.inf
    ratio = math.fsum(mine) / math.fsum(theirs)
    squares = math.fsum(((mine - ratio * theirs) ** 2).tolist())
    return ratio, math.sqrt(squares / (len(mine) * max(len(mine) - 1, 1))) / (math.fsum(theirs) / len(theirs))
