"""Engines: a workflow run on this machine, on HTCondor, on Slurm or on Dask, behind one small interface.

::

    plan.py      what is asked for: the dag, its priorities, and for each job a task (tasks/: one module a format)
    base.py      what an engine is: submit, watch, cancel, collect     contract.py   the test that each of them passes
    state.py     what is known of a run, in one SQLite file            folder.py     where it is, for one run at a time
    running.py   a run from its beginning to its end                   verbs.py      the same in one call: ``eligo.run``
    local/  htcondor/  slurm/  dask/                                   the engines themselves
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eligo.engines._engine import Engine, Event, Happening
    from eligo.engines._make_plan import make_plan
    from eligo.engines._plan import Plan, Process, Task
    from eligo.engines._run import Outcome, Run, start
    from eligo.engines._state import JobStatus, State

__all__ = [
    "Engine", "Event", "Happening", "JobStatus", "Outcome", "Plan", "Process", "Run", "State", "Task", "make_plan",
    "start",
]  # fmt: skip

_HOME = {
    "_engine": ("Engine", "Event", "Happening"),
    "_plan": ("Plan", "Process", "Task"),
    "_make_plan": ("make_plan",),
    "_run": ("Outcome", "Run", "start"),
    "_state": ("JobStatus", "State"),
}


def __getattr__(name: str) -> Any:
    """Load a name on first use: whoever wants one engine need not wait for the others."""
    from importlib import import_module

    for home, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"eligo.engines.{home}"), name)
    raise AttributeError(f"module 'eligo.engines' has no attribute {name!r}")
