"""Plans made by hand, and runs of them to their end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from eligo.dag import Dag
from eligo.engines._engine import Event
from eligo.engines._plan import Plan, Process, Task
from eligo.engines._slurm import Slurm
from eligo.engines._state import State
from eligo.formats._base import Document
from eligo.formats._source import Source


def shell(name: str, text: str, home: Path, **more: object) -> Task:
    """A task that runs a shell's text."""
    return replace(Task(name, (Process(("/bin/sh", "-c", text), str(home)),), path="x.dag", line=7), **more)


def make_plan(
    home: Path, dag: Dag, task: Callable[[int], Task], order: Sequence[str] | None = None, **more: object
) -> Plan:
    """A plan; `order` has the names by priority, the first first."""
    priorities = np.arange(dag.n, 0, -1, dtype=np.int32)
    for place, name in enumerate(order or ()):
        priorities[dag.index(name)] = dag.n - place
    document = Document(dag, "dot", Source(str(home / "x.dot"), b""))
    return Plan(document, dag, priorities, task, home, **more)


def open_state(plan: Plan) -> State:
    """The state of a plan: the one of an earlier run, or a new one."""
    folder = plan.home / "x.dot.eligo"
    if folder.exists():
        return State.open(folder)
    folder.mkdir(mode=0o700)
    return State.create(folder, plan.dag, run_id=secrets.token_hex(8), workflow="x.dot", engine="slurm")


def watch(engine: Slurm, until: Callable[[list[Event]], bool] | None = None, timeout_s: float = 60) -> list[Event]:
    """Watch until all is over, or until something."""
    deadline = time.monotonic() + timeout_s
    events: list[Event] = []
    while not engine.over and not (until is not None and until(events)):
        assert time.monotonic() < deadline, f"not over within {timeout_s} s: {events[-20:]}"
        events += engine.watch(0.5)
    return events


def run(plan: Plan, options: Sequence[str] = (), timeout_s: float = 60) -> tuple[State, list[Event]]:
    """Run a plan to its end; the state is closed, and can still be looked at."""
    with open_state(plan) as state:
        engine = Slurm(plan, state, options)
        engine.submit()
        events = watch(engine, timeout_s=timeout_s)
        engine.collect()
        engine.close()
    return state, events
