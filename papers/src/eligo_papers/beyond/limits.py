"""Our limits beside those of 004, on the same graphs and bounds; then limits and orders together, on a grid.

``auto`` takes the shortest critical path of several methods, 004's among them, so it cannot be longer than these; the
tables tell by how much it is shorter. Makespans on a few processors, and times on a grid, are not what it minimises:
the tables tell how often they are longer, and by how much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import holds
from eligo_papers.memory.graphs import SETS, Reference
from eligo_papers.memory.grid import GRIDS, compare_on_grids
from eligo_papers.memory.pieces import PLOTTED, graphs_of, limit_steps, records_of
from eligo_papers.memory.runs import OURS, PROCESSORS, THEIRS
from eligo_papers.memory.statistics import Measure, Record, bounds_in, failures, live, measure_of, quartiles, ratios
from eligo_papers.memory.tables import median_table
from eligo_papers.plots.box_plots import plot_boxes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["sections", "steps"]

Records = Mapping[str, Sequence[Record]]
_ROUNDING = 1e-9
_SHOWN = ("auto", "schedule", "min-levels", "respect-order")
_WORST = 12  # cases that are listed one by one
_SEED = 4


def steps(settings: Settings) -> Sequence[Step]:
    """Return the steps: those of the chapter on 004 that are on limits, and the simulations."""
    return [*limit_steps(settings), *_grid_steps(settings)]


def _grid_steps(settings: Settings) -> list[Step]:
    effort = {
        "bounds": settings.pick(tiny=[0.5], quick=[0.0, 0.2, 0.5], full=[0.0, 0.2, 0.5, 0.8]),
        "samples": settings.pick(tiny=10, quick=40, full=100),
        "runs": settings.pick(tiny=2, quick=10, full=50),
        "seed": _SEED,
    }
    weight = settings.pick(tiny=0.1, quick=0.4, full=8)
    return [
        Step(name, compare_on_grids, {"graphs": list(part), **effort}, weight * len(part))
        for name, part in _grid_parts(settings).items()
    ]


def _grid_parts(settings: Settings) -> dict[str, Sequence[Reference]]:
    """Return the graphs of each step, by its name."""
    graphs = graphs_of(settings)
    large = settings.pick(tiny=20, quick=27, full=6)
    return {
        f"grids on {name}, part {1 + first // large}": graphs[name][first : first + large]
        for name in SETS
        for first in range(0, len(graphs[name]), large)
    }


def sections(found: Mapping[str, Any], settings: Settings) -> tuple[list[Section], list[Check]]:
    """Return what is shown of limits, and what is checked."""
    records, _ = records_of(found, settings)
    grids: dict[str, list[Mapping[str, Any]]] = {name: [] for name in SETS}
    for step in _grid_parts(settings):
        grids[step.removeprefix("grids on ").partition(", part ")[0]] += found[step]
    paths, path_checks = _path_section(records)
    spans, span_checks = _span_section(records)
    together, grid_checks = _grid_section(grids)
    return [paths, spans, together], [*path_checks, *span_checks, *grid_checks]


# ---- critical paths


def _cases(records: Sequence[Record]) -> list[Mapping[str, Any]]:
    """Return what the methods came to in each case below the largest bound, at which nothing is to be done."""
    return [bound["methods"] for record in live(records) for bound in record["bounds"] if bound["at"] < 1]


def _gains(records: Sequence[Record], ours: str, theirs: Sequence[str], place: int) -> list[float]:
    """Return in each case where any of their methods succeeded, ours over the best of them."""
    found = []
    for methods in _cases(records):
        others = [methods[method][place] for method in theirs if methods[method] is not None]
        if methods[ours] is not None and others:
            found.append(methods[ours][place] / min(others))
    return found


def _path_section(records: Records) -> tuple[Section, list[Check]]:
    everything = [record for some in records.values() for record in some]
    rows = []
    for name, some in records.items():
        for ours in OURS:
            rows.append([name, ours, *_gain_cells(_gains(some, ours, THEIRS, 0), longer=ours != "auto")])
    header = ["set", "method", "cases", "shorter", "longer", "median", "mean", "best", "worst"]
    note = "Over the best of 004's four in the same case; shorter and longer count cases, the rest are equal."
    table = Table("limit-paths", "Critical path over that of the best of 004's four heuristics", header, rows, note)
    gains = _gains(everything, "auto", THEIRS, 0)
    never = [sum(gain <= 1 + _ROUNDING for gain in gains), len(gains)]
    failed = {
        method: sum(failures(some, method)[at] for some in records.values() for at in bounds_in(some))
        for method in OURS
    }
    shorter = sum(gain < 1 - _ROUNDING for gain in gains)
    alone = _gains(everything, "schedule", THEIRS, 0)
    longer = sum(gain > 1 + _ROUNDING for gain in alone)
    text = (
        "`auto` takes the shortest critical path of several methods: our `schedule`, which reads dependencies off "
        f"parallel schedules within the bound, and 004's four. It can thus not be longer than these; in {shorter:,} "
        f"of {len(gains):,} cases below the largest bound it is shorter. `schedule` by itself, which makes its "
        f"schedules from one order only, is longer than the best of the four in {longer:,} cases. Neither of ours "
        "fails, as long as any order within the bound is known."
    )
    checks = [
        holds("Limits", "cases in which the critical path of auto is at most that of the best of 004's four", never),
        check("Limits", "failures of auto and of schedule", [0, 0], [failed[method] for method in OURS]),
    ]
    pictures = [
        Picture(
            f"limit-paths-{name.replace(' ', '-').lower()}",
            f"{name}: critical paths over those without a bound; ours beside 004's two best.",
            _Boxes(records[name], name),
        )
        for name in SETS
    ]
    medians = median_table(records, OURS, None, "Critical path of ours, median (quartiles)", "limit-path-medians")
    return Section("Limits: critical paths", [text, table, *pictures, medians]), checks


def _gain_cells(gains: Sequence[float], *, longer: bool = True) -> list[str]:
    """Return counts and a summary of quotients: how many below and above 1, median, mean, smallest and largest."""
    if not gains:
        return ["0", *["–"] * 6]
    return [
        f"{len(gains):,}",
        f"{sum(gain < 1 - _ROUNDING for gain in gains):,}",
        f"{sum(gain > 1 + _ROUNDING for gain in gains):,}" if longer else "0",
        f"{quartiles(gains)[1]:.3f}",
        f"{sum(gains) / len(gains):.3f}",
        f"{min(gains):.3f}",
        f"{max(gains):.3f}",
    ]


class _Boxes:
    """Box plots of critical paths, drawn when they are asked for."""

    def __init__(self, records: Sequence[Record], name: str) -> None:
        self.records, self.name = records, name

    def __call__(self) -> Figure:
        path: Measure = measure_of(None)
        bounds = [at for at in bounds_in(self.records) if at in PLOTTED and at < 1]
        values = {method: {f"{at:g}": ratios(self.records, method, at, path) for at in bounds} for method in _SHOWN}
        finite = [one for of in values.values() for some in of.values() for one in some if math.isfinite(one)]
        return plot_boxes(
            values,
            across="memory bound (0: depth-first order, 1: worst peak)",
            up="critical path / without a bound",
            log=bool(finite) and max(finite) > 4 * min(finite),
            title=self.name,
        )


# ---- makespans


def _span_section(records: Records) -> tuple[Section, list[Check]]:
    rows = []
    for name, some in records.items():
        for place, many in enumerate(PROCESSORS, start=1):
            for other in ("min-levels", "respect-order"):
                rows.append([name, str(many), other, *_gain_cells(_gains(some, "auto", (other,), place))])
    header = ["set", "processors", "against", "cases", "shorter", "longer", "median", "mean", "best", "worst"]
    note = "Cases in which the other method succeeded. List scheduling by bottom level."
    table = Table("limit-makespans", "Makespan with the edges of auto over that with those of 004", header, rows, note)
    everything = [record for some in records.values() for record in some]
    told = []
    for place, many in enumerate(PROCESSORS, start=1):
        gains = _gains(everything, "auto", ("min-levels",), place)
        late = [gain for gain in gains if gain > 1 + _ROUNDING]
        worst = f", at worst by {100 * (max(late) - 1):.1f} %" if late else ""
        middle = f", in the middle of these by {100 * (quartiles(late)[1] - 1):.2f} %" if late else ""
        told.append(
            f"On {many} processors the makespan with the edges of `auto` is longer than with those of min-levels in "
            f"{len(late):,} of {len(gains):,} cases{middle}{worst}; over all cases it is "
            f"{sum(gains) / len(gains):.4f} of it on average."
        )
    text = (
        "A short critical path is not a short makespan: on a few processors what is lost or gained is how list "
        "scheduling "
        "happens to go. Nothing here holds by construction. " + " ".join(told)
    )
    return Section("Limits: makespans", [text, table]), []


# ---- limits and orders together


def _grid_section(grids: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[Section, list[Check]]:
    cases = [case for some in grids.values() for case in some]
    area = [sum(case["areas"][0] >= case["areas"][1] for case in cases), len(cases)]
    peaks = [sum(grid["peak"] <= case["limit"] for case in cases for grid in case["grids"]), len(cases) * len(GRIDS)]
    checks = [
        holds("Limits and orders", "dags within a limit on which the AREA of best is at least that of fifo", area),
        holds("Limits and orders", "dags and grids on which no simulated run exceeds the limit", peaks),
    ]
    slower = sum(grid["ratios"]["ours/theirs"][3] for case in cases for grid in case["grids"])
    faster = sum(grid["ratios"]["ours/theirs"][2] for case in cases for grid in case["grids"])
    text = (
        "A workflow within a limit, on workers that come when they like (the grid of 002, jobs with their own times): "
        "with the dependencies of `auto` and the order `best` (ours), with the same dependencies first in, first out "
        "(fifo), and as 004 would have it, first in, first out (theirs: min-levels, or respect-order where that "
        "fails). All three meet the same workers and the same times. The AREA of `best` is never below that of fifo, "
        f"by construction; times are another matter. Ours is clearly faster than theirs on {faster:,} of {peaks[1]:,} "
        f"workflows, bounds and grids, and clearly slower on {slower:,}. *Clearly* is more than four standard errors. "
        "The memory of every run was followed."
    )
    parts: list[str | Table | Picture] = [text, _ratio_table(grids), _parts_table(grids)]
    if slower:
        parts.append(_slower_table(grids))
    return Section("Limits and orders together", parts), checks


def _ratio_table(grids: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    rows = []
    for name, some in grids.items():
        for place, (gap, batch) in enumerate(GRIDS):
            found = [case["grids"][place]["ratios"]["ours/theirs"] for case in some]
            rows.append([name, f"{gap:g}", f"{batch:g}", *_time_cells(found)])
    header = ["set", "between batches", "batch", "cases", "clearly faster", "clearly slower", "median", "best", "worst"]
    note = (
        "Time between batches in mean job times, batches in workers, both means. Best and worst with standard errors."
    )
    return Table("limit-grids", "Execution time of ours over that of theirs", header, rows, note)


def _time_cells(found: Sequence[Sequence[Any]]) -> list[str]:
    """Return counts and a summary of ratios ``[ratio, error, clearly below, clearly above]``."""
    if not found:
        return ["0", *["–"] * 5]
    ends = [min(found, key=lambda one: one[0]), max(found, key=lambda one: one[0])]
    return [
        f"{len(found):,}",
        f"{sum(one[2] for one in found):,}",
        f"{sum(one[3] for one in found):,}",
        f"{quartiles(one[0] for one in found)[1]:.3f}",
        *(f"{one[0]:.3f} ± {one[1]:.3f}" for one in ends),
    ]


def _parts_table(grids: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Return what the order and what the dependencies do, over all grids."""
    rows = []
    for name, some in grids.items():
        for way, told in (
            ("ours/fifo", "the order, same dependencies"),
            ("fifo/theirs", "the dependencies, both fifo"),
        ):
            found = [grid["ratios"][way] for case in some for grid in case["grids"]]
            rows.append([name, told, *_time_cells(found)])
        areas = [case["areas"][0] / case["areas"][1] for case in some if case["areas"][1]]
        if areas:
            middle = f"{quartiles(areas)[1]:.3f}"
            more = f"{sum(area > 1 for area in areas):,}"
            rows.append(
                [
                    name,
                    "AREA of best over fifo",
                    f"{len(areas):,}",
                    more,
                    "0",
                    middle,
                    f"{max(areas):.3f}",
                    f"{min(areas):.3f}",
                ]
            )
    header = ["set", "what", "cases", "clearly better", "clearly worse", "median", "best", "worst"]
    return Table("limit-parts", "What the order does and what the dependencies do, all grids", header, rows)


def _slower_table(grids: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Return the cases that are clearly slower, the worst first."""
    late = [
        (*grid["ratios"]["ours/theirs"][:2], name, case, sort, grid["ratios"])
        for name, some in grids.items()
        for case in some
        for sort, grid in zip(GRIDS, case["grids"], strict=True)
        if grid["ratios"]["ours/theirs"][3]
    ]
    late.sort(key=lambda one: -one[0])
    rows = [
        [
            f"{name} {case['graph'][1]}",
            f"{case['at']:g}",
            f"{sort[0]:g}, {sort[1]:g}",
            f"{ratio:.3f} ± {error:.3f}",
            f"{of['ours/fifo'][0]:.3f}",
            f"{of['fifo/theirs'][0]:.3f}",
            f"{case['paths'][0] / case['paths'][1]:.3f}",
        ]
        for ratio, error, name, case, sort, of in late[:_WORST]
    ]
    shown = f"the worst {len(rows)} of {len(late)}" if len(late) > len(rows) else f"all {len(late)}"
    header = ["graph", "bound", "grid", "ours / theirs", "by the order", "by the dependencies", "critical paths"]
    return Table("limit-slower", f"Where ours is clearly slower: {shown}", header, rows)
