"""Random workflows on random grids, to be run by the kernel and by its twin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eligo import _core
from eligo.dag import Dag
from eligo.memory._footprint import Footprint
from eligo.simulation._grid import ROUNDINGS, ArrivalTrace, Grid, Throttle
from eligo.simulation._runs import COLUMNS, Setup, _arguments, make_setup, run_block
from eligo.simulation._simulated_orders import Contender
from tests.reference import grid_twin

KINDS = ("order", "fifo", "lifo", "random")
Options = dict[str, Any]


@dataclass
class Case:
    """A workflow, a strategy and a grid."""

    dag: Dag
    grid: Grid
    kind: str = "fifo"
    order: list[int] | None = None
    footprint: Footprint | None = None
    seed: int = 0
    common: bool = False

    @property
    def setup(self) -> Setup:
        order = None if self.order is None else np.array(self.order, np.int32)
        contender = Contender(f"my {self.kind}", self.kind, order)
        return make_setup(self.dag, contender, self.grid, seed=self.seed, common=self.common, footprint=self.footprint)

    def twin(self, run: int) -> grid_twin.Run:
        world = grid_twin.world_of(self.dag, self.grid, self.kind, self.order, self.footprint)
        key = grid_twin.key_of(self.seed, self.grid, f"my {self.kind}", self.common)
        return grid_twin.simulate(world, key, run)

    def kernel(self, run: int) -> grid_twin.Run:
        setup = self.setup
        row = dict(zip(COLUMNS, run_block(setup, run, 1, 1)[0].tolist(), strict=True))
        # The trace numbers workers anew, for drawings; the kernel itself tells their true numbers.
        start, end, worker, _ = _core.record_grid(**_arguments(setup), key=setup.key, run=run)
        counts = int(row["peak_memory"]), int(row["allocations"]), bool(row["ended"])
        times = row["execution_time"], row["stalling"], row["utilization"], row["idle_time"]
        return grid_twin.Run(*times, *counts, start.tolist(), end.tolist(), worker.tolist())


def random_order(rng: np.random.Generator, dag: Dag) -> list[int]:
    """Any order that respects the dag: strategies are such, though the kernel would take others too."""
    waiting = [len(dag.parents(job)) for job in range(dag.n)]
    free = [job for job in range(dag.n) if not waiting[job]]
    order = []
    while free:
        order.append(free.pop(int(rng.integers(len(free)))))
        for child in dag.children(order[-1]).tolist():
            waiting[child] -= 1
            if not waiting[child]:
                free.append(child)
    return order


def _arrivals(rng: np.random.Generator, dag: Dag) -> Options:
    many = int(rng.integers(1, 9))
    scale = float(rng.choice([0.5, 1.0, 0.37]))
    time = np.sort(rng.integers(0, 9, many)) * scale
    repeat = None if rng.random() < 0.3 else float(time[-1] + rng.choice([0.5, 1.0, 0.1]))
    return {"arrivals": ArrivalTrace.of(time, rng.integers(1, 5, many), repeat)}


def _throttle(rng: np.random.Generator, dag: Dag) -> Options:
    def perhaps(largest: int) -> int | None:
        return None if rng.random() < 0.4 else int(rng.integers(1, largest + 1))

    category, most = None, None
    if rng.random() < 0.5:
        kinds = int(rng.integers(1, 4))
        category = rng.integers(-1, kinds, dag.n).astype(np.int32)
        most = rng.integers(1, 4, kinds).astype(np.int32)
    return {"throttle": Throttle(perhaps(5), perhaps(3), category, most)}


EXTENSIONS: dict[str, Callable[[np.random.Generator, Dag], Options]] = {
    "own_times": lambda rng, dag: {"own_times": True},
    "arrivals": _arrivals,
    "processors": lambda rng, dag: {"processors": int(rng.integers(1, 6))},
    "stay": lambda rng, dag: {"stay": True},
    "spread": lambda rng, dag: {"spread": float(rng.choice([0.1, 0.5, 2.0]))},
    "fail": lambda rng, dag: {"fail": float(rng.choice([0.1, 0.5]))},
    "lost": lambda rng, dag: {"lost": float(rng.choice([0.05, 0.3]))},
    "deadline": lambda rng, dag: {"deadline": float(rng.choice([0.3, 0.95, 1.0, 2.0]))},
    "lost with a deadline": lambda rng, dag: {"lost": 0.3, "deadline": float(rng.choice([0.9, 1.0, 1.1, 3.0]))},
    "copies": lambda rng, dag: {"copies": int(rng.integers(2, 5))},
    "throttle": _throttle,
}


def random_grid(rng: np.random.Generator, dag: Dag, extensions: list[str]) -> Grid:
    """A grid with these extensions on; without spread of times in a third of all, so that much happens at once."""
    options: Options = {
        "interarrival": float(rng.choice([0.1, 0.5, 1.0, 3.0])),
        "batch": float(rng.choice([1.0, 1.5, 3.0, 8.0, 100.0])),
        "rounding": str(rng.choice(ROUNDINGS)),
        "sd": float(rng.choice([0.0, 0.1, 1.5])),
    }
    for name in extensions:
        options |= EXTENSIONS[name](rng, dag)
    if "processors" in options:
        options.pop("arrivals", None)
    return Grid(**options)


def random_case(rng: np.random.Generator, dag: Dag, extensions: list[str], footprint: Footprint | None = None) -> Case:
    kind = str(rng.choice(KINDS))
    order = random_order(rng, dag) if kind == "order" else None
    grid = random_grid(rng, dag, extensions)
    if grid.own_times and grid.deadline is not None and grid.sd > 0 and dag.time_s is not None:
        # Whole times make deadlines meet, such as t + d + d and t + 2 d: which is first is then a matter of rounding.
        dag = dag.with_known(time_s=dag.time_s * rng.uniform(0.9, 1.1, dag.n))
        footprint = None if footprint is None else footprint.on(dag)
    return Case(dag, grid, kind, order, footprint, int(rng.integers(2**63)), bool(rng.random() < 0.3))


def differences(one: grid_twin.Run, other: grid_twin.Run) -> list[str]:
    """Tell in which fields two runs differ: counts must be equal, times to nine digits."""
    return [name for name in one._fields if not _same(getattr(one, name), getattr(other, name))]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, int):
        return bool(one == other)
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
