"""``eligo run``: the jobs of a workflow on this machine or on the engine people have, and safe from being killed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eligo.cli.arguments import open_input
from eligo.cli.limit_wish import limited_by
from eligo.cli.memory_options import footprint_of
from eligo.cli.messages import warn
from eligo.cli.progress import working
from eligo.cli.run_options import add_words, check_words
from eligo.words import plural, printable

if TYPE_CHECKING:
    from eligo.engines.plan import Plan
    from eligo.memory.limiting import Limited

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

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
    from eligo.cli.outputs import check_distinct
    from eligo.cli.trace_outputs import check_pictures

    check_words(args)
    written = {"--log": args.log, "--gantt": args.gantt, "--trace": args.chrome_trace}
    check_distinct({"FILE": args.file, "--job-data": args.job_data, **written})
    check_pictures(args)
    plan, order, limited = _planned(args)
    if args.dry_run:
        from eligo.cli.run_dry import dry_run

        return dry_run(plan, order, args)
    from eligo.cli.run_watch import carry_out

    if args.watch is None:
        return carry_out(plan, order, args)
    from eligo.cli.run_page import RunPage

    with RunPage(plan, limited, order, args.watch) as page:
        return carry_out(plan, order, args, page)


def _planned(args: argparse.Namespace) -> tuple[Plan, str, Limited | None]:
    """Read, limit and order a workflow, and find out what its jobs do; return that, whose order it is, the limit."""
    from eligo.cli.run_order import order_for
    from eligo.engines.planning import make_plan

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
    from eligo.engines.files_seen import FilesSeen

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
