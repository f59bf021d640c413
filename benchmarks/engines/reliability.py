"""``python -m benchmarks.engines.reliability [KILLS]`` kills runs of the local engine and prints what became of them.

Each variant runs random dags of 5 to 40 short jobs on three slots, and is killed (SIGKILL) at random moments, a third
of them in the first 30 milliseconds, then resumed, until all is done. Lost: a job that never succeeded. Twice at once:
two processes of one job at the same time. Repeated: a job that ran again although it had not failed, which is right
only where nobody was left to see how it ended, and is always told of.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engines.crashing import Drivers, Tally, Trial, random_jobs
from benchmarks.measure import print_table

__all__ = ["VARIANTS", "Variant", "trials"]

_KILLS_A_TRIAL = 12


@dataclass(frozen=True, slots=True)
class Variant:
    """What is killed, and what the jobs are like."""

    name: str
    what: tuple[str, ...] = ("driver",)
    fail: int = 0
    hooks: bool = False
    box: bool = False


VARIANTS = (
    Variant("the run"),
    Variant("the run, 20 % of jobs fail", fail=5),
    Variant("the run, scripts before and after", hooks=True),
    Variant("the run, jobs in sandboxes", box=True),
    Variant("the keeper", ("keeper",)),
    Variant("both", ("both", "keeper first"), hooks=True),
)


def trials(variant: Variant, drivers: Drivers, folder: Path, tally: Tally, *, kills: int, seed: int) -> None:
    """Kill random runs so many times, and check each at its end."""
    rng = random.Random(seed)
    while tally.kills < kills:
        place = folder / str(tally.trials)
        place.mkdir()
        jobs = random_jobs(rng, jobs=rng.randint(5, 40), fail=variant.fail, hooks=variant.hooks, box=variant.box)
        trial = Trial(drivers, place, jobs)
        for _ in range(_KILLS_A_TRIAL):
            moment = rng.choice([rng.uniform(0, 0.03), rng.uniform(0, 0.15), rng.uniform(0, 0.6)])
            if trial.run_and_kill(moment, rng.choice(variant.what)):
                break
        else:
            trial.finish()
        trial.check(tally)


def main(kills: int = 60) -> None:
    rows = []
    with Drivers() as drivers:
        for variant in VARIANTS:
            tally, began = Tally(), time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                trials(variant, drivers, Path(folder), tally, kills=kills, seed=kills)
            counted = (tally.kills, tally.trials, tally.jobs, tally.repeated, tally.lost, tally.at_once)
            rows.append([variant.name, *(f"{number:,}" for number in counted), f"{time.monotonic() - began:.0f} s"])
    header = ["killed", "kills", "dags", "jobs", "repeated", "lost", "twice at once", "time"]
    print_table("Runs killed at random moments", header, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
