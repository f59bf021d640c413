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
    from eligo.simulation.advising import Advice, advise
    from eligo.simulation.arrival_files import read_arrivals
    from eligo.simulation.comparing import Comparison, simulate
    from eligo.simulation.grid import ArrivalTrace, Grid, Throttle
    from eligo.simulation.list_scheduling import list_schedule
    from eligo.simulation.memory_use import MemoryUse, memory_over_time, peak_of_trace
    from eligo.simulation.ratios import Summary
    from eligo.simulation.results import Results, read_results, write_results
    from eligo.simulation.sweeping import sweep

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
    "Advice": "advising",
    "advise": "advising",
    "read_arrivals": "arrival_files",
    "Comparison": "comparing",
    "simulate": "comparing",
    "ArrivalTrace": "grid",
    "Grid": "grid",
    "Throttle": "grid",
    "list_schedule": "list_scheduling",
    "MemoryUse": "memory_use",
    "memory_over_time": "memory_use",
    "peak_of_trace": "memory_use",
    "Summary": "ratios",
    "Results": "results",
    "read_results": "results",
    "write_results": "results",
    "sweep": "sweeping",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eligo.simulation' has no attribute {name!r}")
    value = getattr(import_module(f"eligo.simulation.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
