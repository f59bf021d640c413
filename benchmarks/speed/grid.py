"""The simulator of the grid beside plain Python, on one core and on two, and what it needs of memory.

Speed is in job executions: a run of a workflow with n jobs counts n. Both simulators are timed in turn, by processor
time, on as many runs as fill a fraction of a second each; only the comparison of processes goes by the clock.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np

from benchmarks.measure import best_times, cpu, print_table
from benchmarks.speed import kernels
from benchmarks.speed.plain_grid import plain_run
from benchmarks.speed.prioritize import shuffled
from eligo import generate
from eligo.dag import Dag
from eligo.simulation._executors import Block, open_place
from eligo.simulation._grid import Grid
from eligo.simulation._runs import Setup, make_setup, run_block
from eligo.simulation._simulated_orders import contender

_ALONE = """
import resource, sys
from pathlib import Path
from eligo import generate
from eligo.simulation._simulated_orders import contender
from eligo.simulation._grid import Grid
from eligo.simulation._runs import make_setup, run_block
dag, runs = generate.airsn(250), int(sys.argv[1])
run_block(make_setup(dag, contender(dag, "prio"), Grid()), 0, runs, runs)
status = Path("/proc/self/status")  # where there is none: getrusage, though on Linux that is the parent's if larger
lines = status.read_text().splitlines() if status.exists() else []
peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
print(*(peaks or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""
_SECONDS = 0.25  # to fill with runs of each simulator
_SMALLEST = 2_000  # jobs up to which nothing but AIRSN is run, for tests


class _Case(NamedTuple):
    name: str
    jobs: int
    make: Callable[[], Dag]
    mean: tuple[float, float]
    strategies: tuple[str, ...] = ("prio", "fifo")


_CASES = (
    _Case("AIRSN", 773, lambda: generate.airsn(250), (1, 16)),
    _Case("Inspiral-like", 2_988, lambda: generate.inspiral(2_988), (1, 16)),
    _Case("Montage-like", 7_881, lambda: generate.montage(7_881), (1, 16)),
    _Case("SDSS-like", 48_013, lambda: generate.sdss(48_013), (1, 16)),
    _Case("SDSS-like", 48_013, lambda: generate.sdss(48_013), (1, 2**13)),
    _Case("random", 1_000_000, lambda: shuffled(kernels.uniform, 1_000_000), (1, 1_000_000)),
)


def _setup(dag: Dag, strategy: str, mean: tuple[float, float]) -> Setup:
    return make_setup(dag, contender(dag, strategy), Grid(interarrival=mean[0], batch=mean[1]))


def _plainly(setup: Setup) -> Callable[[int], None]:
    """Return what does some runs in plain Python, after preparing the dag for it."""
    dag = setup.dag
    ends = dag.succ_ptr.tolist()
    heads = dag.succ.tolist()
    children = [heads[first:last] for first, last in pairwise(ends)]
    parents = np.diff(dag.pred_ptr).tolist()
    order = None if setup.contender.order is None else setup.contender.order.tolist()
    rng, mean = Random(1), (setup.grid.interarrival, setup.grid.batch)

    def play(runs: int) -> None:
        for _ in range(runs):
            plain_run(children, parents, mean, rng, order)

    return play


def _row(case: _Case, dag: Dag, strategy: str) -> list[str]:
    setup = _setup(dag, strategy, case.mean)
    actions = [lambda runs: run_block(setup, 0, runs, runs), _plainly(setup)]
    once = [best_times([partial(action, 1)], 2 if dag.n < 500_000 else 1, cpu)[0] for action in actions]
    runs = [max(1, round(_SECONDS / seconds)) for seconds in once]
    times = once
    if max(runs) > 1:
        times = best_times([partial(action, many) for action, many in zip(actions, runs, strict=True)], 7, cpu)
    ours, theirs = (dag.n * many / seconds for many, seconds in zip(runs, times, strict=True))
    return [
        f"{case.name}, {dag.n:,} jobs, {strategy}",
        f"({case.mean[0]:g}, {case.mean[1]:,})",
        f"{1000 * times[0] / runs[0]:,.3f} ms",
        f"{ours / 1e6:.1f} million",
        f"{theirs / 1e6:.2f} million",
        f"{ours / theirs:.0f}",
    ]


def _wall(on: str, setup: Setup, runs: int) -> Callable[[], None]:
    pieces = [Block(0, first, runs // 40, runs // 40) for first in range(0, runs, runs // 40)]

    def work() -> None:
        with open_place(on) as place:
            for _ in place.work([setup], pieces):
                pass

    return work


def _alone(processes: int, runs: int) -> list[int]:
    """Share runs of AIRSN among processes that know nothing of each other; return their largest memory in KiB."""
    command = [sys.executable, "-c", _ALONE, str(runs // processes)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    return [int(process.communicate()[0]) for process in started]


def _two_cores(runs: int) -> list[list[str]]:
    """Return one row for our processes and one for the machine: starting the processes is part of both."""
    setup = _setup(generate.airsn(250), "prio", (1, 16))
    ours = [_wall(f"processes:{many}", setup, runs) for many in (1, 2)]
    apart = [partial(_alone, many, runs) for many in (1, 2)]
    times = best_times([*ours, *apart], 3)
    names = ("eligo", "two processes that know nothing of each other")
    pairs = zip(names, times[::2], times[1::2], strict=True)
    return [[name, f"{one:.2f} s", f"{two:.2f} s", f"{one / two:.2f}"] for name, one, two in pairs]


def main(most_jobs: int = 1_000_000) -> None:
    small = most_jobs <= _SMALLEST
    rows = []
    for case in _CASES:
        if case.jobs <= most_jobs:
            dag = case.make()
            rows += [_row(case, dag, strategy) for strategy in case.strategies]
    print_table(
        "Simulation: job executions per second of processor time (goals: AIRSN 10 million, SDSS-like 5 million, "
        "50 times plain Python, a million jobs in a few seconds)",
        ["workflow and strategy", "grid", "a run", "kernel", "plain Python", "ratio"],
        rows,
    )
    runs = 400 if small else 400_000
    print_table(
        f"Two processes against one, by the clock: {runs:,} runs of AIRSN at (1, 16) (goal: 1.7 times as fast, where "
        "the machine lets two processes run at full speed)",
        ["who", "one", "two", "ratio"],
        _two_cores(runs),
    )
    print_table(
        "Largest resident memory of a process that simulates AIRSN (goal: it does not grow)",
        ["runs", "MiB"],
        [[f"{runs:,}", f"{_alone(1, runs)[0] / 1024:.1f}"] for runs in ((100, 200) if small else (100, 10_000))],
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
