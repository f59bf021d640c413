"""``eligo run``: the jobs of a workflow on this machine or on the engine people have, and safe from being killed.

The order to run a workflow by, as the options wish it; a file that gives some priorities is warned of.

What a run would do: everything is read and checked as if it were to start, and nothing is.
"""

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

from eligo._cli.arguments import open_input
from eligo._cli.limit_options import limited_by
from eligo._cli.memory_options import footprint_of
from eligo._cli.messages import warn
from eligo._cli.progress import working
from eligo._cli.run_options import add_words, check_words, folder_of
from eligo._cli.terminal import table
from eligo._humanize import named, number, plural, printable, short
from eligo.errors import ParseError

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.engines._make_plan import Order
    from eligo.engines._plan import Plan, Task
    from eligo.formats._base import Document
    from eligo.memory._limit import Limited

__all__ = [
    "DESCRIPTION",
    "EXAMPLE",
    "add_arguments",
    "dry_run",
    "order_for",
    "run",
    "starting_order",
    "task_of",
]

DESCRIPTION = """
Run the jobs of a workflow, those that free most others first. What jobs run is said by DAGMan files (with RETRY,
scripts, categories ...), WfFormat and Pegasus YAML; for all others --command says it.

What happens is recorded in a folder beside the workflow, FILE.eligo. However a run ends, by Ctrl-C, kill -9 or a power
cut: --resume goes on, and no job that has succeeded runs again. A job that fails keeps its log; all that does not need
it goes on. Times and sizes that were seen serve the next order: --job-data FILE.eligo.

Ctrl-C: no new jobs are started. Once more: running jobs are ended. A third time: leave at once; jobs that still run
are found again by --resume. `eligo status FILE` shows from another terminal where the run stands.

Exit status: 0 every job succeeded, 1 one failed (or what ABORT-DAG-ON says), 130 after Ctrl-C, 143 after SIGTERM.
"""
EXAMPLE = """
eligo run workflow.dag                                  # here, on all cores
eligo run workflow.dag --dry-run
eligo run workflow.dag --resume -j 4
eligo run montage.json --command 'sleep {time_s}'
eligo run workflow.yml --memory 64GB --delete-intermediate
eligo run workflow.dag --engine htcondor -- -maxidle 100
eligo run workflow.dag --engine dask:tcp://10.0.0.1:8786
eligo run workflow.dag --watch 8080                     # on a page, in a browser on this machine
eligo run workflow.dag --gantt run.svg --trace run.json
eligo run workflow.dag --json | jq -r 'select(.event == "failed").job'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_words(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, run, and print what came of it."""
    from eligo._cli.output_files import check_pictures
    from eligo._cli.workflow_output import check_distinct

    check_words(args)
    written = {"--log": args.log, "--gantt": args.gantt, "--trace": args.chrome_trace}
    check_distinct({"FILE": args.file, "--job-data": args.job_data, **written})
    check_pictures(args)
    plan, order, limited = _planned(args)
    if args.dry_run:
        return dry_run(plan, order, args)
    from eligo._cli.run_watch import carry_out

    if args.watch is None:
        return carry_out(plan, order, args)
    from eligo._cli.run_watch import RunPage

    with RunPage(plan, limited, order, args.watch) as page:
        return carry_out(plan, order, args, page)


def _planned(args: argparse.Namespace) -> tuple[Plan, str, Limited | None]:
    """Read, limit and order a workflow, and find out what its jobs do; return that, whose order it is, the limit."""
    from eligo.engines._make_plan import make_plan

    with working(f"reading {printable(args.file)}"):
        document = open_input(args, original=args.memory is not None, limited=args.memory is None)
    dag, footprint, most, limited = document.dag, None, None, None
    if args.memory is not None:
        limited = limited_by(document, footprint_of(document, args), args)
        dag, footprint, most = limited.dag, limited.footprint, limited.limit
    order = order_for(document, dag, args)
    plan = make_plan(
        document,
        dag=dag,
        priorities=order.priorities,
        command=args.command,
        footprint=footprint,
        limit=most,
        delete_intermediate=args.delete_intermediate,
    )
    warn([*plan.warnings, *_kept_files(plan)])
    return plan, order.source, limited


def _kept_files(plan: Plan) -> list[str]:
    """Return what to say, before anything runs, of files that will not be deleted though one might think so."""
    from eligo.engines._intermediate_files import FilesSeen

    path, data = plan.document.source.path, plan.dag.data
    bound = plan.footprint is not None and plan.footprint.rules.resource == "disk"
    listed = data is not None and data.names is not None
    if not plan.delete_intermediate:
        how = "--delete-intermediate does" if listed else "jobs have to"
        text = f"the limit takes files to be gone after their last reader, and nothing deletes them; {how}"
        return [f"{path}: {text}"] if bound else []
    if not listed:
        return [f"{path}: --delete-intermediate deletes nothing: it is not said which files jobs make and read"]
    seen, told = FilesSeen(plan), []
    if not seen.passing:
        told.append(f"{path}: --delete-intermediate deletes nothing: there is no file that only feeds other jobs")
    if seen.wanted:
        but = ", though the limit takes them to be gone after their last reader" if bound else ""
        told.append(f"{path}: {plural(seen.wanted, 'file')} to be staged out will be kept{but}")
    return told


def order_for(document: Document, dag: Dag, args: argparse.Namespace) -> Order:
    """Return the priorities to run a workflow by; `dag` has the dependencies that a limit added."""
    from eligo.engines._make_plan import order_of

    with working(f"ordering {dag.n:,} jobs"):
        order = order_of(document, dag, args.strategy, keep=args.keep_priorities)
    if order.kept:
        those = f"{'have' if order.kept > 1 else 'has'} a priority in the file, which stays"
        warn([f"{document.source.path}: {plural(order.kept, 'job')} {those}; --strategy best orders all jobs"])
    return order


_SHOWN = 10
_WIDEST = 160
_KINDS = 4


def dry_run(plan: Plan, order: str, args: argparse.Namespace) -> int:
    """Check a plan against its engine and its state, and print what would run."""
    slots, (done, running) = _slots(plan, args), _before(plan, args)
    facts = _facts(plan, order, args, _Census(plan, done))
    facts |= {"slots": slots or None, "running": running}
    if args.json:
        sys.stdout.write(f"{json.dumps(facts)}\n")
        return 0
    print(table(f"{plan.document.source.path}: would run on {args.engine}; nothing was started", _rows(plan, facts)))
    if facts["first"]:
        print("\nfirst:")
    for job in facts["first"]:
        print(printable(f"  {short(job['job'])}: {_cut(job['command'])}"))
        for title, text in (("before", job["before"]), ("after", job["after"]), ("in", job["directory"])):
            if text is not None:
                print(printable(f"    {title}: {_cut(text)}"))
    return 0


def _facts(plan: Plan, order: str, args: argparse.Namespace, census: _Census) -> dict[str, Any]:
    first = islice((job for job in starting_order(plan) if not census.done[job]), _SHOWN)
    of = None if plan.categories is None else plan.categories.of.tolist()
    most = [] if plan.categories is None else plan.categories.most.tolist()
    return {
        "event": "dry-run",
        "file": plan.document.source.path,
        "engine": args.engine,
        "order": order,
        "slots": None,
        "running": 0,
        "jobs": plan.dag.n,
        "done": sum(census.done),
        "limit": plan.limit,
        "retried": census.retried,
        "before": census.before,
        "after": census.after,
        "categories": [{"jobs": of.count(kind), "most": limit} for kind, limit in enumerate(most)] if of else [],
        "final": None if plan.final is None else {"job": plan.final.name, **_told(plan.final, plan)},
        "first": [{"job": plan.dag.names[job], "index": job, **_told(task_of(plan, job), plan)} for job in first],
    }


def _rows(plan: Plan, facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    from eligo._cli.run_watch import limit_text

    done = f"{number(facts['done'])} of them done already" if facts["done"] else ""
    rows = [("jobs", number(facts["jobs"]), done), ("order", facts["order"], "")]
    if facts["slots"]:
        rows.insert(1, ("at once", number(facts["slots"]), ""))
    if facts["running"]:
        rows.insert(1, ("taken over", number(facts["running"]), "that may still run"))
    if plan.limit is not None:
        rows.append(("limit", limit_text(plan), ""))
    if facts["retried"]:
        rows.append(("retries", number(facts["retried"]), "to be tried again if they fail"))
    if facts["before"] or facts["after"]:
        where = f"{facts['before']:,} before jobs, {facts['after']:,} after"
        rows.append(("scripts", number(facts["before"] + facts["after"]), where))
    if kinds := facts["categories"]:
        told = [f"{kind['most']:,} of {plural(kind['jobs'], 'job')}" for kind in kinds]
        rows.append(("categories", number(len(kinds)), f"at once at most {named(told, len(told), _KINDS)}"))
    if facts["final"] is not None:
        rows.append(("FINAL", short(facts["final"]["job"]), _cut(facts["final"]["command"])))
    return rows


class _Census:
    """What there is in all tasks together.

    Attributes
    ----------
    done
        Of each job, whether it would not run: the file says so, or the run that would be resumed.
    retried, before, after
        How many of the others are tried again, and have scripts.
    """

    def __init__(self, plan: Plan, done: list[bool] | None) -> None:
        self.done = done or [False] * plan.dag.n
        self.retried = self.before = self.after = 0
        for job in range(plan.dag.n):
            task = task_of(plan, job)
            if task is None or self.done[job]:
                continue
            if task.done:
                self.done[job] = True
                continue
            self.retried += task.retries > 0
            self.before += task.before is not None
            self.after += task.after is not None


def task_of(plan: Plan, job: int) -> Task | None:
    """Return what a job does; ``None`` where only the engine knows, which had nothing against it."""
    try:
        return plan.task(job)
    except ParseError:
        return None


def _told(task: Task | None, plan: Plan) -> dict[str, Any]:
    """Return what a task runs on its first try, as words for people."""
    from eligo.engines._attempts import for_attempt

    if task is None:
        return {"command": "(as the engine itself reads it)", "directory": None, "before": None, "after": None}
    directory = for_attempt(task.processes[0], 1).directory if task.processes else str(plan.home)
    return {
        "command": _command(task),
        "directory": None if Path(directory) == plan.home else directory,
        "before": None if task.before is None else " ".join(task.before.argv),
        "after": None if task.after is None else " ".join(task.after.argv),
    }


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} ..."


def _slots(plan: Plan, args: argparse.Namespace) -> int:
    """Let the engine say what it cannot do, with a state that nobody needs; return how many jobs run at once."""
    from eligo.engines._engine import make_engine
    from eligo.engines._state import State

    with tempfile.TemporaryDirectory(prefix="eligo-dry-") as here:
        facts = {"engine": args.engine, "run_id": "0" * 16, "workflow": plan.document.source.path}
        with State.create(Path(here), plan.dag, **facts) as state:
            engine = make_engine(args.engine, plan, state, args.passed_on, args.slots)
            try:
                warn(engine.doubts)
                return engine.slots
            finally:
                engine.close()


def _before(plan: Plan, args: argparse.Namespace) -> tuple[list[bool] | None, int]:
    """Return which jobs an earlier run that would be resumed has done, and how many it left running.

    Where it is not to be resumed but stands in the way, that is said.
    """
    from eligo.engines._rescue import read_rescue
    from eligo.engines._run_folder import holder
    from eligo.engines._state import FILE_NAME, JobStatus, State

    folder = folder_of(args)
    if (who := holder(folder)) is not None:
        warn([f"{folder}: a run goes on here (process {who}): another would be refused"])
    if args.restart or not (args.resume or (folder / FILE_NAME).exists()):
        return None, 0
    if args.resume and not (folder / FILE_NAME).exists() and plan.document.format == "dagman":
        rescued = read_rescue(plan.document)
        if rescued is not None:
            return rescued, 0
    with State.open(folder, reading=True) as state:
        state.check_workflow(plan.document.dag, plan.document.source.path)
        if args.resume:
            return [status == JobStatus.DONE for status in state.status], state.counts()[JobStatus.RUNNING]
        done = f"{state.counts()[JobStatus.DONE]:,} of {plural(len(state.status), 'job')} done"
    if who is None:
        warn([f"{folder}: there is a run already, with {done}: it takes --resume to go on, or --restart to begin anew"])
    return None, 0


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
    from eligo.engines._attempts import for_attempt

    if not task.processes:
        return "(nothing)"
    more = f" (and {len(task.processes) - 1:,} more)" if len(task.processes) > 1 else ""
    return shlex.join(for_attempt(task.processes[0], 1).argv) + more
