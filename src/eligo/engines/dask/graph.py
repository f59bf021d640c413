"""The graph that a scheduler is given: tasks that carry orders, and wait for each other.

Dask sends a task to where its inputs are. For jobs, whose inputs are files, that would be wrong: the children of one
job would all wait at one worker while others idle, until Dask notices and moves some of them. Tasks that *produce data*
are spread instead, and those for which no worker is free wait at the scheduler by priority, which is what we want.
Where dask is too old to be told so, its usual rule holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["entry", "make_task"]


def entry() -> Callable[..., None]:
    """Return what a task calls; a local function is sent as code, so that the scheduler needs no eligo."""

    def run(packed: bytes, *parents: Any, **_: Any) -> None:
        from eligo.engines.dask.job import run_order

        run_order(packed)

    return run


def make_task(key: str, run: Callable[..., None], packed: bytes, parents: Iterable[Any]) -> Any:
    """Return a task that waits for `parents`, which are futures, or keys of the same graph."""
    try:
        from dask.task_spec import Task, TaskRef
    except ImportError:
        return (run, packed, *parents)
    references = [TaskRef(getattr(parent, "key", parent)) for parent in parents]
    return Task(key, run, packed, *references, _data_producer=True)  # older ones hand it on to `run`
