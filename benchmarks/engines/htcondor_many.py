"""Many short jobs through a real HTCondor pool: its throughput, and what Eligo itself costs.

By hand, with HTCondor's commands in PATH and a folder that the pool can see::

    python -m benchmarks.engines.htcondor_many --jobs 10000 --folder /tmp/many

The jobs are ``true``, in chains beside each other. Their priority is below that of all other jobs in the queue, so that
a pool in use goes on for the others. The table says how fast the pool was, and how much processor time Eligo's own
process used for each job; the commands that it called are counted apart.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from pathlib import Path

import numpy as np

from eligo.engines._engine import Happening
from eligo.engines._make_plan import make_plan
from eligo.engines._run import start
from eligo.formats import open_document

__all__ = ["main"]


def write_flow(folder: Path, jobs: int, chains: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = "executable = /bin/true\nshould_transfer_files = no\nrequest_memory = 1\nqueue\n"
    (folder / "true.sub").write_text(text)
    lines = [f"JOB n{job} true.sub" for job in range(jobs)]
    lines += [f"PARENT n{job} CHILD n{job + chains}" for job in range(jobs - chains)]
    (flow := folder / "many.dag").write_text("\n".join(lines) + "\n")
    return flow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--chains", type=int, default=500)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    asked = parser.parse_args()
    plan = make_plan(
        open_document(write_flow(asked.folder, asked.jobs, asked.chains)),
        priorities=np.arange(asked.jobs, 0, -1, dtype=np.int32),
    )
    seen: Counter[Happening] = Counter()
    began = time.monotonic()
    with start(plan, "htcondor", options=["-priority", str(-2 * asked.jobs)]) as run:
        stopped = False
        while not run.over:
            seen.update(event.what for event in run.watch(1.0))
            if time.monotonic() - began > asked.seconds and not stopped:
                stopped = True
                run.terminate()
        took = time.monotonic() - began
        outcome = run.finish()
    own, tools = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own_s, tools_s = own.ru_utime + own.ru_stime, tools.ru_utime + tools.ru_stime
    print("| jobs | done | exit | wall s | jobs/s | Eligo's own ms a job | its commands' ms a job | events |")
    print("|---|---|---|---|---|---|---|---|")
    each = 1000 / max(1, outcome.done)
    print(
        f"| {asked.jobs:,} | {outcome.done:,} | {outcome.exit_status} | {took:.0f} | {outcome.done / took:.1f} "
        f"| {own_s * each:.2f} | {tools_s * each:.2f} | {sum(seen.values()):,} |"
    )


if __name__ == "__main__":
    main()
