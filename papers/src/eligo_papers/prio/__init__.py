"""Malewicz, Foster, Rosenberg and Wilde 2006 (paper 002): the prio tool and what it gains on four workflows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from eligo_papers.chapter import Chapter, Check, Picture, Section, Settings, Step
from eligo_papers.prio.decides import PAIR, case_steps, cases, decided, decides_section
from eligo_papers.prio.grid import Point, all_numbers, grid_of, grid_steps, matrix, power, ratio_rows
from eligo_papers.prio.orders import components_section, eligibility_section, example_section, order_steps
from eligo_papers.prio.overhead import overhead_section, overhead_step
from eligo_papers.prio.rules import rules_section, rules_steps
from eligo_papers.prio.statements import grid_checks, headline_checks, headline_step
from eligo_papers.prio.workflows import Workflow, workflows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["chapter", "steps"]

_PAPER = (
    "G. Malewicz, I. Foster, A. L. Rosenberg, M. Wilde: A Tool for Prioritizing DAGMan Jobs and Its Evaluation (text "
    "of August 2006)"
)
_ABOUT = (
    "The heuristic of the paper is `prio-2006` here: section 3.1 as printed, with what had to be mended to make its "
    "orders valid: three statements on it are false of components that are not bipartite. It is compared with first in "
    "first out on dags of the printed sizes. AIRSN is described well enough to be rebuilt, and what is printed of it "
    "comes out, but for sentences on small batches. Of the other three dags little more than the size is known; where "
    "ours behave differently, variants show which feature makes the difference, and with which the printed values come "
    "out."
)
_ABOUT_GRIDS = (
    "Workers come in batches, and each takes a job or leaves. The mean time between batches (the interarrival) and the "
    "mean number of workers in a batch are varied over 7 × 17 grids; jobs take a time of 1 on average. Every point is "
    "p samples, each the mean of q runs; an interval holds 95 % of the quotients of all pairs of samples. Both orders "
    "meet the same workers: this changes nothing about the intervals, since nearly all pairs are of different samples, "
    "but makes the ratio of all runs together much more certain.\n\n"
    "The paper has p = 300 and q = 300 (section 4.2); here p and q stand below each picture. With fewer runs intervals "
    "are wider, by the square root of q: the widest of execution times here, of {title} at ({time}, {batch}) with "
    "q = {runs}, is {low:.2f} to {high:.2f}. Verdicts on ratios go by the ratio of all runs together."
)


def steps(settings: Settings) -> Sequence[Step]:
    """Return the pieces of work: orders, grids, variants, and the measured overhead."""
    some = workflows(settings)
    return [
        *rules_steps(settings),
        *order_steps(some),
        *(step for one in some for step in grid_steps(one)),
        headline_step(some[0], settings),
        *case_steps(cases(some, settings)),
        overhead_step(some, settings),
    ]


def chapter(found: Mapping[str, Any], settings: Settings) -> Chapter:
    """Return the chapter on the paper."""
    some = workflows(settings)
    grids = {one.name: grid_of(found, one) for one in some}
    results = decided(found, cases(some, settings), grids)
    parts = [
        rules_section(found),
        components_section(found, some),
        example_section(),
        eligibility_section(found, some),
        _grids_section(grids, some),
        (decides_section(results), []),
        overhead_section(found, some),
        (_numbers_section(grids, some), []),
    ]
    checks = [one for _, of_part in parts for one in of_part]
    checks += headline_checks(found, settings) + grid_checks(grids, some, results)
    return Chapter("002", "Prioritising DAGMan jobs", _PAPER, _ABOUT, checks, [section for section, _ in parts])


def _grids_section(grids: Mapping[str, Sequence[Point]], some: Sequence[Workflow]) -> tuple[Section, list[Check]]:
    parts: list[Any] = [_about_grids(grids, some)]
    for one in some:
        label = one.figure or "Not in the paper"
        name = one.figure.lower().replace(". ", "") or one.name
        caption = (
            f"{label}: {one.title}, `prio-2006` over `fifo`, p = {one.samples}, q = {one.runs}. Below 1 prioritising "
            "takes less time and stalls less; above 1 it makes better use of workers. Ratios over 0 are left out."
        )
        parts.append(Picture(name, caption, partial(_draw, grids[one.name], one)))
        parts.append(matrix(f"{name}-times", f"{label}: {one.title}, ratio of execution times", grids[one.name], PAIR))
    return Section("Fig. 6 to 9: execution time, stalling, utilization", parts), []


def _about_grids(grids: Mapping[str, Sequence[Point]], some: Sequence[Workflow]) -> str:
    intervals = [
        (high - low, one, point, low, high)
        for one in some
        if one.figure
        for point in grids[one.name]
        for _, low, high in [point.intervals[PAIR]["execution_time"] or (1.0, 1.0, 1.0)]
    ]
    _, one, point, low, high = max(intervals, key=lambda told: told[0])
    time, batch = power(10, point.interarrival), power(2, point.batch)
    return _ABOUT_GRIDS.format(title=one.title, time=time, batch=batch, runs=one.runs, low=low, high=high)


def _draw(points: Sequence[Point], workflow: Workflow) -> Figure:
    from eligo.report import plot_ratios

    subtitle = f"p = {workflow.samples} samples of q = {workflow.runs} runs"
    return plot_ratios(ratio_rows(points, [PAIR]), title=f"{workflow.title}: {PAIR}", subtitle=subtitle)


def _numbers_section(grids: Mapping[str, Sequence[Point]], some: Sequence[Workflow]) -> Section:
    tables = [
        all_numbers(f"numbers-{one.name}", f"{one.title}: p = {one.samples}, q = {one.runs}", grids[one.name], [PAIR])
        for one in some
    ]
    return Section("All numbers of Fig. 6 to 9", tables)
