"""Many short jobs on the Slurm that `SLURM_CONF` names: how many a minute, and Eligo's own time for each.

    python -m benchmarks.engines.slurm_many 2000

Its own time is that of this process; ``sbatch`` and the like are processes of Slurm's, counted beside it.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import print_table
from eligo.dag import Dag
from eligo.engines._plan import Plan, Process, Task
from eligo.engines._slurm import Slurm
from eligo.engines._state import JobStatus, State
from eligo.formats._base import Document
from eligo.formats._source import Source


def run(dag: Dag, home: Path) -> list[str]:
    """Run ``true`` for every job of a dag, and return a row of the table."""
    task = Task("a", (Process(("true",), "/"),))
    priorities = np.arange(dag.n, 0, -1, dtype=np.int32)
    plan = Plan(Document(dag, "dot", Source(str(home / "x.dot"), b"")), dag, priorities, lambda _: task, home)
    folder = home / "x.dot.eligo"
    folder.mkdir(mode=0o700)
    with State.create(folder, dag, run_id=secrets.token_hex(8), workflow="x.dot", engine="slurm") as state:
        before, own, commands = time.perf_counter(), time.process_time(), os.times()
        engine = Slurm(plan, state)
        engine.submit()
        while not engine.over:
            engine.watch(1.0)
        engine.close()
        elapsed, own, after = time.perf_counter() - before, time.process_time() - own, os.times()
        assert state.counts()[JobStatus.DONE] == dag.n
    theirs = after.children_user + after.children_system - commands.children_user - commands.children_system
    rate, each, others = 60 * dag.n / elapsed, 1000 * own / dag.n, 1000 * theirs / dag.n
    return [f"{dag.n:,}", f"{elapsed:.1f} s", f"{rate:,.0f}", f"{each:.2f} ms", f"{others:.2f} ms"]


def main(jobs: int = 2000) -> None:
    half = max(1, jobs // 2)
    dags = {
        "independent": Dag.from_edges(jobs, [], []),
        "pairs": Dag.from_edges(2 * half, range(half), range(half, 2 * half)),
    }
    rows = []
    for name, dag in dags.items():
        with tempfile.TemporaryDirectory() as home:
            rows.append([name, *run(dag, Path(home))])
    header = ["jobs", "number", "time", "a minute", "own time a job", "Slurm's commands a job"]
    print_table("Short jobs on Slurm", header, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
