"""Executions as they could be: who runs what, when, and what it occupies.

>>> from eligo import simulation
>>> from eligo.dag import Dag
>>> simulation.list_schedule(Dag.from_names([("a", "b"), ("a", "c")]), 2)
Trace(3 jobs, 2 s on 2 workers)

``simulate``, ``sweep`` and ``advise`` are about grids that nobody can predict; docs/simulation.md states their model.
Names are loaded on first use, since few commands need all of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eligo.simulation._advise import Advice, advise
    from eligo.simulation._grid import ArrivalTrace, Grid, Throttle
    from eligo.simulation._grid_inputs import read_arrivals
    from eligo.simulation._grid_sweep import sweep
    from eligo.simulation._list_schedule import MemoryUse, list_schedule, memory_over_time, peak_of_trace
    from eligo.simulation._ratios import Summary
    from eligo.simulation._simulate import Comparison, simulate
    from eligo.simulation._sweep_results import Results, read_results, write_results

__all__ = [
    "Advice",
    "ArrivalTrace",
    "Comparison",
    "Grid",
    "MemoryUse",
    "Results",
    "Summary",
    "Throttle",
    "advise",
    "list_schedule",
    "memory_over_time",
    "peak_of_trace",
    "read_arrivals",
    "read_results",
    "simulate",
    "sweep",
    "write_results",
]

_HOME = {
    "Advice": "_advise",
    "advise": "_advise",
    "read_arrivals": "_grid_inputs",
    "Comparison": "_simulate",
    "simulate": "_simulate",
    "ArrivalTrace": "_grid",
    "Grid": "_grid",
    "Throttle": "_grid",
    "list_schedule": "_list_schedule",
    "MemoryUse": "_list_schedule",
    "memory_over_time": "_list_schedule",
    "peak_of_trace": "_list_schedule",
    "Summary": "_ratios",
    "Results": "_sweep_results",
    "read_results": "_sweep_results",
    "write_results": "_sweep_results",
    "sweep": "_grid_sweep",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eligo.simulation' has no attribute {name!r}")
    value = getattr(import_module(f"eligo.simulation.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
