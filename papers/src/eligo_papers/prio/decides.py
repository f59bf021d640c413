"""What decides for which batches prioritising pays most: the workflows of paper 002 with one feature changed.

The paper prints a mean batch size for each workflow at which PRIO gains most, and says of the dags little more than
their sizes. Each *case* here is a dag that fits what is said, simulated as the others are, on fewer grids.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from eligo.simulation._grid_sweep import BATCHES
from eligo.simulation._ratios import Estimate
from eligo_papers.chapter import Section, Settings, Step, Table
from eligo_papers.prio.grid import SEED, THEIRS, Point, points_of, power, seconds_at, simulate_points
from eligo_papers.prio.orders import compare_orders
from eligo_papers.prio.workflows import Source, Workflow

__all__ = ["PAIR", "Case", "Decided", "best_at", "best_in_all", "case_steps", "cases", "decided", "decides_section"]

PAIR = f"{THEIRS}/fifo"
LEAST = 0.1
"""From this time between batches on the paper sees advantages."""

_TIMES = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0)
_OFTEN = 1e-2
_LEVELS = (11, 8, 5)
_AS_GENERATED = "as generated"


@dataclass(frozen=True, slots=True)
class Case:
    """A workflow with one feature changed.

    Attributes
    ----------
    workflow
        Which workflow it stands for.
    name, title
        For steps, and for readers.
    samples, runs
        p and q.
    sd
        By how much the times of jobs vary.
    """

    workflow: Workflow
    name: str
    title: str
    source: Source
    samples: int
    runs: int
    sd: float = 0.1


def cases(workflows: Sequence[Workflow], settings: Settings) -> list[Case]:
    """Return the cases of all generated workflows.

    Examples
    --------
    >>> from eligo_papers.prio.workflows import generated
    >>> settings = Settings("quick")
    >>> [case.name for case in cases(generated(settings), settings)][:4]
    ['airsn-11', 'airsn-8', 'airsn-5', 'inspiral-0']
    """
    by_name = {one.name: one for one in workflows}
    quick = {"airsn": (40, 10), "inspiral": (40, 6), "montage": (40, 3), "sdss": (40, 4)}
    full = {"airsn": (300, 50), "inspiral": (300, 20), "montage": (300, 10), "sdss": (300, 5)}
    found = []
    for of, name, title, source in _sources({one.name: one.source for one in workflows}, settings):
        samples, runs = settings.pick(tiny=(12, 2), quick=quick[of], full=full[of])
        even = name == "sdss-even"
        found.append(Case(by_name[of], name, title, source, samples, 1 if even else runs, 0.0 if even else 0.1))
    return found


def _sources(bases: Mapping[str, Source], settings: Settings) -> Iterator[tuple[str, str, str, Source]]:
    """Yield for each case the workflow, its own name, its title and its source."""

    def variant(kind: str, **arguments: Any) -> Source:
        return {"variant": kind, "arguments": arguments}

    width = bases["airsn"]["arguments"]["width"]
    for levels in _LEVELS:
        source = variant("airsn-with-levels", width=width, levels=levels)
        yield "airsn", f"airsn-{levels}", f"a handle of {levels} levels", source
    for share, title in ((0, "all groups stand alone"), (1, "all groups hang together")):
        source = variant("inspiral-tied", jobs=bases["inspiral"]["arguments"]["jobs"], share=share)
        yield "inspiral", f"inspiral-{share}", title, source
    plates = settings.pick(tiny=3, quick=6, full=6)
    source = variant("montage-in-plates", jobs=bases["montage"]["arguments"]["jobs"], plates=plates)
    yield "montage", "montage-plates", f"{plates} plates, each with its own background model, then added", source
    for of in ("montage", "sdss"):
        source = variant("shuffled", of=bases[of], seed=1)
        yield of, f"{of}-shuffled", "jobs in random order in the file", source
    yield "sdss", "sdss-even", "jobs that all take equally long", bases["sdss"]


_WINDOW = {"airsn": (0, 10), "inspiral": (2, 13), "montage": (2, 13), "sdss": (8, 16)}
"""Between which powers of two the best batch is sought, where batches do not come all the time."""


def case_steps(some: Sequence[Case]) -> list[Step]:
    """Return the steps that order and simulate the cases."""
    sources = {case.name: case.source for case in some}
    steps = [Step("order variants", compare_orders, {"sources": sources, "curves": False}, weight=3.0)]
    for case in some:
        low, high = _WINDOW[case.workflow.name]
        for often in (True, False):
            times = [time for time in _TIMES if (time <= _OFTEN) == often]
            batches = list(BATCHES[:9] if often else BATCHES[low : high + 1])
            arguments = {
                "source": case.source,
                "orders": [THEIRS],
                "interarrivals": times,
                "batches": batches,
                "samples": case.samples,
                "runs": case.runs,
                "seed": SEED,
                "sd": case.sd,
            }
            a_run_s = sum(seconds_at(case.workflow, time) for time in times)
            weight = 0.6 + 2 * case.samples * case.runs * a_run_s * len(batches)
            steps.append(Step(_step_name(case, often), simulate_points, arguments, weight=weight))
    return steps


def _step_name(case: Case, often: bool) -> str:
    return f"simulate variant {case.name}{', often' if often else ''}"


class Best(NamedTuple):
    """A batch size, and the ratio that is reached with it."""

    batch: float
    told: Estimate

    def __str__(self) -> str:
        """Return both as text, or that nothing is gained."""
        return f"{power(2, self.batch)} ({self.told})" if self.told.is_below else "no clear gain"


def best_at(points: Sequence[Point], interarrival: float, pair: str = PAIR) -> Best:
    """Return the batch size with the smallest ratio of execution times at one interarrival."""
    there = [point for point in points if point.interarrival == interarrival]
    best = min(there, key=lambda point: point.estimates[pair].ratio)
    return Best(best.batch, best.estimates[pair])


def best_in_all(points: Sequence[Point], pair: str = PAIR) -> Best:
    """Return the batch size with the smallest geometric mean of ratios over all interarrivals from 0.1 on.

    Examples
    --------
    >>> def point(time, batch, ratio):
    ...     return Point(time, batch, {}, {"a/b": Estimate(ratio, 0.01, 50)})
    >>> some = [point(time, batch, 0.9 / batch**0.1) for time in (1.0, 10.0) for batch in (1.0, 2.0)]
    >>> print(best_in_all([point(0.01, 1.0, 0.1), *some], "a/b"))
    2^1 (0.840 ± 0.007)
    """
    by_batch: dict[float, list[Estimate]] = {}
    for point in points:
        if point.interarrival >= LEAST:
            by_batch.setdefault(point.batch, []).append(point.estimates[pair])
    means = {batch: _mean(told) for batch, told in by_batch.items()}
    best = min(means, key=lambda batch: means[batch].ratio)
    return Best(best, means[best])


def _mean(told: Sequence[Estimate]) -> Estimate:
    """Return the geometric mean of ratios; its error by that of independent logarithms."""
    mean = math.exp(sum(math.log(one.ratio) for one in told) / len(told))
    error = mean * math.sqrt(sum((one.error / one.ratio) ** 2 for one in told)) / len(told)
    return Estimate(mean, error, min(one.samples for one in told))


@dataclass(frozen=True, slots=True)
class Decided:
    """What came out for one case."""

    case: Case
    points: Sequence[Point]
    facts: Mapping[str, Any]

    def at(self, interarrival: float, batch: float) -> Estimate:
        """Return the ratio on one grid."""
        return next(
            point.estimates[PAIR] for point in self.points if (point.interarrival, point.batch) == (interarrival, batch)
        )


def decided(found: Mapping[str, Any], some: Sequence[Case], grids: Mapping[str, Sequence[Point]]) -> dict[str, Decided]:
    """Return what came out, by the names of the cases; before those of a workflow it as it is generated.

    Parameters
    ----------
    grids
        What came out for the workflows as they are generated, by their names.
    """
    results: dict[str, Decided] = {}
    for case in some:
        of = case.workflow
        if of.name not in results:
            as_it_is = Case(of, of.name, _AS_GENERATED, of.source, of.samples, of.runs)
            points = [point for point in grids[of.name] if point.interarrival in _TIMES]
            results[of.name] = Decided(as_it_is, points, found[f"order {of.name}"][of.name])
        records = [one for often in (True, False) for one in found[_step_name(case, often)]]
        results[case.name] = Decided(case, points_of(records, case.samples), found["order variants"][case.name])
    return results


_ABOUT = (
    "The paper prints for each workflow the mean batch size at which PRIO gains most, and little of the dags. Here one "
    "feature of each is changed, of which the paper says nothing or little. All ratios are of mean execution times, "
    "`prio-2006` over `fifo`, ± the standard error, with the same workers for both.\n\n"
    "Not all of these dags fit all that is printed. Where all groups of Inspiral stand alone, all its components are "
    "bipartite (printed: one of over 1,000 jobs is not). Where they all hang together, {tied:.0f} % of its jobs are in "
    "bipartite components only (printed of all four dags: *almost exclusively*). And the paper's jobs do not take "
    "equally long."
)
_WHY = """\
What the table shows:

* **All.** Where batches come more often than jobs end, several of them meet the same ELIGIBLE jobs: what counts is the
number of workers in the time of a job. So the best batch shrinks with the time between batches as soon as that is
below the time of a job, and stays where it is above.

* **AIRSN.** FIFO runs the fringes before the handle; PRIO runs both at a time, and saves the shorter of the two times.
That is most where both take equally long: where a batch is about the width divided by the levels of the handle. The
number of jobs in the handle, and with it the priority 753, says nothing of its levels.

* **Inspiral.** FIFO finishes all first stages before it begins a second one, and starves in between: there are then as
few jobs ELIGIBLE as there are groups. PRIO avoids that where all groups hang together in one component. Groups that
stand alone it runs to their end one after the other, and starves at the end of the workflow instead.

* **Montage.** In one mosaic every execution passes through the one background model, and before and behind it there is
hardly anything to gain. Where parts of the mosaic have background models of their own, those of some are computed
while images of others wait, and PRIO gains: the best batch is then {plates_best}, near the printed 2^7. Plates also fit
the words better: of a bipartite component whose sources have a few to about ten children *over 1,000 jobs* are printed.
One mosaic has {one_mosaic:,} in it, a plate {plate:,}.

* **SDSS.** In the file fields stand along their stripe, so that FIFO as an order is as good as any. But jobs take
different times: FIFO takes children in the order in which parents happen to end, neighbours are torn apart, and at the
next stage a search waits for the last of its fields. That is what PRIO gains here, with batches of thousands; if all
jobs take equally long, nothing. If fields stand in the file at random, FIFO has fewer jobs ELIGIBLE from the beginning,
and PRIO gains also where small batches come very often, as is printed of SDSS.
"""


def decides_section(results: Mapping[str, Decided]) -> Section:
    """Return the tables of cases, and what they show."""
    header = ["workflow", "variant", "AREA of PRIO / FIFO", "largest component"]
    header += [f"best every {power(10, time)}" for time in _TIMES]
    rows = []
    for one in results.values():
        area = one.facts["orders"][THEIRS]["area"] / one.facts["fifo"]
        row = [one.case.workflow.title, one.case.title, f"{area:.3f}", _component(one.facts)]
        rows.append([*row, *(str(best_at(one.points, time)) for time in _TIMES), str(best_in_all(one.points))])
    note = (
        "*Best*: the batch size with the smallest ratio, and that ratio; *no clear gain* where chance may explain it. "
        "*Largest component*: forks and joins left out."
    )
    header.append(f"best from {power(10, LEAST)} on")
    table = Table("variants", "Variants of the workflows, and the best batch sizes of each", header, rows, note)
    return Section("What decides the best batch", [_about(results), table, _why(results), _handles(results)])


def _about(results: Mapping[str, Decided]) -> str:
    tied = results["inspiral-1"].facts
    return _ABOUT.format(tied=100 * tied["blocks"]["within"] / tied["jobs"])


def _why(results: Mapping[str, Decided]) -> str:
    one_mosaic, plates = results["montage"], results["montage-plates"]
    return _WHY.format(
        plates_best=best_in_all(plates.points),
        one_mosaic=one_mosaic.facts["blocks"]["bipartite"][0],
        plate=plates.facts["blocks"]["bipartite"][0],
    )


def _component(facts: Mapping[str, Any]) -> str:
    size, other = facts["blocks"]["bipartite"][0], facts["blocks"]["other"]
    if not (size or other):
        return "forks and joins only"
    return f"{other:,} jobs, not bipartite" if other > size else f"{size:,} jobs, bipartite"


def _handles(results: Mapping[str, Decided]) -> Table:
    """Return what the handle of AIRSN does to everything that is printed of it."""
    grids = ((1.0, 16.0), (0.01, 1.0), (0.1, 1.0), (1.0, 1.0), (10.0, 1.0))
    names = [f"ratio at ({power(10, time)}, {power(2, batch)})" for time, batch in grids]
    header = ["handle", "priority of its last job", *names, f"best from {power(10, LEAST)} on"]
    rows = [["printed", "753", "below 0.85", *["close to 1"] * 4, "about 2^5"]]
    for one in results.values():
        if one.case.workflow.name == "airsn":
            told = [str(one.at(*grid)) for grid in grids]
            title = "a chain" if one.case.title == _AS_GENERATED else one.case.title
            rows.append([title, f"{one.facts['bottleneck']}", *told, str(best_in_all(one.points))])
    note = (
        "All have 21 jobs. The shape is not printed; from 10^-1 on handles of fewer levels come nearer to what is, at "
        "10^-2 they do not."
    )
    return Table("handles", "AIRSN: handles of 21 jobs beside what is printed", header, rows, note)
