"""What 004 says of its figures: which method is ahead of which, and how paths and makespans go together.

A method is *not behind* at a bound if its median is not above those of the others by more than 2 %, and *ahead* if it
is below them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from eligo_papers.chapter import AGREES, DIFFERS, UNEXPLAINED, Check, Settings
from eligo_papers.claims import Tally, holds
from eligo_papers.memory.checks import unless_tiny
from eligo_papers.memory.graphs import DAGGEN, SETS
from eligo_papers.memory.runs import THEIRS
from eligo_papers.memory.statistics import Record, bounds_in, failures, live, measure_of, medians, quartiles

__all__ = ["figure_checks"]

Records = Mapping[str, Sequence[Record]]
_SLACK = 1.02  # medians that differ by less are taken for equal
_LARGE, _CLOSE = 0.5, 1.05
_SIZES = THEIRS[2:]
_NOT_BEHIND = "not behind (by more than 2 %)"
_PARALLEL = (
    "where a bound leaves more parallelism than 5 processors use, all makespans are about equal, and at large bounds "
    "those of max-size are even a little shorter than without a bound"
)


def figure_checks(records: Records, settings: Settings) -> list[Check]:
    """Return the checks of what is said of Fig. 5 to 18."""
    return [
        *_daggen_checks(records, settings),
        *_workflow_checks(records, settings),
        *_shape_checks(records, settings),
    ]


def _ahead(
    records: Sequence[Record], first: str, others: Sequence[str], processors: int | None, bounds: Sequence[float]
) -> list[int]:
    """Return at how many bounds the median of one method is not above those of others, and how many there are."""
    measure = measure_of(processors)
    mine, theirs = medians(records, first, measure), [medians(records, other, measure) for other in others]
    return [sum(all(mine[at] <= other[at] * _SLACK for other in theirs) for at in bounds), len(bounds)]


def _below_one(records: Sequence[Record], from_bound: float = 0.0) -> list[float]:
    return [at for at in bounds_in(records) if from_bound <= at < 1]


def _daggen_checks(records: Records, settings: Settings) -> list[Check]:
    checks = []
    few = unless_tiny(settings)
    for name, figure in (("DAGGEN sparse", "5 and 7"), ("DAGGEN dense", "6 and 8")):
        some = records[name]
        bounds = _below_one(some)
        for processors, measure in ((None, "critical path"), (2, "makespan on 2 processors")):
            best = _ahead(some, "min-levels", THEIRS[1:], processors, bounds)
            then = _ahead(some, "respect-order", _SIZES, processors, bounds)
            strict, why = _strictly_ahead(some, processors)
            what = f"{name}, {measure}: bounds at which"
            for order, count, because in (
                (f"min-levels is {_NOT_BEHIND} the others", best, few),
                ("min-levels is ahead of respect-order", strict, unless_tiny(settings, why)),
                (f"respect-order is {_NOT_BEHIND} the last two", then, few),
            ):
                checks.append(holds(f"Fig. {figure}", f"{what} {order}", count, because=because))
    return checks


def _strictly_ahead(records: Sequence[Record], processors: int | None) -> tuple[list[int], str]:
    """Return at how many bounds the median of MinLevels is below that of RespectOrder, and what it is at the others."""
    measure, bounds = measure_of(processors), _below_one(records)
    mine, theirs = (medians(records, method, measure) for method in THEIRS[:2])
    ahead, behind = sum(mine[at] < theirs[at] for at in bounds), sum(mine[at] > theirs[at] for at in bounds)
    equal = [at for at in bounds if mine[at] == theirs[at]]
    alike = f"at {len(equal)} their medians are equal"
    if equal and all(mine[at] == 1 for at in equal):
        alike += ", both as without a bound: on half of the graphs neither has to make anything longer"
    return [ahead, len(bounds)], f"{alike}; at {behind} that of respect-order is below"


def _workflow_checks(records: Records, settings: Settings) -> list[Check]:
    checks: list[Check] = []

    def add(figure: int, what: str, count: list[int], why: str = "") -> None:
        checks.append(holds(f"Fig. {figure}", what, count, because=unless_tiny(settings, why)))

    ligo, genome, montage = (records[name] for name in ("LIGO", "GENOME", "MONTAGE"))
    total, cases = len(live(ligo)), len(live(genome)) * len(bounds_in(genome))
    ties = "which of equally good pairs is taken decides whether it fails: see the table of ties"
    add(10, "LIGO: graphs on which min-levels fails at the smallest bound", [failures(ligo, "min-levels")[0.0], total])
    what = f"LIGO: bounds from 0.1 on at which min-levels is {_NOT_BEHIND} all others"
    add(10, what, _ahead_from(ligo, "min-levels", 0.1), ties)
    for name, some, figure in (("LIGO", ligo, 10), ("GENOME", genome, 13)):
        what = f"{name}: bounds at which respect-order is {_NOT_BEHIND} the last two"
        add(figure, what, _ahead_of_sizes(some, "respect-order"))
    what = "LIGO: bounds from 0.1 on at which max-size and max-min-size are at least twice as long as respect-order"
    add(10, what, _ahead_of_sizes(ligo, "respect-order", 2))
    add(13, "GENOME: cases in which min-levels succeeds", [cases - sum(failures(genome, "min-levels").values()), cases])
    what = f"GENOME: bounds at which min-levels is {_NOT_BEHIND} all others"
    add(13, what, _ahead_from(genome, "min-levels"), _near_leader(records))
    room = "at the smallest bound it fails on most graphs, for which see Table 1"
    for method, why in (("min-levels", room), ("respect-order", "")):
        what = f"MONTAGE: bounds at which {method} is {_NOT_BEHIND} the last two"
        add(16, what, _ahead_of_sizes(montage, method), why)
    what = f"MONTAGE, a trend similar to LIGO: bounds at which min-levels is {_NOT_BEHIND} respect-order"
    add(16, what, _ahead(montage, "min-levels", ["respect-order"], None, _below_one(montage)), _montage_trend(records))
    for name, some, figure in (("LIGO", ligo, 11), ("GENOME", genome, 14), ("MONTAGE", montage, 17)):
        for method in THEIRS[:2]:
            what = f"{name}, makespans on 5 processors, where most graphs succeed: bounds at which {method} is"
            bounds = _succeeding(some, method)
            add(figure, f"{what} {_NOT_BEHIND} the last two", _ahead(some, method, _SIZES, 5, bounds), _PARALLEL)
    return checks


def _succeeding(records: Sequence[Record], method: str) -> list[float]:
    """Return the bounds below 1 at which a method succeeds on more than half of the graphs."""
    middle = medians(records, method, measure_of(None))
    return [at for at in _below_one(records) if math.isfinite(middle[at])]


def _montage_trend(records: Records) -> str:
    own = records.get("MONTAGE, own", ())
    good, total = _ahead(own, "min-levels", ["respect-order"], None, _below_one(own)) if own else (0, 0)
    seen = f"; so too on the papers' own graphs, {len(own)} of them: at {good} of {total} bounds" if own else ""
    return f"a depth-first order fits MONTAGE, whose jobs all lead to one join{seen}"


def _ahead_from(records: Sequence[Record], method: str, from_bound: float = 0.0) -> list[int]:
    others = [other for other in THEIRS if other != method]
    return _ahead(records, method, others, None, _below_one(records, from_bound))


def _ahead_of_sizes(records: Sequence[Record], method: str, times: float = 1.0) -> list[int]:
    """Return at how many bounds a method is so many times shorter than MaxSize and MaxMinSize, in the median."""
    path = measure_of(None)
    bounds = _below_one(records, 0.1 if times > 1 else 0.0)
    mine, theirs = medians(records, method, path), [medians(records, other, path) for other in _SIZES]
    slack = _SLACK if times == 1 else 1.0
    return [sum(all(times * mine[at] <= other[at] * slack for other in theirs) for at in bounds), len(bounds)]


def _near_leader(records: Records) -> str:
    path = measure_of(None)
    mine, other = (medians(records["GENOME"], method, path) for method in THEIRS[:2])
    late = {at: mine[at] / other[at] for at in _below_one(records["GENOME"]) if mine[at] > other[at] * _SLACK}
    listed = " and ".join(f"by {100 * (share - 1):.0f} % at {at:g}" for at, share in late.items())
    own = records.get("GENOME, own", ())
    good, total = _ahead(own, "min-levels", THEIRS[1:], None, _below_one(own)) if own else (0, 0)
    seen = f"; on {len(own)} of the papers' own it is not behind at {good} of {total} bounds" if own else ""
    return f"respect-order is ahead {listed} on these graphs, other draws than those of 004{seen}"


def _shape_checks(records: Records, settings: Settings) -> list[Check]:
    """Return the checks of how paths and makespans go with bounds and with each other."""
    path = measure_of(None)
    monotone, sparse = Tally(), Tally()
    for name in SETS:
        for method in THEIRS:
            middle = [medians(records[name], method, path)[at] for at in bounds_in(records[name])]
            monotone.note("falls", all(after <= before * _SLACK for before, after in pairwise(middle)))
    for method in THEIRS:
        dense, thin = (medians(records[name], method, path) for name in DAGGEN)
        for at in _below_one(records["DAGGEN dense"]):
            sparse.note("more", dense[at] <= thin[at] * _SLACK)
    far, near = _parallelism(records["LIGO"])
    few = unless_tiny(settings)
    what = "LIGO: makespan over critical path"
    falling, longer = monotone.counts["falls"], sparse.counts["more"]
    return [
        holds("Fig. 5 to 18", "sets and methods whose median falls as the bound rises", falling, because=few),
        holds("Fig. 5, 6", "methods and bounds with longer paths on sparse than on dense graphs", longer, because=few),
        _said(f"{what}, where that is large: median", "very close to 1", far, few, agrees=far <= _CLOSE),
        _said(f"{what}, where that is small: largest", "several times", near, few, agrees=near >= 2),
    ]


def _said(what: str, printed: str, here: float, because: str, *, agrees: bool) -> Check:
    """Return the check of a statement in words."""
    verdict = AGREES if agrees else DIFFERS if because else UNEXPLAINED
    return Check("Fig. 12", what, printed, f"{here:.2f}", verdict, "" if agrees else because)


def _parallelism(records: Sequence[Record]) -> tuple[float, float]:
    """Return the median of makespan over path among the longer half of paths, and the largest ratio of all."""
    points = [
        (numbers[0], numbers[2] / numbers[0])
        for record in live(records)
        for bound in record["bounds"]
        for method in THEIRS
        if (numbers := bound["methods"][method]) is not None
    ]
    longest = max(path for path, _ in points)
    large = [share for path, share in points if path > _LARGE * longest]
    return quartiles(large)[1], max(share for _, share in points)
