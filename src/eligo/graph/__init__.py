"""Verbs on one Dag or several: its shape, its parts, and dags made from dags.

All are linear in jobs and edges, but for shortcut removal, which has no linear algorithm and is kept near it (see
``native/core/shortcuts.hpp``), and the topological order, which a Dag carries from its construction (``dag.order``).
"""

from __future__ import annotations

from eligo.graph.derive import cut_out, dual, edges_between, grouped, induced_subdag, relabel, rename, sum_of
from eligo.graph.shape import (
    Bools,
    CriticalPath,
    components,
    critical_path,
    heights,
    joined,
    levels,
    reachable,
    remove_shortcuts,
    shortcuts,
    sinks,
    sources,
    width,
)

__all__ = [
    "Bools",
    "CriticalPath",
    "components",
    "critical_path",
    "cut_out",
    "dual",
    "edges_between",
    "grouped",
    "heights",
    "induced_subdag",
    "joined",
    "levels",
    "reachable",
    "relabel",
    "remove_shortcuts",
    "rename",
    "shortcuts",
    "sinks",
    "sources",
    "sum_of",
    "width",
]
