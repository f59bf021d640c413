"""How low sequential orders go: peaks of breadth first, depth first and the best that is found, on real workflows.

Each peak is divided by the bound that no execution stays below, which is the best peak itself where that is proved; the
means are geometric. Workflows without any size are left out.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.measure import best_times, cpu, geometric_mean, print_table
from benchmarks.quality.corpus import CORPUS, workflows
from eligo import EligoError
from eligo.memory._analyze import Analysis, analyse
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint
from eligo.memory._sequential import bfs, dfs, peak_of


def _timed(print_: Footprint) -> tuple[Analysis, float]:
    found: list[Analysis] = []
    (spent,) = best_times([lambda: found.append(analyse(print_))], 1, cpu)
    return found[0], spent


def _ratios(found: Analysis) -> list[float]:
    """Return the peaks breadth first, depth first, of the best order and at worst over what none stays below."""
    print_, lowest = found.worst.footprint, found.lowest
    least = max(lowest.peak if lowest.proved else found.least.value, 1)
    peaks = [peak_of(print_, order(print_.dag)) for order in (bfs, dfs)]
    return [max(peak, 1) / least for peak in (*peaks, lowest.peak, found.worst.bound)]


def main(directory: Path = CORPUS) -> None:
    ratios: dict[str, list[list[float]]] = defaultdict(list)
    proved: Counter[str] = Counter()
    slowest: dict[str, float] = defaultdict(float)
    for file, dag in workflows(directory):
        try:
            found, spent = _timed(footprint(dag))
        except EligoError:
            continue  # no sizes
        for name in (file.relative_to(directory).parts[0], "all"):
            ratios[name].append(_ratios(found))
            proved[name] += found.lowest.proved
            slowest[name] = max(slowest[name], spent)
    print_table(
        "Peaks of sequential orders, and of the worst execution, over what no execution stays below",
        ["workflows", "dags", "breadth first", "depth first", "best found", "worst", "best is proved", "slowest"],
        [
            [
                name,
                f"{len(rows)}",
                *(f"{geometric_mean(column):.3f}" for column in zip(*rows, strict=True)),
                f"{proved[name]}",
                f"{slowest[name]:.2f} s",
            ]
            for name, rows in sorted(ratios.items(), key=lambda item: (item[0] == "all", item[0]))
        ],
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
