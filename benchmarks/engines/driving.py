"""A process that runs a workflow on the local engine, made to be killed.

Python with numpy takes a third of a second to start; to kill hundreds of runs at random moments, also in their first
milliseconds, that is too long. So one process imports everything, waits for orders on its standard input, and becomes a
new run by forking for each. It prints the number of the process, then its exit status.

The workflow is ``plan.json`` in a folder; jobs write to ``story`` there, events go to ``events``, what went wrong to
``errors``.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from eligo.dag import Dag
from eligo.engines._plan import Hook, Plan, Process, Sandbox, Task
from eligo.engines._run import Outcome, start
from eligo.engines._state import FILE_NAME
from eligo.errors import EligoError
from eligo.formats._base import Document
from eligo.formats._source import Source

__all__ = ["load_plan"]

SCRIPT = """\
#!/bin/sh
# STORY KIND NAME SECONDS FAIL [BOX]: FAIL is 0, or one in how many fails; in a sandbox it makes a file
echo "S $2 $3 $$" >> "$1"
sleep "$4"
if [ -n "$6" ]; then echo "$3" > made; fi
code=0
if [ "$5" -gt 0 ] && [ $(( $$ % $5 )) -eq 0 ]; then code=1; fi
echo "E $2 $3 $$ $code" >> "$1"
exit $code
"""


def load_plan(folder: Path) -> Plan:
    """Return the plan that a folder describes."""
    jobs: list[dict[str, Any]] = json.loads((folder / "plan.json").read_text())
    edges = [(parent, job["name"]) for job in jobs for parent in job["parents"]]
    dag = Dag.from_names(edges, jobs=[job["name"] for job in jobs])
    path = folder / "flow.dot"

    def words(kind: str, job: dict[str, Any], seconds: float, fail: int) -> tuple[str, ...]:
        return (str(folder / "job.sh"), str(folder / "story"), kind, job["name"], f"{seconds:g}", str(fail))

    def task(index: int) -> Task:
        job = jobs[index]
        process = Process(words("main", job, job["seconds"], job["fail"]), str(folder))
        if job["box"]:
            box = Sandbox((("input", str(folder / "plan.json")),), (("made", str(folder / f"made-{job['name']}")),))
            process = replace(process, argv=(*process.argv, "box"), sandbox=box)
        slow = {"before": 0.0, "after": job.get("slow_after", 0.0)}
        hooks = [Hook(words(kind, job, slow[kind], 0), str(folder)) if job[kind] else None for kind in slow]
        after = hooks[1] if job["fail"] == 0 else None  # one that succeeds would hide the failure
        return Task(job["name"], (process,), hooks[0], after, retries=job["retries"], path=str(path))

    return Plan(Document(dag, "dot", Source(str(path), b"")), dag, np.zeros(dag.n, np.int32), task, folder)


def drive(folder: Path, *, slots: int, state: str | None, presume_dead: bool, jump_s: float) -> int:
    """Run or resume until all is over; return the exit status of the run."""
    if jump_s:
        real = time.time
        time.time = lambda: real() + jump_s
    home = folder / "flow.dot.eligo" if state is None else Path(state)
    plan = load_plan(folder)
    resume = (home / FILE_NAME).exists()
    events = os.open(folder / "events", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with start(plan, folder=home, resume=resume, slots=slots, presume_dead=presume_dead) as run:
        while not run.over:
            for event in run.watch(1.0):
                name = plan.dag.names[event.job] if event.job >= 0 else ""
                line = {"what": event.what.name, "job": name, "text": event.text, "time_s": event.time_s}
                os.write(events, json.dumps(line).encode() + b"\n")
        return _checked(run.finish())


def _checked(outcome: Outcome) -> int:
    trace, dag = outcome.trace, outcome.trace.dag
    if outcome.exit_status == 0 and not bool(np.all(trace.end_s >= trace.start_s)):
        raise AssertionError("a job ends before it starts, or its times are not known")
    if outcome.exit_status == 0 and not bool(np.all(trace.end_s[dag.tails] <= trace.start_s[dag.heads])):
        raise AssertionError(f"a job starts before its parent ends: {trace.start_s} {trace.end_s}")
    return outcome.exit_status


def _become_a_run(order: dict[str, Any]) -> int:
    folder = Path(order.pop("folder"))
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    try:
        return drive(folder, **order)
    except EligoError as error:
        (folder / "errors").write_text(f"{error}\n")
        return 3
    except BaseException:
        (folder / "errors").write_text(traceback.format_exc())
        return 4


def main() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_become_a_run(order))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
