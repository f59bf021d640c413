"""Chapter 000: Rosenberg and Yurkewych 2005, meshes, trees and FFT dags executed eagerly and IC-optimally.

The figures 4, 6 and 8 as pictures and curves, every formula and theorem held against values from playing the game and
from enumeration of all ideals, which shares no code with the theory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo_papers.chapter import Chapter, Section, Settings, Step, Table
from eligo_papers.enumeration import Costs
from eligo_papers.guidelines import fft, meshes, more, trees

__all__ = ["chapter", "steps"]

_PARTS = (meshes, trees, fft, more)


def steps(settings: Settings) -> Sequence[Step]:
    """Return the pieces of work of the chapter."""
    return [step for part in _PARTS for step in part.steps(settings)]


def chapter(found: Mapping[str, Any], settings: Settings) -> Chapter:
    """Return the chapter, from the results of its steps."""
    results = dict(found)
    return Chapter(
        "000",
        "Meshes, trees and FFT dags, eager and IC-optimal",
        "A. L. Rosenberg, M. Yurkewych 2005: Guidelines for Scheduling Some Common Computation-Dags for Internet-Based "
        "Computing. IEEE Transactions on Computers 54, 428-438",
        "The paper proves for three families of dags which schedules keep the most nodes ELIGIBLE at every step, and "
        "what they cost in memory. Here both of its schedules are played, and what it states is held against the "
        "enumeration of all sets of nodes that can be executed first. The theorems on meshes and trees come out as "
        "printed. Around them some statements are wrong: section 2.3 defines parent orientation too narrowly, not all "
        "IC-optimal schedules of a mesh cost the least memory (title of 3.3), no constant mends the bound (3.2), the "
        "last sentence of 4.4 has m - 1 for m/2 rounded down, and the smallest dags are forgotten. Of the FFT dags the "
        "theorems on optimality and on memory and a formula are wrong in print; the right ones stand beside them.",
        [one for part in _PARTS for one in part.checks(results)],
        [
            _reading(),
            meshes.section(results, settings),
            trees.section(results, settings),
            fft.section(results, settings),
            _memory(results),
            more.section(results, settings),
        ],
    )


def _reading() -> Section:
    return Section(
        "How to read this",
        [
            "A node is ELIGIBLE when all its parents are EXECUTED and it is not itself; sources count. E(t) is the "
            "number of ELIGIBLE nodes after t steps, and a schedule is IC-optimal if no other has a larger E(t) at "
            "any t. E_(a) is the E of the eager schedule, E_(b) that of the IC-optimal one, U the number of "
            "unexecuted nodes.",
            "The eager schedule always executes the newest ELIGIBLE node. All sources are equally new; the paper's "
            "figures tell in which order they go: along a mesh from one end, from left to right in a tree, and in an "
            "FFT dag so that small sub-FFTs are complete first.",
            "What is said of all schedules was found by enumeration: a set of nodes that can be executed first is an "
            "ideal; all ideals of a dag were listed, and schedules counted as ways through them.",
        ],
    )


def _memory(found: Mapping[str, Any]) -> Section:
    rows = []
    for one in found["mesh enumeration"]:
        levels = one["levels"]
        row = [levels, one["cost"], levels, one["optimal cost"], one["largest optimal cost"], one["eager cost"]]
        rows.append([f"M_{levels}", *map(str, row)])
    for one in found["tree enumeration"]:
        height = one["height"]
        row = [height + 1, one["cost"], 2 * height, one["optimal cost"], one["largest optimal cost"]]
        row.append(one["eager cost"])
        rows.append([f"T_{height}", *map(str, row)])
    for one, (dim, eager, *_) in zip(found["fft enumeration"], found["fft formulas"]["costs"], strict=False):
        least, best = (Costs(*one["costs"][name]) for name in ("all", "optimal"))
        row = [f"{2**dim} or more", least.least, 2**dim + 1, best.least, best.largest, eager]
        rows.append([f"F_{dim}", *map(str, row)])
    return Section(
        "Memory costs (sections 3.3, 4.3, 5.3)",
        [
            "The memory cost of a schedule is the largest number of EXECUTED nodes at any step that have a child "
            "that is not. Printed are: the least of any schedule (Lemmas 3.2, 4.2, 5.2), and what the IC-optimal "
            "schedules of Theorems 3.2, 4.2 and 5.2 cost.",
            Table(
                "memory-costs",
                "Memory costs, printed and by enumeration of all schedules",
                [
                    "dag",
                    "least, printed",
                    "least",
                    "IC-optimal, printed",
                    "least IC-optimal",
                    "largest IC-optimal",
                    "eager",
                ],
                rows,
                "M_1 and T_0 are single nodes and cost nothing.",
            ),
        ],
    )
