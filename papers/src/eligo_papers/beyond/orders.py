"""Our orders beside those of the papers, on the same workflows: AREA, and simulated times.

``best`` takes the order of the largest AREA among several, the paper's own among them, so it cannot have less AREA than
these; the tables tell how much more it has. AREA is what the theory maximises, time is what people wait for: the same
simulations as in the chapter on paper 002 tell on how many grids ``best`` is faster, and on which it is slower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo_papers.beyond.orders_areas import FAMILIES, area_section, areas_of, folder_of
from eligo_papers.beyond.orders_files import file_points, file_steps
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table
from eligo_papers.prio.grid import OURS, THEIRS, Point, grid_of, grid_steps, power, ratio_rows
from eligo_papers.prio.orders import statement
from eligo_papers.prio.workflows import Source, Workflow, file_source, workflows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Verdicts", "sections", "steps", "verdicts"]

_MOST_FILES = 300


def steps(settings: Settings) -> Sequence[Step]:
    """Return the steps: AREAs of all instances, and the simulations that the chapter on paper 002 has too."""
    some, folders = workflows(settings), _folders(settings.data)
    generated = {one.title: one.source for one in some if one.figure}
    return [
        Step("areas, families", areas_of, {"sources": FAMILIES, "least_jobs": 1}, weight=1.0),
        Step("areas, workflows", areas_of, {"sources": generated, "least_jobs": 1}, weight=2.0),
        *(
            Step(
                f"areas, files in {folder}",
                areas_of,
                {"sources": sources, "least_jobs": 2},
                weight=0.5 + 0.1 * len(sources),
            )
            for folder, sources in folders.items()
        ),
        *(step for one in some for step in grid_steps(one)),
        *file_steps(folders, settings),
    ]


def _folders(data: Path | None) -> dict[str, dict[str, Source]]:
    """Return for each folder in a folder the files in it, not too many in all; those in none are in '.'."""
    folders: dict[str, dict[str, Source]] = {}
    if data is not None:
        for path in sorted(path for path in data.rglob("*") if path.is_file())[:_MOST_FILES]:
            name = path.relative_to(data).as_posix()
            folders.setdefault(folder_of(name), {})[name] = file_source(path)
    return folders


def sections(found: Mapping[str, Any], settings: Settings) -> tuple[list[Section], list[Check]]:
    """Return what is shown of orders."""
    folders = _folders(settings.data)
    real = {name: of for folder in folders for name, of in found[f"areas, files in {folder}"].items()}
    area, area_checks = area_section({**found["areas, workflows"], **found["areas, families"]}, real)
    times, time_checks = _times_section([(one, grid_of(found, one)) for one in workflows(settings)])
    shown, checks = [area, times], area_checks + time_checks
    if folders:
        files, file_checks = _files_section(file_points(found, folders, settings), real)
        shown.append(files)
        checks += file_checks
    return shown, checks


class Verdicts(NamedTuple):
    """On how many grids one order is faster than another, and on how many slower.

    Attributes
    ----------
    faster_beyond, slower_beyond
        The whole interval of the paper's kind lies on one side of 1.
    faster, slower
        The ratio of all runs together is on one side of 1 by more than chance explains.
    slow
        The grids on which it is slower, by either.
    """

    grids: int
    faster_beyond: int
    faster: int
    slower: int
    slower_beyond: int
    slow: tuple[Point, ...]


def verdicts(points: Sequence[Point], pair: str) -> Verdicts:
    """Count on how many grids the first order of a pair is faster or slower than the second.

    Examples
    --------
    >>> from eligo.simulation._ratios import Estimate
    >>> def point(ratio, error):
    ...     interval = [ratio, ratio - 20 * error, ratio + 20 * error]
    ...     return Point(1.0, 1.0, {"a/b": {"execution_time": interval}}, {"a/b": Estimate(ratio, error, 300)})
    >>> verdicts([point(0.9, 0.001), point(0.99, 0.001), point(1.0, 0.001), point(1.01, 0.001)], "a/b")[:5]
    (4, 1, 2, 1, 0)
    """
    intervals = [point.intervals[pair]["execution_time"] for point in points]
    low = [interval is not None and interval[1] > 1 for interval in intervals]
    high = [interval is not None and interval[2] < 1 for interval in intervals]
    slower = [point.estimates[pair].is_above for point in points]
    slow = tuple(point for point, *either in zip(points, low, slower, strict=True) if any(either))
    faster = sum(point.estimates[pair].is_below for point in points)
    return Verdicts(len(points), sum(high), faster, sum(slower), sum(low), slow)


_PAIRS = (f"{OURS}/{THEIRS}", f"{OURS}/fifo")
_ABOUT_TIMES = (
    "The simulations of chapter 002 once more, with `best`. There are two ways to say that an order is slower: "
    "*beyond the interval* if the interval of the paper's kind (95 % of the ratios of means of q runs) lies above 1"
    " as a whole, which hides small differences; *by all runs* if the ratio of the means of all runs is above 1 by "
    "more than about four of its standard errors, which shows them."
)
_WHY_SLOWER = (
    "a larger AREA is no promise of a shorter time: AREA counts the ELIGIBLE jobs after each step, and does not see"
    " how long the paths are that begin with them. An order that leaves a long path for late has few jobs left to "
    "run beside it"
)


def _times_section(grids: Sequence[tuple[Workflow, Sequence[Point]]]) -> tuple[Section, list[Check]]:
    rows: list[list[str]] = []
    slow: list[list[str]] = []
    checks: list[Check] = []
    for pair in _PAIRS:
        told = [verdicts(points, pair) for _, points in grids]
        for (one, points), of_one in zip(grids, told, strict=True):
            rows.append(_times_row(one.title, pair, points, of_one))
            slow += [_slow_row(one.title, pair, point) for point in of_one.slow]
        checks += _time_checks("workflows of 002", pair, told)
    title = "best on the simulated grids: on how many of them is it faster, on how many slower?"
    parts: list[str | Table | Picture] = [_ABOUT_TIMES, Table("times", title, _TIMES_HEADER, rows), _slow_part(slow)]
    return Section("Orders: simulated times", [*parts, *map(_picture, grids)]), checks


_TIMES_HEADER = (
    "workflow",
    "ratio",
    "grids",
    "faster beyond the interval",
    "faster by all runs",
    "not told apart",
    "slower by all runs",
    "slower beyond the interval",
    "smallest ratio",
    "largest ratio",
)


def _times_row(title: str, pair: str, points: Sequence[Point], told: Verdicts) -> list[str]:
    ratios = [point.estimates[pair].ratio for point in points]
    same = told.grids - told.faster - told.slower
    counts = (told.grids, told.faster_beyond, told.faster, same, told.slower, told.slower_beyond)
    return [title, pair, *map(str, counts), f"{min(ratios):.3f}", f"{max(ratios):.3f}"]


def _slow_row(title: str, pair: str, point: Point) -> list[str]:
    median, low, high = point.intervals[pair]["execution_time"] or (1.0, 1.0, 1.0)
    grid = power(10, point.interarrival), power(2, point.batch)
    beyond = "yes" if low > 1 else "no"
    return [title, pair, *grid, str(point.estimates[pair]), f"{median:.3f} ({low:.3f} to {high:.3f})", beyond]


def _slow_part(slow: Sequence[Sequence[str]]) -> str | Table:
    if not slow:
        return _NOWHERE
    header = ("workflow", "ratio", "interarrival", "batch", "by all runs", "median and interval", "beyond the interval")
    return Table("slower", "All grids on which best is slower", header, slow, f"Why: {_WHY_SLOWER}.")


def _time_checks(what: str, pair: str, told: Sequence[Verdicts]) -> list[Check]:
    """Return whether an order is slower anywhere, in both ways of saying so."""
    _, _, other = pair.partition("/")
    grids = sum(one.grids for one in told)
    ways = {
        "beyond the interval": sum(one.slower_beyond for one in told),
        "by all runs": sum(one.slower for one in told),
    }
    return [
        statement(
            "Orders",
            f"{what}: grids on which best is slower than {other}, {way}",
            "none",
            f"{count} of {grids:,}" if count else f"none of {grids:,}",
            holds=not count,
            because=_WHY_SLOWER,
        )
        for way, count in ways.items()
    ]


def _files_section(files: Mapping[str, Sequence[Point]], real: Mapping[str, Any]) -> tuple[Section, list[Check]]:
    """Return on how many grids best is faster or slower on the files of the folder."""
    rows: list[list[str]] = []
    slow: list[list[str]] = []
    checks: list[Check] = []
    for pair in _PAIRS:
        told = {name: verdicts(points, pair) for name, points in files.items()}
        checks += _time_checks("files", pair, list(told.values()))
        for folder in sorted(set(map(folder_of, told))):
            there = [name for name in told if folder_of(name) == folder]
            points = [point for name in there for point in files[name]]
            row = _times_row(folder, pair, points, verdicts(points, pair))
            rows.append([*row[:2], f"{len(there)}", *row[2:]])
        slow += [_slow_file(name, pair, of_one, real[name]["left"]) for name, of_one in told.items() if of_one.slow]
    header = ["folder", _TIMES_HEADER[1], "workflows", *_TIMES_HEADER[2:]]
    parts: list[str | Table | Picture] = [_ABOUT_FILES]
    parts.append(Table("times-files", "best on the workflows in the folder given with --data", header, rows))
    parts.append(_slow_files(slow) if slow else _NOWHERE)
    return Section("Orders: simulated times of all files", parts), checks


def _slow_file(name: str, pair: str, told: Verdicts, left: Mapping[str, float]) -> list[str]:
    worst = max(told.slow, key=lambda point: point.estimates[pair].ratio)
    ours, theirs = (left[order] for order in pair.split("/"))
    row = _slow_row(name, pair, worst)
    counts = f"{told.grids}", f"{told.slower}", f"{told.slower_beyond}", f"{told.faster}"
    return [*row[:2], *counts, *row[2:6], f"{ours:.2f}", f"{theirs:.2f}"]


def _slow_files(slow: Sequence[Sequence[str]]) -> Table:
    header = ["workflow", "ratio", "grids", "slower by all runs", "slower beyond the interval", "faster by all runs"]
    header += ["worst interarrival", "worst batch", "by all runs", "median and interval"]
    header += ["path left with best", "path left with the other"]
    longer = sum(float(ours) > float(theirs) for *_, ours, theirs in slow)
    note = (
        f"Why: {_WHY_SLOWER}. *Path left*: jobs on the longest path that is still to be executed, on average over all "
        f"steps; it is longer with best in {longer} of these {len(slow)} rows."
    )
    return Table(
        "slower-files", "Workflows with grids on which best is slower, and the worst grid of each", header, slow, note
    )


_NOWHERE = "On none of these grids is `best` slower, in either way."
_ABOUT_FILES = (
    "All workflows of 20 to 5,000 jobs in the folder given with `--data`, on 27 grids each: 3 times between batches "
    "and 9 sizes of batches, up to 2^8."
)


def _picture(grid: tuple[Workflow, Sequence[Point]]) -> Picture:
    one, points = grid
    caption = f"{one.title}: execution times of `best` over those of `prio-2006` and of `fifo`."
    return Picture(f"times-{one.name}", caption, partial(_draw, one, points))


def _draw(workflow: Workflow, points: Sequence[Point]) -> Figure:
    from eligo.report import plot_ratios

    subtitle = f"p = {workflow.samples} samples of q = {workflow.runs} runs"
    rows = ratio_rows(points, _PAIRS)
    return plot_ratios(rows, metrics=("execution_time",), title=workflow.title, subtitle=subtitle)
