"""``eligo status``: where a run stands, read from its state by anyone who may read it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eligo._cli.arguments import add_input, add_json, open_input
from eligo._cli.messages import warn
from eligo._cli.progress import clock
from eligo._cli.run_options import READING, add_pictures, folder_of, resuming
from eligo._cli.run_summary import REPEATED, repeated_names
from eligo._cli.terminal import table
from eligo._humanize import duration, number, plural, printable, short
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo._cli.run_display import Tally
    from eligo.dag import Dag
    from eligo.engines._state import State

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Say where a run of `eligo run` stands, from another terminal or after it: whether it goes on, how many jobs are done,
running, eligible, failed, when it will be over, and what to do next. Nothing is changed, and the run is not disturbed.

Exit status: 0 if there is a state to tell of, whatever it is; 1 if there is none.
"""
EXAMPLE = """
eligo status workflow.dag
eligo status workflow.dag --gantt run.svg
eligo status workflow.dag --json | jq .running
"""

_SHOWN_RUNNING = 20
_SHOWN_FAILED = 10
_WORDS = {
    "running": "goes on",
    "stopping": "is stopping",
    "succeeded": "over: every job succeeded",
    "failed": "over: not every job succeeded",
    "aborted": "over: ended early by ABORT-DAG-ON",
    "stopped": "stopped before it was over",
    "unwatched": "Eligo was killed or left; what is in the queue goes on, and was last looked at then",
    "killed": "was killed, or its machine went down",
    "left": "was left, or killed, while it was stopping",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    add_json(parser)
    parser.add_argument("--state", metavar="DIR", help="where the state of the run is (default: FILE.eligo)")
    add_pictures(parser.add_argument_group("showing it"))


def run(args: argparse.Namespace) -> int:
    """Print where the run stands."""
    from eligo._cli.output_files import check_pictures
    from eligo._cli.workflow_output import check_distinct
    from eligo.engines._run_folder import holder
    from eligo.engines._state import State

    folder = folder_of(args)
    check_distinct({"FILE": args.file, "--gantt": args.gantt, "--trace": args.chrome_trace})
    check_pictures(args)
    who = holder(folder)
    with State.open(folder, reading=True) as state:
        tally = _tally(state, args)
        facts = _facts(state, tally, who)
        if args.json:
            sys.stdout.write(f"{json.dumps(facts)}\n")
        else:
            print(_text(args.file, folder, facts))
        _show(state, tally, args)
    return 0


def _show(state: State, tally: Tally | None, args: argparse.Namespace) -> None:
    """Draw what ran when, where that is wanted."""
    from eligo._cli.output_files import Shown, show_trace

    if args.gantt is None and args.chrome_trace is None:
        return
    if tally is None:
        raise EligoError(
            f"{args.file}: what ran when cannot be drawn without the workflow as it was", hint="put the old file back"
        )
    title = f"{args.file} on {state.get('engine')}"
    show_trace(Shown(state.trace(tally.dag), None, title, "what ran when"), args)


def _tally(state: State, args: argparse.Namespace) -> Tally | None:
    """Count eligible jobs and the like, for which the workflow itself is needed."""
    from eligo._cli.run_display import Tally
    from eligo.engines._state import fingerprint

    try:
        given = {name: getattr(args, name) for name in READING if getattr(args, name) is not None}
        as_before = argparse.Namespace(file=args.file, **(state.get("reading") or dict.fromkeys(READING)) | given)
        document = open_input(as_before, original=True, limited=not state.get("limited"))
        dag = _with_added(document.dag, state.get("added_edges") or [[], []])
    except EligoError as error:
        warn([f"{error.where}{error.text}: eligible jobs are not counted"])
        return None
    if state.get("fingerprint") not in (fingerprint(document.dag), fingerprint(dag)):
        warn([f"{args.file}: has changed since the run began: eligible jobs are not counted"])
        return None
    return Tally(dag, state.status)


def _with_added(dag: Dag, added: list[list[int]]) -> Dag:
    import numpy as np

    from eligo.dag import Dag

    tails, heads = (np.array(ends, np.int32) for ends in added)
    if not len(tails):
        return dag
    ends = np.concatenate([dag.tails, tails]), np.concatenate([dag.heads, heads])
    return Dag.from_edges(dag.names, *ends, time_s=dag.time_s)


def _facts(state: State, tally: Tally | None, who: str | None) -> dict[str, Any]:
    from eligo.engines._state import JobStatus

    counts, now = state.counts(), state.now_s()
    known = [t for times in (state.start_s, state.end_s) for t in times if t is not None]
    running = [job for job, status in enumerate(state.status) if status == JobStatus.RUNNING]
    failed = [job for job, status in enumerate(state.status) if status == JobStatus.FAILED]
    return {
        "state": _word(state, tally, who),
        "engine": state.get("engine"),
        "process": who,
        "began": state.get("began"),
        "elapsed_s": now,
        "last_activity_s": now - max(known, default=0.0),
        "jobs": len(state.names),
        "done": counts[JobStatus.DONE],
        "running": [
            {"job": state.names[job], "index": job, "for_s": _since(now, state.start_s[job])} for job in running
        ],
        "eligible": None if tally is None else tally.eligible,
        "waiting": counts[JobStatus.WAITING],
        "never": None if tally is None else tally.hopeless,
        "failed": [
            {"job": state.names[job], "index": job, "reason": state.reason[job], "exit_code": state.exit_code[job]}
            for job in failed
        ],
        "final": state.get("final"),
        "repeated": repeated_names(sorted(set(state.get("repeated") or [])), state.names, "FINAL"),
        "stopping": state.get("stopping") if who is not None else None,
        "left_s": _left_s(state, tally) if who is not None and not state.get("stopping") else None,
        "resume": resuming(state.get("words") or [str(state.get("workflow"))]),
    }


def _word(state: State, tally: Tally | None, who: str | None) -> str:
    from eligo.engines._run import WITH_QUEUES
    from eligo.engines._state import JobStatus

    counts = state.counts()
    final = (state.get("final") or {}).get("status")
    if who is not None:
        return "stopping" if state.get("stopping") else "running"
    if counts[JobStatus.DONE] == len(state.names) and final != "failed":
        return "succeeded"
    queued = state.get("engine") in WITH_QUEUES and state.get("submitted") and state.get("exit_status") is None
    if queued or counts[JobStatus.RUNNING]:
        return "unwatched" if queued else "left" if state.get("stopping") else "killed"
    if state.get("abort_status") is not None:
        return "aborted"
    hopeless = 0 if tally is None else tally.hopeless
    if (counts[JobStatus.FAILED] or final == "failed") and counts[JobStatus.WAITING] == hopeless:
        return "failed"
    return "stopped"


def _since(now: float, start: float | None) -> float | None:
    return None if start is None else max(now - start, 0.0)


def _left_s(state: State, tally: Tally | None) -> float | None:
    """Return how long the rest takes at the pace since the run was started or resumed."""
    from eligo._cli.run_display import Tally
    from eligo.engines._state import JobStatus

    if tally is None:
        return None
    since = state.get("session_s") or 0.0
    before = [
        status if status == JobStatus.DONE and (end is None or end <= since) else JobStatus.WAITING
        for status, end in zip(state.status, state.end_s, strict=True)
    ]
    session = Tally(tally.dag, before)
    for job, status in enumerate(state.status):
        session.look(job, status)
    return session.left_s(state.now_s() - since)


def _text(path: str, folder: Path, facts: dict[str, Any]) -> str:
    who = f" (process {facts['process']})" if facts["process"] else ""
    rows = [
        ("engine", str(facts["engine"]), ""),
        ("began", _calendar(facts["began"]), f"{clock(facts['elapsed_s'])} ago"),
        ("done", number(facts["done"]), f"of {plural(facts['jobs'], 'job')}"),
        ("running", number(len(facts["running"])), ""),
        ("waiting", number(facts["waiting"]), _waiting(facts)),
        ("failed", number(len(facts["failed"])), ""),
        ("last activity", f"{clock(facts['last_activity_s'])} ago", ""),
    ]
    if facts["left_s"] is not None:
        rows.append(("about", clock(facts["left_s"]), f"left: over at {_calendar(time.time() + facts['left_s'])}"))
    lines = [table(f"{path}: {_headline(facts)}{who}", rows)]
    lines += _listed("running", [(job["job"], _for(job["for_s"])) for job in facts["running"]], _SHOWN_RUNNING)
    final = facts["final"] or {}
    ended = [("FINAL", final.get("reason") or "")] if final.get("status") == "failed" else []
    failed = [*ended, *((job["job"], job["reason"]) for job in facts["failed"])]
    lines += _listed("failed", failed, _SHOWN_FAILED)
    lines += _listed(REPEATED, [(name, "") for name in facts["repeated"]], _SHOWN_FAILED)
    return "\n".join([*lines, *_next(folder, facts)])


def _headline(facts: dict[str, Any]) -> str:
    """Return where the run stands, in words."""
    runs, word = len(facts["running"]), facts["state"]
    if word == "stopping":
        ends = (
            "those that run are being ended" if facts["stopping"] == "ends" else f"{runs:,} run{'s' * (runs == 1)} on"
        )
        return f"{_WORDS[word]}: no new jobs are started, {ends}"
    if word in ("killed", "left"):
        return f"{_WORDS[word]}; {plural(runs, 'job')} may still run"
    if word == "failed" and facts["done"] == facts["jobs"]:
        return "over: FINAL failed"
    return _WORDS[word]


def _waiting(facts: dict[str, Any]) -> str:
    if facts["eligible"] is None:
        return ""
    never = f", {facts['never']:,} behind jobs that failed" if facts["never"] else ""
    return f"{facts['eligible']:,} eligible{never}"


def _for(since_s: float | None) -> str:
    return "" if since_s is None else f"for {duration(since_s)}"


def _listed(title: str, jobs: list[tuple[str, str]], most: int) -> list[str]:
    if not jobs:
        return []
    told = [printable(f"  {short(name)}{': ' if text else ''}{text}") for name, text in jobs[:most]]
    return ["", f"{title}:", *told] + ([f"  and {len(jobs) - most:,} more"] if len(jobs) > most else [])


def _next(folder: Path, facts: dict[str, Any]) -> list[str]:
    """Return what to do about it."""
    if facts["state"] == "succeeded":
        return []
    if facts["state"] in ("running", "stopping"):
        kill = f"kill {facts['process'].partition(' ')[0]}"
        more = f"Ctrl-C in its terminal lets running jobs end and starts no others; {kill} ends them, too"
        return ["", printable(f"what happens is in {folder / 'run.log'}"), more]
    logs = folder / "logs"
    told = facts["failed"] and logs.is_dir()
    printed = [printable(f"what jobs printed that name no file for it is in {logs}")] if told else []
    return ["", *printed, printable(f"go on with: {facts['resume']}")]


def _calendar(when: float | None) -> str:
    return "unknown" if when is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(when))
