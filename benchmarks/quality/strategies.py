"""How good every strategy is: on real workflows and on generated families, against a bound that nothing exceeds.

Two numbers for each: the AREA in per cent of the bound on it, and the smallest E(t) / E_bound(t) over all steps, which
says how bad the worst moment is. Both are at most 100 % and cannot be reached where the bound is loose. dask.order is a
peer: the order in which Dask runs a graph on one worker, made for small memory, not for many ready tasks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask.order
import numpy as np

from benchmarks.measure import print_table
from benchmarks.quality.corpus import CORPUS, workflows
from eligo import EligoError, Schedule, generate, graph, prioritize
from eligo.dag import Dag
from eligo.priority._prioritize import STRATEGIES
from eligo.schedule import sinks_last

FAMILIES: dict[str, Callable[[int], Dag]] = {
    "AIRSN, width 10 to 250": lambda seed: generate.airsn(10 + 12 * seed),
    "Inspiral-like, 100 to 2,988": lambda seed: generate.inspiral(100 + 144 * seed),
    "Montage-like, 60 to 2,000": lambda seed: generate.montage(60 + 97 * seed),
    "SDSS-like, 500 to 5,000": lambda seed: generate.sdss(500 + 225 * seed),
    "CyberShake-like, 100 to 1,000": lambda seed: generate.cybershake(100 + 45 * seed),
    "random, 300 jobs": lambda seed: generate.uniform(300, probability=0.008, seed=seed),
    "random, layers of 20": lambda seed: generate.layered(300, layers=15, probability=0.12, seed=seed),
    "daggen, 300 jobs": lambda seed: generate.daggen(300, seed=seed),
    "series-parallel, 300 jobs": lambda seed: generate.series_parallel(300, seed=seed),
    "in-trees, 300 jobs": lambda seed: generate.random_tree(300, seed=seed),
    "out-trees, 300 jobs": lambda seed: generate.random_tree(300, expansion=True, seed=seed),
}


_SEARCHED = 60  # jobs up to which exact search is tried: beyond, it mostly gives up after seconds


def of_dask(dag: Dag) -> Schedule:
    """Return the order of dask.order; sinks go last, as in all of ours."""
    tasks: dict[Any, Any] = {job: (min, *dag.parents(job).tolist()) for job in range(dag.n)}
    place = dask.order.order(tasks)
    order = np.argsort([place[job] for job in range(dag.n)]).astype(np.int32)
    return Schedule.of(dag, sinks_last(dag, order))


def rows(dags: list[Dag]) -> Iterator[list[str]]:
    """Yield a row for each strategy: mean AREA, how often the best of all, and the worst moment."""
    areas: dict[str, list[float]] = {}
    worst: dict[str, list[float]] = {}
    wins: dict[str, list[bool]] = {}
    for dag in dags:
        best = prioritize(dag)
        bound = best.bound
        found = {"best": best.schedule, "dask.order": of_dask(dag)}
        for strategy in STRATEGIES[1:]:
            if strategy == "exact" and dag.n > _SEARCHED:
                continue
            try:
                found[strategy] = prioritize(dag, strategy).schedule
            except EligoError:
                continue  # too much work for exact search, or for prio-2006
        largest = max(schedule.area for schedule in found.values())
        for name, schedule in found.items():
            areas.setdefault(name, []).append(schedule.area / bound.sum())
            steps = bound > 0
            worst.setdefault(name, []).append(float((schedule.profile[steps] / bound[steps]).min()))
            wins.setdefault(name, []).append(schedule.area == largest)
    for name in (*STRATEGIES, "dask.order"):
        if name in areas:
            yield [
                name,
                f"{len(areas[name])}",
                f"{100 * np.mean(areas[name]):.2f} %",
                f"{100 * np.mean(wins[name]):.0f} %",
                f"{100 * np.mean(worst[name]):.1f} %",
            ]


def main(directory: Path = CORPUS, graphs: int = 20) -> None:
    header = ["strategy", "dags", "AREA / bound", "largest AREA of all", "worst E(t) / bound"]
    real = [dag for _, dag in workflows(directory)]
    if real:
        print_table(f"{len(real)} real workflows", header, list(rows(real)))
    for title, family in FAMILIES.items():
        dags = [graph.remove_shortcuts(family(seed)) for seed in range(graphs)]
        print_table(f"{title} ({graphs} dags)", header, list(rows(dags)))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
