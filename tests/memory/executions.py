"""Random executions of a footprint's dag, to hold against bounds: any number of workers, any times, any priorities.

Times are of several kinds, since each reaches states that others do not: none at all, few whole numbers (many ties,
many zeros), and such that one job outlasts all others together. With one worker every order of the jobs can come up.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.dag import Dag
from eligo.memory._footprint import Footprint
from eligo.simulation import list_schedule, peak_of_trace
from eligo.trace import Trace


def random_traces(dag: Dag, seed: int, runs: int) -> Iterator[Trace]:
    """Execute a dag so many times; a function of the seed."""
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        processors = None if rng.random() < 0.4 else int(rng.integers(1, max(dag.n, 1) + 1))
        yield list_schedule(dag, processors, priority=rng.random(dag.n), time_s=_times(rng, dag.n))


def random_executions(footprint: Footprint, seed: int, runs: int) -> Iterator[int]:
    """Execute a footprint's dag so many times and tell each time how much was occupied at most."""
    for trace in random_traces(footprint.dag, seed, runs):
        yield peak_of_trace(footprint, trace)


def _times(rng: np.random.Generator, n: int) -> np.ndarray:
    kind = int(rng.integers(0, 5))
    if kind == 0:
        return np.zeros(n)
    if kind == 1:
        return rng.integers(0, 4, n).astype(float)
    times = 10 ** rng.uniform(-6, 6, n)
    return times if kind == 2 else np.where(rng.random(n) < 0.3, 0.0, times)
