"""The pieces of work of 004's chapter; those on limits serve the chapter "beyond" too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from eligo_papers.chapter import Settings, Step
from eligo_papers.memory.depth_first import count_by_order
from eligo_papers.memory.facts import linear_programs, prove
from eligo_papers.memory.gallery import WORKFLOWS
from eligo_papers.memory.graphs import DAGGEN, SETS, Reference, own_graphs
from eligo_papers.memory.literal import count_failures, count_lowest
from eligo_papers.memory.runs import count_ways, draw_again, fail_again, measure, solve_exactly

__all__ = ["BOUNDS", "PLOTTED", "REDRAWN", "fact_steps", "graphs_of", "limit_steps", "records_of", "solver_version"]
__all__ += ["further_draws", "tie_bounds"]

BOUNDS = tuple(tenth / 10 for tenth in range(11))
"""004's eleven memory bounds."""
PLOTTED = BOUNDS[::2]
"""The six of them that its plots show."""
REDRAWN = (1, 2, 3, 5, None)
"""Numbers of processors on which EFT is tried on further draws of DAGGEN."""

_DAGGEN_GRAPHS, _WORKFLOW_GRAPHS = 54, 20


def graphs_of(settings: Settings) -> dict[str, list[Reference]]:
    """Return the graphs of each set.

    Examples
    --------
    >>> {name: len(graphs) for name, graphs in graphs_of(Settings("quick")).items()}
    {'DAGGEN dense': 54, 'DAGGEN sparse': 54, 'LIGO': 20, 'MONTAGE': 20, 'GENOME': 20}
    """
    daggen = settings.pick(tiny=range(2, 18, 5), quick=range(_DAGGEN_GRAPHS), full=range(_DAGGEN_GRAPHS))
    workflows = range(settings.pick(tiny=1, quick=_WORKFLOW_GRAPHS, full=_WORKFLOW_GRAPHS))
    found: dict[str, list[Reference]] = {
        name: [[name, number] for number in (daggen if name in DAGGEN else workflows)] for name in SETS
    }
    own = own_graphs(settings.data)
    return found | {name: [*paths[: settings.pick(tiny=1, quick=None, full=None)]] for name, paths in own.items()}


def limit_steps(settings: Settings) -> list[Step]:
    """Return the steps that try every method at every bound.

    Examples
    --------
    >>> limit_steps(Settings("quick"))[1].name
    'limits on DAGGEN dense, part 2'
    """
    bounds = settings.pick(tiny=[0.0, 0.4, 1.0], quick=list(BOUNDS), full=list(BOUNDS))
    steps = []
    for name, graphs in graphs_of(settings).items():
        large = 18 if name in DAGGEN else 5
        for number, some in enumerate(_parts(graphs, large)):
            arguments = {"graphs": list(some), "bounds": bounds}
            weight = len(some) * len(bounds) * (0.035 if name in DAGGEN else 0.12)
            steps.append(Step(f"limits on {name}, part {number + 1}", measure, arguments, weight))
    return steps


def records_of(found: Mapping[str, Any], settings: Settings) -> tuple[dict[str, list[dict[str, Any]]], int]:
    """Return what the steps on limits found, by set, and how many dags were checked by certificates."""
    steps = {step.name: step for step in limit_steps(settings)}
    records: dict[str, list[dict[str, Any]]] = {name: [] for name in graphs_of(settings)}
    for name in steps:
        records[name.removeprefix("limits on ").partition(", part ")[0]] += found[name]["graphs"]
    return records, sum(found[name]["certified"] for name in steps)


def fact_steps(settings: Settings) -> list[Step]:
    """Return the steps on everything but limits by heuristics: programs, ties, draws, and what is proved."""
    solver = solver_version()
    graphs = graphs_of(settings)
    few = [some[number] for some in graphs.values() for number in {0, len(some) // 2}]
    draws = {"draws": settings.pick(tiny=1, quick=10, full=50), "processors": list(REDRAWN)}
    ways = {"names": list(WORKFLOWS), "graphs": settings.pick(tiny=2, quick=20, full=20)}
    lowest = graphs["GENOME"][: settings.pick(tiny=0, quick=10, full=20)]
    small = {
        "flows": settings.pick(tiny=60, quick=1500, full=1500),
        "covers": settings.pick(tiny=8, quick=150, full=150),
    }
    return [
        Step("what is proved", prove, small, 1),
        Step("linear programs", linear_programs, {"graphs": few, "solver": solver}, 1),
        Step("DAGGEN drawn again", draw_again, draws, 3),
        Step("ways to count", count_ways, ways, 0.5),
        Step("lowest bounds", count_lowest, {"graphs": lowest}, 9),
        *(Step(f"failures, draw {draw}", fail_again, {"draw": draw}, 10) for draw in further_draws(settings)),
        *_program_steps(settings, graphs, solver),
        *_tie_steps(settings, graphs),
        *_order_steps(settings, graphs),
    ]


def _program_steps(settings: Settings, graphs: Mapping[str, Sequence[Reference]], solver: str) -> list[Step]:
    """Return steps of integer programs: on the dags of 25 nodes; at full scale on those of 50 too."""
    most = settings.pick(tiny=1, quick=18, full=36)
    bounds = settings.pick(tiny=[0.4], quick=list(PLOTTED[:-1]), full=list(BOUNDS))
    nodes = settings.pick(tiny=5, quick=500, full=20_000)
    weight = settings.pick(tiny=0.1, quick=0.3, full=10)
    return [
        Step(
            f"programs on {name}, part {number + 1}",
            solve_exactly,
            {"graphs": list(some), "bounds": bounds, "max_nodes": nodes, "solver": solver},
            weight * len(some) * len(bounds),
        )
        for name in DAGGEN
        for number, some in enumerate(_parts(graphs[name][:most], settings.pick(tiny=1, quick=9, full=1)))
    ]


def further_draws(settings: Settings) -> range:
    """Return the numbers of the further draws of DAGGEN on which failures are counted.

    Examples
    --------
    >>> list(further_draws(Settings("quick")))
    [1, 2, 3]
    """
    return range(1, 1 + int(settings.pick(tiny=0, quick=3, full=20)))


def tie_bounds(settings: Settings) -> list[float]:
    """Return the bounds at which Algorithm 2 is run as printed.

    Examples
    --------
    >>> tie_bounds(Settings("quick"))
    [0.0, 0.1]
    """
    chosen: list[float] = settings.pick(tiny=[0.0], quick=[0.0, 0.1], full=list(BOUNDS))
    return chosen


def _tie_steps(settings: Settings, graphs: Mapping[str, Sequence[Reference]]) -> list[Step]:
    """Return steps of Algorithm 2 as printed, at the bounds at which it mostly fails; at full scale at all."""
    bounds = tie_bounds(settings)
    steps = []
    for name in SETS:
        some = graphs[name] if name in DAGGEN else graphs[name][: settings.pick(tiny=0, quick=20, full=20)]
        for number, part in enumerate(_parts(some, 27 if name in DAGGEN else 5)):
            weight = len(part) * len(bounds) * (0.05 if name in DAGGEN else 1)
            arguments = {"graphs": list(part), "bounds": bounds}
            steps.append(Step(f"ties on {name}, part {number + 1}", count_failures, arguments, weight))
    return steps


def _order_steps(settings: Settings, graphs: Mapping[str, Sequence[Reference]]) -> list[Step]:
    """Return steps of Algorithm 2 as printed, at the peaks of several depth-first orders."""
    steps = []
    for name, whole in graphs.items():
        daggen = "daggen" in name.lower()
        some = whole[: None if daggen else settings.pick(tiny=0, quick=20, full=20)]
        for number, part in enumerate(_parts(some, 27 if daggen else 5)):
            weight = len(part) * (0.2 if daggen else 1.4)
            steps.append(Step(f"orders on {name}, part {number + 1}", count_by_order, {"graphs": list(part)}, weight))
    return steps


def _parts(graphs: Sequence[Reference], large: int) -> list[Sequence[Reference]]:
    return [graphs[first : first + large] for first in range(0, len(graphs), large)]


def solver_version() -> str:
    """Return the version of HiGHS that is installed, or nothing."""
    try:
        return metadata.version("highspy")
    except metadata.PackageNotFoundError:
        return ""
