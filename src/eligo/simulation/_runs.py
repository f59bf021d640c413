"""Runs of one strategy on one grid: the compiled simulator, its keys, and what it needs of a dag.

What comes of a run depends on the dag, the strategy, the grid, the seed and the number of the run, and on nothing else:
not on other runs, nor on who simulates it. docs/simulation.md states the model and its random numbers to the letter.
The kernel is ``native/core/grid_run.hpp``.
"""

from __future__ import annotations

import hashlib
import math
import operator
import struct
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from eligo import _core
from eligo.dag import Dag, Float64, Int32, Int64
from eligo.errors import EligoError
from eligo.graph import levels
from eligo.memory._footprint import Footprint
from eligo.simulation._grid import Grid
from eligo.simulation._simulated_orders import POOLS, Contender
from eligo.trace import Trace, lanes_of

__all__ = ["COLUMNS", "Setup", "depth_of", "expected_times", "make_setup", "run_block", "seconds_per_run", "trace_run"]

COLUMNS = (
    "execution_time",
    "stalling",
    "utilization",
    "idle_time",
    "peak_memory",
    "largest_peak",
    "allocations",
    "ended",
)
"""What is known of a run, in the order of the columns of :func:`run_block`."""

_MASK = 2**64 - 1

# Seconds for a job where batches are rare and where they are not, and for a batch; and from how many jobs on caches are
# too small. All of it roughly, and only for cutting work into pieces.
_RARE_JOB_S, _JOB_S, _BATCH_S, _SETUP_S, _CACHED = 5e-8, 1e-7, 1.2e-8, 1e-6, 1e6

_MOST_BATCHES, _MOST_WORKERS = 1e10, 1e16  # the latter far below 2^63, since sizes of batches vary


@final
@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """One strategy on one grid, ready to run; make one with :func:`make_setup`.

    Attributes
    ----------
    key
        Of all its random numbers.
    depth
        How many jobs the longest chain has.
    """

    dag: Dag
    contender: Contender
    grid: Grid
    key: int
    depth: int
    footprint: Footprint | None = None


def make_setup(
    dag: Dag,
    contender: Contender,
    grid: Grid,
    *,
    seed: int = 0,
    common: bool = False,
    footprint: Footprint | None = None,
    depth: int | None = None,
) -> Setup:
    """Put together what a run needs.

    Parameters
    ----------
    common
        Whether all strategies get the same random numbers: the same batches, the same time for the same job.
    footprint
        What the jobs occupy, for the peaks of memory.
    depth
        How many jobs the longest chain has, if that is known already.

    Raises
    ------
    EligoError
        An empty dag, own times of which none is known, or parts that do not belong together.

    Examples
    --------
    >>> from eligo.simulation._simulated_orders import contender
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> setup = make_setup(dag, contender(dag, "fifo"), Grid(interarrival=0.1, sd=0), seed=7)
    >>> rows = run_block(setup, 0, 4, 2)
    >>> rows.shape, rows[:, 0].round(1).tolist()
    ((2, 8), [2.0, 2.5])
    """
    if not dag.n:
        raise EligoError("the workflow has no jobs: there is nothing to simulate")
    if footprint is not None and footprint.dag is not dag and footprint.dag.names != dag.names:
        raise EligoError("the footprint is of other jobs than the workflow")
    throttle = grid.throttle
    if throttle is not None and throttle.category is not None and len(throttle.category) != dag.n:
        raise EligoError(f"the throttle has categories for {len(throttle.category)} of {dag.n} jobs")
    depth = depth_of(dag) if depth is None else depth
    _check_batches(dag, grid, depth)
    try:
        number = operator.index(seed)
    except TypeError:
        raise EligoError(f"{seed!r} is not a seed", hint="give a whole number from 0") from None
    if number < 0:
        raise EligoError("a seed is a whole number from 0 on")
    key = number & _MASK
    for mean in (grid.interarrival, grid.batch):
        key = _draw(key, struct.unpack("<Q", struct.pack("<d", mean))[0] if grid.random_arrivals else 0)
    digest = hashlib.blake2b(contender.name.encode("utf-8", "surrogatepass")).digest()
    key = _draw(key, 0 if common else int.from_bytes(digest[:8], "little"))
    return Setup(dag, contender, grid, key, depth, footprint)


def _check_batches(dag: Dag, grid: Grid, depth: int) -> None:
    """Refuse grids on which a run would meet more batches, or more workers, than can be counted."""
    batches = _batches_per_run(dag, grid, depth)
    workers = grid.scale if grid.arrivals is None else float(grid.arrivals.workers.max())
    if batches > _MOST_BATCHES or batches * (workers + 1) > _MOST_WORKERS:
        raise EligoError(
            f"some {batches:.0e} batches of workers would come in a run: too many to simulate",
            hint="let them come less often, or fewer at a time",
        )


def depth_of(dag: Dag) -> int:
    """Return how many jobs the longest chain has.

    Examples
    --------
    >>> depth_of(Dag.from_names([("a", "b"), ("a", "c")]))
    2
    """
    return int(levels(dag).max()) + 1


def run_block(setup: Setup, first: int, count: int, group: int) -> Float64:
    """Simulate the runs from number `first` on, and return their means over `group` runs each.

    Returns
    -------
    Float64
        One row for each `group` runs with the columns :data:`COLUMNS`; ``largest_peak`` is a maximum. The execution
        time is the mean of runs that ended, infinite where none did.
    """
    if not (first >= 0 and count >= 0 and group >= 1 and count % group == 0):
        raise ValueError("a block is a number of whole groups of runs")
    rows = _core.run_grid(**_arguments(setup), key=setup.key, first=first, count=count, group=group)
    return rows.reshape(count // group, len(COLUMNS))


def trace_run(setup: Setup, run: int = 0) -> Trace:
    """Simulate one run, and return who did what when.

    Of a job that was given to several workers the trace has the one whose result came first. Workers are numbered by
    when they first got a job; where they leave after one, each number stands for a place that is filled again.

    Examples
    --------
    >>> from eligo.simulation._simulated_orders import contender
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> trace_run(make_setup(dag, contender(dag, "fifo"), Grid(processors=2, sd=0)))
    Trace(3 jobs, 2 s on 2 workers)
    """
    start, end, worker, events = _core.record_grid(**_arguments(setup), key=setup.key, run=run)
    seconds = setup.grid.own_times
    assumptions = () if seconds else ("times are in mean job times, shown as seconds",)
    trace = Trace.of(setup.dag, start, end, events=events, assumptions=assumptions)
    where = _numbered(worker, trace.order) if setup.grid.staying else lanes_of(trace).lane
    return Trace.of(setup.dag, start, end, where, events=events, assumptions=assumptions, workers=setup.grid.processors)


def seconds_per_run(setup: Setup) -> float:
    """Return roughly how long a run takes; the same wherever it is asked.

    Examples
    --------
    >>> from eligo.simulation._simulated_orders import contender
    >>> dag = Dag.from_edges(1000)
    >>> 1e-5 < seconds_per_run(make_setup(dag, contender(dag, "fifo"), Grid())) < 1e-2
    True
    """
    grid, dag = setup.grid, setup.dag
    rare = grid.random_arrivals and 4 * grid.gap >= float(expected_times(dag, grid).mean())
    jobs = dag.n * grid.copies / (1 - grid.fail - grid.lost)
    work = _SETUP_S + jobs * (_RARE_JOB_S if rare else _JOB_S) * (1 + dag.n / _CACHED)
    return work + _BATCH_S * _batches_per_run(dag, grid, setup.depth)


def _batches_per_run(dag: Dag, grid: Grid, depth: int) -> float:
    """Return roughly how many batches come in a run: those its jobs need, or those that come in its longest chain."""
    gap, workers = grid.gap, max(grid.scale, 1.0)
    if grid.processors is not None:
        return 1.0
    if grid.arrivals is not None:
        if grid.arrivals.repeat_every is None:
            return float(len(grid.arrivals.time))
        gap = grid.arrivals.repeat_every / len(grid.arrivals.time)
        workers = float(grid.arrivals.workers.mean())
    times = expected_times(dag, grid)
    longest = max(float(times.mean()) * depth, float(times.max()))
    longest *= math.exp(grid.spread * math.sqrt(2 * math.log(dag.n + 1)))  # of n workers the slowest is about so slow
    if grid.deadline is not None:
        longest *= 1 + grid.deadline * grid.lost / (1 - grid.lost)
    return max(dag.n / workers, longest / gap)


def expected_times(dag: Dag, grid: Grid) -> Float64:
    """Return how long each job takes on average: 1, or its own time; where that is unknown, the mean of the known.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b"), ("b", "c")], time_s=[2, float("nan"), 4])
    >>> expected_times(dag, Grid(own_times=True)).tolist()
    [2.0, 3.0, 4.0]
    """
    if not grid.own_times:
        return np.ones(dag.n)
    known = np.full(dag.n, np.nan) if dag.time_s is None else dag.time_s
    if np.all(np.isnan(known)):
        raise EligoError(
            "no job's time is known", hint="supply them (--job-data TABLE), or let jobs take one unit of time each"
        )
    return np.where(np.isnan(known), np.nanmean(known), known) + 0.0  # without negative zeros


def _arguments(setup: Setup) -> dict[str, Any]:
    """Return the grid as the kernel takes it."""
    dag, grid, contender = setup.dag, setup.grid, setup.contender
    place = dag.order if contender.order is None else contender.order
    deadline = 0.0 if grid.deadline is None else grid.deadline
    return {
        "graph": (dag.succ_ptr, dag.succ, place, expected_times(dag, grid)),
        "kind": 1 + POOLS.index(contender.kind) if contender.order is None else 0,
        "arrivals": _arrivals(grid),
        "workers": (
            grid.sd,
            grid.spread,
            grid.staying,
            grid.processors or 0,
            grid.fail,
            grid.lost,
            deadline,
            grid.copies,
        ),
        "throttling": _throttling(grid),
        "occupied": _occupied(setup.footprint),
    }


def _arrivals(grid: Grid) -> tuple[float, float, float, Float64, Int64, float]:
    time, workers, period = np.empty(0), np.empty(0, np.int64), 0.0
    if grid.processors is not None:
        time, workers = np.zeros(1), np.array([grid.processors], np.int64)
    elif grid.arrivals is not None:
        time, workers, period = grid.arrivals.time, grid.arrivals.workers, grid.arrivals.repeat_every or 0.0
    return grid.gap, grid.present, grid.scale, time, workers, period


def _throttling(grid: Grid) -> tuple[int, int, Int32, Int32]:
    throttle, nothing = grid.throttle, np.empty(0, np.int32)
    if throttle is None:
        return 0, 0, nothing, nothing
    category = nothing if throttle.category is None else throttle.category
    most = nothing if throttle.category_max is None else throttle.category_max
    return throttle.max_jobs or 0, throttle.max_idle or 0, category, most


def _occupied(footprint: Footprint | None) -> tuple[Int64, Int64, Int64, Int32, Int64, Int64, int, bool]:
    if footprint is None:
        nothing, none = np.empty(0, np.int64), np.empty(0, np.int32)
        return nothing, nothing, nothing, none, nothing, nothing, 0, False
    readers = np.diff(footprint.reader_ptr)
    datum = np.repeat(np.arange(footprint.k, dtype=np.int32), readers)
    by_job = np.argsort(footprint.readers, kind="stable")
    read_ptr = np.concatenate([[0], np.cumsum(np.bincount(footprint.readers, minlength=footprint.dag.n))])
    made, base, one_event = footprint.outputs, footprint.base, footprint.rules.one_event
    return footprint.running, made, read_ptr, datum[by_job], footprint.size, readers, base, one_event


def _numbered(worker: Int64, order: Int32) -> Int32:
    """Number workers from 0 by when they first got a job."""
    _, first, number = np.unique(worker[order], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    where = np.full(len(worker), -1, np.int32)
    where[order] = rank[number]
    return where


def _draw(key: int, number: int) -> int:
    z = (key + (number + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31
