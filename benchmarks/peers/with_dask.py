"""dask.order: the order in which Dask runs a graph, made for few results in memory, not for many ready tasks.

Two questions. How many jobs are ELIGIBLE, on average, in its order and in ours. And how many results are held, at most
and on average, by Dask's own diagnostics, in its order, in ours for many ready jobs (``best``) and in ours for small
memory (``sequential``).

Dask counts, when a task starts, the results that somebody still needs; what nobody reads is not counted. So we look for
an order in the pebble model without the pebbles of sinks. There a job's own result counts while it still has its
inputs, which is one more than Dask counts at most. How long results are held on average, Dask's *age*, is the same
number as how many are held on average.
"""

from __future__ import annotations

from typing import Any

import dask.order
import numpy as np

from benchmarks.peers.registry import Disagreement, Values
from benchmarks.peers.timing import alternately
from eligo import Schedule, prioritize
from eligo.dag import Dag, Int32
from eligo.memory._footprint import Footprint, Rules
from eligo.memory._sequential import sequential
from eligo.schedule import sinks_last

__all__ = ["QUESTIONS", "compare_orders", "order_of", "pebbles", "pressure", "tasks_of"]


def tasks_of(dag: Dag) -> dict[Any, Any]:
    """Return a dag as Dask's own task objects, which it orders faster than tuples."""
    plain: dict[Any, Any] = {job: (min, *dag.parents(job).tolist()) for job in range(dag.n)}
    tasks: dict[Any, Any] = dask.order.sanitize_dsk(plain)
    return tasks


def order_of(dag: Dag, tasks: dict[Any, Any]) -> Schedule:
    """Return the order of dask.order as it is."""
    place = dask.order.order(tasks)
    return Schedule.of(dag, np.argsort([place[job] for job in range(dag.n)]))


def pebbles(dag: Dag) -> Footprint:
    """Return the pebble model without pebbles on sinks."""
    makers = np.flatnonzero(np.diff(dag.succ_ptr)).astype(np.int32)
    ptr = np.append(dag.succ_ptr[makers], dag.m)
    nothing, ones = np.zeros(dag.n, np.int64), np.ones(len(makers), np.int64)
    return Footprint(dag, Rules("pebble", "memory"), nothing, ones, makers, ptr, dag.succ, np.full_like(makers, -1))


def pressure(schedule: Schedule, tasks: dict[Any, Any]) -> tuple[int, float]:
    """Return how many results are held at most and on average, by Dask's diagnostics.

    Raises
    ------
    Disagreement
        They are not our numbers of open jobs.
    """
    n = schedule.dag.n
    infos, held = dask.order.diagnostics(tasks, dict(zip(schedule.order.tolist(), range(n), strict=True)))
    if held != schedule.open_jobs[:n].tolist() or max(held) != schedule.memory_cost:
        raise Disagreement("Dask's pressure is not our number of open jobs")
    if sum(info.age for info in infos.values()) != sum(held):
        raise Disagreement("Dask's ages do not add up to its pressure")
    return max(held), sum(held) / n


def compare_orders(dag: Dag, seconds: float) -> Values:
    """Compare orders: ELIGIBLE jobs and results held on average, results held at most, and times."""
    tasks, small = tasks_of(dag), pebbles(dag)
    theirs = order_of(dag, tasks)
    lowest: Int32 = sequential(small).order
    orders = {
        "best": prioritize(dag).schedule,
        "prio": prioritize(dag, "prio").schedule,
        "dask": theirs,
        "dask_last": Schedule.of(dag, sinks_last(dag, theirs.order)),
        "sequential": Schedule.of(dag, lowest),
    }
    values = {f"ready_{name}": one.area / (dag.n + 1) for name, one in orders.items()}
    for name, one in orders.items():
        values[f"peak_{name}"], values[f"held_{name}"] = pressure(one, tasks)
    actions = [
        lambda: prioritize(dag),
        lambda: prioritize(dag, "prio"),
        lambda: sequential(small),
        lambda: dask.order.order(tasks),
    ]
    names = ("time_best", "time_prio", "time_sequential", "time_dask")
    return values | dict(zip(names, alternately(actions, seconds), strict=True))


QUESTIONS = {"orders": compare_orders}
