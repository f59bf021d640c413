"""The AREA of our orders beside those of the papers: the workflows of 002, families of 000, 001 and 003, and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eligo import graph
from eligo.errors import EligoError, InfeasibleError
from eligo.priority._prioritize import prioritize
from eligo.schedule import Schedule
from eligo_papers.chapter import Check, Section, Table
from eligo_papers.prio.grid import OURS, THEIRS
from eligo_papers.prio.orders import statement
from eligo_papers.prio.workflows import Source, dag_of

__all__ = ["FAMILIES", "area_section", "areas_of", "folder_of"]

_ORDERS = ("fifo", THEIRS, "prio", "area", OURS)
_MOST_JOBS = 20_000  # of a file; larger ones are left to benchmarks
_LISTED = 12


def areas_of(sources: Mapping[str, Source], least_jobs: int) -> dict[str, Any]:
    """Return the AREA of every order of workflows, with the bound; nothing of what is no workflow, or out of bounds.

    Examples
    --------
    >>> found = areas_of({"mesh": {"family": "mesh", "arguments": {"levels": 4}}}, 2)["mesh"]
    >>> found["jobs"], found["areas"]["fifo"], found["areas"]["best"], found["bound"], found["left"]["best"]
    (10, 24, 24, 24, 3.0)
    """
    found = {}
    for name, source in sources.items():
        try:
            dag = dag_of(source)
        except EligoError:
            continue  # a folder may hold anything
        if not least_jobs <= dag.n <= _MOST_JOBS and "file" in source:
            continue
        areas: dict[str, int | None] = {}
        left: dict[str, float] = {}
        for order in _ORDERS:
            try:
                result = prioritize(dag, order)
            except InfeasibleError:
                areas[order] = None  # prio-2006: too many different components
                continue
            areas[order], left[order] = result.schedule.area, _path_left(result.schedule)
        found[name] = {"jobs": dag.n, "areas": areas, "bound": result.area_bound, "left": left}
    return found


def _path_left(schedule: Schedule) -> float:
    """Return how many jobs the longest path has that is still to be executed, on average over all steps."""
    heights = graph.heights(schedule.dag)[schedule.order]
    return float(np.maximum.accumulate(heights[::-1]).mean()) + 1


def _family(family: str, **arguments: Any) -> Source:
    return {"family": family, "arguments": arguments}


FAMILIES: dict[str, Source] = {
    "000, mesh of 12 levels": _family("mesh", levels=12),
    "000, 3-dimensional mesh of 6 levels": _family("mesh", levels=6, dim=3),
    "000, tree of height 7": _family("tree", height=7),
    "000, ternary tree of height 4": _family("tree", height=4, arity=3),
    "000, FFT of dimension 4": _family("fft", dim=4),
    **{f"001, {name}": _family("paper001", figure=name) for name in ("fig3-left", "fig3-right", "fig3-fmri")},
    **{f"001, {name}": _family("paper001", figure=name) for name in ("fig5-g3", "fig5-g4", "fig8")},
    "001, planar tree P[2, 1/2, 3, 1/3, 2]": _family("planar_bipartite_tree", parts=["2", "1/2", "3", "1/3", "2"]),
    "003, W-strand W[2, 4, 3, 5, 2, 4]": _family("strand", kind="W", degrees=[2, 4, 3, 5, 2, 4]),
    "003, M-strand M[2, 4, 3, 5, 2, 4]": _family("strand", kind="M", degrees=[2, 4, 3, 5, 2, 4]),
    "003, T-strand T[1, 4, 4, 3, 2, 5]": _family("strand", kind="T", degrees=[1, 4, 4, 3, 2, 5]),
    "003, divide and conquer": _family("divide_and_conquer", height=5),
    "003, parallel prefix of 16": _family("parallel_prefix", inputs=16),
    "003, Laplace transform": _family("laplace_transform", height=4),
}


def area_section(instances: Mapping[str, Any], real: Mapping[str, Any]) -> tuple[Section, list[Check]]:
    """Return the tables of AREAs, and whether best has less than another order anywhere."""
    parts: list[Any] = [
        _ABOUT_AREA,
        _area_table("areas", "AREA, workflows of 002 and families of 000, 001 and 003", instances),
    ]
    if real:
        parts += [_real_summary(real), _real_table(real)]
    everything = {**instances, **real}
    return Section("Orders: AREA", parts), [_never_below(everything, order) for order in ("fifo", THEIRS, "prio")]


_ABOUT_AREA = (
    "AREA is the number of ELIGIBLE jobs, summed over all steps. The papers want that number largest at *every* "
    "step; where no order is best at every step, AREA still compares orders. `prio-2006` is the heuristic of 002 as "
    "printed, only made valid; `prio` the same repaired; `area` a greedy that sees the whole workflow; `best` the "
    "largest of these, and of exact search where the workflow is small. In brackets per cent of a bound that no order "
    "exceeds."
)


def _area_table(name: str, title: str, instances: Mapping[str, Any]) -> Table:
    rows = []
    for instance, of in instances.items():
        cells = [_area_cell(of["areas"][order], of["bound"]) for order in _ORDERS]
        rows.append([instance, f"{of['jobs']:,}", *cells, f"{of['bound']:,}", _more(of["areas"])])
    return Table(name, title, ("instance", "jobs", *_ORDERS, "bound", "best over prio-2006"), rows)


def _area_cell(area: int | None, bound: int) -> str:
    if area is None:
        return "too much work"
    return f"{area:,} ({100 * area / bound:.2f} %)" if bound else f"{area:,}"


def _more(areas: Mapping[str, int | None]) -> str:
    theirs, ours = areas[THEIRS], areas[OURS]
    return "" if not theirs or ours is None else f"{100 * (ours / theirs - 1):+.2f} %"


def _gain(of: Mapping[str, Any]) -> float:
    theirs = of["areas"][THEIRS]
    return of["areas"][OURS] / theirs - 1 if theirs else 0.0


def folder_of(name: str) -> str:
    """Return in which folder of the folder a file is, '.' if in none.

    Examples
    --------
    >>> folder_of("dax/old/a.xml"), folder_of("a.dag")
    ('dax', '.')
    """
    folder, _, inside = name.partition("/")
    return folder if inside else "."


def _real_summary(real: Mapping[str, Any]) -> Table:
    rows = []
    for folder in sorted(set(map(folder_of, real))):
        of_folder = [of for name, of in real.items() if folder_of(name) == folder]
        gains = [_gain(of) for of in of_folder]
        shares = [sum(of["areas"][order] or 0 for of in of_folder) for order in ("fifo", THEIRS, OURS)]
        bound = sum(of["bound"] for of in of_folder)
        more = sum(gain > 1e-12 for gain in gains)
        cells = [f"{100 * share / bound:.2f} %" for share in shares]
        rows.append([folder, f"{len(gains)}", f"{more}", f"{100 * max(gains):.2f} %", *cells])
    header = ["folder", "workflows", "best above prio-2006 in", "at most by"]
    header += ["fifo, of the bound", "prio-2006, of the bound", "best, of the bound"]
    return Table("areas-folders", "AREA of the workflows in the folder given with --data, added up", header, rows)


def _real_table(real: Mapping[str, Any]) -> Table:
    most = sorted(real, key=lambda name: (-_gain(real[name]), name))[:_LISTED]
    return _area_table(
        "areas-files", f"The {len(most)} files with most gained over prio-2006", {name: real[name] for name in most}
    )


def _never_below(everything: Mapping[str, Any], order: str) -> Check:
    known = {name: of["areas"] for name, of in everything.items() if of["areas"][order] is not None}
    below = [name for name, areas in known.items() if areas[OURS] < areas[order]]
    above = sum(areas[OURS] > areas[order] for areas in known.values())
    return statement(
        "Orders",
        f"AREA of best below that of {order}",
        "nowhere",
        f"{len(below)} of {len(known)} instances ({above} above)"
        if below
        else f"nowhere; above at {above} of {len(known)}",
        holds=not below,
    )
