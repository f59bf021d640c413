"""Executions as they could be: who runs what, when, and what it occupies.

>>> from eligo import simulation
>>> from eligo.dag import Dag
>>> simulation.list_schedule(Dag.from_names([("a", "b"), ("a", "c")]), 2)
Trace(3 jobs, 2 s on 2 workers)
"""

from __future__ import annotations

from eligo.simulation.list_scheduling import list_schedule
from eligo.simulation.memory_use import MemoryUse, memory_over_time, peak_of_trace

__all__ = ["MemoryUse", "list_schedule", "memory_over_time", "peak_of_trace"]
