"""Runs on real Dask clusters: plans made by hand, jobs that tell on a clash, and a driver that can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from eligo.dag import Dag
from eligo.engines._dask import Dask
from eligo.engines._engine import Event, Happening
from eligo.engines._plan import Plan, Process, Task
from eligo.engines._state import JobStatus, State
from eligo.formats._base import Document
from eligo.formats._source import Source

PATIENCE_S = 60

# Holds a lock for as long as it runs, so that two of the same job at once are seen whatever the clocks say.
JOB = textwrap.dedent(
    """
    import fcntl, os, sys, time
    name, seconds, code = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    def tell(what):
        with open("told", "a") as told:
            told.write(f"{what} {name}\\n")
    lock = open(f"lock-{name}", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell("CLASH")
    tell("S")
    until = sys.argv[4:]
    while until and not os.path.exists(until[0]):
        time.sleep(0.02)
    time.sleep(seconds)
    tell("E")
    sys.exit(code)
    """
)


def job(home: Path, name: str, seconds: float = 0.0, code: int = 0, until: str = "") -> Process:
    """Return a process that tells of its start and end in ``told``, and ends when the file `until` is there."""
    argv = (sys.executable, "-I", "-S", "-c", JOB, name, str(seconds), str(code), *([until] if until else []))
    return Process(argv, str(home))


def told(home: Path, what: str) -> list[str]:
    """Return of which jobs this was told, in order."""
    path = home / "told"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split()[1] for line in lines if line.split()[0] == what]


def make_plan(
    home: Path, dag: Dag, task: Callable[[int], Task] | None = None, priorities: Sequence[int] | None = None, **rest
) -> Plan:
    ranked = np.array(range(dag.n, 0, -1) if priorities is None else priorities, np.int32)
    document = Document(dag, "dot", Source(str(home / "flow.dot"), b""))

    def simple(index: int) -> Task:
        return Task(dag.names[index], (job(home, dag.names[index]),))

    return Plan(document, dag, ranked, task or simple, home, **rest)


def new_state(plan: Plan) -> State:
    folder = plan.home / "state"
    folder.mkdir(mode=0o700)
    return State.create(folder, plan.dag, run_id=os.urandom(8).hex(), engine="dask")


def drive(engine: Dask, until: Callable[[list[Event]], bool] | None = None, seconds: float = PATIENCE_S) -> list[Event]:
    """Watch until the engine is over, or until something has happened; fails after a while."""
    events: list[Event] = []
    end = time.monotonic() + seconds
    while not engine.over and not (until is not None and until(events)):
        assert time.monotonic() < end, f"not over after {seconds} s: {events[-5:]}"
        events += engine.watch(0.2)
    return events


def run(plan: Plan, address: str | None, **rest) -> tuple[State, list[Event]]:
    state = new_state(plan)
    engine = Dask(plan, state, address=address, **rest)
    try:
        engine.submit()
        events = drive(engine)
    finally:
        engine.close()
    return state, events


def happened(events: Sequence[Event], what: Happening) -> list[int]:
    return [event.job for event in events if event.what is what]


def check_all_done(plan: Plan, state: State, *, once: bool = True) -> None:
    """Check that all jobs are done, that none ran twice at the same time, and, if nobody was lost, none again."""
    assert state.status == [JobStatus.DONE] * plan.dag.n
    assert not told(plan.home, "CLASH")
    ends, starts = Counter(told(plan.home, "E")), Counter(told(plan.home, "S"))
    assert set(ends) == set(plan.dag.names)
    if once:
        assert starts == ends == Counter(plan.dag.names)


def start_driver(home: Path, module: str, address: str, function: str = "drive_apart") -> subprocess.Popen[bytes]:
    """Start a process that makes the plan of a test module again and runs it; it may be killed."""
    code = f"from tests.engines.{module} import {function}; {function}({str(home)!r}, {address!r})"
    root = str(Path(__file__).parents[2])
    return subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": root}, cwd=home)


def eventually(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
