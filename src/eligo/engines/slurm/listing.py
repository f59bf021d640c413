"""What Slurm says of jobs: the queue as ``squeue`` prints it, and one job as ``scontrol`` or ``sacct`` remembers it."""

from __future__ import annotations

import os
import re
import time
from typing import NamedTuple

from eligo.engines.slurm.commands import ask
from eligo.errors import EngineError

__all__ = ["COMMENT", "SQUEUE", "Ended", "Listed", "ask_how_it_ended", "ask_queue", "parse_queue"]

COMMENT = "eligo:{run}:{key}"
"""The comment by which a run finds its jobs: also those of which it never heard that they were accepted."""
SQUEUE = ["squeue", "--noheader", "--all", f"--user={os.geteuid()}", "--format=%i|%T|%k|%r"]
"""Lists jobs that have not ended."""

_JOB = re.compile(r"\b(JobState|Reason|ExitCode|Priority|Nice)=(\S+)")


class Listed(NamedTuple):
    """A job in the queue."""

    id: str
    state: str
    reason: str

    @property
    def waits(self) -> bool:
        """Whether it does not run (any more, if it did)."""
        return self.state in ("PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT")


def parse_queue(text: str, run: str) -> dict[str, Listed]:
    r"""Return the jobs of a run by their keys, from what ``squeue`` printed.

    Examples
    --------
    >>> parse_queue("12|RUNNING|eligo:ab:7-1|None\n13|PENDING|(null)|Priority", "ab")
    {'7-1': Listed(id='12', state='RUNNING', reason='None')}
    """
    start = COMMENT.format(run=run, key="")
    found = {}
    for line in text.splitlines():
        parts = line.split("|", 3)
        if len(parts) == 4 and parts[2].startswith(start):
            found[parts[2][len(start) :]] = Listed(parts[0], parts[1], parts[3])
    return found


def ask_queue(patience_s: float = 60) -> str:
    """Return what ``squeue`` prints, and ask again for a while where it fails.

    Raises
    ------
    EngineError
        It does not answer.
    """
    deadline = time.monotonic() + patience_s
    while True:
        answer = ask(SQUEUE)
        if answer.code == 0:
            return answer.out
        if time.monotonic() > deadline:
            raise EngineError(f"Slurm does not answer: {answer.trouble}", hint="ask again later, with --resume")
        time.sleep(1)


class Ended(NamedTuple):
    """How a job ended as Slurm tells it; the state is empty where it has forgotten."""

    state: str = ""
    reason: str = ""
    exit_code: int = 0
    signal: int = 0
    priority: int = 0
    nice: int = 0


def ask_how_it_ended(job_id: str, *, database: bool) -> Ended:
    """Ask Slurm for one job.

    Raises
    ------
    EngineError
        It does not answer.
    """
    answer = ask(["scontrol", "-o", "show", "job", job_id])
    found = dict(_JOB.findall(answer.out))
    if "JobState" in found:
        code, _, signal = found.get("ExitCode", "0:0").partition(":")
        numbers = [int(found.get(name, "0")) for name in ("Priority", "Nice")]
        return Ended(found["JobState"], found.get("Reason", ""), int(code), int(signal or 0), *numbers)
    if answer.code != 0 and "Invalid job id" not in answer.err:
        raise EngineError(f"Slurm does not answer: {answer.trouble}")
    if not database:
        return Ended()
    answer = ask(["sacct", "-nPX", "-j", job_id, "--format=State,ExitCode"])
    match = re.match(r"(\w+)[^|]*\|(\d+):(\d+)", answer.out)
    return Ended(match[1], "", int(match[2]), int(match[3])) if answer.code == 0 and match else Ended()
