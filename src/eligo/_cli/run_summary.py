"""What came of a run: as facts for programs, and in words, with what failed and why and how to go on."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eligo._cli.arguments import read_again
from eligo._cli.memory_options import model_again
from eligo._cli.terminal import table
from eligo._humanize import amount, duration, number, per_cent, plural, printable, short

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.engines._run import Outcome

__all__ = ["REPEATED", "Ended", "Occupied", "ended_facts", "ended_text", "last_lines", "repeated_names"]

REPEATED = "ran again, since nobody saw how they had ended"

_SHOWN = 10
_LINES = 5
_TAIL_BYTES = 4_096
_WIDEST = 200


class Occupied(NamedTuple):
    """What all jobs together occupied at one time, by the sizes that are known, and what they may.

    Attributes
    ----------
    peak
        The most along the trace of the run.
    at_least
        Whether it may have been more, since what failed tries and earlier ones left is not in the trace.
    kept_files
        Whether files that the model takes to be deleted after their last reader were left where they are.
    """

    peak: int
    at_least: bool
    kept_files: bool
    limit: int
    resource: str
    unit: str

    def row(self) -> tuple[str, str, str]:
        """Return it as a row of a table.

        Examples
        --------
        >>> Occupied(8, False, False, 10, "memory", "bytes").row()
        ('occupied', '8 B', 'the most at one time, by known sizes, not measured')
        """
        most = "the most at one time"
        if self.at_least:
            most = "or more at one time, since what earlier or failed tries left does not count"
        kept = ", as if each file was deleted after its last reader" if self.kept_files else ""
        return "occupied", amount(self.peak, self.unit), f"{most}, by known sizes, not measured{kept}"


class Ended(NamedTuple):
    """A run that is over."""

    path: str
    engine: str
    order: str
    dag: Dag
    final: str
    final_done: bool
    outcome: Outcome
    exit_status: int
    before: int
    elapsed_s: float
    exit_codes: Sequence[int | None]
    retried: int
    logs: Callable[[int], list[Path]]
    log: Path
    resume: str
    limit: str
    occupied: Occupied | None
    args: argparse.Namespace


def ended_facts(ended: Ended) -> dict[str, Any]:
    """Return all there is to tell, as plain values."""
    outcome, used = ended.outcome, ended.outcome.trace.utilization
    failed = [
        {
            "job": ended.dag.names[job],
            "index": job,
            "reason": reason,
            "exit_code": ended.exit_codes[job],
            "log": str(path) if (path := _log_of(ended, job)) else None,
        }
        for job, reason in outcome.failed
    ]
    return {
        "file": ended.path,
        "engine": ended.engine,
        "order": ended.order,
        "jobs": ended.dag.n,
        "done": outcome.done,
        "done_before": ended.before,
        "failed": failed,
        "retried": ended.retried,
        "final": outcome.final or ("succeeded" if ended.final_done else None),
        "final_log": str(path) if outcome.final and (path := _log_of(ended, ended.dag.n)) else None,
        "repeated": repeated_names(outcome.repeated, ended.dag.names, ended.final),
        "never": outcome.never,
        "cancelled": outcome.cancelled,
        "exit_status": ended.exit_status,
        "elapsed_s": round(ended.elapsed_s, 6),
        "makespan_s": outcome.trace.makespan_s,
        "workers": outcome.trace.workers or None,
        "utilization": None if math.isnan(used) else used,
        "occupied": None if ended.occupied is None else ended.occupied._asdict(),
        "log": str(ended.log),
        "rescue": None if outcome.rescue is None else str(outcome.rescue),
        "job_data": str(outcome.table),
    }


def ended_text(ended: Ended) -> str:
    """Return all there is to tell, in words."""
    outcome = ended.outcome
    title = f"{ended.path}: {outcome.done:,} of {plural(ended.dag.n, 'job')} succeeded, on {ended.engine}"
    if outcome.exit_status and outcome.done == ended.dag.n:
        title += ", but FINAL failed" if outcome.final else ", but the run did not"
    lines = [table(title, _rows(ended)), *_failures(ended), *_repeated(ended), "", *_next(ended)]
    return "\n".join(lines)


def _rows(ended: Ended) -> list[tuple[str, str, str]]:
    outcome = ended.outcome
    rows = [("time", duration(ended.elapsed_s), _use(ended))]
    if ended.before:
        had = "had succeeded before and did not run again"
        rows.append(("before", number(ended.before), f"job {had}" if ended.before == 1 else f"jobs {had}"))
    if outcome.failed:
        rows.append(("failed", number(len(outcome.failed)), ""))
    if outcome.never:
        why = "wait for one that failed" if outcome.failed else "are still to run"
        if outcome.failed and outcome.cancelled:
            why = "wait for one that failed, or were not started any more"
        rows.append(("did not run", number(outcome.never), f"jobs that {why}"))
    if ended.retried:
        rows.append(
            ("tried again", number(ended.retried), f"{'job' if ended.retried == 1 else 'jobs'}, since a try failed")
        )
    if ended.final:
        became = "failed" if outcome.final else "succeeded" if ended.final_done else "did not run"
        rows.append(("FINAL", became, short(ended.final)))
    if outcome.repeated:
        rows.append(("ran again", number(len(outcome.repeated)), "named below"))
    rows.append(("order", ended.order, ""))
    if ended.occupied is not None:
        rows += [("limit", ended.limit, ""), ended.occupied.row()]
    return rows


def _use(ended: Ended) -> str:
    trace = ended.outcome.trace
    if ended.before or ended.args.resume or not trace.workers or math.isnan(trace.utilization):
        return ""
    return f"{plural(trace.workers, 'slot')}, busy for {per_cent(min(trace.utilization, 1.0))} of it"


def _failures(ended: Ended) -> Iterator[str]:
    """Yield what failed and why, with the last lines that it printed."""
    failed = [*ended.outcome.failed, *([(ended.dag.n, ended.outcome.final)] if ended.outcome.final else [])]
    if not failed:
        return
    yield ""
    yield "failed:"
    for job, reason in failed[:_SHOWN]:
        name = short(ended.dag.names[job]) if job < ended.dag.n else f"{short(ended.final)} (FINAL)"
        yield printable(f"  {name}: {reason or 'for reasons unknown'}")
        path = _log_of(ended, job)
        if path is not None:
            yield printable(f"    what it printed last, in {path}:")
            yield from (f"      {line}" for line in last_lines(path))
    if len(failed) > _SHOWN:
        yield f"  and {len(failed) - _SHOWN:,} more: see {printable(str(ended.log))}"


def _repeated(ended: Ended) -> Iterator[str]:
    """Yield which jobs may have run twice, one time after the other: whoever owns them may want to look."""
    if ended.outcome.repeated:
        names = repeated_names(ended.outcome.repeated, ended.dag.names, ended.final)
        yield ""
        yield f"{REPEATED}:"
        yield from (printable(f"  {short(name)}") for name in names[:_SHOWN])
        if len(names) > _SHOWN:
            yield f"  and {len(names) - _SHOWN:,} more: see {printable(str(ended.log))}"


def repeated_names(jobs: Sequence[int], names: Sequence[str], final: str) -> list[str]:
    """Return the names of jobs, of which the one after the last is the final task.

    Examples
    --------
    >>> repeated_names([0, 2], ["a", "b"], "end")
    ['a', 'end']
    """
    return [names[job] if job < len(names) else final for job in jobs]


def _log_of(ended: Ended, job: int) -> Path | None:
    """Return the file that says most about why a job failed: the first that is not empty."""
    with suppress(OSError):
        return next((_from_here(path) for path in ended.logs(job) if path.stat().st_size), None)
    return None


def _from_here(path: Path) -> Path:
    """Return a path as one would type it."""
    with suppress(OSError, ValueError):
        return path.resolve().relative_to(Path.cwd())
    return path


def last_lines(path: Path, count: int = _LINES) -> list[str]:
    r"""Return the last lines of a log, fit for a terminal.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("one\ntwo\n\x1b[31mthree\n")
    ...     file.flush()
    ...     last_lines(Path(file.name), 2)
    ['two', '\\x1b[31mthree']
    """
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(size - _TAIL_BYTES, 0))
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError as error:
        return [f"({error.strerror or error})"]
    return [printable(line.rstrip()[:_WIDEST]) for line in lines[-count:]]


def _next(ended: Ended) -> Iterator[str]:
    """Yield which files there are, and which commands go on from here, so that they can be pasted."""
    outcome, args = ended.outcome, ended.args
    yield printable(f"{ended.log}: what happened when")
    if outcome.rescue is not None:
        yield printable(f"{outcome.rescue}: a rescue DAG, for condor_submit_dag")
    yield printable(f"{outcome.table}: times and sizes that were seen")
    if args.file != "-":
        where = shlex.join(["--run", *([args.state] if args.state else [])])
        where += f" --memory {shlex.quote(args.memory.text)}{model_again(args)}" if args.memory is not None else ""
        yield printable(f"what ran when, on a page: eligo report {read_again(args.file, args)} {where} -o report.html")
    if outcome.exit_status:
        yield printable(f"go on with: {ended.resume}")
    elif args.file != "-":
        again = argparse.Namespace(**vars(args) | {"job_data": str(outcome.table.parent)})
        yield printable(f"order by times seen: eligo prioritize {read_again(args.file, again)} --weigh-times")
