"""Speed as ratios that hardly depend on the machine: processor times over that of ten plain sorts in Python.

The plain sorts are of the SDSS-like dag of paper 002; ten, so that they take about as long as what is measured beside
them, and meet as much of what disturbs. That is prioritising this dag and reading it from a DAGMan file, five times the
worst peak and five times the shortcuts of a layered dag with a fifth of its jobs (as many would wait for memory most of
the time, and vary with what others do to it), and 400 simulated runs of AIRSN under two strategies. Each process
measures all of them in turn, several times; a figure is made of the least times of several processes, which are spread
over the minutes in which other figures are measured. They are processes of their own, since plain sorts take longer
where much else has been done before.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import best_times, cpu
from benchmarks.speed import closure_graphs
from eligo import Grid, generate, graph, prioritize, read, simulate, write
from eligo.memory._worst_peak import worst_peak

__all__ = ["NOISE", "Speeds", "plain_sort"]

NOISE = {"prioritize": 0.10, "worst-peak": 0.15, "shortcuts": 0.15, "read": 0.20, "simulate": 0.10}
"""What is measured, and its noise as a fraction.

Measured by 20 complete figures, each the best of six processes, on one machine of two cores: twelve while six to eight
processes wanted these, eight while three or four did. The largest exceeded the smallest by 4.6, 9.0, 9.4, 10.3 and
6.4 %. The noise is half as much again, rounded up to 5 %, and at least 10 %. What another kind of processor does to
these ratios has not been measured: there, look twice before you believe a loss.
"""

_TURNS = 7
_ROOT = Path(__file__).resolve().parents[2]


class Speeds:
    """The least times of the processes so far."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.times = [float("inf")] * (1 + len(NOISE))

    def go_on(self) -> None:
        """Measure in one more process."""
        command = [sys.executable, "-m", "benchmarks.quality.release_speeds", f"{self.jobs}"]
        told = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.times = [min(pair) for pair in zip(self.times, json.loads(told), strict=True)]

    def ratios(self) -> dict[str, float]:
        """Return each time over that of the plain sorts."""
        plain, *times = self.times
        return {name: time / plain for name, time in zip(NOISE, times, strict=True)}


def plain_sort(children: list[list[int]], parents: list[int]) -> list[int]:
    """Return a topological order, by plain Python: what speed is measured in.

    Parameters
    ----------
    children
        Of each job.
    parents
        The number of each job's parents.

    Examples
    --------
    >>> plain_sort([[2], [2], []], [0, 0, 2])
    [0, 1, 2]
    """
    waiting = list(parents)
    order = [job for job, count in enumerate(waiting) if not count]
    for job in order:
        for child in children[job]:
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


def _times(jobs: int) -> list[float]:
    """Return the times of ten plain sorts and of all that is measured."""
    dag, layered, airsn = generate.sdss(jobs), closure_graphs.FAMILIES["layered"](jobs // 5), generate.airsn(250)
    children = [dag.children(job).tolist() for job in range(dag.n)]
    parents = np.diff(dag.pred_ptr).tolist()
    print_ = closure_graphs.weighted(layered)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "workflow.dag")
        write(dag, file)
        actions: list[Callable[[], object]] = [
            lambda: [plain_sort(children, parents) for _ in range(10)],
            lambda: prioritize(dag),
            lambda: [worst_peak(print_) for _ in range(5)],
            lambda: [graph.shortcuts(layered) for _ in range(5)],
            lambda: read(file),
            lambda: simulate(airsn, ("prio", "fifo"), grid=Grid(batch=16), samples=20, runs=20, on="here"),
        ]
        return best_times(actions, _TURNS, cpu)


if __name__ == "__main__":
    print(json.dumps(_times(int(sys.argv[1]))))
