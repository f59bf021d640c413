"""``python -m benchmarks.engines.local_many [--jobs 100000]``: what the local engine itself costs for each job.

An SDSS-like dag whose jobs all run ``true``. Eligo's own time is the processor time of everything, its process, the
keeper and the jobs, less that of so many ``true`` started by nobody but a plain loop. Reading the file and making the
state come before the first job and are shown by themselves.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

import eligo
from benchmarks.measure import print_table
from eligo import generate
from eligo.engines._make_plan import make_plan
from eligo.engines._run import Run, start
from eligo.formats import open_document

__all__ = ["main"]

_ALONE = 2000


def cpu_s() -> float:
    """Return the processor time of this process and of all that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def true_alone_s(program: str) -> tuple[float, float]:
    """Return the processor time and the time of one ``true``, one after the other in a plain loop."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for _ in range(_ALONE):
        os.waitpid(os.posix_spawn(program, [program], os.environ), 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent / _ALONE, (time.monotonic() - began) / _ALONE


def run_all(run: Run) -> int:
    """Watch until all is over, and return how many events were told."""
    told = 0
    while not run.over:
        told += len(run.watch(1.0))
    outcome = run.finish()
    assert outcome.exit_status == 0, outcome.failed[:3]
    return told


def main(jobs: int = 100_000, slots: int | None = None) -> None:
    program = shutil.which("true") or "/bin/true"
    alone_cpu, alone = true_alone_s(program)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flow.dot")
        eligo.write(generate.sdss(jobs), path)
        began, spent = time.monotonic(), cpu_s()
        plan = make_plan(open_document(str(path)), command=program)
        read, read_cpu = time.monotonic() - began, cpu_s() - spent
        began, spent = time.monotonic(), cpu_s()
        with start(plan, slots=slots) as run:
            run_all(run)
            used = run.engine.slots
        wall, all_cpu = time.monotonic() - began, cpu_s() - spent
        n = plan.dag.n
    own = all_cpu - n * alone_cpu
    rows = [
        ["jobs", f"{n:,} on {used} slots"],
        ["reading the file", f"{read:.1f} s, {read_cpu:.1f} s of processor time"],
        ["running", f"{wall:.1f} s, {n / wall:,.0f} jobs a second"],
        ["processor time, all", f"{all_cpu / n * 1e3:.2f} ms a job"],
        ["of that `true` alone", f"{alone_cpu * 1e3:.2f} ms ({alone * 1e3:.2f} ms by the clock, one by one)"],
        ["Eligo's own", f"{own / n * 1e3:.2f} ms a job"],
    ]
    print_table("Many short jobs on the local engine", ["what", "measured"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--slots", type=int)
    options = parser.parse_args()
    main(options.jobs, options.slots)
