"""Fig. 5 to 18 of 004: box plots of critical paths and makespans, and makespans against critical paths."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eligo_papers.chapter import Picture
from eligo_papers.memory.graphs import DAGGEN
from eligo_papers.memory.pieces import PLOTTED
from eligo_papers.memory.runs import THEIRS
from eligo_papers.memory.statistics import Record, bounds_in, live, measure_of, processors_of, ratios
from eligo_papers.plots.box_plots import plot_boxes
from eligo_papers.plots.scatter import plot_scatter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["makespan_pictures", "path_pictures", "scatter_pictures"]

Records = Mapping[str, Sequence[Record]]

_PATHS = {"DAGGEN sparse": 5, "DAGGEN dense": 6, "LIGO": 10, "GENOME": 13, "MONTAGE": 16}
_MAKESPANS = {"DAGGEN sparse": 7, "DAGGEN dense": 8, "LIGO": 11, "GENOME": 14, "MONTAGE": 17}
_CLOUDS = {"DAGGEN": 9, "LIGO": 12, "GENOME": 15, "MONTAGE": 18}
_WITH_PROGRAM = 6  # 004 leaves it out of Fig. 5
_ACROSS = "memory bound (0: depth-first order, 1: worst peak)"
_WIDE = 4.0  # from this on the upright axis is logarithmic


def path_pictures(records: Records, programs: Mapping[float, Sequence[float]]) -> list[Picture]:
    """Return the box plots of critical paths; Fig. 6 with those of the integer program, by bound."""
    pictures = []
    for name, number in _PATHS.items():
        caption = f"Fig. {number}: critical path of {name} with the edges of each method, over that without a bound."
        more: dict[str, dict[str, Sequence[float]]] = {}
        if number == _WITH_PROGRAM and programs:
            most = max(map(len, programs.values()))
            more = {f"ILP, {most} dags": {f"{at:g}": values for at, values in programs.items() if at in PLOTTED}}
            caption += f" The integer program ran on {most} of the dags, the smaller ones."
        pictures.append(Picture(f"figure-{number}", caption, _Boxes(records[name], name, None, more)))
    return pictures


def makespan_pictures(records: Records) -> list[Picture]:
    """Return the box plots of makespans."""
    return [
        Picture(
            f"figure-{number}",
            f"Fig. {number}: makespan of {name} on {processors_of(name)} processors, over that without a bound.",
            _Boxes(records[name], name, processors_of(name)),
        )
        for name, number in _MAKESPANS.items()
    ]


def scatter_pictures(records: Records) -> list[Picture]:
    """Return makespans against critical paths, both over the critical path without a bound."""
    return [
        Picture(
            f"figure-{number}",
            f"Fig. {number}: makespan against critical path, {name}, all bounds; on the dashed line both are equal.",
            _Cloud([record for part in (DAGGEN if name == "DAGGEN" else (name,)) for record in records[part]], name),
        )
        for name, number in _CLOUDS.items()
    ]


class _Boxes:
    """A box plot, drawn when it is asked for."""

    def __init__(
        self,
        records: Sequence[Record],
        name: str,
        processors: int | None,
        more: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    ) -> None:
        self.records, self.name, self.measure, self.more = records, name, measure_of(processors), more or {}

    def __call__(self) -> Figure:
        bounds = [at for at in bounds_in(self.records) if at in PLOTTED]
        values = {
            method: {f"{at:g}": ratios(self.records, method, at, self.measure) for at in bounds} for method in THEIRS
        } | dict(self.more)
        finite = [one for of in values.values() for some in of.values() for one in some if math.isfinite(one)]
        log = bool(finite) and max(finite) > _WIDE * min(finite)
        up = f"{self.measure.name} / without a bound"
        return plot_boxes(values, across=_ACROSS, up=up, log=log, title=self.name)


class _Cloud:
    """Makespans against critical paths, drawn when they are asked for."""

    def __init__(self, records: Sequence[Record], name: str) -> None:
        self.records, self.name = records, name

    def __call__(self) -> Figure:
        many = processors_of("DAGGEN dense" if self.name == "DAGGEN" else self.name)
        place = measure_of(many).place
        points = {
            method: [
                (numbers[0] / record["path"], numbers[place] / record["path"])
                for record in live(self.records)
                for bound in record["bounds"]
                if (numbers := bound["methods"][method]) is not None
            ]
            for method in THEIRS
        }
        up = f"makespan on {many} processors / path without a bound"
        across = "critical path / without a bound"
        return plot_scatter(points, across=across, up=up, log=True, equal_line=True, title=self.name)
