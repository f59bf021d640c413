"""What a run would do: everything is read and checked as if it were to start, and nothing is."""

from __future__ import annotations

import argparse
import heapq
import json
import shlex
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eligo.cli.amounts import amount, short
from eligo.cli.messages import printable
from eligo.cli.run_options import folder_of
from eligo.cli.table import number, plural, table

if TYPE_CHECKING:
    from eligo.engines.plan import Plan, Task

__all__ = ["dry_run", "starting_order"]

_SHOWN = 10
_WIDEST = 160


def dry_run(plan: Plan, order: str, args: argparse.Namespace) -> int:
    """Check a plan against its engine and its state, and print what would run."""
    facts = _facts(plan, order, args, _slots(plan, args), _done(plan, args))
    if args.json:
        sys.stdout.write(f"{json.dumps(facts)}\n")
        return 0
    rows = [("jobs", number(facts["jobs"]), _left(facts)), ("order", order, "")]
    if facts["slots"]:
        rows.insert(1, ("at once", number(facts["slots"]), ""))
    if plan.limit is not None and plan.footprint is not None:
        unit = plan.footprint.rules.unit
        rows.append(("limit", amount(plan.limit, unit), plan.footprint.rules.resource))
    print(table(f"{plan.document.source.path}: would run on {args.engine}; nothing was started", rows))
    print("\nfirst:")
    for job in facts["first"]:
        print(printable(f"  {short(job['job'])}: {job['command'][:_WIDEST]}"))
    return 0


def _facts(plan: Plan, order: str, args: argparse.Namespace, slots: int, done: list[bool]) -> dict[str, Any]:
    first = islice((job for job in starting_order(plan) if not done[job]), _SHOWN)
    return {
        "event": "dry-run",
        "file": plan.document.source.path,
        "engine": args.engine,
        "order": order,
        "slots": slots or None,
        "jobs": plan.dag.n,
        "done": sum(done),
        "limit": plan.limit,
        "first": [{"job": plan.dag.names[job], "index": job, "command": _command(plan.task(job))} for job in first],
    }


def _left(facts: dict[str, Any]) -> str:
    return f"{plural(facts['done'], 'job')} of them done" if facts["done"] else ""


def _slots(plan: Plan, args: argparse.Namespace) -> int:
    """Let the engine say what it cannot do, with a state that nobody needs; return how many jobs run at once."""
    from eligo.engines.choosing import make_engine
    from eligo.engines.state import State

    with tempfile.TemporaryDirectory(prefix="eligo-dry-") as here:
        facts = {"engine": args.engine, "run_id": "0" * 16, "workflow": plan.document.source.path}
        with State.create(Path(here), plan.dag, **facts) as state:
            engine = make_engine(args.engine, plan, state, args.passed_on, args.slots)
            try:
                return engine.slots
            finally:
                engine.close()


def _done(plan: Plan, args: argparse.Namespace) -> list[bool]:
    """Return which jobs are done already: by the file, or by the run that would be resumed."""
    from eligo.engines.state import JobStatus, State

    if args.resume:
        with State.open(folder_of(args), reading=True) as state:
            state.check_workflow(plan.document.dag, plan.document.source.path)
            return [status == JobStatus.DONE for status in state.status]
    return [plan.task(job).done for job in range(plan.dag.n)]


def starting_order(plan: Plan) -> Iterator[int]:
    """Yield the jobs as one slot would run them: of those that could start, the largest priority first."""
    dag, rank = plan.dag, (-plan.priorities).tolist()
    left = (dag.pred_ptr[1:] - dag.pred_ptr[:-1]).tolist()
    ready = [(rank[job], job) for job in range(dag.n) if not left[job]]
    heapq.heapify(ready)
    while ready:
        _, job = heapq.heappop(ready)
        yield job
        for child in dag.children(job).tolist():
            left[child] -= 1
            if not left[child]:
                heapq.heappush(ready, (rank[child], child))


def _command(task: Task) -> str:
    if not task.processes:
        return "(nothing)"
    more = f" (and {len(task.processes) - 1:,} more)" if len(task.processes) > 1 else ""
    return shlex.join(task.processes[0].argv) + more
