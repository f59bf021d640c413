"""Advice: for which grids prioritising pays on a workflow, and how much.

Some workflows leave nothing to choose: a chain has one order, and independent jobs can all run from the beginning. For
all others ``looking.py`` searches the grids of paper 002 for those where it pays, and ``advice_words.py`` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eligo import _core
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.simulation.comparing import check_kinds
from eligo.simulation.contest import make_contest
from eligo.simulation.grid import Grid
from eligo.simulation.looking import Look, Search
from eligo.simulation.places import open_place
from eligo.simulation.results import Point

__all__ = ["Advice", "Look", "advise"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Advice:
    """For which grids prioritising pays, and how much.

    Attributes
    ----------
    verdict
        ``pays``; ``hurts``; ``mixed``, where it does the one on some grids and the other on others; ``even``, where no
        grid that was tried makes a clear difference; ``chain`` or ``independent`` where there was nothing to try.
    looks
        All grids that were tried, ascending.
    best, worst
        The grid with the largest gain, and with the largest loss if that is clear, run again with independent numbers.
    samples, runs
        How many of these.
    complete
        Whether the edges of where it pays were all found within the work allowed.
    seconds
        Whether times are in seconds; else they are in mean job times.
    jobs, strategy, against, seed
        What was asked.
    """

    verdict: str
    jobs: int
    strategy: str
    against: str
    seed: int
    seconds: bool
    looks: tuple[Look, ...] = ()
    best: Point | None = None
    worst: Point | None = None
    samples: int = 0
    runs: int = 0
    complete: bool = True

    def __repr__(self) -> str:
        return f"<Advice: {self.verdict}, {self.strategy} against {self.against}; {len(self.looks)} grids tried>"

    def clear(self, sign: int) -> list[Look]:
        """Return the grids on which it clearly pays (1), or hurts (-1)."""
        return [look for look in self.looks if look.clearly(sign)]

    @property
    def regions(self) -> list[tuple[float, float, float]]:
        """For each time between batches for which it clearly pays: that, and the smallest and largest such batch."""
        return self._rows(1)

    @property
    def losses(self) -> list[tuple[float, float, float]]:
        """The same where it clearly hurts."""
        return self._rows(-1)

    def _rows(self, sign: int) -> list[tuple[float, float, float]]:
        rows: dict[float, list[float]] = {}
        for look in self.clear(sign):
            rows.setdefault(look.interarrival, []).append(look.batch)
        return [(interarrival, min(batches), max(batches)) for interarrival, batches in sorted(rows.items())]

    @property
    def paragraph(self) -> str:
        """The advice in words."""
        from eligo.simulation.advice_words import paragraph_of

        return paragraph_of(self)

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain values for ``json.dumps``."""
        return {
            "advice": self.paragraph,
            "verdict": self.verdict,
            "strategy": self.strategy,
            "against": self.against,
            "seed": self.seed,
            "unit": "s" if self.seconds else "mean job time",
            "best": None if self.best is None else self.best.facts(),
            "worst": None if self.worst is None else self.worst.facts(),
            "samples": self.samples,
            "runs": self.runs,
            "grids": {"tried": len(self.looks), "pays": len(self.clear(1)), "hurts": len(self.clear(-1))},
            "pays": _named(self.regions),
            "hurts": _named(self.losses),
            "complete": self.complete,
            "looks": [look.facts() for look in self.looks],
        }


def _named(rows: list[tuple[float, float, float]]) -> list[dict[str, float]]:
    return [dict(zip(("interarrival", "low", "high"), row, strict=True)) for row in rows]


def advise(
    dag: Dag,
    strategy: Any = "best",
    *,
    against: Any = "fifo",
    grid: Grid | None = None,
    seed: int = 0,
    work_s: float | None = None,
    on: str = "processes",
    on_progress: Callable[[float], None] | None = None,
) -> Advice:
    """Find for which grids prioritising pays on a workflow.

    Parameters
    ----------
    strategy, against
        What is compared with what: strategies by name, or made by ``contender``; the first may also be a schedule or
        an order.
    grid
        All but the times between batches and their sizes, which vary.
    work_s
        How much work to spend: seconds of one core, by an estimate that does not look at a clock. By default 15, or up
        to 100 for large dags.
    seed, on, on_progress
        As for ``simulate``.

    Raises
    ------
    EligoError
        The dag is empty, or the grid leaves nothing to vary.

    Examples
    --------
    >>> advise(Dag.from_names([("a", "b"), ("b", "c")])).verdict
    'chain'
    """
    check_kinds(dag, grid)
    grid = Grid() if grid is None else grid
    if not dag.n:
        raise EligoError("no jobs: nothing to simulate", hint="give a workflow with at least one job")
    if not grid.random_arrivals:
        raise EligoError(
            "advice varies when workers come: it cannot have fixed processors or arrivals from a file",
            hint="leave these out, or simulate one grid",
        )
    if grid.lost > 0 and grid.deadline is None:
        raise EligoError(
            "where workers never come back and there is no deadline, hardly a run ends: there is nothing to compare",
            hint="give a deadline, such as 3 times the mean",
        )
    name, other = (each if isinstance(each, str) else getattr(each, "name", "order") for each in (strategy, against))
    asked = (dag.n, name, other, seed, grid.own_times)
    plain = _verdict_without_trying(dag, grid)
    if plain is not None:
        return Advice(plain, *asked)
    contest = make_contest(dag, [strategy, against], samples=1, runs=1, seed=seed, common=True, against=other)
    tell = on_progress if on_progress is not None else lambda _: None
    with open_place(on) as place:
        verdict, looks, best, worst, samples, runs, complete = Search(contest, grid, place, work_s, tell).run()
    return Advice(verdict, *asked, looks, best, worst, samples, runs, complete)


def _verdict_without_trying(dag: Dag, grid: Grid) -> str | None:
    """Tell dags that leave nothing to choose."""
    order = dag.order
    if _core.has_edge(dag.succ_ptr, dag.succ, order[:-1], order[1:]).all():
        return "chain"
    if not dag.m and not grid.own_times and grid.throttle is None:
        return "independent"
    return None
