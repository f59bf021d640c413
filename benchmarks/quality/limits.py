"""What limits cost, by each method, as paper 004 shows it in section 6: the critical path and makespans against memory.

Six limits a dag, evenly spread: 0 is the peak of the depth-first order, 1 the worst peak. Dags where both are equal are
left out. As in 004, the critical path of a method that fails is infinite, so medians and quartiles compare methods
that fail differently often; means are over what was solved. Makespans are those of list scheduling on 2 and 5
processors. Every dag that comes out is checked by its certificate: the flow, not what the method says.

``eligo-papers 004`` has the whole of that section, on more graphs and at all eleven bounds, beside what is printed;
what both need is there, in ``eligo_papers``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.measure import print_table
from benchmarks.quality.corpus import CORPUS, workflows
from eligo import EligoError, generate, simulation
from eligo.dag import Dag
from eligo.errors import InfeasibleError
from eligo.memory._footprint import Footprint
from eligo.memory._ilp import solve_ilp
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.memory._sequential import sequential
from eligo.memory._serialization import work_of
from eligo.memory._worst_peak import WorstPeak, worst_peak
from eligo_papers.memory.pieces import PLOTTED
from eligo_papers.memory.runs import METHODS, PROCESSORS, bound_of, check_limited, peaks
from eligo_papers.memory.statistics import TABLE_2, quartiles

__all__ = ["LIMITS", "METHODS", "Tally", "daggen_set", "datasets", "main"]

LIMITS = PLOTTED
_ILP_JOBS = 30
_ILP_NODES = 200


def daggen_set(density: float, sizes: tuple[int, ...]) -> Iterator[Dag]:
    """Yield 004's dags of one density: all combinations of its parameters."""
    for seed, (jobs, fat, regular, jump) in enumerate(product(sizes, (0.2, 0.5, 0.8), (0.2, 0.8), (1, 2, 4))):
        yield generate.daggen(jobs, fat=fat, regular=regular, density=density, jump=jump, seed=seed)


def datasets(directory: Path, sizes: tuple[int, ...], every: int) -> dict[str, list[Dag]]:
    """Return 004's sets, generated, and the papers' own graphs where the corpus is there."""
    sets = {"DAGGEN dense": list(daggen_set(0.8, sizes)), "DAGGEN sparse": list(daggen_set(0.2, sizes))}
    for name in ("LIGO", "MONTAGE", "GENOME"):
        sets[name] = [dag for _, dag in workflows(directory / "sdfm-dot", f"{name}*")]
    sets["daggen-dot"] = [dag for _, dag in workflows(directory / "daggen-dot")]
    return {name: dags[::every] for name, dags in sets.items() if dags}


class Tally:
    """What each method came to at each limit: ratios to the dag without a limit, infinite where it failed."""

    def __init__(self) -> None:
        self.paths: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.makespans: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.checked = 0

    def fail(self, method: str, at: float) -> None:
        """Note that a method found nothing."""
        self.paths[method][at].append(np.inf)

    def take(self, method: str, at: float, before: Dag, worst: WorstPeak, most: int) -> None:
        """Check what came out, and measure it."""
        after = worst.footprint.dag
        check_limited(worst, most)
        self.checked += 1
        self.paths[method][at].append(_makespan(after, None) / _makespan(before, None))
        for p in PROCESSORS:
            self.makespans[method][p].append(_makespan(after, p) / _makespan(before, p))

    def rows(self) -> Iterator[list[str]]:
        """Yield a row for each method; the largest limit, where nothing is to be done, only counts in the means."""
        for method, of_limit in self.paths.items():
            everything = np.concatenate([of_limit[at] for at in LIMITS])
            solved = everything[np.isfinite(everything)]
            yield [
                method,
                *(_quartiles(of_limit[at]) for at in LIMITS[:-1]),
                f"{solved.mean():.3f}" if solved.size else "-",
                f"{len(everything) - len(solved)} of {len(everything)}",
                *(f"{np.mean(self.makespans[method][p]):.3f}" if solved.size else "-" for p in PROCESSORS),
            ]


def _makespan(dag: Dag, processors: int | None) -> float:
    return float(simulation.list_schedule(dag, processors).makespan_s)


def _quartiles(ratios: list[float]) -> str:
    low, middle, high = quartiles(ratios)
    return f"{middle:.2f} ({low:.2f}-{high:.2f})".replace("inf", "∞")


def _try_ilp(print_: Footprint, most: int, start: Dag | None) -> WorstPeak | None:
    """Return what the integer program finds within its nodes, from `start` on."""
    dag, pairs = print_.dag, None
    if start is not None:
        added = set(zip(start.tails.tolist(), start.heads.tolist(), strict=True))
        pairs = sorted(added - set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)))
    answer = solve_ilp(print_, most, work_of(dag), start=pairs, max_nodes=_ILP_NODES)
    if answer.tails is None or answer.heads is None:
        return None
    return worst_peak(print_.on(dag.with_edges(answer.tails, answer.heads)))


def _measure(print_: Footprint, low: int, high: int, tally: Tally, *, ilp: bool) -> None:
    """Try every method at every limit."""
    lowest = sequential(print_)
    for at in LIMITS:
        most = bound_of(low, high, at)
        best: Dag | None = None
        for method in METHODS:
            try:
                found = limit(print_, most, method=method, lowest=lowest)
            except InfeasibleError:
                tally.fail(method, at)
                continue
            tally.take(method, at, print_.dag, found.worst, most)
            best = found.dag if method == "auto" else best
        if ilp:
            worst = _try_ilp(print_, most, best)
            if worst is None:
                tally.fail("ilp", at)
            else:
                tally.take("ilp", at, print_.dag, worst, most)


def _table(name: str, dags: list[Dag], *, ilp: bool) -> tuple[list[str], int]:
    """Print the table of one set, and return its row of ratios."""
    tally, ratios = Tally(), []
    for dag in dags:
        try:
            print_ = footprint(dag)
        except EligoError:
            continue  # no sizes
        low, high = peaks(print_)
        if low < high:
            ratios.append(high / low)
            _measure(print_, low, high, tally, ilp=ilp)
    print_table(
        f"{name}: {len(ratios)} dags, critical path against that without a limit, median (quartiles)",
        ["method", *(f"limit {at:.1f}" for at in LIMITS[:-1]), "mean", "failures", "2 processors", "5 processors"],
        list(tally.rows()),
    )
    ours = ", ".join(f"{ratio:.1f}" for ratio in quartiles(ratios)) if ratios else "-"
    theirs = ", ".join(map(str, TABLE_2[name])) if name in TABLE_2 else "-"
    return [name, f"{len(ratios)} of {len(dags)}", ours, theirs], tally.checked


def main(directory: Path = CORPUS, sizes: tuple[int, ...] = (25, 50, 100), every: int = 1) -> None:
    sets = datasets(directory, sizes, every)
    found = [_table(name, dags, ilp=False) for name, dags in sets.items()]
    small = [dag for dags in sets.values() for dag in dags if dag.n <= _ILP_JOBS]
    found.append(_table(f"At most {_ILP_JOBS} jobs, all sets", small, ilp=True))
    print_table(
        "Worst peak over depth-first peak, quartiles (004: Table 2)",
        ["set", "where they differ", "here", "004"],
        [row for row, _ in found],
    )
    print(f"\n{sum(checked for _, checked in found):,} dags with a limit, every one checked by its certificate.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
