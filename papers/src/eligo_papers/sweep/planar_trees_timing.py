"""Section 5.2 of Cordasco, Malewicz and Rosenberg 2010: planar bipartite trees in cubic, quadratic and linear time.

The naive algorithm, Algorithm A and Eligo's own are run on the same trees; their work is counted, their time taken, and
their profiles compared with the best that any set of sources can do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from eligo import generate, report
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.strands import schedule_strands, strand_name
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds
from eligo_papers.planar_trees import (
    PlanarTree,
    best_yields,
    maximal_sources,
    random_planar_tree,
    schedule_by_sweeps,
    schedule_naively,
    small_strands,
)
from eligo_papers.plots.growth import plot_growth

__all__ = ["checks", "section", "steps"]

_DEGREES = (2, 3, 4)
_FIGURE_9 = ["1/4", "3", "1/3", "3", "1/2", "2", "1/4", "3", "1/2", "4"]
_KINDS = ("random", "one sink", "zigzag")
_TITLES = {"naive": "naive", "A": "Algorithm A"}
_RECURRENCE = 4096


def steps(settings: Settings) -> list[Step]:
    """Return the work for planar bipartite trees."""
    sizes = settings.pick(tiny=[8, 16, 32], quick=[8, 16, 32, 64, 128, 256], full=[8, 16, 32, 64, 128, 256, 512])
    large = settings.pick(tiny=[64], quick=[1024, 4096, 16384], full=[1024, 4096, 16384, 65536, 262144])
    trees = settings.pick(tiny=5, quick=40, full=100)
    placed = settings.pick(tiny=[4, 2], quick=[7, 2], full=[8, 2])
    many = settings.pick(tiny=20, quick=100, full=1000)
    exhaustive = settings.pick(tiny=[4, 1], quick=[5, 2], full=[7, 2])
    weights = settings.pick(tiny=(0.2, 0.2, 0.2, 0.2), quick=(10.0, 3.0, 0.4, 0.5), full=(100.0, 13.0, 4.0, 3.0))
    return [
        Step("trees, work", count_work, {"sizes": sizes, "trees": trees, "seed": 52}, weights[0]),
        Step("trees, time", take_time, {"sizes": sizes, "large": large, "seed": 53}, weights[1], alone=True),
        Step("trees, all small", compare_small, {"sources": exhaustive[0], "own": exhaustive[1]}, weights[2]),
        Step("trees, maximal", where_maximal, {"trees": many, "sources": 64, "seed": 54}, weights[3]),
        Step("trees, places", count_places, {"sources": placed[0], "own": placed[1]}, weights[3]),
        Step("trees, recurrence", solve_recurrence, {"most": _RECURRENCE}, 0.1),
    ]


def _compiled(tree: PlanarTree) -> list[int]:
    order: list[int] = schedule_strands(Bipartite.from_dag(tree.to_dag())[0]).tolist()
    return order


def _trees(kind: str, sources: int, number: int, random: Random) -> list[PlanarTree]:
    if kind == "random":
        return [random_planar_tree(sources, _DEGREES, random) for _ in range(number)]
    if kind == "one sink":
        return [PlanarTree(sources, [(0, sources - 1)])]
    return [PlanarTree(sources, [(i, i + 1) for i in range(sources - 1)])]


def count_work(sizes: Sequence[int], trees: int, seed: int) -> dict[str, Any]:
    """Count what both plain algorithms do on trees of three kinds, and compare all profiles."""
    random, tally = Random(seed), Tally()
    work: dict[str, Any] = {kind: {"naive": [], "A": []} for kind in _KINDS}
    for size, kind in product(sizes, _KINDS):
        naive, swept = [], []
        for number, tree in enumerate(_trees(kind, size, trees, random)):
            order, done = schedule_by_sweeps(tree)
            profile = tree.yields(order)
            swept.append(done.total)
            tally.note("same profile, Eligo", profile == tree.yields(_compiled(tree)))
            if number % 10 == 0:  # what the naive algorithm does hardly varies, and it is slow
                order, done = schedule_naively(tree)
                naive.append(done.total)
                tally.note("same profile, naive", profile == tree.yields(order))
        for name, totals in (("naive", naive), ("A", swept)):
            work[kind][name].append(sum(totals) / len(totals))
    return {"sizes": list(sizes), "work": work, "counts": tally.counts}


def take_time(sizes: Sequence[int], large: Sequence[int], seed: int) -> dict[str, Any]:
    """Take the time of all three algorithms on random trees: the shortest of several runs, mean over some trees."""
    random = Random(seed)
    times: dict[str, list[float]] = {"naive": [], "A": [], "Eligo": []}
    for size in sizes:
        # What Algorithm A takes varies much from tree to tree; the naive one is slow and hardly varies.
        trees = _trees("random", size, 12, random)
        times["naive"].append(_mean_time(schedule_naively, trees[:2]))
        times["A"].append(_mean_time(schedule_by_sweeps, trees))
        times["Eligo"].append(_mean_time(schedule_strands, _blocks(trees)))
    for size in large:
        times["Eligo"].append(_mean_time(schedule_strands, _blocks(_trees("random", size, 3, random))))
    return {"sizes": list(sizes), "large": list(large), "times": times}


def _blocks(trees: list[PlanarTree]) -> list[Bipartite]:
    return [Bipartite.from_dag(tree.to_dag())[0] for tree in trees]


def _mean_time(run: Callable[[Any], Any], cases: Sequence[Any]) -> float:
    shortest = []
    for case in cases:
        runs: list[float] = []
        begun = perf_counter()
        while not runs or (perf_counter() - begun < 0.02 and len(runs) < 50):
            start = perf_counter()
            run(case)
            runs.append(perf_counter() - start)
        shortest.append(min(runs))
    return sum(shortest) / len(shortest)


def compare_small(sources: int, own: int) -> dict[str, list[int]]:
    """Compare all three algorithms with the best of all sets of sources, on all small trees."""
    tally = Tally()
    for tree in small_strands(sources, own):
        best = best_yields(tree)
        for name, order in (
            ("naive", schedule_naively(tree)[0]),
            ("A", schedule_by_sweeps(tree)[0]),
            ("Eligo", _compiled(tree)),
        ):
            tally.note(name, tree.yields(order) == best)
    return tally.counts


def where_maximal(trees: int, sources: int, seed: int) -> dict[str, Any]:
    """Find how often the maximal source is at an end, in random trees and in what Algorithm A leaves of them."""
    random = Random(seed)
    at_end, expected = [0, 0], 0.0
    for _ in range(trees):
        _, work = schedule_by_sweeps(random_planar_tree(sources, _DEGREES, random))
        for size, best in work.best:
            if size >= 8:
                at_end[0] += best in (0, size - 1)
                at_end[1] += 1
                expected += 2 / size
    return {"trees": trees, "sources": sources, "at an end": at_end, "expected": expected}


def count_places(sources: int, own: int) -> dict[str, Any]:
    """Count where maximal sources are in all trees of so many sources; where several are, each counts in part."""
    places, trees, backbone = [0.0] * sources, 0, [0, 0]
    for tree in small_strands(sources, own):
        if tree.sources == sources:
            found = maximal_sources(tree)
            trees += 1
            for source in found:
                places[source] += 1 / len(found)
                backbone[0] += source in tree.backbone
                backbone[1] += 1
    return {"sources": sources, "own": own, "trees": trees, "places": places, "backbone": backbone}


def solve_recurrence(most: int) -> float:
    """Return T(s) / s^2 for T(s) = (2 / s) sum of T(q), q < s, + s^2: equation (5.1) with a = 1."""
    total, value = 0.0, 0.0
    for s in range(1, most + 1):
        value = 2 * total / s + s * s
        total += value
    return value / most**2


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the power of the size that fits best, by least squares on logarithms, over the larger half of the sizes.

    Examples
    --------
    >>> exponent([2, 4, 8, 16], [8, 64, 512, 4096])
    3.0
    """
    half = len(sizes) // 2
    return round(float(np.polyfit(np.log(sizes[half:]), np.log(values[half:]), 1)[0]), 2)


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 5.2 states, and what comes out here."""
    counted, timed, small = found["trees, work"], found["trees, time"], found["trees, all small"]
    return [
        holds("5.2", "the naive algorithm is IC-optimal: all small trees", small["naive"]),
        holds("5.2", "Algorithm A is IC-optimal: all small trees", small["A"]),
        holds("5.2", "naive and A have the same profile: larger trees", counted["counts"]["same profile, naive"]),
        *_work_checks(counted),
        *(_clock_check(name, printed, counted, timed) for name, printed in (("naive", 3), ("A", 2))),
        check(
            "5.2, (5.1)",
            "T(s) <= b s^2 if b > 3a. Derived: taken as an equation, (5.1) has T(s)/(a s^2) tend to 3; here for s = "
            f"{_RECURRENCE:,}",
            3,
            round(found["trees, recurrence"], 3),
            within=0.02,
        ),
        _places_check(found["trees, places"]),
        _ends_check(found["trees, maximal"]),
    ]


def _work_checks(counted: dict[str, Any]) -> list[Check]:
    """Return the powers of s by work: of the naive algorithm on all kinds of trees, of A on random ones.

    The naive time "does not vary with P's structure"; what is said of A is said "in expectation".
    """
    why = "At the sizes here smaller terms still count."
    result = []
    for name, kind, printed, within in (*(("naive", kind, 3, 0.05) for kind in _KINDS), ("A", "random", 2, 0.1)):
        power = exponent(counted["sizes"], counted["work"][kind][name])
        what = f"{_TITLES[name]}, {kind} trees: power of s, by work"
        result.append(check("5.2", what, printed, power, within=within, because=why))
    return result


def _clock_check(name: str, printed: int, counted: dict[str, Any], timed: dict[str, Any]) -> Check:
    """Return the power of s by the clock; where it is off, why: the work for the same sizes has the right one."""
    sizes, times, work = timed["sizes"], timed["times"][name], counted["work"]["random"][name]
    each = [1e9 * seconds / units for seconds, units in zip(times, work, strict=True)]
    return check(
        "5.2",
        f"{_TITLES[name]}, random trees: power of s, by the clock",
        printed,
        exponent(sizes, times),
        within=0.1,
        because=f"From one doubling of s to the next the powers are {_doublings(sizes, times)}, those of the work "
        f"{_doublings(sizes, work)}. What is done once for each vector and each part, however short, is not counted as "
        f"work and weighs most on small trees: an entry takes {each[0]:.0f} ns at {sizes[0]} sources and "
        f"{each[-1]:.0f} ns at {sizes[-1]}.",
    )


def _doublings(sizes: Sequence[int], values: Sequence[float]) -> str:
    powers = np.diff(np.log(values)) / np.diff(np.log(sizes))
    return ", ".join(f"{power:.1f}" for power in powers)


def _places_check(places: dict[str, Any]) -> Check:
    share = [round(number / places["trees"], 2) for number in places["places"]]
    good, total = places["backbone"]
    return check(
        "5.2",
        f"all sources are equally likely to be maximal: all {places['trees']:,} trees of {places['sources']} "
        f"sources, each with up to {places['own']} sinks of its own; share of each place in the row (derived: "
        f"1/{places['sources']})",
        [round(1 / places["sources"], 2)] * places["sources"],
        share,
        erratum="That all trees are equally likely does not make all sources so. Only backbone sources can be "
        f"maximal (003, section 4.1; {good:,} of {total:,} here). Vectors look to the right, so that the left end is "
        "favoured and the right end is not.",
    )


def _ends_check(maximal: dict[str, Any]) -> Check:
    good, total = maximal["at an end"]
    return check(
        "5.2",
        "all sources are equally likely to be maximal: random trees and the parts that A leaves of them; share whose "
        "maximal source is at an end (derived: the mean of 2/s over these trees of s sources)",
        round(maximal["expected"] / total, 2),
        round(good / total, 2),
        within=0.25,
        erratum="Ends are on the backbone, and executing a source brings its neighbours, which are ends then, nearer "
        "to being maximal: the sinks they share wait for one parent less. So trees are split less evenly than the "
        "paper assumes; the powers of s by which work grows tell what that comes to.",
    )


def section(found: dict[str, Any], settings: Settings) -> Section:
    """Return the section on planar bipartite trees."""
    counted, timed, small = found["trees, work"], found["trees, time"], found["trees, all small"]
    sizes, work, times = counted["sizes"], counted["work"], timed["times"]
    every = [*timed["sizes"], *timed["large"]]
    curves = {f"{name}, {kind}": (sizes, work[kind][name]) for kind in ("random", "zigzag") for name in ("naive", "A")}
    clocks = {
        "naive": (timed["sizes"], times["naive"]),
        "Algorithm A": (timed["sizes"], times["A"]),
        "Eligo": (every, times["Eligo"]),
    }
    return Section(
        "Planar bipartite trees, faster (section 5.2)",
        [
            "The naive algorithm looks for a maximal source among all that are left, again and again. Algorithm A "
            "looks once, schedules both sides of it on their own and merges them by a sweep. Eligo compares suffixes "
            f"of one text; its profile is the best on {_so_many(small['Eligo'])} small trees, and that of A on "
            f"{_so_many(counted['counts']['same profile, Eligo'])} larger ones. Work is the number of entries of "
            "vectors written or compared and of fields of tables; it does not depend on the machine.",
            f"Random trees have backbone degrees drawn evenly from {', '.join(map(str, _DEGREES))}. Two kinds are "
            "hard for Algorithm A: one sink that waits for all sources, and the zigzag, in which neighbours share a "
            "sink and have none of their own. There the first source of a row is always maximal, so that nothing is "
            "split and the time is cubic again; the paper claims quadratic time in expectation only.",
            Table(
                "planar-trees",
                "Work, means over the trees, and seconds on random trees",
                [
                    "sources",
                    *(f"{name}, {kind}" for kind in _KINDS for name in ("naive", "A")),
                    "naive, s",
                    "A, s",
                    "Eligo, s",
                ],
                [_row(place, size, work, times) for place, size in enumerate(sizes)],
                f"Powers of s by work over the larger half: {_powers(sizes, work)}. By the clock: "
                f"naive {exponent(timed['sizes'], times['naive'])}, A {exponent(timed['sizes'], times['A'])}, Eligo "
                f"{exponent(every, times['Eligo'])} (up to {every[-1]:,} sources in {times['Eligo'][-1]:.3f} s).",
            ),
            Picture(
                "planar-trees-work",
                "Work against sources, both axes logarithmic. On zigzags Algorithm A does as much as the naive one.",
                lambda: plot_growth(curves, across="sources", up="entries and fields", powers=[2, 3]),
            ),
            Picture(
                "planar-trees-time",
                "Seconds against sources, random trees, both axes logarithmic.",
                lambda: plot_growth(clocks, across="sources", up="seconds"),
            ),
            Picture("fig9", f"Fig. 9: {_figure_9()}, its sources numbered in an IC-optimal order.", _draw_figure_9),
        ],
    )


def _so_many(count: Sequence[int]) -> str:
    return f"all {count[1]:,}" if count[0] == count[1] else f"{count[0]:,} of {count[1]:,}"


def _row(place: int, size: int, work: dict[str, Any], times: dict[str, Any]) -> list[str]:
    counts = [f"{work[kind][name][place]:,.0f}" for kind in _KINDS for name in ("naive", "A")]
    return [f"{size:,}", *counts, *(f"{times[name][place]:.2g}" for name in ("naive", "A", "Eligo"))]


def _powers(sizes: list[int], work: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} on {kind} {exponent(sizes, work[kind][name])}" for kind in _KINDS for name in ("naive", "A")
    )


def _figure_9() -> str:
    degrees = [1, *(int(part.removeprefix("1/")) for part in _FIGURE_9)]
    return f"P[{', '.join(_FIGURE_9)}] = {strand_name(degrees)}"


def _draw_figure_9() -> Any:
    dag = generate.planar_bipartite_tree(_FIGURE_9)
    order = schedule_strands(Bipartite.from_dag(dag)[0]).tolist()
    labels = [""] * dag.n
    for step, source in enumerate(order, 1):
        labels[source] = str(step)
    return report.draw_dag(dag, labels=labels)
